// SPDX-License-Identifier: Apache-2.0
// Runs on the device: neighbours that are equal become one element, their number, or what their values come
// to.
#ifndef KOINE_UNIQUE_H
#define KOINE_UNIQUE_H

#include <koine/launch.h>
#include <koine/reduce.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// A run is neighbours of which each equals the one before it. Equal is what == says: -0 equals +0, and a NaN
// equals nothing: each is a run of its own (numpy.unique, which sorts, makes one of all NaN). What is kept of
// a run is its first element, with its own bits. In a sorted column the runs are its distinct values.
//
// The number of runs goes to the start of the buffer `counted` as one uint64_t, and to *count; either may be
// NULL. With `count` the call waits for it, else it is asynchronous. Outputs are other buffers than the
// inputs, and hold n elements each: what lies behind the runs is left as it was. Method: the runs of each of
// some thousand stretches are counted, then written; no work-group waits for another. Errors, here and below:
// KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED (KN_F64 without double precision); KN_ERROR_LIMIT (a buffer held in
// parts).

// The first element of each run of the first n elements of `x`, of any type. Cost: reads x twice, writes out
// once.
KN_API kn_status kn_unique(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_buffer *out,
                           kn_buffer *counted, size_t *count, kn_error *err);

// Run-length encoding: the first element of each run to `values` (NULL: not wanted), and how many elements it
// has to `lengths`, of KN_U32 (n below 2^32) or KN_U64. Cost: reads x twice, writes both once.
KN_API kn_status kn_run_lengths(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                kn_buffer *values, kn_buffer *lengths, kn_type length_type,
                                kn_buffer *counted, size_t *count, kn_error *err);

// The values of each run of equal keys reduced by `op`: the first n elements of `keys`, of any type, and of
// `values`, of any type; the first key of each run to `unique_keys`, what its values come to to `results`, in
// the values' type. Sums and products of integers are modulo 2^bits. The least and greatest floats are NaN if
// there is a NaN. Floats are combined in a fixed order (cl/algo/reduce_by_key.cl): they have the same bits on
// every device; a result differs from the exact one by at most about 40 roundings for each factor of 2^11 in
// the run's length. Cost: reads the keys twice and the values once, writes both outputs once.
KN_API kn_status kn_reduce_by_key(kn_queue *queue, const kn_buffer *keys, kn_type key_type, size_t n,
                                  const kn_buffer *values, kn_type value_type, kn_reduce_op op,
                                  kn_buffer *unique_keys, kn_buffer *results, kn_buffer *counted,
                                  size_t *count, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
