// SPDX-License-Identifier: Apache-2.0
// kn_gemm on square matrices of side n; some rows are compared with products in a wider type.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "jobs.h"

enum { ROWS = 16 }; // rows that are checked, spread over the matrix

enum {
    A,
    B,
    C,
    WANTED,
    MAGNITUDE
}; // the columns; the last two belong to the checked rows: the sums of a b, and of |a b|

struct problem {
    size_t rows[ROWS];
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * n * kn_type_size(which->type);
    double operations = 2.0 * (double)n * (double)n * (double)n;

    *cost = (struct compare_cost){.amount = operations,
                                  .ceiling = operations,
                                  .flops = operations,
                                  .bytes = 3.0 * (double)bytes,
                                  .memory = 3 * bytes,
                                  .largest = bytes};
}

static long double element(const void *matrix, kn_type type, size_t i)
{
    return type == KN_F32 ? (long double)((const float *)matrix)[i]
                          : (long double)((const double *)matrix)[i];
}

static void multiply_row(const struct compare_problem *problem, size_t r)
{
    const struct problem *own = problem->own;
    size_t n = problem->n;
    const void *a = problem->columns[A].data, *b = problem->columns[B].data;
    long double *wanted = (long double *)problem->columns[WANTED].data + r * n;
    long double *magnitude = (long double *)problem->columns[MAGNITUDE].data + r * n;

    for (size_t j = 0; j < n; j++)
        wanted[j] = magnitude[j] = 0;
    for (size_t k = 0; k < n; k++) {
        long double factor = element(a, problem->which->type, own->rows[r] * n + k);

        for (size_t j = 0; j < n; j++) {
            long double product = factor * element(b, problem->which->type, k * n + j);

            wanted[j] += product;
            magnitude[j] += fabsl(product);
        }
    }
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    size_t n = problem->n, bytes = n * n * kn_type_size(problem->which->type);
    const struct compare_column columns[] = {
        [A] = {COMPARE_GIVEN, bytes, NULL},
        [B] = {COMPARE_GIVEN, bytes, NULL},
        [C] = {COMPARE_RESULT, bytes, NULL},
        [WANTED] = {COMPARE_REFERENCE, ROWS * n * sizeof(long double), NULL},
        [MAGNITUDE] = {COMPARE_REFERENCE, ROWS * n * sizeof(long double), NULL}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(columns) && !status; i++)
        status = job_column(problem, columns[i].role, columns[i].bytes, err);
    if (status)
        return status;
    job_fill(problem->columns[A].data, problem->which->type, n * n, 1);
    job_fill(problem->columns[B].data, problem->which->type, n * n, 2);
    for (size_t r = 0; r < ROWS; r++) {
        own->rows[r] = r * (n - 1) / (ROWS - 1); // the first and the last row, and rows between them that
                                                 // have different positions in their tiles
        multiply_row(problem, r);
    }
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    size_t n = work->problem->n;
    const kn_gemm_task task =
        KN_INIT(kn_gemm_task, .type = work->problem->which->type, .m = n, .n = n, .k = n, .alpha = {1, 0},
                .a = {.buffer = work->held[A].buffer}, .b = {.buffer = work->held[B].buffer},
                .c = {.buffer = work->held[C].buffer});

    return kn_gemm(work->queue, &task, NULL, err);
}

// koine/gemm.h: an element is within (k + 2) eps of the sum of |a b|.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    const long double *wanted = work->problem->columns[WANTED].data;
    const long double *magnitude = work->problem->columns[MAGNITUDE].data;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n, size = kn_type_size(type);
    long double worst = 0;
    void *row = NULL;
    kn_status status = job_memory(n * size, &row, err);

    for (size_t r = 0; r < ROWS && !status; r++) {
        status = job_read_part(work, C, given->rows[r] * n * size, n * size, row, err);
        for (size_t j = 0; j < n && !status; j++) {
            long double error = fabsl(element(row, type, j) - wanted[r * n + j]) / magnitude[r * n + j];

            if (!(error <= worst)) // also if the error is not a number
                worst = error;
        }
    }
    work->error = (double)worst;
    work->bound = (double)(n + 2) * (type == KN_F32 ? 0x1p-24 : 0x1p-53);
    free(row);
    return status;
}

const struct compare_job compare_job_gemm = {
    .name = "gemm",
    .what = "multiplies square matrices",
    .size = "side",
    .unit = "GFLOP/s",
    .scale = 1e-9,
    .error_is = "in 16 rows, relative to the sum of |a b|",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {256, 512},
    .full = {256, 1024, 4096, 8192},
    .ceiling = COMPARE_FLOPS,
    .problem_bytes = sizeof(struct problem),
    .cost = cost,
    .make = make,
    .run = run,
    .check = check,
};
