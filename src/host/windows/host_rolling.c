// SPDX-License-Identifier: Apache-2.0
// A window at every element on the host: kn_host_rolling.
#include <math.h>

#include "base/error.h"
#include "span.h"

struct rolling {
    const char *x;
    kn_type type;
    size_t size; // of an element
    struct window_rolling windows;
    size_t outputs; // of a stretch
    const struct host_quicksort *quicksort;
    void *medians, *mads;
    char *memory; // of each thread
    size_t each;  // bytes of it
};

static void put(const struct rolling *r, void *to, size_t i, double value)
{
    if (r->type == KN_F32)
        ((float *)to)[i] = (float)value;
    else
        ((double *)to)[i] = value;
}

static void roll_stretch(void *context, size_t s)
{
    const struct rolling *r = context;
    const struct window_rolling *windows = &r->windows;
    const size_t begin = s * r->outputs, left = windows->n - begin;
    const size_t stop = left > r->outputs ? begin + r->outputs : windows->n;
    const size_t first = window_first(windows, begin), end = window_end(windows, stop - 1);
    const double divisor = ki_window_mad_divisor(windows->options.mad_scale);
    struct window_span span = ki_window_span_in(r->memory + ki_thread() * r->each, end - first);
    struct window_walk walk;

    ki_window_span_sort(&span, r->x + first * r->size, r->type, r->quicksort);
    ki_window_walk_begin(&walk, &span, 0, r->mads != NULL);
    for (size_t i = begin; i < stop; i++) {
        const size_t from = window_first(windows, i), to = window_end(windows, i);
        double median = NAN, mad = NAN;
        ki_window_walk_to(&walk, from - first, to - first, &median, &mad);
        if (windows->options.edges == KN_WINDOW_OMIT && to - from < windows->width)
            median = mad = NAN;
        if (r->medians)
            put(r, r->medians, i, median);
        if (r->mads)
            put(r, r->mads, i, mad / divisor);
    }
}

static kn_status roll(struct rolling *r, const struct host_plan *plan, kn_error *err)
{
    enum { LEAST = 32 }; // outputs of a stretch
    const size_t n = r->windows.n, width = r->windows.width < n ? r->windows.width : n;
    const unsigned threads = ki_host_threads(plan, n * 2 * sizeof(double));

    r->outputs = width < LEAST ? LEAST : width;
    r->each = ki_window_span_bytes(r->outputs + width);
    r->memory = ki_kept_take_array(plan->kept, threads, r->each);
    if (!r->memory)
        return ki_fail_memory(err, threads * r->each, "stretches of a column");
    ki_parallel(threads, (n - 1) / r->outputs + 1, KI_DYNAMIC, roll_stretch, r);
    ki_kept_give(plan->kept, r->memory);
    return KN_OK;
}

kn_status kn_host_rolling(const void *x, kn_type type, size_t n, size_t width, void *medians, void *mads,
                          const kn_rolling_options *options, const kn_host_options *host, kn_error *err)
{
    struct host_plan plan, keys; // the keys have 64 bits
    struct rolling r = {.x = x, .type = type, .medians = medians, .mads = mads};
    kn_status status = ki_host_plan("kn_host_rolling", type, n, host, &plan, err);

    if (!status)
        status = ki_window_check_rolling("kn_host_rolling", type, n, width, options, &r.windows, err);
    if (status)
        return status;
    if ((n > 0 && !x) || (x && (x == medians || x == mads)))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_rolling: x is NULL, or an output as well");
    if (n == 0 || (!medians && !mads))
        return KN_OK;
    keys = plan;
    keys.size = sizeof(int64_t);
    r.size = plan.size;
    r.quicksort = ki_host_quicksort_for(&keys);
    return roll(&r, &plan, err);
}
