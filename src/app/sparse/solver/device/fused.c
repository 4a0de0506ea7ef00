// SPDX-License-Identifier: Apache-2.0
#include "fused.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/device/shapes.h"
#include "operator/cgnr/cgnr_internal.h"

// ---- whether it is possible ----

// The columns of the direction that are kept in local memory, rounded up so that matrices with about as many
// columns share one program.
static size_t kept_columns(size_t columns)
{
    return columns ? (columns + 255) / 256 * 256 : 256;
}

kn_status ki_sparse_fused_check(const kn_context *context, const struct sparse_matrix *matrix,
                                const struct cgnr_options *options, bool is_double, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(context);
    const uint64_t most = ki_engine_local_arrays(info);
    // For the columns, and two sums of the group.
    size_t bytes = kept_columns(matrix->columns) * (is_double ? sizeof(double) : sizeof(float)) +
                   2 * ki_cgnr_group(context, options) * CGNR_CELL;

    if (bytes <= most && matrix->rows < UINT32_MAX / 2)
        return KN_OK;
    return ki_fail(err, KN_ERROR_LIMIT,
                   "fused launches of %zu rows and %zu columns take %zu bytes of local memory; a kernel on "
                   "%s (%s) has %llu, and takes half of 2^32 rows; use separate ones",
                   matrix->rows, matrix->columns, bytes, info->spec, info->name, (unsigned long long)most);
}

// ---- products ----

// Computes the order of rows in the slices, and uploads the position of each row in it.
static kn_status take_row_order(kn_queue *queue, struct sparse_fused *f, uint32_t *row_order,
                                uint32_t *inverse, kn_error *err)
{
    size_t bytes = f->rows * sizeof *row_order;
    kn_status status =
        kn_buffer_read(queue, f->products[0].buffers[SPMV_SELL_ORDER], 0, row_order, bytes, err);

    for (uint32_t i = 0; i < f->rows && !status; i++)
        inverse[row_order[i]] = i;
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), bytes, &f->row_order, err);
    return status ? status : kn_buffer_write(queue, f->row_order, 0, row_order, bytes, err);
}

// A in slices writes w in the order of the slices, and A^T reads it in that order.
static kn_status fold_order(kn_queue *queue, struct sparse_fused *f, struct sparse_matrix *transposed,
                            kn_error *err)
{
    uint32_t *row_order = malloc(2 * (size_t)f->rows * sizeof *row_order + 1), *inverse = row_order + f->rows;
    kn_status status = row_order ? take_row_order(queue, f, row_order, inverse, err)
                                 : ki_fail_memory(err, 2 * f->rows * sizeof *row_order, "a sparse matrix");

    for (size_t i = 0; i < transposed->nonzeros && !status; i++)
        transposed->indices[i] = inverse[transposed->indices[i]];
    for (uint32_t i = 0; i < f->rows && !status; i++)
        row_order[i] = i;
    if (!status)
        status = kn_buffer_write(queue, f->products[0].buffers[SPMV_SELL_ORDER], 0, row_order,
                                 f->rows * sizeof *row_order, err);
    free(row_order);
    return status;
}

static kn_status create_products(kn_queue *queue, struct sparse_fused *f, const struct sparse_matrix *matrix,
                                 const struct sparse_tuning *given, kn_error *err)
{
    struct sparse_matrix transposed = {.rows = 0};
    struct sparse_tuning tuning = *given;
    struct spmv_task task;
    kn_status status = ki_sparse_transpose(matrix, &transposed, err);

    tuning.group = (unsigned)f->back_group;
    tuning.lanes = (unsigned)f->lanes;
    task = ki_spmv_task_of(queue, matrix, &transposed, &tuning);
    if (!status)
        status = ki_spmv_product_create(&task, KN_SPARSE_SELL, &f->products[0], err);
    if (!status)
        status = fold_order(queue, f, &transposed, err);
    task = ki_spmv_task_of(queue, &transposed, matrix, &tuning);
    if (!status)
        status = ki_spmv_product_create(&task, KN_SPARSE_CSR_VECTOR, &f->products[1], err);
    ki_sparse_free(&transposed);
    return status;
}

// ---- creation ----

static kn_status get_kernel(kn_context *context, const struct sparse_fused *f,
                            const struct cgnr_options *options, bool backward, kn_kernel **kernel,
                            kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_status status;

    ki_engine_define(&defines, "GROUP", (unsigned)(backward ? f->back_group : f->group));
    ki_engine_define(&defines, "LANES", (unsigned)f->lanes);
    ki_engine_define(&defines, "COLUMNS", (unsigned)kept_columns(f->columns));
    ki_engine_define(&defines, "INDEX_BITS", f->columns <= UINT16_MAX ? 16 : 32);
    ki_engine_define(&defines, "RESIDUAL", cgnr_keeps_residual(options));
    ki_engine_define(&defines, "REAL_BITS", f->is_double ? 64 : 32);
    status = ki_cgnr_define(&defines, context, options, f->is_double ? KN_F64 : KN_F32, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, "app/sparse/sparse_cgnr.cl", defines.items,
                                             defines.count, KN_POLICY_DEFAULT,
                                             backward ? "cgnr_backward" : "cgnr_forward", kernel, err);
}

static void choose_shape(struct sparse_fused *f, const kn_context *context,
                         const struct sparse_tuning *tuning, const struct cgnr_options *options)
{
    const kn_device_info *info = kn_context_get_device(context);
    const struct engine_sizes *back = ki_engine_sizes(info, SHAPE_SPARSE_SOLVER_BACK);

    f->group = ki_cgnr_group(context, options);
    f->back_group = tuning->group ? tuning->group : back->group;
    while (f->back_group > info->max_work_group)
        f->back_group /= 2;
    f->lanes = tuning->lanes ? tuning->lanes : back->lanes;
    while (f->lanes > f->back_group)
        f->lanes /= 2;
}

kn_status ki_sparse_fused_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_tuning *tuning, const struct cgnr_options *options,
                                 struct sparse_fused *made, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    kn_status status;

    *made = (struct sparse_fused){
        .rows = (uint32_t)matrix->rows, .columns = (uint32_t)matrix->columns, .is_double = tuning->is_double};
    choose_shape(made, context, tuning, options);
    status = get_kernel(context, made, options, false, &made->forward, err);
    if (!status)
        status = get_kernel(context, made, options, true, &made->backward, err);
    if (!status)
        status = create_products(queue, made, matrix, tuning, err);
    if (status)
        ki_sparse_fused_free(made);
    return status;
}

void ki_sparse_fused_free(struct sparse_fused *fused)
{
    for (unsigned i = 0; i < 2; i++)
        ki_spmv_product_free(&fused->products[i]);
    kn_buffer_free(fused->row_order);
    *fused = (struct sparse_fused){.rows = 0};
}

// ---- an iteration ----

static kn_status launch_forward(const struct sparse_fused *f, kn_queue *queue, const struct cgnr *s,
                                uint32_t iteration, kn_error *err)
{
    kn_buffer *const *b = s->buffers, *const *a = f->products[0].buffers;
    bool odd = iteration % 2;
    const kn_range range = {1, {s->parts * f->group}, {f->group}, {0}};
    const kn_arg args[] = {KN_BUFFER(a[SPMV_SELL_STARTS]),
                           KN_BUFFER(a[SPMV_SELL_INDICES]),
                           KN_BUFFER(a[SPMV_SELL_VALUES]),
                           KN_VALUE(f->rows),
                           KN_VALUE(f->columns),
                           KN_BUFFER(b[odd ? CGNR_NEXT_X : CGNR_X]),
                           KN_BUFFER(b[odd ? CGNR_NEXT_H : CGNR_H]),
                           KN_BUFFER(b[odd ? CGNR_NEXT_D : CGNR_D]),
                           KN_BUFFER(b[CGNR_E]),
                           KN_BUFFER(b[odd ? CGNR_X : CGNR_NEXT_X]),
                           KN_BUFFER(b[odd ? CGNR_H : CGNR_NEXT_H]),
                           KN_BUFFER(b[odd ? CGNR_D : CGNR_NEXT_D]),
                           KN_BUFFER(b[CGNR_W]),
                           KN_BUFFER(b[CGNR_R]),
                           cgnr_scalar(s, s->terms.weight),
                           cgnr_scalar(s, s->terms.gradient),
                           cgnr_scalar(s, s->terms.residual),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return kn_launch(queue, f->forward, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status launch_backward(const struct sparse_fused *f, kn_queue *queue, const struct cgnr *s,
                                 uint32_t iteration, kn_error *err)
{
    kn_buffer *const *b = s->buffers, *const *a = f->products[1].buffers;
    size_t groups = ((size_t)f->columns * f->lanes + f->back_group - 1) / f->back_group;
    const kn_range range = {1, {(groups ? groups : 1) * f->back_group}, {f->back_group}, {0}};
    const kn_arg args[] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                           KN_BUFFER(a[SPMV_CSR_INDICES]),
                           KN_BUFFER(a[SPMV_CSR_VALUES]),
                           KN_VALUE(f->columns),
                           KN_BUFFER(b[iteration % 2 ? CGNR_D : CGNR_NEXT_D]),
                           KN_BUFFER(b[CGNR_E]),
                           KN_BUFFER(b[CGNR_W]),
                           cgnr_scalar(s, s->terms.lambda),
                           cgnr_scalar(s, s->terms.smooth),
                           KN_VALUE(s->terms.order),
                           KN_BUFFER(b[CGNR_STATE]),
                           KN_VALUE(s->parts),
                           KN_VALUE(s->most)};

    return kn_launch(queue, f->backward, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status iterate(void *data, kn_queue *queue, const struct cgnr *s, uint32_t iteration, bool last,
                         kn_error *err)
{
    kn_status status = launch_forward(data, queue, s, iteration, err);

    return status || last ? status : launch_backward(data, queue, s, iteration, err);
}

struct cgnr_fused ki_sparse_fused_of(struct sparse_fused *fused)
{
    return (struct cgnr_fused){iterate, fused, fused->row_order};
}
