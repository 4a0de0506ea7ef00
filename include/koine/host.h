// SPDX-License-Identifier: Apache-2.0
// Algorithms on the host: sorting, selection, sums and transforms in host memory, with SIMD vectors and
// threads and without any device. All of them fail with KN_ERROR_LIMIT for more elements than the address
// space holds.
#ifndef KOINE_HOST_H
#define KOINE_HOST_H

#include <koine/fft.h>
#include <koine/reduce.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The processor's SIMD instructions that may be used.
typedef enum kn_host_level {
    KN_HOST_AUTO = 0,   // the best that the processor has
    KN_HOST_SCALAR = 1, // plain C
    KN_HOST_AVX2 = 2,   // and FMA
    KN_HOST_AVX512 = 3  // F, DQ, BW and VL
} kn_host_level;

typedef struct kn_host_options {
    size_t struct_size; // set by KN_INIT
    unsigned threads;   // 0: as many as OMP_NUM_THREADS says, otherwise one per processor
    kn_order order;     // of the sorts
    kn_host_level level;
} kn_host_options;

// Sorts n elements in place in numpy's order: NaN last, -0 before +0 (descending: after it). Every element
// keeps its bits; the result is bitwise identical at every level, with any number of threads, and to that of
// kn_sort on a device. Method: vectorised quicksort, with sorting networks for the last few elements
// (Blacher, Giesen and Kuehne 2022; Bramas 2017); all threads partition the keys until each has a part of its
// own. Types of 8 and 16 bits are sorted by counting. Never quadratic. Cost: one read and one write of n
// elements per halving, until the parts fit in a cache; no significant memory. `options` may be NULL here and
// below. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (a level that this processor does not have),
// KN_ERROR_MEMORY (nothing is changed then).
KN_API kn_status kn_host_sort(void *keys, kn_type type, size_t n, const kn_host_options *options,
                              kn_error *err);

// The indices that sort the keys, from 0: keys[indices[0]] is the least. `indices` are KN_U32 (n up to 2^32)
// or KN_U64. Stable as numpy's: -0 and +0 are equal, NaN are equal among themselves, and equal elements keep
// their order, also when descending. Method: radix sort by digits of 8 bits, which skips digits that are the
// same in all numbers of a sign. Cost: 2 reads and a write of keys and indices for each remaining digit;
// memory for two copies of the keys and one of the indices.
KN_API kn_status kn_host_argsort(const void *keys, kn_type type, size_t n, void *indices, kn_type index_type,
                                 const kn_host_options *options, kn_error *err);

// Sorts n keys, stably as kn_host_argsort, and moves `values` (of value_size bytes, any number) along with
// them. Cost: an argsort, then a random-access read and two writes of both; memory for a copy of the larger.
KN_API kn_status kn_host_sort_by_key(void *keys, kn_type type, size_t n, void *values, size_t value_size,
                                     const kn_host_options *options, kn_error *err);

// Order statistics: the elements that would stand at ranks[0..count) (from 0) if the n elements were sorted
// as kn_host_sort does: values[i], of `type`, is the one of rank ranks[i]. x is not changed. `order` in the
// options says from which end ranks count. Method: brackets around a rank from a sample (Floyd and Rivest
// 1975), one read that keeps the elements between them, and a quickselect among these; exact whatever the
// sample. Types of 8 and 16 bits are counted. Cost: one read of x for a rank and those next to it (8 and 16
// bits: for all ranks); memory for an eighth of x, and for a copy if that is not enough or there are many
// ranks. Errors: KN_ERROR_ARGUMENT (a rank of n or more), and as above.
KN_API kn_status kn_host_select(const void *x, kn_type type, size_t n, const size_t *ranks, size_t count,
                                void *values, const kn_host_options *options, kn_error *err);

// The k elements that kn_host_sort_by_key would put first, sorted: the least, or with KN_DESCENDING the
// greatest. `values` receives the elements with their own bits, `indices` their indices from 0, as KN_U32 (n
// up to 2^32) or KN_U64; either may be NULL. Of equal elements those with the lowest indices win; NaN come
// last in both directions, as in kn_top_k on a device. x is not changed. Method: the k-th element by
// kn_host_select, two reads that gather the elements up to it, and a sort of these. Cost: three reads of x
// and a sort of k elements; the memory of kn_host_select, and that of k elements and indices. Errors:
// KN_ERROR_ARGUMENT (also k > n), and as above.
KN_API kn_status kn_host_top_k(const void *x, kn_type type, size_t n, size_t k, void *values, void *indices,
                               kn_type index_type, const kn_host_options *options, kn_error *err);

// Quantiles with linear interpolation, as numpy's, in double: the value at position q (n - 1) of the sorted
// column, for 0 <= q <= 1. NaN if the column has a NaN; n = 0 is an error. Otherwise as kn_host_select,
// always ascending.
KN_API kn_status kn_host_quantiles(const void *x, kn_type type, size_t n, const double *q, size_t count,
                                   double *values, const kn_host_options *options, kn_error *err);

// The sum of n elements (KN_F32 or KN_F64) in double, in the tree of kn_reduce_sum: bitwise identical to it,
// at every level and with any number of threads. n = 0 gives 0. Cost: reads x once.
KN_API kn_status kn_host_sum(const void *x, kn_type type, size_t n, double *sum,
                             const kn_host_options *options, kn_error *err);

// The sums of x - shift and of its square in one read, as kn_reduce_sums. `shift` is first rounded to the
// type, and must then be finite.
KN_API kn_status kn_host_sums(const void *x, kn_type type, size_t n, double shift, kn_sums *sums,
                              const kn_host_options *options, kn_error *err);

// The moments of n elements of any type, bitwise identical to those of kn_reduce_moments at every level and
// with any number of threads; `shift` as there. Cost: reads x once; the parts of a column that have NaN are
// read twice. Errors: KN_ERROR_ARGUMENT (also a shift that is not finite), KN_ERROR_MEMORY.
KN_API kn_status kn_host_moments(const void *x, kn_type type, size_t n, const double *shift,
                                 kn_moments *moments, const kn_host_options *options, kn_error *err);

// Reduces n elements of any type by `op`, with results bitwise identical to those of kn_reduce. Cost: reads x
// once. Errors: KN_ERROR_ARGUMENT (also for the minimum or maximum of no elements), KN_ERROR_MEMORY.
KN_API kn_status kn_host_reduce(const void *x, kn_type type, size_t n, kn_reduce_op op, kn_number *result,
                                const kn_host_options *options, kn_error *err);

// Writes the first element of each run of equal elements, among n, to `out`, which must not overlap x and has
// room for n; *count receives the number of runs. The result is bitwise identical to that of kn_unique, and
// so are those of the functions below to those of their counterparts on a device. Cost: reads x twice, writes
// out once. Errors: KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_host_unique(const void *x, kn_type type, size_t n, void *out, size_t *count,
                                const kn_host_options *options, kn_error *err);

// As kn_run_lengths. `values` may be NULL; `lengths` are KN_U32 (n below 2^32) or KN_U64.
KN_API kn_status kn_host_run_lengths(const void *x, kn_type type, size_t n, void *values, void *lengths,
                                     kn_type length_type, size_t *count, const kn_host_options *options,
                                     kn_error *err);

// As kn_reduce_by_key, bitwise identical, sums of floats too. Each run is reduced by one thread.
KN_API kn_status kn_host_reduce_by_key(const void *keys, kn_type key_type, size_t n, const void *values,
                                       kn_type value_type, kn_reduce_op op, void *unique_keys, void *results,
                                       size_t *count, const kn_host_options *options, kn_error *err);

// Returns whether an element is selected. Called from several threads at once, twice for each element.
typedef bool kn_host_condition(const void *element, void *data);

// As kn_select_if and kn_partition, with a function for the condition: of n elements of `size` bytes, to
// `out`, which must not overlap x and has room for n; *count receives the number of selected elements.
KN_API kn_status kn_host_select_if(const void *x, size_t size, size_t n, kn_host_condition *holds, void *data,
                                   void *out, size_t *count, const kn_host_options *options, kn_error *err);
KN_API kn_status kn_host_partition(const void *x, size_t size, size_t n, kn_host_condition *holds, void *data,
                                   void *out, size_t *count, const kn_host_options *options, kn_error *err);

// As kn_histogram and kn_histogram_even; `counts` has `bins` numbers. Cost: reads x once; memory for the bins
// of each thread.
KN_API kn_status kn_host_histogram(const void *x, kn_type type, size_t n, const double *edges, size_t bins,
                                   uint64_t *counts, const kn_host_options *options, kn_error *err);
KN_API kn_status kn_host_histogram_even(const void *x, kn_type type, size_t n, double low, double high,
                                        size_t bins, uint64_t *counts, const kn_host_options *options,
                                        kn_error *err);

// Fourier transforms of a shape as described for kn_fft_plan_create, with its padding, cropping, scale and
// integers, and as kn_fft_execute computes them: from the array `in` to the array `out`, which may be the
// same for a complex transform that neither pads nor crops. Unscaled except for shape->scale. Bitwise
// identical with any number of threads. Method: lines side by side in vectors, in mixed radix (Stockham's
// autosort) if a length has no prime factor above 7, otherwise by Bluestein's chirp transform (1970). Cost:
// one pass over the array per axis; memory for three blocks of lines per thread, and for one more array if
// numbers are real, padded or cropped. A single long line uses one thread and no vectors. Relative error in
// the 2-norm: as for kn_fft_plan_create. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (types other than
// KN_F32 and KN_F64, and a level that this processor does not have), KN_ERROR_MEMORY.
KN_API kn_status kn_host_fft(const kn_fft_shape *shape, kn_fft_direction direction, const void *in, void *out,
                             const kn_host_options *options, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
