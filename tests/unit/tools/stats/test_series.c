// SPDX-License-Identifier: Apache-2.0
// Tests the times of a file's rows: rates, gaps, times that are refused, and resampling at another rate.
#include "support/support.h"
#include "support/expect.h"
#include "support/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stats/series.h"

enum { MOST = 200000 };

static double copied[MOST];

// A table with these times and one column of values; csv_free frees its copies of both.
static struct csv_table table_of(const double *times, const double *values, size_t rows)
{
    struct csv_table table = {.rows = rows, .clock = CSV_CLOCK_SECONDS, .column_count = 1};

    table.columns = calloc(1, sizeof *table.columns);
    ck_assert_ptr_nonnull(table.columns);
    table.columns->values = malloc(rows * sizeof *values);
    table.times.values = malloc(rows * sizeof *times);
    ck_assert(table.columns->values && table.times.values);
    memcpy(table.columns->values, values, rows * sizeof *values);
    memcpy(table.times.values, times, rows * sizeof *times);
    table.columns->count = table.times.count = rows;
    return table;
}

START_TEST(rates_and_gaps)
{
    static const double times[] = {100, 100.5, 101, 101.5, 111.5, 112, 112.5, 116, 116.5};
    struct csv_table table = table_of(times, times, 9);
    struct stats_series series;

    EXPECT_OK(stats_series_open("f", &table, 0, &series, &err));
    ck_assert_double_eq(series.start, 100);
    ck_assert_double_eq(series.rate, 2);
    ck_assert_double_eq(series.gap, 1);
    ck_assert_uint_eq(series.gap_count, 2);
    ck_assert_uint_eq(series.gaps[0], 4);
    ck_assert_uint_eq(series.gaps[1], 7);
    ck_assert_double_eq(series.gap_seconds, 9.5 + 3);
    stats_series_free(&series);
    EXPECT_OK(stats_series_open("f", &table, 5, &series, &err));
    ck_assert_uint_eq(series.gap_count, 1);
    stats_series_free(&series);
    // A rate stated by the file is used if it roughly matches the times.
    table.sample_rate = 2.05;
    EXPECT_OK(stats_series_open("f", &table, 0, &series, &err));
    ck_assert_double_eq(series.rate, 2.05);
    stats_series_free(&series);
    table.sample_rate = 2.2;
    ck_assert_int_eq(stats_series_open("f", &table, 0, &series, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "states a rate of 2.2 Hz"));
    table.sample_rate = 0;
    table.times.values[5] = 111;
    ck_assert_int_eq(stats_series_open("f", &table, 0, &series, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "row 6 is 0.5 s before"));
    csv_free(&table);
}
END_TEST

// Times in whole seconds at 32 Hz, and more rows than the steps that the median is taken of.
START_TEST(coarse_times)
{
    struct csv_table table;
    struct stats_series series;

    for (size_t i = 0; i < MOST; i++)
        copied[i] = floor((double)i / 32) + (i >= MOST / 2 ? 100 : 0);
    table = table_of(copied, copied, MOST);
    EXPECT_OK(stats_series_open("f", &table, 0, &series, &err));
    ck_assert_double_eq_tol(series.rate, 32, 0.6);
    ck_assert_double_eq(series.gap, 2);
    ck_assert_uint_eq(series.gap_count, 1);
    ck_assert_uint_eq(series.gaps[0], MOST / 2);
    stats_series_free(&series);
    // If no time passes there is no rate, and no gap.
    for (size_t i = 0; i < MOST; i++)
        table.times.values[i] = 5;
    EXPECT_OK(stats_series_open("f", &table, 0, &series, &err));
    ck_assert(series.rate == 0 && series.gap_count == 0);
    stats_series_free(&series);
    csv_free(&table);
}
END_TEST

START_TEST(samples)
{
    // Values on a line, so that every sample is exact; a gap from 2 to 10, and unequal steps after it.
    static const double times[] = {0, 1, 2, 10, 10.5, 12, 13}, values[] = {0, 10, 20, 100, 105, 120, 130};
    static const double at[] = {0, 0.5, 1, 1.5, 2, 10, 10.5, 11, 11.5, 12, 12.5, 13};
    struct csv_table table = table_of(times, values, 7);
    struct stats_series series;

    EXPECT_OK(stats_series_open("f", &table, 4, &series, &err));
    EXPECT_OK(stats_series_resample("f", &table, 2, false, &series, &err));
    ck_assert_uint_eq(table.rows, 12);
    ck_assert_uint_eq(table.columns->count, 12);
    for (size_t i = 0; i < 12; i++) {
        ck_assert_double_eq(series.times->values[i], at[i]);
        ck_assert_double_eq(table.columns->values[i], 10 * at[i]);
    }
    ck_assert_uint_eq(series.gaps[0], 5);
    ck_assert_double_eq(series.rate, 2);
    stats_series_free(&series);
    csv_free(&table);
}
END_TEST

// Rows without times but with a rate, resampled at a lower one; the samples next to a missing value are
// missing.
START_TEST(samples_of_a_rate)
{
    static const double values[] = {0, 1, 2, 3, NAN, 5, 6}, expected[] = {0, 1.5, 3, NAN, 6};
    struct csv_table table = table_of(values, values, 7);
    struct stats_series series;

    table.clock = CSV_CLOCK_NONE;
    EXPECT_OK(stats_series_open("f", &table, 0, &series, &err));
    ck_assert_int_eq(stats_series_resample("f", &table, 2, false, &series, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "--resample needs times"));
    table.sample_rate = 3;
    EXPECT_OK(stats_series_open("f", &table, 0, &series, &err));
    EXPECT_OK(stats_series_resample("f", &table, 2, false, &series, &err));
    ck_assert_uint_eq(table.columns->count, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_msg(isnan(expected[i]) ? isnan(table.columns->values[i])
                                         : fabs(table.columns->values[i] - expected[i]) < 1e-12,
                      "%zu: %g", i, table.columns->values[i]);
    ck_assert_ptr_null(series.times);
    stats_series_free(&series);
    csv_free(&table);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rates_and_gaps, coarse_times, samples, samples_of_a_rate};

    return TEST_RUN("series", CK_FORK_GETENV, tests);
}
