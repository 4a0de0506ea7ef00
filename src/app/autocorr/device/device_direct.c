// SPDX-License-Identifier: Apache-2.0
// The launches of cl/app/autocorr/autocorr_direct.cl: how offsets, rows and frames are shared out.
#include "device_direct.h"

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"

enum {
    SLICE_PIXELS = 65536, // at most, see the kernel's widths
    SEGMENT_STEP = 64,    // a multiple of all steps of the kernel
    ROWS_MOST = 64,       // of a slice, where nothing is said
    ROWS_LEAST = 8,
    LANES_X = 4, // work-items side by side, where there are many offsets
    LANES_Z = 8, // that share a slice's rows, at most
    GROUP = 128  // of the kernels beside
};
// Places of scratch memory. The partial sums come first, where the strips of ki_autocorr_windows_device are,
// too.
enum { PARTIALS, FIRST, SECOND, SLOTS };
#define BATCH_BYTES ((size_t)64 << 20) // of partial sums, and of packed images

const char *const ki_autocorr_dot_names[AUTOCORR_DOTS + 1] = {"float", "bytes", "integer", NULL};

// ---- the shape of a launch ----

struct direct {
    kn_queue *queue;
    const struct autocorr_frames *frames;
    struct autocorr_direct_tuning tuning;
    uint32_t width, height, max_offset;
    uint32_t words, planes;             // of a packed row; of a frame
    uint32_t lanes_x, lanes_y, lanes_z; // work-items of a group
    uint32_t blocks;                    // of offsets
    uint32_t rows, segment, segments;   // of a slice; how many are side by side
    uint32_t slices;                    // of a frame
    uint32_t second_pitch;              // values
    size_t offsets, frames_at_once;
    uint32_t slices_at_once; // fewer than all only where there is one frame at a time
    kn_kernel *pack, *direct, *fold;
    struct engine_scratch scratch;
    kn_buffer *first, *second, *partials;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t shares(size_t count, size_t of)
{
    return (count + of - 1) / of;
}

struct autocorr_direct_tuning ki_autocorr_direct_tuning_for(const kn_queue *queue)
{
    const kn_device_info *info = &queue->context->device.info;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_AUTOCORR_DIRECT);

    return (struct autocorr_direct_tuning){.dot = ki_engine_is_nvidia(queue->context) ? AUTOCORR_DOT_BYTES
                                                                                      : AUTOCORR_DOT_FLOAT,
                                           .vectors = sizes->width > 1,
                                           .tile_x = sizes->tile[0],
                                           .tile_y = sizes->tile[1],
                                           .chunk = sizes->chunk,
                                           .items = sizes->group};
}

// Where a work-item's loops are limited, they go over a slice in turn in the worst case.
static size_t slice_pixels(const struct direct *d)
{
    size_t limit = d->queue->context->device.info.loop_limit / 4;

    return limit ? least(limit, SLICE_PIXELS) : SLICE_PIXELS;
}

static kn_status check_tuning(const struct direct *d, kn_error *err)
{
    const struct autocorr_direct_tuning *t = &d->tuning;
    const kn_device_info *info = &d->queue->context->device.info;

    if ((unsigned)t->dot >= AUTOCORR_DOTS || t->tile_x < 4 || t->tile_x % 4 || t->tile_x > 64 ||
        (t->vectors && (t->dot == AUTOCORR_DOT_BYTES || (t->tile_x != 8 && t->tile_x != 16))) ||
        t->tile_y < 1 || t->tile_y > 64 || t->chunk < 4 || t->chunk % 4 || t->chunk > 256 || t->items < 1 ||
        t->rows > slice_pixels(d) / SEGMENT_STEP)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "autocorr_direct_tuned: no kernel with product %u%s, tiles of %u x %u offsets, chunks of %u, "
            "groups of %u and slices of %u rows; see struct autocorr_direct_tuning",
            (unsigned)t->dot, t->vectors ? " in vectors" : "", t->tile_x, t->tile_y, t->chunk, t->items,
            t->rows);
    if (t->items > info->max_work_group)
        return ki_fail(err, KN_ERROR_LIMIT, "autocorr_direct_tuned: groups of %u work-items; %s takes %llu",
                       t->items, info->spec, (unsigned long long)info->max_work_group);
    return KN_OK;
}

kn_status ki_autocorr_direct_check(kn_queue *queue, const struct autocorr_direct_tuning *tuning,
                                   kn_error *err)
{
    const struct direct d = {.queue = queue, .tuning = *tuning};

    return check_tuning(&d, err);
}

// The work-items of a group, over offsets as far as there are enough, the rest over rows.
static void choose_lanes(struct direct *d)
{
    const struct autocorr_direct_tuning *t = &d->tuning;
    size_t left = (d->max_offset + 3) / 4 * 4, tiles_x = shares(left + d->max_offset + 1, t->tile_x),
           tiles_y = shares(d->max_offset + 1, t->tile_y), most, blocks_x, blocks_y;

    most = least(tiles_x <= 2 * LANES_X ? 2 * LANES_X : LANES_X, t->items);
    d->lanes_x = (uint32_t)shares(tiles_x, shares(tiles_x, most));
    most = t->items / d->lanes_x;
    d->lanes_y = (uint32_t)shares(tiles_y, shares(tiles_y, most));
    d->lanes_z = (uint32_t)least(LANES_Z, t->items / (d->lanes_x * d->lanes_y));
    blocks_x = shares(tiles_x, d->lanes_x);
    blocks_y = shares(tiles_y, d->lanes_y);
    d->blocks = (uint32_t)(blocks_x * blocks_y);
}

static size_t pixels_of(const struct direct *d)
{
    return d->tuning.dot == AUTOCORR_DOT_BYTES ? 4 : 1;
}

static size_t first_bytes(const struct direct *d)
{
    return (d->rows + d->lanes_y * d->tuning.tile_y - 1) * (d->tuning.chunk + 4) * sizeof(uint32_t);
}

static size_t second_bytes(const struct direct *d)
{
    return d->rows * d->second_pitch * sizeof(uint32_t);
}

static void choose_segments(struct direct *d)
{
    d->segment = (uint32_t)(least(slice_pixels(d) / d->rows, d->width + SEGMENT_STEP - 1) / SEGMENT_STEP *
                            SEGMENT_STEP);
    d->segments = (uint32_t)shares(d->width, d->segment);
    d->slices = (uint32_t)shares(d->height, d->rows) * d->segments;
}

// Tall slices cost less of everything, but have to be many, and to find room in local memory.
static kn_status choose_slices(struct direct *d, kn_error *err)
{
    const kn_device_info *info = &d->queue->context->device.info;
    size_t groups = (size_t)info->compute_units * ki_engine_sizes(info, SHAPE_AUTOCORR_DIRECT)->per_unit;
    size_t span = d->lanes_x * d->tuning.tile_x / pixels_of(d);

    d->second_pitch = (uint32_t)(d->tuning.chunk + span + 3) / 4 * 4;
    d->rows = d->tuning.rows ? d->tuning.rows : ROWS_MOST;
    choose_segments(d);
    while (d->tuning.rows == 0 && d->rows > ROWS_LEAST &&
           (first_bytes(d) + second_bytes(d) > info->local_memory ||
            (size_t)d->slices * d->blocks * d->frames->count * d->planes * d->planes < groups)) {
        d->rows /= 2;
        choose_segments(d);
    }
    if (first_bytes(d) + second_bytes(d) > info->local_memory)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "autocorr_direct_tuned: %zu bytes of local memory for slices of %u rows and groups of %u "
            "x %u x %u; %s has %llu",
            first_bytes(d) + second_bytes(d), d->rows, d->lanes_x, d->lanes_y, d->lanes_z, info->spec,
            (unsigned long long)info->local_memory);
    return KN_OK;
}

// Of one frame's slices.
static size_t slice_bytes(const struct direct *d)
{
    return d->offsets * d->lanes_z * d->planes * d->planes * sizeof(uint32_t);
}

static size_t packed_bytes(const struct direct *d)
{
    return (size_t)d->words * d->height * d->planes * sizeof(uint32_t);
}

static kn_status measure(struct direct *d, kn_error *err)
{
    const struct autocorr_frames *f = d->frames;
    size_t of_frame;
    kn_status status;

    d->width = (uint32_t)f->width;
    d->height = (uint32_t)f->height;
    d->max_offset = (uint32_t)f->max_offset;
    d->words = (d->width + 3) / 4;
    d->planes = (uint32_t)kn_type_size(f->type);
    d->offsets = autocorr_offsets(f->max_offset);
    choose_lanes(d);
    status = choose_slices(d, err);
    if (status)
        return status;
    d->slices_at_once = (uint32_t)least(d->slices, BATCH_BYTES / slice_bytes(d) + 1);
    of_frame = d->slices_at_once * slice_bytes(d) + packed_bytes(d);
    d->frames_at_once = least(f->count, BATCH_BYTES / of_frame + 1);
    return KN_OK;
}

// ---- memory and kernels ----

static kn_status open_kernels(struct direct *d, kn_error *err)
{
    const struct autocorr_direct_tuning *t = &d->tuning;
    struct engine_defines defines = {.count = 0};
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[] = {{"autocorr_pack", &d->pack}, {"autocorr_direct", &d->direct}, {"autocorr_fold", &d->fold}};
    kn_status status = KN_OK;

    ki_engine_define(&defines, "DOT", t->dot);
    ki_engine_define(&defines, "DP4A",
                     t->dot == AUTOCORR_DOT_BYTES && ki_engine_is_nvidia(d->queue->context));
    ki_engine_define(&defines, "VECTORS", t->vectors);
    ki_engine_define(&defines, "TILE_X", t->tile_x);
    ki_engine_define(&defines, "TILE_Y", t->tile_y);
    ki_engine_define(&defines, "CHUNK", t->chunk);
    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        status =
            ki_engine_builtin_kernel(d->queue->context, "app/autocorr/autocorr_direct.cl", defines.items,
                                     defines.count, KN_POLICY_DEFAULT, wanted[i].name, wanted[i].kernel, err);
    return status;
}

static kn_status take_memory(struct direct *d, kn_error *err)
{
    const struct {
        size_t slot, bytes;
        kn_buffer **buffer;
    } wanted[] = {
        {FIRST, packed_bytes(d), &d->first},
        {SECOND, d->frames->second ? packed_bytes(d) : 0, &d->second},
        {PARTIALS, d->slices_at_once * slice_bytes(d), &d->partials},
    };
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        if (wanted[i].bytes > 0)
            status = ki_engine_scratch_get(&d->scratch, wanted[i].slot, d->frames_at_once * wanted[i].bytes,
                                           wanted[i].buffer, err);
    if (!d->frames->second)
        d->second = d->first;
    return status;
}

// ---- launches ----

static kn_status pack(struct direct *d, size_t from, size_t count, const kn_buffer *images, kn_buffer *packed,
                      kn_error *err)
{
    const uint64_t first = from;
    const kn_arg args[] = {
        KN_BUFFER(images),  KN_VALUE(first),     KN_VALUE(d->width), KN_VALUE(d->height),
        KN_VALUE(d->words), KN_VALUE(d->planes), KN_BUFFER(packed),
    };
    const kn_range range = {
        3, {shares((size_t)d->words * d->height, GROUP) * GROUP, d->planes, count}, {GROUP, 1, 1}, {0}};

    return kn_launch(d->queue, d->pack, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status multiply(struct direct *d, size_t frames, uint32_t first_slice, uint32_t slices,
                          kn_error *err)
{
    const size_t items = (size_t)d->lanes_x * d->lanes_y * d->lanes_z;
    const kn_arg args[] = {
        KN_BUFFER(d->first),       KN_BUFFER(d->second),      KN_VALUE(d->width),
        KN_VALUE(d->height),       KN_VALUE(d->words),        KN_VALUE(d->planes),
        KN_VALUE(d->max_offset),   KN_VALUE(d->lanes_x),      KN_VALUE(d->lanes_y),
        KN_VALUE(d->rows),         KN_VALUE(d->segment),      KN_VALUE(d->segments),
        KN_VALUE(first_slice),     KN_BUFFER(d->partials),    KN_LOCAL(first_bytes(d)),
        KN_LOCAL(second_bytes(d)), KN_VALUE(d->second_pitch),
    };
    const kn_range range = {
        3, {d->blocks * items, slices, frames * d->planes * d->planes}, {items, 1, 1}, {0}};

    return kn_launch(d->queue, d->direct, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status fold(struct direct *d, size_t from, size_t frames, uint32_t slices, bool more,
                      kn_buffer *products, kn_error *err)
{
    const uint32_t count = (uint32_t)d->offsets, parts = slices * d->lanes_z, add = more;
    const uint64_t first = from;
    const kn_arg args[] = {
        KN_BUFFER(d->partials), KN_VALUE(count), KN_VALUE(parts),     KN_VALUE(d->planes),
        KN_VALUE(add),          KN_VALUE(first), KN_BUFFER(products),
    };
    const kn_range range = {2, {shares(d->offsets, GROUP) * GROUP, frames}, {GROUP, 1}, {0}};

    return kn_launch(d->queue, d->fold, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status sum_frames(struct direct *d, size_t from, size_t count, kn_buffer *products, kn_error *err)
{
    kn_status status = pack(d, from, count, d->frames->first, d->first, err);

    if (d->frames->second && !status)
        status = pack(d, from, count, d->frames->second, d->second, err);
    for (uint32_t slice = 0, slices; slice < d->slices && !status; slice += slices) {
        slices = (uint32_t)least(d->slices_at_once, d->slices - slice);
        status = multiply(d, count, slice, slices, err);
        if (!status)
            status = fold(d, from, count, slices, slice > 0, products, err);
    }
    return status;
}

kn_status ki_autocorr_direct_untried(kn_queue *queue, const struct autocorr_frames *frames,
                                     const struct autocorr_direct_tuning *tuning, kn_buffer *products,
                                     kn_error *err)
{
    struct direct d = {.queue = queue, .frames = frames, .tuning = *tuning};
    kn_status status = ki_autocorr_check_frames("autocorr_direct_device", queue, frames, products, err);

    if (!status)
        status = check_tuning(&d, err);
    if (status || frames->count == 0)
        return status;
    status = measure(&d, err);
    if (!status)
        status = open_kernels(&d, err);
    d.scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, "autocorr_direct_device");
    if (!status)
        status = take_memory(&d, err);
    for (size_t from = 0; from < frames->count && !status; from += d.frames_at_once)
        status = sum_frames(&d, from, least(d.frames_at_once, frames->count - from), products, err);
    ki_engine_scratch_close(&d.scratch);
    return status;
}
