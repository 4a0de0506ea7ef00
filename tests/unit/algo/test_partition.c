// SPDX-License-Identifier: Apache-2.0
// Tests kn_select_if and kn_partition against a loop, and for equality with the host's functions; elements of
// many sizes.
#include <math.h>

#include "support/buffers.h"
#include "support/run.h"

#include <koine/host.h>
#include <koine/select.h>

enum { MOST = 300007, MOST_SIZE = 64, POISON = 64 };

static unsigned char *column, *expected, *found;
static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("partition");
    column = test_allocate(MOST * 8);
    expected = test_allocate(MOST * 8);
    found = test_allocate(MOST * 8);
}

static void tear_down(void)
{
    free(column);
    free(expected);
    free(found);
    test_close();
}

static const size_t sizes[] = {1,    2,    31,   33,   255,  256,  257,   1023,  1024,   1025,  2047,
                               2049, 4095, 4096, 4097, 8191, 8193, 16385, 65536, 100003, 300007};

static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 1 || n == 257 || n == 4097;
}

// An element type, and the bit that says whether an element is selected: bit `bit` of byte `byte`.
struct kind {
    kn_condition condition;
    size_t byte, bit;
};

static const struct kind kinds[] = {
    {{.struct_size = sizeof(kn_condition), .type = "char", .size = 1, .holds = "x & 1"}, 0, 0},
    {{.struct_size = sizeof(kn_condition), .type = "uchar", .size = 1, .holds = "x & 16"}, 0, 4},
    {{.struct_size = sizeof(kn_condition), .type = "short", .size = 2, .holds = "x & 2"}, 0, 1},
    {{.struct_size = sizeof(kn_condition), .type = "ushort", .size = 2, .holds = "x >> 15"}, 1, 7},
    {{.struct_size = sizeof(kn_condition), .type = "int", .size = 4, .holds = "x < 0"}, 3, 7},
    {{.struct_size = sizeof(kn_condition), .type = "uint", .size = 4, .holds = "x >> 31"}, 3, 7},
    {{.struct_size = sizeof(kn_condition), .type = "long", .size = 8, .holds = "x < 0"}, 7, 7},
    {{.struct_size = sizeof(kn_condition), .type = "ulong", .size = 8, .holds = "x & 1"}, 0, 0},
    {{.struct_size = sizeof(kn_condition), .type = "float2", .size = 8, .holds = "as_uint(x.x) & 4"}, 0, 2},
    {{.struct_size = sizeof(kn_condition), .type = "uint4", .size = 16, .holds = "x.w & 1"}, 12, 0},
    {{.struct_size = sizeof(kn_condition),
      .type = "struct odd",
      .size = 3,
      .holds = "x.bytes[2] & 1",
      .definitions = "struct odd { uchar bytes[3]; };"},
     2,
     0},
    {{.struct_size = sizeof(kn_condition),
      .type = "struct triple",
      .size = 12,
      .holds = "is_meant(x)",
      .definitions =
          "struct triple { int a, b, c; }; // three numbers\ninline bool is_meant(struct triple x)\n{\n    "
          "return x.b < 0;\n}"},
     7,
     7},
    {{.struct_size = sizeof(kn_condition), .type = "float8", .size = 32, .holds = "as_uint(x.s7) & 1"},
     28,
     0},
    {{.struct_size = sizeof(kn_condition),
      .type = "struct large",
      .size = 60,
      .holds = "x.a[14] & 1",
      .definitions = "struct large { uint a[15]; };"},
     56,
     0}};

static const struct kind *wanted;

static bool is_meant(const void *element, void *data)
{
    const struct kind *kind = data;

    return ((const unsigned char *)element)[kind->byte] >> kind->bit & 1;
}

// The number of selected elements; expected[] has these, followed by the others.
static size_t partition(const struct kind *kind, size_t n)
{
    size_t size = kind->condition.size, count = 0, others;

    for (size_t i = 0; i < n; i++)
        if (is_meant(column + i * size, (void *)(uintptr_t)kind))
            memcpy(expected + count++ * size, column + i * size, size);
    others = count;
    for (size_t i = 0; i < n; i++)
        if (!is_meant(column + i * size, (void *)(uintptr_t)kind))
            memcpy(expected + others++ * size, column + i * size, size);
    return count;
}

// About `share` of 256 elements are selected.
static void fill(const struct kind *kind, size_t n, unsigned share)
{
    size_t size = kind->condition.size;

    for (size_t i = 0; i < n * size; i += 8) {
        uint64_t bits = test_random(&state);
        memcpy(column + i, &bits, i + 8 <= n * size ? 8 : n * size - i);
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char *byte = column + i * size + kind->byte;
        bool meant = test_random(&state) % 256 < share;
        *byte = (unsigned char)((*byte & ~(1u << kind->bit)) | (unsigned)meant << kind->bit);
    }
}

static void check(const struct kind *kind, size_t n, unsigned share, bool others)
{
    size_t size = kind->condition.size, count, kept, number = SIZE_MAX;
    kn_buffer *x, *out, *counted;
    uint64_t on_device = 0;

    fill(kind, n, share);
    count = partition(kind, n);
    kept = others ? n : count;
    x = test_upload_with_room(column, n * size, 0);
    memset(found, 0xa5, n * size);
    out = test_upload_with_room(found, n * size, POISON);
    counted = test_upload_with_room(found, 8, POISON);
    EXPECT_OK((others ? kn_partition : kn_select_if)(queue, x, n, &kind->condition, out, counted,
                                                     test_random(&state) % 2 ? &number : NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, counted, 0, &on_device, 8, &err));
    ck_assert_msg(on_device == count && (number == SIZE_MAX || number == count),
                  "%s, n %zu: %zu and %zu of %zu", kind->condition.type, n, (size_t)on_device, number, count);
    EXPECT_OK(kn_buffer_read(queue, out, 0, found, kept * size, &err));
    for (size_t i = 0; i < kept; i++)
        if (!(memcmp(found + i * size, expected + i * size, size) == 0))
            ck_abort_msg("%s, n %zu, %u of 256, others %d: element %zu of %zu is wrong", kind->condition.type,
                         n, share, others, i, kept);
    test_expect_poison(out, kept * size);
    test_expect_poison(counted, 8);
    EXPECT_OK((others ? kn_host_partition : kn_host_select_if)(
        column, size, n, is_meant, (void *)(uintptr_t)kind, found, &number, NULL, &err));
    ck_assert_msg(number == count && memcmp(found, expected, kept * size) == 0, "%s, n %zu: the host's",
                  kind->condition.type, n);
    kn_buffer_free(x);
    kn_buffer_free(out);
    kn_buffer_free(counted);
}

static void check_kinds(bool others)
{
    static const unsigned shares[] = {0, 1, 128, 255, 256};

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            wanted = &kinds[k];
            if (!is_tried(sizes[i]) || (test_is_slow() && k % 3 && i))
                continue;
            if (sizes[i] * wanted->condition.size <= MOST * 8)
                check(wanted, sizes[i], shares[(i + k) % 5], others);
            if (sizes[i] * wanted->condition.size <= MOST * 8 && !test_is_slow())
                check(wanted, sizes[i], 128, others);
        }
}

START_TEST(selects)
{
    check_kinds(false);
}
END_TEST

START_TEST(partitions)
{
    check_kinds(true);
}
END_TEST

START_TEST(floats)
{
    const float x[] = {1, -1, NAN, -0.0f, 3, INFINITY}, above[] = {1, 3, INFINITY, -1, NAN, -0.0f};
    const kn_condition condition = KN_INIT(kn_condition, .type = "float", .size = 4, .holds = "x > 0");
    kn_buffer *in = test_upload_with_room(x, sizeof x, 0), *out = test_upload_with_room(x, sizeof x, 0);
    size_t count = 0;

    EXPECT_OK(kn_partition(queue, in, 6, &condition, out, NULL, &count, &err));
    ck_assert_uint_eq(count, 3);
    EXPECT_OK(kn_buffer_read(queue, out, 0, found, sizeof x, &err));
    ck_assert_mem_eq(found, above, sizeof above);
    kn_buffer_free(in);
    kn_buffer_free(out);
}
END_TEST

START_TEST(refusals)
{
    const kn_condition good = KN_INIT(kn_condition, .type = "int", .size = 4, .holds = "x > 0");
    kn_buffer *x = test_upload_with_room(column, 40, 0), *out = test_upload_with_room(column, 40, 0);
    size_t count = 7;

    EXPECT_OK(kn_select_if(queue, x, 0, &good, out, NULL, &count, &err));
    ck_assert_uint_eq(count, 0);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10", kn_select_if(queue, x, 11, &good, out, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the input", kn_partition(queue, x, 10, &good, x, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "condition", kn_select_if(queue, x, 10, NULL, out, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "elements of 0 bytes",
                   kn_select_if(queue, x, 10, &KN_INIT(kn_condition, .type = "int", .holds = "x"), out, NULL,
                                NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no directives",
                   kn_select_if(queue, x, 10,
                                &KN_INIT(kn_condition, .type = "int", .size = 4, .holds = "x",
                                         .definitions = "#define A 1"),
                                out, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_BUILD, "the condition 'y > 0'",
                   kn_select_if(queue, x, 10,
                                &KN_INIT(kn_condition, .type = "int", .size = 4, .holds = "y > 0"), out, NULL,
                                NULL, &err));
    EXPECT_REFUSED(KN_ERROR_BUILD, "has_not_the_size",
                   kn_select_if(queue, x, 5,
                                &KN_INIT(kn_condition, .type = "int", .size = 8, .holds = "x > 0"), out, NULL,
                                NULL, &err));
    kn_buffer_free(x);
    kn_buffer_free(out);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {selects, partitions, floats, refusals};

    return test_run("partition", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
