// SPDX-License-Identifier: Apache-2.0
// kn_scan: inclusive prefix sums of n numbers, held against sums in a wider type.
#include <math.h>
#include <stdlib.h>

#include "jobs.h"

struct problem {
    void *values;
};

struct work {
    kn_buffer *values, *sums;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * kn_type_size(which->type);

    *cost = (struct compare_cost){
        .amount = (double)n, .ceiling = 2.0 * (double)bytes, .memory = 2 * bytes, .largest = bytes};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    uint64_t state = problem->n;
    kn_status status = job_memory(problem->n * kn_type_size(problem->which->type), &own->values, err);

    if (status)
        return status;
    if (problem->which->type != KN_U32)
        job_fill(own->values, problem->which->type, problem->n, problem->n);
    for (size_t i = 0; i < problem->n && problem->which->type == KN_U32; i++)
        ((uint32_t *)own->values)[i] = (uint32_t)job_random(&state);
    return KN_OK;
}

static void unmake(struct compare_problem *problem)
{
    struct problem *own = problem->own;

    free(own->values);
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    size_t bytes = work->problem->n * kn_type_size(work->problem->which->type);
    kn_status status = job_buffer(work->queue, given->values, bytes, &own->values, err);

    return status ? status : job_buffer(work->queue, NULL, bytes, &own->sums, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_buffer_free(own->values);
    kn_buffer_free(own->sums);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const uint32_t poison = 0xffffffff; // not a number, as a float

    return kn_buffer_fill(work->queue, own->sums, &poison, sizeof poison, 0, kn_buffer_size(own->sums), NULL,
                          err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_scan(work->queue, own->values, work->problem->which->type, work->problem->n, KN_REDUCE_SUM,
                   KN_SCAN_INCLUSIVE, own->sums, err);
}

// Sums modulo 2^32 are exact: how many are not.
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

// The greatest error relative to the sum of magnitudes up to there.
static double worst_error(const void *values, const void *sums, kn_type type, size_t n)
{
    long double sum = 0, magnitude = 0, worst = 0;

    for (size_t i = 0; i < n; i++) {
        long double error;

        sum += element(values, type, i);
        magnitude += fabsl(element(values, type, i));
        error = magnitude > 0 ? fabsl(element(sums, type, i) - sum) / magnitude : 0;
        if (!(error <= worst)) // also for what is not a number
            worst = error;
    }
    return (double)worst;
}

// koine/scan.h: at most about 40 roundings. The reference's own are below one of those.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    kn_type type = work->problem->which->type;
    size_t bytes = kn_buffer_size(own->sums), n = work->problem->n;
    void *sums = NULL;
    kn_status status = job_memory(bytes, &sums, err);

    if (!status)
        status = kn_buffer_read(work->queue, own->sums, 0, sums, bytes, err);
    if (!status)
        work->error =
            type == KN_U32 ? count_wrong(given->values, sums, n) : worst_error(given->values, sums, type, n);
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
