// SPDX-License-Identifier: Apache-2.0
// Times windows of a column, each answer checked before it is timed.
//
//     bench/window [--device SPEC] [-n N] [--width W] [--step S] [--type float|double] [--threads T]
//     [--no-mad]
//
// With a step: n, mean, std, CV, median and MAD of windows of W elements every S of a column of doubles.
// Without one: the median of a window of W elements around every element of a column of floats, and the MAD;
// --type, behind --step, takes the other type. Without --device the host computes. The column is normally
// distributed. Wall time is what a caller waits; on a device the column is in its memory, and so are the
// results of windows around every element.
//
// Checked: some windows from anywhere, each sorted in double precision.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { REPETITIONS = 5, CHECKED = 500 };

struct job {
    const char *device;
    size_t n, width, step, windows;
    kn_type type;
    bool no_mad, kernels;
    kn_host_options host;
    void *x, *medians, *mads;
    kn_stats *found;
    kn_context *context;
    kn_queue *queue;
    kn_buffer *column, *to[2];
};

static kn_error err = KN_ERROR_INIT;

static double value(const struct job *job, const void *x, size_t i)
{
    return job->type == KN_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

// ---- checks ----

static int by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

static double middle(double *x, size_t n)
{
    qsort(x, n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static double rounded(const struct job *job, double x)
{
    return job->type == KN_F32 && job->step == 0 ? (double)(float)x : x;
}

static void check_window(const struct job *job, size_t i, size_t first, size_t end, double median, double mad)
{
    double *x = bench_allocate((end - first) * sizeof *x), wanted, wanted_mad;

    for (size_t k = first; k < end; k++)
        x[k - first] = value(job, job->x, k);
    wanted = middle(x, end - first);
    for (size_t k = first; k < end; k++)
        x[k - first] = fabs(value(job, job->x, k) - wanted);
    wanted_mad = middle(x, end - first);
    free(x);
    if (median == rounded(job, wanted) && (job->no_mad || mad == rounded(job, wanted_mad)))
        return;
    fprintf(stderr, "bench: WRONG: window %zu: median %.17g, MAD %.17g; expected %.17g, %.17g\n", i, median,
            mad, wanted, wanted_mad);
    exit(1);
}

static void check(const struct job *job)
{
    uint64_t state = 5;

    for (size_t k = 0; k < CHECKED; k++) {
        size_t i = bench_random(&state) % (job->step ? job->windows : job->n);
        size_t half = job->width / 2, first = i > half ? i - half : 0, end = i + job->width - half;
        if (job->step)
            check_window(job, i, i * job->step, i * job->step + job->width, job->found[i].median,
                         job->found[i].mad);
        else
            check_window(job, i, first, end < job->n ? end : job->n, value(job, job->medians, i),
                         job->no_mad ? 0 : value(job, job->mads, i));
    }
}

// ---- the timed calls ----

static void compute(void *data)
{
    struct job *job = data;

    if (job->queue && job->step)
        bench_try(kn_windows(job->queue, job->column, job->type, job->n, job->width, job->step, job->found,
                             NULL, NULL, &err),
                  &err);
    else if (job->queue)
        bench_try(kn_rolling(job->queue, job->column, job->type, job->n, job->width, job->to[0],
                             job->no_mad ? NULL : job->to[1], NULL, &err),
                  &err);
    else if (job->step)
        bench_try(kn_host_windows(job->x, job->type, job->n, job->width, job->step, job->found, NULL, NULL,
                                  &job->host, &err),
                  &err);
    else
        bench_try(kn_host_rolling(job->x, job->type, job->n, job->width, job->medians,
                                  job->no_mad ? NULL : job->mads, NULL, &job->host, &err),
                  &err);
}

// *own: the least of the process's own time, of all threads.
static struct bench_times time_host(struct job *job, double *own)
{
    double seconds[REPETITIONS];

    *own = INFINITY;
    for (size_t i = 0; i < REPETITIONS; i++) {
        double start = bench_seconds(), process = bench_process_seconds();
        compute(job);
        seconds[i] = bench_seconds() - start;
        *own = fmin(*own, bench_process_seconds() - process);
    }
    return bench_times_of(seconds, REPETITIONS);
}

static void print_times(const struct job *job, const char *what, struct bench_times t)
{
    printf("n %zu, width %zu, step %zu, %s%s: %s %.4f s (%.4f to %.4f)\n", job->n, job->width,
           job->step ? job->step : 1, kn_type_name(job->type), job->no_mad ? ", no MAD" : "", what, t.median,
           t.least, t.most);
}

// Like the host's; and the device's time, from its events.
static void run_device(struct job *job)
{
    const size_t bytes = job->n * kn_type_size(job->type);
    struct bench_timing t;

    compute(job);
    if (job->step == 0) {
        bench_try(kn_buffer_read(job->queue, job->to[0], 0, job->medians, bytes, &err), &err);
        bench_try(kn_buffer_read(job->queue, job->to[1], 0, job->mads, bytes, &err), &err);
    }
    check(job);
    t = bench_measure(job->queue, NULL, compute, job, job->kernels);
    print_times(job, job->device, t.wall);
    print_times(job, "kernels", t.device);
}

static void run(struct job *job)
{
    struct bench_times t;
    double own;

    compute(job);
    check(job);
    t = time_host(job, &own);
    print_times(job, "host", t);
    printf("    the process's own time: %.4f s\n", own);
}

static void prepare(struct job *job)
{
    const size_t size = kn_type_size(job->type);

    job->windows = kn_window_count(job->n, job->width, job->step, false);
    job->x = bench_allocate(job->n * size);
    job->medians = bench_allocate(job->n * size);
    job->mads = bench_allocate(job->n * size);
    job->found = bench_allocate((job->windows + 1) * sizeof *job->found);
    bench_fill(job->x, job->type, job->n, 6);
    if (!job->device)
        return;
    bench_try(kn_context_open(job->device, NULL, &job->context, &err), &err);
    bench_try(kn_queue_open(job->context, &job->queue, &err), &err);
    bench_try(kn_buffer_create(job->context, job->n * size, &job->column, &err), &err);
    bench_try(kn_buffer_create(job->context, job->n * size, &job->to[0], &err), &err);
    bench_try(kn_buffer_create(job->context, job->n * size, &job->to[1], &err), &err);
    bench_try(kn_buffer_write(job->queue, job->column, 0, job->x, job->n * size, &err), &err);
}

static size_t number(const char *text)
{
    return (size_t)strtod(text, NULL);
}

int main(int argc, char **argv)
{
    struct job job = {.n = 10000000, .width = 1921, .type = KN_F32, .host = KN_INIT(kn_host_options)};

    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--no-mad") == 0 || strcmp(argv[i], "--kernels") == 0) {
            job.no_mad |= argv[i][2] == 'n';
            job.kernels |= argv[i][2] == 'k';
            continue;
        }
        if (strcmp(argv[i], "--device") == 0)
            job.device = next;
        else if (strcmp(argv[i], "-n") == 0)
            job.n = number(next);
        else if (strcmp(argv[i], "--width") == 0)
            job.width = number(next);
        else if (strcmp(argv[i], "--step") == 0) {
            job.step = number(next);
            job.type = KN_F64;
        } else if (strcmp(argv[i], "--type") == 0)
            job.type = strcmp(next, "float") == 0 ? KN_F32 : KN_F64;
        else if (strcmp(argv[i], "--threads") == 0)
            job.host.threads = (unsigned)number(next);
        else
            return fprintf(stderr, "bench: %s is no option; see the first lines of bench/algo/window.c\n",
                           argv[i]),
                   2;
        i++;
    }
    prepare(&job);
    if (job.device)
        run_device(&job);
    else
        run(&job);
    kn_buffer_free(job.column);
    kn_buffer_free(job.to[0]);
    kn_buffer_free(job.to[1]);
    kn_queue_close(job.queue);
    kn_context_close(job.context);
    return 0;
}
