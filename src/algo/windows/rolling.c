// SPDX-License-Identifier: Apache-2.0
// A window at every element on a device: kn_rolling.
#include "base/array.h"
#include "base/error.h"
#include "engine/device/shapes.h"
#include "host/windows/windows.h"
#include "spans.h"

// A slot of scratch memory after those of the spans.
enum { RANK = SPAN_PLACES };

struct rolling {
    struct window_spans spans; // of `stride` outputs each
    struct window_rolling windows;
    kn_buffer *medians, *mads, *ranks;
    kn_kernel *rank, *roll;
};

// Half of a span's elements, or more, are in each window: the others have to be skipped.
static void choose_spans(struct rolling *r)
{
    enum { LEAST = 32 }; // outputs
    struct window_spans *spans = &r->spans;

    spans->n = r->windows.n;
    spans->before = r->windows.before;
    spans->stride = r->windows.width > LEAST ? r->windows.width : LEAST;
    spans->stride = spans->stride < spans->n ? spans->stride : spans->n;
    spans->length = spans->stride + r->windows.width - 1;
    spans->all = (spans->n - 1) / spans->stride + 1;
}

// Outputs of a work-item. Each walks through its span, so there are no more than some hundreds of them.
static uint64_t run_of(const struct rolling *r)
{
    enum { RUNS = 256 };
    const uint64_t stride = r->spans.stride, least = (stride - 1) / RUNS + 1;
    const uint64_t usual = ki_engine_sizes(&r->spans.queue->context->device.info, SHAPE_WINDOW_ROLL)->items;

    return usual == 0 ? stride : usual > least ? usual : least;
}

static kn_status get_kernels(struct rolling *r, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_status status = ki_window_spans_kernel(&r->spans, "window_rank", &r->rank, err);

    ki_engine_define(&defines, "REAL_BITS", r->spans.type == KN_F64 ? 64 : 32);
    ki_engine_define(&defines, "MAD", r->mads != NULL);
    return status ? status
                  : ki_engine_builtin_kernel(r->spans.queue->context, "algo/windows/window_rolling.cl",
                                             defines.items, defines.count, KN_POLICY_STRICT, "window_roll",
                                             &r->roll, err);
}

static kn_status sort_spans(struct rolling *r, uint64_t first, uint64_t count, kn_error *err)
{
    const uint64_t total = count * r->spans.length;
    const kn_range range = ki_window_spans_range(total);
    const kn_arg args[] = {KN_BUFFER(r->spans.places[SPAN_ORDER]), KN_VALUE(r->spans.length), KN_VALUE(total),
                           KN_BUFFER(r->ranks)};
    kn_status status = ki_window_spans_sort(&r->spans, first, count, err);

    return status ? status : kn_launch(r->spans.queue, r->rank, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status roll_spans(struct rolling *r, uint64_t first, uint64_t count, kn_error *err)
{
    const struct window_spans *spans = &r->spans;
    const uint64_t run = run_of(r), items = ((spans->stride - 1) / run + 1) * count;
    const uint64_t begin = first * spans->stride, width = r->windows.width;
    const uint32_t omit = r->windows.options.edges == KN_WINDOW_OMIT, wants_medians = r->medians != NULL;
    const size_t group = ki_engine_sizes(&spans->queue->context->device.info, SHAPE_WINDOW_ROLL)->group;
    const kn_range range = {1, {(items + group - 1) / group * group}, {group}, {0}};
    union column_scalar divisor;
    const kn_arg args[] = {KN_BUFFER(spans->places[SPAN_KEYS]),
                           KN_BUFFER(spans->places[SPAN_ORDER]),
                           KN_BUFFER(r->ranks),
                           KN_VALUE(spans->n),
                           KN_VALUE(begin),
                           KN_VALUE(spans->stride),
                           KN_VALUE(spans->length),
                           KN_VALUE(width),
                           KN_VALUE(spans->before),
                           KN_VALUE(count),
                           KN_VALUE(run),
                           KN_VALUE(omit),
                           ki_column_real(&divisor, r->mads ? KN_F64 : spans->type,
                                          ki_window_mad_divisor(r->windows.options.mad_scale)),
                           KN_VALUE(wants_medians),
                           KN_BUFFER(r->medians ? r->medians : r->mads),
                           KN_BUFFER(r->mads ? r->mads : r->medians)};

    return kn_launch(spans->queue, r->roll, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status roll(struct rolling *r, kn_error *err)
{
    struct window_spans *spans = &r->spans;
    kn_status status;

    choose_spans(r);
    status = get_kernels(r, err);
    if (status)
        return status;
    status = ki_window_spans_open(spans, 1, err);
    if (!status)
        status = ki_engine_scratch_get(&spans->scratch, RANK, spans->most * spans->length * sizeof(uint32_t),
                                       &r->ranks, err);
    for (uint64_t first = 0; first < spans->all && !status; first += spans->most) {
        const uint64_t left = spans->all - first, count = left < spans->most ? left : spans->most;
        status = sort_spans(r, first, count, err);
        if (!status)
            status = roll_spans(r, first, count, err);
    }
    ki_engine_scratch_close(&spans->scratch);
    return status;
}

static kn_status check(const struct rolling *r, kn_error *err)
{
    const struct {
        const char *name;
        const kn_buffer *buffer;
    } buffers[] = {{"x", r->spans.x}, {"medians", r->medians}, {"mads", r->mads}};
    const struct window_spans *spans = &r->spans;
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(buffers) && !status; i++)
        if (i == 0 || buffers[i].buffer)
            status = ki_window_check_buffer(spans->function, spans->queue, buffers[i].name, buffers[i].buffer,
                                            spans->type, r->windows.n, err);
    if (status)
        return status;
    if (spans->x == r->medians || spans->x == r->mads || (r->medians && r->medians == r->mads))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x, medians and mads are not three buffers",
                       spans->function);
    // rusticl on a CPU (Mesa 22.3) ends window_roll's loop over outputs as soon as work-items leave an inner
    // loop at different times: only loops with the same number of rounds in all of them are right there,
    // which would cost a span's length an output.
    if (spans->queue->context->device.info.loop_limit)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: %s limits loops, and ends this kernel's too early; kn_host_rolling computes the "
                       "same on the host",
                       spans->function, spans->queue->context->device.info.spec);
    if (r->mads && !spans->queue->context->device.info.fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: MADs take double precision, which %s does not have; kn_host_rolling computes "
                       "them on the host",
                       spans->function, spans->queue->context->device.info.spec);
    return KN_OK;
}

kn_status kn_rolling(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t width,
                     kn_buffer *medians, kn_buffer *mads, const kn_rolling_options *options, kn_error *err)
{
    struct rolling r = {.spans = {.function = "kn_rolling", .queue = queue, .x = x, .type = type},
                        .medians = medians,
                        .mads = mads};
    kn_status status = ki_window_check_rolling("kn_rolling", type, n, width, options, &r.windows, err);

    if (!status)
        status = check(&r, err);
    return status || n == 0 || (!medians && !mads) ? status : roll(&r, err);
}
