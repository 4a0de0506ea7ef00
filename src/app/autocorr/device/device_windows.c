// SPDX-License-Identifier: Apache-2.0
#include "device_windows.h"

#include "shared/autocorr.h"
#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"

enum { GROUP = 256, STRIP = 32, DROP = 4, ACROSS = AUTOCORR_PREFIX_COLUMNS };

// ---- checks ----

static kn_status check_buffer(const struct autocorr_frames *frames, const kn_buffer *buffer, kn_error *err)
{
    size_t image = frames->width * frames->height * kn_type_size(frames->type);

    if (kn_buffer_get_size(buffer) / image < frames->count)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%zu images of %zu x %zu pixels of %zu bytes, but the buffer holds %zu bytes",
                       frames->count, frames->width, frames->height, kn_type_size(frames->type),
                       kn_buffer_get_size(buffer));
    if (kn_buffer_get_part_count(buffer) > 1)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "images of %zu bytes are more than one allocation of the device holds; give fewer at a time",
            kn_buffer_get_size(buffer));
    return KN_OK;
}

kn_status ki_autocorr_check_images(const struct autocorr_frames *frames, kn_error *err)
{
    // The pixels are elsewhere; their sizes are checked as the host's are.
    const struct autocorr_task task = {
        .first = {frames->width, frames->height, frames->width, frames->type, frames},
        .max_offset = frames->max_offset};
    kn_status status = ki_autocorr_check(&task, err);

    if (!status && !frames->first)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "frames without a buffer of pixels");
    if (!status)
        status = check_buffer(frames, frames->first, err);
    if (!status && frames->second)
        status = check_buffer(frames, frames->second, err);
    return status;
}

// ---- memory ----

size_t ki_autocorr_tables_bytes(size_t max_offset)
{
    return 4 * (max_offset + 1) * (max_offset + 1) * 2 * sizeof(uint64_t);
}

kn_status ki_autocorr_tables_create(kn_context *context, size_t max_offset, size_t count,
                                    struct autocorr_tables *tables, kn_error *err)
{
    struct autocorr_tables made = {.max_offset = max_offset, .count = count};
    kn_status status =
        kn_buffer_create(context, ki_autocorr_tables_bytes(max_offset) * count, &made.sums, err);

    if (!status && kn_buffer_get_part_count(made.sums) > 1)
        status = ki_fail(err, KN_ERROR_LIMIT,
                         "the sums over the overlaps of %zu frames, of %zu bytes each, are more than one "
                         "allocation of %s holds; give fewer at a time",
                         count, ki_autocorr_tables_bytes(max_offset), kn_context_get_device(context)->spec);
    if (!status)
        status = kn_buffer_create(context, 2 * count * sizeof(uint32_t), &made.levels, err);
    if (status)
        ki_autocorr_tables_free(&made);
    else
        *tables = made;
    return status;
}

void ki_autocorr_tables_free(struct autocorr_tables *tables)
{
    kn_buffer_free(tables->sums);
    kn_buffer_free(tables->levels);
    kn_buffer_free(tables->pairs);
    *tables = (struct autocorr_tables){.sums = NULL};
}

// ---- kernels ----

static kn_status get_kernel(kn_queue *queue, kn_type type, const char *name, kn_kernel **kernel,
                            kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "PIXEL_BITS", type == KN_U8 ? 8 : 16);
    ki_engine_define(&defines, "GROUP", GROUP);
    ki_engine_define(&defines, "STRIP", STRIP);
    ki_engine_define(&defines, "DROP", DROP);
    return ki_engine_builtin_kernel(kn_queue_get_context(queue), "app/autocorr/autocorr_windows.cl",
                                    defines.items, defines.count, KN_POLICY_DEFAULT, name, kernel, err);
}

static size_t strip_count(const struct autocorr_frames *frames)
{
    return (frames->height - 1) / STRIP + 1;
}

// Of `count` images from number `from` on, to the prefixes of image number `to`.
static kn_status add_prefixes(kn_queue *queue, const struct autocorr_frames *frames, const kn_buffer *pixels,
                              size_t from, size_t count, kn_buffer *prefixes, size_t to, kn_error *err)
{
    const uint32_t values[] = {(uint32_t)frames->width, (uint32_t)frames->height, (uint32_t)from,
                               (uint32_t)to};
    const kn_range range = {2, {(frames->width + ACROSS - 1) / ACROSS * GROUP, count}, {GROUP, 1}, {0}};
    const kn_arg args[] = {KN_BUFFER(pixels),   KN_BUFFER(prefixes), KN_VALUE(values[0]),
                           KN_VALUE(values[1]), KN_VALUE(values[2]), KN_VALUE(values[3])};
    kn_kernel *kernel;
    kn_status status = get_kernel(queue, frames->type, "autocorr_prefixes", &kernel, err);

    return status ? status : kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status add_windows(kn_queue *queue, const struct autocorr_frames *frames, size_t from, size_t count,
                             kn_buffer *prefixes, const struct autocorr_tables *tables, kn_error *err)
{
    const uint32_t values[] = {(uint32_t)frames->width, (uint32_t)frames->height,
                               (uint32_t)(tables->max_offset + 1), (uint32_t)from,
                               (uint32_t)(frames->second ? count : 0)};
    const kn_range range = {3, {(tables->max_offset / DROP + 1) * GROUP, 2, count}, {GROUP, 1, 1}, {0}};
    const kn_arg args[] = {
        KN_BUFFER(frames->first),  KN_BUFFER(frames->second ? frames->second : frames->first),
        KN_BUFFER(prefixes),       KN_BUFFER(tables->sums),
        KN_BUFFER(tables->levels), KN_VALUE(values[0]),
        KN_VALUE(values[1]),       KN_VALUE(values[2]),
        KN_VALUE(values[3]),       KN_VALUE(values[4])};
    kn_kernel *kernel;
    kn_status status = get_kernel(queue, frames->type, "autocorr_windows", &kernel, err);

    return status ? status : kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

kn_status ki_autocorr_windows_device(kn_queue *queue, const struct autocorr_frames *frames, size_t first,
                                     size_t count, const struct autocorr_tables *tables, kn_error *err)
{
    size_t images = frames->second ? 2 * count : count;
    size_t bytes = images * (strip_count(frames) + 1) * frames->width * 2 * sizeof(uint64_t);
    struct engine_scratch scratch;
    kn_buffer *prefixes;
    kn_status status;

    if (count == 0)
        return KN_OK;
    if (bytes > kn_context_get_device(kn_queue_get_context(queue))->max_alloc)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%zu frames take %zu bytes of scratch memory, more than one allocation of the device "
                       "holds; give fewer at a time",
                       count, bytes);
    scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, 1, "autocorr_windows_device");
    status = ki_engine_scratch_get(&scratch, 0, bytes, &prefixes, err);
    if (!status)
        status = add_prefixes(queue, frames, frames->first, first, count, prefixes, 0, err);
    if (!status && frames->second)
        status = add_prefixes(queue, frames, frames->second, first, count, prefixes, count, err);
    if (!status)
        status = add_windows(queue, frames, first, count, prefixes, tables, err);
    ki_engine_scratch_close(&scratch);
    return status;
}

// ---- for the host ----

// A side's sums at an offset; cl/app/autocorr/autocorr.clh has the same.
static const uint64_t *table_of(const uint64_t *tables, unsigned side, unsigned which, size_t reach)
{
    return tables + 2 * (2 * side + which) * reach * reach;
}

static void look_up(const uint64_t *tables, unsigned side, ptrdiff_t x0, size_t y0, size_t reach,
                    uint64_t sums[2])
{
    size_t k = (size_t)(x0 < 0 ? -x0 : x0), row = y0 * reach;
    const uint64_t *last_dropped = table_of(tables, side, 0, reach),
                   *first_alone = table_of(tables, side, 1, reach);

    for (size_t part = 0; part < 2; part++)
        sums[part] = (side == 0) == (x0 >= 0)
                         ? last_dropped[2 * (row + k) + part]
                         : last_dropped[2 * row + part] - first_alone[2 * (row + k) + part];
}

kn_status ki_autocorr_tables_read(kn_queue *queue, const struct autocorr_tables *tables, size_t width,
                                  size_t height, size_t frame, struct autocorr_window *windows, kn_error *err)
{
    size_t reach = tables->max_offset + 1, bytes = ki_autocorr_tables_bytes(tables->max_offset);
    ptrdiff_t most = (ptrdiff_t)tables->max_offset;
    uint64_t *sums = ki_kept_take(&queue->kept, bytes);
    kn_status status = sums ? kn_buffer_read(queue, tables->sums, frame * bytes, sums, bytes, err)
                            : ki_fail_memory(err, bytes, "the sums over the overlaps");

    for (size_t y0 = 0; y0 < reach && !status; y0++)
        for (ptrdiff_t x0 = -most; x0 <= most; x0++) {
            struct autocorr_window *window = &windows[autocorr_at(tables->max_offset, x0, y0)];
            size_t k = (size_t)(x0 < 0 ? -x0 : x0);
            uint64_t first[2], second[2];

            look_up(sums, 0, x0, y0, reach, first);
            look_up(sums, 1, x0, y0, reach, second);
            *window =
                (struct autocorr_window){.n = k < width && y0 < height ? (width - k) * (height - y0) : 0,
                                         .s1 = first[0],
                                         .s2 = second[0],
                                         .q1 = first[1],
                                         .q2 = second[1]};
        }
    ki_kept_give(&queue->kept, sums);
    return status;
}
