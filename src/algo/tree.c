// SPDX-License-Identifier: Apache-2.0
#include "tree.h"

#include "base/array.h"
#include "base/error.h"
#include "engine/answer.h"

static size_t divide_up(size_t n, size_t by)
{
    return n / by + (n % by != 0);
}

kn_status ki_tree_choose(const char *function, const kn_queue *queue, const kn_buffer *x, kn_type type,
                         const struct engine_shape *sizes, struct tree_shape *shape, kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;
    size_t parts = kn_buffer_get_part_count(x),
           part = kn_buffer_get_size(kn_buffer_get_part(x, 0)) / kn_type_size(type);
    bool cpu = engine_is_cpu(info), soft = type == KN_F32 && ki_column_is_soft(queue);
    unsigned items; // elements of a leaf

    // Integers that replace doubles take registers, and fill no vectors.
    shape->group = cpu ? sizes->cpu.group : sizes->gpu.group;
    shape->width = cpu && !soft ? sizes->cpu.width : sizes->gpu.width;
    items = TREE_LANES / shape->width;
    if (parts > 1 && part < TREE_LEAF)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: the buffer is held in parts of %zu elements, less than a leaf of %d", function,
                       part, TREE_LEAF);
    while (shape->group > 1 && shape->group > info->max_work_group)
        shape->group /= 2;
    // A group's leaves must not reach past a part (kn_buffer_get_part).
    while (parts > 1 && shape->group / items * (size_t)TREE_LEAF > part && shape->group > items)
        shape->group /= 2;
    shape->leaves = shape->group / items;
    if (shape->leaves == 0)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s takes groups of %llu work-items; at least %u are needed",
                       function, info->spec, (unsigned long long)info->max_work_group, items);
    return KN_OK;
}

size_t ki_tree_partials(const struct tree_shape *shape, size_t n)
{
    return divide_up(n, (size_t)shape->leaves * TREE_LEAF);
}

size_t ki_tree_leaf_groups(const kn_queue *queue, const struct tree_shape *shape, size_t n)
{
    // Many times as many groups as the device runs at once: on an H200 that was 6 % faster than exactly as
    // many.
    const kn_device_info *info = &queue->context->device.info;
    size_t partials = ki_tree_partials(shape, n), most = (size_t)1 << 16;

    return partials < most || info->loop_limit ? partials : most;
}

size_t ki_tree_fold_groups(const struct tree_shape *shape, size_t count)
{
    return divide_up(count, (size_t)TREE_FOLD_BY * shape->group);
}

// One part's partial results, after those of the parts before it. Parts have a power of two elements, so that
// each begins a leaf and a group's leaves are the same as if there were one part.
static kn_status launch_part(const struct tree_job *job, kn_buffer *part, uint64_t n, kn_buffer *partial,
                             uint64_t before, uint64_t stride, kn_error *err)
{
    const kn_range range = {
        1, {ki_tree_leaf_groups(job->queue, &job->shape, n) * job->shape.group}, {job->shape.group}, {0}};
    kn_arg args[6] = {KN_BUFFER(part), KN_VALUE(n)};
    size_t count = 2;

    if (job->shift)
        args[count++] = *job->shift;
    args[count++] = (kn_arg)KN_BUFFER(partial);
    args[count++] = (kn_arg)KN_VALUE(before);
    args[count++] = (kn_arg)KN_VALUE(stride);
    return kn_launch(job->queue, job->leaves, &range, args, count, NO_EVENT, err);
}

static kn_status launch_leaves(const struct tree_job *job, kn_buffer *partial, size_t groups, kn_error *err)
{
    size_t size = kn_type_size(job->type), done = 0, before = 0;
    kn_status status = KN_OK;

    for (size_t i = 0; done < job->n && !status; i++) {
        kn_buffer *part = kn_buffer_get_part(job->x, i);
        size_t n =
            kn_buffer_get_size(part) / size < job->n - done ? kn_buffer_get_size(part) / size : job->n - done;
        status = launch_part(job, part, n, partial, before, groups, err);
        before += ki_tree_partials(&job->shape, n);
        done += n;
    }
    return status;
}

kn_status ki_tree_fold(const struct tree_job *job, kn_buffer **from, kn_buffer **to, size_t count,
                       kn_error *err)
{
    while (count > 1) {
        size_t groups = ki_tree_fold_groups(&job->shape, count);
        uint64_t nodes = count;

        if (groups == 1 && job->answer)
            *to = job->answer;
        const kn_arg args[] = {KN_BUFFER(*from), KN_VALUE(nodes), KN_BUFFER(*to)};
        const kn_range range = {2, {groups * job->shape.group, job->rows}, {job->shape.group, 1}, {0}};
        kn_status status = kn_launch(job->queue, job->fold, &range, args, KI_COUNT(args), NO_EVENT, err);
        if (status)
            return status;
        kn_buffer *swapped = *from;
        *from = *to;
        *to = swapped;
        count = groups;
    }
    return KN_OK;
}

kn_status ki_tree_run(struct tree_job *job, void *result, kn_error *err)
{
    size_t groups = ki_tree_partials(&job->shape, job->n), row = job->rows * job->bytes;
    kn_buffer *partial = NULL, *spare = NULL;
    struct engine_scratch scratch =
        ki_engine_scratch_open(job->queue, ENGINE_SCRATCH_ALGORITHM, 2, "kn_reduce");
    kn_status status = result ? ki_engine_answer_get(job->queue, &job->answer, err) : KN_OK;

    if (!status)
        status = ki_engine_scratch_get(&scratch, 0, groups * row, &partial, err);
    if (!status)
        status = ki_engine_scratch_get(&scratch, 1, groups * row, &spare, err);
    if (!status && groups == 1)
        partial = job->answer;
    if (!status)
        status = launch_leaves(job, partial, groups, err);
    if (!status)
        status = ki_tree_fold(job, &partial, &spare, groups, err);
    if (!status && result)
        status = ki_engine_answer_read(job->queue, result, row, err);
    ki_engine_scratch_close(&scratch);
    return status;
}
