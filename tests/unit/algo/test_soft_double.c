// SPDX-License-Identifier: Apache-2.0
// Tests that cl/lib/soft_double.clh equals the processor's own doubles: random bits, nearly equal exponents,
// halves between two adjacent numbers, denormals, infinities, not-a-numbers.
#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

enum { MOST = 20000 };
enum { ADD, SQUARE, FROM_FLOAT, TO_FLOAT, LESS, HALF, PRODUCT, OPERATIONS };

static uint64_t state, a[MOST], b[MOST], found[MOST];

static void set_up(void)
{
    test_open();
    state = test_seed("soft double");
}

static float as_float(uint64_t bits)
{
    return test_float_of((uint32_t)bits);
}

// A number with a stored exponent near `exponent`, and few or many bits; sometimes a special number.
static uint64_t random_bits(unsigned exponent)
{
    static const uint64_t special[] = {0,
                                       1,
                                       0x000fffffffffffffu,
                                       0x0010000000000000u,
                                       0x7fefffffffffffffu,
                                       0x7ff0000000000000u,
                                       0x7ff8000000000000u,
                                       0x7ff0000000000001u};
    uint64_t random = test_random(&state), sign = random & 1 ? 1ULL << 63 : 0;
    uint64_t fraction = test_random(&state) & 0x000fffffffffffffu;
    uint64_t stored = exponent + (random >> 1) % 5;

    if ((random >> 32) % 16 == 0)
        return sign | special[(random >> 40) % (sizeof special / sizeof *special)];
    if ((random >> 4) % 2) // with few bits
        fraction &= ~0ULL << (52 - (random >> 8) % 53);
    if ((random >> 5) % 4 == 0) // or nearly a power of two
        fraction = 0x000fffffffffffffu >> ((random >> 8) % 3) << ((random >> 10) % 3);
    return sign | (stored < 2047 ? stored : 2046) << 52 | (fraction & 0x000fffffffffffffu);
}

static void make(int operation, size_t i)
{
    unsigned near = (unsigned)(test_random(&state) % 2043), apart = (unsigned)(test_random(&state) % 70);

    switch (operation) {
    case SQUARE: // d, and a sum >= 0 near its square: no denormals
        near = 600 + near % 900;
        a[i] = random_bits(near);
        a[i] = (a[i] << 1) < (uint64_t)600 << 53 ? 0 : a[i];
        near = (unsigned)fmin(fmax(2 * (double)near - 1023 + 60 - 2 * (double)apart, 1), 2042);
        b[i] = random_bits(near) & ~(1ULL << 63);
        b[i] = (b[i] << 1) < 0x0020000000000000u ? 0 : b[i];
        return;
    case FROM_FLOAT:
        a[i] = test_random(&state) & (i % 4 ? 0xffffffffu : 0x807fffffu);
        return;
    case PRODUCT:
        a[i] = test_bits_of((float)test_double_of(random_bits(870 + near % 290)));
        b[i] = i % 4 ? test_bits_of((float)test_double_of(random_bits(870 + apart)))
                     : test_random(&state) & 0xffffffffu;
        return;
    case TO_FLOAT:
        a[i] = random_bits(870 + near % 290);
        return;
    case HALF: // a sum of two floats
        a[i] = test_double_bits_of((double)as_float(test_random(&state)) +
                                   (double)as_float(test_random(&state)));
        return;
    default:
        a[i] = random_bits(near);
        b[i] = i % 8 ? random_bits(near > apart ? near - apart : 0) : a[i] ^ (i & 8 ? 1ULL << 63 : i & 16);
    }
}

static uint64_t expected_of(int operation, size_t i)
{
    double x = test_double_of(a[i]), y = test_double_of(b[i]);

    switch (operation) {
    case ADD:
        return test_double_bits_of(x + y);
    case SQUARE:
        return test_double_bits_of(fma(x, x, y));
    case FROM_FLOAT:
        return test_double_bits_of((double)as_float(a[i]));
    case TO_FLOAT:
        return test_bits_of((float)x);
    case LESS:
        return x < y;
    case PRODUCT:
        return test_double_bits_of((double)as_float(a[i]) * (double)as_float(b[i]));
    default:
        return test_double_bits_of(x / 2);
    }
}

static bool is_same(int operation, uint64_t left, uint64_t right)
{
    if (operation == TO_FLOAT)
        return left == right || (isnan(as_float(left)) && isnan(as_float(right)));
    return left == right ||
           (operation != LESS && isnan(test_double_of(left)) && isnan(test_double_of(right)));
}

static const char source[] =
    "#include \"lib/soft_double.clh\"\n"
    "__kernel void soft(__global const ulong *a, __global const ulong *b, uint operation,\n"
    "                   __global ulong *to)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    ulong x = a[i], y = b[i];\n"
    "    to[i] = operation == 0   ? soft_add(x, y)\n"
    "            : operation == 1 ? soft_add_square(y, x)\n"
    "            : operation == 2 ? soft_of_float(as_float((uint)x))\n"
    "            : operation == 3 ? (ulong)as_uint(soft_to_float(x))\n"
    "            : operation == 4 ? (ulong)soft_less(x, y)\n"
    "            : operation == 5 ? soft_half(x)\n"
    "                             : soft_product(as_float((uint)x), as_float((uint)y));\n"
    "}\n";

static void run(kn_program *program, uint32_t operation, size_t n)
{
    kn_buffer *left = test_upload_with_room(a, n * sizeof *a, 0),
              *right = test_upload_with_room(b, n * sizeof *b, 0);
    kn_buffer *to = test_upload_with_room(a, n * sizeof *a, 0);
    const kn_arg args[] = {KN_BUFFER(left), KN_BUFFER(right), KN_VALUE(operation), KN_BUFFER(to)};
    const kn_range range = {1, {n}, {0}, {0}};
    kn_kernel *kernel = NULL;

    EXPECT_OK(kn_program_get_kernel(program, "soft", &kernel, &err));
    EXPECT_OK(kn_launch(queue, kernel, &range, args, 4, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, to, 0, found, n * sizeof *found, &err));
    kn_buffer_free(left);
    kn_buffer_free(right);
    kn_buffer_free(to);
}

START_TEST(operations)
{
    static const char *const names[] = {"a + b", "fma(a, a, b)", "double of float a",     "float of a",
                                        "a < b", "a / 2",        "product of floats a, b"};
    size_t n = test_is_slow() ? 400 : MOST;
    const kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT);
    kn_program *program = NULL;

    EXPECT_OK(kn_program_from_text(context, source, "soft.cl", &options, &program, &err));
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (int round = 0; round < (test_is_slow() ? 1 : 20); round++) {
            for (size_t i = 0; i < n; i++)
                make(operation, i);
            run(program, (uint32_t)operation, n);
            for (size_t i = 0; i < n; i++) {
                uint64_t expected = expected_of(operation, i);
                ck_assert_msg(is_same(operation, found[i], expected),
                              "%s: a %016llx, b %016llx: %016llx, expected %016llx", names[operation],
                              (unsigned long long)a[i], (unsigned long long)b[i],
                              (unsigned long long)found[i], (unsigned long long)expected);
            }
        }
    kn_program_free(program);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {operations};

    return test_run("soft double", tests, 1, set_up, test_close);
}
