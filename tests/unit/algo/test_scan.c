// SPDX-License-Identifier: Apache-2.0
// Tests kn_scan and kn_scan_with: integers exactly, floats for equality with the order of cl/algo/scan.cl,
// written here as in its description.
#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

enum { MOST = 300007, RUNS = 256 };

static const kn_type integers[] = {KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64};
#define INTEGERS (sizeof integers / sizeof *integers)

static unsigned char *packed, *found;
static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("scan");
    packed = malloc(MOST * 8);
    found = malloc(MOST * 8);
    ck_assert(packed && found);
}

static void tear_down(void)
{
    free(packed);
    free(found);
    test_close();
}

static const size_t sizes[] = {1,    2,    3,    31,   32,   33,    255,   256,   257,    2047,  2048,
                               2049, 4095, 4096, 4097, 8193, 65535, 65536, 65537, 100003, 300007};

static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 3 || n == 257 || n == 4097;
}

static void random_bits(kn_type type, size_t n)
{
    size_t size = kn_type_size(type);

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(&state);
        memcpy(packed + i * size, &bits, size);
    }
}

// Scans packed[] into found[], in place or into a poisoned buffer; nothing past element n may be written.
static void scan(kn_type type, size_t n, kn_reduce_op op, kn_scan_kind kind, const kn_combine *how)
{
    size_t bytes = n * kn_type_size(type);
    bool in_place = test_random(&state) % 2;
    kn_buffer *x = test_upload_with_room(packed, bytes, 64), *out = x;

    memset(found, 0xa5, bytes);
    if (!in_place)
        out = test_upload_with_room(found, bytes, 64);
    if (how)
        EXPECT_OK(kn_scan_with(queue, x, type, n, how, kind, out, &err));
    else
        EXPECT_OK(kn_scan(queue, x, type, n, op, kind, out, &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, found, bytes, &err));
    test_expect_poison(out, bytes);
    if (!in_place)
        kn_buffer_free(out);
    kn_buffer_free(x);
}

// ---- integers ----

static uint64_t widened(const unsigned char *from, size_t i, kn_type type)
{
    size_t size = kn_type_size(type);
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * size - 1);

    memcpy(&bits, from + i * size, size);
    return type % 2 == 0 ? (bits ^ sign) - sign : bits;
}

// Truncated to the type and widened again.
static uint64_t as_kept(uint64_t value, kn_type type)
{
    unsigned char cell[8];

    memcpy(cell, &value, sizeof cell);
    return widened(cell, 0, type);
}

static uint64_t combined(uint64_t a, uint64_t b, kn_type type, kn_reduce_op op)
{
    bool less = type % 2 == 0 ? (int64_t)a < (int64_t)b : a < b;
    const uint64_t results[] = {[KN_REDUCE_SUM] = a + b,
                                [KN_REDUCE_PRODUCT] = a * b,
                                [KN_REDUCE_MIN] = less ? a : b,
                                [KN_REDUCE_MAX] = less ? b : a};

    return results[op];
}

static uint64_t identity(kn_type type, kn_reduce_op op)
{
    uint64_t sign = (uint64_t)1 << (8 * kn_type_size(type) - 1);
    bool is_signed = type % 2 == 0;
    const uint64_t results[] = {[KN_REDUCE_SUM] = 0,
                                [KN_REDUCE_PRODUCT] = 1,
                                [KN_REDUCE_MIN] = is_signed ? sign - 1 : 2 * sign - 1,
                                [KN_REDUCE_MAX] = is_signed ? -sign : 0};

    return results[op];
}

static void expect_integers(kn_type type, size_t n, kn_reduce_op op, kn_scan_kind kind)
{
    size_t size = kn_type_size(type);
    uint64_t before = identity(type, op);

    random_bits(type, n);
    scan(type, n, op, kind, NULL);
    for (size_t i = 0; i < n; i++) {
        uint64_t after = combined(before, widened(packed, i, type), type, op);
        uint64_t expected = kind == KN_SCAN_EXCLUSIVE ? before : after;
        ck_assert_msg(memcmp(found + i * size, &expected, size) == 0,
                      "%s, n %zu, operation %d, kind %d: element %zu is %llx, expected %llx",
                      kn_type_name(type), n, op, kind, i, (unsigned long long)widened(found, i, type),
                      (unsigned long long)expected);
        before = as_kept(after, type);
    }
}

static void check_integers(size_t from, size_t to)
{
    for (size_t t = from; t < to; t++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            if (is_tried(sizes[k]))
                expect_integers(integers[t], sizes[k], (kn_reduce_op)(k % 4),
                                (kn_scan_kind)(test_random(&state) % 2));
}

START_TEST(narrow_integers)
{
    check_integers(0, 4);
}
END_TEST

START_TEST(wide_integers)
{
    check_integers(4, INTEGERS);
}
END_TEST

// ---- floats ----

struct order {
    kn_type type;
    size_t run;
    bool product;
};

static double take_up(const struct order *order, double a, double b)
{
    if (order->product)
        return order->type == KN_F32 ? (double)((float)a * (float)b) : a * b;
    return order->type == KN_F32 ? (double)((float)a + (float)b) : a + b;
}

static double pair_total(const struct order *order, const double *totals, size_t count)
{
    return count == 1 ? totals[0]
                      : take_up(order, pair_total(order, totals, count / 2),
                                pair_total(order, totals + count / 2, count / 2));
}

// The totals of a block's runs; missing elements change nothing.
static void run_totals(const struct order *order, const double *x, size_t n, double totals[RUNS])
{
    for (size_t r = 0; r < RUNS; r++) {
        totals[r] = r * order->run < n ? x[r * order->run] : order->product;
        for (size_t i = 1; i < order->run; i++)
            totals[r] =
                take_up(order, totals[r], r * order->run + i < n ? x[r * order->run + i] : order->product);
    }
}

static void expected_scan(const struct order *order, const double *x, size_t n, bool exclusive, double *out)
{
    size_t block = RUNS * order->run, blocks = (n + block - 1) / block;
    double *totals = malloc((blocks + 1) * sizeof *totals);
    double runs[RUNS], next[RUNS];

    ck_assert_ptr_nonnull(totals);
    for (size_t b = 0; b < blocks && blocks > 1; b++) {
        run_totals(order, x + b * block, n - b * block, runs);
        totals[b] = pair_total(order, runs, RUNS);
    }
    if (blocks > 1)
        expected_scan(order, totals, blocks, true, totals);
    for (size_t b = 0; b < blocks; b++) {
        run_totals(order, x + b * block, n - b * block, runs);
        for (size_t distance = 1; distance < RUNS; distance *= 2) { // Hillis and Steele
            for (size_t r = 0; r < RUNS; r++)
                next[r] = r >= distance ? take_up(order, runs[r - distance], runs[r]) : runs[r];
            memcpy(runs, next, sizeof runs);
        }
        for (size_t r = 0; r < RUNS; r++) {
            double before = r ? runs[r - 1] : order->product;
            if (blocks > 1)
                before = take_up(order, totals[b], before);
            for (size_t i = b * block + r * order->run; i < b * block + (r + 1) * order->run && i < n; i++) {
                double after = take_up(order, before, x[i]);
                out[i] = exclusive ? before : after;
                before = after;
            }
        }
    }
    free(totals);
}

static double float_at(const unsigned char *from, size_t i, kn_type type)
{
    return type == KN_F32 ? (double)((const float *)(const void *)from)[i]
                          : ((const double *)(const void *)from)[i];
}

// Factors are near 1, so that no product exceeds the range of the type.
static void expect_floats(kn_type type, size_t n, bool exclusive, bool product)
{
    const struct order order = {type, type == KN_F64 ? 8 : 16, product};
    const kn_combine factors = KN_INIT(kn_combine, .combine = "b > 0 ? a * b : a", .identity = "1");
    double *x = calloc(n, sizeof *x), *expected = calloc(n, sizeof *expected);

    ck_assert(x && expected);
    for (size_t i = 0; i < n; i++) {
        x[i] = product ? 0.99 + 0.02 * test_uniform(&state)
                       : ldexp(test_uniform(&state) - 0.4, (int)(test_random(&state) % 20));
        if (type == KN_F32) {
            ((float *)(void *)packed)[i] = (float)x[i];
            x[i] = (double)(float)x[i];
        } else {
            ((double *)(void *)packed)[i] = x[i];
        }
    }
    expected_scan(&order, x, n, exclusive, expected);
    scan(type, n, KN_REDUCE_SUM, exclusive ? KN_SCAN_EXCLUSIVE : KN_SCAN_INCLUSIVE,
         product ? &factors : NULL);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(float_at(found, i, type) == expected[i],
                      "%s, n %zu: element %zu is %.17g, expected %.17g", kn_type_name(type), n, i,
                      float_at(found, i, type), expected[i]);
    free(x);
    free(expected);
}

START_TEST(floats_to_the_bit)
{
    for (int type = KN_F32; type <= KN_F64; type++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && test_takes((kn_type)type); k++)
            if (is_tried(sizes[k])) {
                expect_floats((kn_type)type, sizes[k], false, k % 2);
                expect_floats((kn_type)type, sizes[k], true, k % 2);
                expect_floats((kn_type)type, sizes[k], true, k % 2 == 0);
            }
}
END_TEST

// ---- snippets ----

// The last element that is not 0: an operation that is associative, but not commutative.
START_TEST(not_commutative)
{
    static const kn_combine last = {
        .struct_size = sizeof(kn_combine), .combine = "b ? b : a", .identity = "0", .map = "x & 1 ? x : 0"};
    const size_t n = test_is_slow() ? 300 : 100003;
    uint32_t carried = 0;

    random_bits(KN_U32, n);
    scan(KN_U32, n, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, &last);
    for (size_t i = 0; i < n; i++) {
        uint32_t value = (uint32_t)widened(packed, i, KN_U32);
        carried = value & 1 ? value : carried;
        ck_assert_uint_eq(widened(found, i, KN_U32), carried);
    }
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *x = test_upload_with_room(packed, 40, 0);
    kn_buffer *small = test_upload_with_room(packed, 20, 0);
    kn_context_options parts = KN_INIT(kn_context_options, .max_alloc = 4096);

    EXPECT_OK(kn_scan(queue, x, KN_I32, 0, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, x, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10",
                   kn_scan(queue, x, KN_I32, 11, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, x, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 5",
                   kn_scan(queue, x, KN_I32, 10, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, small, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no operation",
                   kn_scan(queue, x, KN_I32, 10, (kn_reduce_op)4, KN_SCAN_INCLUSIVE, x, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no kind",
                   kn_scan(queue, x, KN_I32, 10, KN_REDUCE_SUM, (kn_scan_kind)2, x, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "identity",
        kn_scan_with(queue, x, KN_I32, 10, &KN_INIT(kn_combine, .combine = "a"), KN_SCAN_INCLUSIVE, x, &err));
    kn_buffer_free(x);
    x = NULL;
    kn_buffer_free(small);
    test_close();
    test_open_with(&parts);
    EXPECT_OK(kn_buffer_create(context, 5000, &x, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts",
                   kn_scan(queue, x, KN_I32, 10, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, x, &err));
    kn_buffer_free(x);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {narrow_integers, wide_integers, floats_to_the_bit, not_commutative,
                                  refusals};

    return test_run("scan", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
