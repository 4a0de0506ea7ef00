// SPDX-License-Identifier: Apache-2.0
// Least squares by conjugate gradients, end to end, from a right-hand side in memory to a solution in memory.
#include <math.h>
#include <stdlib.h>

#include "job_matrix.h"

enum {
    B,
    X,
    WANTED,
    INDICES
}; // the columns; wanted: the solution in double precision, then room for a computed one
enum { ITERATIONS = 10 };

struct work {
    kn_operator *a;
    kn_solve_plan *plan;
    void *x;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t element = kn_type_size(which->type), nonzeros = n * JOB_MATRIX_ROW;

    *cost = (struct compare_cost){.amount = ITERATIONS,
                                  .memory = 2 * nonzeros * (element + sizeof(uint32_t)) + 8 * n * element,
                                  .largest = nonzeros * element};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_type type = problem->which->type;
    kn_status status = job_column(problem, COMPARE_REFERENCE, problem->n * kn_type_size(type), err);

    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, problem->n * kn_type_size(type), err);
    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, problem->n * sizeof(double), err);
    if (!status)
        status = job_matrix_make(problem, err);
    if (status)
        return status;
    job_fill(problem->columns[WANTED].data, KN_F64, problem->n, problem->n);
    for (size_t i = 0; i < problem->n; i++) {
        double b = job_matrix_element(problem, INDICES, problem->columns[WANTED].data, i, NULL);

        if (type == KN_F32)
            ((float *)problem->columns[B].data)[i] = (float)b;
        else
            ((double *)problem->columns[B].data)[i] = b;
    }
    return KN_OK;
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    const kn_solve_options options = KN_INIT(kn_solve_options, .iterations = ITERATIONS);
    struct work *own = work->own;
    kn_status status = job_memory(work->problem->columns[X].bytes, &own->x, err);

    if (!status)
        status = job_matrix_operator(work, INDICES, &own->a, err);
    return status ? status : kn_solve_plan_create(work->queue, own->a, &options, &own->plan, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_solve_plan_free(own->plan);
    kn_operator_free(own->a);
    free(own->x);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t bytes = work->problem->columns[X].bytes;

    (void)err;
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)own->x)[i] = 0; // the starting value of the iterations
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    kn_solve_result result;

    return kn_solve_execute(own->plan, work->problem->columns[B].data, own->x, &result, err);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct compare_problem *problem = work->problem;
    const struct work *own = work->own;
    bool single = problem->which->type == KN_F32;
    long double residual = 0, right = 0;
    double *x;
    kn_status status = job_memory(problem->n * sizeof *x, &x, err);

    for (size_t i = 0; i < problem->n && !status; i++)
        x[i] = single ? (double)((const float *)own->x)[i] : ((const double *)own->x)[i];
    for (size_t i = 0; i < problem->n && !status; i++) {
        const void *given = problem->columns[B].data;
        double b = single ? (double)((const float *)given)[i] : ((const double *)given)[i];
        double off = job_matrix_element(problem, INDICES, x, i, NULL) - b;

        residual += (long double)off * off;
        right += (long double)b * b;
    }
    free(x);
    work->error = (double)sqrtl(residual / right);
    // The condition number is at most 5/3 (job_matrix.h), so each iteration reduces the residual to a
    // quarter: 2 / 4^10 of the first residual. Each of the two products in an iteration has rounding errors
    // of 19 units (koine/sparse.h); their effect on the residual is less than the sum of all.
    work->bound =
        2 * pow(0.25, ITERATIONS) + 2 * ITERATIONS * (JOB_MATRIX_ROW + 3) * (single ? 0x1p-24 : 0x1p-53);
    return status;
}

const struct compare_job compare_job_solve = {
    .name = "solve",
    .what = "solves a sparse system by conjugate gradients",
    .size = "rows",
    .unit = "iterations/s",
    .scale = 1,
    .wall_only = true,
    .error_is = "the residual, relative to the right-hand side",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 14, (size_t)1 << 17},
    .full = {(size_t)1 << 14, (size_t)1 << 18, (size_t)1 << 22},
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .run_host = run,
    .check = check,
};
