// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: timing by repetition, random data, and exiting on errors.
#ifndef KN_BENCH_H
#define KN_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/koine.h>

struct bench_times {
    double median, least, most; // seconds
};

// Sorts the samples.
struct bench_times bench_times_of(double *samples, size_t count);

double bench_seconds(void);
// Of all threads of this process, which other processes do not lengthen.
double bench_process_seconds(void);

enum { BENCH_REPETITIONS = 9 };

typedef void bench_call(void *data);

struct bench_timing {
    struct bench_times device; // from the first kernel's start to the last one's end, by the device's events
    struct bench_times wall;   // what the caller waits, without events, which cost host time themselves
    size_t launches;
};

// Times `call` after `prepare` (or NULL), each way BENCH_REPETITIONS times after a warm-up. `kernels`: prints
// when each kernel of the last one began and what it took.
struct bench_timing bench_measure(kn_queue *queue, bench_call *prepare, bench_call *call, void *data,
                                  bool kernels);

// splitmix64.
uint64_t bench_random(uint64_t *state);
// Normally distributed keys: n of `type`.
void bench_fill(void *keys, kn_type type, size_t n, uint64_t seed);

// malloc, but exits if memory runs out.
void *bench_allocate(size_t bytes);

// Prints the error and exits if `status` is not 0.
void bench_try(kn_status status, const kn_error *err);

#endif
