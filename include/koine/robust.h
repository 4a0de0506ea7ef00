// SPDX-License-Identifier: Apache-2.0
// Mean, variance, median and MAD (median of the absolute deviations from the median) of a column, all exact,
// in one read.
//
// Method: a sample gives two brackets, one around the median and one around the MAD. One read of the column
// then sums it in kn_reduce_sum's tree, counts the elements below the brackets and keeps those inside; both
// medians are selected among these (Floyd and Rivest 1975, for both medians at once). Elements equal to an
// end of a bracket are counted and not kept, so that ties do no harm. If a rank turns out to lie outside its
// bracket, or more elements lie inside than there is room for, the answer comes from a radix select (two more
// reads and some more work): it is exact either way, and `missed` says so. Columns of KN_I8 and KN_U8 are
// counted in 256 bins.
#ifndef KOINE_ROBUST_H
#define KOINE_ROBUST_H

#include <koine/host.h>
#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_robust_method {
    KN_ROBUST_AUTO = 0,   // fused; select if local memory is too small for a sample, and for one column on
                          // CPUs; counted if the type has 8 bits
    KN_ROBUST_FUSED = 1,  // one read between two brackets; KN_F32, KN_F64
    KN_ROBUST_SELECT = 2, // sums, radix select of the median, radix select of the deviations, which CPUs
                          // write to memory first; KN_F32, KN_F64
    KN_ROBUST_COUNTED = 3 // 256 bins; KN_I8, KN_U8
} kn_robust_method;

typedef struct kn_robust_options {
    size_t struct_size; // set by KN_INIT
    kn_robust_method method;
    // Subtracted from each element before it is summed; rounded to the type, and must then be finite. NULL:
    // as kn_reduce_moments chooses it (8 bits: 0).
    const double *shift;
    const struct kn_robust_tuning *tuning; // koine/experimental.h; NULL: the default
} kn_robust_options;

// If a column contains a NaN, or is empty, every double is NaN. -0 is returned as 0.
typedef struct kn_robust {
    size_t n, nan_count; // all elements, and how many of them are NaN
    double mean,
        variance; // population variance: divided by n. Computed from the sums as in kn_reduce_moments
    double shift, sum, squares; // the shift as rounded; sums of x - shift and of its square
    double median;              // for an even number of elements, the mean of the two in the middle
    // The median of |x - median|, computed in double, also on a device without double precision; NaN if the
    // median is infinite.
    double mad;
    kn_robust_method method; // the method that gave the answer: never KN_ROBUST_AUTO
    bool missed;             // true: asked for KN_ROBUST_FUSED or AUTO, answered by KN_ROBUST_SELECT
} kn_robust;

// Computes the statistics of the first n elements of `x` (KN_F32, KN_F64, KN_I8, KN_U8). `options` may be
// NULL. x is not changed. Waits. The sums are bitwise identical on every device, with double precision or
// without, and on the host. Cost: one read of x, and a few launches whose number hardly depends on n. Memory:
// an eighth of x; up to as much as x below some 2^20 elements; on CPUs 8 bytes an element. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (other types; KN_F64 without double precision; a method that the
// type does not have), KN_ERROR_LIMIT (2^32 floats or more).
KN_API kn_status kn_robust_stats(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                 kn_robust *result, const kn_robust_options *options, kn_error *err);

// As kn_robust_stats, for floats, but the result, a kn_robust, stays on the device, at the start of `result`,
// which must not be x. Asynchronous. Its numbers are those of the call that waits, by KN_ROBUST_FUSED, also
// on CPUs. Cost: as above, without the wait; if the sample misled, one work-group selects (`missed`,
// KN_ROBUST_SELECT), which takes some tenths of a second for 2^28 elements. Errors: as above;
// KN_ERROR_ARGUMENT for a result that is too small or of another context; KN_ERROR_LIMIT for x in parts,
// between which that work-group cannot select. KN_ERROR_UNSUPPORTED where kn_robust_stats needs the host: for
// KN_I8 and KN_U8, whose statistics the host computes from the 256 counts; for the method KN_ROBUST_SELECT,
// which consults the host between its steps; on a device without double precision, where the host computes
// mean and variance, a division and an fma of doubles; and on one with less than 28 KB of local memory, where
// KN_ROBUST_AUTO takes KN_ROBUST_SELECT.
KN_API kn_status kn_robust_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                                     kn_buffer *result, const kn_robust_options *options, kn_error *err);

// kn_robust_stats of `count` columns of n elements each, column c beginning at element c * stride of `x`
// (stride >= n); every launch serves all of them. KN_ERROR_LIMIT for floats in a buffer held in parts.
KN_API kn_status kn_robust_columns(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t stride,
                                   size_t count, kn_robust *results, const kn_robust_options *options,
                                   kn_error *err);

// The same for `count` growing prefixes of one column: results[i] is that of the first ends[i] elements; ends
// ascend. All have one shift, by default that of the longest. Cost: for KN_I8 and KN_U8 one read for all
// prefixes; for floats one read of each prefix.
KN_API kn_status kn_robust_prefixes(kn_queue *queue, const kn_buffer *x, kn_type type, const size_t *ends,
                                    size_t count, kn_robust *results, const kn_robust_options *options,
                                    kn_error *err);

// The same in host memory, computed by the host: bitwise identical to the device's results, at every level
// and with any number of threads. KN_ROBUST_SELECT takes memory for a copy in double.
KN_API kn_status kn_host_robust(const void *x, kn_type type, size_t n, kn_robust *result,
                                const kn_robust_options *options, const kn_host_options *host, kn_error *err);
KN_API kn_status kn_host_robust_prefixes(const void *x, kn_type type, const size_t *ends, size_t count,
                                         kn_robust *results, const kn_robust_options *options,
                                         const kn_host_options *host, kn_error *err);

// ---- absolute deviations ----

// out[i] = |x[i] - centre| for the first n elements (KN_F32 or KN_F64), computed in double (in integers on
// devices without double precision) and rounded to the type. `out` may be `x`. Asynchronous. Cost: one read
// and one write of n elements.
KN_API kn_status kn_abs_diff(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double centre,
                             kn_buffer *out, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
