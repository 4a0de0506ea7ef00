// SPDX-License-Identifier: Apache-2.0
// The formats stored by rows, the choice between rays, and the table of all formats.
#include "app/sparse/tomography/fan.h"
#include "base/array.h"
#include "base/error.h"
#include "spmv_internal.h"

static kn_status prepare_rows(const struct spmv_task *task, const struct sparse_matrix *matrix,
                              const char *name, size_t lanes, struct spmv_product *product, kn_error *err)
{
    kn_buffer *starts, *indices, *values;
    kn_kernel *kernel;
    kn_status status = ki_spmv_upload_starts(task, matrix, product, &starts, err);

    if (!status)
        status = ki_spmv_upload_nonzeros(task, matrix, product, &indices, &values, err);
    if (!status)
        status = ki_spmv_kernel(task, "app/sparse/sparse_csr.cl", name, 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {
            spmv_memory(starts),       spmv_memory(indices),        spmv_memory(values), spmv_x(), spmv_y(),
            spmv_number(matrix->rows), spmv_number(matrix->columns)};
        ki_spmv_add_launch(product, kernel, matrix->rows * lanes, task->tuning.group, arguments,
                           KI_COUNT(arguments));
    }
    return status;
}

static kn_status prepare_simple(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    kn_status status = ki_spmv_check_loops(task, product, ki_sparse_longest_row(task->matrix), err);

    return status ? status : prepare_rows(task, task->matrix, "spmv_simple", 1, product, err);
}

static kn_status prepare_local(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    kn_status status = ki_spmv_check_loops(
        task, product, ki_sparse_longest_row(task->matrix) + ki_spmv_chunk_loops(task), err);

    return status ? status : prepare_rows(task, task->matrix, "spmv_local", 1, product, err);
}

static kn_status prepare_vector(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t lanes = task->tuning.lanes;
    kn_status status =
        ki_spmv_check_loops(task, product, ki_sparse_longest_row(task->matrix) / lanes + 8, err);

    return status ? status : prepare_rows(task, task->matrix, "spmv_vector", lanes, product, err);
}

// Stored by columns, which are the rows of the transposed matrix.
static kn_status prepare_backprojection(const struct spmv_task *task, struct spmv_product *product,
                                        kn_error *err)
{
    size_t lanes = task->tuning.lanes;
    kn_status status =
        ki_spmv_check_loops(task, product, ki_sparse_longest_row(task->transposed) / lanes + 8, err);

    product->adds = true;
    return status ? status : prepare_rows(task, task->transposed, "spmv_scatter", lanes, product, err);
}

// ---- rays ----

static kn_status prepare_rays_of(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    return (ki_sparse_is_fan(task->geometry) ? ki_spmv_prepare_fan
                                             : ki_spmv_prepare_on_the_fly)(task, product, err);
}

static kn_status prepare_rays_local(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    if (ki_sparse_is_fan(task->geometry))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "on-the-fly+local-memory is for parallel beams; a fan beam has on-the-fly");
    return ki_spmv_prepare_on_the_fly_local(task, product, err);
}

// ---- all formats ----

spmv_prepare *const ki_spmv_formats[SPARSE_FORMATS] = {
    [KN_SPARSE_SIMPLE] = prepare_simple,
    [KN_SPARSE_MEMORY_LAYOUT] = ki_spmv_prepare_layout,
    [KN_SPARSE_LOCAL_MEMORY] = prepare_local,
    [KN_SPARSE_MEMORY_LAYOUT_LOCAL] = ki_spmv_prepare_layout_local,
    [KN_SPARSE_ON_THE_FLY] = prepare_rays_of,
    [KN_SPARSE_ON_THE_FLY_LOCAL] = prepare_rays_local,
    [KN_SPARSE_BACKPROJECTION] = prepare_backprojection,
    [KN_SPARSE_ELL] = ki_spmv_prepare_ell,
    [KN_SPARSE_CSR_VECTOR] = prepare_vector,
    [KN_SPARSE_COO] = ki_spmv_prepare_coo,
    [KN_SPARSE_HYB] = ki_spmv_prepare_hyb,
    [KN_SPARSE_SELL] = ki_spmv_prepare_sell,
    [KN_SPARSE_MERGE] = ki_spmv_prepare_merge,
};
