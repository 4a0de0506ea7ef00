// SPDX-License-Identifier: Apache-2.0
// Order statistics on the device without sorting: the elements of given ranks, quantiles, the median, the
// first k.
#ifndef KOINE_SELECT_H
#define KOINE_SELECT_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_select_method {
    KN_SELECT_AUTO = 0,
    KN_SELECT_DIGITS = 1,  // radix select: a read a digit (11 bits; 8 for types of 8 and 16 bits)
    KN_SELECT_BRACKETS = 2 // a sample, one read that gathers what lies near the ranks, and digits among that
} kn_select_method;

typedef struct kn_select_options {
    size_t struct_size; // KN_INIT sets it
    kn_select_method method;
    const struct kn_select_tuning *tuning; // koine/experimental.h; NULL: the device's default
} kn_select_options;

// The elements that stand at ranks[0..count) (from 0) once the first n elements of `x` are sorted in numpy's
// order: NaN last; where -0 and +0 meet, -0 first. values[i], of `type`, is the element of rank ranks[i] with
// its own bits. x is not changed. `options` may be NULL. Waits. Method: brackets from a random sample as in
// Floyd and Rivest (1975), gathered in one pass; if the sample misleads (once in 10^8 columns), or for few
// elements, radix select. The answer is exact either way. Cost: one read of x for up to 8 ranks; with
// KN_SELECT_DIGITS one a digit. Memory: about a twentieth of x. Errors: KN_ERROR_ARGUMENT (a rank of n or
// more), KN_ERROR_UNSUPPORTED (KN_F64 without double precision), KN_ERROR_LIMIT.
KN_API kn_status kn_select(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const size_t *ranks,
                           size_t count, void *values, const kn_select_options *options, kn_error *err);

// numpy's quantiles with linear interpolation, in double: the value at position q (n - 1) of the sorted
// column, 0 <= q <=
// 1. NaN if there is a NaN in the column; n = 0 is an error. Otherwise as kn_select.
KN_API kn_status kn_quantiles(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *q,
                              size_t count, double *values, const kn_select_options *options, kn_error *err);

// The median, in double: of an even number of elements the mean of the two in the middle. NaN as in
// kn_quantiles.
KN_API kn_status kn_median(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *median,
                           const kn_select_options *options, kn_error *err);

// The k largest (KN_DESCENDING) or smallest of the first n elements of `x`, sorted in that order: `values`
// receives the elements, with their own bits, `indices` their numbers from 0, KN_U32 (n up to 2^32)
// or KN_U64. Either may be NULL; their old contents are lost. The result is what a stable sort begins with:
// of equal elements those with the lowest numbers win and stand in that order, -0 equals +0, and NaN come
// last in both orders. x is not changed. Waits for the threshold, not for the result. Method: the k-th
// element by kn_select, then one read, and another of blocks that hold something; a radix sort of k. Errors:
// KN_ERROR_ARGUMENT (also k > n), KN_ERROR_UNSUPPORTED, KN_ERROR_LIMIT (values or indices held in parts).
KN_API kn_status kn_top_k(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t k,
                          kn_order order, kn_buffer *values, kn_buffer *indices, kn_type index_type,
                          kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
