// SPDX-License-Identifier: Apache-2.0
#include "sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <koine/experimental/least_squares.h>

#include "base/error.h"
#include "segments.h"
#include "tools/spmv/products.h"

static const size_t row_counts[SOLVE_SWEEP_SIZES] = {1000, 3000, 10000, 30000, 81545};
static const double noise = 0.02;

enum { WIDTH = 64, HEIGHT = 48, SEED = 3 };

static void multiply(const kn_sparse *matrix, const double *x, double *y)
{
    const uint64_t *starts = kn_sparse_get_starts(matrix);
    const uint32_t *indices = kn_sparse_get_indices(matrix);
    const double *values = kn_sparse_get_values(matrix);

    for (size_t row = 0; row < kn_sparse_get_rows(matrix); row++) {
        y[row] = 0;
        for (uint64_t i = starts[row]; i < starts[row + 1]; i++)
            y[row] += values[i] * x[indices[i]];
    }
}

// Makes b = A x, with x from 0 to 1, and adds noise whose norm is a fraction of b's.
static kn_status take_right_side(const kn_sparse *matrix, double **b, kn_error *err)
{
    size_t rows = kn_sparse_get_rows(matrix), columns = kn_sparse_get_columns(matrix);
    size_t most = rows > columns ? rows : columns;
    float *numbers = malloc((most + 1) * sizeof *numbers);
    double *x = malloc((columns + 1) * sizeof *x), square = 0;
    kn_status status;

    *b = malloc((rows + 1) * sizeof **b);
    status = numbers && x && *b ? KN_OK : ki_fail_memory(err, 2 * most * sizeof *x, "a system of rays");
    if (!status) {
        spmv_fill(numbers, most);
        for (size_t i = 0; i < columns; i++)
            x[i] = ((double)numbers[i] + 1) / 2;
        multiply(matrix, x, *b);
        for (size_t i = 0; i < rows; i++)
            square += (*b)[i] * (*b)[i];
        // Numbers uniformly distributed from -1 to 1 have a mean square of 1 / 3.
        for (size_t i = 0; i < rows; i++)
            (*b)[i] += noise * sqrt(3 * square / (double)rows) * (double)numbers[rows - 1 - i];
    }
    free(numbers);
    free(x);
    return status;
}

kn_status solve_sweep_system_create(size_t size, struct solve_sweep_system *made, kn_error *err)
{
    const struct solve_segments segments = {WIDTH, HEIGHT, row_counts[size % SOLVE_SWEEP_SIZES], 7.95, SEED};
    kn_status status = solve_segments_create(&segments, &made->matrix, err);

    made->b = NULL;
    return status ? status : take_right_side(made->matrix, &made->b, err);
}

void solve_sweep_system_free(struct solve_sweep_system *system)
{
    kn_sparse_free(system->matrix);
    free(system->b);
}

// Solves from x = 0.
static kn_status solve(kn_queue *queue, const struct solve_sweep_system *system,
                       const kn_least_squares_options *options, kn_least_squares_result **made, kn_error *err)
{
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .matrix = system->matrix, .b = system->b, .count = 1);
    size_t columns = kn_sparse_get_columns(system->matrix);
    double *x = calloc(columns + 1, sizeof *x);
    kn_status status = x ? kn_least_squares(queue, &task, x, options, made, err)
                         : ki_fail_memory(err, columns * sizeof *x, "the solution");

    free(x);
    return status;
}

static void take_point(const kn_sparse *matrix, const kn_least_squares_result *result,
                       struct solve_sweep_point *point)
{
    const kn_least_squares_solution *solution = kn_least_squares_get_solution(result, 0);
    kn_least_squares_times times = kn_least_squares_get_times(result);

    *point = (struct solve_sweep_point){.rows = kn_sparse_get_rows(matrix),
                                        .columns = kn_sparse_get_columns(matrix),
                                        .nonzeros = kn_sparse_get_nonzeros(matrix),
                                        .iterations = solution->iterations,
                                        .seconds = times.iterate,
                                        .with_prepare = times.iterate + times.prepare + times.copy,
                                        .residual = solution->residual};
    point->adjoint = kn_least_squares_get_adjoint(result, &point->adjoint_bound);
    snprintf(point->code, sizeof point->code, "%s", kn_least_squares_get_code(result));
}

kn_status solve_sweep_run(kn_queue *queue, const struct solve_sweep_system *system,
                          const kn_least_squares_options *options, struct solve_sweep_point *point,
                          kn_error *err)
{
    const kn_least_squares_tuning on = {.past_floor = true};
    kn_least_squares_options all = *options, first = *options;
    kn_least_squares_result *result = NULL;
    kn_status status;

    all.tuning = &on;
    first.iterations = 1;
    status = solve(queue, system, &first, NULL, err);
    if (!status)
        status = solve(queue, system, &all, &result, err);
    if (!status)
        take_point(system->matrix, result, point);
    kn_least_squares_result_free(result);
    return status;
}
