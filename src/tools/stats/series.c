// SPDX-License-Identifier: Apache-2.0
#include "series.h"

#include <koine/host.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

enum { MOST_STEPS = 65536 };

// Takes a sample of the steps, in no particular order.
static size_t take_steps(struct spool_view *times, double *steps)
{
    const size_t all = times->count - 1, count = all < MOST_STEPS ? all : MOST_STEPS;

    for (size_t i = 0; i < count; i++) {
        size_t row = (size_t)((double)i * ((double)all / (double)count));

        steps[i] = -spool_view_at(times, row);
        steps[i] += spool_view_at(times, row + 1);
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

// The lower median, so that the result is one of the steps.
static kn_status median_of(const double *steps, size_t count, double *median, kn_error *err)
{
    const size_t rank = (count - 1) / 2;

    return ki_error_unname(kn_host_select(steps, KN_F64, count, &rank, 1, median, NULL, err), err);
}

// Determines the rate and the gap if they are not given.
static kn_status measure_steps(struct stats_series *series, struct spool_view *times, kn_error *err)
{
    const double start = spool_view_at(times, 0), length = spool_view_at(times, series->rows - 1) - start;
    double *steps = malloc(MOST_STEPS * sizeof *steps), median = 0;
    kn_status status = KN_OK;
    size_t count;

    if (!steps)
        return ki_fail_memory(err, MOST_STEPS * sizeof *steps, "the steps between rows");
    count = take_steps(times, steps);
    status = times->status ? times->status : median_of(steps, count, &median, err);
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

static kn_status find_gaps(const char *file, struct stats_series *series, struct spool_view *times,
                           kn_error *err)
{
    const double usual = series->rate > 0 ? 1 / series->rate : 0;
    double before = spool_view_at(times, 0);
    size_t capacity = 0;

    for (size_t i = 1; i < series->rows; i++) {
        const double at = spool_view_at(times, i), step = at - before;

        before = at;

        if (step < 0)
            return ki_fail_at(
                err, KN_ERROR_INPUT, file, 0,
                "times go backwards: row %zu is %.9g s before the row above it; sort the rows by "
                "time, or read the parts as files of their own",
                i + 1, -step);
        if (step <= series->gap || times->status)
            continue;
        if (!KI_ARRAY_PUSH(series->gaps, series->gap_count, capacity, i))
            return ki_fail_memory(err, 0, "the gaps of a file");
        series->gap_seconds += step - usual;
    }
    return times->status;
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
    struct spool_view times;
    kn_status status = KN_OK;

    *series = (struct stats_series){
        .rows = table->rows, .start = table->start_time, .rate = table->sample_rate, .gap = gap};
    if (!table->clock)
        return KN_OK;
    series->times = &table->times;
    csv_column_view(series->times, &times, err);
    series->start = spool_view_at(&times, 0);
    series->rate = 0;
    if (series->rows > 1)
        status = measure_steps(series, &times, err);
    if (!status)
        status = find_gaps(file, series, &times, err);
    spool_view_close(&times);
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

// The rows between two gaps, and the samples computed from them.
struct stretch {
    size_t row, rows, sample, samples;
};

// A series being resampled, and its times.
struct resampling {
    const struct stats_series *series;
    double rate;
    bool spools;
    struct spool_view times; // open while they are read
    struct stretch *stretches;
    size_t samples;
};

// Seconds from the series' first row to `row`.
static double seconds_at(struct resampling *r, size_t row)
{
    return r->series->times ? spool_view_at(&r->times, row) - r->series->start
                            : (double)row / r->series->rate;
}

// Lists the stretches in order; there is one more than there are gaps.
static kn_status list_stretches(struct resampling *r, kn_error *err)
{
    const struct stats_series *series = r->series;

    r->stretches = calloc(series->gap_count + 1, sizeof *r->stretches);
    if (!r->stretches)
        return ki_fail_memory(err, 0, "the parts between gaps");
    for (size_t i = 0; i <= series->gap_count; i++) {
        const size_t row = i ? series->gaps[i - 1] : 0;
        const size_t end = i < series->gap_count ? series->gaps[i] : series->rows;
        const double start = seconds_at(r, row), length = seconds_at(r, end - 1) - start;
        // A sample that would be at the last row except for rounding is placed at it.
        const size_t samples = r->times.status ? 0 : (size_t)floor(length * r->rate + 1e-6) + 1;

        r->stretches[i] = (struct stretch){row, end - row, r->samples, samples};
        r->samples += samples;
    }
    return r->times.status;
}

static void resample_stretch(struct resampling *r, const struct stretch *stretch, struct spool_view *from,
                             struct spool_pen *to)
{
    const double start = seconds_at(r, stretch->row);
    const size_t last = stretch->row + stretch->rows - 1;
    size_t row = stretch->row;

    for (size_t i = 0; i < stretch->samples; i++) {
        const double at = start + (double)i / r->rate;
        double before, after, share, value;

        while (row < last && seconds_at(r, row + 1) <= at)
            row++;
        value = spool_view_at(from, row);
        if (row < last) {
            before = seconds_at(r, row);
            after = seconds_at(r, row + 1);
            share = (at - before) / (after - before);
            value = share > 0 ? value + share * (spool_view_at(from, row + 1) - value) : value;
        }
        spool_pen_add(to, value);
    }
}

// Writes the samples' times, which with gaps exceed their index divided by the rate.
static void time_stretch(struct resampling *r, const struct stretch *stretch, struct spool_view *from,
                         struct spool_pen *to)
{
    const double start = spool_view_at(from, stretch->row);

    for (size_t i = 0; i < stretch->samples; i++)
        spool_pen_add(to, start + (double)i / r->rate);
}

// Replaces a column's values by samples.
static kn_status replace(struct resampling *r, struct csv_column *column,
                         void (*fill)(struct resampling *r, const struct stretch *stretch,
                                      struct spool_view *from, struct spool_pen *to),
                         kn_error *err)
{
    struct csv_column made = *column;
    struct spool_view from;
    struct spool_pen to;
    kn_status status = KN_OK, written;

    made.values = NULL;
    made.spool = NULL;
    made.count = r->samples;
    if (r->spools)
        status = spool_open(&made.spool, err);
    else if (!(made.values = malloc(r->samples * sizeof *made.values)))
        status = ki_fail_memory(err, r->samples * sizeof *made.values, "a column's samples");
    if (status)
        return status;
    csv_column_view(column, &from, err);
    spool_pen_open(&to, made.values, made.spool, err);
    for (size_t i = 0; i <= r->series->gap_count; i++)
        fill(r, &r->stretches[i], &from, &to);
    written = spool_pen_close(&to);
    status = spool_view_close(&from);
    status = status ? status : written;
    free(column->values);
    spool_close(column->spool);
    *column = made;
    return status;
}

static kn_status resample(struct resampling *r, struct csv_table *table, kn_error *err)
{
    kn_status status = list_stretches(r, err);

    for (size_t i = 0; i < table->column_count && !status; i++) {
        status = replace(r, &table->columns[i], resample_stretch, err);
        status = status ? status : r->times.status;
    }
    if (!status && r->series->times)
        status = replace(r, &table->times, time_stretch, err);
    return status;
}

kn_status stats_series_resample(const char *file, struct csv_table *table, double rate, bool spools,
                                struct stats_series *series, kn_error *err)
{
    struct resampling r = {.series = series, .rate = rate, .spools = spools};
    kn_status status;

    if (!series->times && series->rate == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                          "--resample needs times, but the file has neither a column of them nor a rate");
    if (series->times)
        csv_column_view(series->times, &r.times, err);
    status = resample(&r, table, err);
    spool_view_close(&r.times);
    for (size_t i = 0; i < series->gap_count && !status; i++)
        series->gaps[i] = r.stretches[i + 1].sample;
    free(r.stretches);
    table->rows = series->rows = r.samples;
    series->rate = rate;
    return status;
}
