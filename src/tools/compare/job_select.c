// SPDX-License-Identifier: Apache-2.0
// kn_select, on the host kn_host_select: the element of the middle rank among n. It is right if the numbers
// of smaller and of equal elements match its rank.
#include <math.h>
#include <string.h>

#include "jobs.h"

enum { VALUES }; // the column

struct work {
    union {
        float single;
        double wide;
    } found;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t bytes = n * kn_type_size(which->type);

    *cost = (struct compare_cost){.amount = (double)bytes,
                                  .ceiling = (double)bytes,
                                  .bytes = (double)bytes,
                                  .memory = bytes + bytes / 8,
                                  .largest = bytes};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_type type = problem->which->type;
    kn_status status = job_column(problem, COMPARE_GIVEN, problem->n * kn_type_size(type), err);

    if (!status)
        job_fill(problem->columns[VALUES].data, type, problem->n, problem->n);
    return status;
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    (void)err;
    memset(&own->found, 0xff, sizeof own->found); // not a number
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t rank = work->problem->n / 2;

    return kn_select(work->queue, work->held[VALUES].buffer, work->problem->which->type, work->problem->n,
                     &rank, 1, &own->found, NULL, err);
}

static kn_status run_host(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t rank = work->problem->n / 2;

    return kn_host_select(work->held[VALUES].memory, work->problem->which->type, work->problem->n, &rank, 1,
                          &own->found, NULL, err);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const void *values = work->problem->columns[VALUES].data;
    const struct work *own = work->own;
    const bool single = work->problem->which->type == KN_F32;
    double found = single ? (double)own->found.single : own->found.wide;
    size_t rank = work->problem->n / 2, less = 0, equal = 0;

    (void)err;
    for (size_t i = 0; i < work->problem->n; i++) {
        double value = single ? (double)((const float *)values)[i] : ((const double *)values)[i];

        less += value < found;
        equal += value == found;
    }
    // The element has the ranks from `less` to `less + equal - 1`.
    work->error = !equal                 ? INFINITY
                  : rank < less          ? (double)(less - rank)
                  : rank >= less + equal ? (double)(rank - (less + equal - 1))
                                         : 0;
    work->bound = 0;
    return KN_OK;
}

const struct compare_job compare_job_select = {
    .name = "select",
    .what = "finds the element of the middle rank",
    .size = "numbers",
    .unit = "GB/s",
    .scale = 1e-9,
    .error_is = "ranks between the element found and the right one",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 28},
    .ceiling = COMPARE_READ,
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .reset = reset,
    .run = run,
    .run_host = run_host,
    .check = check,
};
