// SPDX-License-Identifier: Apache-2.0
// The memory that operators of koine/sparse.h and koine/tomography.h will hold.
#include "app/sparse/product/spmv_internal.h"
#include "base/error.h"
#include "operator_internal.h"
#include "sparse_internal.h"

// For a stored format: depends only on the lengths of rows and columns.
static kn_status estimate_stored(kn_queue *queue, const struct sparse_source *source,
                                 const struct sparse_choice *choice, kn_sparse_memory *memory, kn_error *err)
{
    enum sparse_host_format format = choice->format == KN_SPARSE_SELL ? SPARSE_HOST_SELL : SPARSE_HOST_CSR;
    struct sparse_matrix own = {.rows = 0}, transposed = {.rows = 0};
    const struct sparse_matrix *matrix = source->matrix ? source->matrix : &own;
    kn_status status = source->matrix ? ki_sparse_transpose_starts(source->matrix, &transposed, err)
                                      : ki_sparse_parallel_starts(source->geometry, &own, &transposed, err);

    if (!status)
        status = queue
                     ? ki_sparse_operator_estimate(queue, matrix, &transposed, NULL, choice->format,
                                                   &choice->tuning, &memory->device, err)
                     : ki_sparse_host_estimate(matrix, &transposed, choice->type, format, &memory->host, err);
    ki_sparse_free(&own);
    ki_sparse_free(&transposed);
    return status;
}

kn_status ki_sparse_estimate_operator(const char *function, kn_queue *queue,
                                      const struct sparse_source *source,
                                      const kn_sparse_operator_options *options, kn_sparse_memory *memory,
                                      kn_error *err)
{
    kn_sparse_memory found = {0, 0};
    struct sparse_choice choice;
    kn_status status = ki_sparse_choose(function, queue, source, options, &choice, err);

    if (status)
        return status;
    if (source->matrix || !ki_spmv_takes_geometry(choice.format) || choice.tuning.is_double)
        status = estimate_stored(queue, source, &choice, &found, err);
    else if (queue)
        status = ki_sparse_operator_estimate(queue, NULL, NULL, source->geometry, choice.format,
                                             &choice.tuning, &found.device, err);
    else
        found.host = ki_sparse_parallel_memory(source->geometry);
    if (!status)
        *memory = found;
    return status;
}

static kn_status estimate(const char *function, kn_queue *queue, const kn_sparse *matrix,
                          kn_sparse_memory *memory, const kn_sparse_operator_options *options, kn_error *err)
{
    if (!matrix || !memory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", matrix ? "memory" : "matrix");
    return ki_sparse_estimate_operator(function, queue, &(struct sparse_source){.matrix = &matrix->matrix},
                                       options, memory, err);
}

kn_status kn_sparse_estimate_memory(kn_queue *queue, const kn_sparse *matrix, kn_sparse_memory *memory,
                                    const kn_sparse_operator_options *options, kn_error *err)
{
    return ki_error_name(__func__, estimate(__func__, queue, matrix, memory, options, err), err);
}
