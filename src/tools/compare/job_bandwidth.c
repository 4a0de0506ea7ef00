// SPDX-License-Identifier: Apache-2.0
// Reading and copying memory (cl/tools/compare/bandwidth.cl): n bytes, traversed repeatedly until the launch
// takes long enough.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "jobs.h"

enum { WORD = sizeof(uint32_t), CPU_ITEMS = 1024 };

static const size_t walked = (size_t)256 << 20; // bytes, at least, and at least four passes, because the
                                                // start and the end of a launch are slow

// How the kernels are built and launched. On GPUs, adjacent work-items of a group read adjacent elements; on
// CPUs, each work-item reads its own chunk.
struct shape {
    unsigned group, width, unroll;
    size_t groups_a_unit; // number of groups for each compute unit; 0: each group makes one step
};
// Measured best on an H200 (bench/ceilings).
static const struct shape gpu_read = {512, 4, 4, 4}, gpu_copy = {256, 4, 1, 0}, cpu_shape = {16, 16, 4, 0};

enum { WORDS }; // the column

struct problem {
    uint32_t sum;
};

struct work {
    kn_program *program;
    kn_kernel *kernel;
    kn_buffer *out; // the sums, or the copy
    size_t items, out_bytes;
    struct shape shape;
};

static size_t passes(size_t n)
{
    return 4 * n < walked ? walked / n : 4;
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    size_t directions = which->variant == COMPARE_COPY ? 2 : 1;

    *cost = (struct compare_cost){.amount = (double)n * (double)(directions * passes(n)),
                                  .ceiling = (double)n * (double)(directions * passes(n)),
                                  .bytes = (double)n * (double)(directions * passes(n)),
                                  .memory = n * directions,
                                  .largest = n};
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    uint64_t state = problem->n;
    kn_status status = job_column(problem, COMPARE_GIVEN, problem->n, err);
    uint32_t *words = problem->columns[WORDS].data;

    for (size_t i = 0; i < problem->n / WORD && !status; i += 2) {
        uint64_t chance = job_random(&state);

        words[i] = (uint32_t)chance;
        words[i + 1] = (uint32_t)(chance >> 32);
        own->sum += words[i] + words[i + 1];
    }
    return status;
}

static size_t work_items(const struct work *own, const kn_device_info *device, size_t total)
{
    size_t steps = total / own->shape.group / own->shape.unroll,
           groups = own->shape.groups_a_unit * device->compute_units;

    if (device->type == KN_DEVICE_CPU)
        return CPU_ITEMS;
    return (groups && groups < steps ? groups : steps) * own->shape.group;
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t n = work->problem->n;
    bool copies = work->problem->which->variant == COMPARE_COPY;
    kn_status status;

    own->shape = work->device->type == KN_DEVICE_CPU ? cpu_shape : copies ? gpu_copy : gpu_read;
    while (own->shape.group > work->device->max_work_group)
        own->shape.group /= 2;
    own->items = work_items(own, work->device, passes(n) * n / WORD / own->shape.width);
    own->out_bytes = copies ? n : own->items * WORD;
    const struct job_define defines[] = {
        {"GROUP", own->shape.group}, {"WIDTH", own->shape.width}, {"UNROLL", own->shape.unroll}};
    status = job_kernel(work->queue, "tools/compare/bandwidth.cl", copies ? "copy_words" : "read_words",
                        defines, KI_COUNT(defines), &own->program, &own->kernel, err);
    return status ? status : job_buffer(work->queue, NULL, own->out_bytes, &own->out, err);
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
    const uint32_t poison = 0xdeadbeef;

    return kn_buffer_fill(work->queue, own->out, &poison, sizeof poison, 0, own->out_bytes, NULL, err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    size_t vectors = work->problem->n / WORD / own->shape.width;
    const uint32_t log2_vectors = (uint32_t)__builtin_ctzll(vectors); // sizes are powers of two
    const uint64_t total = vectors * passes(work->problem->n);
    const kn_arg args[] = {KN_BUFFER(work->held[WORDS].buffer), KN_VALUE(log2_vectors), KN_VALUE(total),
                           KN_BUFFER(own->out)};
    const kn_range range = {1, {own->items}, {own->shape.group}, {0}};

    return kn_launch(work->queue, own->kernel, &range, args, KI_COUNT(args), NULL, err);
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    const uint32_t *words = work->problem->columns[WORDS].data;
    struct work *own = work->own;
    size_t count = own->out_bytes / WORD, differing = 0;
    uint32_t *out = NULL, sum = 0;
    kn_status status = job_memory(own->out_bytes, &out, err);

    if (!status)
        status = kn_buffer_read(work->queue, own->out, 0, out, own->out_bytes, err);
    for (size_t i = 0; i < count && !status; i++) {
        differing += work->problem->which->variant == COMPARE_COPY && out[i] != words[i];
        sum += out[i];
    }
    if (work->problem->which->variant == COMPARE_READ)
        differing = sum != (uint32_t)(given->sum * passes(work->problem->n));
    work->error = (double)differing;
    work->bound = 0;
    free(out);
    return status;
}

const struct compare_job compare_job_bandwidth = {
    .name = "bandwidth",
    .what = "reads and copies memory, at footprints within and beyond caches",
    .size = "bytes",
    .unit = "GB/s",
    .scale = 1e-9,
    .error_is = "words of the copy, or sums of what was read, that differ",
    .cases = {{"read", KN_U32, COMPARE_READ}, {"copy", KN_U32, COMPARE_COPY}},
    .quick = {(size_t)256 << 10, (size_t)4 << 20, (size_t)64 << 20},
    .full = {(size_t)256 << 10, (size_t)4 << 20, (size_t)32 << 20, (size_t)256 << 20, (size_t)1 << 30},
    .problem_bytes = sizeof(struct problem),
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .check = check,
};
