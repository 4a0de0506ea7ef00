// SPDX-License-Identifier: Apache-2.0
// Chains of fused multiply-adds (cl/tools/compare/flops.cl), n in all; the value of every chain is known
// exactly.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "jobs.h"

enum { CHAINS = 8, TRIPS = 1024, PERIOD = 16, CPU_WIDTH = 16 };

static const double factor = 0.99951171875, term = 0.000244140625; // 1 - 2^-11 and 2^-12: exact in a float

struct work {
    kn_program *program;
    kn_kernel *kernel;
    unsigned width;
};

enum { OUTPUT }; // the column

static size_t elements(size_t n)
{
    size_t count = n / CHAINS / TRIPS;

    return count < PERIOD ? PERIOD : count;
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    double operations = 2.0 * CHAINS * TRIPS * (double)elements(n);
    size_t bytes = elements(n) * kn_type_size(which->type);

    *cost = (struct compare_cost){
        .amount = operations, .ceiling = operations, .flops = operations, .memory = bytes, .largest = bytes};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    return job_column(problem, COMPARE_RESULT, elements(problem->n) * kn_type_size(problem->which->type),
                      err);
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    kn_type type = work->problem->which->type;

    own->width = work->device->type == KN_DEVICE_CPU ? CPU_WIDTH : 1;
    const struct job_define defines[] = {
        {"TRIPS", TRIPS}, {"WIDTH", own->width}, {"REAL_BITS", type == KN_F64 ? 64 : 32}};
    return job_kernel(work->queue, "tools/compare/flops.cl", "fma_chains", defines, KI_COUNT(defines),
                      &own->program, &own->kernel, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_program_free(own->program);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const float single_factor = (float)factor, single_term = (float)term;
    const bool single = work->problem->which->type == KN_F32;
    const kn_arg args[] = {single ? KN_VALUE(single_factor) : KN_VALUE(factor),
                           single ? KN_VALUE(single_term) : KN_VALUE(term),
                           KN_BUFFER(work->held[OUTPUT].buffer)};
    const kn_range range = {1, {elements(work->problem->n) / own->width}, {0}, {0}};

    return kn_launch(work->queue, own->kernel, &range, args, KI_COUNT(args), NULL, err);
}

// The exact value of an element: fma rounds once, so only one value is right.
static float single_element(size_t element)
{
    float x[CHAINS];

    for (size_t c = 0; c < CHAINS; c++) {
        x[c] = (float)(element % PERIOD + c) / 32;
        for (int trip = 0; trip < TRIPS; trip++)
            x[c] = fmaf((float)factor, x[c], (float)term);
    }
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static double double_element(size_t element)
{
    double x[CHAINS];

    for (size_t c = 0; c < CHAINS; c++) {
        x[c] = (double)(element % PERIOD + c) / 32;
        for (int trip = 0; trip < TRIPS; trip++)
            x[c] = fma(factor, x[c], term);
    }
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    size_t size = kn_type_size(work->problem->which->type), differing = 0;
    char right[PERIOD][sizeof(double)], *out = NULL;
    kn_status status = job_read(work, OUTPUT, &out, err);

    for (size_t i = 0; i < PERIOD; i++) {
        float single = single_element(i);
        double wide = double_element(i);

        memcpy(right[i], size == sizeof single ? (const void *)&single : (const void *)&wide, size);
    }
    for (size_t i = 0; i < elements(work->problem->n) && !status; i++)
        differing += memcmp(out + i * size, right[i % PERIOD], size) != 0;
    work->error = (double)differing;
    work->bound = 0;
    free(out);
    return status;
}

const struct compare_job compare_job_flops = {
    .name = "flops",
    .what = "multiplies and adds (fma), eight independent chains a work-item",
    .size = "fma",
    .unit = "GFLOP/s",
    .scale = 1e-9,
    .error_is = "results that differ from correctly rounded fma",
    .cases = {{"f32", KN_F32, 0}, {"f64", KN_F64, 0}},
    .quick = {(size_t)1 << 28, (size_t)1 << 31},
    .full = {(size_t)1 << 28, (size_t)1 << 32, (size_t)1 << 36},
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .run = run,
    .check = check,
};
