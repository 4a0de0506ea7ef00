// SPDX-License-Identifier: Apache-2.0
// The time from a kernel's source to the end of its first launch, at which some drivers compile: without any
// cache, and with the binary in Koine's own cache. The kernels are those of cl/algo/sort/sort_bitonic.cl;
// they sort one block.
#include <stdlib.h>
#include <string.h>

#include "base/os/process.h"
#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "jobs.h"

enum {
    COLD,
    CACHED,
    LOG2_GROUP = 6,
    LOG2_KEYS = 3,
    GROUP = 1 << LOG2_GROUP,
    KEYS = 1 << (LOG2_GROUP + LOG2_KEYS)
};

struct work {
    char folder[PATH_MAX]; // "": none
    kn_context *context;   // a separate one, because the cache belongs to the context
    kn_queue *queue;
    kn_buffer *keys;
    bool from_cache;
    unsigned builds;
};

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    (void)which;
    *cost = (struct compare_cost){
        .amount = (double)n, .memory = KEYS * sizeof(float), .largest = KEYS * sizeof(float)};
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = "");
    kn_status status = KN_OK;

    if (work->problem->which->variant == CACHED) {
        status = ki_process_folder(own->folder, err);
        options.cache_dir = own->folder;
    }
    if (!status)
        status = kn_context_open(work->device->spec, &options, &own->context, err);
    if (!status)
        status = kn_queue_open(own->context, &own->queue, err);
    return status ? status : job_buffer(own->queue, NULL, KEYS * sizeof(float), &own->keys, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_buffer_free(own->keys);
    kn_queue_close(own->queue);
    kn_context_close(own->context);
    if (*own->folder)
        ki_process_folder_remove(own->folder);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    float keys[KEYS];

    for (size_t i = 0; i < KEYS; i++)
        keys[i] = (float)(KEYS - i);
    return kn_buffer_write(own->queue, own->keys, 0, keys, sizeof keys, err);
}

static kn_status sort_block(const struct work *own, kn_program *program, kn_error *err)
{
    const uint64_t n = KEYS;
    const uint32_t decode = 1;
    const kn_arg args[] = {KN_BUFFER(own->keys), KN_VALUE(n), KN_VALUE(decode)};
    const kn_range range = {1, {GROUP}, {GROUP}, {0}};
    kn_kernel *kernel = NULL;
    kn_status status = kn_program_get_kernel(program, "sort_blocks", &kernel, err);

    if (!status)
        status = kn_launch(own->queue, kernel, &range, args, KI_COUNT(args), NULL, err);
    return status ? status : kn_queue_finish(own->queue, err);
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    struct job_define defines[] = {
        {"REAL_BITS", 32}, {"LOG2_GROUP", LOG2_GROUP}, {"LOG2_KEYS", LOG2_KEYS}, {"BUILD", 0}};
    double start = ki_clock_seconds();
    kn_program *program = NULL;
    kn_kernel *kernel = NULL;
    kn_status status;

    // Drivers have caches as well: a name that is new avoids them.
    if (work->problem->which->variant == COLD)
        defines[3].value = (unsigned)(start * 1e6) + own->builds++;
    status = job_kernel(own->queue, "algo/sort/sort_bitonic.cl", "sort_blocks", defines, KI_COUNT(defines),
                        &program, &kernel, err);
    if (!status)
        status = sort_block(own, program, err);
    work->seconds = ki_clock_seconds() - start;
    own->from_cache = program && kn_program_get_cached(program);
    kn_program_free(program);
    return status;
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    bool cached = work->problem->which->variant == CACHED;
    float keys[KEYS];
    kn_status status = kn_buffer_read(own->queue, own->keys, 0, keys, sizeof keys, err);
    size_t differing = 0;

    if (!status && own->from_cache != cached)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       cached ? "left out: programs are not kept here (the driver, or KOINE_KEEP_PROGRAMS)"
                              : "left out: the program came from a cache");
    for (size_t i = 0; i < KEYS && !status; i++)
        differing += keys[i] != (float)(i + 1);
    work->error = (double)differing;
    work->bound = 0;
    return status;
}

const struct compare_job compare_job_build = {
    .name = "build",
    .what = "compiles the kernels of the bitonic sort and runs one; without caches, and from the cache",
    .size = "programs",
    .unit = "ms/program",
    .scale = 1e3,
    .inverse = true,
    .wall_only = true,
    .times_itself = true,
    .error_is = "keys out of place",
    .cases = {{"cold", KN_F32, COLD}, {"from the cache", KN_F32, CACHED}},
    .quick = {1},
    .full = {1},
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .check = check,
};
