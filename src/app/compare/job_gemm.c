// SPDX-License-Identifier: Apache-2.0
// kn_gemm on square matrices of side n, some of whose rows are held against products in a wider type.
#include <math.h>
#include <stdlib.h>

#include "jobs.h"

enum { ROWS = 16 }; // that are checked, spread over the matrix

struct problem {
    void *a, *b;
    size_t rows[ROWS];
    long double *wanted, *magnitude; // of those rows: sum of a b, and of |a b|
};

struct work {
    kn_buffer *a, *b, *c;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * n * kn_type_size(which->type);
    double operations = 2.0 * (double)n * (double)n * (double)n;

    *cost = (struct compare_cost){
        .amount = operations, .ceiling = operations, .memory = 3 * bytes, .largest = bytes};
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
    long double *wanted = own->wanted + r * n, *magnitude = own->magnitude + r * n;

    for (size_t j = 0; j < n; j++)
        wanted[j] = magnitude[j] = 0;
    for (size_t k = 0; k < n; k++) {
        long double a = element(own->a, problem->which->type, own->rows[r] * n + k);

        for (size_t j = 0; j < n; j++) {
            long double product = a * element(own->b, problem->which->type, k * n + j);

            wanted[j] += product;
            magnitude[j] += fabsl(product);
        }
    }
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    size_t n = problem->n, bytes = n * n * kn_type_size(problem->which->type);
    kn_status status = job_memory(bytes, &own->a, err);

    if (!status)
        status = job_memory(bytes, &own->b, err);
    if (!status)
        status = job_memory(ROWS * n * sizeof *own->wanted, &own->wanted, err);
    if (!status)
        status = job_memory(ROWS * n * sizeof *own->magnitude, &own->magnitude, err);
    if (status)
        return status;
    job_fill(own->a, problem->which->type, n * n, 1);
    job_fill(own->b, problem->which->type, n * n, 2);
    for (size_t r = 0; r < ROWS; r++) {
        own->rows[r] =
            r * (n - 1) / (ROWS - 1); // the first, the last, and of those between no two alike in their tile
        multiply_row(problem, r);
    }
    return KN_OK;
}

static void unmake(struct compare_problem *problem)
{
    struct problem *own = problem->own;

    free(own->a);
    free(own->b);
    free(own->wanted);
    free(own->magnitude);
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    size_t bytes = work->problem->n * work->problem->n * kn_type_size(work->problem->which->type);
    kn_status status = job_buffer(work->queue, given->a, bytes, &own->a, err);

    if (!status)
        status = job_buffer(work->queue, given->b, bytes, &own->b, err);
    return status ? status : job_buffer(work->queue, NULL, bytes, &own->c, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_buffer_free(own->a);
    kn_buffer_free(own->b);
    kn_buffer_free(own->c);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const uint32_t poison = 0xffffffff; // not a number

    return kn_buffer_fill(work->queue, own->c, &poison, sizeof poison, 0, kn_buffer_size(own->c), NULL, err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t n = work->problem->n;
    const kn_gemm_task task = {.type = work->problem->which->type,
                               .m = n,
                               .n = n,
                               .k = n,
                               .alpha = {1, 0},
                               .a = {.buffer = own->a},
                               .b = {.buffer = own->b},
                               .c = {.buffer = own->c}};

    return kn_gemm(work->queue, &task, NULL, err);
}

// koine/gemm.h: an element is within (k + 2) eps of the sum of |a b|.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n, size = kn_type_size(type);
    long double worst = 0;
    void *row = NULL;
    kn_status status = job_memory(n * size, &row, err);

    for (size_t r = 0; r < ROWS && !status; r++) {
        status = kn_buffer_read(work->queue, own->c, given->rows[r] * n * size, row, n * size, err);
        for (size_t j = 0; j < n && !status; j++) {
            long double error =
                fabsl(element(row, type, j) - given->wanted[r * n + j]) / given->magnitude[r * n + j];

            if (!(error <= worst)) // also for what is not a number
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
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .unmake = unmake,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .check = check,
};
