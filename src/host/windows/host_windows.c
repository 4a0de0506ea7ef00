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

struct windows {
    const char *x;
    kn_type type;
    struct window_grid grid;
    const struct host_plan *plan;
    const struct host_quicksort *quicksort;
    struct host_codec codec;
    kn_window_options options;
    kn_stats *results;
    double *quantiles;
    char *memory; // of each thread
    size_t each;  // bytes of it
};

// The memory of a thread: a window of doubles, one in the column's type, and the sums of its leaves.
struct room {
    double *sorted;
    void *keys;
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
    return w->type == KN_F32 ? aligned(w->grid.width * sizeof(float)) : 0;
}

static struct room room_of(const struct windows *w)
{
    char *memory = w->memory + ki_thread() * w->each;
    char *keys = w->type == KN_F32 ? memory + bytes_of_doubles(w) : memory;

    return (struct room){(double *)(void *)memory, keys,
                         (kn_sums *)(void *)(memory + bytes_of_doubles(w) + bytes_of_keys(w))};
}

// The n elements sorted, as doubles: NaN last.
static void sort_window(const struct windows *w, const void *x, size_t n, const struct room *room)
{
    const size_t size = w->plan->size;

    memcpy(room->keys, x, n * size);
    w->quicksort->encode(room->keys, n, &w->codec);
    w->quicksort->sort(room->keys, n, host_least(size), ~host_least(size), &w->codec);
    if (w->type == KN_F32)
        for (size_t i = 0; i < n; i++)
            room->sorted[i] = (double)((const float *)room->keys)[i];
}

// The elements up to the middle one and those from it on deviate from the median in two ascending runs: how
// many of the first run are among the `taken` that deviate least.
static size_t lower_among(const double *sorted, size_t n, double median, size_t taken)
{
    const size_t lowers = n / 2, uppers = n - lowers;
    size_t least = taken > uppers ? taken - uppers : 0, most = taken < lowers ? taken : lowers;

    while (least < most) {
        size_t lower = least + (most - least) / 2;
        if (median - sorted[lowers - 1 - lower] < sorted[lowers + taken - lower - 1] - median)
            least = lower + 1;
        else
            most = lower;
    }
    return least;
}

static double mad_of(const double *sorted, size_t n, double median)
{
    const size_t taken = (n - 1) / 2 + 1, lowers = n / 2;
    size_t lower = lower_among(sorted, n, median, taken), upper = taken - lower;
    double last = 0, next = INFINITY;

    if (lower > 0)
        last = median - sorted[lowers - lower];
    if (upper > 0 && sorted[lowers + upper - 1] - median > last)
        last = sorted[lowers + upper - 1] - median;
    if (n % 2)
        return last + 0.0;
    if (lower < lowers)
        next = median - sorted[lowers - 1 - lower];
    if (lowers + upper < n && sorted[lowers + upper] - median < next)
        next = sorted[lowers + upper] - median;
    return ki_middle(last, next);
}

static double quantile_of(const double *sorted, size_t n, double q)
{
    double position = q * (double)(n - 1);
    size_t rank = (size_t)floor(position), next;

    rank = rank < n ? rank : n - 1; // n - 1 was rounded up
    next = rank + 1 < n ? rank + 1 : n - 1;
    return ki_between(sorted[rank], sorted[next], position - floor(position));
}

static void set_moments(const struct windows *w, const void *x, size_t n, kn_sums *leaves, kn_stats *result)
{
    const double shift = ki_host_moments_shift(x, w->type, n);
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

static void compute_window(void *context, size_t i)
{
    const struct windows *w = context;
    const struct room room = room_of(w);
    const size_t first = i * w->grid.step, rest = w->grid.n - first;
    const size_t n = rest < w->grid.width ? rest : w->grid.width;
    const void *x = w->x + first * w->plan->size;
    kn_stats *result = &w->results[i];
    double *quantiles = w->quantiles + i * w->options.quantile_count;
    bool is_nan;

    *result = (kn_stats){n, NAN, NAN, NAN, NAN, NAN};
    sort_window(w, x, n, &room);
    is_nan = isnan(room.sorted[n - 1]);
    for (size_t k = 0; k < w->options.quantile_count; k++)
        quantiles[k] = is_nan ? NAN : quantile_of(room.sorted, n, w->options.quantiles[k]);
    if (is_nan)
        return;
    set_moments(w, x, n, room.leaves, result);
    result->median = n % 2 ? room.sorted[n / 2] + 0.0 : ki_middle(room.sorted[n / 2 - 1], room.sorted[n / 2]);
    if (isfinite(result->median))
        result->mad = mad_of(room.sorted, n, result->median) / ki_window_mad_divisor(w->options.mad_scale);
}

static kn_status compute_windows(struct windows *w, kn_error *err)
{
    unsigned threads = ki_host_threads(w->plan, w->grid.count * w->grid.width * w->plan->size);

    w->each =
        bytes_of_doubles(w) + bytes_of_keys(w) + aligned(ki_host_leaf_count(w->grid.width) * sizeof(kn_sums));
    w->memory = ki_kept_take_array(w->plan->kept, threads, w->each);
    if (!w->memory)
        return ki_fail_memory(err, threads * w->each, "windows");
    ki_parallel(threads, w->grid.count, KI_DYNAMIC, compute_window, w);
    ki_kept_give(w->plan->kept, w->memory);
    return KN_OK;
}

kn_status kn_host_windows(const void *x, kn_type type, size_t n, size_t width, size_t step, kn_stats *results,
                          double *quantiles, const kn_window_options *options, const kn_host_options *host,
                          kn_error *err)
{
    struct host_plan plan;
    struct windows w = {.x = x, .type = type, .plan = &plan, .results = results, .quantiles = quantiles};
    kn_status status = ki_host_plan("kn_host_windows", type, host, &plan, err);

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
