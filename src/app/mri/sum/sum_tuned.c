// SPDX-License-Identifier: Apache-2.0
// The launch of mri_tuned (cl/app/mri/mri_fhd.cl), and its sizes on a device.
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

struct mri_tuning ki_mri_tuning_usual(const kn_queue *queue)
{
    const kn_device_info *info = &queue->context->device.info;
    // Other vendors' native functions may be accurate to only a few thousandths, because the specification
    // does not limit their error.
    bool native = ki_engine_is_nvidia(queue->context);
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_MRI_SUM);
    struct mri_tuning usual = {.group = sizes->group,
                               .voxels = sizes->items,
                               .width = sizes->width,
                               .memory = sizes->chunk ? MRI_MEMORY_LOCAL : MRI_MEMORY_GLOBAL,
                               .chunk = sizes->chunk,
                               .unroll = sizes->ahead,
                               .trig = native ? MRI_TRIG_NATIVE : MRI_TRIG_POLYNOMIAL};

    while (usual.group > info->max_work_group)
        usual.group /= 2;
    return usual;
}

static kn_status check_tuning(const kn_queue *queue, const struct mri_tuning *t, kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;

    if (t->group < 1 || t->voxels < 1 || t->voxels > 16 || t->unroll < 1 ||
        (unsigned)t->memory >= MRI_MEMORIES || (unsigned)t->trig >= MRI_TRIGS ||
        (t->memory == MRI_MEMORY_LOCAL && t->chunk < 1) ||
        (t->width != 1 && t->width != 4 && t->width != 8 && t->width != 16))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "mri_sum_device: no kernel with groups of %u, %u voxels a work-item, vectors of %u, memory %d, "
            "chunks of %u, %u samples at a time, sine %d; see mri_tuning",
            t->group, t->voxels, t->width, (int)t->memory, t->chunk, t->unroll, (int)t->trig);
    if (t->group > info->max_work_group ||
        (t->memory == MRI_MEMORY_LOCAL && t->chunk > info->local_memory / (5 * sizeof(float))))
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "mri_sum_device: groups of %u work-items with %u samples in local memory; %s takes %llu "
            "work-items and %llu bytes",
            t->group, t->chunk, info->spec, (unsigned long long)info->max_work_group,
            (unsigned long long)info->local_memory);
    return KN_OK;
}

// ---- what koine tune keeps ----

const kn_tunables ki_mri_sum_tunables = {
    "recon", "app/mri/mri_fhd.cl", {"GROUP", "VOXELS", "WIDTH", "MEMORY", "CHUNK", "UNROLL", NULL}};

void ki_mri_tuning_values(const struct mri_tuning *tuning, unsigned values[KN_TUNABLES])
{
    const unsigned all[] = {tuning->group, tuning->voxels, tuning->width, (unsigned)tuning->memory,
                            tuning->chunk, tuning->unroll};

    memcpy(values, all, sizeof all);
}

struct mri_tuning ki_mri_tuning_for(const kn_queue *queue)
{
    struct mri_tuning usual = ki_mri_tuning_usual(queue), tuning = usual;
    unsigned values[KN_TUNABLES];
    kn_error why = KN_ERROR_INIT;

    if (!ki_engine_tuning(queue->context, &ki_mri_sum_tunables, values))
        return usual;
    tuning.group = values[0];
    tuning.voxels = values[1];
    tuning.width = values[2];
    tuning.memory = (enum mri_memory)values[3];
    tuning.chunk = values[4];
    tuning.unroll = values[5];
    if (!check_tuning(queue, &tuning, &why))
        return tuning;
    ki_engine_tuning_refuse(queue->context, &ki_mri_sum_tunables, "%s", why.text);
    return usual;
}

static size_t groups_for(size_t count, size_t in_one)
{
    return (count + in_one - 1) / in_one;
}

// A work-item's voxels lie along the last axis that is longer than 1, whole planes apart; given positions
// have no planes.
static void choose_lines(struct sum_work *work, size_t slab)
{
    const kn_recon_matrix *matrix = &work->sum->matrix;
    size_t lines;

    work->plane = 1;
    work->axis = MRI_AXES - 1;
    if (!work->sum->positions) {
        while (work->axis > 0 && matrix->size[work->axis] == 1)
            work->axis--;
        for (unsigned axis = 0; axis < work->axis; axis++)
            work->plane *= matrix->size[axis];
    }
    lines = groups_for(slab, work->plane);
    while (work->tuning.voxels > lines)
        work->tuning.voxels = work->tuning.voxels > 1 ? work->tuning.voxels / 2 : 1;
}

static size_t step_of(const struct sum_work *work, size_t count)
{
    return groups_for(groups_for(count, work->plane), work->tuning.voxels) * work->plane;
}

// The groups that keep the device busy.
static size_t busy_groups(const kn_queue *queue, const struct mri_tuning *t)
{
    const kn_device_info *info = &queue->context->device.info;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_MRI_SUM_SHARED);

    return (size_t)info->compute_units * (sizes->per_unit ? sizes->per_unit : sizes->items / t->group + 1);
}

// The memory for rows of sums: at most as many numbers as the groups that fill the device have voxels.
size_t ki_sum_parts_memory(const kn_queue *queue, size_t slab, size_t samples)
{
    const struct mri_tuning t = ki_mri_tuning_for(queue);
    size_t busy = busy_groups(queue, &t), shares = groups_for(samples, SUM_SHARE),
           most = busy * t.group * t.width * t.voxels, sums = (shares < busy ? shares : busy) * slab;

    return (sums < most ? sums : most) * MRI_PAIR;
}

static kn_status open_kernels(struct sum_work *work, kn_error *err)
{
    const struct mri_tuning *t = &work->tuning;
    kn_context *context = work->queue->context;
    struct engine_defines defines = {.count = 0};
    const struct {
        const char *name;
        unsigned value;
    } macros[] = {
        {"REAL_MU", sum_is_real(work->sum)},
        {"GROUP", t->group},
        {"VOXELS", t->voxels},
        {"WIDTH", t->width},
        {"MEMORY", (unsigned)t->memory},
        {"CHUNK", t->memory == MRI_MEMORY_LOCAL ? t->chunk : 1},
        {"UNROLL", t->unroll},
        {"TRIG", (unsigned)t->trig},
        {"POSITIONS", work->sum->positions != NULL},
        {"AXIS", work->axis},
    };

    for (size_t i = 0; i < KI_COUNT(macros); i++)
        ki_engine_define(&defines, macros[i].name, macros[i].value);
    if (t->memory == MRI_MEMORY_CONSTANT)
        ki_engine_define_text(&defines, "KN_CONSTANT", "bank");
    return ki_engine_builtin_kernel(context, "app/mri/mri_fhd.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, "mri_tuned", &work->kernel, err);
}

kn_status ki_sum_tuned_open(struct sum_work *work, size_t slab, kn_error *err)
{
    kn_status status;
    const struct mri_sum *sum = work->sum;

    work->tuning = sum->tuning ? *sum->tuning : ki_mri_tuning_for(work->queue);
    status = check_tuning(work->queue, &work->tuning, err);
    if (status)
        return status;
    work->fractions = !sum->positions;
    work->voxels = sum->positions ? SUM_VOXEL_ARRAYS : SUM_VOXELS_NOWHERE;
    work->constant = work->tuning.memory == MRI_MEMORY_CONSTANT;
    choose_lines(work, slab);
    work->line_parts = ki_sum_parts(
        work, slab, groups_for(step_of(work, slab), (size_t)work->tuning.group * work->tuning.width),
        busy_groups(work->queue, &work->tuning), work->tuning.parts);
    if (work->constant && work->chunk > SUM_CHUNK / 2)
        work->chunk = SUM_CHUNK / 2; // 40 KB, as for the lecture's kernels
    if (!work->constant)
        work->chunk *= work->line_parts;
    status = ki_sum_get_parts(work, slab, err);
    return status ? status : open_kernels(work, err);
}

// The matrix or the positions, in the form that the kernel takes.
struct position_arguments {
    uint32_t size[MRI_AXES], apart;
    uint64_t first;
};

static size_t position_args(struct sum_work *work, const struct sum_range *range, uint32_t step,
                            struct position_arguments *taken, kn_arg *args)
{
    size_t count = 0;

    if (work->sum->positions) {
        for (size_t axis = 0; axis < MRI_AXES; axis++)
            args[count++] = KN_BUFFER(work->positions[axis]);
        return count;
    }
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        taken->size[axis] = (uint32_t)work->sum->matrix.size[axis];
        args[count++] = KN_VALUE(taken->size[axis]);
    }
    taken->first = work->sum->first + range->from;
    taken->apart = step / (uint32_t)work->plane;
    args[count++] = KN_VALUE(taken->first);
    args[count++] = KN_VALUE(taken->apart);
    return count;
}

kn_status ki_sum_tuned_launch(struct sum_work *work, const struct sum_range *range, kn_error *err)
{
    const struct mri_tuning *t = &work->tuning;
    kn_buffer *const *samples = work->constant ? work->chunks : work->samples;
    const uint32_t step = (uint32_t)step_of(work, range->count), count = range->end - range->begin;
    const uint32_t begin = work->constant ? 0 : range->begin, end = begin + count;
    const uint32_t share = (uint32_t)groups_for(count, work->line_parts),
                   parts = (uint32_t)groups_for(count, share);
    const size_t groups = groups_for(step, (size_t)t->group * t->width);
    const kn_range all = {2, {groups * t->group, parts}, {t->group, 1}, {0}};
    struct position_arguments taken;
    kn_arg args[MRI_AXES + 14];
    size_t arg_count = position_args(work, range, step, &taken, args);
    kn_status status = work->constant ? ki_sum_copy_chunk(work, range->begin, count, err) : KN_OK;

    args[arg_count++] = KN_VALUE(step);
    args[arg_count++] = KN_VALUE(range->count);
    args[arg_count++] = KN_BUFFER(samples[0]);
    args[arg_count++] = KN_BUFFER(samples[1]);
    args[arg_count++] = KN_VALUE(begin);
    args[arg_count++] = KN_VALUE(end);
    args[arg_count++] = KN_VALUE(share);
    args[arg_count++] = KN_BUFFER(work->parts);
    args[arg_count++] = KN_BUFFER(work->total);
    args[arg_count++] = KN_BUFFER(range->image);
    args[arg_count++] = KN_VALUE(range->at);
    args[arg_count++] = KN_VALUE(range->stage);
    if (!status)
        status = ki_sum_launch(work->queue, &work->launches, work->kernel, &all,
                               (double)(t->voxels * t->width) * (double)count, args, arg_count, err);
    return status || parts == 1 ? status : ki_sum_fold(work, range, parts, err);
}
