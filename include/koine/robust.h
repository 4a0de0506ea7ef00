// SPDX-License-Identifier: Apache-2.0
// Mean, variance, median and MAD (median of the absolute deviations from the median) of a column, all exact,
// in one read.
//
// Method: a sample tells two brackets, one around the median and one around the MAD. One read of the column
// then sums it in kn_reduce_sum's tree, counts what lies below the brackets and keeps what lies in them; both
// medians are selected among that (Floyd and Rivest 1975, for both medians at once). What equals a bracket's
// end is counted and not kept, so that ties do no harm. If a rank turns out to lie outside its bracket, or
// more lies inside than was planned for, the answer comes from the radix select (two more reads and then
// some): it is exact either way, and `missed` tells. Columns of KN_I8 and KN_U8 are counted in 256 bins.
#ifndef KOINE_ROBUST_H
#define KOINE_ROBUST_H

#include <koine/host.h>
#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_robust_method {
    KN_ROBUST_AUTO = 0,   // fused; select where local memory is too small for a sample, and of one column on
                          // CPUs; counted where the type has 8 bits
    KN_ROBUST_FUSED = 1,  // one read between two brackets; KN_F32, KN_F64
    KN_ROBUST_SELECT = 2, // sums, radix select of the median, radix select of the deviations, which CPUs
                          // write first; KN_F32, KN_F64
    KN_ROBUST_COUNTED = 3 // 256 bins; KN_I8, KN_U8
} kn_robust_method;

typedef struct kn_robust_options {
    size_t struct_size; // KN_INIT sets it
    kn_robust_method method;
    // What the sums are relative to; rounded to the type, and finite then. NULL: kn_reduce_moments' choice (8
    // bits: 0).
    const double *shift;
    const struct kn_robust_tuning *tuning; // koine/experimental.h; NULL: the default
} kn_robust_options;

// Of a column that holds a NaN, or nothing, every double is NaN. -0 is returned as 0.
typedef struct kn_robust {
    size_t n, nan_count;   // all elements, and those of them that are not numbers
    double mean, variance; // the population's: divided by n. As kn_reduce_moments computes them from the sums
    double shift, sum, squares; // the shift as rounded; sums of x - shift and of its square
    double median;              // of an even number of elements the mean of the two in the middle
    // The median of |x - median|, each computed in double, also on a device without double precision; NaN if
    // the median is infinite.
    double mad;
    kn_robust_method method; // the one that answered: never KN_ROBUST_AUTO
    bool missed;             // 1: asked for KN_ROBUST_FUSED or AUTO, answered by KN_ROBUST_SELECT
} kn_robust;

// The first n elements of `x` (KN_F32, KN_F64, KN_I8, KN_U8). `options` may be NULL. x is not changed. Waits.
// The sums have the same bits on every device, with double precision or without, and on the host. Cost: one
// read of x, and few launches that hardly depend on n. Memory: an eighth of x; up to as much as x below some
// 2^20 elements; on CPUs 8 bytes an element. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (other types;
// KN_F64 without double precision; a method that the type does not have), KN_ERROR_LIMIT (2^32 floats or
// more).
KN_API kn_status kn_robust_stats(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                 kn_robust *result, const kn_robust_options *options, kn_error *err);

// kn_robust_stats of floats whose result, a kn_robust, stays on the device, at the start of `result`, another
// buffer than x. Asynchronous. Its numbers are those of the call that waits; by KN_ROBUST_FUSED, also on
// CPUs. Cost: as above, without the wait; where the sample misled one work-group selects (`missed`,
// KN_ROBUST_SELECT), which takes some tenths of a second for 2^28 elements. Errors: as above;
// KN_ERROR_ARGUMENT for a result of fewer bytes or another context; KN_ERROR_LIMIT for x in parts, between
// which that work-group cannot select. KN_ERROR_UNSUPPORTED for what kn_robust_stats has and this has not, as
// the host takes part in it: KN_I8 and KN_U8, of whose 256 counts the host makes the statistics; the method
// KN_ROBUST_SELECT, which asks it between its steps; a device without double precision, whose mean and
// variance, a division and an fma of doubles, are the host's; and one with less than 28 KB of local memory,
// for which KN_ROBUST_AUTO there takes KN_ROBUST_SELECT.
KN_API kn_status kn_robust_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                     kn_buffer *result, const kn_robust_options *options, kn_error *err);

// kn_robust_stats of `count` columns of n elements each, column c beginning at element c * stride of `x`
// (stride >= n): every launch serves all of them. KN_ERROR_LIMIT: floats in a buffer that is held in parts.
KN_API kn_status kn_robust_columns(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t stride,
                                   size_t count, kn_robust *results, const kn_robust_options *options,
                                   kn_error *err);

// The same of `count` growing prefixes of one column: results[i] is about the first ends[i] elements; ends
// ascend. All have one shift, by itself that of the longest. Cost: KN_I8 and KN_U8 one read for all prefixes;
// floats one read of each prefix.
KN_API kn_status kn_robust_prefixes(kn_queue *queue, const kn_buffer *x, kn_type type, const size_t *ends,
                                    size_t count, kn_robust *results, const kn_robust_options *options,
                                    kn_error *err);

// The same in ordinary memory, by the host: the device's answers, to the bit, at every level and with any
// number of threads. KN_ROBUST_SELECT takes memory for a copy in double.
KN_API kn_status kn_host_robust(const void *x, kn_type type, size_t n, kn_robust *result,
                                const kn_robust_options *options, const kn_host_options *host, kn_error *err);
KN_API kn_status kn_host_robust_prefixes(const void *x, kn_type type, const size_t *ends, size_t count,
                                         kn_robust *results, const kn_robust_options *options,
                                         const kn_host_options *host, kn_error *err);

// ---- absolute deviations ----

// out[i] = |x[i] - centre| for the first n elements (KN_F32 or KN_F64), computed in double (without
// double precision in integers) and rounded to the type. `out` may be `x`. Asynchronous. Cost: one read and
// one write of n elements.
KN_API kn_status kn_abs_diff(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double centre,
                             kn_buffer *out, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
