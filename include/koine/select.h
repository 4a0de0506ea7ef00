// SPDX-License-Identifier: Apache-2.0
// Selection on the device: order statistics, quantiles, the median and the top k without sorting; the
// elements that meet a condition (stream compaction, partition); the first of each run of equal neighbours.
#ifndef KOINE_SELECT_H
#define KOINE_SELECT_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_select_method {
    KN_SELECT_AUTO = 0,
    KN_SELECT_DIGITS = 1, // radix select: one read per digit (11 bits; 8 for types of 8 and 16 bits)
    // a sample, one read that gathers the elements near the ranks, and radix select among these
    KN_SELECT_BRACKETS = 2
} kn_select_method;

typedef struct kn_select_options {
    size_t struct_size; // set by KN_INIT
    kn_select_method method;
    const struct kn_select_tuning *tuning; // koine/experimental.h; NULL: the device's default
} kn_select_options;

// Order statistics: the elements that would stand at ranks[0..count) (from 0) if the first n elements of `x`
// were sorted in numpy's order: NaN last, and -0 before +0. values[i], of `type`, is the element of rank
// ranks[i] with its own bits. x is not changed. `options` may be NULL. Waits. Method: brackets from a random
// sample as in Floyd and Rivest (1975), gathered in one pass; radix select for few elements, or if the sample
// misleads (once in 10^8 columns). The answer is exact either way. Cost: one read of x for up to 8 ranks;
// with KN_SELECT_DIGITS one per digit. Memory: about a twentieth of x. Errors: KN_ERROR_ARGUMENT (a rank of n
// or more), KN_ERROR_UNSUPPORTED (KN_F64 without double precision), KN_ERROR_LIMIT.
KN_API kn_status kn_select(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const size_t *ranks,
                           size_t count, void *values, const kn_select_options *options, kn_error *err);

// Quantiles with linear interpolation, as numpy's, in double: the value at position q (n - 1) of the sorted
// column, for 0 <= q <= 1. NaN if the column has a NaN; n = 0 is an error. Otherwise as kn_select.
KN_API kn_status kn_quantiles(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *q,
                              size_t count, double *values, const kn_select_options *options, kn_error *err);

// The median, in double; for an even number of elements, the mean of the two in the middle. NaN as in
// kn_quantiles.
KN_API kn_status kn_median(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *median,
                           const kn_select_options *options, kn_error *err);

// As kn_select and kn_quantiles, but the values stay on the device, at the start of `values`, which must not
// be x: `count` elements of `type`, or `count` doubles, bitwise identical. Asynchronous. Cost: as above,
// without the wait; with brackets some more launches, which repeat by digits what the sample missed. Errors:
// as above; KN_ERROR_ARGUMENT for a buffer that is too small or of another context; KN_ERROR_LIMIT for values
// held in parts; quantiles are KN_ERROR_UNSUPPORTED without double precision.
KN_API kn_status kn_select_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                     const size_t *ranks, size_t count, kn_buffer *values,
                                     const kn_select_options *options, kn_error *err);
KN_API kn_status kn_quantiles_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                        const double *q, size_t count, kn_buffer *values,
                                        const kn_select_options *options, kn_error *err);

// The k largest (KN_DESCENDING) or smallest of the first n elements of `x`, sorted in that order: `values`
// receives the elements, with their own bits, `indices` their indices from 0, as KN_U32 (n up to 2^32) or
// KN_U64. Either may be NULL; their old contents are lost. The result is the beginning of a stable sort: of
// equal elements those with the lowest indices win and stand in that order, -0 equals +0, and NaN come last
// in both orders. x is not changed. Waits for the threshold, not for the result. Method: the k-th element by
// kn_select, then one read, and another of the blocks that have selected elements; a radix sort of k
// elements. Errors: KN_ERROR_ARGUMENT (also k > n), KN_ERROR_UNSUPPORTED, KN_ERROR_LIMIT (values or indices
// held in parts).
KN_API kn_status kn_top_k(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t k,
                          kn_order order, kn_buffer *values, kn_buffer *indices, kn_type index_type,
                          kn_error *err);

// ---- by a condition ----

// Which elements are selected: snippets of OpenCL C.
typedef struct kn_condition {
    size_t struct_size;      // set by KN_INIT
    const char *type;        // the elements' type: "float", "uchar4", "struct particle"; see kn_type_name
    size_t size;             // bytes of an element in OpenCL C (a float3 has 16); at most 1,024
    const char *holds;       // an expression in `x`, an element: whether it is selected. "x > 0"
    const char *definitions; // what both need: structs, typedefs, functions, on one line or several; or NULL
} kn_condition;

// Stream compaction: writes the elements among the first n of `x` for which the condition holds to `out`, in
// their order (stable). Their number is written to the start of the buffer `counted` as one uint64_t, and to
// *count; either may be NULL. With `count` the call waits for it, otherwise it is asynchronous. The condition
// must always give the same answer for equal elements, since it is evaluated twice. `out` must not be x, and
// has room for n elements; what lies behind the selected ones is left unchanged. Method: the selected
// elements of each of some thousand stretches are counted, then moved; no work-group waits for another. Cost:
// reads x twice, writes once; a compiler run for every new condition. Errors: KN_ERROR_ARGUMENT;
// KN_ERROR_BUILD, with the compiler's messages, for a type, definition or condition that does not compile,
// and for a size that is not the type's; KN_ERROR_LIMIT for a buffer held in parts; KN_ERROR_UNSUPPORTED for
// double on a device without it.
KN_API kn_status kn_select_if(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                              kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err);

// The same, and the other elements follow behind them, also in their order.
KN_API kn_status kn_partition(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                              kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err);

// ---- one of each run of equal neighbours ----

// A run is a sequence of neighbours each of which equals the one before it. Equality is that of ==: -0 equals
// +0, and a NaN equals nothing, so that each NaN is a run of its own (numpy.unique, which sorts, merges all
// NaN into one). The element that is kept of a run is its first, with its own bits. The runs of a sorted
// column are its distinct values.
//
// The number of runs is written to the start of the buffer `counted` as one uint64_t, and to *count; either
// may be NULL. With `count` the call waits for it, otherwise it is asynchronous. Outputs must not be inputs,
// and have room for n elements each; what lies behind the runs is left unchanged. Method: the runs of each of
// some thousand stretches are counted, then written; no work-group waits for another. Errors, here and below:
// KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED (KN_F64 without double precision); KN_ERROR_LIMIT (a buffer held in
// parts).

// Writes the first element of each run of the first n elements of `x`, of any type, to `out`. Cost: reads x
// twice, writes out once.
KN_API kn_status kn_unique(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_buffer *out,
                           kn_buffer *counted, size_t *count, kn_error *err);

// Run-length encoding: writes the first element of each run to `values` (NULL: not wanted), and its number of
// elements to `lengths`, of KN_U32 (n below 2^32) or KN_U64. Cost: reads x twice, writes both once.
KN_API kn_status kn_run_lengths(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                kn_buffer *values, kn_buffer *lengths, kn_type length_type,
                                kn_buffer *counted, size_t *count, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
