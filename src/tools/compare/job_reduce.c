// SPDX-License-Identifier: Apache-2.0
// kn_reduce_sum, on the host kn_host_sum, over n numbers, compared with a compensated sum in the host's
// widest type.
#include <math.h>

#include "jobs.h"

enum { VALUES }; // the column

struct problem {
    long double sum, magnitude; // magnitude: the sum of |x|
};

struct work {
    double sum;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * kn_type_size(which->type);

    *cost = (struct compare_cost){.amount = (double)bytes,
                                  .ceiling = (double)bytes,
                                  .flops = (double)n,
                                  .bytes = (double)bytes,
                                  .memory = bytes,
                                  .largest = bytes};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    kn_type type = problem->which->type;
    long double sum = 0, lost = 0;
    kn_status status = job_column(problem, COMPARE_GIVEN, problem->n * kn_type_size(type), err);
    const void *values = problem->columns[VALUES].data;

    if (status)
        return status;
    job_fill(problem->columns[VALUES].data, type, problem->n, problem->n);
    for (size_t i = 0; i < problem->n; i++) {
        long double value = type == KN_F32 ? (long double)((const float *)values)[i]
                                           : (long double)((const double *)values)[i];
        long double next = sum + value;

        lost += fabsl(sum) >= fabsl(value) ? (sum - next) + value : (value - next) + sum;
        sum = next;
        own->magnitude += fabsl(value);
    }
    own->sum = sum + lost;
    return KN_OK;
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    (void)err;
    own->sum = NAN;
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_reduce_sum(work->queue, work->held[VALUES].buffer, work->problem->which->type, work->problem->n,
                         &own->sum, err);
}

static kn_status run_host(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_host_sum(work->held[VALUES].memory, work->problem->which->type, work->problem->n, &own->sum,
                       NULL, err);
}

// In the tree, an element takes part in at most 63 additions in its lane, 6 among the lanes and 52 halvings
// of the leaves: relative to the sum of magnitudes, the error is below 121 roundings of 2^-53; with pairs of
// floats, 2^-40.
static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    const struct work *own = work->own;

    (void)err;
    work->error = (double)(fabsl((long double)own->sum - given->sum) / given->magnitude);
    work->bound = work->device->fp64 ? 121 * 0x1p-53 : 0x1p-40;
    return KN_OK;
}

const struct compare_job compare_job_reduce = {
    .name = "reduce",
    .what = "sums numbers",
    .size = "numbers",
    .unit = "GB/s",
    .scale = 1e-9,
    .error_is = "relative to the sum of magnitudes",
    .cases = {{"sum f32", KN_F32, 0}, {"sum f64", KN_F64, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28},
    .ceiling = COMPARE_READ,
    .problem_bytes = sizeof(struct problem),
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .reset = reset,
    .run = run,
    .run_host = run_host,
    .check = check,
};
