// SPDX-License-Identifier: Apache-2.0
// Reductions in the fixed tree: sums with cl/algo/reduce.cl, any operation with cl/algo/reduce_with.cl, over
// buffers of any size.
#include <koine/reduce.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "operations.h"
#include "tree.h"

// ---- sums ----

static kn_status get_sum_kernels(struct tree_job *job, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_context *context = job->queue->context;
    kn_status status;

    ki_column_define_type(&defines, job->queue, job->type);
    ki_engine_define(&defines, "GROUP", job->shape.group);
    ki_engine_define(&defines, "WIDTH", job->shape.width);
    ki_engine_define(&defines, "SQUARES", job->rows == 2);
    if (job->ahead)
        ki_engine_define(&defines, "UNROLL", job->ahead);
    // Strict: the sums promise bits, so no compiler may regroup them.
    status = ki_engine_builtin_kernel(context, "algo/reduce.cl", defines.items, defines.count,
                                      KN_POLICY_STRICT, "reduce_leaves", &job->leaves, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, "algo/reduce.cl", defines.items, defines.count,
                                             KN_POLICY_STRICT, "reduce_fold", &job->fold, err);
}

// The usual groups, or, if these were fewer than compute units, small ones, as long as one launch folds their
// results.
static kn_status choose_shape(struct tree_job *job, const char *function, kn_error *err)
{
    const kn_device_info *info = &job->queue->context->device.info;
    const struct engine_shape *small = ki_engine_shape(SHAPE_REDUCE_SUM_SMALL);
    const struct engine_shape *usual = ki_engine_shape(job->rows == 1 ? SHAPE_REDUCE_SUM : SHAPE_REDUCE_SUMS);
    struct tree_shape shape;
    kn_status status = ki_tree_choose(function, job->queue, job->x, job->type, usual, &job->shape, err);

    if (status || engine_is_cpu(info) || (job->type == KN_F32 && ki_column_is_soft(job->queue)) ||
        ki_tree_partials(&job->shape, job->n) >= info->compute_units ||
        info->max_work_group < small->gpu.group)
        return status;
    status = ki_tree_choose(function, job->queue, job->x, job->type, small, &shape, err);
    if (status || ki_tree_fold_groups(&shape, ki_tree_partials(&shape, job->n)) > 1)
        return status;
    job->shape = shape;
    job->ahead = small->gpu.ahead;
    return KN_OK;
}

// The sum, and with two rows the sum of squares, of at least one element. `result` NULL: into the job's
// answer.
static kn_status run_sum(const struct tree_job *given, double shift, double *result, const char *function,
                         kn_error *err)
{
    struct tree_job job = *given;
    union column_scalar scalar;
    const kn_arg shift_arg = ki_column_real(&scalar, job.type, shift);
    kn_status status = choose_shape(&job, function, err);

    job.shift = &shift_arg;
    if (!status)
        status = get_sum_kernels(&job, err);
    return status ? status : ki_tree_run(&job, result, err);
}

static kn_status sum(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double shift, unsigned rows,
                     double result[2], const char *function, kn_error *err)
{
    struct tree_job job = {
        .queue = queue, .x = x, .type = type, .n = n, .rows = rows, .bytes = sizeof(double)};
    kn_status status = ki_column_check(function, queue, x, type, n, err);

    result[0] = result[1] = 0;
    if (status || n == 0)
        return status;
    if (!isfinite(type == KN_F64 ? shift : (double)(float)shift))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: a shift of %g is not finite in %s", function, shift,
                       kn_type_name(type));
    return run_sum(&job, shift, result, function, err);
}

kn_status kn_reduce_sum(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *total,
                        kn_error *err)
{
    double result[2];
    kn_status status;

    if (!total)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_reduce_sum: sum is NULL");
    status = sum(queue, x, type, n, 0, 1, result, "kn_reduce_sum", err);
    if (!status)
        *total = result[0];
    return status;
}

kn_status kn_reduce_sums(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double shift,
                         kn_sums *sums, kn_error *err)
{
    double result[2];
    kn_status status;

    if (!sums)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_reduce_sums: sums is NULL");
    status = sum(queue, x, type, n, shift, 2, result, "kn_reduce_sums", err);
    if (!status)
        *sums = (kn_sums){result[0], result[1]};
    return status;
}

// ---- any operation ----

static kn_status get_kernels(struct tree_job *job, const kn_combine *how, kn_type to, kn_error *err)
{
    char group[16], width[16];
    const kn_define defines[] = {{"GROUP", group},
                                 {"WIDTH", width},
                                 {"TYPE", kn_type_name(job->type)},
                                 {"ACC", kn_type_name(to)},
                                 {"COMBINE", how->combine},
                                 {"IDENTITY", how->identity},
                                 {"MAP", how->map ? how->map : "(ACC)x"}};
    kn_status status;

    snprintf(group, sizeof group, "%u", job->shape.group);
    snprintf(width, sizeof width, "%u", job->shape.width);
    status = ki_engine_builtin_kernel(job->queue->context, "algo/reduce_with.cl", defines, KI_COUNT(defines),
                                      KN_POLICY_STRICT, "reduce_with_leaves", &job->leaves, err);
    return status ? status
                  : ki_engine_builtin_kernel(job->queue->context, "algo/reduce_with.cl", defines,
                                             KI_COUNT(defines), KN_POLICY_STRICT, "reduce_with_fold",
                                             &job->fold, err);
}

// `result` NULL: into the job's answer.
static kn_status reduce_with(const char *function, struct tree_job *job, const kn_combine *how, kn_type to,
                             void *result, kn_error *err)
{
    size_t size = kn_type_size(job->type);
    enum engine_shape_of which = size == 1   ? SHAPE_REDUCE_WITH_BYTES
                                 : size == 2 ? SHAPE_REDUCE_WITH_SHORTS
                                             : SHAPE_REDUCE_WITH;
    kn_status status =
        ki_tree_choose(function, job->queue, job->x, job->type, ki_engine_shape(which), &job->shape, err);

    job->rows = 1;
    job->bytes = kn_type_size(to);
    if (!status)
        status = get_kernels(job, how, to, err);
    return status ? status : ki_tree_run(job, result, err);
}

// A job with the caller's operation.
static kn_status read_operation(const char *function, const struct tree_job *job, const kn_combine *how,
                                kn_type to, const void *result, kn_combine *operation, kn_error *err)
{
    kn_status status = ki_column_check_any(function, job->queue, job->x, job->type, job->n, err);

    if (!status)
        status = KI_SIZED_READ(function, kn_combine, how, operation, err);
    if (!status && (!operation->combine || !operation->identity || !result || job->n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: no elements, or combine, identity or result is NULL",
                       function);
    return status ? status : ki_column_check_any(function, job->queue, job->x, to, 0, err);
}

kn_status kn_reduce_with(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const kn_combine *how,
                         kn_type to, void *result, kn_error *err)
{
    struct tree_job job = {.queue = queue, .x = x, .type = type, .n = n};
    kn_combine operation;
    kn_status status = read_operation("kn_reduce_with", &job, how, to, result, &operation, err);

    return status ? status : reduce_with("kn_reduce_with", &job, &operation, to, result, err);
}

// Turns the start value of `result` into an element of type `to`, the job's answer.
static kn_status answer_in(const char *function, struct tree_job *job, kn_buffer *result, kn_type to,
                           kn_error *err)
{
    kn_status status;

    if (result && result == job->x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x and result are one buffer", function);
    status = ki_column_check_any(function, job->queue, result, to, 1, err);
    if (!status)
        job->answer = kn_buffer_get_part(result, 0);
    return status;
}

kn_status kn_reduce_with_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                   const kn_combine *how, kn_type to, kn_buffer *result, kn_error *err)
{
    static const char function[] = "kn_reduce_with_to_buffer";
    struct tree_job job = {.queue = queue, .x = x, .type = type, .n = n};
    kn_combine operation;
    kn_status status = read_operation(function, &job, how, to, result, &operation, err);

    if (!status)
        status = answer_in(function, &job, result, to, err);
    return status ? status : reduce_with(function, &job, &operation, to, NULL, err);
}

// ---- the usual operations ----

// The usual operation for elements of `type`, computed in the type `to`; `floats`: the result is kn_number's
// f64.
struct usual {
    kn_reduce_op op;
    bool floats;
    kn_combine how;
    kn_type to;
};

static kn_status read_usual(const char *function, const struct tree_job *job, kn_reduce_op op,
                            const void *result, struct usual *usual, kn_error *err)
{
    bool extreme = op == KN_REDUCE_MIN || op == KN_REDUCE_MAX;
    kn_type to = job->type % 2 ? KN_U64 : KN_I64;
    kn_status status = ki_column_check_any(function, job->queue, job->x, job->type, job->n, err);

    *usual = (struct usual){.op = op, .floats = job->type >= KN_F32};
    if (!status && usual->floats)
        to = extreme || ki_column_is_soft(job->queue) ? job->type : KN_F64;
    if (!status)
        status = ki_operation_find(function, op, job->type, to, &usual->how, &usual->to, err);
    if (!status && (!result || (job->n == 0 && extreme)))
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "%s: result is NULL, or there are no elements to take the %s of",
                    function, op == KN_REDUCE_MIN ? "least" : "greatest");
    return status;
}

// The result for no elements.
static kn_number identity_of(const struct usual *usual)
{
    bool one = usual->op == KN_REDUCE_PRODUCT;

    return usual->floats ? (kn_number){.f64 = one} : (kn_number){.u64 = one};
}

kn_status kn_reduce(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                    kn_number *result, kn_error *err)
{
    struct tree_job job = {.queue = queue, .x = x, .type = type, .n = n};
    struct usual usual;
    kn_number found = {.u64 = 0};
    float single = 0;
    kn_status status = read_usual("kn_reduce", &job, op, result, &usual, err);

    if (status)
        return status;
    if (usual.floats && op == KN_REDUCE_SUM) {
        status = kn_reduce_sum(queue, x, type, n, &found.f64, err);
    } else if (n == 0) {
        found = identity_of(&usual);
    } else {
        status = reduce_with("kn_reduce", &job, &usual.how, usual.to,
                             usual.to == KN_F32 ? (void *)&single : (void *)&found, err);
        if (usual.to == KN_F32)
            found.f64 = (double)single;
    }
    if (!status)
        *result = found;
    if (!status && usual.floats)
        result->f64 += 0.0; // turns -0 into 0
    return status;
}

kn_status kn_reduce_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                              kn_buffer *result, kn_error *err)
{
    static const char function[] = "kn_reduce_to_buffer";
    struct tree_job job = {.queue = queue, .x = x, .type = type, .n = n};
    struct usual usual;
    kn_number nothing;
    kn_status status = read_usual(function, &job, op, result, &usual, err);

    if (!status)
        status = answer_in(function, &job, result, KN_U64, err);
    if (status)
        return status;
    if (n == 0) {
        nothing = identity_of(&usual);
        return kn_buffer_fill(queue, result, &nothing, sizeof nothing, 0, sizeof nothing, NO_EVENT, err);
    }
    if (usual.floats && op == KN_REDUCE_SUM) {
        job.rows = 1;
        job.bytes = sizeof(double);
        return run_sum(&job, 0, NULL, function, err);
    }
    if (usual.floats && ki_column_is_soft(queue))
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: %s has no double precision to leave the result in; kn_reduce_with_to_buffer "
                       "leaves a float",
                       function, queue->context->device.info.spec);
    if (usual.floats)
        usual.to = KN_F64;
    if (usual.floats && op != KN_REDUCE_PRODUCT)
        usual.how.map = "(ACC)x + 0"; // turns -0 into 0
    return reduce_with(function, &job, &usual.how, usual.to, NULL, err);
}
