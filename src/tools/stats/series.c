// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include <koine/host.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum { MOST_STEPS = 65536 };

// The steps that are looked at, in no order.
static size_t take_steps(const double *times, size_t rows, double *steps)
{
    const size_t all = rows - 1, count = all < MOST_STEPS ? all : MOST_STEPS;

    for (size_t i = 0; i < count; i++) {
        size_t row = (size_t)((double)i * ((double)all / (double)count));

        steps[i] = times[row + 1] - times[row];
    }
    return count;
}

static size_t take_positive(double *steps, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (steps[i] > 0)
            steps[kept++] = steps[i];
    return kept;
}

// The lower median, so that it is a step that there is.
static kn_status median_of(const double *steps, size_t count, double *median, kn_error *err)
{
    const size_t rank = (count - 1) / 2;

    return ki_error_unname(kn_host_select(steps, KN_F64, count, &rank, 1, median, NULL, err), err);
}

// Rate and gap where they are not given.
static kn_status measure_steps(struct stats_series *series, kn_error *err)
{
    const double *times = series->times;
    const double length = times[series->rows - 1] - times[0];
    double *steps = malloc(MOST_STEPS * sizeof *steps), median = 0;
    kn_status status = KN_OK;
    size_t count;

    if (!steps)
        return ki_fail_memory(err, MOST_STEPS * sizeof *steps, "the steps between rows");
    count = take_steps(times, series->rows, steps);
    status = median_of(steps, count, &median, err);
    if (!status && length > 0)
        series->rate = median > 0 ? 1 / median : (double)(series->rows - 1) / length;
    count = take_positive(steps, count);
    if (!status && median == 0 && count)
        status = median_of(steps, count, &median, err);
    if (series->gap == 0)
        series->gap = median > 0 ? 2 * median : INFINITY;
    free(steps);
    return status;
}

static kn_status find_gaps(const char *file, struct stats_series *series, kn_error *err)
{
    const double *times = series->times, usual = series->rate > 0 ? 1 / series->rate : 0;
    size_t capacity = 0;

    for (size_t i = 1; i < series->rows; i++) {
        const double step = times[i] - times[i - 1];

        if (step < 0)
            return ki_fail_at(
                err, KN_ERROR_INPUT, file, 0,
                "times go backwards: row %zu is %.9g s before the row above it; sort the rows by "
                "time, or read the parts as files of their own",
                i + 1, -step);
        if (step <= series->gap)
            continue;
        if (!KI_ARRAY_PUSH(series->gaps, series->gap_count, capacity, i))
            return ki_fail_memory(err, 0, "the gaps of a file");
        series->gap_seconds += step - usual;
    }
    return KN_OK;
}

static kn_status check_rate(const char *file, const struct stats_series *series, double stated, kn_error *err)
{
    const double most = 0.05;

    if (series->rate == 0 || fabs(series->rate / stated - 1) <= most)
        return KN_OK;
    return ki_fail_at(
        err, KN_ERROR_INPUT, file, 0,
        "the file states a rate of %.9g Hz, but its column of times has a row each %.9g s (%.9g "
        "Hz)",
        stated, 1 / series->rate, series->rate);
}

kn_status stats_series_open(const char *file, const struct csv_table *table, double gap,
                            struct stats_series *series, kn_error *err)
{
    kn_status status = KN_OK;

    *series = (struct stats_series){
        .rows = table->rows, .start = table->start_time, .rate = table->sample_rate, .gap = gap};
    if (!table->clock)
        return KN_OK;
    series->times = table->times.values;
    series->start = series->times[0];
    series->rate = 0;
    if (series->rows > 1)
        status = measure_steps(series, err);
    if (!status)
        status = find_gaps(file, series, err);
    if (table->layout.e4)
        series->rate = 0;
    if (!status && table->sample_rate > 0) {
        status = check_rate(file, series, table->sample_rate, err);
        series->rate = table->sample_rate;
    }
    if (status)
        stats_series_free(series);
    return status;
}

void stats_series_free(struct stats_series *series)
{
    free(series->gaps);
    *series = (struct stats_series){.rows = 0};
}

// ---- resampling ----

// Rows between two gaps, and the samples made of them.
struct stretch {
    size_t row, rows, sample, samples;
};

// Seconds from the series' first row to another one.
static double seconds_at(const struct stats_series *series, size_t row)
{
    return series->times ? series->times[row] - series->start : (double)row / series->rate;
}

static struct stretch stretch_at(const struct stats_series *series, size_t index, size_t sample, double rate)
{
    const size_t row = index ? series->gaps[index - 1] : 0;
    const size_t end = index < series->gap_count ? series->gaps[index] : series->rows;
    const double length = seconds_at(series, end - 1) - seconds_at(series, row);

    // A sample that would be at the last row but for rounding is at it.
    return (struct stretch){row, end - row, sample, (size_t)floor(length * rate + 1e-6) + 1};
}

static void resample_stretch(const struct stats_series *series, const struct stretch *stretch, double rate,
                             const double *from, double *to)
{
    const double start = seconds_at(series, stretch->row);
    const size_t last = stretch->row + stretch->rows - 1;
    size_t row = stretch->row;

    for (size_t i = 0; i < stretch->samples; i++) {
        const double at = start + (double)i / rate;
        double before, after, share;

        while (row < last && seconds_at(series, row + 1) <= at)
            row++;
        if (row == last) {
            to[i] = from[row];
            continue;
        }
        before = seconds_at(series, row);
        after = seconds_at(series, row + 1);
        share = (at - before) / (after - before);
        to[i] = share > 0 ? from[row] + share * (from[row + 1] - from[row]) : from[row];
    }
}

// The stretches of a series one after the other; their count is that of the gaps and one.
static struct stretch *list_stretches(const struct stats_series *series, double rate, size_t *samples)
{
    struct stretch *list = calloc(series->gap_count + 1, sizeof *list);

    *samples = 0;
    for (size_t i = 0; list && i <= series->gap_count; i++) {
        list[i] = stretch_at(series, i, *samples, rate);
        *samples += list[i].samples;
    }
    return list;
}

static kn_status resample_column(const struct stats_series *series, const struct stretch *stretches,
                                 size_t samples, double rate, struct csv_column *column, kn_error *err)
{
    double *values = malloc(samples * sizeof *values);

    if (!values)
        return ki_fail_memory(err, samples * sizeof *values, "a column's samples");
    for (size_t i = 0; i <= series->gap_count; i++)
        resample_stretch(series, &stretches[i], rate, column->values, values + stretches[i].sample);
    free(column->values);
    column->values = values;
    column->count = samples;
    return KN_OK;
}

// The samples' times, where gaps make them more than their number over the rate.
static kn_status resample_times(const struct stats_series *series, const struct stretch *stretches,
                                size_t samples, double rate, struct csv_column *times, kn_error *err)
{
    double *values = series->times ? malloc(samples * sizeof *values) : NULL;

    if (!series->times)
        return KN_OK;
    if (!values)
        return ki_fail_memory(err, samples * sizeof *values, "the samples' times");
    for (size_t i = 0; i <= series->gap_count; i++)
        for (size_t k = 0; k < stretches[i].samples; k++)
            values[stretches[i].sample + k] = series->times[stretches[i].row] + (double)k / rate;
    free(times->values);
    times->values = values;
    times->count = samples;
    return KN_OK;
}

kn_status stats_series_resample(const char *file, struct csv_table *table, double rate,
                                struct stats_series *series, kn_error *err)
{
    struct stretch *stretches;
    kn_status status = KN_OK;
    size_t samples;

    if (!series->times && series->rate == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                          "--resample needs times, but the file has neither a column of them nor a rate");
    stretches = list_stretches(series, rate, &samples);
    if (!stretches)
        return ki_fail_memory(err, 0, "the parts between gaps");
    for (size_t i = 0; i < table->column_count && !status; i++)
        status = resample_column(series, stretches, samples, rate, &table->columns[i], err);
    if (!status)
        status = resample_times(series, stretches, samples, rate, &table->times, err);
    for (size_t i = 0; i < series->gap_count; i++)
        series->gaps[i] = stretches[i + 1].sample;
    free(stretches);
    series->times = series->times ? table->times.values : NULL;
    table->rows = series->rows = samples;
    series->rate = rate;
    return status;
}
