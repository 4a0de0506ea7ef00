// SPDX-License-Identifier: Apache-2.0
// All variants of a column, with every method, against the reference: mean, std and CV to the bit, median and
// MAD exactly. What ran is asked of the column and of the queue's profile.
#include "../device_support.h"
#include "tree.h"

#include <float.h>
#include <math.h>

#include "../../../src/app/stats/bytes.h"
#include "../../../src/app/stats/column_own.h"
#include "../../../src/base/array.h"
#include "../../../src/io/csv.h"

static uint64_t state;
static kn_host_level best;

static void set_up(void)
{
    const kn_host_options options = {0};
    struct host_plan plan;

    test_open();
    if (test_is_slow()) // smaller blocks to sort
        context->device.info.max_work_group = 32;
    EXPECT_OK(host_plan("test", KN_F64, &options, &plan, &err));
    best = plan.level;
    state = test_seed("stats_variants");
}

// How a column is computed: a variant, and which of the vectors it may use.
struct way {
    enum stats_variant variant;
    kn_host_level level;
    unsigned threads;
};

static const struct way ways[] = {
    {STATS_SERIAL, KN_HOST_SCALAR, 0},
    {STATS_VECTORIZED, KN_HOST_AVX2, 0},
    {STATS_VECTORIZED, KN_HOST_AVX512, 0},
    {STATS_PARALLEL, KN_HOST_SCALAR, 3},
    {STATS_PARALLEL_VECTORIZED, KN_HOST_AVX2, 5},
    {STATS_PARALLEL_VECTORIZED, KN_HOST_AVX512, 2},
    {STATS_GPU, KN_HOST_AUTO, 0}, // the last
};

static bool can_run(const struct way *way, bool single)
{
#ifndef _OPENMP
    if (way->threads)
        return false;
#endif
    return way->variant == STATS_GPU ? single || context->device.info.fp64 : way->level <= best;
}

static struct stats_column *open_way(const struct way *way, enum stats_method method, bool single,
                                     const double *x, size_t n)
{
    const struct stats_options options = {
        .single = single, .mad_scale = 1, .method = method, .threads = way->threads};
    struct stats_column *column = NULL;

    test_prepare_numbers();
    EXPECT_OK(stats_column_open(way->variant, way->variant == STATS_GPU ? queue : NULL, x, n, &options,
                                &column, &err));
    if (way->variant != STATS_GPU)
        column->plan.level = way->level;
    return column;
}

// ---- what is expected ----

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

// The reference; with STATS_SORT the sums are those of the sorted column.
static struct stats_result expected_of(const double *x, size_t n, enum stats_method method, bool single)
{
    const struct stats_options options = {.single = single, .mad_scale = 1};
    double shift = stats_shift(x, n, single);
    struct stats_result expected;

    EXPECT_OK(stats_reference(x, n, &options, &expected, &err));
    if (method != STATS_SORT || n == 0 || stats_holds_nan(x, n))
        return expected;
    double *sorted = malloc(n * sizeof *sorted);
    ck_assert_ptr_nonnull(sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = single ? (double)(float)x[i] : x[i];
    qsort(sorted, n, sizeof *sorted, compare);
    stats_moments(tree_of(sorted, n, shift), shift, n, &expected);
    free(sorted);
    return expected;
}

static void expect_value(double found, double expected, const char *what, const char *where)
{
    ck_assert_msg(test_same(found, expected), "%s: %s %.17g, expected %.17g", where, what, found, expected);
}

static void expect_medians(const struct stats_result *found, const struct stats_result *expected,
                           const char *where)
{
    ck_assert_msg(found->n == expected->n, "%s: n %zu, expected %zu", where, found->n, expected->n);
    expect_value(found->median, expected->median, "median", where);
    expect_value(found->mad, expected->mad, "MAD", where);
}

static void expect_all(const struct stats_result *found, const struct stats_result *expected,
                       const char *where)
{
    expect_medians(found, expected, where);
    expect_value(found->mean, expected->mean, "mean", where);
    expect_value(found->std, expected->std, "std", where);
    expect_value(found->cv, expected->cv, "CV", where);
}

// ---- what ran ----

static void expect_ran(const struct stats_column *column, const struct way *way, enum stats_method method,
                       size_t n)
{
    const struct stats_ran *ran = &column->ran;
    unsigned most = way->threads ? way->threads : 1;

    ck_assert_int_eq(stats_column_method(column), method);
    if (method == STATS_FUSED)
        ck_assert_int_eq(ran->robust, stats_column_in_bytes(column) ? KN_ROBUST_COUNTED
                                      : ran->missed                 ? KN_ROBUST_SELECT
                                                                    : KN_ROBUST_FUSED);
    if (method == STATS_SELECT && way->variant == STATS_GPU)
        ck_assert_int_eq(ran->robust, KN_ROBUST_SELECT);
    if (way->variant == STATS_GPU)
        return;
    ck_assert_int_eq(ran->level, way->level);
    ck_assert_uint_le(ran->threads, most);
    if (method == STATS_SORT) {
        ck_assert_int_eq(ran->merges.level, way->level);
        ck_assert(n < 300000 || ran->merges.threads == most);
        ck_assert((ran->merges.cut > 0) == (n >= 300000 && most > 1) || n < 300000);
    }
    ck_assert_int_eq(ran->own_select, method == STATS_SELECT && way->variant == STATS_SERIAL);
}

// ---- columns ----

static void expect_way(const struct way *way, enum stats_method method, bool single, const double *x,
                       size_t n, const struct stats_result *expected)
{
    char where[128];
    struct stats_result found;
    struct stats_column *column = open_way(way, method, single, x, n);

    snprintf(where, sizeof where, "%s, level %d, %s, %s, %zu elements", stats_variant_names[way->variant],
             (int)way->level, stats_method_names[method], single ? "float" : "double", n);
    for (int repetition = 0; repetition < 2; repetition++) {
        EXPECT_OK(stats_column_compute(column, n, &found, &err));
        expect_all(&found, expected, where);
        if (n > 0 && column->numbers == n)
            expect_ran(column, way, method, n);
    }
    stats_column_close(column);
}

// Sums computed in integers, as on a device without double precision.
static void expect_soft(const struct way *way, enum stats_method method, const double *x, size_t n,
                        const struct stats_result *expected)
{
    const int fp64 = context->device.info.fp64;

    context->device.info.fp64 = 0;
    expect_way(way, method, true, x, n, expected);
    context->device.info.fp64 = fp64;
}

static const enum stats_method methods[] = {STATS_SORT, STATS_SELECT, STATS_FUSED};

static void expect_column(const double *x, size_t n)
{
    for (size_t m = 0; m < KN_COUNT(methods); m++)
        for (int single = 0; single < 2; single++) {
            struct stats_result expected = expected_of(x, n, methods[m], single);
            for (size_t w = 0; w < KN_COUNT(ways); w++)
                if (can_run(&ways[w], single))
                    expect_way(&ways[w], methods[m], single, x, n, &expected);
            if (single && context->device.info.fp64 && can_run(&ways[KN_COUNT(ways) - 1], true))
                expect_soft(&ways[KN_COUNT(ways) - 1], methods[m], x, n, &expected);
        }
}

static double random_element(int kind)
{
    switch (kind) {
    case 0:
        return (double)(test_random(&state) % 21) - 10;
    case 1:
        return test_uniform(&state);
    case 2:
        return 1e6 + test_uniform(&state);
    case 3:
        return test_random(&state) % 100 ? 0.1 : test_uniform(&state);
    default:
        return ldexp(test_uniform(&state) - 0.3, (int)(test_random(&state) % 20));
    }
}

START_TEST(random_columns)
{
    static const size_t sizes[] = {1,    2,    3,    4,    31,   32,    33,    63,   64,
                                   65,   127,  128,  129,  255,  257,   1000,  4095, 4096,
                                   4097, 8191, 8192, 8193, 9001, 32769, 100003};
    double *x = malloc(100003 * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t s = 0; s < (test_is_slow() ? 5 : KN_COUNT(sizes)); s++)
        for (int kind = 0; kind < (test_is_slow() ? 1 : 5); kind++) {
            for (size_t i = 0; i < sizes[s]; i++)
                x[i] = random_element(kind);
            expect_column(x, sizes[s]);
        }
    free(x);
}
END_TEST

// Threads share merges, and levels reach above a cache.
START_TEST(large_column)
{
    enum { N = 400009 };
    double *x = malloc(N * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < 5 && !test_is_slow(); kind += 4) {
        for (size_t i = 0; i < N; i++)
            x[i] = random_element(kind);
        expect_column(x, N);
    }
    free(x);
}
END_TEST

START_TEST(ordered_columns)
{
    enum { N = 20011 };
    double *x = malloc(N * sizeof *x);
    size_t n = test_is_slow() ? 40 : N;

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++)
        x[i] = 0.25 * (double)i;
    expect_column(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = -0.25 * (double)i;
    expect_column(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = 0.7;
    expect_column(x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = i % 2 ? 0.7 : -0.7;
    expect_column(x, n);
    free(x);
}
END_TEST

#define EXPECT_COLUMN(...)                                                                                   \
    expect_column((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

START_TEST(special_columns)
{
    expect_column(NULL, 0);
    EXPECT_COLUMN(1, NAN, 3);
    EXPECT_COLUMN(-0.0, -0.0);
    EXPECT_COLUMN(-1, 1); // mean 0
    EXPECT_COLUMN(1, 2, INFINITY);
    if (test_is_slow())
        return;
    EXPECT_COLUMN(-3);
    EXPECT_COLUMN(-0.0);
    EXPECT_COLUMN(0.0, -0.0, 0.0);
    EXPECT_COLUMN(1, 3);
    EXPECT_COLUMN(-INFINITY, 5, 6, 7);
    EXPECT_COLUMN(1, INFINITY);
    EXPECT_COLUMN(-INFINITY, INFINITY);
    EXPECT_COLUMN(INFINITY);
    EXPECT_COLUMN(7, 7, 7);
    EXPECT_COLUMN(16777216, 16777218);
    EXPECT_COLUMN(3e38, 3e38);
    EXPECT_COLUMN(1e300, -1e300, 1); // infinite in float
    EXPECT_COLUMN(DBL_MAX, DBL_MAX, -DBL_MAX);
    EXPECT_COLUMN(DBL_TRUE_MIN, 3 * DBL_TRUE_MIN);
}
END_TEST

// scipy 1.10: median_abs_deviation, variation; R 4.2: mad(constant = 1). One number follows another's origin.
START_TEST(documented_values)
{
    static const struct {
        double x[6];
        size_t n;
        double median, mad, cv;
    } rows[] = {
        {{1, 2, 3, 10},
         4,
         2.5,
         1,
         0.8838834764831844}, // R: mad(c(1, 2, 3, 10), constant = 1); scipy: variation
        {{16777216, 16777218}, 2, 16777217, 1, 1 / 16777217.0}, // numpy's float32 median is 16777216
        {{-1, 1}, 2, 0, 1, INFINITY},                           // scipy: variation([-1, 1]) is inf
        {{-1, -2, -3}, 3, -2, 1, -0.408248290463863},           // scipy: the mean's sign is kept
    };

    for (size_t r = 0; r < KN_COUNT(rows); r++)
        for (size_t m = 0; m < KN_COUNT(methods); m++)
            for (size_t w = 0; w < KN_COUNT(ways); w++) {
                struct stats_result found;
                if (!can_run(&ways[w], true))
                    continue;
                struct stats_column *column = open_way(&ways[w], methods[m], true, rows[r].x, rows[r].n);
                EXPECT_OK(stats_column_compute(column, rows[r].n, &found, &err));
                expect_value(found.median, rows[r].median, "median", stats_variant_names[ways[w].variant]);
                expect_value(found.mad, rows[r].mad, "MAD", stats_variant_names[ways[w].variant]);
                ck_assert_msg(found.cv == rows[r].cv || fabs(found.cv - rows[r].cv) < 1e-15,
                              "CV %.17g, expected %.17g", found.cv, rows[r].cv);
                stats_column_close(column);
            }
}
END_TEST

START_TEST(mad_scale)
{
    static const double x[] = {1, 2, 3, 10};
    const struct stats_options options = {.mad_scale = STATS_MAD_SCALE_NORMAL, .method = STATS_SELECT};
    struct stats_column *column;
    struct stats_result found;

    EXPECT_OK(stats_column_open(STATS_SERIAL, NULL, x, 4, &options, &column, &err));
    EXPECT_OK(stats_column_compute(column, 4, &found, &err));
    expect_value(found.mad, 1 / 0.6744897501960817, "MAD", "scipy, scale='normal'");
    stats_column_close(column);
}
END_TEST

// Prefixes: the same as a column that ends there; those with a NaN have nothing.
START_TEST(prefixes)
{
    enum { N = 9001 };
    static const size_t ends[] = {0, 1, 2, 1000, 4096, 4097, 9000, 9001};
    size_t count = test_is_slow() ? 3 : KN_COUNT(ends);
    size_t n = ends[count - 1];
    double x[N];

    for (int kind = 0; kind < 2; kind++)
        for (size_t m = 0; m < KN_COUNT(methods); m++)
            for (size_t w = 0; w < KN_COUNT(ways); w++) {
                struct stats_result found[KN_COUNT(ends)];
                for (size_t i = 0; i < n; i++)
                    x[i] = random_element(kind);
                x[n - 1] = NAN;
                if (!can_run(&ways[w], true))
                    continue;
                struct stats_column *column = open_way(&ways[w], methods[m], true, x, n);
                EXPECT_OK(stats_column_sweep(column, ends, count, found, &err));
                for (size_t i = 0; i < count; i++) {
                    struct stats_result expected = expected_of(x, ends[i], methods[m], true);
                    if (ways[w].variant == STATS_GPU && !context->device.info.fp64)
                        expect_medians(&found[i], &expected, "gpu");
                    else
                        expect_all(&found[i], &expected, stats_variant_names[ways[w].variant]);
                }
                EXPECT_REFUSED(KN_ERROR_ARGUMENT, "elements of a column that has",
                               stats_column_compute(column, n + 1, &found[0], &err));
                stats_column_close(column);
            }
}
END_TEST

// ---- the real column ----

// The source's loop, serial: sum and sum of squares, equation 2.
static double cv_as_printed(const double *x, size_t n)
{
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    mean = sum / (double)n;
    return sqrt(squares / (double)n - mean * mean) / mean;
}

static bool read_real(struct csv_table *table)
{
    char path[4200];

    if (test_is_slow() || !test_data_path("acc/ACC_msr2023.csv", path, sizeof path))
        return false;
    EXPECT_OK(csv_read(path, NULL, table, &err));
    ck_assert_uint_eq(table->column_count, 3);
    return true;
}

START_TEST(real_file)
{
    static const double cv[] = {-0.72210659, 6.57664114, 0.63885642};
    static const double median[] = {-33, -7, 45}, mad[] = {11, 17, 11};
    struct csv_table table;

    if (!read_real(&table))
        return;
    for (size_t c = 0; c < 3; c++) {
        const double *x = table.columns[c].values;
        size_t n = table.columns[c].count;
        double printed = cv_as_printed(x, n);
        struct stats_result r = expected_of(x, n, STATS_SORT, false);
        ck_assert_double_eq_tol(r.cv, cv[c], 0.5e-8);
        expect_value(r.median, median[c], "median", "the real file");
        expect_value(r.mad, mad[c], "MAD", "the real file");
        ck_assert_msg(fabs(r.cv - printed) <= 1e-12 * fabs(printed), "CV %.17g; the source's loop: %.17g",
                      r.cv, printed);
        expect_column(x, n);
    }
    csv_free(&table);
}
END_TEST

// The float column, tiled: its CV is that of integer arithmetic to 1e-12, however many there are
// (bench/stats.c has 5e7).
START_TEST(tiled_column)
{
    enum { N = 2000003 };
    struct csv_table table;
    double *x = malloc(N * sizeof *x);

    ck_assert_ptr_nonnull(x);
    if (read_real(&table)) {
        int64_t sum = 0, squares = 0;
        for (size_t i = 0; i < N; i++) {
            x[i] = table.columns[0].values[i % table.columns[0].count];
            sum += (int64_t)x[i];
            squares += (int64_t)x[i] * (int64_t)x[i];
        }
        long double mean = (long double)sum / N;
        double exact = (double)(sqrtl((long double)squares / N - mean * mean) / mean);
        for (size_t m = 0; m < KN_COUNT(methods); m++)
            for (size_t w = 0; w < KN_COUNT(ways); w++) {
                struct stats_result found;
                if (!can_run(&ways[w], true))
                    continue;
                struct stats_column *column = open_way(&ways[w], methods[m], true, x, N);
                EXPECT_OK(stats_column_compute(column, N, &found, &err));
                ck_assert_msg(fabs(found.cv - exact) <= 1e-12 * fabs(exact), "CV %.17g, exactly %.17g",
                              found.cv, exact);
                stats_column_close(column);
            }
        csv_free(&table);
    }
    free(x);
}
END_TEST

// ---- whole numbers of 8 bits ----

static void expect_bytes(const double *x, size_t n, int type)
{
    uint8_t *bytes = malloc(n + 1);
    kn_type found = KN_F64;

    ck_assert_ptr_nonnull(bytes);
    bytes[n] = 0xa5;
    ck_assert_int_eq(stats_to_bytes(x, n, bytes, &found), type >= 0);
    ck_assert_int_eq((int)found, type >= 0 ? type : KN_F64);
    for (size_t i = 0; i < n && type >= 0; i++)
        ck_assert_msg((type == KN_I8 ? (int8_t)bytes[i] : bytes[i]) == x[i], "element %zu: %g", i, x[i]);
    ck_assert_uint_eq(bytes[n], 0xa5);
    free(bytes);
}

// One value that does not fit, anywhere, is found.
START_TEST(what_fits_bytes)
{
    static const double strangers[] = {-129,      256,   0.5,           NAN,   INFINITY,
                                       -INFINITY, 1e300, -2147483648.0, 255.5, -128.25};
    static const size_t sizes[] = {0, 1, 2, 4095, 4096, 4097, 9001};
    double x[9001];

    for (size_t s = 0; s < KN_COUNT(sizes); s++)
        for (int kind = 0; kind < 3; kind++) { // -128..127, 0..255, both
            size_t n = sizes[s], at = n ? (size_t)(test_random(&state) % n) : 0;
            for (size_t i = 0; i < n; i++)
                x[i] = (double)(test_random(&state) % 256) - (kind == 1 ? 0 : 128);
            if (n > 2) {
                x[0] = kind == 1 ? 255 : -128;
                x[n / 2] = -0.0;
                x[n - 1] = kind == 1 ? 200 : kind == 2 ? 128 : 127;
            }
            if (n > 2 || kind == 0)
                expect_bytes(x, n, kind == 2 ? -1 : kind == 1 ? KN_U8 : KN_I8);
            for (size_t k = 0; k < KN_COUNT(strangers) && n > 0; k++) {
                double held = x[at];
                x[at] = strangers[k];
                expect_bytes(x, n, -1);
                x[at] = held;
            }
        }
}
END_TEST

// Counted or not, the bits are the same: the fused path on the floats against the counted one, prefixes too.
START_TEST(counted_columns)
{
    enum { N = 50021 };
    size_t n = test_is_slow() ? 40 : N, ends[] = {0, 1, 2, 3, n / 2, n - 1, n};
    double *x = malloc(N * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t i = 0; i < n; i++)
            x[i] = (double)(test_random(&state) % 256) - (kind ? 0 : 128);
        x[0] = kind ? 200 : -128;
        expect_column(x, n);
        for (size_t w = 0; w < KN_COUNT(ways); w++) {
            struct stats_result found[KN_COUNT(ends)];
            if (!can_run(&ways[w], true))
                continue;
            struct stats_column *column = open_way(&ways[w], STATS_AUTO, true, x, n);
            ck_assert(stats_column_in_bytes(column));
            ck_assert_int_eq(column->type, kind ? KN_U8 : KN_I8);
            EXPECT_OK(stats_column_sweep(column, ends, KN_COUNT(ends), found, &err));
            ck_assert_int_eq(column->ran.robust, KN_ROBUST_COUNTED);
            ck_assert_uint_eq(column->ran.sweep, KN_COUNT(ends));
            for (size_t i = 0; i < KN_COUNT(ends); i++) {
                struct stats_result expected = expected_of(x, ends[i], STATS_FUSED, true);
                expect_all(&found[i], &expected, stats_variant_names[ways[w].variant]);
            }
            stats_column_close(column);
        }
    }
    free(x);
}
END_TEST

START_TEST(held_in_bytes)
{
    static const double whole[] = {1, -128, 127, -0.0}, other[] = {1, 0.5};

    for (size_t w = 0; w < KN_COUNT(ways); w++)
        for (size_t m = 0; m < KN_COUNT(methods); m++) {
            if (!can_run(&ways[w], true))
                continue;
            struct stats_column *column = open_way(&ways[w], methods[m], true, whole, 4);
            ck_assert_int_eq(stats_column_in_bytes(column), methods[m] == STATS_FUSED);
            stats_column_close(column);
            column = open_way(&ways[w], methods[m], true, other, 2);
            ck_assert(!stats_column_in_bytes(column));
            stats_column_close(column);
        }
}
END_TEST

// ---- the device ----

static size_t launches_of(const char *kernel, const struct way *way, enum stats_method method,
                          const double *x, size_t n)
{
    struct stats_column *column = open_way(way, method, true, x, n);
    struct stats_result result;
    kn_profile_entry *entries = NULL;
    size_t count = 0, found = 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(stats_column_compute(column, n, &result, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        found += strncmp(entries[i].kernel, kernel, strlen(kernel)) == 0;
    kn_free(entries);
    stats_column_close(column);
    return found;
}

// The bitonic sort's launches grow where the column passes a power of two: the staircase.
START_TEST(kernels_that_ran)
{
    enum { N = 1 << 16 };
    const struct way gpu = {.variant = STATS_GPU};
    double *x = malloc((N + 1) * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i <= N; i++)
        x[i] = random_element(1);
    if (!test_is_slow()) {
        size_t launches = launches_of("merge_local", &gpu, STATS_SORT, x, N);
        ck_assert_uint_gt(launches, 0);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, STATS_SORT, x, N - 1), launches);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, STATS_SORT, x, N / 2 + 1), launches);
        ck_assert_uint_gt(launches_of("merge_local", &gpu, STATS_SORT, x, N + 1), launches);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, STATS_SELECT, x, N), 0);
        ck_assert_uint_eq(launches_of("merge_local", &gpu, STATS_FUSED, x, N), 0);
    }
    free(x);
}
END_TEST

// A column that the device holds in parts: sorted there, merged here, the same bits.
START_TEST(parts)
{
    enum { N = 70001 };
    const struct way gpu = {.variant = STATS_GPU};
    size_t n = test_is_slow() ? 4200 : N;
    double *x = malloc(N * sizeof *x);
    const uint64_t max_alloc = context->device.info.max_alloc;

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < (test_is_slow() ? 1 : 5); kind++) {
        for (size_t i = 0; i < n; i++)
            x[i] = random_element(kind);
        struct stats_result expected = expected_of(x, n, STATS_SORT, true);
        for (size_t bytes = 4096 * sizeof(float); bytes <= (test_is_slow() ? 16384 : 1 << 18); bytes *= 4) {
            struct stats_result found;
            context->device.info.max_alloc = bytes + 100;
            struct stats_column *column = open_way(&gpu, STATS_SORT, true, x, n);
            EXPECT_OK(stats_column_compute(column, n, &found, &err));
            ck_assert_uint_gt(kn_buffer_part_count(column->work), 1);
            expect_all(&found, &expected, "parts");
            n = n - 1;
            expected = expected_of(x, n, STATS_SORT, true);
            EXPECT_OK(stats_column_compute(column, n, &found, &err));
            expect_all(&found, &expected, "parts, a prefix");
            stats_column_close(column);
            context->device.info.max_alloc = max_alloc;
        }
    }
    free(x);
}
END_TEST

START_TEST(times)
{
    const struct way gpu = {.variant = STATS_GPU};
    double x[] = {1, 2, 4};
    struct stats_result found;
    struct stats_column *column = open_way(&gpu, STATS_SORT, true, x, 3);

    ck_assert(stats_column_times(column).upload > 0 && stats_column_times(column).compute == 0);
    EXPECT_OK(stats_column_compute(column, 3, &found, &err));
    ck_assert(stats_column_times(column).compute > 0 && stats_column_times(column).build > 0);
    stats_column_close(column);
}
END_TEST

// ---- failures: whichever call of the driver fails, its error comes back and nothing leaks ----

static const struct kn_backend *real;
static long calls_left;

static bool fails(kn_error *why)
{
    if (calls_left-- > 0)
        return false;
    kn_error failure = {KN_ERROR_DEVICE, -5, "CL_OUT_OF_RESOURCES", "", 0, "made to fail"};
    if (why)
        *why = failure;
    return true;
}

static kn_status failing_alloc(struct be_context *native, size_t bytes, struct be_memory **memory,
                               kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->memory_alloc(native, bytes, memory, why);
}

static kn_status failing_launch(struct be_queue *native, struct be_kernel *kernel,
                                const struct be_range *range, const struct be_arg *args, size_t count,
                                struct be_event **event, kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->launch(native, kernel, range, args, count, event, why);
}

static kn_status failing_write(struct be_queue *native, struct be_memory *to, const void *from,
                               const struct be_copy *copy, struct be_event **event, kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->copy_to_device(native, to, from, copy, event, why);
}

static kn_status failing_read(struct be_queue *native, struct be_memory *from, void *to,
                              const struct be_copy *copy, struct be_event **event, kn_error *why)
{
    return fails(why) ? KN_ERROR_DEVICE : real->copy_to_host(native, from, to, copy, event, why);
}

// Opened and computed while every call in turn fails, until none does.
static void fail_every_call(enum stats_method method, const double *x, size_t n)
{
    const struct stats_options options = {.single = true, .mad_scale = 1, .method = method};
    struct stats_result expected = expected_of(x, n, method, true), found;
    struct kn_backend broken = *context->backend;
    kn_status status = KN_ERROR_DEVICE;
    long call = 0;

    real = context->backend;
    broken.memory_alloc = failing_alloc;
    broken.launch = failing_launch;
    broken.copy_to_device = failing_write;
    broken.copy_to_host = failing_read;
    for (; status && call < 500; call++) {
        struct stats_column *column = NULL;
        calls_left = call;
        context->backend = &broken;
        status = stats_column_open(STATS_GPU, queue, x, n, &options, &column, &err);
        if (!status)
            status = stats_column_compute(column, n, &found, &err);
        context->backend = real;
        stats_column_close(column);
        if (status) {
            ck_assert_int_eq(status, KN_ERROR_DEVICE);
            ck_assert_msg(strstr(err.text, "made to fail") != NULL, "%s", err.text);
        }
    }
    ck_assert_msg(status == KN_OK && call > 5, "%ld calls and still not done", call);
    expect_medians(&found, &expected, stats_method_names[method]);
}

START_TEST(failures)
{
    enum { N = 9000 };
    double x[N];
    size_t n = test_is_slow() ? 50 : N;

    for (size_t i = 0; i < N; i++)
        x[i] = random_element(1);
    for (size_t m = 0; m < KN_COUNT(methods); m++)
        fail_every_call(methods[m], x, n);
    if (test_is_slow())
        return;
    context->device.info.max_alloc = 4096 * sizeof(float);
    fail_every_call(STATS_SORT, x, n);
}
END_TEST

// ---- what a variant is ----

// Vectors where the name says so, the best there are; all threads, or those asked for, where it says that.
START_TEST(plans)
{
    const double x[] = {1, 0.5};

    for (enum stats_variant variant = STATS_SERIAL; variant < STATS_GPU; variant++)
        for (unsigned threads = 0; threads < 4; threads += 3) {
            const bool vectors = strstr(stats_variant_names[variant], "vectorized") != NULL;
            const bool parallel = strstr(stats_variant_names[variant], "parallel") != NULL;
            const struct stats_options options = {.mad_scale = 1, .threads = threads};
            const kn_host_options all = {.threads = threads};
            struct stats_column *column = NULL;
            struct host_plan plan;
            kn_status status = stats_column_open(variant, NULL, x, 2, &options, &column, &err);
            if (vectors && best == KN_HOST_SCALAR) {
                ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
                ck_assert(strstr(err.text, "needs AVX2") != NULL);
                continue;
            }
#ifndef _OPENMP
            if (parallel) {
                ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
                ck_assert(strstr(err.text, "needs OpenMP") != NULL);
                continue;
            }
#endif
            EXPECT_OK(status);
            EXPECT_OK(host_plan("test", KN_F64, &all, &plan, &err));
            ck_assert_int_eq(column->plan.level, vectors ? best : KN_HOST_SCALAR);
            ck_assert_uint_eq(column->plan.threads, parallel ? plan.threads : 1);
            ck_assert_int_eq(stats_column_method(column), STATS_FUSED);
            stats_column_close(column);
        }
}
END_TEST

// ---- refusals ----

static kn_status try_open(enum stats_variant variant, kn_queue *with, struct stats_options options)
{
    static const double x[] = {1, 2};
    struct stats_column *column = NULL;
    kn_status status;

    options.mad_scale = 1;
    status = stats_column_open(variant, with, x, 2, &options, &column, &err);
    stats_column_close(column);
    return status;
}

START_TEST(refusals)
{
    const struct stats_options plain = STATS_OPTIONS_INIT;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the variant gpu needs", try_open(STATS_GPU, NULL, plain));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the variant vectorized computes on the host",
                   try_open(STATS_VECTORIZED, queue, plain));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no variant 5", try_open(STATS_VARIANTS, NULL, plain));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method 4",
                   try_open(STATS_SERIAL, NULL, (struct stats_options){.method = STATS_METHODS}));
    context->device.info.fp64 = 0;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "has no double precision", try_open(STATS_GPU, queue, plain));
    stats_column_close(NULL);
}
END_TEST

START_TEST(names)
{
    static const char *const variants[] = {"serial", "vectorized", "parallel", "parallel-vectorized",
                                           "gpu",    NULL};
    static const char *const all_methods[] = {"auto", "sort", "select", "fused", NULL};

    for (size_t i = 0; i < STATS_VARIANTS; i++)
        ck_assert_str_eq(stats_variant_names[i], variants[i]);
    for (size_t i = 0; i < STATS_METHODS; i++)
        ck_assert_str_eq(stats_method_names[i], all_methods[i]);
    ck_assert(!stats_variant_names[STATS_VARIANTS] && !stats_method_names[STATS_METHODS]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        random_columns, large_column,     ordered_columns, special_columns, documented_values, mad_scale,
        prefixes,       real_file,        tiled_column,    what_fits_bytes, counted_columns,   held_in_bytes,
        plans,          kernels_that_ran, parts,           times,           failures,          refusals,
        names};

    return test_run("stats: variants", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
