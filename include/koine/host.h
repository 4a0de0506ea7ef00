// SPDX-License-Identifier: Apache-2.0
// The host's own algorithms: sorting, selection and sums in ordinary memory, with vectors and threads and
// without any device. All of them are KN_ERROR_LIMIT for more elements than memory has addresses for.
#ifndef KOINE_HOST_H
#define KOINE_HOST_H

#include <koine/fft.h>
#include <koine/reduce.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

// The processor's instructions that may be used.
typedef enum kn_host_level {
    KN_HOST_AUTO = 0,   // the best there are
    KN_HOST_SCALAR = 1, // plain C
    KN_HOST_AVX2 = 2,   // and FMA
    KN_HOST_AVX512 = 3  // F, DQ, BW and VL
} kn_host_level;

typedef struct kn_host_options {
    size_t struct_size; // KN_INIT sets it
    unsigned threads;   // 0: as many as OMP_NUM_THREADS says, else as there are processors
    kn_order order;     // of the sorts
    kn_host_level level;
} kn_host_options;

// Sorts n elements in place in numpy's order: NaN last, -0 before +0 (descending: after it). Every element
// keeps its bits; the result is the same, bit by bit, at every level and with any number of threads, and is
// kn_sort's on a device. Method: quicksort with vectors, sorting networks for the last few (Blacher, Giesen
// and Kuehne 2022; Bramas 2017); all threads divide the keys until each has some to itself. 8 and 16 bits are
// counted. Never quadratic. Cost: one read and one write of n elements a halving, until what is left fits a
// cache; no memory to speak of. `options` may be NULL here and below. Errors: KN_ERROR_ARGUMENT,
// KN_ERROR_UNSUPPORTED (a level that this processor has not), KN_ERROR_MEMORY (nothing is changed then).
KN_API kn_status kn_host_sort(void *keys, kn_type type, size_t n, const kn_host_options *options,
                              kn_error *err);

// The elements' numbers in sorted order, from 0: keys[indices[0]] is the least. `indices` are KN_U32 (n up to
// 2^32) or KN_U64. Stable as numpy's: -0 and +0 are equal, NaN are equal among themselves, and what is equal
// keeps its order, descending too. Method: radix sort by digits of 8 bits, without those that are the same in
// all numbers of a sign. Cost: 2 reads and a write of keys and indices for each digit left; memory for two
// copies of the keys and one of the indices.
KN_API kn_status kn_host_argsort(const void *keys, kn_type type, size_t n, void *indices, kn_type index_type,
                                 const kn_host_options *options, kn_error *err);

// Sorts n keys, stably as kn_host_argsort, and moves `values` (of value_size bytes, any number) along with
// them. Cost: an argsort, and a read at random and two writes of both; memory for a copy of the larger.
KN_API kn_status kn_host_sort_by_key(void *keys, kn_type type, size_t n, void *values, size_t value_size,
                                     const kn_host_options *options, kn_error *err);

// The elements that stand at ranks[0..count) (from 0) once n elements are sorted as kn_host_sort does:
// values[i], of `type`, is the one of rank ranks[i]. x is not changed. Options' `order` says from
// which end ranks count. Method: brackets around a rank from a sample (Floyd and Rivest 1975), one read that
// keeps what lies between, and a quickselect among that; exact whatever the sample. 8 and 16 bits are
// counted. Cost: one read of x for a rank and those next to it (8 and 16 bits: for all); memory for an eighth
// of x, and for a copy where that is not enough or there are many ranks. Errors: KN_ERROR_ARGUMENT (a rank of
// n or more), and as above.
KN_API kn_status kn_host_select(const void *x, kn_type type, size_t n, const size_t *ranks, size_t count,
                                void *values, const kn_host_options *options, kn_error *err);

// The k elements that kn_host_sort_by_key would put first, sorted: the least, or with KN_DESCENDING the
// greatest. `values` receives the elements with their own bits, `indices` their numbers from 0, KN_U32 (n up
// to 2^32) or KN_U64; either may be NULL. Of equal elements those with the lowest numbers win; NaN come last
// in both directions; so kn_top_k has it on a device. x is not changed. Method: the k-th element by
// kn_host_select, two reads that gather what does not come behind it, a sort of that. Cost: three reads of x,
// and a sort of k; memory of kn_host_select, and for k elements and indices. Errors: KN_ERROR_ARGUMENT (also
// k > n), and as above.
KN_API kn_status kn_host_top_k(const void *x, kn_type type, size_t n, size_t k, void *values, void *indices,
                               kn_type index_type, const kn_host_options *options, kn_error *err);

// numpy's quantiles with linear interpolation, in double: the value at position q (n - 1) of the sorted
// column, 0 <= q <=
// 1. NaN if there is a NaN in the column; n = 0 is an error. Otherwise as kn_host_select, always ascending.
KN_API kn_status kn_host_quantiles(const void *x, kn_type type, size_t n, const double *q, size_t count,
                                   double *values, const kn_host_options *options, kn_error *err);

// Sum of n elements (KN_F32 or KN_F64) in double, in the tree of kn_reduce_sum: the same bits as there, at
// every level and with any number of threads. n = 0 gives 0. Cost: reads x once.
KN_API kn_status kn_host_sum(const void *x, kn_type type, size_t n, double *sum,
                             const kn_host_options *options, kn_error *err);

// Both sums of x - shift in one read, as kn_reduce_sums. `shift` is rounded to the type first, and is finite
// then.
KN_API kn_status kn_host_sums(const void *x, kn_type type, size_t n, double shift, kn_sums *sums,
                              const kn_host_options *options, kn_error *err);

// The moments of n elements of any type, the same bits as kn_reduce_moments' at every level and with any
// number of threads; `shift` as there. Cost: reads x once; columns with NaN are read twice where these are.
// Errors: KN_ERROR_ARGUMENT (also a shift that is not finite), KN_ERROR_MEMORY.
KN_API kn_status kn_host_moments(const void *x, kn_type type, size_t n, const double *shift,
                                 kn_moments *moments, const kn_host_options *options, kn_error *err);

// n elements of any type reduced by `op`: kn_reduce's answers, to the bit. Cost: reads x once. Errors:
// KN_ERROR_ARGUMENT (also the least or greatest of nothing), KN_ERROR_MEMORY.
KN_API kn_status kn_host_reduce(const void *x, kn_type type, size_t n, kn_reduce_op op, kn_number *result,
                                const kn_host_options *options, kn_error *err);

// The first element of each run of n elements, to `out`, which is other memory and has room for n; *count
// becomes the number of runs. What kn_unique has, to the bit, as the functions below have what theirs on a
// device has. Cost: reads x twice, writes out once. Errors: KN_ERROR_ARGUMENT, KN_ERROR_MEMORY.
KN_API kn_status kn_host_unique(const void *x, kn_type type, size_t n, void *out, size_t *count,
                                const kn_host_options *options, kn_error *err);

// kn_run_lengths. `values` may be NULL; `lengths` are KN_U32 (n below 2^32) or KN_U64.
KN_API kn_status kn_host_run_lengths(const void *x, kn_type type, size_t n, void *values, void *lengths,
                                     kn_type length_type, size_t *count, const kn_host_options *options,
                                     kn_error *err);

// kn_reduce_by_key: the same bits, sums of floats too. A run is one thread's.
KN_API kn_status kn_host_reduce_by_key(const void *keys, kn_type key_type, size_t n, const void *values,
                                       kn_type value_type, kn_reduce_op op, void *unique_keys, void *results,
                                       size_t *count, const kn_host_options *options, kn_error *err);

// Whether an element is meant, not 0: called from several threads at once, twice for each element.
typedef bool kn_host_condition(const void *element, void *data);

// kn_select_if and kn_partition, with a function for the condition: n elements of `size` bytes, to `out`,
// which is other memory and has room for n; *count becomes the number of those that are meant.
KN_API kn_status kn_host_select_if(const void *x, size_t size, size_t n, kn_host_condition *holds, void *data,
                                   void *out, size_t *count, const kn_host_options *options, kn_error *err);
KN_API kn_status kn_host_partition(const void *x, size_t size, size_t n, kn_host_condition *holds, void *data,
                                   void *out, size_t *count, const kn_host_options *options, kn_error *err);

// kn_histogram and kn_histogram_even; `counts` has `bins` numbers. Cost: reads x once; memory for the bins of
// each thread.
KN_API kn_status kn_host_histogram(const void *x, kn_type type, size_t n, const double *edges, size_t bins,
                                   uint64_t *counts, const kn_host_options *options, kn_error *err);
KN_API kn_status kn_host_histogram_even(const void *x, kn_type type, size_t n, double low, double high,
                                        size_t bins, uint64_t *counts, const kn_host_options *options,
                                        kn_error *err);

// The transforms of a shape as kn_fft_plan_create has it, with its padding, cropping, scale and integers, and
// as kn_fft_execute does them: from the array `in` to the array `out`, which may be the same for a complex
// transform that neither pads nor crops. Unscaled but for shape->scale. The same bits with any number of
// threads. Method: lines side by side in vectors, in mixed radix (Stockham's autosort) where a length has no
// prime factor above 7, else by Bluestein's chirp transform (1970). Cost: a pass over the array an axis;
// memory for three blocks of lines a thread, and for one more array where numbers are real, padded or
// cropped. A single long line has one thread and no vectors. Error in the 2-norm, relative: that of
// kn_fft_plan_create. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (types other than KN_F32 and KN_F64,
// and a level that this processor has not), KN_ERROR_MEMORY.
KN_API kn_status kn_host_fft(const kn_fft_shape *shape, kn_fft_direction direction, const void *in, void *out,
                             const kn_host_options *options, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
