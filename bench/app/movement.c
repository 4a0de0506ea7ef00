// SPDX-License-Identifier: Apache-2.0
// Times the lengths of vectors and ENMO (kn_stats_magnitude, kn_stats_enmo), each answer checked before it is
// timed.
//
//     bench/movement [--device SPEC] [-n N]
//
// The axes are normally distributed, in float and in double. Without --device the host computes. GB/s: three
// axes read and a result written, by the median of what a caller waits; on a device all of them are in its
// memory.
//
// Checked: every element, in double to the bit, in float within 4 units in the last place of the length.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { REPETITIONS = 9, AXES = 3 };

struct job {
    const char *device;
    kn_type type;
    size_t n;
    double g; // 0: lengths
    void *axes[AXES], *out;
    kn_queue *queue;
    kn_buffer *buffers[AXES], *result;
};

static kn_error err = KN_ERROR_INIT;

static double value(const struct job *job, const void *x, size_t i)
{
    return job->type == KN_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void check(const struct job *job)
{
    const double unit = job->type == KN_F32 ? 4 * 0x1p-23 : 0;

    for (size_t i = 0; i < job->n; i++) {
        const double x = value(job, job->axes[0], i), y = value(job, job->axes[1], i);
        const double z = value(job, job->axes[2], i), length = sqrt(x * x + y * y + z * z);
        const double expected = length - job->g < 0 ? 0 : length - job->g, found = value(job, job->out, i);
        if (fabs(found - expected) <= unit * length)
            continue;
        fprintf(stderr, "bench: WRONG: element %zu: %.17g, expected %.17g\n", i, found, expected);
        exit(1);
    }
}

static void compute(void *data)
{
    struct job *job = data;
    const void *const axes[AXES] = {job->axes[0], job->axes[1], job->axes[2]};
    const kn_buffer *const buffers[AXES] = {job->buffers[0], job->buffers[1], job->buffers[2]};

    if (!job->queue)
        bench_try(kn_stats_enmo(axes, job->type, job->n, job->g, job->out, &err), &err);
    else
        bench_try(kn_stats_enmo_buffer(job->queue, buffers, job->type, job->n, job->g, job->result, &err),
                  &err);
}

static struct bench_times time_host(struct job *job)
{
    double seconds[REPETITIONS];

    for (size_t i = 0; i < REPETITIONS; i++) {
        double start = bench_seconds();
        compute(job);
        seconds[i] = bench_seconds() - start;
    }
    return bench_times_of(seconds, REPETITIONS);
}

static void print_times(const struct job *job, const char *what, struct bench_times t)
{
    const double bytes = (double)(job->n * (AXES + 1) * kn_type_size(job->type));

    printf("n %zu, %s, %s: %s %.6f s (%.6f to %.6f), %.1f GB/s\n", job->n, kn_type_name(job->type),
           job->g > 0 ? "ENMO" : "lengths", what, t.median, t.least, t.most, bytes / t.median / 1e9);
}

static void run(struct job *job)
{
    const size_t bytes = job->n * kn_type_size(job->type);
    struct bench_timing t;

    compute(job);
    if (job->queue)
        bench_try(kn_buffer_read(job->queue, job->result, 0, job->out, bytes, &err), &err);
    check(job);
    if (!job->queue) {
        print_times(job, "host", time_host(job));
        return;
    }
    t = bench_measure(job->queue, NULL, compute, job, false);
    print_times(job, job->device, t.wall);
    print_times(job, "kernel", t.device);
}

static void prepare(struct job *job, kn_context *context)
{
    const size_t bytes = job->n * kn_type_size(job->type);

    for (size_t i = 0; i < AXES; i++) {
        job->axes[i] = bench_allocate(bytes);
        bench_fill(job->axes[i], job->type, job->n, i + 1);
        if (context) {
            bench_try(kn_buffer_create(context, bytes, &job->buffers[i], &err), &err);
            bench_try(kn_buffer_write(job->queue, job->buffers[i], 0, job->axes[i], bytes, &err), &err);
        }
    }
    job->out = bench_allocate(bytes);
    if (context)
        bench_try(kn_buffer_create(context, bytes, &job->result, &err), &err);
}

static void release(struct job *job)
{
    for (size_t i = 0; i < AXES; i++) {
        free(job->axes[i]);
        kn_buffer_free(job->buffers[i]);
    }
    free(job->out);
    kn_buffer_free(job->result);
}

static void run_all(const char *device, size_t n)
{
    static const kn_type types[] = {KN_F32, KN_F64};
    kn_context *context = NULL;
    kn_queue *queue = NULL;

    if (device) {
        bench_try(kn_context_open(device, NULL, &context, &err), &err);
        bench_try(kn_queue_open(context, &queue, &err), &err);
    }
    for (size_t i = 0; i < 2; i++) {
        struct job job = {.device = device, .type = types[i], .n = n, .queue = queue};
        prepare(&job, context);
        for (job.g = 0; job.g <= 1; job.g++)
            run(&job);
        release(&job);
    }
    kn_queue_close(queue);
    kn_context_close(context);
}

int main(int argc, char **argv)
{
    const char *device = NULL;
    size_t n = 10000000;

    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--device") == 0)
            device = argv[i + 1];
        else if (strcmp(argv[i], "-n") == 0)
            n = (size_t)strtod(argv[i + 1], NULL);
        else
            argc = 0;
    if (argc % 2 == 0)
        return fprintf(stderr, "usage: bench/movement [--device SPEC] [-n N]\n"), 2;
    run_all(device, n);
    return 0;
}
