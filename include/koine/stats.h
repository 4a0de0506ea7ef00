// SPDX-License-Identifier: Apache-2.0
// Mean, standard deviation, coefficient of variation, median and MAD (median of the absolute deviations from
// the median) of columns: arrays in host memory, buffers of a device, and columns that come in chunks and
// need not fit in memory. `koine stats` computes these.
//
// With one method, mean, std and CV are bitwise identical in every variant, on every device with double
// precision, and for every form of a column; median and MAD are always exact. The sums are those of x - s and
// (x - s)^2, where s is a typical element, in double and in kn_reduce_sum's tree; KN_STATS_SELECT and
// KN_STATS_FUSED add the elements in their order and are bitwise identical, KN_STATS_SORT adds them in sorted
// order.
#ifndef KOINE_STATS_H
#define KOINE_STATS_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_stats_method {
    KN_STATS_AUTO = 0, // fused; select on CPU devices, and if local memory is too small for fused, except for
                       // columns that are counted
    // Sorts the whole column, and gathers the sums in the last merge; the MAD comes from the sorted column
    // (two runs of deviations, merged up to their middle). Host: bottom-up merge sort. Devices: bitonic sort
    // (Batcher 1968), padded to a power of two; a column that the device holds in parts is merged by the
    // host.
    KN_STATS_SORT = 1,
    // One read for the sums, then selection of the median and of the MAD. Serial: quickselect. Others:
    // kn_host_select, or KN_ROBUST_SELECT.
    KN_STATS_SELECT = 2,
    // All in one read, with two brackets (koine/robust.h). Columns of KN_I8 and KN_U8 are counted in 256
    // bins, as are arrays of KN_F64 that hold only 8-bit integers.
    KN_STATS_FUSED = 3
} kn_stats_method;

// Where and how a column is computed.
typedef enum kn_stats_variant {
    KN_STATS_BEST = 0,       // device if there is a queue; otherwise parallel, and vectorized if possible
    KN_STATS_SERIAL = 1,     // one thread, no vectors
    KN_STATS_VECTORIZED = 2, // one thread; AVX2, or AVX-512 where the processor has it
    KN_STATS_PARALLEL = 3,   // threads, no vectors
    KN_STATS_PARALLEL_VECTORIZED = 4, // both
    KN_STATS_DEVICE = 5               // kernels on the queue's device
} kn_stats_variant;

// What the MAD is divided by.
typedef enum kn_stats_mad_scale {
    KN_STATS_MAD_RAW = 0,   // 1
    KN_STATS_MAD_NORMAL = 1 // 0.6744897501960817, so that it estimates the standard deviation of normally
                            // distributed data (scipy.stats.median_abs_deviation with scale="normal")
} kn_stats_mad_scale;

// Called between the steps of a computation: while a source is read (`pass` counts from 1; `done` of `total`
// elements of this pass, where total is 0 in the first pass, which counts them), or between prefixes that are
// computed one by one (pass 1; `done` of `total` prefixes). Returns false to stop.
typedef bool kn_stats_progress(void *data, unsigned pass, size_t done, size_t total);

typedef struct kn_stats_options {
    size_t struct_size; // set by KN_INIT
    kn_stats_method method;
    kn_stats_variant variant;
    bool single; // elements of KN_F64 are rounded to float first, and take half the memory; sums stay double.
                 // Other types are not changed
    kn_stats_mad_scale mad_scale;
    kn_policy policy; // of the kernels. Kernels with reproducible or exact results, at present all of them,
                      // are compiled strictly whatever it says
    // of the parallel variants; 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    unsigned threads;
    kn_stats_progress *progress; // NULL: none
    void *progress_data;         // what it is called with
} kn_stats_options;

// For a column with a NaN, or without elements, every double is NaN. -0 is returned as 0.
typedef struct kn_stats {
    size_t n;
    double mean;
    double std;    // divided by n, not n - 1; NaN if an element is infinite
    double cv;     // std / mean, with the sign of the mean: infinite if only the mean is 0, NaN if both are
    double median; // for an even number of elements, the mean of the two in the middle
    double mad;    // NaN if the median is infinite
} kn_stats;

// Where a column is.
typedef enum kn_stats_form {
    KN_STATS_ARRAY = 0,  // in host memory
    KN_STATS_BUFFER = 1, // in device memory
    KN_STATS_SOURCE = 2  // in chunks
} kn_stats_form;

// Bytes.
typedef struct kn_stats_memory {
    size_t host, device;
} kn_stats_memory;

// ---- plans ----

// How columns are computed, and the memory for it: made once and used for many columns.
typedef struct kn_stats_plan kn_stats_plan;

// Makes a plan for columns of up to n elements of `type` (KN_F64, KN_F32, KN_I8, KN_U8); of a column from a
// source, n elements are held at a time. `queue` is where the variant KN_STATS_DEVICE computes, in order with
// the other work in it, and must be NULL for the host's variants; it must stay open as long as the plan
// computes. `options` may be NULL; a method or a variant that they name either runs or is refused, and no
// other is substituted for it. Memory for n elements is not allocated before the first computation, and is
// then kept for later ones. A plan may be used by one thread at a time. Errors: KN_ERROR_ARGUMENT;
// KN_ERROR_UNSUPPORTED for other types, for vectors that the processor does not have, for KN_F64 on a device
// without double precision (with `single` that device takes arrays and sources, and no buffers of KN_F64).
KN_API kn_status kn_stats_plan_create(kn_queue *queue, kn_type type, size_t n,
                                      const kn_stats_options *options, kn_stats_plan **plan, kn_error *err);
// NULL is fine.
KN_API void kn_stats_plan_free(kn_stats_plan *plan);

// For NULL all of these return 0. The method in use, never KN_STATS_AUTO (if that was asked for,
// KN_STATS_SELECT after a source that was too long to be held, and KN_STATS_FUSED after a column that was
// counted); and the variant, never KN_STATS_BEST.
KN_API kn_stats_method kn_stats_plan_get_method(const kn_stats_plan *plan);
KN_API kn_stats_variant kn_stats_plan_get_variant(const kn_stats_plan *plan);
// The memory that the plan holds now, counted as in kn_stats_estimate_memory.
KN_API kn_stats_memory kn_stats_plan_get_memory(const kn_stats_plan *plan);
// How many times the last kn_stats_compute_source read its source; 0 before the first call.
KN_API unsigned kn_stats_plan_get_passes(const kn_stats_plan *plan);

// The most memory that a plan with these arguments will hold once it has computed columns of this form;
// nothing is allocated. It holds more only if the device keeps a column in parts and KN_STATS_SORT needs the
// host's help. The scratch memory of selecting and sorting, usually a few hundredths of the column and at
// most a copy of it, is not counted: on the host the plan keeps it for the next computation, on a device the
// queue does. Errors: as kn_stats_plan_create.
KN_API kn_status kn_stats_estimate_memory(kn_queue *queue, kn_type type, size_t n, kn_stats_form form,
                                          kn_stats_memory *memory, const kn_stats_options *options,
                                          kn_error *err);

// ---- columns ----

// Computes the n elements of an array of the plan's type, with any variant. `x` is not changed; it may be
// NULL if n is 0. With KN_STATS_DEVICE it is copied to the device first. Waits. Cost: a conversion, if there
// is one, reads x once; then that of the method. Errors: KN_ERROR_ARGUMENT (n beyond the plan's); on a device
// those of kn_robust_stats and kn_sort, including KN_ERROR_LIMIT for 2^32 floats or more. `result` is written
// only on success.
KN_API kn_status kn_stats_compute(kn_stats_plan *plan, const void *x, size_t n, kn_stats *result,
                                  kn_error *err);

// Computes the first n elements of a buffer of the plan's type, in the context of the plan's queue, with the
// variant KN_STATS_DEVICE. x is not changed, and not copied to the host except for 15 elements that are read
// for s. Waits. Memory: for KN_STATS_FUSED, and for KN_STATS_SELECT of floats, only what koine/robust.h
// takes; a copy of x as floats if it must be converted (KN_F64 with `single`, 8 bits with KN_STATS_SORT or
// KN_STATS_SELECT); another for KN_STATS_SORT, which also reads x once to look for NaN. Errors: as
// kn_stats_compute; KN_ERROR_ARGUMENT for a plan of the host, a buffer of another context and one of fewer
// elements.
KN_API kn_status kn_stats_compute_buffer(kn_stats_plan *plan, const kn_buffer *x, size_t n, kn_stats *result,
                                         kn_error *err);

// Computes `count` columns of n elements each, arrays of the plan's type, with any variant: results[i] is
// that of columns[i], bitwise identical to kn_stats_compute. With KN_STATS_FUSED, a device holds as many
// columns together as fit in one allocation, and each launch serves all of them; otherwise columns are
// computed one after another. Waits. `progress` is called after each group of columns that were computed
// together. Memory: that of a column, for each column of a group. Errors: as kn_stats_compute, also for a
// column that is NULL; KN_ERROR_INTERRUPTED. Results are written only on success.
KN_API kn_status kn_stats_compute_columns(kn_stats_plan *plan, const void *const *columns, size_t n,
                                          size_t count, kn_stats *results, kn_error *err);

// The same for `count` growing prefixes: results[i] is that of the first ends[i] elements; ends ascend. Cost:
// one read for all if 8-bit columns are counted; otherwise that of a column for each.
KN_API kn_status kn_stats_compute_prefixes(kn_stats_plan *plan, const void *x, const size_t *ends,
                                           size_t count, kn_stats *results, kn_error *err);
KN_API kn_status kn_stats_compute_buffer_prefixes(kn_stats_plan *plan, const kn_buffer *x, const size_t *ends,
                                                  size_t count, kn_stats *results, kn_error *err);

// A column that comes in chunks and can be read again from the beginning. A function that fails returns the
// status that kn_stats_compute_source will return, and may fill in `err`, which is not NULL.
typedef struct kn_stats_source {
    size_t struct_size; // set by KN_INIT
    // Goes back to the beginning of the column. Called before every pass, including the first.
    kn_status (*rewind)(void *data, kn_error *err);
    // Gives the next chunk: *count elements of the plan's type at *chunk, any number of them, which stay
    // valid until the next call. *count is 0 at the end.
    kn_status (*next)(void *data, const void **chunk, size_t *count, kn_error *err);
    void *data;   // what both are called with
    size_t count; // the number of elements, if it is known, which saves a pass; 0: unknown
} kn_stats_source;

// Computes a column of any length from a source, with any variant. A column of up to the plan's n elements is
// held in memory and computed as an array, in one pass. A longer one is computed in chunks (out of core),
// with results bitwise identical to KN_STATS_SELECT; KN_STATS_AUTO becomes that, and KN_STATS_SORT and
// KN_STATS_FUSED are refused. Method: the first pass counts the elements, finds the minimum and the maximum,
// and takes a sample, which gives a bracket around the median and one around the MAD (koine/robust.h); the
// second keeps the elements that may lie in them, and counts the rest. If there are more of these than n, or
// the sample was wrong, the answer is found by radix selection: the interval of keys (the bits of a double,
// in the order of the values) in which it lies is divided into 1,024, a pass counts the elements in each, and
// once an interval has no more than n elements a pass gathers them. The same passes find s and then the sums.
// The variant's own code sums and selects; the host counts and gathers by brackets. Cost: usually 2 passes
// with source->count, and 3 without; 5 and more if n is below some 4 hundredths of the column or many
// elements are nearly equal, never more than 16. Memory: 8 n bytes, and 6 MB; a device holds 2 MB. Errors:
// KN_ERROR_ARGUMENT (also for a source that is found not to give the same elements in every pass, or not
// `count` of them), KN_ERROR_UNSUPPORTED (SORT or FUSED for a longer column), KN_ERROR_INTERRUPTED (by
// options' `progress`), and what the source returns.
KN_API kn_status kn_stats_compute_source(kn_stats_plan *plan, const kn_stats_source *source, kn_stats *result,
                                         kn_error *err);

// ---- columns derived from others ----

// The magnitudes of n vectors, r = sqrt(x^2 + y^2 + z^2), and ENMO, a measure of activity from accelerometers
// (Euclidean norm minus one; van Hees et al. 2013, PLoS ONE 8(4):e61691): r - g if that is above 0, otherwise
// 0; `g` is one g in the unit of the axes, and the result has that unit too. `axes` are x, y and z, arrays of
// `type`, KN_F64 or KN_F32, which is also the type of the computation; `out` has room for n, and may be one
// of the axes. NaN are kept. Rounding: (x^2 + y^2) + z^2, without fma. Cost: three reads and a write, on all
// threads. Errors: KN_ERROR_ARGUMENT (also for g below 0 or not finite), KN_ERROR_UNSUPPORTED for other
// types.
KN_API kn_status kn_stats_magnitude(const void *const axes[3], kn_type type, size_t n, void *out,
                                    kn_error *err);
KN_API kn_status kn_stats_enmo(const void *const axes[3], kn_type type, size_t n, double g, void *out,
                               kn_error *err);

// The same for buffers in the queue's context, bitwise identical in double; in float it depends on the
// device's square root (OpenCL allows an error of 3 ulp). Asynchronous. Errors: also KN_ERROR_UNSUPPORTED for
// KN_F64 on a device without double precision, and those of the device.
KN_API kn_status kn_stats_magnitude_buffer(kn_queue *queue, const kn_buffer *const axes[3], kn_type type,
                                           size_t n, kn_buffer *out, kn_error *err);
KN_API kn_status kn_stats_enmo_buffer(kn_queue *queue, const kn_buffer *const axes[3], kn_type type, size_t n,
                                      double g, kn_buffer *out, kn_error *err);

// ---- heart rate variability: intervals between heart beats ----

// Heart rate variability in the time domain (Task Force of the ESC and NASPE 1996, Circulation 93:1043), of n
// intervals I and the m pairs of successive intervals, with differences d. NaN if there are too few.
typedef struct kn_stats_intervals {
    size_t n, pairs;
    double mean;  // seconds
    double sdnn;  // seconds: sqrt(sum (I - mean)^2 / (n - 1))
    double rmssd; // seconds: sqrt(sum d^2 / m)
    double pnn50; // per cent of the pairs with |d| > 0.05 s
} kn_stats_intervals;

// `intervals` are the seconds between each beat and the one before it, in order. `times`, the seconds at
// which the intervals end, may be NULL: then all neighbours are pairs; otherwise those are whose times are
// apart by no more than the later interval and 0.1 s, so that no difference is taken across missed beats.
// Cost: two reads on one thread. Errors: KN_ERROR_ARGUMENT (an interval that is not above 0 and finite; a
// time that is not later than the one before it).
KN_API kn_status kn_stats_compute_intervals(const double *intervals, const double *times, size_t n,
                                            kn_stats_intervals *result, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
