// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: timing by repetition, random data, and a way out on errors.
#ifndef KN_BENCH_H
#define KN_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include <koine/koine.h>

struct bench_times {
    double median, least, most; // seconds
};

// Sorts the samples.
struct bench_times bench_times_of(double *samples, size_t count);

double bench_seconds(void);

// splitmix64.
uint64_t bench_random(uint64_t *state);
// Normally distributed keys: n of `type`.
void bench_fill(void *keys, kn_type type, size_t n, uint64_t seed);

// Prints the error and exits if `status` is not 0.
void bench_try(kn_status status, const kn_error *err);

#endif
