// SPDX-License-Identifier: Apache-2.0
// Windows of `koine stats`: what --window, --step and --quantiles say, and the statistics of each window.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <koine/window.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "cli/framework/memory.h"
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
                   "--%s: '%s' is neither a whole number of rows of at least 1 nor a duration above 0, such "
                   "as 60s, 5min, 500ms or 1h",
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
                           "--quantiles: '%s' is not a list of numbers from 0 to 1, separated by commas",
                           text);
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
            return ki_fail(err, KN_ERROR_ARGUMENT, "--%s needs --window", needing[i].option);
    if (arguments->window && arguments->missing == CSV_MISSING_OMIT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--window and --missing omit cannot be combined: a column without its missing cells "
                       "has no times; --missing propagate keeps them");
    status = read_length("window", arguments->window, &run->window, err);
    if (!status)
        status = read_length("step", arguments->step, &run->step, err);
    run->step = arguments->step ? run->step : run->window;
    return status ? status : read_quantiles(run, err);
}

// ---- rows ----

// Whether windows are of seconds where rows are at no rate, as beats: each then has the rows of its time.
static bool is_by_time(const struct stats_run *run, const struct stats_series *series)
{
    return run->window.in_seconds && run->step.in_seconds && series->times && !(series->rate > 0);
}

// The rows of a length; a file's rate makes them of seconds.
static kn_status rows_of(const char *file, const char *option, const struct stats_length *length,
                         const struct stats_series *series, size_t *rows, kn_error *err)
{
    double value = length->value;

    if (length->in_seconds && !(series->rate > 0))
        return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                          series->times ? "--%s is a duration, but the rows have no constant rate; give a "
                                          "number of rows, or durations for both --window and --step"
                                        : "--%s is a duration, but the file has neither times nor a rate; "
                                          "give a number of rows",
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

// A window by time: its rows, and its first moment in seconds from the first row on.
struct timed {
    size_t first, rows;
    double start;
};

struct windows {
    const struct stats_run *run;
    const struct stats_config *config;
    const struct csv_column *column;
    const struct stats_series *series;
    size_t width, step; // in rows; by time the most rows of a window
    bool by_time;
    struct timed *timed; // these windows, where they are by time
    size_t timed_count, timed_capacity;
    double first_time;
    size_t held; // rows that are computed at a time
    void *rows;  // room for them, where the column's values cannot be taken as they are
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

// The windows by time of a stretch, of those that have a row; the last ones, which the rows' times do not
// fill, with --partial.
static kn_status find_timed_in(struct windows *w, const struct stretch *stretch, struct spool_view *times,
                               kn_error *err)
{
    const double width = w->run->window.value, step = w->run->step.value;
    const size_t end = stretch->first + stretch->rows;
    const double begin = spool_view_at(times, stretch->first), last = spool_view_at(times, end - 1);
    size_t first = stretch->first, next;

    for (size_t k = 0;; k++) {
        const double from = begin + (double)k * step;
        struct timed timed = {.start = from - w->first_time};

        if (from > last || (from + width > last && !w->run->arguments->partial))
            return KN_OK;
        while (first < end && spool_view_at(times, first) < from)
            first++;
        for (next = first; next < end && spool_view_at(times, next) < from + width;)
            next++;
        timed.first = first;
        timed.rows = next - first;
        w->width = timed.rows > w->width ? timed.rows : w->width;
        if (timed.rows && !KI_ARRAY_PUSH(w->timed, w->timed_count, w->timed_capacity, timed))
            return ki_fail_memory(err, 0, "finding windows");
    }
}

static kn_status find_timed(struct windows *w, kn_error *err)
{
    struct spool_view times;
    kn_status status = KN_OK, viewed;

    csv_column_view(w->series->times, &times, err);
    w->first_time = spool_view_at(&times, 0);
    for (size_t i = 0; i < stretch_count(w) && !status; i++) {
        const struct stretch stretch = stretch_at(w, i);

        if (stretch.rows)
            status = find_timed_in(w, &stretch, &times, err);
    }
    viewed = spool_view_close(&times);
    return status ? status : viewed;
}

// When each window of a stretch begins; those from number `to` on.
static void add_starts(const struct windows *w, struct spool_view *times, const struct stretch *stretch,
                       size_t to)
{
    const size_t count = count_in(w, stretch);

    for (size_t k = 0; k < count; k++) {
        const size_t row = stretch->first + k * w->step;

        w->to->starts[to + k] = w->series->times      ? spool_view_at(times, row) - w->first_time
                                : w->series->rate > 0 ? (double)row / w->series->rate
                                                      : (double)row;
    }
}

static kn_status find_starts(struct windows *w, kn_error *err)
{
    struct spool_view times = {.values = NULL};

    if (w->series->times) {
        csv_column_view(w->series->times, &times, err);
        w->first_time = spool_view_at(&times, 0);
    }
    for (size_t i = 0, to = 0; i < stretch_count(w); i++) {
        const struct stretch stretch = stretch_at(w, i);

        add_starts(w, &times, &stretch, to);
        to += count_in(w, &stretch);
    }
    return spool_view_close(&times);
}

static kn_status allocate(struct windows *w, kn_error *err)
{
    struct stats_windows *to = w->to;
    const size_t each =
        sizeof *to->starts + sizeof *to->results + (w->run->quantile_count + 1) * sizeof *to->quantiles;
    kn_status status;
    size_t room;

    to->count = w->timed_count;
    for (size_t i = 0; i < stretch_count(w) && !w->by_time; i++) {
        const struct stretch stretch = stretch_at(w, i);
        to->count += count_in(w, &stretch);
    }
    room = to->count + 1;
    status =
        stats_check_memory(w->run, (double)room * (double)each, "keeping the statistics of all windows", err);
    if (status)
        return status;
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

// The windows of so many elements each of `x`, which has `rows`, from window `to` on.
static kn_status compute_rows(const struct windows *w, const void *x, size_t rows, size_t width, size_t step,
                              size_t to, kn_error *err)
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
        return kn_host_windows(x, type, rows, width, step, results, quantiles, &how, &host, err);
    status = kn_buffer_create(run->places[w->config->place].context, rows * kn_type_size(type), &buffer, err);
    if (!status)
        status = kn_buffer_write(queue, buffer, 0, x, rows * kn_type_size(type), err);
    if (!status)
        status = kn_windows(queue, buffer, type, rows, width, step, results, quantiles, &how, err);
    kn_buffer_free(buffer);
    return status;
}

// Rows of the column in the precision of the configuration.
static kn_status rows_at(const struct windows *w, size_t first, size_t count, const void **x, kn_error *err)
{
    const struct csv_column *column = w->column;
    struct spool_view view;
    float *singles = w->rows;

    *x = w->rows;
    if (!w->config->single && column->spool)
        return spool_read(column->spool, first, w->rows, count, err);
    if (!w->config->single) {
        *x = column->values + first;
        return KN_OK;
    }
    csv_column_view(column, &view, err);
    for (size_t i = 0; i < count; i++)
        singles[i] = (float)spool_view_at(&view, first + i);
    return spool_view_close(&view);
}

// A stretch's windows, as many at a time as the rows that are held have.
static kn_status compute_parts(const struct windows *w, const struct stretch *stretch, size_t to,
                               kn_error *err)
{
    const size_t count = count_in(w, stretch);
    const size_t at_once = stretch->rows <= w->held ? count : (w->held - w->width) / w->step + 1;
    kn_status status = KN_OK;

    for (size_t k = 0; k < count && !status; k += at_once) {
        const size_t last = count - k < at_once ? count - 1 : k + at_once - 1, first = k * w->step;
        const size_t left = stretch->rows - first, wanted = (last - k) * w->step + w->width;
        const size_t rows = wanted < left ? wanted : left;
        const void *x;

        status = rows_at(w, stretch->first + first, rows, &x, err);
        if (!status)
            status = compute_rows(w, x, rows, w->width, w->step, to + k, err);
    }
    return status;
}

static kn_status compute_stretches(const struct windows *w, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0, to = 0; i < stretch_count(w) && !status; i++) {
        const struct stretch stretch = stretch_at(w, i);

        status = compute_parts(w, &stretch, to, err);
        to += count_in(w, &stretch);
    }
    return ki_error_unname(status, err);
}

static kn_status compute_timed(const struct windows *w, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < w->timed_count && !status; i++) {
        const size_t rows = w->timed[i].rows;
        const void *x;

        w->to->starts[i] = w->timed[i].start;
        status = rows_at(w, w->timed[i].first, rows, &x, err);
        if (!status)
            status = compute_rows(w, x, rows, rows, rows, i, err);
    }
    return ki_error_unname(status, err);
}

// Room for rows that are not in memory as they are wanted: all, or a quarter of the memory that is left.
static kn_status take_rows(struct windows *w, kn_error *err)
{
    const size_t size = w->config->single ? sizeof(float) : sizeof(double), all = w->column->count;
    const size_t left = stats_memory_left(w->run) / 4 / size;
    const size_t least = w->width < all ? w->width : all;

    w->held = !w->column->spool || left > all ? all : left;
    if (!w->column->spool && !w->config->single)
        return KN_OK;
    if (w->held < least)
        return ki_fail(err, KN_ERROR_MEMORY,
                       "a window of %zu rows needs some %.0f MB of memory, but --memory-limit or the machine "
                       "leaves %.0f MB",
                       w->width, 4.0 * (double)(least * size) * 1e-6, 4.0 * (double)(left * size) * 1e-6);
    w->rows = malloc((w->held + 1) * size);
    return w->rows ? KN_OK : ki_fail_memory(err, w->held * size, "the rows of windows");
}

// How wide windows are, and by time which they are.
static kn_status settle(struct windows *w, const char *file, kn_error *err)
{
    kn_status status;

    if (w->by_time)
        return find_timed(w, err);
    status = rows_of(file, "window", &w->run->window, w->series, &w->width, err);
    return status ? status : rows_of(file, "step", &w->run->step, w->series, &w->step, err);
}

// No window is full.
static kn_status fail_short(const struct windows *w, const struct stats_row *row, kn_error *err)
{
    const char *gaps = stretch_count(w) > 1 ? " with gaps between them" : "";

    if (w->by_time)
        return ki_fail_at(
            err, KN_ERROR_INPUT, row->file, 0,
            "column %s has %zu rows%s, which do not fill a window of %g s; --partial allows shorter windows",
            row->column, w->column->count, gaps, w->run->window.value);
    return ki_fail_at(err, KN_ERROR_INPUT, row->file, 0,
                      "column %s has %zu rows%s, but a window has %zu; --partial allows shorter windows",
                      row->column, w->column->count, gaps, w->width);
}

kn_status stats_compute_windows(const struct stats_run *run, const struct stats_config *config,
                                const struct csv_column *column, const struct stats_series *series,
                                struct stats_row *row, kn_error *err)
{
    struct windows w = {.run = run,
                        .config = config,
                        .column = column,
                        .series = series,
                        .by_time = is_by_time(run, series),
                        .to = &row->windows};
    const double start = ki_clock_seconds();
    kn_status status = settle(&w, row->file, err);

    if (!status)
        status = allocate(&w, err);
    if (!status && row->windows.count == 0)
        status = fail_short(&w, row, err);
    if (!status)
        status = take_rows(&w, err);
    if (!status)
        status = w.by_time ? compute_timed(&w, err) : compute_stretches(&w, err);
    if (!status && !w.by_time)
        status = find_starts(&w, err);
    free(w.timed);
    free(w.rows);
    row->windows.seconds = ki_clock_seconds() - start;
    return status;
}

void stats_windows_free(struct stats_windows *windows)
{
    free(windows->starts);
    free(windows->results);
    free(windows->quantiles);
}
