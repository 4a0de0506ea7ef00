// SPDX-License-Identifier: Apache-2.0
// Least squares by conjugate gradients, end to end, from a right-hand side in memory to a solution in memory.
#include <math.h>
#include <stdlib.h>

#include "job_matrix.h"
#include "job_tooth.h"

enum {
    B,
    X,
    WANTED,
    INDICES
};                  // the columns; wanted: the solution in double precision, then room for a computed one
enum { TOOTH = 1 }; // the variant on real data (job_tooth.h), whose first column is B, too

// In double precision, twice as many leave a residual near its rounding.
static size_t iterations(const struct compare_case *which)
{
    return which->type == KN_F64 ? 20 : 10;
}

struct work {
    kn_operator *a;
    kn_solve_plan *plan;
    void *x;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t element = kn_type_size(which->type),
           nonzeros = which->variant == TOOTH ? job_tooth_nonzeros() : n * JOB_MATRIX_ROW;

    *cost = (struct compare_cost){.amount = (double)iterations(which),
                                  .memory = 2 * nonzeros * (element + sizeof(uint32_t)) + 8 * n * element,
                                  .largest = nonzeros * element};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_type type = problem->which->type;
    kn_status status;

    if (problem->which->variant == TOOTH)
        return job_tooth_make(problem, iterations(problem->which), err);
    status = job_column(problem, COMPARE_REFERENCE, problem->n * kn_type_size(type), err);
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
    const struct compare_case *which = work->problem->which;
    const kn_solve_options options = which->variant == TOOTH
                                         ? job_tooth_options(iterations(which))
                                         : KN_INIT(kn_solve_options, .iterations = iterations(which));
    struct work *own = work->own;
    kn_status status = job_memory(work->problem->columns[X].bytes, &own->x, err);

    if (!status)
        status = which->variant == TOOTH ? job_tooth_operator(work, B, &own->a, err)
                                         : job_matrix_operator(work, INDICES, &own->a, err);
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

// |A x - b| / |b|, in double precision.
static double residual_of(const struct compare_problem *problem, const double *x)
{
    bool single = problem->which->type == KN_F32;
    long double residual = 0, right = 0;

    for (size_t i = 0; i < problem->n; i++) {
        const void *given = problem->columns[B].data;
        double b = single ? (double)((const float *)given)[i] : ((const double *)given)[i];
        double off = job_matrix_element(problem, INDICES, x, i, NULL) - b;

        residual += (long double)off * off;
        right += (long double)b * b;
    }
    return (double)sqrtl(residual / right);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct compare_problem *problem = work->problem;
    const struct work *own = work->own;
    bool single = problem->which->type == KN_F32, tooth = problem->which->variant == TOOTH;
    size_t count = iterations(problem->which), terms = tooth ? 2 * JOB_TOOTH_ANGLES : JOB_MATRIX_ROW;
    double *x;
    kn_status status = job_memory(problem->n * sizeof *x, &x, err);

    for (size_t i = 0; i < problem->n && !status; i++)
        x[i] = single ? (double)((const float *)own->x)[i] : ((const double *)own->x)[i];
    if (!status)
        work->error = tooth ? job_tooth_error(problem, B, x) : residual_of(problem, x);
    free(x);
    // Each of the two products in an iteration has rounding errors of the terms of a row plus three units
    // (koine/sparse.h); their effect on the residual, and on the pixels, is less than the sum of all.
    work->bound = 2 * (double)count * (double)(terms + 3) * (single ? 0x1p-24 : 0x1p-53);
    // The condition number is at most 5/3 (job_matrix.h), so each iteration reduces the residual to a
    // quarter: 2 / 4^count of the first residual.
    if (!tooth)
        work->bound += 2 * pow(0.25, (double)count);
    return status;
}

const struct compare_job compare_job_solve = {
    .name = "solve",
    .what = "solves a sparse system by conjugate gradients",
    .size = "rows",
    .unit = "iterations/s",
    .scale = 1,
    .wall_only = true,
    .error_is = "the residual, relative to the right-hand side; on real data that of the difference from "
                "double precision",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 14, (size_t)1 << 17},
    .full = {(size_t)1 << 14, (size_t)1 << 18, (size_t)1 << 22},
    .data = "sparse/tooth.h5", // a tooth at a synchrotron
    .real = {"tooth.h5 by SIRT", KN_F32, TOOTH},
    .real_n = (size_t)JOB_TOOTH_SIZE * JOB_TOOTH_SIZE,
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
