// SPDX-License-Identifier: Apache-2.0
#include "spmv.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "spmv_internal.h"

struct sparse_operator {
    struct spmv_product products[2]; // for A and for its transpose
    struct ki_text why[2];
};

// ---- operators ----

static kn_status check_matrix(const struct sparse_matrix *matrix, bool is_double, kn_error *err)
{
    const struct {
        const char *what;
        size_t count;
    } counts[] = {{"rows", matrix->rows}, {"columns", matrix->columns}, {"nonzeros", matrix->nonzeros}};

    for (size_t i = 0; i < KI_COUNT(counts); i++)
        if (counts[i].count >= UINT32_MAX)
            return ki_fail(err, KN_ERROR_LIMIT,
                           "a sparse matrix of %zu %s; at most %u can be had on a device", counts[i].count,
                           counts[i].what, UINT32_MAX - 1);
    for (size_t i = 0; i < matrix->nonzeros && !is_double; i++)
        if (!isfinite((float)matrix->values[i]))
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "nonzero %zu of the matrix is %g, which single precision has not; divide the matrix by its "
                "greatest value",
                i, matrix->values[i]);
    return KN_OK;
}

static bool is_on_the_fly(kn_sparse_format format)
{
    return format == KN_SPARSE_ON_THE_FLY || format == KN_SPARSE_ON_THE_FLY_LOCAL;
}

bool ki_spmv_takes_geometry(kn_sparse_format format)
{
    return format == KN_SPARSE_AUTO || is_on_the_fly(format);
}

static kn_status check_format(kn_sparse_format format, kn_error *err)
{
    if ((unsigned)format >= SPARSE_FORMATS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no sparse format %d; see kn_sparse_format",
                       (int)format);
    if (is_on_the_fly(format))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s computes rows from a geometry, which a stored matrix does not tell; use another format",
            ki_sparse_format_names[format]);
    return KN_OK;
}

kn_status ki_spmv_check_double(const kn_device_info *info, kn_sparse_format format, kn_error *err)
{
    if (!info->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) has no double precision; take single", info->spec,
                       info->name);
    if (format == KN_SPARSE_BACKPROJECTION || is_on_the_fly(format))
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s is in single precision; in double take another format, or auto",
                       ki_sparse_format_names[format]);
    return KN_OK;
}

kn_status ki_spmv_check(const kn_device_info *info, const struct sparse_matrix *matrix,
                        kn_sparse_format format, bool is_double, kn_error *err)
{
    kn_status status = check_format(format, err);

    if (!status && is_double)
        status = ki_spmv_check_double(info, format, err);
    return status ? status : check_matrix(matrix, is_double, err);
}

static kn_status create_product(struct sparse_operator *a, unsigned which, const struct spmv_task *task,
                                kn_sparse_format format, kn_error *err)
{
    kn_status status = format == KN_SPARSE_AUTO ? ki_spmv_choose(task, &format, &a->why[which], err) : KN_OK;

    return status ? status : ki_spmv_product_create(task, format, &a->products[which], err);
}

kn_status ki_sparse_operator_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                    kn_sparse_format format, const struct sparse_tuning *tuning,
                                    struct sparse_operator **made, kn_error *err)
{
    struct sparse_matrix transposed = {.rows = 0};
    struct sparse_operator *a = calloc(1, sizeof *a);
    kn_status status = a ? ki_spmv_check(kn_context_get_device(kn_queue_get_context(queue)), matrix, format,
                                         tuning && tuning->is_double, err)
                         : ki_fail_memory(err, sizeof *a, "a sparse matrix");

    if (!status)
        status = ki_sparse_transpose(matrix, &transposed, err);
    for (unsigned i = 0; i < 2 && !status; i++) {
        const struct spmv_task task = i == 0 ? ki_spmv_task_of(queue, matrix, &transposed, tuning)
                                             : ki_spmv_task_of(queue, &transposed, matrix, tuning);
        status = create_product(a, i, &task, format, err);
    }
    ki_sparse_free(&transposed);
    if (status)
        ki_sparse_operator_free(a);
    else
        *made = a;
    return status;
}

kn_status ki_sparse_operator_create_parallel(kn_queue *queue, const struct sparse_parallel *geometry,
                                             kn_sparse_format format, const struct sparse_tuning *tuning,
                                             struct sparse_operator **made, kn_error *err)
{
    struct sparse_matrix matrix = {.rows = 0};
    struct sparse_operator *a = NULL;
    bool is_double = tuning && tuning->is_double;
    kn_status status = ki_sparse_parallel_check(geometry, err);

    // In double precision the matrix is stored.
    if (!status && is_double && is_on_the_fly(format))
        status = ki_spmv_check_double(kn_context_get_device(kn_queue_get_context(queue)), format, err);
    if (!status && (is_double || !ki_spmv_takes_geometry(format))) {
        status = ki_sparse_parallel_matrix(geometry, &matrix, err);
        if (!status)
            status = ki_sparse_operator_create(queue, &matrix, format, tuning, made, err);
        ki_sparse_free(&matrix);
        return status;
    }
    if (!status && !(a = calloc(1, sizeof *a)))
        status = ki_fail_memory(err, sizeof *a, "a projector");
    for (unsigned i = 0; i < 2 && !status; i++) {
        const struct spmv_task task = ki_spmv_task_of_geometry(queue, geometry, i == 1, tuning);
        status = create_product(a, i, &task, format, err);
    }
    if (status)
        ki_sparse_operator_free(a);
    else
        *made = a;
    return status;
}

kn_status ki_sparse_operator_create_interpolated(kn_queue *queue, const struct sparse_parallel *geometry,
                                                 const double *factors, struct sparse_operator **made,
                                                 kn_error *err)
{
    struct sparse_operator *a = calloc(1, sizeof *a);
    struct spmv_task task = ki_spmv_task_of_geometry(queue, geometry, true, NULL);
    kn_status status =
        a ? ki_sparse_parallel_check(geometry, err) : ki_fail_memory(err, sizeof *a, "a back-projection");

    task.interpolated = factors;
    if (!status)
        status = create_product(a, 1, &task, KN_SPARSE_AUTO, err);
    if (status)
        ki_sparse_operator_free(a);
    else
        *made = a;
    return status;
}

void ki_sparse_operator_free(struct sparse_operator *made)
{
    if (!made)
        return;
    for (unsigned i = 0; i < 2; i++) {
        ki_spmv_product_free(&made->products[i]);
        ki_text_free(&made->why[i]);
    }
    free(made);
}

kn_status ki_sparse_operator_apply(kn_queue *queue, const struct sparse_operator *a, bool transposed,
                                   const kn_buffer *x, kn_buffer *y, kn_error *err)
{
    const struct spmv_product *product = &a->products[transposed];
    kn_status status =
        ki_column_check("sparse_operator_apply (x)", queue, x, product->type, product->columns, err);

    if (!status)
        status = ki_column_check("sparse_operator_apply (y)", queue, y, product->type, product->rows, err);
    if (!status && x == y)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "sparse_operator_apply: in place; give two buffers");
    return status ? status : ki_spmv_product_apply(queue, product, x, y, err);
}

bool ki_sparse_operator_only_launches(const struct sparse_operator *a)
{
    return !a->products[0].adds && !a->products[1].adds;
}

unsigned ki_sparse_operator_launches(const struct sparse_operator *a)
{
    unsigned launches = 0;

    for (unsigned i = 0; i < 2; i++)
        launches += (unsigned)a->products[i].launch_count + a->products[i].adds;
    return launches;
}

kn_sparse_format ki_sparse_operator_format(const struct sparse_operator *a, bool transposed)
{
    return a->products[transposed].format;
}

const char *ki_sparse_operator_why(const struct sparse_operator *a, bool transposed)
{
    return ki_text_string(&a->why[transposed]);
}

size_t ki_sparse_operator_bytes(const struct sparse_operator *a, bool transposed)
{
    const struct spmv_product *product = &a->products[transposed];

    return product->bytes + (product->rows + product->columns) * kn_type_size(product->type);
}

size_t ki_sparse_operator_memory(const struct sparse_operator *a)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < 2; i++)
        for (size_t k = 0; k < a->products[i].buffer_count; k++)
            bytes += kn_buffer_get_size(a->products[i].buffers[k]);
    return bytes;
}

kn_status ki_sparse_operator_estimate(kn_queue *queue, const struct sparse_matrix *matrix,
                                      const struct sparse_matrix *transposed,
                                      const struct sparse_parallel *geometry, kn_sparse_format format,
                                      const struct sparse_tuning *tuning, size_t *bytes, kn_error *err)
{
    kn_status status = KN_OK;

    *bytes = 0;
    for (unsigned i = 0; i < 2 && !status; i++) {
        const struct spmv_task task = !matrix  ? ki_spmv_task_of_geometry(queue, geometry, i == 1, tuning)
                                      : i == 0 ? ki_spmv_task_of(queue, matrix, transposed, tuning)
                                               : ki_spmv_task_of(queue, transposed, matrix, tuning);
        size_t one = 0;

        status = ki_spmv_estimate(&task, format, &one, err);
        *bytes += one;
    }
    return status;
}
