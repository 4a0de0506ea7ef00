// SPDX-License-Identifier: Apache-2.0
// The matrices of koine/sparse.h.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sparse_internal.h"

kn_status ki_sparse_wrap(struct sparse_matrix *matrix, kn_sparse **made, kn_error *err)
{
    kn_sparse *sparse = malloc(sizeof *sparse);

    if (!sparse) {
        ki_sparse_free(matrix);
        return ki_fail_memory(err, sizeof *sparse, "a sparse matrix");
    }
    sparse->matrix = *matrix;
    *made = sparse;
    return KN_OK;
}

// Checks and wraps a matrix made from the caller's arrays. Errors in it are not a file's.
static kn_status check_and_wrap(struct sparse_matrix *matrix, kn_sparse **made, kn_error *err)
{
    kn_error found = KN_ERROR_INIT;

    if (ki_sparse_check(matrix, "the matrix", &found)) {
        ki_sparse_free(matrix);
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s", found.text);
    }
    return ki_sparse_wrap(matrix, made, err);
}

static kn_status create_csr(const struct sparse_matrix *given, kn_sparse **made, kn_error *err)
{
    struct sparse_matrix matrix;
    kn_status status;

    if (!given->starts || (given->nonzeros && !given->indices) || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL",
                       !given->starts ? "starts"
                       : made         ? "indices"
                                      : "made");
    status = ki_sparse_create(given->rows, given->columns, given->nonzeros, &matrix, err);
    if (status)
        return status;
    memcpy(matrix.starts, given->starts, (given->rows + 1) * sizeof *matrix.starts);
    if (given->nonzeros)
        memcpy(matrix.indices, given->indices, given->nonzeros * sizeof *matrix.indices);
    for (size_t i = 0; i < given->nonzeros; i++)
        matrix.values[i] = given->values ? given->values[i] : 1;
    return check_and_wrap(&matrix, made, err);
}

kn_status kn_sparse_create_csr(size_t rows, size_t columns, size_t nonzeros, const uint64_t *starts,
                               const uint32_t *indices, const double *values, kn_sparse **made, kn_error *err)
{
    // Only read: the pointers of the struct are not const because it usually owns them.
    const struct sparse_matrix given = {.rows = rows,
                                        .columns = columns,
                                        .nonzeros = nonzeros,
                                        .starts = (uint64_t *)starts,
                                        .indices = (uint32_t *)indices,
                                        .values = (double *)values};

    return ki_error_name(__func__, create_csr(&given, made, err), err);
}

static kn_status create_coo(const struct sparse_entries *entries, kn_sparse **made, kn_error *err)
{
    struct sparse_matrix matrix;
    kn_status status;

    if ((entries->count && (!entries->row || !entries->column)) || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", !made ? "made" : entries->row ? "j" : "i");
    status = ki_sparse_from_entries(entries, &matrix, err);
    return status ? status : check_and_wrap(&matrix, made, err);
}

kn_status kn_sparse_create_coo(size_t rows, size_t columns, size_t count, const uint32_t *i,
                               const uint32_t *j, const double *values, kn_sparse **made, kn_error *err)
{
    const struct sparse_entries entries = {rows, columns, count, i, j, values};

    return ki_error_name(__func__, create_coo(&entries, made, err), err);
}

static kn_status create_transposed(const kn_sparse *matrix, kn_sparse **made, kn_error *err)
{
    struct sparse_matrix transposed;
    kn_status status;

    if (!matrix || !made)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", matrix ? "made" : "matrix");
    status = ki_sparse_transpose(&matrix->matrix, &transposed, err);
    return status ? status : ki_sparse_wrap(&transposed, made, err);
}

kn_status kn_sparse_create_transposed(const kn_sparse *matrix, kn_sparse **made, kn_error *err)
{
    return ki_error_name(__func__, create_transposed(matrix, made, err), err);
}

void kn_sparse_free(kn_sparse *matrix)
{
    if (!matrix)
        return;
    ki_sparse_free(&matrix->matrix);
    free(matrix);
}

size_t kn_sparse_get_rows(const kn_sparse *matrix)
{
    return matrix ? matrix->matrix.rows : 0;
}

size_t kn_sparse_get_columns(const kn_sparse *matrix)
{
    return matrix ? matrix->matrix.columns : 0;
}

size_t kn_sparse_get_nonzeros(const kn_sparse *matrix)
{
    return matrix ? matrix->matrix.nonzeros : 0;
}

const uint64_t *kn_sparse_get_starts(const kn_sparse *matrix)
{
    return matrix ? matrix->matrix.starts : NULL;
}

const uint32_t *kn_sparse_get_indices(const kn_sparse *matrix)
{
    return matrix ? matrix->matrix.indices : NULL;
}

const double *kn_sparse_get_values(const kn_sparse *matrix)
{
    return matrix ? matrix->matrix.values : NULL;
}
