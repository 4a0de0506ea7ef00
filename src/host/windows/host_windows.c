// SPDX-License-Identifier: Apache-2.0
// Windows every so many elements on the host: kn_host_windows.
#include "windows.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "host/sort/host_sort.h"
#include "host/stats/host_moments.h"
#include "host/stats/host_sums.h"
#include "host/stats/moments_finish.h"
#include "sorted_runs.h"

// A window's elements are sorted in runs, which neighbouring windows share.
struct windows {
    const char *x;
    kn_type type;
    struct window_grid grid;
    size_t run, runs; // elements of a run; runs of a window
    size_t stretch;   // windows that a thread computes one after the other
    const struct host_plan *plan;
    const struct host_quicksort *quicksort;
    struct host_codec codec;
    kn_window_options options;
    kn_stats *results;
    double *quantiles;
    char *memory; // of each thread
    size_t each;  // bytes of it
};

// The memory of a thread: the runs of a window, a run in the column's type, and the sums of a window's
// leaves.
struct room {
    double *sorted; // run r of the column is number r modulo w->runs
    void *keys;     // NULL for doubles
    kn_sums *leaves;
};

static size_t aligned(size_t bytes)
{
    return (bytes + KI_KEPT_ALIGNMENT - 1) / KI_KEPT_ALIGNMENT * KI_KEPT_ALIGNMENT;
}

static size_t bytes_of_doubles(const struct windows *w)
{
    return aligned(w->grid.width * sizeof(double));
}

static size_t bytes_of_keys(const struct windows *w)
{
    return w->type == KN_F32 ? aligned(w->run * sizeof(float)) : 0;
}

static struct room room_of(const struct windows *w)
{
    char *memory = w->memory + ki_thread() * w->each;
    char *keys = w->type == KN_F32 ? memory + bytes_of_doubles(w) : NULL;

    return (struct room){(double *)(void *)memory, keys,
                         (kn_sums *)(void *)(memory + bytes_of_doubles(w) + bytes_of_keys(w))};
}

// The n elements sorted, as doubles: NaN last.
static void sort_run(const struct windows *w, const void *x, size_t n, const struct room *room, double *to)
{
    const size_t size = w->plan->size;
    void *keys = room->keys ? room->keys : to;

    memcpy(keys, x, n * size);
    w->quicksort->encode(keys, n, &w->codec);
    w->quicksort->sort(keys, n, host_least(size), ~host_least(size), &w->codec);
    if (room->keys)
        for (size_t i = 0; i < n; i++)
            to[i] = (double)((const float *)keys)[i];
}

// The runs of window i, of n elements; sorts those behind the first *sorted of the column.
static struct sorted_runs sort_window(const struct windows *w, size_t i, size_t n, const struct room *room,
                                      size_t *sorted)
{
    struct sorted_runs runs = {.n = n, .count = (n - 1) / w->run + 1};

    for (size_t k = 0; k < runs.count; k++) {
        const size_t r = i + k, rest = n - k * w->run, count = rest < w->run ? rest : w->run;
        double *to = room->sorted + r % w->runs * w->run;
        if (r >= *sorted)
            sort_run(w, w->x + r * w->grid.step * w->plan->size, count, room, to);
        runs.items[k] = (struct sorted_run){to, count};
    }
    *sorted = i + runs.count;
    return runs;
}

static bool has_nan(const struct sorted_runs *runs)
{
    bool found = false;

    for (size_t k = 0; k < runs->count; k++)
        found |= isnan(runs->items[k].elements[runs->items[k].count - 1]);
    return found;
}

static double quantile_of(const struct sorted_runs *runs, double q)
{
    const double position = q * (double)(runs->n - 1);
    const size_t rank = (size_t)floor(position), last = runs->n - 1;
    double element, next;

    ki_sorted_runs_pick(runs, rank < last ? rank : last, &element, &next); // n - 1 may be rounded up
    return ki_between(element, next, position - floor(position));
}

static void set_moments(const struct windows *w, const void *x, size_t n, kn_sums *leaves, kn_stats *result)
{
    const double shift = ki_host_moments_shift(x, w->type, n, w->plan->level);
    const struct host_column column = {x,    n,     w->type == KN_F32,
                                       true, shift, ki_host_leaf_for(w->plan->level)};
    kn_moments m = {.n = n, .shift = shift};
    kn_sums sums;

    for (size_t i = 0; i < ki_host_leaf_count(n); i++)
        leaves[i] = ki_host_sum_leaf(&column, i);
    sums = ki_host_fold_leaves(leaves, ki_host_leaf_count(n));
    m.sum = sums.sum;
    m.squares = sums.squares;
    ki_moments_from_sums(&m);
    result->mean = m.mean;
    result->std = sqrt(m.variance);
    result->cv = result->std / result->mean + 0.0;
}

static void compute_window(const struct windows *w, size_t i, const struct room *room, size_t *sorted)
{
    const size_t first = i * w->grid.step, rest = w->grid.n - first;
    const size_t n = rest < w->grid.width ? rest : w->grid.width;
    const struct sorted_runs runs = sort_window(w, i, n, room, sorted);
    const bool is_nan = has_nan(&runs);
    kn_stats *result = &w->results[i];
    double *quantiles = w->quantiles + i * w->options.quantile_count;

    *result = (kn_stats){n, NAN, NAN, NAN, NAN, NAN};
    for (size_t k = 0; k < w->options.quantile_count; k++)
        quantiles[k] = is_nan ? NAN : quantile_of(&runs, w->options.quantiles[k]);
    if (is_nan)
        return;
    set_moments(w, w->x + first * w->plan->size, n, room->leaves, result);
    ki_sorted_runs_median_mad(&runs, &result->median, &result->mad);
    result->mad /= ki_window_mad_divisor(w->options.mad_scale);
}

static void compute_stretch(void *context, size_t s)
{
    const struct windows *w = context;
    const struct room room = room_of(w);
    const size_t first = s * w->stretch, rest = w->grid.count - first;
    const size_t end = first + (rest < w->stretch ? rest : w->stretch);
    size_t sorted = first;

    for (size_t i = first; i < end; i++)
        compute_window(w, i, &room, &sorted);
}

// A run is a step where windows have few of them, and each is worth it; else a window.
static void choose_runs(struct windows *w, unsigned threads)
{
    enum { LEAST = 32 /* elements of a run */, SHARES = 4 /* of each thread */, LONGEST = 64 /* windows */ };
    const size_t width = w->grid.width, step = w->grid.step;

    w->runs = width % step == 0 && width / step <= MOST_RUNS && step >= LEAST ? width / step : 1;
    w->run = width / w->runs;
    w->stretch = w->grid.count / (threads * SHARES) + 1;
    w->stretch = w->stretch < LONGEST ? w->stretch : LONGEST;
}

static kn_status compute_windows(struct windows *w, kn_error *err)
{
    unsigned threads = ki_host_threads(w->plan, w->grid.count * w->grid.width * w->plan->size);

    choose_runs(w, threads);
    w->each =
        bytes_of_doubles(w) + bytes_of_keys(w) + aligned(ki_host_leaf_count(w->grid.width) * sizeof(kn_sums));
    w->memory = ki_kept_take_array(w->plan->kept, threads, w->each);
    if (!w->memory)
        return ki_fail_memory(err, threads * w->each, "windows");
    ki_parallel(threads, (w->grid.count - 1) / w->stretch + 1, KI_DYNAMIC, compute_stretch, w);
    ki_kept_give(w->plan->kept, w->memory);
    return KN_OK;
}

kn_status kn_host_windows(const void *x, kn_type type, size_t n, size_t width, size_t step, kn_stats *results,
                          double *quantiles, const kn_window_options *options, const kn_host_options *host,
                          kn_error *err)
{
    struct host_plan plan;
    struct windows w = {.x = x, .type = type, .plan = &plan, .results = results, .quantiles = quantiles};
    kn_status status = ki_host_plan("kn_host_windows", type, n, host, &plan, err);

    if (status)
        return status;
    if (n > 0 && !x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_windows: x is NULL");
    w.grid = (struct window_grid){n, width, step, 0};
    status = ki_window_check("kn_host_windows", type, &w.grid, options, results, quantiles, &w.options, err);
    if (status)
        return status;
    w.grid.count = kn_window_count(n, width, step, w.options.partial);
    w.grid.width = width < n ? width : n;
    w.quicksort = ki_host_quicksort_for(&plan);
    w.codec = ki_host_codec(type, false);
    return w.grid.count == 0 ? KN_OK : compute_windows(&w, err);
}
