// SPDX-License-Identifier: Apache-2.0
// Jacobi's preconditioner on devices: x_j = y_j / |a_j|, where a_j is column j of A. Conjugate gradients for
// y, with columns of length 1, are those for x that are preconditioned by the diagonal of A^T A, and take no
// launch more.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "solve_internal.h"

// The lengths of the columns, 1 for an empty one. Squares are of elements divided by the greatest of their
// column, so that none overflows or vanishes.
static void find_lengths(const struct sparse_matrix *matrix, double *greatest, double *lengths)
{
    for (size_t i = 0; i < matrix->nonzeros; i++) {
        const uint32_t column = matrix->indices[i];

        greatest[column] = fmax(greatest[column], fabs(matrix->values[i]));
    }
    for (size_t i = 0; i < matrix->nonzeros; i++) {
        const uint32_t column = matrix->indices[i];
        const double part = greatest[column] > 0 ? matrix->values[i] / greatest[column] : 0;

        lengths[column] += part * part;
    }
    for (size_t j = 0; j < matrix->columns; j++)
        lengths[j] = greatest[j] > 0 ? greatest[j] * sqrt(lengths[j]) : 1;
}

static kn_status scale_starts(struct solve_run *run, kn_error *err)
{
    const size_t columns = run->matrix->columns;

    for (size_t i = 0; i < run->count * columns; i++) {
        run->scaled_start[i] = run->start[i] * run->lengths[i % columns];
        if (!isfinite(run->scaled_start[i]))
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "x[%zu] is %g, and is beyond double precision once it is multiplied by the length of "
                "its column, %g",
                i, run->start[i], run->lengths[i % columns]);
    }
    run->unscaled_start = run->start;
    run->start = run->scaled_start;
    return KN_OK;
}

kn_status ki_solve_scale_columns(struct solve_run *run, kn_error *err)
{
    const struct sparse_matrix *matrix = run->matrix;
    const size_t columns = matrix->columns, all = run->count * columns;
    double *greatest;

    if (!run->queue || run->task.preconditioner != KN_LEAST_SQUARES_JACOBI)
        return KN_OK;
    greatest = calloc(columns + 1, sizeof *greatest);
    run->lengths = calloc(columns + 1, sizeof *run->lengths);
    run->scaled_values = malloc((matrix->nonzeros + 1) * sizeof *run->scaled_values);
    run->scaled_start = malloc((all + 1) * sizeof *run->scaled_start);
    if (!greatest || !run->lengths || !run->scaled_values || !run->scaled_start) {
        free(greatest);
        return ki_fail_memory(err, (2 * columns + matrix->nonzeros + all) * sizeof *greatest,
                              "the preconditioner");
    }
    find_lengths(matrix, greatest, run->lengths);
    free(greatest);
    for (size_t i = 0; i < matrix->nonzeros; i++)
        run->scaled_values[i] = matrix->values[i] / run->lengths[matrix->indices[i]];
    run->unscaled_matrix = matrix;
    run->scaled_matrix = *matrix;
    run->scaled_matrix.values = run->scaled_values;
    run->matrix = &run->scaled_matrix;
    return scale_starts(run, err);
}

void ki_solve_unscale(struct solve_run *run)
{
    const size_t columns = run->matrix->columns;

    if (!run->unscaled_matrix)
        return;
    run->matrix = run->unscaled_matrix;
    run->start = run->unscaled_start;
    for (size_t i = 0; i < run->count * columns; i++)
        run->x[i] /= run->lengths[i % columns];
    free(run->measured); // the gradient is that for y
    run->measured = NULL;
}
