// SPDX-License-Identifier: Apache-2.0
// A product as prepared by its format: creation, application and release.
#include "spmv_internal.h"

void ki_spmv_product_free(struct spmv_product *product)
{
    for (size_t i = 0; i < product->buffer_count; i++)
        kn_buffer_free(product->buffers[i]);
    *product = (struct spmv_product){.rows = 0};
}

kn_status ki_spmv_product_create(const struct spmv_task *task, kn_sparse_format format,
                                 struct spmv_product *product, kn_error *err)
{
    kn_status status;

    *product = (struct spmv_product){.format = format,
                                     .rows = ki_spmv_task_rows(task),
                                     .columns = ki_spmv_task_columns(task),
                                     .type = task->tuning.is_double ? KN_F64 : KN_F32};
    status = ki_spmv_formats[format](task, product, err);
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
