// SPDX-License-Identifier: Apache-2.0
// Which elements of a column, on the device: those of given ranks, quantiles, the median and the first k,
// without sorting; those that meet a condition; the first of each run of equal neighbours.
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

// kn_select and kn_quantiles whose values stay on the device, at the start of `values`, which is another
// buffer than x: `count` elements of `type`, or `count` doubles, the same bits. Asynchronous. Cost: as above,
// without the wait; where brackets are taken some launches more, which repeat by digits what the sample
// misled. Errors: as above; KN_ERROR_ARGUMENT for fewer bytes or another context; KN_ERROR_LIMIT for values
// held in parts; quantiles are KN_ERROR_UNSUPPORTED without double precision.
KN_API kn_status kn_select_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                     const size_t *ranks, size_t count, kn_buffer *values,
                                     const kn_select_options *options, kn_error *err);
KN_API kn_status kn_quantiles_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                        const double *q, size_t count, kn_buffer *values,
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

// ---- by a condition ----

// Which elements are meant: snippets of OpenCL C.
typedef struct kn_condition {
    size_t struct_size;      // KN_INIT sets it
    const char *type;        // the elements' type: "float", "uchar4", "struct particle"; see kn_type_name
    size_t size;             // bytes of one, as OpenCL C has it (a float3 has 16); at most 1,024
    const char *holds;       // an expression over `x`, an element: whether it is meant. "x > 0"
    const char *definitions; // what both need: structs, typedefs, functions, on one line or several; or NULL
} kn_condition;

// The elements among the first n of `x` for which the condition holds, to `out` in their order (stable). How
// many these are goes to the start of the buffer `counted` as one uint64_t, and to *count; either may be
// NULL. With `count` the call waits for it, else it is asynchronous. The condition says the same of equal
// elements at any time: it is asked twice. `out` is another buffer than x, and holds n elements; what lies
// behind those that are meant is left as it was. Method: those of each of some thousand stretches are
// counted, then moved; no work-group waits for another. Cost: reads x twice, writes once; a compiler run for
// every new condition. Errors: KN_ERROR_ARGUMENT; KN_ERROR_BUILD, with the compiler's words, for a type,
// definition or condition that does not compile, and for a size that is not the type's; KN_ERROR_LIMIT for a
// buffer held in parts; KN_ERROR_UNSUPPORTED for double where there is none.
KN_API kn_status kn_select_if(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                              kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err);

// The same, and behind them all others, in their order, too.
KN_API kn_status kn_partition(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                              kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err);

// ---- one of each run of equal neighbours ----

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

#ifdef __cplusplus
}
#endif
#endif
