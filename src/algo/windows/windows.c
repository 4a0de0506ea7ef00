// SPDX-License-Identifier: Apache-2.0
// Windows every so many elements on a device: kn_windows. Sums, medians and MADs are those of overlapping
// columns (algo/robust); quantiles are picked from sorted windows.
#include <math.h>

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "host/windows/windows.h"
#include "algo/robust/robust.h"
#include "spans.h"

// Slots of scratch memory after those of the spans.
enum { RANKS = SPAN_PLACES, PICKED, PLACES };

struct windows {
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    struct window_grid grid; // `count` full windows; another one follows if `rest` is not 0
    size_t rest;             // number of its elements
    kn_window_options options;
    kn_stats *results;
    double *quantiles;
};

static const char function[] = "kn_windows";

static kn_stats stats_of(const struct windows *w, const kn_robust *robust)
{
    const double std = sqrt(robust->variance);

    return (kn_stats){.n = robust->n,
                      .mean = robust->mean,
                      .std = std,
                      .cv = std / robust->mean + 0.0,
                      .median = robust->median,
                      .mad = robust->mad / ki_window_mad_divisor(w->options.mad_scale)};
}

// The statistics of `count` windows of n elements in `x`.
static kn_status compute_stats(const struct windows *w, const kn_buffer *x, size_t n, size_t count,
                               kn_stats *results, kn_error *err)
{
    kn_robust *robust = ki_kept_take_array(&w->queue->kept, count, sizeof *robust);
    kn_status status;

    if (!robust)
        return ki_fail_memory(err, count * sizeof *robust, "the statistics of windows");
    status =
        ki_robust_columns(function, w->queue, x, w->type, n, w->grid.step, count, NULL, robust, NULL, err);
    for (size_t i = 0; i < count && !status; i++)
        results[i] = stats_of(w, &robust[i]);
    ki_kept_give(&w->queue->kept, robust);
    return status;
}

// ---- quantiles ----

// For each window, two elements a quantile, and the last element, which shows whether there is a NaN.
struct picking {
    const struct windows *w;
    struct window_spans spans;
    size_t count; // elements picked from a window
    uint64_t *ranks;
    void *found; // for the windows that are sorted together
    kn_kernel *pick;
    kn_buffer *rank_buffer, *picked;
};

static void choose_ranks(struct picking *p)
{
    const size_t n = p->w->grid.width;

    for (size_t k = 0; k < p->w->options.quantile_count; k++) {
        size_t rank = (size_t)floor(p->w->options.quantiles[k] * (double)(n - 1));
        rank = rank < n ? rank : n - 1; // n - 1 may be rounded up
        p->ranks[2 * k] = rank;
        p->ranks[2 * k + 1] = rank + 1 < n ? rank + 1 : n - 1;
    }
    p->ranks[p->count - 1] = n - 1;
}

static double found_at(const struct picking *p, size_t i)
{
    return p->w->type == KN_F32 ? (double)((const float *)p->found)[i] : ((const double *)p->found)[i];
}

static void set_quantiles(const struct picking *p, size_t window, size_t from)
{
    const kn_window_options *options = &p->w->options;
    const double last = (double)(p->w->grid.width - 1);
    double *to = p->w->quantiles + window * options->quantile_count;

    for (size_t k = 0; k < options->quantile_count; k++) {
        const double position = options->quantiles[k] * last;
        to[k] = isnan(found_at(p, from + p->count - 1))
                    ? NAN
                    : ki_between(found_at(p, from + 2 * k), found_at(p, from + 2 * k + 1),
                                 position - floor(position));
    }
}

static kn_status pick_some(struct picking *p, uint64_t first, uint64_t windows, kn_error *err)
{
    const uint64_t count = p->count, total = windows * count;
    const kn_range range = ki_window_spans_range(total);
    const kn_arg args[] = {KN_BUFFER(p->spans.places[SPAN_KEYS]),
                           KN_VALUE(p->spans.length),
                           KN_VALUE(windows),
                           KN_BUFFER(p->rank_buffer),
                           KN_VALUE(count),
                           KN_BUFFER(p->picked)};
    kn_status status = ki_window_spans_sort(&p->spans, first, windows, err);

    if (!status)
        status = kn_launch(p->w->queue, p->pick, &range, args, KI_COUNT(args), NO_EVENT, err);
    if (!status)
        status = kn_buffer_read(p->w->queue, p->picked, 0, p->found, total * kn_type_size(p->w->type), err);
    for (size_t i = 0; i < windows && !status; i++)
        set_quantiles(p, first + i, i * p->count);
    return status;
}

static kn_status pick_all(struct picking *p, kn_error *err)
{
    const size_t rank_bytes = p->count * sizeof *p->ranks;
    const size_t bytes = p->spans.most * p->count * kn_type_size(p->w->type);
    kn_status status = ki_engine_scratch_get(&p->spans.scratch, RANKS, rank_bytes, &p->rank_buffer, err);

    if (!status)
        status = ki_engine_scratch_get(&p->spans.scratch, PICKED, bytes, &p->picked, err);
    p->ranks = ki_kept_take(&p->w->queue->kept, rank_bytes);
    p->found = ki_kept_take(&p->w->queue->kept, bytes);
    if (!status && (!p->ranks || !p->found))
        status = ki_fail_memory(err, rank_bytes + bytes, "elements of windows");
    if (!status) {
        choose_ranks(p);
        status = kn_buffer_write(p->w->queue, p->rank_buffer, 0, p->ranks, rank_bytes, err);
    }
    for (uint64_t first = 0; first < p->spans.all && !status; first += p->spans.most) {
        const uint64_t left = p->spans.all - first;
        status = pick_some(p, first, left < p->spans.most ? left : p->spans.most, err);
    }
    ki_kept_give(&p->w->queue->kept, p->found);
    ki_kept_give(&p->w->queue->kept, p->ranks);
    return status;
}

static kn_status compute_quantiles(const struct windows *w, kn_error *err)
{
    struct picking p = {.w = w,
                        .spans = {.function = function,
                                  .queue = w->queue,
                                  .x = w->x,
                                  .type = w->type,
                                  .n = w->grid.n,
                                  .stride = w->grid.step,
                                  .length = w->grid.width,
                                  .all = w->grid.count},
                        .count = 2 * w->options.quantile_count + 1};
    kn_status status = ki_window_spans_kernel(&p.spans, "window_pick", &p.pick, err);

    if (status)
        return status;
    status = ki_window_spans_open(&p.spans, PLACES - SPAN_PLACES, err);
    if (!status)
        status = pick_all(&p, err);
    ki_engine_scratch_close(&p.spans.scratch);
    return status;
}

// ---- all windows ----

// The last window, which is not full, in separate memory.
static kn_status compute_rest(const struct windows *w, kn_error *err)
{
    const size_t size = kn_type_size(w->type), bytes = w->rest * size, i = w->grid.count;
    const kn_window_options *options = &w->options;
    kn_buffer *copy = NULL;
    kn_status status = kn_buffer_create(w->queue->context, bytes, &copy, err);

    if (!status)
        status = kn_buffer_copy(w->queue, w->x, i * w->grid.step * size, copy, 0, bytes, NO_EVENT, err);
    if (!status)
        status = compute_stats(w, copy, w->rest, 1, &w->results[i], err);
    if (!status && options->quantile_count > 0)
        status = kn_quantiles(w->queue, copy, w->type, w->rest, options->quantiles, options->quantile_count,
                              w->quantiles + i * options->quantile_count, NULL, err);
    kn_buffer_free(copy);
    return status;
}

kn_status kn_windows(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t width, size_t step,
                     kn_stats *results, double *quantiles, const kn_window_options *options, kn_error *err)
{
    struct windows w = {.queue = queue,
                        .x = x,
                        .type = type,
                        .grid = {n, width, step, 0},
                        .results = results,
                        .quantiles = quantiles};
    kn_status status = ki_window_check(function, type, &w.grid, options, results, quantiles, &w.options, err);

    if (!status)
        status = ki_window_check_buffer(function, queue, "x", x, type, n, err);
    if (status)
        return status;
    w.grid.count = kn_window_count(n, width, step, false);
    if (kn_window_count(n, width, step, w.options.partial) > w.grid.count)
        w.rest = n - w.grid.count * step;
    if (w.grid.count > 0)
        status = compute_stats(&w, x, width, w.grid.count, results, err);
    if (!status && w.grid.count > 0 && w.options.quantile_count > 0)
        status = compute_quantiles(&w, err);
    return status || w.rest == 0 ? status : compute_rest(&w, err);
}
