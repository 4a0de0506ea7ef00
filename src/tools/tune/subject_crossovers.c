// SPDX-License-Identifier: Apache-2.0
// Sizes at which one method of a device overtakes another (koine/experimental/cost.h): of sorts the bitonic
// one and that by radix, of selections digits and brackets. Each candidate does the work of a range of sizes,
// of which every one counts as much as its time.
#include <koine/experimental/cost.h>
#include <koine/select.h>
#include <koine/sort.h>

#include <string.h>

#include "subjects.h"

enum { AT, EACH = 8, QUICK_MOST = 24 };

struct range {
    kn_type type;
    unsigned least, most; // binary logarithms of elements
};

struct own {
    struct range range;
    kn_buffer *elements;
};

static const kn_tunables *find(const char *name)
{
    const kn_tunables *tunables = NULL;

    for (size_t i = 0;
         (tunables = kn_cost_get_crossover_tunables(i)) && strcmp(tunables->algorithm, name) != 0;)
        i++;
    return tunables;
}

static kn_status usual_of(const struct tune_work *work, const kn_tunables *tunables, unsigned *values,
                          kn_error *err)
{
    return kn_cost_get_crossover_usual(kn_queue_get_context(work->queue), tunables, &values[AT], err);
}

static kn_status open_range(struct tune_work *work, struct range range, kn_error *err)
{
    struct own *own = work->own;
    size_t count, size = kn_type_size(range.type);
    uint64_t state = 1;
    kn_status status;

    if ((work->quick || subject_is_cpu(work->queue)) && range.most > QUICK_MOST)
        range.most = QUICK_MOST;
    own->range = range;
    count = (size_t)1 << range.most;
    status = subject_numbers(work->queue, range.type, count, &state, &own->elements, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), count * size, &work->result, err);
}

static void close_range(struct tune_work *work)
{
    struct own *own = work->own;

    kn_buffer_free(own->elements);
}

// ---- sorts ----

// Processors sort by radix at every size.
static const struct tune_axis *sort_axes(const kn_queue *queue)
{
    static const struct tune_axis axes[KN_TUNABLES] = {
        {8, {0, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18}}};

    return subject_is_cpu(queue) ? NULL : axes;
}

// From the largest to the least, so that each leaves something of its own in the result.
static kn_status run_sorts(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    const size_t size = kn_type_size(own->range.type);
    kn_status status = KN_OK;

    for (unsigned log2 = own->range.most; log2 >= own->range.least && !status; log2--)
        for (unsigned i = 0; i < EACH && !status; i++) {
            const size_t n = (size_t)1 << log2;

            status = kn_buffer_copy(work->queue, own->elements, 0, work->result, 0, n * size, NULL, err);
            if (!status)
                status = kn_sort(work->queue, work->result, own->range.type, n, NULL, err);
        }
    return status;
}

// ---- selections ----

static const struct tune_axis *select_axes(const kn_queue *queue)
{
    static const struct tune_axis axes[KN_TUNABLES] = {
        {8, {1 << 20, 1 << 22, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28, 1 << 30}}};

    (void)queue;
    return axes;
}

static kn_status run_medians(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_status status = KN_OK;

    for (unsigned log2 = own->range.most; log2 >= own->range.least && !status; log2--) {
        double median = 0;

        status =
            kn_median(work->queue, own->elements, own->range.type, (size_t)1 << log2, &median, NULL, err);
        if (!status)
            status =
                kn_buffer_write(work->queue, work->result, log2 * sizeof median, &median, sizeof median, err);
    }
    return status;
}

// ---- the subjects ----

#define SUBJECT(name, algorithm, words, type, least, most, axes_of, run_of)                                  \
    static const kn_tunables *tunables_##name(void)                                                          \
    {                                                                                                        \
        return find(algorithm);                                                                              \
    }                                                                                                        \
    static kn_status usual_##name(const struct tune_work *work, unsigned *values, kn_error *err)             \
    {                                                                                                        \
        return usual_of(work, tunables_##name(), values, err);                                               \
    }                                                                                                        \
    static kn_status open_##name(struct tune_work *work, kn_error *err)                                      \
    {                                                                                                        \
        return open_range(work, (struct range){type, least, most}, err);                                     \
    }                                                                                                        \
    const struct tune_subject tune_##name = {.tunables = tunables_##name,                                    \
                                             .what = words,                                                  \
                                             .own_bytes = sizeof(struct own),                                \
                                             .by_wall = true,                                                \
                                             .axes = axes_of,                                                \
                                             .usual = usual_##name,                                          \
                                             .open = open_##name,                                            \
                                             .close = close_range,                                           \
                                             .run = run_of}

SUBJECT(crossover_sort, "crossover-sort-bitonic-32bit",
        "2^10 to 2^19 floats, bitonic up to there, else by radix", KN_F32, 10, 19, sort_axes, run_sorts);
SUBJECT(crossover_sort_64bit, "crossover-sort-bitonic-64bit",
        "2^10 to 2^19 doubles, bitonic up to there, else by radix", KN_F64, 10, 19, sort_axes, run_sorts);
SUBJECT(crossover_select, "crossover-select-brackets",
        "medians of 2^18 to 2^27 floats, by brackets from so many bytes on, else by digits", KN_F32, 18, 27,
        select_axes, run_medians);
