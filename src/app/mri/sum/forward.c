// SPDX-License-Identifier: Apache-2.0
// The launches of cl/app/mri/mri_forward.cl and mri_forward_separable.cl: samples in batches, and the image
// in its parts and in as many shares as there is memory for their sums.
#include <math.h>

#include "shared/mri.h"
#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

enum {
    BATCH = 1 << 20, // samples at a time
    SHARE = 4096,    // the most voxels in a float's sum; in a product, each column has its own sums
    SHARE_PRODUCT = 16384,
    SUMS = (64 << 20) / 8 // kept at a time
};

// The tunables of mri_forward_separable.
struct product {
    unsigned samples, columns, pairs; // per group; pairs at a time
    unsigned item_samples, item_columns;
    enum mri_trig trig;
};

struct forward {
    struct sum_launches launches;
    kn_queue *queue;
    struct engine_scratch scratch;
    struct mri_there *there; // NULL: there are too many samples to keep
    const kn_recon_matrix *matrix;
    const double *k;
    const double complex *basis;
    enum mri_kernel kernel;                     // MRI_SEPARABLE, or else the direct sum
    size_t voxels, samples, batch, share, rows; // samples at a time; voxels of a share; shares at a time
    struct mri_tuning tuning;
    struct product product;
    kn_kernel *sum, *fold;
    const kn_buffer *image;
    kn_buffer *fractions, *phi, *total, *parts;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t groups_for(size_t count, size_t in_one)
{
    return (count + in_one - 1) / in_one;
}

// ---- as a product of matrices ----

static unsigned group_of(const struct product *p)
{
    return p->samples / p->item_samples * (p->columns / p->item_columns);
}

// The bytes of two tiles of either factor.
static uint64_t local_bytes(const struct product *p)
{
    return (uint64_t)2 * p->pairs * (p->samples * 2 + (p->columns + 1) * 4) * sizeof(float);
}

static struct product product_for(const kn_device_info *info)
{
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_MRI_FORWARD_SEPARABLE);
    struct product p = {.samples = sizes->tile[2],
                        .columns = sizes->tile[1],
                        .pairs = sizes->tile[0],
                        .item_samples = sizes->items,
                        .item_columns = sizes->width,
                        .trig = MRI_TRIG_POLYNOMIAL};

    while (p.columns > p.item_columns &&
           (group_of(&p) > info->max_work_group || local_bytes(&p) > ki_engine_local_arrays(info)))
        p.columns /= 2;
    return p;
}

// The voxels of a share: whole columns, and whole tiles of them.
static size_t share_of_product(const struct forward *f)
{
    size_t along = f->matrix->size[0], tile = f->product.columns * along;

    return groups_for(SHARE_PRODUCT, tile) * tile;
}

static kn_status open_product(struct forward *f, kn_error *err)
{
    const struct product *p = &f->product;
    struct engine_defines defines = {.count = 0};
    const struct {
        const char *name;
        unsigned value;
    } macros[] = {
        {"TILE_SAMPLES", p->samples},      {"TILE_COLUMNS", p->columns},      {"TILE_X", p->pairs},
        {"ITEM_SAMPLES", p->item_samples}, {"ITEM_COLUMNS", p->item_columns}, {"TRIG", (unsigned)p->trig},
    };

    for (size_t i = 0; i < KI_COUNT(macros); i++)
        ki_engine_define(&defines, macros[i].name, macros[i].value);
    return ki_engine_builtin_kernel(f->queue->context, "app/mri/mri_forward_separable.cl", defines.items,
                                    defines.count, KN_POLICY_DEFAULT, "mri_forward_separable", &f->sum, err);
}

// ---- both methods ----

// Chooses the samples at a time, and the shares of the image for whose sums there is memory.
static void choose_sizes(struct forward *f)
{
    size_t most = f->queue->context->device.info.max_alloc;

    f->share = f->kernel == MRI_SEPARABLE ? share_of_product(f) : SHARE;
    f->batch = least(least(BATCH, most / (4 * sizeof(float))), f->samples);
    f->rows =
        least(least(SUMS / f->batch, most / (2 * sizeof(float)) / f->batch), groups_for(f->voxels, f->share));
    f->rows = f->rows ? f->rows : 1;
}

struct mri_bytes ki_mri_forward_memory(const kn_queue *queue, size_t voxels, size_t samples)
{
    struct forward f = {.queue = (kn_queue *)queue, .voxels = voxels, .samples = samples};

    if (samples == 0)
        return (struct mri_bytes){0};
    choose_sizes(&f);
    return (struct mri_bytes){.host = f.batch * MRI_AXES * sizeof(uint32_t),
                              .device = f.batch *
                                        ((MRI_AXES + 2 + 4) * sizeof(float) + f.rows * 2 * sizeof(float))};
}

static kn_status open_kernels(struct forward *f, kn_error *err)
{
    kn_context *context = f->queue->context;
    struct engine_defines defines = {.count = 0};
    kn_status status;

    ki_engine_define(&defines, "GROUP", f->tuning.group);
    ki_engine_define(&defines, "WIDTH", f->tuning.width);
    ki_engine_define(&defines, "TRIG", (unsigned)f->tuning.trig);
    ki_engine_define(&defines, "BASIS", f->basis != NULL);
    status = f->kernel == MRI_SEPARABLE
                 ? open_product(f, err)
                 : ki_engine_builtin_kernel(context, "app/mri/mri_forward.cl", defines.items, defines.count,
                                            KN_POLICY_DEFAULT, "mri_forward", &f->sum, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, "app/mri/mri_forward.cl", defines.items, defines.count,
                                             KN_POLICY_DEFAULT, "mri_forward_fold", &f->fold, err);
}

static kn_status get_all(struct forward *f, kn_error *err)
{
    kn_status status = ki_sum_get(&f->scratch, f->there, SUM_PLACE_SAMPLES,
                                  f->batch * MRI_AXES * sizeof(uint32_t), &f->fractions, err);

    if (f->basis && !status)
        status =
            ki_sum_get(&f->scratch, f->there, SUM_PLACE_BASIS, f->batch * 2 * sizeof(float), &f->phi, err);
    if (!status)
        status =
            ki_engine_scratch_get(&f->scratch, SUM_PLACE_TOTAL, f->batch * 4 * sizeof(float), &f->total, err);
    return status ? status
                  : ki_engine_scratch_get(&f->scratch, SUM_PLACE_PARTS,
                                          f->rows * f->batch * 2 * sizeof(float), &f->parts, err);
}

static kn_status write_k(struct forward *f, size_t first, size_t count, uint32_t *staging, kn_error *err)
{
    if (sum_is_there(f->there, SUM_PLACE_SAMPLES))
        return KN_OK;
    for (size_t i = 0; i < MRI_AXES * count; i++)
        staging[i] = ki_mri_fraction(-f->k[MRI_AXES * first + i], f->matrix->size[i % MRI_AXES]);
    return ki_sum_write(f->queue, f->there, SUM_PLACE_SAMPLES, f->fractions, staging,
                        count * MRI_AXES * sizeof *staging, err);
}

static kn_status write_phi(struct forward *f, size_t first, size_t count, float *staging, kn_error *err)
{
    if (!f->basis || sum_is_there(f->there, SUM_PLACE_BASIS))
        return KN_OK;
    ki_sum_round_pairs(f->basis + first, count, staging);
    return ki_sum_write(f->queue, f->there, SUM_PLACE_BASIS, f->phi, staging, count * 2 * sizeof *staging,
                        err);
}

// Uploads -k and phi of `count` samples from `first` on. `staging` has room for three numbers each.
static kn_status load(struct forward *f, size_t first, size_t count, void *staging, kn_error *err)
{
    kn_status status = write_k(f, first, count, staging, err);

    return status ? status : write_phi(f, first, count, staging, err);
}

// Launches voxels [begin, end) of a part of the image that begins with voxel `first`, for `count` samples;
// their data begin at `at`.
static kn_status launch(struct forward *f, const kn_buffer *image, uint64_t first, uint64_t begin,
                        uint64_t end, uint32_t count, kn_buffer *data, uint64_t at, kn_error *err)
{
    const uint32_t size_x = (uint32_t)f->matrix->size[0], size_y = (uint32_t)f->matrix->size[1],
                   size_z = (uint32_t)f->matrix->size[2], share = (uint32_t)least(f->share, end - begin);
    const uint32_t rows = (uint32_t)groups_for(end - begin, share);
    const uint32_t stage = (begin == 0 ? STAGE_FIRST : 0) | (end == f->voxels ? STAGE_LAST : 0);
    const kn_arg args[] = {
        KN_BUFFER(f->fractions), KN_VALUE(count),  KN_VALUE(size_x),    KN_VALUE(size_y),
        KN_VALUE(size_z),        KN_BUFFER(image), KN_VALUE(first),     KN_VALUE(begin),
        KN_VALUE(end),           KN_VALUE(share),  KN_BUFFER(f->parts),
    };
    const kn_arg fold_args[] = {
        KN_BUFFER(f->parts), KN_VALUE(rows),  KN_VALUE(count), KN_BUFFER(f->phi ? f->phi : f->total),
        KN_BUFFER(f->total), KN_BUFFER(data), KN_VALUE(at),    KN_VALUE(stage),
    };
    const bool product = f->kernel == MRI_SEPARABLE;
    const size_t group = product ? group_of(&f->product) : f->tuning.group,
                 samples = product ? f->product.samples : group * f->tuning.width;
    const kn_range range = {2, {groups_for(count, samples) * group, rows}, {group, 1}, {0}};
    const kn_range fold_range = {1, {groups_for(count, 64) * 64}, {64}, {0}};
    kn_status status =
        ki_sum_launch(f->queue, &f->launches, f->sum, &range,
                      (double)samples / (double)group * (double)(end - begin), args, KI_COUNT(args), err);

    return status ? status
                  : ki_sum_launch(f->queue, &f->launches, f->fold, &fold_range, 0, fold_args,
                                  KI_COUNT(fold_args), err);
}

// Sums the whole image for `count` samples from `first_sample` on, which are on the device.
static kn_status add_image(struct forward *f, size_t first_sample, uint32_t count, kn_buffer *data,
                           uint64_t at, kn_error *err)
{
    size_t length = kn_buffer_get_size(kn_buffer_get_part(f->image, 0)) / (2 * sizeof(float));
    double all = (double)f->samples * (double)f->voxels;
    kn_status status = KN_OK;

    for (size_t begin = 0; begin < f->voxels && !status;) {
        size_t part = begin / length, first = part * length;
        size_t end = least(least(first + length, f->voxels), begin + f->rows * f->share);

        f->launches.part = ((double)first_sample * (double)f->voxels + (double)count * (double)begin) / all;
        f->launches.share = (double)count * (double)(end - begin) / all;
        status = launch(f, kn_buffer_get_part(f->image, part), first, begin, end, count, data, at, err);
        begin = end;
    }
    return status;
}

static kn_status add_all(struct forward *f, kn_buffer *data, void *staging, kn_error *err)
{
    size_t length = kn_buffer_get_size(kn_buffer_get_part(data, 0)) / (2 * sizeof(float));
    kn_status status = KN_OK;

    for (size_t first = 0; first < f->samples && !status;) {
        size_t at = first % length, count = least(least(f->batch, length - at), f->samples - first);

        status = load(f, first, count, staging, err);
        if (!status)
            status = add_image(f, first, (uint32_t)count, kn_buffer_get_part(data, first / length), at, err);
        first += count;
    }
    return status;
}

static kn_status check(const kn_queue *queue, const kn_recon_matrix *matrix, const double *k, size_t samples,
                       const kn_buffer *image, const kn_buffer *data, size_t *voxels, kn_error *err)
{
    struct mri_sum sum = {.matrix = *matrix, .k = k, .samples = samples};
    kn_status status = ki_sum_check("mri_forward_device", &sum, err);

    if (status)
        return status;
    *voxels = sum.count;
    if (!queue || !image || !data || queue->context != image->context || queue->context != data->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "mri_forward_device: queue, image or data is NULL, or of another context");
    if (sum.count > image->bytes / (2 * sizeof(float)) || samples > data->bytes / (2 * sizeof(float)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "mri_forward_device: %zu voxels and %zu samples, but there is room for %zu and %zu",
                       sum.count, samples, image->bytes / (2 * sizeof(float)),
                       data->bytes / (2 * sizeof(float)));
    return KN_OK;
}

kn_status ki_mri_forward_device(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                size_t samples, const double complex *basis, enum mri_kernel kernel,
                                const kn_buffer *image, kn_buffer *data, struct mri_there *there,
                                kn_error *err)
{
    struct forward f = {.queue = queue,
                        .matrix = matrix,
                        .k = k,
                        .basis = basis,
                        .kernel = kernel,
                        .samples = samples,
                        .image = image};
    kn_status status = check(queue, matrix, k, samples, image, data, &f.voxels, err);
    void *staging;

    if (status || samples == 0)
        return status;
    if (mri_kernel_is_host(kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT, "mri_forward_device: kernel %d is not one of a device",
                       (int)kernel);
    f.tuning = ki_mri_tuning_usual(queue);
    f.product = product_for(&queue->context->device.info);
    choose_sizes(&f);
    if (f.batch == samples && kn_buffer_get_part_count(data) == 1)
        f.there = there;
    f.scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, SUM_PLACES, "a forward sum");
    staging = ki_kept_take(&queue->kept, f.batch * MRI_AXES * sizeof(uint32_t));
    status = staging ? open_kernels(&f, err)
                     : ki_fail_memory(err, f.batch * MRI_AXES * sizeof(uint32_t), "a trajectory");
    if (!status)
        status = get_all(&f, err);
    if (!status)
        status = add_all(&f, data, staging, err);
    ki_kept_give(&queue->kept, staging);
    ki_engine_scratch_close(&f.scratch);
    return status;
}
