// SPDX-License-Identifier: Apache-2.0
// A product as prepared by its format: creation, application and release; and the factors of a geometry's
// rows.
#include "spmv_internal.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

enum { SCALE_GROUP = 64 };

void ki_spmv_product_free(struct spmv_product *product)
{
    for (size_t i = 0; i < product->buffer_count; i++)
        kn_buffer_free(product->buffers[i]);
    *product = (struct spmv_product){.rows = 0};
}

// ---- the factors of rows, by launches of their own ----

static kn_status upload_factors(const struct spmv_task *task, struct spmv_product *product,
                                kn_buffer **buffer, kn_error *err)
{
    const size_t rows = ki_sparse_parallel_rows(task->geometry);
    const double *factors = task->geometry->factors;

    for (size_t i = 0; i < rows; i++)
        if (!isfinite((float)factors[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "row %zu is multiplied by %g, which single precision has not; divide the weights "
                           "by their greatest",
                           i, factors[i]);
    return ki_spmv_upload_values(task, product, factors, rows, buffer, err);
}

static void read_from(struct spmv_product *product, kn_buffer *x)
{
    for (size_t i = 0; i < product->launch_count; i++)
        for (size_t k = 0; k < product->launches[i].count; k++)
            if (product->launches[i].arguments[k].kind == SPMV_X)
                product->launches[i].arguments[k] = spmv_memory(x);
}

// A launch that multiplies y in place after A's, or, before those of A^T, x into a buffer that they then
// read.
static kn_status scale_rows(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    const size_t rows = ki_sparse_parallel_rows(task->geometry), others = product->launch_count;
    kn_context *context = kn_queue_get_context(task->queue);
    struct engine_defines defines = {.count = 0};
    kn_buffer *factors, *scaled = NULL;
    kn_kernel *kernel;
    kn_status status = upload_factors(task, product, &factors, err);

    if (!status && task->back)
        status = ki_spmv_upload(task, product, NULL, rows * sizeof(float), &scaled, err);
    ki_engine_define(&defines, "GROUP", SCALE_GROUP);
    if (!status)
        status = ki_engine_builtin_kernel(context, "app/sparse/sparse_filter.cl", defines.items,
                                          defines.count, KN_POLICY_DEFAULT, "weigh_detectors", &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {task->back ? spmv_x() : spmv_y(), spmv_memory(factors),
                                                  task->back ? spmv_memory(scaled) : spmv_y(),
                                                  spmv_number(rows), spmv_number(rows)};

        if (task->back)
            read_from(product, scaled);
        ki_spmv_add_launch(product, kernel, rows, SCALE_GROUP, arguments, KI_COUNT(arguments));
    }
    for (size_t i = others; i > 0 && !status && task->back; i--) { // to the front
        const struct spmv_launch last = product->launches[i];

        product->launches[i] = product->launches[i - 1];
        product->launches[i - 1] = last;
    }
    return status;
}

size_t ki_spmv_estimate_factors(const struct spmv_task *task)
{
    const size_t bytes = ki_sparse_parallel_rows(task->geometry) * sizeof(float);

    return !task->geometry->factors ? 0 : task->back ? 2 * bytes : bytes;
}

// ---- products ----

kn_status ki_spmv_product_create(const struct spmv_task *task, kn_sparse_format format,
                                 struct spmv_product *product, kn_error *err)
{
    kn_status status;

    *product = (struct spmv_product){.format = format,
                                     .rows = ki_spmv_task_rows(task),
                                     .columns = ki_spmv_task_columns(task),
                                     .type = task->tuning.is_double ? KN_F64 : KN_F32};
    status = ki_spmv_formats[format](task, product, err);
    if (!status && task->geometry && task->geometry->factors && !task->interpolated)
        status = scale_rows(task, product, err);
    if (status)
        ki_spmv_product_free(product);
    return status;
}

static kn_arg argument_of(const struct spmv_argument *argument, const kn_buffer *x, const kn_buffer *y)
{
    if (argument->kind == SPMV_NUMBER)
        return KN_VALUE(argument->number);
    return KN_BUFFER(argument->kind == SPMV_X ? x : argument->kind == SPMV_Y ? y : argument->buffer);
}

kn_status ki_spmv_product_apply(kn_queue *queue, const struct spmv_product *product, const kn_buffer *x,
                                kn_buffer *y, kn_error *err)
{
    const double zero = 0; // has the bytes of a float's 0, too
    size_t size = kn_type_size(product->type);
    kn_arg args[SPMV_ARGUMENTS];
    kn_status status = KN_OK;

    if (product->adds && product->rows)
        status = kn_buffer_fill(queue, y, &zero, size, 0, product->rows * size, NO_EVENT, err);
    for (size_t i = 0; i < product->launch_count && !status; i++) {
        const struct spmv_launch *launch = &product->launches[i];
        const kn_range range = {1, {launch->groups * launch->group}, {launch->group}, {0}};

        for (size_t k = 0; k < launch->count; k++)
            args[k] = argument_of(&launch->arguments[k], x, y);
        status = kn_launch(queue, launch->kernel, &range, args, launch->count, NO_EVENT, err);
    }
    return status;
}
