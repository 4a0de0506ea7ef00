// SPDX-License-Identifier: Apache-2.0
// The jobs, each in its own file, and what their files share.
#ifndef KN_TOOLS_COMPARE_JOBS_H
#define KN_TOOLS_COMPARE_JOBS_H

#include <stdint.h>

#include "columns.h"

extern const struct compare_job compare_job_bandwidth;
extern const struct compare_job compare_job_flops;
extern const struct compare_job compare_job_launch;
extern const struct compare_job compare_job_build;
extern const struct compare_job compare_job_sort;
extern const struct compare_job compare_job_reduce;
extern const struct compare_job compare_job_select;
extern const struct compare_job compare_job_scan;
extern const struct compare_job compare_job_fft;
extern const struct compare_job compare_job_gemm;
extern const struct compare_job compare_job_spmv;
extern const struct compare_job compare_job_stats;
extern const struct compare_job compare_job_autocorr;
extern const struct compare_job compare_job_recon;
extern const struct compare_job compare_job_solve;

// Builds a kernel from one of Koine's files with definitions ("NAME", number, ..., NULL). The caller frees
// the program.
struct job_define {
    const char *name;
    unsigned value;
};
kn_status job_kernel(kn_queue *queue, const char *file, const char *name, const struct job_define *defines,
                     size_t count, kn_program **program, kn_kernel **kernel, kn_error *err);

// Creates a buffer with these contents; with `data` NULL they are undefined.
kn_status job_buffer(kn_queue *queue, const void *data, size_t bytes, kn_buffer **buffer, kn_error *err);

// Like malloc, but the error says how much memory was requested.
kn_status job_memory(size_t bytes, void *pointer_address, kn_error *err);

// SplitMix64: the same numbers on every machine and in every run.
uint64_t job_random(uint64_t *state);
// Fills n elements of `type`: floats from a normal distribution (mean 0, deviation 100), KN_U32 with random
// bits.
void job_fill(void *data, kn_type type, size_t n, uint64_t seed);

#endif
