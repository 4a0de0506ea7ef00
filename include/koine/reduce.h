// SPDX-License-Identifier: Apache-2.0
// Sums on the device, the same bits on every device.
#ifndef KOINE_REDUCE_H
#define KOINE_REDUCE_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_sums {
    double sum;     // of x - shift
    double squares; // of (x - shift)^2
} kn_sums;

// Sum of the first n elements of `x` (KN_F32 or KN_F64), folded in double in one fixed tree (leaves of 4,096
// elements in 64 lanes, then pairs): bit-equal on every device with double precision, whatever its launch. Without
// double precision the tree is the same and the accumulators are pairs of floats (48 bits; relative error of a sum
// of one sign below 2^-40). n = 0 gives 0. Waits. Cost: reads x once.
// Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without double precision, other types).
KN_API kn_status kn_reduce_sum(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, double *sum, kn_error *err);

// Both sums of x - shift in one read. `shift` is rounded to the type first, and is
// finite then (KN_ERROR_ARGUMENT).
KN_API kn_status kn_reduce_sums(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, double shift, kn_sums *sums,
                                kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
