// SPDX-License-Identifier: Apache-2.0
// The launch of mri_separable (cl/app/mri/mri_separable.cl), and its tiles on a device.
#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

// The most samples in a float's sum. If they all have the same sign, the error of a sum of n terms grows as
// sqrt(n): it is 4e-7 for 1,024. Adding up the launches' sums takes 4 to 8 % of the global memory traffic of
// the products.
enum { RUN = 1024 };

static size_t groups_for(size_t count, size_t in_one)
{
    return (count + in_one - 1) / in_one;
}

// ---- tiles ----

static unsigned group_of(const struct mri_product *p)
{
    return p->tile_x / p->item_x * (p->tile_columns / p->item_columns);
}

// The bytes of two tiles of either factor, with a pair of floats per number.
static uint64_t local_bytes(const struct mri_product *p)
{
    return (uint64_t)2 * (p->tile_x + p->tile_columns) * p->tile_samples * MRI_PAIR;
}

static bool is_shape(const struct mri_product *p)
{
    if (p->item_x < 2 || p->item_x % 2 || p->item_columns < 2 || p->item_columns % 2 || p->tile_samples < 1 ||
        p->tile_x == 0 || p->tile_columns == 0 || p->tile_x % p->item_x ||
        p->tile_columns % p->item_columns || (unsigned)p->trig >= MRI_TRIGS)
        return false;
    return p->tile_x * p->tile_samples % group_of(p) == 0 &&
           p->tile_columns * p->tile_samples % group_of(p) == 0;
}

// For an axis with few voxels, takes narrower tiles with more columns, if there are enough, so that groups
// stay as large.
static void fit(const kn_device_info *info, size_t along, size_t columns, struct mri_product *p)
{
    for (;;) {
        struct mri_product narrow = *p;

        narrow.tile_x /= 2;
        narrow.tile_columns *= 2;
        if (narrow.tile_x < along / 2 + along % 2 || narrow.tile_columns > columns || !is_shape(&narrow) ||
            local_bytes(&narrow) > ki_engine_local_arrays(info))
            return;
        *p = narrow;
    }
}

struct mri_product ki_mri_product_usual(const kn_queue *queue, size_t along, size_t columns)
{
    const kn_device_info *info = &queue->context->device.info;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_MRI_SEPARABLE);
    struct mri_product usual = {.tile_x = sizes->tile[0],
                                .tile_columns = sizes->tile[1],
                                .tile_samples = sizes->tile[2],
                                .item_x = sizes->items,
                                .item_columns = sizes->width,
                                .trig = MRI_TRIG_POLYNOMIAL};

    while (usual.tile_columns > usual.item_columns &&
           (group_of(&usual) > info->max_work_group || local_bytes(&usual) > ki_engine_local_arrays(info)))
        usual.tile_columns /= 2;
    fit(info, along, columns, &usual);
    return usual;
}

static kn_status check(const kn_queue *queue, const struct mri_product *p, kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;

    if (!is_shape(p))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "mri_sum_device: no product in tiles of %u x %u voxels and %u samples, %u x %u a "
                       "work-item, sine %d; see mri_product",
                       p->tile_x, p->tile_columns, p->tile_samples, p->item_x, p->item_columns, (int)p->trig);
    if (group_of(p) > info->max_work_group || local_bytes(p) > ki_engine_local_arrays(info))
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "mri_sum_device: tiles of %u x %u voxels and %u samples take groups of %u work-items and "
            "%llu bytes of local memory; %s has %llu and %llu",
            p->tile_x, p->tile_columns, p->tile_samples, group_of(p), (unsigned long long)local_bytes(p),
            info->spec, (unsigned long long)info->max_work_group,
            (unsigned long long)ki_engine_local_arrays(info));
    return KN_OK;
}

// ---- launches ----

// The number of tiles for `count` voxels from `first` on.
static size_t tiles_of(const struct sum_work *work, uint64_t first, size_t count)
{
    const struct mri_product *p = &work->product;
    size_t along = work->sum->matrix.size[0],
           columns = (size_t)((first + count - 1) / along - first / along) + 1;

    return groups_for((along + 1) / 2, p->tile_x) * groups_for(columns, p->tile_columns);
}

static size_t busy_groups(const kn_queue *queue)
{
    const kn_device_info *info = &queue->context->device.info;

    return (size_t)info->compute_units * ki_engine_sizes(info, SHAPE_MRI_SEPARABLE)->per_unit;
}

// The memory for rows of sums: at most as many numbers as the groups that fill the device have voxels.
size_t ki_separable_parts_memory(const kn_queue *queue, size_t slab, size_t samples)
{
    const struct mri_product p = ki_mri_product_usual(queue, SIZE_MAX, 0);
    size_t busy = busy_groups(queue), shares = groups_for(samples, SUM_SHARE),
           most = busy * 2 * p.tile_x * p.tile_columns, sums = (shares < busy ? shares : busy) * slab;

    return (sums < most ? sums : most) * MRI_PAIR;
}

static kn_status open_kernels(struct sum_work *work, kn_error *err)
{
    const struct mri_product *p = &work->product;
    kn_context *context = work->queue->context;
    struct engine_defines defines = {.count = 0};
    const struct {
        const char *name;
        unsigned value;
    } macros[] = {
        {"REAL_MU", sum_is_real(work->sum)}, {"TILE_X", p->tile_x}, {"TILE_COLUMNS", p->tile_columns},
        {"TILE_SAMPLES", p->tile_samples},   {"ITEM_X", p->item_x}, {"ITEM_COLUMNS", p->item_columns},
        {"TRIG", (unsigned)p->trig},
    };

    for (size_t i = 0; i < KI_COUNT(macros); i++)
        ki_engine_define(&defines, macros[i].name, macros[i].value);
    return ki_engine_builtin_kernel(context, "app/mri/mri_separable.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, "mri_separable", &work->kernel, err);
}

kn_status ki_separable_open(struct sum_work *work, size_t slab, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    const size_t *size = sum->matrix.size;
    kn_status status;

    work->product =
        sum->product ? *sum->product : ki_mri_product_usual(work->queue, size[0], size[1] * size[2]);
    status = check(work->queue, &work->product, err);
    if (status)
        return status;
    work->fractions = true;
    work->line_parts = ki_sum_parts(work, slab, tiles_of(work, sum->first, slab), busy_groups(work->queue),
                                    work->product.parts);
    work->chunk = RUN * (size_t)work->line_parts;
    status = ki_sum_get_parts(work, slab, err);
    return status ? status : open_kernels(work, err);
}

kn_status ki_separable_launch(struct sum_work *work, const struct sum_range *range, kn_error *err)
{
    const struct mri_product *p = &work->product;
    const size_t *size = work->sum->matrix.size;
    const uint32_t size_x = (uint32_t)size[0], size_y = (uint32_t)size[1], size_z = (uint32_t)size[2];
    const uint64_t first = work->sum->first + range->from;
    const uint32_t count = range->end - range->begin, share = (uint32_t)groups_for(count, work->line_parts),
                   parts = (uint32_t)groups_for(count, share);
    const size_t group = group_of(p);
    const kn_range all = {2, {tiles_of(work, first, range->count) * group, parts}, {group, 1}, {0}};
    const kn_arg args[] = {
        KN_VALUE(size_x),
        KN_VALUE(size_y),
        KN_VALUE(size_z),
        KN_VALUE(first),
        KN_VALUE(range->count),
        KN_BUFFER(work->samples[0]),
        KN_BUFFER(work->samples[1]),
        KN_VALUE(range->begin),
        KN_VALUE(range->end),
        KN_VALUE(share),
        KN_BUFFER(work->parts),
        KN_BUFFER(work->total),
        KN_BUFFER(range->image),
        KN_VALUE(range->at),
        KN_VALUE(range->stage),
    };
    kn_status status =
        ki_sum_launch(work->queue, &work->launches, work->kernel, &all,
                      (double)(2 * p->item_x * p->item_columns) * (double)count, args, KI_COUNT(args), err);

    return status || parts == 1 ? status : ki_sum_fold(work, range, parts, err);
}
