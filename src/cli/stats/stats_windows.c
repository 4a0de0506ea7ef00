// SPDX-License-Identifier: Apache-2.0
// Windows of `koine stats`: what --window, --step and --quantiles say, and the statistics of each window.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <koine/window.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "cmd_stats.h"

// ---- options ----

static const struct {
    const char *name;
    double seconds;
} units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

static kn_status read_length(const char *option, const char *text, struct stats_length *length, kn_error *err)
{
    char *end;

    if (!text)
        return KN_OK;
    length->value = strtod(text, &end);
    if (end != text && *end == '\0' && length->value >= 1 && length->value <= 0x1p53 &&
        length->value == floor(length->value))
        return KN_OK;
    for (size_t i = 0; i < KI_COUNT(units) && end != text; i++)
        if (strcmp(end, units[i].name) == 0 && isfinite(length->value) && length->value > 0) {
            *length = (struct stats_length){length->value * units[i].seconds, true};
            return KN_OK;
        }
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "--%s: '%s' is neither a whole number of rows from 1 on nor a duration above 0, as 60s, "
                   "5min, 500ms or 1h",
                   option, text);
}

static kn_status read_quantiles(struct stats_run *run, kn_error *err)
{
    const char *text = run->arguments->quantiles;
    size_t most = 1;

    for (const char *c = text; c && *c; c++)
        most += *c == ',';
    run->quantiles = text ? calloc(most, sizeof *run->quantiles) : NULL;
    if (text && !run->quantiles)
        return ki_fail_memory(err, most * sizeof *run->quantiles, "quantiles");
    while (text) {
        char *end;
        const double q = strtod(text, &end);

        if (end == text || (*end && *end != ',') || !(q >= 0 && q <= 1))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "--quantiles: '%s': they are numbers from 0 to 1 with commas between them", text);
        run->quantiles[run->quantile_count++] = q;
        text = *end ? end + 1 : NULL;
    }
    return KN_OK;
}

kn_status stats_read_windows(struct stats_run *run, kn_error *err)
{
    const struct stats_arguments *arguments = run->arguments;
    const struct {
        const char *option;
        bool given;
    } needing[] = {{"step", arguments->step != NULL},
                   {"partial", arguments->partial},
                   {"quantiles", arguments->quantiles != NULL}};
    kn_status status;

    for (size_t i = 0; i < KI_COUNT(needing); i++)
        if (needing[i].given && !arguments->window)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--%s is about windows; give --window, too",
                           needing[i].option);
    if (arguments->window && arguments->missing == CSV_MISSING_OMIT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--window and --missing omit do not go together: without its missing cells a column "
                       "has no times; --missing propagate keeps them");
    status = read_length("window", arguments->window, &run->window, err);
    if (!status)
        status = read_length("step", arguments->step, &run->step, err);
    run->step = arguments->step ? run->step : run->window;
    return status ? status : read_quantiles(run, err);
}

// ---- rows ----

// The rows of a length; a file's rate makes them of seconds.
static kn_status rows_of(const char *file, const char *option, const struct stats_length *length,
                         const struct stats_series *series, size_t *rows, kn_error *err)
{
    double value = length->value;

    if (length->in_seconds && !(series->rate > 0))
        return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                          "--%s is a duration, but the file has neither times nor a rate; give a number of "
                          "rows",
                          option);
    if (length->in_seconds)
        value = round(value * series->rate);
    if (!(value >= 1 && value <= 0x1p53))
        return ki_fail_at(err, KN_ERROR_INPUT, file, 0, "--%s: %g s are %g rows at the file's %g Hz", option,
                          length->value, value, series->rate);
    *rows = (size_t)value;
    return KN_OK;
}

// A stretch of rows without a gap, and the windows in it.
struct stretch {
    size_t first, rows;
};

struct windows {
    const struct stats_run *run;
    const struct stats_config *config;
    const struct csv_column *column;
    const struct stats_series *series;
    size_t width, step;
    struct stats_windows *to;
};

// Stretch i of the column: with --gap as many as there are gaps, and one.
static struct stretch stretch_at(const struct windows *w, size_t i)
{
    const struct stats_series *series = w->series;
    const size_t gaps = w->run->gap > 0 ? series->gap_count : 0;
    const size_t first = i > 0 ? series->gaps[i - 1] : 0, end = i < gaps ? series->gaps[i] : w->column->count;

    return (struct stretch){first, end - first};
}

static size_t stretch_count(const struct windows *w)
{
    return 1 + (w->run->gap > 0 ? w->series->gap_count : 0);
}

static size_t count_in(const struct windows *w, const struct stretch *stretch)
{
    return kn_window_count(stretch->rows, w->width, w->step, w->run->arguments->partial);
}

static double start_of(const struct stats_series *series, size_t row)
{
    if (series->times)
        return series->times[row] - series->times[0];
    return series->rate > 0 ? (double)row / series->rate : (double)row;
}

static kn_status allocate(struct windows *w, kn_error *err)
{
    struct stats_windows *to = w->to;
    size_t room;

    for (size_t i = 0; i < stretch_count(w); i++) {
        const struct stretch stretch = stretch_at(w, i);
        to->count += count_in(w, &stretch);
    }
    room = to->count + 1;
    to->starts = calloc(room, sizeof *to->starts);
    to->results = calloc(room, sizeof *to->results);
    to->quantiles = calloc(room, (w->run->quantile_count + 1) * sizeof *to->quantiles);
    return to->starts && to->results && to->quantiles
               ? KN_OK
               : ki_fail_memory(err, room * sizeof *to->results, "the statistics of windows");
}

// ---- computing ----

static kn_host_options host_options(kn_stats_variant variant)
{
    const bool parallel = variant == KN_STATS_PARALLEL || variant == KN_STATS_PARALLEL_VECTORIZED;
    const bool vectors = variant == KN_STATS_VECTORIZED || variant == KN_STATS_PARALLEL_VECTORIZED;

    return KN_INIT(kn_host_options, .threads = parallel ? 0 : 1,
                   .level = vectors ? KN_HOST_AUTO : KN_HOST_SCALAR);
}

// The windows of a stretch, whose elements are `x`, from window `to` on.
static kn_status compute_stretch(const struct windows *w, const void *x, size_t rows, size_t to,
                                 kn_error *err)
{
    const struct stats_run *run = w->run;
    const kn_type type = w->config->single ? KN_F32 : KN_F64;
    kn_queue *queue = run->places[w->config->place].queue;
    const kn_window_options how = KN_INIT(
        kn_window_options, .partial = run->arguments->partial, .quantiles = run->quantiles,
        .quantile_count = run->quantile_count,
        .mad_scale = run->arguments->mad_scale == MAD_SCALE_NORMAL ? KN_STATS_MAD_NORMAL : KN_STATS_MAD_RAW);
    const kn_host_options host = host_options(w->config->variant);
    kn_stats *results = w->to->results + to;
    double *quantiles = w->to->quantiles + to * run->quantile_count;
    kn_buffer *buffer = NULL;
    kn_status status;

    if (!queue)
        return kn_host_windows(x, type, rows, w->width, w->step, results, quantiles, &how, &host, err);
    status = kn_buffer_create(run->places[w->config->place].context, rows * kn_type_size(type), &buffer, err);
    if (!status)
        status = kn_buffer_write(queue, buffer, 0, x, rows * kn_type_size(type), err);
    if (!status)
        status = kn_windows(queue, buffer, type, rows, w->width, w->step, results, quantiles, &how, err);
    kn_buffer_free(buffer);
    return status;
}

static kn_status compute_stretches(const struct windows *w, const void *x, kn_error *err)
{
    const size_t size = w->config->single ? sizeof(float) : sizeof(double);
    kn_status status = KN_OK;

    for (size_t i = 0, to = 0; i < stretch_count(w) && !status; i++) {
        const struct stretch stretch = stretch_at(w, i);
        const size_t count = count_in(w, &stretch);

        if (count > 0)
            status = compute_stretch(w, (const char *)x + stretch.first * size, stretch.rows, to, err);
        for (size_t k = 0; k < count && !status; k++)
            w->to->starts[to + k] = start_of(w->series, stretch.first + k * w->step);
        to += count;
    }
    return ki_error_unname(status, err);
}

static kn_status compute_as_floats(const struct windows *w, kn_error *err)
{
    float *x = calloc(w->column->count + 1, sizeof *x);
    kn_status status;

    if (!x)
        return ki_fail_memory(err, w->column->count * sizeof *x, "a column in single precision");
    for (size_t i = 0; i < w->column->count; i++)
        x[i] = (float)w->column->values[i];
    status = compute_stretches(w, x, err);
    free(x);
    return status;
}

kn_status stats_compute_windows(const struct stats_run *run, const struct stats_config *config,
                                const struct csv_column *column, const struct stats_series *series,
                                struct stats_row *row, kn_error *err)
{
    struct windows w = {
        .run = run, .config = config, .column = column, .series = series, .to = &row->windows};
    const double start = ki_clock_seconds();
    kn_status status = rows_of(row->file, "window", &run->window, series, &w.width, err);

    if (!status)
        status = rows_of(row->file, "step", &run->step, series, &w.step, err);
    if (!status)
        status = allocate(&w, err);
    if (!status && row->windows.count == 0)
        status = ki_fail_at(err, KN_ERROR_INPUT, row->file, 0,
                            "column %s has %zu rows%s, and a window %zu; --partial takes fewer", row->column,
                            column->count, stretch_count(&w) > 1 ? " with gaps between them" : "", w.width);
    if (!status)
        status = config->single ? compute_as_floats(&w, err) : compute_stretches(&w, column->values, err);
    row->windows.seconds = ki_clock_seconds() - start;
    return status;
}

void stats_windows_free(struct stats_windows *windows)
{
    free(windows->starts);
    free(windows->results);
    free(windows->quantiles);
}
