// SPDX-License-Identifier: Apache-2.0
// Tests kn_histogram and kn_histogram_even against a search through the edges for each element, and against
// the host's functions.
#include <math.h>

#include "support/buffers.h"
#include "support/run.h"

#include <koine/histogram.h>
#include <koine/host.h>

enum { MOST = 100003, MOST_BINS = 70000, POISON = 64 };

static unsigned char *column;
static uint64_t *expected, *found, state;
static double *edges;

static void set_up(void)
{
    test_open();
    state = test_seed("histogram");
    column = test_allocate(MOST * 8);
    expected = test_allocate(MOST_BINS * 8);
    found = test_allocate(MOST_BINS * 8);
    edges = test_allocate((MOST_BINS + 1) * 8);
}

static void tear_down(void)
{
    free(column);
    free(expected);
    free(found);
    free(edges);
    test_close();
}

static long double value_at(size_t i, kn_type type)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } x;

    memcpy(&x, column + i * kn_type_size(type), kn_type_size(type));
    const long double values[] = {[KN_I8] = x.i8,
                                  [KN_U8] = x.u8,
                                  [KN_I16] = x.i16,
                                  [KN_U16] = x.u16,
                                  [KN_I32] = x.i32,
                                  [KN_U32] = x.u32,
                                  [KN_I64] = x.i64,
                                  [KN_U64] = x.u64,
                                  [KN_F32] = (long double)x.f32,
                                  [KN_F64] = (long double)x.f64};
    return values[type];
}

// edges[0..bins], in long double, which can represent all 64-bit integers and all doubles.
static void count(kn_type type, size_t n, size_t bins)
{
    memset(expected, 0, bins * sizeof *expected);
    for (size_t i = 0; i < n; i++) {
        long double value = value_at(i, type);
        size_t low = 0, high = bins + 1; // number of edges that are not above it
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (value >= (long double)edges[middle] && middle <= bins)
                low = middle + 1;
            else
                high = middle;
        }
        if (value == (long double)edges[bins])
            low = bins;
        if (low >= 1 && low <= bins)
            expected[low - 1]++;
    }
}

static kn_buffer *poisoned(size_t bins)
{
    memset(found, 0xa5, bins * sizeof *found);
    return test_upload_with_room(found, bins * sizeof *found, POISON);
}

static void expect(kn_buffer *counts, kn_type type, size_t n, size_t bins, const char *what)
{
    EXPECT_OK(kn_buffer_read(queue, counts, 0, found, bins * sizeof *found, &err));
    for (size_t i = 0; i < bins; i++)
        if (!(found[i] == expected[i]))
            ck_abort_msg("%s, %s, n %zu, bin %zu of %zu: %zu, expected %zu", what, kn_type_name(type), n, i,
                         bins, (size_t)found[i], (size_t)expected[i]);
    test_expect_poison(counts, bins * sizeof *found);
    kn_buffer_free(counts);
}

static void expect_host(kn_type type, size_t n, size_t bins, const char *what)
{
    ck_assert_msg(memcmp(found, expected, bins * sizeof *found) == 0, "%s, %s, n %zu, %zu bins: the host's",
                  what, kn_type_name(type), n, bins);
}

static void check_edges(kn_type type, size_t n, size_t bins)
{
    kn_buffer *x = test_upload_with_room(column, n * kn_type_size(type), 0), *counts = poisoned(bins);

    count(type, n, bins);
    EXPECT_OK(kn_histogram(queue, x, type, n, edges, bins, counts, &err));
    expect(counts, type, n, bins, "edges");
    EXPECT_OK(kn_host_histogram(column, type, n, edges, bins, found, NULL, &err));
    expect_host(type, n, bins, "edges");
    kn_buffer_free(x);
}

static void check_even(kn_type type, size_t n, double low, double high, size_t bins)
{
    kn_buffer *x = test_upload_with_room(column, n * kn_type_size(type), 0), *counts = poisoned(bins);
    double step = (high - low) / (double)bins;
    char what[96];

    snprintf(what, sizeof what, "from %g to %g", low, high);
    for (size_t i = 0; i < bins; i++)
        edges[i] = (double)i * step + low;
    edges[bins] = high;
    count(type, n, bins);
    EXPECT_OK(kn_histogram_even(queue, x, type, n, low, high, bins, counts, &err));
    expect(counts, type, n, bins, what);
    EXPECT_OK(kn_host_histogram_even(column, type, n, low, high, bins, found, NULL, &err));
    expect_host(type, n, bins, what);
    kn_buffer_free(x);
}

// Integers: random bits, or small ones; floats near 0..100, many of them integers, some NaN, infinite or
// zero.
static void fill(kn_type type, size_t n, bool any)
{
    size_t size = kn_type_size(type);
    const double special[] = {NAN, INFINITY, -INFINITY, -0.0, 0, -NAN, 100, 1e-310};

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = test_random(&state);
        double value = test_uniform(&state) * 110 - 5;
        if (bits % 8 == 0)
            value = special[bits / 8 % 8];
        else if (bits % 8 < 4)
            value = floor(value);
        float single = (float)value;
        int64_t small = (int64_t)value;
        if (type < KN_F32)
            bits = any ? bits : isfinite(value) ? (uint64_t)small : 0;
        else if (!any)
            memcpy(&bits, type == KN_F32 ? (void *)&single : (void *)&value, size);
        memcpy(column + i * size, &bits, size);
    }
}

static const size_t sizes[] = {1, 255, 256, 257, 4099, 16384, 100003};

static bool is_tried(size_t n)
{
    return !test_is_slow() || n == 257;
}

static void check_type(kn_type type)
{
    static const size_t bins[] = {1, 100, 256, 1023};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
            // Every number of bins needs a separate program.
            if (!is_tried(sizes[i]) || (b + type) % 2)
                continue;
            fill(type, sizes[i], false);
            check_even(type, sizes[i], 0, 100, bins[b]);
            check_even(type, sizes[i], -3.7, 1e4 / 3, bins[b]);
            if (i % 2) {
                check_even(type, sizes[i], 0.1, 0.3, bins[b]);
            } else {
                fill(type, sizes[i], true);
                check_even(type, sizes[i], -1e9, 0x1p32, bins[b]);
                check_even(type, sizes[i], -0x1p63, 0x1p64, bins[b]);
            }
        }
}

START_TEST(even_integers)
{
    for (kn_type type = KN_I8; type <= KN_U64; type++)
        check_type(type);
}
END_TEST

START_TEST(even_floats)
{
    for (kn_type type = KN_F32; type <= KN_F64; type++)
        if (test_takes(type))
            check_type(type);
}
END_TEST

static int by_value(const void *a, const void *b)
{
    return test_by_value(a, b);
}

// Random edges, some of them equal, some infinite; and some beyond all elements.
START_TEST(given_edges)
{
    static const size_t bins[] = {1, 3, 64, 999}; // every number needs a separate program

    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && test_takes(type); i++)
            for (size_t b = 0; b < sizeof bins / sizeof *bins; b++) {
                if (!is_tried(sizes[i]) || (b + type) % 4)
                    continue;
                bool any = i % 2;
                fill(type, sizes[i], any);
                for (size_t k = 0; k <= bins[b]; k++) {
                    edges[k] = any ? (test_uniform(&state) - 0.4) * ldexp(1, (int)(test_random(&state) % 66))
                                   : test_uniform(&state) * 120 - 10;
                    if (test_random(&state) % 3 == 0)
                        edges[k] = floor(edges[k]);
                }
                qsort(edges, bins[b] + 1, sizeof *edges, by_value);
                if (i % 3 == 0) {
                    edges[0] = -INFINITY;
                    edges[bins[b]] = INFINITY;
                }
                check_edges(type, sizes[i], bins[b]);
            }
}
END_TEST

// More bins than fit into local memory.
START_TEST(many_bins)
{
    static const size_t many[] = {5000, 20011, 70000};

    for (size_t b = 0; b < 3 && (b == 0 || !test_is_slow()); b++) {
        size_t n = test_is_slow() ? 257 : MOST;
        fill(KN_F32, n, false);
        check_even(KN_F32, n, -2, 99, many[b]);
        fill(KN_U32, n, true);
        check_even(KN_U32, n, 0, 0x1p32, many[b]);
        check_edges(KN_U32, n, many[b]);
    }
}
END_TEST

START_TEST(last_bin_is_closed)
{
    const float x[] = {0, 0.5f, 1, 1, 2, 2, 2, -0.0f, 2.0000002f, -1e-45f, NAN};
    const double three[] = {0, 1, 2, 2};
    uint64_t zero_width[] = {3, 2, 3}, two[] = {3, 5};
    kn_buffer *in = test_upload_with_room(x, sizeof x, 0), *counts = poisoned(3);

    EXPECT_OK(kn_histogram(queue, in, KN_F32, 11, three, 3, counts, &err));
    memcpy(expected, zero_width, sizeof zero_width);
    expect(counts, KN_F32, 11, 3, "a bin of no width");
    counts = poisoned(2);
    EXPECT_OK(kn_histogram_even(queue, in, KN_F32, 11, 0, 2, 2, counts, &err));
    memcpy(expected, two, sizeof two);
    expect(counts, KN_F32, 11, 2, "two bins");
    kn_buffer_free(in);
}
END_TEST

// A column in several parts is counted part by part.
START_TEST(parts)
{
    kn_context_options options = KN_INIT(kn_context_options, .max_alloc = 65536);
    size_t n = test_is_slow() ? 20000 : 100003;
    kn_buffer *x = NULL;

    test_close();
    test_open_with(&options);
    fill(KN_U32, n, true);
    EXPECT_OK(kn_buffer_create(context, n * 4, &x, &err));
    ck_assert_uint_gt(kn_buffer_get_part_count(x), 1);
    EXPECT_OK(kn_buffer_write(queue, x, 0, column, n * 4, &err));
    for (size_t i = 0; i <= 100; i++)
        edges[i] = (double)i * 4e7;
    count(KN_U32, n, 100);
    kn_buffer *counts = poisoned(100);
    EXPECT_OK(kn_histogram(queue, x, KN_U32, n, edges, 100, counts, &err));
    expect(counts, KN_U32, n, 100, "parts");
    kn_buffer_free(x);
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *x = poisoned(10), *counts = poisoned(4);
    const double falling[] = {0, 2, 1}, not_a_number[] = {0, NAN, 1};

    memset(expected, 0, 4 * sizeof *expected);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no bins",
                   kn_histogram(queue, x, KN_I32, 10, falling, 0, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "edge 2 is 1, below",
                   kn_histogram(queue, x, KN_I32, 10, falling, 2, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "edge 1 is",
                   kn_histogram(queue, x, KN_I32, 10, not_a_number, 2, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "edges is NULL",
                   kn_histogram(queue, x, KN_I32, 10, NULL, 2, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "lower one",
                   kn_histogram_even(queue, x, KN_I32, 10, 1, 1, 2, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "lower one",
                   kn_histogram_even(queue, x, KN_I32, 10, 0, INFINITY, 2, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "counts holds",
                   kn_histogram_even(queue, x, KN_I32, 10, 0, 1, 1000, counts, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "or the input",
                   kn_histogram_even(queue, x, KN_I32, 10, 0, 1, 2, x, &err));
    EXPECT_OK(kn_histogram_even(queue, x, KN_I32, 0, 0, 1, 4, counts, &err));
    expect(counts, KN_I32, 0, 4, "nothing");
    counts = poisoned(4);
    EXPECT_OK(kn_histogram_even(queue, x, KN_U8, 10, 1000, 2000, 4, counts, &err));
    expect(counts, KN_U8, 10, 4, "bins that no element can be in");
    kn_buffer_free(x);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {even_integers,      even_floats, given_edges, many_bins,
                                  last_bin_is_closed, parts,       refusals};

    return test_run("histogram", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
