// SPDX-License-Identifier: Apache-2.0
// Tests kn_reduce_by_key: integers and extremes exactly against a loop; sums of floats for equality with the
// host's, which folds run by run where the device scans, against the order written out for short runs, and
// within the bound stated in the header.
#include "runs_support.h"
#include "support/buffers.h"
#include "support/run.h"

#include <koine/host.h>
#include <koine/reduce.h>

enum { MOST = 300007, POISON = 64 };

static unsigned char *keys, *values, *firsts, *sums, *found;
static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("reduce_by_key");
    keys = test_allocate(MOST * 8);
    values = test_allocate(MOST * 8);
    firsts = test_allocate(MOST * 8);
    sums = test_allocate(MOST * 8);
    found = test_allocate(MOST * 8);
}

static void tear_down(void)
{
    free(keys);
    free(values);
    free(firsts);
    free(sums);
    free(found);
    test_close();
}

static const size_t sizes[] = {1,    2,    15,   16,   17,   33,    127,   128,    2047,  2048,
                               2049, 4095, 4096, 4097, 8193, 34816, 65536, 100003, 300007};

static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 1 || n == 17 || n == 2049;
}

// ---- integers ----

static uint64_t widened(const unsigned char *from, size_t i, kn_type type)
{
    size_t size = kn_type_size(type);
    uint64_t bits = 0, sign = (uint64_t)1 << (8 * size - 1);

    memcpy(&bits, from + i * size, size);
    return type % 2 == 0 ? (bits ^ sign) - sign : bits;
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

static size_t reduce_integers(kn_type key_type, kn_type type, size_t n, kn_reduce_op op)
{
    size_t size = kn_type_size(type), count = 0;
    uint64_t all = 0;

    for (size_t i = 0; i < n; i++) {
        if (runs_begin(keys, i, key_type))
            all = widened(values, i, type), count++;
        else
            all = combined(all, widened(values, i, type), type, op);
        memcpy(sums + (count - 1) * size, &all, size);
    }
    return count;
}

// ---- floats ----

static double value_at(const unsigned char *from, size_t i, kn_type type)
{
    float single;
    double value;

    if (type == KN_F64)
        return memcpy(&value, from + i * 8, 8), value;
    return memcpy(&single, from + i * 4, 4), (double)single;
}

static void put(unsigned char *to, size_t i, double value, kn_type type)
{
    float single = (float)value;

    memcpy(to + i * kn_type_size(type), type == KN_F64 ? (void *)&value : (void *)&single,
           kn_type_size(type));
}

static size_t reduce_extremes(kn_type key_type, kn_type type, size_t n, kn_reduce_op op)
{
    size_t count = 0;
    double all = 0;

    for (size_t i = 0; i < n; i++) {
        double value = value_at(values, i, type);
        if (runs_begin(keys, i, key_type))
            all = value, count++;
        else if (isnan(value) || (op == KN_REDUCE_MIN ? value < all : value > all))
            all = isnan(all) ? all : value;
        put(sums, count - 1, all, type);
    }
    return count;
}

// The host's sums, within 40 roundings of the sum of magnitudes for each factor of 2^11.
static size_t reduce_sums(kn_type key_type, kn_type type, size_t n)
{
    long double total = 0, magnitude = 0, unit = type == KN_F64 ? 0x1p-53L : 0x1p-24L;
    size_t count = 0, run = 0;

    EXPECT_OK(kn_host_reduce_by_key(keys, key_type, n, values, type, KN_REDUCE_SUM, firsts, sums, &count,
                                    NULL, &err));
    for (size_t i = 0; i < n; i++) {
        total += (long double)value_at(values, i, type);
        magnitude += fabsl((long double)value_at(values, i, type));
        if (i + 1 == n || runs_begin(keys, i + 1, key_type)) {
            if (!(fabsl((long double)value_at(sums, run, type) - total) <= 80 * unit * magnitude))
                ck_abort_msg("%s, n %zu: the sum of run %zu is %.17g, expected %.17Lg", kn_type_name(type), n,
                             run, value_at(sums, run, type), total);
            total = magnitude = 0;
            run++;
        }
    }
    ck_assert_uint_eq(run, count);
    return count;
}

// ---- on the device ----

static kn_buffer *poisoned(size_t n, size_t size)
{
    memset(found, 0xa5, n * size);
    return test_upload_with_room(found, n * size, POISON);
}

static void expect(kn_buffer *buffer, const void *expected, size_t count, kn_type type, const char *what)
{
    size_t size = kn_type_size(type);

    EXPECT_OK(kn_buffer_read(queue, buffer, 0, found, count * size, &err));
    for (size_t i = 0; i < count; i++) {
        bool both_nan =
            type >= KN_F32 && isnan(value_at(found, i, type)) && isnan(value_at(expected, i, type));
        if (!both_nan && memcmp(found + i * size, (const char *)expected + i * size, size) != 0)
            ck_abort_msg("%s: element %zu of %zu is wrong", what, i, count);
    }
    test_expect_poison(buffer, count * size);
    kn_buffer_free(buffer);
}

// Writes the first keys of all runs to firsts[].
static void find_firsts(kn_type type, size_t n)
{
    size_t size = kn_type_size(type), count = 0;

    for (size_t i = 0; i < n; i++)
        if (runs_begin(keys, i, type))
            memcpy(firsts + count++ * size, keys + i * size, size);
}

static void check(kn_type key_type, kn_type type, size_t n, size_t length, kn_reduce_op op)
{
    size_t size = kn_type_size(type), key_size = kn_type_size(key_type), count, number = SIZE_MAX;
    kn_buffer *in = test_upload_with_room(keys, n * key_size, 0);
    kn_buffer *values_in = test_upload_with_room(values, n * size, 0);
    kn_buffer *out = poisoned(n, key_size), *results = poisoned(n, size);
    char what[128];

    snprintf(what, sizeof what, "%s by %s, n %zu, runs of %zu, operation %d", kn_type_name(type),
             kn_type_name(key_type), n, length, (int)op);
    EXPECT_OK(
        kn_reduce_by_key(queue, in, key_type, n, values_in, type, op, out, results, NULL, &number, &err));
    count = type < KN_F32         ? reduce_integers(key_type, type, n, op)
            : op == KN_REDUCE_SUM ? reduce_sums(key_type, type, n)
                                  : reduce_extremes(key_type, type, n, op);
    find_firsts(key_type, n);
    ck_assert_msg(number == count, "%s: %zu of %zu", what, number, count);
    expect(out, firsts, count, key_type, what);
    expect(results, sums, count, type, what);
    // The host's result, in the memory of the keys and values that are no longer needed.
    if (type < KN_F32 || op != KN_REDUCE_SUM) {
        unsigned char *host_keys = test_allocate(n * key_size), *host_sums = test_allocate(n * size);
        EXPECT_OK(kn_host_reduce_by_key(keys, key_type, n, values, type, op, host_keys, host_sums, &number,
                                        NULL, &err));
        ck_assert_msg(number == count && memcmp(host_keys, firsts, count * key_size) == 0,
                      "%s: the host's keys", what);
        for (size_t i = 0; i < count; i++)
            if (!(memcmp(host_sums + i * size, sums + i * size, size) == 0 ||
                  (type >= KN_F32 && isnan(value_at(host_sums, i, type)) && isnan(value_at(sums, i, type)))))
                ck_abort_msg("%s: the host's result %zu", what, i);
        free(host_keys);
        free(host_sums);
    }
    kn_buffer_free(in);
    kn_buffer_free(values_in);
}

static void fill_values(kn_type type, size_t n, kn_reduce_op op)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(&state);
        if (type < KN_F32)
            memcpy(values + i * kn_type_size(type), &bits, kn_type_size(type));
        else if (op != KN_REDUCE_SUM && bits % 500 == 0)
            put(values, i, NAN, type);
        else
            put(values, i, ldexp(test_uniform(&state) - 0.4, (int)(bits % 20)), type);
    }
}

static void check_types(kn_type first, kn_type last)
{
    for (kn_type type = first; type <= last; type++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && test_takes(type); k++)
            for (size_t l = 0; l < 4; l++) {
                // One type of keys, and two operations for each: every pair is a separate program.
                kn_type key_type = (kn_type)((type + 3) % 9);
                kn_reduce_op op = (k + l) % 2 ? KN_REDUCE_SUM : (kn_reduce_op)(1 + type % 3);
                if (!is_tried(sizes[k]) || (test_is_slow() && (l + k + type) % 4))
                    continue;
                if (type >= KN_F32 && op == KN_REDUCE_PRODUCT)
                    op = KN_REDUCE_MIN;
                runs_fill(keys, key_type, sizes[k], runs_lengths[l], &state);
                fill_values(type, sizes[k], op);
                check(key_type, type, sizes[k], runs_lengths[l], op);
            }
}

START_TEST(narrow_integers)
{
    check_types(KN_I8, KN_U16);
}
END_TEST

START_TEST(wide_integers)
{
    check_types(KN_I32, KN_U64);
}
END_TEST

START_TEST(floats)
{
    check_types(KN_F32, KN_F64);
}
END_TEST

static float in_order(const float *x, size_t from, size_t to)
{
    float all = x[from];

    for (size_t i = from + 1; i < to; i++)
        all += x[i];
    return all;
}

// Runs from 3 to 37, to 96, to 101, in the order described in cl/algo/reduce_by_key.cl.
START_TEST(order_as_described)
{
    float x[101], expected[4];
    size_t ends[] = {3, 37, 96, 101};

    for (size_t i = 0, run = 0; i < 101; i++) {
        run += i == ends[run];
        x[i] = (float)ldexp(test_uniform(&state), (int)(test_random(&state) % 20));
        ((uint32_t *)(void *)keys)[i] = (uint32_t)run;
    }
    memcpy(values, x, sizeof x);
    expected[0] = in_order(x, 0, 3);
    expected[1] = in_order(x, 3, 16) + in_order(x, 16, 32) + in_order(x, 32, 37);
    // Of leaves 0 to 7, 2 and 3 are in the left half, 4 and 5 in the right one.
    expected[2] = (in_order(x, 37, 48) + in_order(x, 48, 64)) + (in_order(x, 64, 80) + in_order(x, 80, 96));
    expected[3] = in_order(x, 96, 101);
    check(KN_U32, KN_F32, 101, 0, KN_REDUCE_SUM);
    ck_assert_mem_eq(sums, expected, sizeof expected);
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *x = poisoned(10, 4), *y = poisoned(10, 4), *out = poisoned(10, 4), *small = poisoned(1, 4);
    kn_buffer *results = poisoned(10, 4);
    size_t count = 3;

    EXPECT_OK(
        kn_reduce_by_key(queue, x, KN_I32, 0, y, KN_I32, KN_REDUCE_SUM, out, results, NULL, &count, &err));
    ck_assert_uint_eq(count, 0);
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "no operation",
        kn_reduce_by_key(queue, x, KN_I32, 10, y, KN_I32, (kn_reduce_op)4, out, results, NULL, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "(values)",
        kn_reduce_by_key(queue, x, KN_I32, 14, y, KN_I64, KN_REDUCE_SUM, out, results, NULL, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "two buffers",
        kn_reduce_by_key(queue, x, KN_I32, 10, y, KN_I32, KN_REDUCE_SUM, out, out, NULL, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "results holds",
        kn_reduce_by_key(queue, x, KN_I16, 18, y, KN_I32, KN_REDUCE_SUM, out, small, NULL, NULL, &err));
    kn_buffer_free(x);
    kn_buffer_free(y);
    kn_buffer_free(out);
    kn_buffer_free(small);
    kn_buffer_free(results);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {narrow_integers, wide_integers, floats, order_as_described, refusals};

    return test_run("reduce_by_key", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
