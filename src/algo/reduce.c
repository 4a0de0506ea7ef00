// SPDX-License-Identifier: Apache-2.0
// Sums in the fixed tree of cl/reduce.cl, over buffers of any size.
#include <koine/reduce.h>

#include <math.h>

#include "../base/array.h"
#include "../base/error.h"
#include "columns.h"

#define LEAF     4096
#define LANES    64
#define FOLD_BY  16
#define NO_EVENT NULL

// How a launch is shaped. It changes the speed, never the bits.
struct shape {
    unsigned group;
    unsigned width; // neighbouring lanes a work-item holds
    unsigned leaves; // a group; 0: the device's groups are too small for one
};

static struct shape shape_for(const kn_queue *queue, unsigned components, size_t parts, size_t part_elements)
{
    const kn_device_info *info = &queue->context->device.info;
    struct shape shape = {components == 1 ? 512 : 256, 4, 0}; // measured best on an H200 (bench/RESULTS.md)

    if (info->type == KN_DEVICE_CPU)
        shape = (struct shape){16, 16, 0};
    while (shape.group > 1 && shape.group > info->max_work_group)
        shape.group /= 2;
    // A group's leaves must not reach past a part (kn_buffer_part).
    while (parts > 1 && (shape.group / (LANES / shape.width)) * (size_t)LEAF > part_elements && shape.group > LANES / shape.width)
        shape.group /= 2;
    shape.leaves = shape.group / (LANES / shape.width);
    return shape;
}

struct reduction {
    kn_queue *queue;
    kn_type type;
    size_t n;
    double shift;
    unsigned components; // 1: the sum, 2: the sum of squares too
    struct shape shape;
    kn_kernel *leaves, *fold;
};

static kn_status get_kernels(struct reduction *r, kn_error *err)
{
    struct column_defines defines = {.count = 0};
    kn_context *context = r->queue->context;
    kn_status status;

    column_define_type(&defines, r->queue, r->type);
    column_define(&defines, "GROUP", r->shape.group);
    column_define(&defines, "WIDTH", r->shape.width);
    column_define(&defines, "SQUARES", r->components == 2);
    // Strict: the sums promise bits, so no compiler may regroup them.
    status = engine_builtin_kernel(context, "reduce.cl", defines.items, defines.count, KN_POLICY_STRICT, "reduce_leaves",
                                   &r->leaves, err);
    return status ? status
                  : engine_builtin_kernel(context, "reduce.cl", defines.items, defines.count, KN_POLICY_STRICT,
                                          "reduce_fold", &r->fold, err);
}

static size_t groups_for(const struct reduction *r, size_t n)
{
    size_t span = (size_t)r->shape.leaves * LEAF;

    return n / span + (n % span != 0);
}

// One part's partial sums, behind those of the parts before it. Parts have a power of two elements, so that each
// begins a leaf and a group's leaves are the same as if there were one part.
static kn_status launch_part(const struct reduction *r, kn_buffer *part, size_t n, kn_buffer *partial, size_t before,
                             size_t groups, kn_error *err)
{
    union column_scalar shift;
    uint64_t count = n, first = before, stride = groups;
    const kn_arg args[] = {KN_BUFFER(part),    KN_VALUE(count), column_real(&shift, r->type, r->shift),
                           KN_BUFFER(partial), KN_VALUE(first), KN_VALUE(stride)};
    const kn_range range = {1, {groups_for(r, n) * r->shape.group}, {r->shape.group}, {0}};

    return kn_launch(r->queue, r->leaves, &range, args, KN_COUNT(args), NO_EVENT, err);
}

static kn_status launch_leaves(const struct reduction *r, kn_buffer *x, kn_buffer *partial, size_t groups, kn_error *err)
{
    size_t size = kn_type_size(r->type), done = 0, before = 0;
    kn_status status = KN_OK;

    for (size_t i = 0; done < r->n && !status; i++) {
        kn_buffer *part = kn_buffer_part(x, i);
        size_t n = kn_buffer_size(part) / size < r->n - done ? kn_buffer_size(part) / size : r->n - done;
        status = launch_part(r, part, n, partial, before, groups, err);
        before += groups_for(r, n);
        done += n;
    }
    return status;
}

// Folds `count` partial sums of each component in *from to one, using *to in turn.
static kn_status fold(const struct reduction *r, kn_buffer **from, kn_buffer **to, size_t count, kn_error *err)
{
    while (count > 1) {
        size_t span = (size_t)FOLD_BY * r->shape.group;
        size_t groups = count / span + (count % span != 0);
        uint64_t nodes = count;
        const kn_arg args[] = {KN_BUFFER(*from), KN_VALUE(nodes), KN_BUFFER(*to)};
        const kn_range range = {2, {groups * r->shape.group, r->components}, {r->shape.group, 1}, {0}};
        kn_status status = kn_launch(r->queue, r->fold, &range, args, KN_COUNT(args), NO_EVENT, err);
        if (status)
            return status;
        kn_buffer *swapped = *from;
        *from = *to;
        *to = swapped;
        count = groups;
    }
    return KN_OK;
}

static kn_status reduce_whole(const struct reduction *r, kn_buffer *x, double result[2], kn_error *err)
{
    size_t groups = groups_for(r, r->n);
    size_t bytes = groups * r->components * sizeof(double); // an accumulator has 8 bytes either way
    union column_scalar sums[2];
    kn_buffer *partial = NULL, *spare = NULL;
    kn_status status = engine_scratch(r->queue, 0, bytes, &partial, err);

    if (!status)
        status = engine_scratch(r->queue, 1, bytes, &spare, err);
    if (!status)
        status = launch_leaves(r, x, partial, groups, err);
    if (!status)
        status = fold(r, &partial, &spare, groups, err);
    if (!status)
        status = kn_buffer_read(r->queue, partial, 0, sums, r->components * sizeof(double), err);
    for (unsigned i = 0; i < r->components && !status; i++)
        result[i] = column_value(&sums[i], r->queue);
    return status;
}

static kn_status reduce(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, double shift, unsigned components,
                        double result[2], const char *function, kn_error *err)
{
    struct reduction r = {queue, type, n, shift, components, {0, 0, 0}, NULL, NULL};
    size_t parts, part_elements;
    kn_status status = column_check(function, queue, x, type, n, err);

    result[0] = result[1] = 0;
    if (status || n == 0)
        return status;
    if (!isfinite(type == KN_F64 ? shift : (double)(float)shift))
        return kn_fail(err, KN_ERROR_ARGUMENT, "%s: a shift of %g is not finite in %s", function, shift, kn_type_name(type));
    parts = kn_buffer_part_count(x);
    part_elements = kn_buffer_size(kn_buffer_part(x, 0)) / kn_type_size(type);
    if (parts > 1 && part_elements < LEAF)
        return kn_fail(err, KN_ERROR_LIMIT, "%s: the buffer is held in parts of %zu elements, less than a leaf of %d", function,
                       part_elements, LEAF);
    r.shape = shape_for(queue, components, parts, part_elements);
    if (r.shape.leaves == 0)
        return kn_fail(err, KN_ERROR_LIMIT, "%s: %s takes groups of %llu work-items; at least %u are needed", function,
                       queue->context->device.info.spec, (unsigned long long)queue->context->device.info.max_work_group,
                       LANES / r.shape.width);
    status = get_kernels(&r, err);
    return status ? status : reduce_whole(&r, x, result, err);
}

kn_status kn_reduce_sum(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, double *sum, kn_error *err)
{
    double result[2];
    kn_status status;

    if (!sum)
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_reduce_sum: sum is NULL");
    status = reduce(queue, x, type, n, 0, 1, result, "kn_reduce_sum", err);
    if (!status)
        *sum = result[0];
    return status;
}

kn_status kn_reduce_sums(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, double shift, kn_sums *sums,
                         kn_error *err)
{
    double result[2];
    kn_status status;

    if (!sums)
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_reduce_sums: sums is NULL");
    status = reduce(queue, x, type, n, shift, 2, result, "kn_reduce_sums", err);
    if (!status)
        *sums = (kn_sums){result[0], result[1]};
    return status;
}
