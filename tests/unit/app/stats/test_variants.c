// SPDX-License-Identifier: Apache-2.0
// Tests all variants of a column, with every method, against the reference: mean, std and CV bit by bit,
// median and MAD exactly.
#include "variants_support.h"

#include "io/csv/csv.h"

START_TEST(random_columns)
{
    static const size_t sizes[] = {1,    2,    3,    4,    31,   32,    33,    63,   64,
                                   65,   127,  128,  129,  255,  257,   1000,  4095, 4096,
                                   4097, 8191, 8192, 8193, 9001, 32769, 100003};
    double *x = malloc(100003 * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t s = 0; s < (test_is_slow() ? 5 : KI_COUNT(sizes)); s++)
        for (int kind = 0; kind < (test_is_slow() ? 1 : 5); kind++) {
            for (size_t i = 0; i < sizes[s]; i++)
                x[i] = random_double(&state, kind);
            expect_column(x, sizes[s]);
        }
    free(x);
}
END_TEST

// Threads share merges, and there are levels that exceed a cache.
START_TEST(large_column)
{
    enum { N = 400009 };
    double *x = malloc(N * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < 5 && !test_is_slow(); kind += 4) {
        for (size_t i = 0; i < N; i++)
            x[i] = random_double(&state, kind);
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

    for (size_t r = 0; r < KI_COUNT(rows); r++)
        for (size_t m = 0; m < KI_COUNT(methods); m++)
            for (size_t w = 0; w < KI_COUNT(configs); w++) {
                kn_stats found;
                if (!can_run(&configs[w], true))
                    continue;
                struct stats_column *column =
                    open_config(&configs[w], methods[m], true, rows[r].x, rows[r].n);
                EXPECT_OK(ki_stats_column_compute(column, rows[r].n, &found, &err));
                expect_value(found.median, rows[r].median, "median",
                             ki_stats_variant_names[configs[w].variant]);
                expect_value(found.mad, rows[r].mad, "MAD", ki_stats_variant_names[configs[w].variant]);
                ck_assert_msg(found.cv == rows[r].cv || fabs(found.cv - rows[r].cv) < 1e-15,
                              "CV %.17g, expected %.17g", found.cv, rows[r].cv);
                ki_stats_column_close(column);
            }
}
END_TEST

START_TEST(mad_scale)
{
    static const double x[] = {1, 2, 3, 10};
    const struct stats_options options = {.mad_scale = STATS_MAD_SCALE_NORMAL, .method = KN_STATS_SELECT};
    struct stats_column *column;
    kn_stats found;

    EXPECT_OK(ki_stats_column_open(STATS_SERIAL, NULL, x, 4, &options, &column, &err));
    EXPECT_OK(ki_stats_column_compute(column, 4, &found, &err));
    expect_value(found.mad, 1 / 0.6744897501960817, "MAD", "scipy, scale='normal'");
    ki_stats_column_close(column);
}
END_TEST

// Prefixes give the same as a column that ends there; those with a NaN give nothing.
START_TEST(prefixes)
{
    enum { N = 9001 };
    static const size_t ends[] = {0, 1, 2, 1000, 4096, 4097, 9000, 9001};
    size_t count = test_is_slow() ? 3 : KI_COUNT(ends);
    size_t n = ends[count - 1];
    double x[N];

    for (int kind = 0; kind < 2; kind++)
        for (size_t m = 0; m < KI_COUNT(methods); m++)
            for (size_t w = 0; w < KI_COUNT(configs); w++) {
                kn_stats found[KI_COUNT(ends)];
                for (size_t i = 0; i < n; i++)
                    x[i] = random_double(&state, kind);
                x[n - 1] = NAN;
                if (!can_run(&configs[w], true))
                    continue;
                struct stats_column *column = open_config(&configs[w], methods[m], true, x, n);
                EXPECT_OK(ki_stats_column_sweep(column, ends, count, found, &err));
                for (size_t i = 0; i < count; i++) {
                    kn_stats expected = expected_of(x, ends[i], methods[m], true);
                    if (configs[w].variant == STATS_GPU && !context->device.info.fp64)
                        expect_medians(&found[i], &expected, "gpu");
                    else
                        expect_all(&found[i], &expected, ki_stats_variant_names[configs[w].variant]);
                }
                EXPECT_REFUSED(KN_ERROR_ARGUMENT, "elements of a column that has",
                               ki_stats_column_compute(column, n + 1, &found[0], &err));
                ki_stats_column_close(column);
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
        kn_stats r = expected_of(x, n, KN_STATS_SORT, false);
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

// The float column, repeated: its CV equals that of integer arithmetic to 1e-12, whatever the length
// (bench/app/stats.c has 5e7).
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
        for (size_t m = 0; m < KI_COUNT(methods); m++)
            for (size_t w = 0; w < KI_COUNT(configs); w++) {
                kn_stats found;
                if (!can_run(&configs[w], true))
                    continue;
                struct stats_column *column = open_config(&configs[w], methods[m], true, x, N);
                EXPECT_OK(ki_stats_column_compute(column, N, &found, &err));
                ck_assert_msg(fabs(found.cv - exact) <= 1e-12 * fabs(exact), "CV %.17g, exactly %.17g",
                              found.cv, exact);
                ki_stats_column_close(column);
            }
        csv_free(&table);
    }
    free(x);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_columns,  large_column,      ordered_columns,
                                  special_columns, documented_values, mad_scale,
                                  prefixes,        real_file,         tiled_column};

    return test_run("stats: variants", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
