// SPDX-License-Identifier: Apache-2.0
// Sorting on the device.
#ifndef KOINE_SORT_H
#define KOINE_SORT_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_sort_algorithm {
    KN_SORT_AUTO = 0,    // what was measured faster for the device, the type and n
    KN_SORT_BITONIC = 1, // keys alone; not stable, which no one can see in keys alone
    KN_SORT_RADIX = 2,   // 8 bits a pass; stable
    // Stable; sorts as kn_sort_less does (koine/sort_merge.h); no indices: KN_ERROR_UNSUPPORTED.
    KN_SORT_MERGE = 3
} kn_sort_algorithm;

typedef struct kn_sort_options {
    size_t struct_size; // KN_INIT sets it
    kn_sort_algorithm algorithm;
    kn_order order;                      // equal keys keep theirs, descending too
    const struct kn_sort_tuning *tuning; // koine/experimental.h; NULL: the device's default
} kn_sort_options;

// Sorts the first n elements of `keys` (any kn_type) ascending, in place, asynchronously. Floats are in
// numpy's order: NaN last, and here -0 before +0; every element keeps its bits. Radix: least significant
// digit first (count, scan, scatter: no group waits for another; ranks by the lanes of a warp that hold the
// same digit, Ashkiani et al. 2016, Adinets and Merrill 2022), digits that are constant left out from 2^22
// elements on (the masks that say which are waited for). Memory: n elements, kept by the queue; 2 n where an
// odd number of digits is left. Cost: per digit left two reads and a write of the keys; 32-bit keys have 4
// digits. On CPUs (KN_SORT_LANES_SERIAL, KN_SORT_DIGITS_AUTO): up to 64 KiB of keys by one work-item in one
// launch; more, of 32 and 64 bits, into buckets that fit a core's cache, drawn by a sample that is waited
// for, and as are the counts; where a value or a narrow interval has more than an eighth of the sample, digit
// by digit as above. Memory: up to 2 n elements. Cost: three reads and two writes of the keys. Bitonic: merge
// sort (Batcher 1968) on integer keys, several compare steps a pass. Cost: about (log2 n - 12)^2 / 8 + 2
// (log2 n - 12) + 1 passes over memory for n > 4,096, one for less; no more memory. Errors:
// KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without double precision; log2_keys on which a driver's
// compiler is known to crash), KN_ERROR_LIMIT (a buffer held in parts, a group that the device does not
// take), KN_ERROR_MEMORY.
KN_API kn_status kn_sort(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                         const kn_sort_options *options, kn_error *err);

// Sorts the first n elements of `keys`, and moves `values` (of value_size 1, 2, 4, 8 or 16 bytes) along with
// them. Stable as numpy's: -0 and +0 are equal, NaN are equal among themselves, and what is equal keeps its
// order. By radix. Cost: as kn_sort's radix sort, and per digit a read and a write of the values.
KN_API kn_status kn_sort_by_key(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, kn_buffer *values,
                                size_t value_size, const kn_sort_options *options, kn_error *err);

// The elements' numbers in sorted order, from 0: keys[indices[0]] is the least. `indices` are KN_U32 (n up to
// 2^32) or KN_U64; the keys stay as they are. Stable as kn_sort_by_key.
KN_API kn_status kn_argsort(kn_queue *queue, const kn_buffer *keys, kn_type type, size_t n,
                            kn_buffer *indices, kn_type index_type, const kn_sort_options *options,
                            kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
