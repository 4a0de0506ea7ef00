// SPDX-License-Identifier: Apache-2.0
// kn_scan: inclusive prefix sums of n numbers, compared with sums in a wider type.
#include <math.h>
#include <stdlib.h>

#include "jobs.h"

enum { VALUES, SUMS }; // the columns

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * kn_type_size(which->type);

    *cost = (struct compare_cost){.amount = (double)n,
                                  .ceiling = 2.0 * (double)bytes,
                                  .bytes = 2.0 * (double)bytes,
                                  .memory = 2 * bytes,
                                  .largest = bytes};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_type type = problem->which->type;
    size_t bytes = problem->n * kn_type_size(type);
    kn_status status = job_column(problem, COMPARE_GIVEN, bytes, err);

    if (!status)
        status = job_column(problem, COMPARE_RESULT, bytes, err);
    if (!status)
        job_fill(problem->columns[VALUES].data, type, problem->n, problem->n);
    return status;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    return kn_scan(work->queue, work->held[VALUES].buffer, work->problem->which->type, work->problem->n,
                   KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, work->held[SUMS].buffer, err);
}

// Counts wrong sums; sums modulo 2^32 are exact.
static double count_wrong(const uint32_t *values, const uint32_t *sums, size_t n)
{
    uint32_t sum = 0;
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        wrong += sums[i] != sum;
    }
    return (double)wrong;
}

static long double element(const void *numbers, kn_type type, size_t i)
{
    return type == KN_F32 ? (long double)((const float *)numbers)[i]
                          : (long double)((const double *)numbers)[i];
}

// The greatest error relative to the sum of magnitudes up to that element.
static double worst_error(const void *values, const void *sums, kn_type type, size_t n)
{
    long double sum = 0, magnitude = 0, worst = 0;

    for (size_t i = 0; i < n; i++) {
        long double error;

        sum += element(values, type, i);
        magnitude += fabsl(element(values, type, i));
        error = magnitude > 0 ? fabsl(element(sums, type, i) - sum) / magnitude : 0;
        if (!(error <= worst)) // also if the error is not a number
            worst = error;
    }
    return (double)worst;
}

// koine/scan.h: at most about 40 roundings. The reference's own rounding errors are less than one of those.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const void *values = work->problem->columns[VALUES].data;
    kn_type type = work->problem->which->type;
    size_t n = work->problem->n;
    void *sums = NULL;
    kn_status status = job_read(work, SUMS, &sums, err);

    if (!status)
        work->error = type == KN_U32 ? count_wrong(values, sums, n) : worst_error(values, sums, type, n);
    work->bound = type == KN_U32 ? 0 : type == KN_F32 ? 41 * 0x1p-24 : 41 * 0x1p-53;
    free(sums);
    return status;
}

const struct compare_job compare_job_scan = {
    .name = "scan",
    .what = "sums prefixes",
    .size = "numbers",
    .unit = "Gnumbers/s",
    .scale = 1e-9,
    .error_is = "sums that differ; of floats, relative to the sum of magnitudes",
    .cases = {{"u32", KN_U32, 0}, {"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 27},
    .ceiling = COMPARE_COPY,
    .cost = cost,
    .make = make,
    .run = run,
    .check = check,
};
