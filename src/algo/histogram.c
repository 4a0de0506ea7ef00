// SPDX-License-Identifier: Apache-2.0
// The launches of cl/algo/histogram.cl.
#include <koine/histogram.h>

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "elements.h"
#include "host/stats/histogram_edges.h"

// Slots of scratch memory.
enum { PARTIAL, LEAST, PLACES };
// A group of histogram_merge.
enum { MERGE_BINS = 32, MERGE_ROWS = 8 };

struct histogram {
    const char *function;
    kn_queue *queue;
    const kn_buffer *x;
    kn_buffer *counts, *partial, *least;
    kn_type type;
    uint64_t n;
    struct histogram_edges edges;
    bool even;
    double low, scale, slack;
    struct tile_shape shape;
    unsigned copies, room; // counters in local memory; room 0: in global memory
    kn_kernel *count, *merge;
    struct engine_scratch scratch;
};

// The bits of the least element that is counted.
static uint64_t least_bits(const struct histogram *h)
{
    uint64_t bits = 0;

    memcpy(&bits, h->edges.least, kn_type_size(h->type)); // little-endian, like all our targets
    return bits;
}

// The position of an element among even bins, to within `slack`: (x - low) * scale; for integers (x - first +
// low) * scale, where `first` is the least integer of the first bin. If all edges are integers, they are
// moved by a half, so that no integer is near one.
static void place_bins(struct histogram *h, double low, double high)
{
    size_t bins = h->edges.bins;
    bool floats = ki_element_kind(h->type) == 2, wide = h->type == KN_F64;
    double step = (high - low) / (double)bins, unit = wide ? 0x1p-50 : 0x1p-21;
    double first = floats ? 0 : ki_element_value(least_bits(h), h->type); // exact
    double reach = floats ? fmax(fabs(low), fabs(high)) : high - low;

    h->scale = 1 / step;
    h->low = floats ? low : first - low;
    if (!floats && first == low && step == floor(step))
        h->low += 0.5;
    h->slack = (double)bins * unit + reach * h->scale * unit;
    // If a float lacks the range or the digits.
    if (!(h->scale < (wide ? 0x1p1000 : 0x1p100)) || !(h->scale > (wide ? 0x1p-1000 : 0x1p-100)) ||
        !(h->slack < 0.25))
        h->even = false;
}

static void choose_sizes(struct histogram *h)
{
    const kn_device_info *info = &h->queue->context->device.info;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_HISTOGRAM);
    uint64_t local = ki_engine_local_arrays(info), edges = (h->edges.bins + 1) * kn_type_size(h->type);

    h->shape =
        (struct tile_shape){.group = sizes->group, .loads = kn_type_size(h->type) <= 2 ? 2 : sizes->items};
    ki_tile_choose(h->queue, h->type, h->n, sizes->per_unit, &h->shape);
    h->room = (unsigned)h->edges.bins + 1;
    h->copies = h->shape.group == 1 ? 1 : sizes->copies;
    while (h->copies > 1 && edges + (uint64_t)h->copies * h->room * sizeof(uint32_t) > local)
        h->copies /= 2;
    if (edges + (uint64_t)h->room * sizeof(uint32_t) > local)
        h->room = 0;
}

static kn_status get_kernels(struct histogram *h, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_context *context = h->queue->context;
    kn_status status;

    ki_element_define(&defines, h->type);
    ki_engine_define(&defines, "GROUP", h->shape.group);
    ki_engine_define(&defines, "LOADS", h->shape.loads);
    ki_engine_define(&defines, "BINS", (unsigned)h->edges.bins);
    ki_engine_define(&defines, "ROOM", h->room);
    ki_engine_define(&defines, "COPIES", h->copies);
    ki_engine_define(&defines, "EVEN", h->even);
    status = ki_engine_builtin_kernel(context, "algo/histogram.cl", defines.items, defines.count,
                                      KN_POLICY_STRICT, "histogram_count", &h->count, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, "algo/histogram.cl", defines.items, defines.count,
                                             KN_POLICY_STRICT, "histogram_merge", &h->merge, err);
}

static kn_status get_memory(struct histogram *h, kn_error *err)
{
    size_t rows = h->room ? h->shape.groups : 1, bytes = h->edges.used * kn_type_size(h->type);
    kn_status status = ki_engine_scratch_get(&h->scratch, PARTIAL, rows * h->edges.bins * sizeof(uint32_t),
                                             &h->partial, err);

    if (!status)
        status = ki_engine_scratch_get(&h->scratch, LEAST, bytes, &h->least, err);
    return status ? status : kn_buffer_write(h->queue, h->least, 0, h->edges.least, bytes, err);
}

static kn_status launch(const struct histogram *h, const struct element_piece *piece, kn_error *err)
{
    static const uint32_t zero = 0;
    const kn_range range = {1, {h->shape.groups * h->shape.group}, {h->shape.group}, {0}};
    const kn_range merge_range = {2,
                                  {(h->edges.bins + MERGE_BINS - 1) / MERGE_BINS * MERGE_BINS, MERGE_ROWS},
                                  {MERGE_BINS, MERGE_ROWS},
                                  {0}};
    kn_type real = h->type == KN_F64 ? KN_F64 : KN_F32;
    union column_scalar low, scale, slack;
    uint32_t used = (uint32_t)h->edges.used, rows = h->room ? (uint32_t)h->shape.groups : 1,
             bins = (uint32_t)h->edges.bins, first = piece->first == 0;
    const kn_arg args[] = {KN_BUFFER(piece->buffer),
                           KN_VALUE(piece->skip),
                           KN_VALUE(piece->count),
                           KN_BUFFER(h->least),
                           KN_VALUE(used),
                           KN_VALUE(h->edges.top),
                           ki_column_real(&low, real, h->low),
                           ki_column_real(&scale, real, h->scale),
                           ki_column_real(&slack, real, h->slack),
                           KN_BUFFER(h->partial)};
    const kn_arg merge_args[] = {KN_BUFFER(h->partial), KN_VALUE(rows), KN_VALUE(bins), KN_VALUE(first),
                                 KN_BUFFER(h->counts)};
    kn_status status = KN_OK;

    if (!h->room)
        status =
            kn_buffer_fill(h->queue, h->partial, &zero, sizeof zero, 0, bins * sizeof zero, NO_EVENT, err);
    if (!status)
        status = kn_launch(h->queue, h->count, &range, args, KI_COUNT(args), NO_EVENT, err);
    return status
               ? status
               : kn_launch(h->queue, h->merge, &merge_range, merge_args, KI_COUNT(merge_args), NO_EVENT, err);
}

static kn_status check(const struct histogram *h, size_t bins, kn_error *err)
{
    kn_status status = ki_column_check_any(h->function, h->queue, h->x, h->type, (size_t)h->n, err);

    if (status)
        return status;
    if (!h->counts || h->counts == h->x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: counts is NULL or the input", h->function);
    if (h->counts->context != h->queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: counts belongs to another context than the queue",
                       h->function);
    if (h->counts->bytes / sizeof(uint64_t) < bins)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu bins, but counts holds %zu numbers of 64 bits",
                       h->function, bins, h->counts->bytes / sizeof(uint64_t));
    if (kn_buffer_get_part_count(h->counts) > 1)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: counts is held in parts; one allocation of %s holds %llu bytes", h->function,
                       h->queue->context->device.info.spec,
                       (unsigned long long)h->queue->context->device.info.max_alloc);
    if (h->queue->context->device.info.max_work_group < MERGE_BINS * MERGE_ROWS)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s takes groups of %llu work-items; %d are needed",
                       h->function, h->queue->context->device.info.spec,
                       (unsigned long long)h->queue->context->device.info.max_work_group,
                       MERGE_BINS * MERGE_ROWS);
    return KN_OK;
}

static kn_status count(struct histogram *h, kn_error *err)
{
    static const uint64_t zero = 0;
    struct element_piece piece = {.buffer = NULL};
    kn_status status;

    if (h->n == 0 || h->edges.used == 0)
        return kn_buffer_fill(h->queue, h->counts, &zero, sizeof zero, 0, h->edges.bins * sizeof zero,
                              NO_EVENT, err);
    choose_sizes(h);
    status = get_kernels(h, err);
    if (status)
        return status;
    h->scratch = ki_engine_scratch_open(h->queue, ENGINE_SCRATCH_ALGORITHM, PLACES, h->function);
    status = get_memory(h, err);
    while (!status && ki_element_next_piece(h->x, h->type, h->n, &piece))
        status = launch(h, &piece, err);
    ki_engine_scratch_close(&h->scratch);
    return status;
}

static kn_status histogram(struct histogram *h, const double *edges, double low, double high, size_t bins,
                           kn_error *err)
{
    kn_status status = check(h, bins, err);

    if (status)
        return status;
    h->edges.kept = &h->queue->kept;
    status = ki_histogram_edges_make(h->function, h->type, edges, low, high, bins, &h->edges, err);
    if (status)
        return status;
    h->even = !edges;
    if (h->even && h->edges.used > 0)
        place_bins(h, low, high);
    status = count(h, err);
    ki_histogram_edges_free(&h->edges);
    return status;
}

kn_status kn_histogram(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *edges,
                       size_t bins, kn_buffer *counts, kn_error *err)
{
    struct histogram h = {
        .function = "kn_histogram", .queue = queue, .x = x, .counts = counts, .type = type, .n = n};

    if (!edges)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_histogram: edges is NULL");
    return histogram(&h, edges, 0, 0, bins, err);
}

kn_status kn_histogram_even(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double low,
                            double high, size_t bins, kn_buffer *counts, kn_error *err)
{
    struct histogram h = {
        .function = "kn_histogram_even", .queue = queue, .x = x, .counts = counts, .type = type, .n = n};

    return histogram(&h, NULL, low, high, bins, err);
}
