// SPDX-License-Identifier: Apache-2.0
// Tests kn_reduce and kn_reduce_with: integers exactly, floats against the fixed tree, written here as in its
// description.
#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

enum { MOST = 100003, LEAF = 4096, LANES = 64 };

static const kn_type integers[] = {KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64};
#define INTEGERS (sizeof integers / sizeof *integers)

static unsigned char *packed;
static double *x;
static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("reduce_any");
    packed = malloc(MOST * 8);
    x = malloc(MOST * sizeof *x);
    ck_assert(packed && x);
}

static void tear_down(void)
{
    free(packed);
    free(x);
    test_close();
}

static const size_t sizes[] = {1,    2,    3,    31,   32,   33,    63,    64,    65,    127,
                               1000, 4095, 4096, 4097, 8193, 65535, 65536, 65537, 100003};

// Uses kn_reduce and kn_reduce_to_buffer, which writes the same 8 bytes and nothing else (a product may be
// -0).
static kn_number reduced(const kn_buffer *buffer, kn_type type, size_t n, kn_reduce_op op)
{
    const kn_number clean[2] = {{.u64 = UINT64_C(0x7777777777777777)}, {.u64 = UINT64_C(0x7777777777777777)}};
    kn_number found, left[2];
    kn_buffer *there = test_upload_with_room(clean, sizeof clean, 0);

    memset(&found, 0xa5, sizeof found);
    EXPECT_OK(kn_reduce(queue, buffer, type, n, op, &found, &err));
    EXPECT_OK(kn_reduce_to_buffer(queue, buffer, type, n, op, there, &err));
    EXPECT_OK(kn_buffer_read(queue, there, 0, left, sizeof left, &err));
    if (type >= KN_F32 && op == KN_REDUCE_PRODUCT)
        left[0].f64 += 0.0;
    ck_assert_msg(left[0].u64 == found.u64, "%s, n %zu, operation %d: %016llx in a buffer, else %016llx",
                  kn_type_name(type), n, (int)op, (unsigned long long)left[0].u64,
                  (unsigned long long)found.u64);
    ck_assert_uint_eq(left[1].u64, clean[1].u64);
    kn_buffer_free(there);
    return found;
}

static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 3 || n == 65 || n == 4097;
}

// ---- integers ----

static bool is_signed(kn_type type)
{
    return type % 2 == 0;
}

// Widened to 64 bits.
static uint64_t integer_at(size_t i, kn_type type)
{
    size_t size = kn_type_size(type);
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * size - 1);

    memcpy(&bits, packed + i * size, size);
    return is_signed(type) ? (bits ^ sign) - sign : bits;
}

static bool is_less(uint64_t a, uint64_t b, kn_type type)
{
    return is_signed(type) ? (int64_t)a < (int64_t)b : a < b;
}

static kn_buffer *random_integers(kn_type type, size_t n)
{
    size_t size = kn_type_size(type);

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(&state);
        memcpy(packed + i * size, &bits, size);
    }
    return test_upload_with_room(packed, n * size, 0);
}

// On slow devices some types, different ones in each run, because programs take long to build.
START_TEST(integers_exact)
{
    const size_t step = test_is_slow() ? 3 : 1;

    for (size_t t = test_random(&state) % step; t < INTEGERS; t += step)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            size_t n = sizes[k];
            uint64_t sum = 0, product = 1, least, greatest;
            kn_number found[4];
            kn_buffer *buffer;
            if (!is_tried(n))
                continue;
            buffer = random_integers(integers[t], n);
            least = greatest = integer_at(0, integers[t]);
            for (size_t i = 0; i < n; i++) {
                uint64_t value = integer_at(i, integers[t]);
                sum += value;
                product *= value;
                least = is_less(value, least, integers[t]) ? value : least;
                greatest = is_less(greatest, value, integers[t]) ? value : greatest;
            }
            for (int op = KN_REDUCE_SUM; op <= KN_REDUCE_MAX; op++)
                found[op] = reduced(buffer, integers[t], n, (kn_reduce_op)op);
            ck_assert_uint_eq(found[KN_REDUCE_SUM].u64, sum);
            ck_assert_uint_eq(found[KN_REDUCE_PRODUCT].u64, product);
            ck_assert_uint_eq(found[KN_REDUCE_MIN].u64, least);
            ck_assert_uint_eq(found[KN_REDUCE_MAX].u64, greatest);
            kn_buffer_free(buffer);
        }
}
END_TEST

// ---- floats ----

typedef double operation(double a, double b);

static double times(double a, double b)
{
    return a * b;
}

static double times_above(double a, double b)
{
    return b > -1 ? a * b : a;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double plus(double a, double b)
{
    return a + b;
}

static double leaf_of(const double *values, size_t n, operation *combine, double identity)
{
    double lanes[LANES];

    for (size_t l = 0; l < LANES; l++) {
        lanes[l] = identity;
        for (size_t i = l; i < n; i += LANES)
            lanes[l] = combine(lanes[l], values[i]);
    }
    for (size_t half = LANES / 2; half > 0; half /= 2)
        for (size_t l = 0; l < half; l++)
            lanes[l] = combine(lanes[l], lanes[l + half]);
    return lanes[0];
}

static double tree(const double *values, size_t n, operation *combine, double identity, size_t leaves)
{
    size_t half = leaves / 2 * LEAF;

    if (n == 0)
        return identity;
    if (leaves == 1)
        return leaf_of(values, n, combine, identity);
    return combine(tree(values, n < half ? n : half, combine, identity, leaves / 2),
                   tree(values + half, n < half ? 0 : n - half, combine, identity, leaves / 2));
}

static void fill(size_t n, kn_type type)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = ldexp(1 + test_uniform(&state), (int)(test_random(&state) % 3) - 2) *
               (test_random(&state) % 2 ? 1 : -1);
        if (type == KN_F32)
            x[i] = (double)(float)x[i];
    }
}

static void expect_floats(kn_type type, size_t n)
{
    const kn_combine absolute =
        KN_INIT(kn_combine, .combine = "a + b", .identity = "0", .map = "fabs((ACC)x)");
    kn_number product, least, greatest, sum;
    const kn_combine above = KN_INIT(kn_combine, .combine = "b > -1 ? a * b : a", .identity = "1");
    double absolutes = -1, some = -1, expected;
    kn_buffer *buffer;

    fill(n, type);
    buffer = test_upload_column(x, n, type);
    product = reduced(buffer, type, n, KN_REDUCE_PRODUCT);
    sum = reduced(buffer, type, n, KN_REDUCE_SUM);
    least = reduced(buffer, type, n, KN_REDUCE_MIN);
    greatest = reduced(buffer, type, n, KN_REDUCE_MAX);
    EXPECT_OK(kn_reduce_with(queue, buffer, type, n, &absolute, KN_F64, &absolutes, &err));
    EXPECT_OK(kn_reduce_with(queue, buffer, type, n, &above, KN_F64, &some, &err));
    expected = tree(x, n, times, 1, 64);
    ck_assert_msg(test_same(product.f64, expected + 0.0), "n %zu: product %.17g, expected %.17g", n,
                  product.f64, expected);
    expected = tree(x, n, times_above, 1, 64);
    ck_assert_msg(test_same(some, expected), "n %zu: product above -1 %.17g, expected %.17g", n, some,
                  expected);
    expected = tree(x, n, plus, 0, 64);
    ck_assert_msg(test_same(sum.f64, expected + 0.0), "n %zu: sum %.17g, expected %.17g", n, sum.f64,
                  expected);
    expected = tree(x, n, larger, -INFINITY, 64);
    ck_assert_msg(test_same(greatest.f64, expected), "n %zu: greatest %.17g, expected %.17g", n, greatest.f64,
                  expected);
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i]);
    expected = tree(x, n, plus, 0, 64);
    ck_assert_msg(test_same(absolutes, expected), "n %zu: absolutes %.17g, expected %.17g", n, absolutes,
                  expected);
    kn_buffer_free(buffer);
    // KN_REDUCE_MIN: the greatest of the negatives.
    x[0] = NAN;
    buffer = test_upload_column(x, n, type);
    EXPECT_OK(kn_reduce(queue, buffer, type, n, KN_REDUCE_MIN, &least, &err));
    EXPECT_OK(kn_reduce(queue, buffer, type, n, KN_REDUCE_MAX, &greatest, &err));
    ck_assert(isnan(least.f64) && isnan(greatest.f64));
    kn_buffer_free(buffer);
}

START_TEST(floats_to_the_bit)
{
    for (int type = KN_F32; type <= KN_F64; type++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && test_takes(KN_F64); k++)
            if (is_tried(sizes[k]))
                expect_floats((kn_type)type, sizes[k]);
}
END_TEST

// ---- snippets ----

START_TEST(snippets)
{
    static const kn_combine exclusive = {
        .struct_size = sizeof(kn_combine), .combine = "a ^ b", .identity = "0"};
    static const kn_combine above = {
        .struct_size = sizeof(kn_combine), .combine = "a + b", .identity = "0", .map = "x > 100"};
    static const kn_combine squares = {
        .struct_size = sizeof(kn_combine), .combine = "a + b", .identity = "0", .map = "(ACC)x * x"};
    static const kn_combine common = {
        .struct_size = sizeof(kn_combine), .combine = "a & b", .identity = "~(ACC)0", .map = "(ACC)x | 5"};
    const size_t n = test_is_slow() ? 200 : 50021;
    kn_buffer *buffer = random_integers(KN_U16, n), *there;
    uint16_t bits = 0, expected_bits = 0, left[4];
    uint32_t count = 0, expected_count = 0, shared = 0, expected_shared = UINT32_MAX;
    int64_t sum = 0, expected_sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t value = integer_at(i, KN_U16);
        expected_bits = (uint16_t)(expected_bits ^ value);
        expected_count += value > 100;
        expected_sum += (int64_t)(value * value);
        expected_shared &= (uint32_t)value | 5;
    }
    EXPECT_OK(kn_reduce_with(queue, buffer, KN_U16, n, &exclusive, KN_U16, &bits, &err));
    EXPECT_OK(kn_reduce_with(queue, buffer, KN_U16, n, &above, KN_U32, &count, &err));
    EXPECT_OK(kn_reduce_with(queue, buffer, KN_U16, n, &squares, KN_I64, &sum, &err));
    EXPECT_OK(kn_reduce_with(queue, buffer, KN_U16, n, &common, KN_U32, &shared, &err));
    ck_assert_uint_eq(bits, expected_bits);
    ck_assert_uint_eq(count, expected_count);
    ck_assert_int_eq(sum, expected_sum);
    ck_assert_uint_eq(shared, expected_shared);
    there = test_upload_with_room(&sum, sizeof sum, 8);
    EXPECT_OK(kn_reduce_with_to_buffer(queue, buffer, KN_U16, n, &exclusive, KN_U16, there, &err));
    EXPECT_OK(kn_buffer_read(queue, there, 0, left, sizeof left, &err));
    ck_assert_uint_eq(left[0], expected_bits);
    ck_assert_int_eq(memcmp(left + 1, (char *)&sum + 2, 6), 0);
    test_expect_poison(there, sizeof sum);
    kn_buffer_free(there);
    kn_buffer_free(buffer);
}
END_TEST

// Nothing is written.
START_TEST(buffers_refused)
{
    kn_buffer *buffer = random_integers(KN_U8, 10), *small = test_upload_with_room(packed, 7, 0), *foreign;
    const kn_combine how = KN_INIT(kn_combine, .combine = "a + b", .identity = "0");
    kn_context *stranger = NULL;
    unsigned char left[7];

    EXPECT_OK(kn_context_open(NULL, NULL, &stranger, &err));
    EXPECT_OK(kn_buffer_create(stranger, 64, &foreign, &err));
#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_reduce_to_buffer: " words, kn_reduce_to_buffer(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "result is NULL", queue, buffer, KN_U8, 10, KN_REDUCE_SUM, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "queue or buffer is NULL", queue, NULL, KN_U8, 10, KN_REDUCE_SUM, small);
    REFUSED(KN_ERROR_ARGUMENT, "11 elements", queue, buffer, KN_U8, 11, KN_REDUCE_SUM, small);
    REFUSED(KN_ERROR_ARGUMENT, "1 elements", queue, buffer, KN_U8, 10, KN_REDUCE_SUM, small);
    REFUSED(KN_ERROR_ARGUMENT, "there is no operation 4", queue, buffer, KN_U8, 10, (kn_reduce_op)4, small);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer belongs to another context", queue, buffer, KN_U8, 10,
            KN_REDUCE_SUM, foreign);
    REFUSED(KN_ERROR_ARGUMENT, "x and result are one buffer", queue, buffer, KN_U8, 10, KN_REDUCE_SUM,
            buffer);
    REFUSED(KN_ERROR_ARGUMENT, "result is NULL, or there are no elements", queue, buffer, KN_U8, 0,
            KN_REDUCE_MIN, small);
#undef REFUSED
#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_reduce_with_to_buffer: " words, kn_reduce_with_to_buffer(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "no elements", queue, buffer, KN_U8, 10, &how, KN_U32, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "no elements", queue, buffer, KN_U8, 0, &how, KN_U32, small);
    REFUSED(KN_ERROR_ARGUMENT, "1 elements of long", queue, buffer, KN_U8, 10, &how, KN_I64, small);
    REFUSED(KN_ERROR_ARGUMENT, "there is no type 10", queue, buffer, KN_U8, 10, &how, (kn_type)10, small);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer belongs to another context", queue, buffer, KN_U8, 10, &how,
            KN_U32, foreign);
    REFUSED(KN_ERROR_ARGUMENT, "x and result are one buffer", queue, buffer, KN_U8, 10, &how, KN_U8, buffer);
#undef REFUSED
    EXPECT_OK(kn_buffer_read(queue, small, 0, left, sizeof left, &err));
    ck_assert_int_eq(memcmp(left, packed, sizeof left), 0);
    kn_buffer_free(foreign);
    kn_buffer_free(small);
    kn_buffer_free(buffer);
    kn_context_close(stranger);
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = random_integers(KN_U8, 10);
    kn_number found = {.u64 = 7};
    uint8_t result = 0;

    EXPECT_OK(kn_reduce(queue, buffer, KN_U8, 0, KN_REDUCE_SUM, &found, &err));
    ck_assert_uint_eq(found.u64, 0);
    EXPECT_OK(kn_reduce(queue, buffer, KN_F32, 0, KN_REDUCE_PRODUCT, &found, &err));
    ck_assert(found.f64 == 1);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_reduce(NULL, NULL, KN_F32, 3, KN_REDUCE_SUM, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no elements",
                   kn_reduce(queue, buffer, KN_U8, 0, KN_REDUCE_MIN, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no operation 9",
                   kn_reduce(queue, buffer, KN_U8, 1, (kn_reduce_op)9, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10",
                   kn_reduce(queue, buffer, KN_U8, 11, KN_REDUCE_SUM, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "identity",
                   kn_reduce_with(queue, buffer, KN_U8, 10, &KN_INIT(kn_combine, .combine = "a + b"), KN_U8,
                                  &result, &err));
    EXPECT_REFUSED(KN_ERROR_BUILD, "nonsense",
                   kn_reduce_with(queue, buffer, KN_U8, 10,
                                  &KN_INIT(kn_combine, .combine = "a + nonsense", .identity = "0"), KN_U8,
                                  &result, &err));
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {integers_exact, floats_to_the_bit, snippets, buffers_refused, refusals};

    return test_run("reduce, any", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
