// SPDX-License-Identifier: Apache-2.0
// Mean, standard deviation, coefficient of variation, median and MAD (median of the absolute deviations from
// the median) of columns: arrays of the host, buffers of a device, and columns that come in chunks and need
// not fit in memory. It is what `koine stats` computes.
//
// For one method, mean, std and CV have the same bits in every variant, on every device with double
// precision, and in every form of a column; median and MAD are exact in all. The sums are those of x - s and
// (x - s)^2, where s is a typical element, in double and in kn_reduce_sum's tree; KN_STATS_SELECT and
// KN_STATS_FUSED add the elements as they stand and have the same bits, KN_STATS_SORT as they are sorted.
#ifndef KOINE_STATS_H
#define KOINE_STATS_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_stats_method {
    KN_STATS_AUTO = 0, // fused; select on CPU devices, and where local memory is too small for fused, but for
                       // columns that are counted
    // A sort of the whole column, in whose last merge the sums are gathered; the MAD from the sorted column
    // (two runs of deviations, merged up to their middle). Host: merge sort, bottom up. Devices: bitonic sort
    // (Batcher 1968), padded to a power of two; a column that the device holds in parts is merged by the
    // host.
    KN_STATS_SORT = 1,
    // A read for the sums, selection of the median, selection of the MAD. Serial: quickselect. Others:
    // kn_host_select, or KN_ROBUST_SELECT.
    KN_STATS_SELECT = 2,
    // All in one read between two brackets (koine/robust.h). Columns of KN_I8 and KN_U8 are counted in 256
    // bins, as are arrays of KN_F64 that hold nothing but whole numbers of 8 bits.
    KN_STATS_FUSED = 3
} kn_stats_method;

// Where a column is computed, and how.
typedef enum kn_stats_variant {
    KN_STATS_BEST = 0,                // device if there is a queue; else parallel, vectorized if it can be
    KN_STATS_SERIAL = 1,              // one thread, no vectors
    KN_STATS_VECTORIZED = 2,          // one thread; AVX2, or AVX-512 where the processor has it
    KN_STATS_PARALLEL = 3,            // threads, no vectors
    KN_STATS_PARALLEL_VECTORIZED = 4, // both
    KN_STATS_DEVICE = 5               // kernels, on the queue's device
} kn_stats_variant;

// What the MAD is divided by.
typedef enum kn_stats_mad_scale {
    KN_STATS_MAD_RAW = 0,   // 1
    KN_STATS_MAD_NORMAL = 1 // 0.6744897501960817, so that it estimates the standard deviation of normally
                            // distributed data (scipy.stats.median_abs_deviation with scale="normal")
} kn_stats_mad_scale;

// Called between the steps of a computation: reads of a source (`pass` counts from 1; `done` of `total`
// elements of this pass, and total is 0 in the first, which counts them), prefixes that are computed one by
// one (pass 1; `done` of `total` prefixes). Returns false to stop.
typedef bool kn_stats_progress(void *data, unsigned pass, size_t done, size_t total);

typedef struct kn_stats_options {
    size_t struct_size; // KN_INIT sets it
    kn_stats_method method;
    kn_stats_variant variant;
    bool single; // elements of KN_F64 are rounded to float first, and take half the memory; sums stay double.
                 // Other types are computed as they are
    kn_stats_mad_scale mad_scale;
    kn_policy policy; // of the kernels. What promises bits or is exact is compiled strictly whatever it says:
                      // at present that is all of them
    unsigned threads; // of the parallel variants; 0: as many as OMP_NUM_THREADS says, else as processors
    kn_stats_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
} kn_stats_options;

// A column with a NaN, or without elements, has NaN in every double. -0 is returned as 0.
typedef struct kn_stats {
    size_t n;
    double mean;
    double std;    // divided by n, not n - 1; NaN if an element is infinite
    double cv;     // std / mean, with the mean's sign: infinite if only the mean is 0, NaN if both are
    double median; // of an even number of elements the mean of the two in the middle
    double mad;    // NaN if the median is infinite
} kn_stats;

// How a column is given.
typedef enum kn_stats_form {
    KN_STATS_ARRAY = 0,  // in the host's memory
    KN_STATS_BUFFER = 1, // in a device's
    KN_STATS_SOURCE = 2  // in chunks
} kn_stats_form;

// Bytes.
typedef struct kn_stats_memory {
    size_t host, device;
} kn_stats_memory;

// ---- plans ----

// How columns are computed, and the memory for it: made once, and used for many columns.
typedef struct kn_stats_plan kn_stats_plan;

// For columns of up to n elements of `type` (KN_F64, KN_F32, KN_I8, KN_U8); of a column that comes from a
// source, n elements are held at a time. `queue` is where the variant KN_STATS_DEVICE computes, in order with
// what else is in it, and must be NULL for the host's variants; it stays open as long as the plan computes.
// `options` may be NULL; the method and the variant that they name run or are refused, and no others take
// their place. Nothing of n elements is allocated before the first computation; what that allocates is kept
// for those that follow. A plan is to be used by one thread at a time. Errors: KN_ERROR_ARGUMENT;
// KN_ERROR_UNSUPPORTED for other types, for vectors that the processor does not have, for KN_F64 on a device
// without double precision (with `single` that device takes arrays and sources, and no buffers of KN_F64).
KN_API kn_status kn_stats_plan_create(kn_queue *queue, kn_type type, size_t n,
                                      const kn_stats_options *options, kn_stats_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_stats_plan_free(kn_stats_plan *plan);

// All of these answer for NULL with 0. The method that computes, never KN_STATS_AUTO (if that was asked for,
// KN_STATS_SELECT after a source that was too long to be held, and KN_STATS_FUSED after a column that was
// counted); and the variant, never KN_STATS_BEST.
KN_API kn_stats_method kn_stats_plan_get_method(const kn_stats_plan *plan);
KN_API kn_stats_variant kn_stats_plan_get_variant(const kn_stats_plan *plan);
// What the plan holds now, as kn_stats_estimate_memory counts it.
KN_API kn_stats_memory kn_stats_plan_get_memory(const kn_stats_plan *plan);
// How often the last kn_stats_compute_source read its source; 0 before.
KN_API unsigned kn_stats_plan_get_passes(const kn_stats_plan *plan);

// The most that a plan of these arguments will hold when it has computed columns of this form; nothing is
// taken. It holds more only where the device keeps a column in parts and KN_STATS_SORT needs the host's help.
// What selecting and sorting take besides during a computation, a few hundredths of the column as a rule and
// at most a copy of it, is not counted: the plan keeps it for the next one on the host, and the queue on a
// device. Errors: as kn_stats_plan_create.
KN_API kn_status kn_stats_estimate_memory(kn_queue *queue, kn_type type, size_t n, kn_stats_form form,
                                          kn_stats_memory *memory, const kn_stats_options *options,
                                          kn_error *err);

// ---- columns ----

// The n elements of an array of the plan's type, with every variant. `x` is not changed; it may be NULL if n
// is 0. On a device it is copied there first. Waits. Cost: conversion, if there is one, reads x once; then
// the method's. Errors: KN_ERROR_ARGUMENT (n beyond the plan's); on a device those of kn_robust_stats and
// kn_sort, KN_ERROR_LIMIT for 2^32 floats or more among them. `result` is written only on success.
KN_API kn_status kn_stats_compute(kn_stats_plan *plan, const void *x, size_t n, kn_stats *result,
                                  kn_error *err);

// The first n elements of a buffer of the plan's type, in the context of the plan's queue, with the variant
// KN_STATS_DEVICE. x is not changed and not copied to the host: 15 elements are read for s. Waits. Memory:
// none for KN_STATS_FUSED, and for KN_STATS_SELECT of floats but what koine/robust.h takes; a copy of x as
// floats where it must be converted (KN_F64 with `single`, 8 bits with KN_STATS_SORT or KN_STATS_SELECT);
// another for KN_STATS_SORT, which also reads x once to look for NaN. Errors: as kn_stats_compute;
// KN_ERROR_ARGUMENT for a plan of the host, a buffer of another context and one of fewer elements.
KN_API kn_status kn_stats_compute_buffer(kn_stats_plan *plan, const kn_buffer *x, size_t n, kn_stats *result,
                                         kn_error *err);

// `count` columns of n elements each, arrays of the plan's type, with every variant: results[i] is about
// columns[i], with the bits that kn_stats_compute gives it. A device that computes KN_STATS_FUSED has them in
// its memory together, as many as one allocation of the device has room for, and each launch serves all;
// others are computed one after the other. Waits. `progress` is called after those that were computed
// together. Memory: that of a column for each of those. Errors: as kn_stats_compute, also for a column that
// is NULL; KN_ERROR_INTERRUPTED. Results are written only on success.
KN_API kn_status kn_stats_compute_columns(kn_stats_plan *plan, const void *const *columns, size_t n,
                                          size_t count, kn_stats *results, kn_error *err);

// The same of `count` growing prefixes: results[i] is about the first ends[i] elements; ends ascend. Cost:
// one read for all where 8 bits are counted; else that of a column for each.
KN_API kn_status kn_stats_compute_prefixes(kn_stats_plan *plan, const void *x, const size_t *ends,
                                           size_t count, kn_stats *results, kn_error *err);
KN_API kn_status kn_stats_compute_buffer_prefixes(kn_stats_plan *plan, const kn_buffer *x, const size_t *ends,
                                                  size_t count, kn_stats *results, kn_error *err);

// A column that comes in chunks and can be read again from the beginning. A function that fails returns the
// status that kn_stats_compute_source is to return, and may fill `err`, which is not NULL.
typedef struct kn_stats_source {
    size_t struct_size; // KN_INIT sets it
    // The next chunk begins the column anew. Called before every pass, the first one too.
    kn_status (*rewind)(void *data, kn_error *err);
    // The next chunk: *count elements of the plan's type at *chunk, any number of them, which stay until the
    // next call. *count is 0 at the end.
    kn_status (*next)(void *data, const void **chunk, size_t *count, kn_error *err);
    void *data;   // what both are called with
    size_t count; // how many elements it has, where that is known, which saves a pass; 0: it is not
} kn_stats_source;

// A column of any length from a source, with every variant. Of up to the plan's n elements it is held, and
// computed as an array: one pass. A longer one is computed in chunks, in KN_STATS_SELECT's way and with its
// bits; KN_STATS_AUTO becomes that, and KN_STATS_SORT and KN_STATS_FUSED are refused. Method: the first pass
// counts the elements, finds the least and the greatest, and takes a sample, which tells a bracket around the
// median and one around the MAD (koine/robust.h); the second keeps what may lie in them, and counts the rest.
// Where n elements are too few for what is kept, or the sample was wrong, an answer is found by radix
// selection: the interval of keys (a double's bits, in the order of the values) in which it lies is cut into
// 1,024, a pass counts what lies in each, and where that is not more than n elements a pass gathers it. The
// passes take s and then the sums along. The variant's own code sums and selects; the host counts and gathers
// by brackets. Cost: 2 passes as a rule with source->count, and 3 without; 5 and more where n is below some 4
// hundredths of the column or many elements are nearly equal, never more than 16. Memory: 8 n bytes, and 6
// MB; a device holds 2 MB. Errors: KN_ERROR_ARGUMENT (also a source that does not give the same elements in
// every pass, as far as it shows, or not `count` of them), KN_ERROR_UNSUPPORTED (SORT or FUSED of a longer
// column), KN_ERROR_INTERRUPTED (by options' `progress`), and what the source returns.
KN_API kn_status kn_stats_compute_source(kn_stats_plan *plan, const kn_stats_source *source, kn_stats *result,
                                         kn_error *err);

// ---- columns made of others ----

// The lengths of n vectors, r = sqrt(x^2 + y^2 + z^2), and what activity is measured by, ENMO (Euclidean norm
// minus one; van Hees et al. 2013, PLoS ONE 8(4):e61691): r - g where that is above 0, else 0; `g` is one g
// in the unit of the axes, and the result has that unit too. `axes` are x, y and z, arrays of `type`, KN_F64
// or KN_F32, in which it is computed, and `out` has room for n; it may be one of the axes. NaN stays.
// Rounding: (x^2 + y^2) + z^2, without fma. Cost: three reads and a write, on all threads. Errors:
// KN_ERROR_ARGUMENT (also for g below 0 or not finite), KN_ERROR_UNSUPPORTED for other types.
KN_API kn_status kn_stats_magnitude(const void *const axes[3], kn_type type, size_t n, void *out,
                                    kn_error *err);
KN_API kn_status kn_stats_enmo(const void *const axes[3], kn_type type, size_t n, double g, void *out,
                               kn_error *err);

// The same of buffers in the queue's context, with the same bits in double; in float with those of the
// device's square root (OpenCL allows it 3 ulp). Enqueued, not waited for. Errors: also KN_ERROR_UNSUPPORTED
// for KN_F64 on a device without double precision, and a device's.
KN_API kn_status kn_stats_magnitude_buffer(kn_queue *queue, const kn_buffer *const axes[3], kn_type type,
                                           size_t n, kn_buffer *out, kn_error *err);
KN_API kn_status kn_stats_enmo_buffer(kn_queue *queue, const kn_buffer *const axes[3], kn_type type, size_t n,
                                      double g, kn_buffer *out, kn_error *err);

// ---- intervals between heart beats ----

// Of n intervals I and the m pairs of them that follow one another, d their differences (Task Force of the
// ESC and NASPE 1996, Circulation 93:1043). NaN where there are too few.
typedef struct kn_stats_intervals {
    size_t n, pairs;
    double mean;  // seconds
    double sdnn;  // seconds: sqrt(sum (I - mean)^2 / (n - 1))
    double rmssd; // seconds: sqrt(sum d^2 / m)
    double pnn50; // per cent: 100 times the share of pairs with |d| > 0.05 s
} kn_stats_intervals;

// `intervals` are seconds from a beat to the one before it, in order. `times`, seconds at which the intervals
// end, may be NULL: then all neighbours are pairs; else those are whose times are no more than the later
// interval and 0.1 s apart, so that no difference is taken across beats that were not found. Cost: two reads
// on one thread. Errors: KN_ERROR_ARGUMENT (an interval that is not above 0 and finite; a time that is not
// behind the one before it).
KN_API kn_status kn_stats_compute_intervals(const double *intervals, const double *times, size_t n,
                                            kn_stats_intervals *result, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
