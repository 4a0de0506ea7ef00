// SPDX-License-Identifier: Apache-2.0
// Times correlations of volumes, whose sums are exact, with the voxels on the device or, on the host, in
// memory; checked at random offsets in 64 bits.
//
//     bench/autocorr_volume [--device SPEC|host] [--side N] [--max-offset R] [--periodic]
//
// Columns, in ms, for 8 and 16 bits: what a caller waits for the sums, which come to the host, median and
// least, and of the host the least of the process's own time, which other processes do not lengthen; the sums
// with the spherical average; sums that are wrong, of those that were checked.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { CHECKED = 8 };

static kn_error err = KN_ERROR_INIT;

#define TRY(call) bench_try(call, &err)

struct job {
    size_t side, max_offset;
    kn_type type;
    bool periodic;
    kn_queue *queue; // NULL: the host
    kn_autocorr_plan *plan;
    void *voxels;
    kn_buffer *there;
    kn_autocorr_results results;
};

static uint64_t voxel(const struct job *job, size_t x, size_t y, size_t z)
{
    size_t at = (z * job->side + y) * job->side + x;

    return job->type == KN_U8 ? ((const uint8_t *)job->voxels)[at] : ((const uint16_t *)job->voxels)[at];
}

// Whether a position is inside, and where.
static bool is_there(const struct job *job, size_t from, ptrdiff_t by, size_t *to)
{
    ptrdiff_t side = (ptrdiff_t)job->side, at = (ptrdiff_t)from + by;

    *to = (size_t)((at % side + side) % side);
    return job->periodic || (at >= 0 && at < side);
}

static uint64_t sum_at(const struct job *job, ptrdiff_t x0, ptrdiff_t y0, ptrdiff_t z0)
{
    uint64_t sum = 0;
    size_t x1, y1, z1;

    for (size_t z = 0; z < job->side; z++)
        for (size_t y = 0; y < job->side && is_there(job, z, z0, &z1); y++)
            for (size_t x = 0; x < job->side && is_there(job, y, y0, &y1); x++)
                if (is_there(job, x, x0, &x1))
                    sum += voxel(job, x, y, z) * voxel(job, x1, y1, z1);
    return sum;
}

static size_t wrong_sums(const struct job *job)
{
    size_t across = 2 * job->max_offset + 1, wrong = 0;
    uint64_t state = 7;

    for (size_t i = 0; i < CHECKED; i++) {
        size_t x = bench_random(&state) % across, y = bench_random(&state) % across,
               z = bench_random(&state) % (job->max_offset + 1);
        ptrdiff_t r = (ptrdiff_t)job->max_offset;

        wrong += job->results.sums[(z * across + y) * across + x] !=
                 sum_at(job, (ptrdiff_t)x - r, (ptrdiff_t)y - r, (ptrdiff_t)z);
    }
    return wrong;
}

static void execute(const struct job *job)
{
    const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = job->voxels);

    if (job->queue)
        TRY(kn_autocorr_execute_buffers(job->plan, job->there, NULL, 1, &job->results, &err));
    else
        TRY(kn_autocorr_execute(job->plan, &frames, 1, &job->results, &err));
}

// *own: the least of the process's own time, of all threads.
static struct bench_times time_calls(const struct job *job, double *own)
{
    double samples[BENCH_REPETITIONS];

    execute(job);
    *own = INFINITY;
    for (size_t i = 0; i < BENCH_REPETITIONS; i++) {
        double start = bench_seconds(), process = bench_process_seconds();

        execute(job);
        samples[i] = bench_seconds() - start;
        *own = fmin(*own, bench_process_seconds() - process);
    }
    return bench_times_of(samples, BENCH_REPETITIONS);
}

static void run(struct job *job)
{
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = job->side, .height = job->side, .depth = job->side,
                .type = job->type, .max_offset = job->max_offset);
    const kn_autocorr_options options = KN_INIT(kn_autocorr_options, .periodic = job->periodic);
    size_t across = 2 * job->max_offset + 1,
           bytes = job->side * job->side * job->side * kn_type_size(job->type);
    kn_autocorr_lengths lengths;
    struct bench_times sums, all;
    double own, own_all;
    uint64_t state = 23;

    job->voxels = bench_allocate(bytes);
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)job->voxels)[i] = (uint8_t)bench_random(&state);
    job->results =
        KN_INIT(kn_autocorr_results,
                .sums = bench_allocate(across * across * (job->max_offset + 1) * sizeof(uint64_t)));
    TRY(kn_autocorr_plan_create(job->queue, &shape, &options, &job->plan, &err));
    if (job->queue) {
        TRY(kn_buffer_create(kn_queue_get_context(job->queue), bytes, &job->there, &err));
        TRY(kn_buffer_write(job->queue, job->there, 0, job->voxels, bytes, &err));
    }
    sums = time_calls(job, &own);
    job->results.lengths = &lengths;
    all = time_calls(job, &own_all);
    printf("%4zu bits: sums %.3f, least %.3f", 8 * kn_type_size(job->type), 1e3 * sums.median,
           1e3 * sums.least);
    if (!job->queue)
        printf(", own %.3f", 1e3 * own);
    printf("; with the spherical average %.3f; %zu of %d wrong\n", 1e3 * all.median, wrong_sums(job),
           CHECKED);
    fflush(stdout);
    kn_buffer_free(job->there);
    kn_autocorr_plan_free(job->plan);
    free(job->results.sums);
    free(job->voxels);
}

int main(int argc, char **argv)
{
    struct job job = {.side = 256, .max_offset = 32};
    const char *device = NULL;
    kn_context *context = NULL;

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--periodic") == 0)
            job.periodic = true;
        else if (strcmp(argv[i], "--device") == 0 && i + 1 < argc)
            device = argv[++i];
        else if (strcmp(argv[i], "--side") == 0 && i + 1 < argc)
            job.side = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--max-offset") == 0 && i + 1 < argc)
            job.max_offset = strtoul(argv[++i], NULL, 10);
    if (!device || strcmp(device, "host") != 0) {
        TRY(kn_context_open(device, NULL, &context, &err));
        TRY(kn_queue_open(context, &job.queue, &err));
    }
    printf("%zu^3, R = %zu%s, on %s\n", job.side, job.max_offset, job.periodic ? ", periodic" : "",
           context ? kn_context_get_device(context)->name : "the host");
    for (unsigned wide = 0; wide < 2; wide++) {
        job.type = wide ? KN_U16 : KN_U8;
        job.there = NULL;
        run(&job);
    }
    kn_queue_close(job.queue);
    kn_context_close(context);
    return 0;
}
