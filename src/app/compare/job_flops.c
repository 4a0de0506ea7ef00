// SPDX-License-Identifier: Apache-2.0
// Chains of fused multiply-adds (cl/flops.cl), n in all; every chain's value is known to the bit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/array.h"
#include "jobs.h"

enum { CHAINS = 8, TRIPS = 1024, PERIOD = 16, CPU_WIDTH = 16 };

static const double factor = 0.99951171875, term = 0.000244140625; // 1 - 2^-11 and 2^-12: exact in a float

struct work {
    kn_program *program;
    kn_kernel *kernel;
    kn_buffer *out;
    unsigned width;
    size_t elements;
};

static size_t elements(size_t n)
{
    size_t count = n / CHAINS / TRIPS;

    return count < PERIOD ? PERIOD : count;
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    double operations = 2.0 * CHAINS * TRIPS * (double)elements(n);
    size_t bytes = elements(n) * kn_type_size(which->type);

    *cost =
        (struct compare_cost){.amount = operations, .ceiling = operations, .memory = bytes, .largest = bytes};
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    kn_type type = work->problem->which->type;
    kn_status status;

    own->width = work->device->type == KN_DEVICE_CPU ? CPU_WIDTH : 1;
    own->elements = elements(work->problem->n);
    const struct job_define defines[] = {
        {"TRIPS", TRIPS}, {"WIDTH", own->width}, {"REAL_BITS", type == KN_F64 ? 64 : 32}};
    status = job_kernel(work->queue, "flops.cl", "fma_chains", defines, KN_COUNT(defines), &own->program,
                        &own->kernel, err);
    return status ? status
                  : job_buffer(work->queue, NULL, own->elements * kn_type_size(type), &own->out, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_buffer_free(own->out);
    kn_program_free(own->program);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const uint32_t poison = 0xffffffff; // not a number

    return kn_buffer_fill(work->queue, own->out, &poison, sizeof poison, 0, kn_buffer_size(own->out), NULL,
                          err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const float single_factor = (float)factor, single_term = (float)term;
    const bool single = work->problem->which->type == KN_F32;
    const kn_arg args[] = {single ? KN_VALUE(single_factor) : KN_VALUE(factor),
                           single ? KN_VALUE(single_term) : KN_VALUE(term), KN_BUFFER(own->out)};
    const kn_range range = {1, {own->elements / own->width}, {0}, {0}};

    return kn_launch(work->queue, own->kernel, &range, args, KN_COUNT(args), NULL, err);
}

// What an element must be: fma is rounded once, so there is one right value.
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
    struct work *own = work->own;
    size_t size = kn_type_size(work->problem->which->type), differing = 0;
    char right[PERIOD][sizeof(double)], *out = NULL;
    kn_status status = job_memory(own->elements * size, &out, err);

    for (size_t i = 0; i < PERIOD; i++) {
        float single = single_element(i);
        double wide = double_element(i);

        memcpy(right[i], size == sizeof single ? (const void *)&single : (const void *)&wide, size);
    }
    if (!status)
        status = kn_buffer_read(work->queue, own->out, 0, out, own->elements * size, err);
    for (size_t i = 0; i < own->elements && !status; i++)
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
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .check = check,
};
