// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

struct bench_times bench_times_of(double *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, compare);
    return (struct bench_times){samples[count / 2], samples[0], samples[count - 1]};
}

double bench_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_process_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The sum of four uniform numbers is normal enough to look at, and cheap enough for 2^28 of them.
static double normal(uint64_t *state)
{
    uint64_t a = bench_random(state);

    return ((double)(a & 0xffff) + (double)(a >> 16 & 0xffff) + (double)(a >> 32 & 0xffff) +
            (double)(a >> 48)) /
               37837.0 -
           2 * 65535.0 / 37837.0;
}

void bench_fill(void *keys, kn_type type, size_t n, uint64_t seed)
{
    float *singles = keys;
    double *doubles = keys;

    for (size_t i = 0; i < n; i++) {
        double value = 100 * normal(&seed);
        if (type == KN_F32)
            singles[i] = (float)value;
        else
            doubles[i] = value + 1e-9 * (double)(bench_random(&seed) & 0xffff);
    }
}

void *bench_allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);

    if (!memory) {
        fprintf(stderr, "bench: out of memory: %zu bytes\n", bytes);
        exit(5);
    }
    return memory;
}

void bench_try(kn_status status, const kn_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "bench: %s\n", err->text);
    exit(4);
}

static void print_kernels(const kn_profile_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("    %-20s begins %9.4f ms, takes %9.4f ms\n", entries[i].kernel,
               (double)(entries[i].start - entries[0].start) * 1e-6,
               (double)(entries[i].end - entries[i].start) * 1e-6);
}

static double time_wall(kn_queue *queue, bench_call *prepare, bench_call *call, void *data, kn_error *err)
{
    double start;

    if (prepare)
        prepare(data);
    bench_try(kn_queue_finish(queue, err), err);
    start = bench_seconds();
    call(data);
    bench_try(kn_queue_finish(queue, err), err);
    return bench_seconds() - start;
}

struct bench_timing bench_measure(kn_queue *queue, bench_call *prepare, bench_call *call, void *data,
                                  bool kernels)
{
    double device[BENCH_REPETITIONS + 1], wall[BENCH_REPETITIONS + 1]; // the first is the warm-up
    struct bench_timing timing = {.launches = 0};
    kn_error err = KN_ERROR_INIT;

    for (size_t i = 0; i <= BENCH_REPETITIONS; i++) {
        kn_profile_entry *entries = NULL;
        wall[i] = time_wall(queue, prepare, call, data, &err);
        if (prepare)
            prepare(data);
        bench_try(kn_profile_start(queue, &err), &err);
        call(data);
        bench_try(kn_profile_stop(queue, &entries, &timing.launches, &err), &err);
        device[i] = kn_profile_span(entries, timing.launches);
        if (kernels && i == BENCH_REPETITIONS)
            print_kernels(entries, timing.launches);
        kn_free(entries);
    }
    timing.device = bench_times_of(device + 1, BENCH_REPETITIONS);
    timing.wall = bench_times_of(wall + 1, BENCH_REPETITIONS);
    return timing;
}
