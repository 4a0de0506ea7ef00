// SPDX-License-Identifier: Apache-2.0
// A product of a sparse matrix (job_matrix.h) and a vector, in sliced ELL.
#include <math.h>
#include <stdlib.h>

#include "job_matrix.h"

enum { X, Y, WANTED, INDICES }; // the columns; wanted: y in double precision

struct work {
    kn_operator *a;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t element = kn_type_size(which->type), nonzeros = n * JOB_MATRIX_ROW;
    double bytes = (double)nonzeros * (double)(element + sizeof(uint32_t)) + 2.0 * (double)(n * element);

    // Both A and its transpose are stored.
    *cost = (struct compare_cost){.amount = 2.0 * (double)nonzeros,
                                  .ceiling = bytes,
                                  .flops = 2.0 * (double)nonzeros,
                                  .bytes = bytes,
                                  .memory = 2 * nonzeros * (element + sizeof(uint32_t)) + 2 * n * element,
                                  .largest = nonzeros * element};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_type type = problem->which->type;
    size_t bytes = problem->n * kn_type_size(type);
    kn_status status = job_column(problem, COMPARE_GIVEN, bytes, err);

    if (!status)
        status = job_column(problem, COMPARE_RESULT, bytes, err);
    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, problem->n * sizeof(double), err);
    if (status)
        return status;
    job_fill(problem->columns[X].data, type, problem->n, problem->n);
    for (size_t i = 0; i < problem->n; i++)
        ((double *)problem->columns[WANTED].data)[i] =
            type == KN_F32 ? (double)((const float *)problem->columns[X].data)[i]
                           : ((const double *)problem->columns[X].data)[i];
    return job_matrix_make(problem, err);
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    return job_matrix_operator(work, INDICES, &((struct work *)work->own)->a, err);
}

static void leave(struct compare_work *work)
{
    kn_operator_free(((struct work *)work->own)->a);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    const struct work *own = work->own;

    return kn_operator_apply(work->queue, own->a, false, work->held[X].buffer, work->held[Y].buffer, err);
}

static kn_status run_host(struct compare_work *work, kn_error *err)
{
    const struct work *own = work->own;

    return kn_operator_apply_host(own->a, false, work->held[X].memory, work->held[Y].memory, err);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct compare_problem *problem = work->problem;
    const double *x = problem->columns[WANTED].data;
    bool single = problem->which->type == KN_F32;
    void *y = NULL;
    kn_status status = job_read(work, Y, &y, err);

    work->error = 0;
    for (size_t i = 0; i < problem->n && !status; i++) {
        double found = single ? (double)((const float *)y)[i] : ((const double *)y)[i], terms;
        double error = fabs(found - job_matrix_element(problem, INDICES, x, i, &terms)) / terms;

        work->error = error <= work->error ? work->error : error; // also if the error is not a number
    }
    // koine/sparse.h: the number of terms plus three roundings, relative to the sum of the absolute values of
    // the terms.
    work->bound = (JOB_MATRIX_ROW + 3) * (single ? 0x1p-24 : 0x1p-53);
    free(y);
    return status;
}

const struct compare_job compare_job_spmv = {
    .name = "spmv",
    .what = "multiplies a sparse matrix by a vector",
    .size = "rows",
    .unit = "GFLOP/s",
    .scale = 1e-9,
    .error_is = "of the worst element, relative to the sum of its terms' moduli",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 14, (size_t)1 << 18},
    .full = {(size_t)1 << 14, (size_t)1 << 18, (size_t)1 << 22},
    .ceiling = COMPARE_COPY,
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .run = run,
    .run_host = run_host,
    .check = check,
};
