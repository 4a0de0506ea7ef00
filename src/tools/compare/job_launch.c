// SPDX-License-Identifier: Apache-2.0
// The cost of a launch for the host: n launches of a kernel that does almost nothing
// (cl/tools/compare/launch.cl), waited for once at the end or one by one.
#include <math.h>

#include "base/array.h"
#include "jobs.h"

enum { QUEUED, FINISHED };

struct work {
    kn_program *program;
    kn_kernel *kernel;
};

enum { COUNT }; // the column: the number of launches so far, from 0

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    (void)which;
    *cost =
        (struct compare_cost){.amount = (double)n, .memory = sizeof(uint32_t), .largest = sizeof(uint32_t)};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    kn_status status = job_column(problem, COMPARE_WORKED, sizeof(uint32_t), err);

    if (!status)
        *(uint32_t *)problem->columns[COUNT].data = 0;
    return status;
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return job_kernel(work->queue, "tools/compare/launch.cl", "count_launch", NULL, 0, &own->program,
                      &own->kernel, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_program_free(own->program);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const bool waits = work->problem->which->variant == FINISHED;
    const kn_arg args[] = {KN_BUFFER(work->held[COUNT].buffer)};
    const kn_range range = {1, {32}, {32}, {0}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < work->problem->n && !status; i++) {
        status = kn_launch(work->queue, own->kernel, &range, args, KI_COUNT(args), NULL, err);
        if (waits && !status)
            status = kn_queue_finish(work->queue, err);
    }
    return status;
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    uint32_t count = 0;
    kn_status status = job_read_part(work, COUNT, 0, sizeof count, &count, err);

    work->error = fabs((double)count - (double)work->problem->n);
    work->bound = 0;
    return status;
}

const struct compare_job compare_job_launch = {
    .name = "launch",
    .what = "launches a tiny kernel, back to back and waiting for each",
    .size = "launches",
    .unit = "us/launch",
    .scale = 1e6,
    .inverse = true,
    .wall_only = true,
    .error_is = "launches too many or too few",
    .cases = {{"back to back", KN_U32, QUEUED}, {"and finish", KN_U32, FINISHED}},
    .quick = {200},
    .full = {1000},
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .run = run,
    .check = check,
};
