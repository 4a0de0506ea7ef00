// SPDX-License-Identifier: Apache-2.0
// The launches of cl/app/autocorr/autocorr_ladder.cl.
#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "device.h"

enum {
    SEGMENT_MOST = 65536, // pixels of 8 bits whose products 32 bits hold
    GROUP_MOST = 1024,    // two lines' work-items
    GROUP = 128,          // of autocorr_add_lines
    ROUNDING = 64         // bytes of local memory that two arguments may take beyond their own
};
#define LINES_BYTES ((size_t)64 << 20)

struct ladder {
    kn_queue *queue;
    const struct autocorr_frames *frames;
    const char *name; // the method's
    const kn_buffer *first, *second;
    kn_buffer *products;
    uint32_t width, height, max_offset;
    size_t across, offsets;
    size_t group, segment;
    kn_kernel *kernel, *add_lines;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t shares(size_t count, size_t of)
{
    return (count + of - 1) / of;
}

static kn_status open_kernel(const struct ladder *l, const char *name, kn_kernel **kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "BITS", 8 * (unsigned)kn_type_size(l->frames->type));
    return ki_engine_builtin_kernel(l->queue->context, "app/autocorr/autocorr_ladder.cl", defines.items,
                                    defines.count, KN_POLICY_DEFAULT, name, kernel, err);
}

// ---- an offset a work-item ----

static kn_status launch_rows(struct ladder *l, uint32_t begin, uint32_t end, kn_error *err)
{
    const uint32_t add = begin > 0;
    const kn_arg args[] = {
        KN_BUFFER(l->first), KN_BUFFER(l->second),    KN_VALUE(l->width),
        KN_VALUE(l->height), KN_VALUE(l->max_offset), KN_VALUE(begin),
        KN_VALUE(end),       KN_VALUE(add),           KN_BUFFER(l->products),
    };
    const kn_range range = {3, {l->across, l->max_offset + 1, l->frames->count}, {0}, {0}};

    return kn_launch(l->queue, l->kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status sum_offsets(struct ladder *l, kn_error *err)
{
    size_t limit = l->queue->context->device.info.loop_limit / 2;
    uint32_t rows = (uint32_t)(limit ? least(limit / l->width, l->height) : l->height);
    kn_status status = open_kernel(l, "autocorr_offset", &l->kernel, err);

    if (rows == 0)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: rows of %u pixels; a work-item on %s loops %zu times at most; the method direct "
                       "has no such limit",
                       l->name, l->width, l->queue->context->device.info.spec, limit);
    for (uint32_t y = 0; y < l->height && !status; y += rows)
        status = launch_rows(l, y, (uint32_t)least(y + rows, l->height), err);
    return status;
}

// ---- two lines a group ----

// A work-item for each X0, as far as a group goes; as long segments of a row as find room.
static kn_status choose_group(struct ladder *l, kn_error *err)
{
    const kn_device_info *info = &l->queue->context->device.info;
    size_t pixels = (info->local_memory - ROUNDING) / kn_type_size(l->frames->type), loops;

    l->group = least(l->across, least(info->max_work_group, GROUP_MOST));
    while (l->group > 1 && 2 * l->group > pixels)
        l->group /= 2;
    l->segment = least(least(l->width, SEGMENT_MOST), (pixels - l->group) / 2);
    loops = shares(l->across, l->group) * (l->width + (2 * l->width + l->group) / l->group);
    if (info->loop_limit && loops > info->loop_limit)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: rows of %u pixels and %zu offsets are %zu rounds of a work-item's loops; %s "
                       "takes %u; the method "
                       "direct has no such limit",
                       l->name, l->width, l->across, loops, info->spec, (unsigned)info->loop_limit);
    return KN_OK;
}

static kn_range rows_range(const struct ladder *l, size_t rows, size_t frames)
{
    return (kn_range){3, {rows * l->group, l->max_offset + 1, frames}, {l->group, 1, 1}, {0}};
}

static kn_status sum_two_lines(struct ladder *l, kn_error *err)
{
    const uint32_t segment = (uint32_t)l->segment;
    const size_t bytes = kn_type_size(l->frames->type);
    const uint64_t zero = 0;
    const kn_arg args[] = {
        KN_BUFFER(l->first),    KN_BUFFER(l->second),         KN_VALUE(l->width),
        KN_VALUE(l->height),    KN_VALUE(l->max_offset),      KN_VALUE(segment),
        KN_BUFFER(l->products), KN_LOCAL(l->segment * bytes), KN_LOCAL((l->segment + l->group) * bytes),
    };
    const kn_range range = rows_range(l, l->height, l->frames->count);
    kn_status status = open_kernel(l, "autocorr_two_line", &l->kernel, err);

    if (!status)
        status = kn_buffer_fill(l->queue, l->products, &zero, sizeof zero, 0,
                                l->frames->count * l->offsets * sizeof zero, NO_EVENT, err);
    return status ? status : kn_launch(l->queue, l->kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// ---- two kernels ----

static kn_status store_lines(struct ladder *l, size_t frame, size_t frames, uint32_t y, uint32_t rows,
                             kn_buffer *lines, kn_error *err)
{
    const uint32_t segment = (uint32_t)l->segment;
    const uint64_t first_frame = frame;
    const size_t bytes = kn_type_size(l->frames->type);
    const kn_arg args[] = {
        KN_BUFFER(l->first),
        KN_BUFFER(l->second),
        KN_VALUE(l->width),
        KN_VALUE(l->height),
        KN_VALUE(l->max_offset),
        KN_VALUE(segment),
        KN_VALUE(first_frame),
        KN_VALUE(y),
        KN_BUFFER(lines),
        KN_LOCAL(l->segment * bytes),
        KN_LOCAL((l->segment + l->group) * bytes),
    };
    const kn_range range = rows_range(l, rows, frames);

    return kn_launch(l->queue, l->kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status add_lines(struct ladder *l, size_t frame, size_t frames, uint32_t y, uint32_t rows,
                           kn_buffer *lines, kn_error *err)
{
    const uint32_t count = (uint32_t)l->offsets, add = y > 0;
    const uint64_t first_frame = frame;
    const kn_arg args[] = {
        KN_BUFFER(lines), KN_VALUE(count),       KN_VALUE(rows),
        KN_VALUE(add),    KN_VALUE(first_frame), KN_BUFFER(l->products),
    };
    const kn_range range = {2, {shares(l->offsets, GROUP) * GROUP, frames}, {GROUP, 1}, {0}};

    return kn_launch(l->queue, l->add_lines, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// As many rows at once as their sums find room for, and of small images several.
static kn_status sum_in_two_kernels(struct ladder *l, kn_error *err)
{
    const size_t line = l->offsets * sizeof(uint64_t), count = l->frames->count;
    const uint32_t rows = (uint32_t)least(l->height, LINES_BYTES / line + 1);
    const size_t frames = rows < l->height ? 1 : least(count, LINES_BYTES / line / rows + 1);
    struct engine_scratch scratch =
        ki_engine_scratch_open(l->queue, ENGINE_SCRATCH_ALGORITHM, 1, "autocorr_ladder_device");
    kn_buffer *lines = NULL;
    kn_status status = open_kernel(l, "autocorr_line_sums", &l->kernel, err);

    if (!status)
        status = open_kernel(l, "autocorr_add_lines", &l->add_lines, err);
    if (!status)
        status = ki_engine_scratch_get(&scratch, 0, frames * rows * line, &lines, err);
    for (size_t frame = 0; frame < count && !status; frame += frames)
        for (uint32_t y = 0; y < l->height && !status; y += rows) {
            size_t frames_now = least(frames, count - frame);
            uint32_t rows_now = (uint32_t)least(rows, l->height - y);

            status = store_lines(l, frame, frames_now, y, rows_now, lines, err);
            if (!status)
                status = add_lines(l, frame, frames_now, y, rows_now, lines, err);
        }
    ki_engine_scratch_close(&scratch);
    return status;
}

kn_status ki_autocorr_ladder_device(kn_queue *queue, const struct autocorr_frames *frames,
                                    kn_autocorr_method method, kn_buffer *products, kn_error *err)
{
    static const struct {
        kn_status (*sum)(struct ladder *, kn_error *);
        bool groups;
    } rungs[AUTOCORR_METHODS] = {
        [KN_AUTOCORR_TEXTURE_STYLE] = {sum_offsets, false},
        [KN_AUTOCORR_TWO_LINE] = {sum_two_lines, true},
        [KN_AUTOCORR_TWO_KERNEL] = {sum_in_two_kernels, true},
    };
    struct ladder l = {.queue = queue, .frames = frames, .products = products};
    kn_status status = ki_autocorr_check_frames("autocorr_ladder_device", queue, frames, products, err);

    if (status)
        return status;
    if ((unsigned)method >= AUTOCORR_METHODS || !rungs[method].sum)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "autocorr_ladder_device: method %s; expected texture-style, two-line or two-kernel",
                       (unsigned)method < AUTOCORR_METHODS ? ki_autocorr_method_names[method] : "of no name");
    if (frames->count == 0)
        return KN_OK;
    l.name = ki_autocorr_method_names[method];
    l.first = frames->first;
    l.second = frames->second ? frames->second : frames->first;
    l.width = (uint32_t)frames->width;
    l.height = (uint32_t)frames->height;
    l.max_offset = (uint32_t)frames->max_offset;
    l.across = 2 * frames->max_offset + 1;
    l.offsets = autocorr_offsets(frames->max_offset);
    if (rungs[method].groups)
        status = choose_group(&l, err);
    return status ? status : rungs[method].sum(&l, err);
}
