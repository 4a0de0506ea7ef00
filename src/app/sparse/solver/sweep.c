// SPDX-License-Identifier: Apache-2.0
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "reference.h"
#include "app/sparse/product/segments.h"

static const size_t row_counts[SPARSE_SWEEP_SIZES] = {1000, 3000, 10000, 30000, 81545};
static const double noise = 0.02;

enum { WIDTH = 64, HEIGHT = 48, SEED = 3 };

// b = A x with x from 0 to 1, and noise that is a part of its length.
static kn_status take_right_side(const struct sparse_matrix *matrix, struct sparse_columns *b, kn_error *err)
{
    size_t rows = matrix->rows, columns = matrix->columns, most = rows > columns ? rows : columns;
    float *numbers = malloc((most + 1) * sizeof *numbers);
    double *x = malloc((columns + 1) * sizeof *x), square = 0;
    kn_status status;

    *b = (struct sparse_columns){rows, 1, malloc((rows + 1) * sizeof *b->values)};
    status =
        numbers && x && b->values ? KN_OK : ki_fail_memory(err, 2 * most * sizeof *x, "a system of rays");
    if (!status) {
        ki_sparse_fill(numbers, most);
        for (size_t i = 0; i < columns; i++)
            x[i] = ((double)numbers[i] + 1) / 2;
        ki_sparse_reference_multiply(matrix, x, b->values);
        for (size_t i = 0; i < rows; i++)
            square += b->values[i] * b->values[i];
        // Numbers evenly from -1 to 1 have a mean square of 1 / 3.
        for (size_t i = 0; i < rows; i++)
            b->values[i] += noise * sqrt(3 * square / (double)rows) * (double)numbers[rows - 1 - i];
    }
    free(numbers);
    free(x);
    return status;
}

kn_status ki_sparse_sweep_system(size_t size, struct sparse_matrix *matrix, struct sparse_columns *b,
                                 kn_error *err)
{
    const struct sparse_segments segments = {WIDTH, HEIGHT, row_counts[size % SPARSE_SWEEP_SIZES], 7.95,
                                             SEED};
    kn_status status = ki_sparse_segments_create(&segments, matrix, err);

    *b = (struct sparse_columns){.values = NULL};
    return status ? status : take_right_side(matrix, b, err);
}

kn_status ki_sparse_sweep_run(kn_queue *queue, const struct sparse_matrix *matrix,
                              const struct sparse_columns *b, const struct sparse_task *task,
                              struct sparse_sweep_point *point, kn_error *err)
{
    static const char *const names[] = {"the matrix", "the right-hand side", NULL};
    struct sparse_task all = *task, first = *task;
    struct sparse_answer answer;
    kn_status status;

    all.past_floor = true;
    first.iterations = 1;
    status = ki_sparse_solve(queue, matrix, b, NULL, names, &first, NULL, &answer, err);
    if (!status)
        ki_sparse_answer_free(&answer);
    if (!status)
        status = ki_sparse_solve(queue, matrix, b, NULL, names, &all, NULL, &answer, err);
    if (status)
        return status;
    *point = (struct sparse_sweep_point){.rows = matrix->rows,
                                         .columns = matrix->columns,
                                         .nonzeros = matrix->nonzeros,
                                         .iterations = answer.solutions->iterations,
                                         .seconds = answer.iterate_seconds,
                                         .with_prepare = answer.iterate_seconds + answer.prepare_seconds +
                                                         answer.copy_seconds,
                                         .residual = answer.solutions->residual,
                                         .adjoint = answer.adjoint,
                                         .adjoint_bound = answer.adjoint_bound};
    snprintf(point->code, sizeof point->code, "%s", answer.code);
    ki_sparse_answer_free(&answer);
    return KN_OK;
}
