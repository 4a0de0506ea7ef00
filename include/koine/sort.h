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
    KN_SORT_MERGE =
        3 // stable; sorts as kn_sort_less does (koine/sort_merge.h); no indices: KN_ERROR_UNSUPPORTED
} kn_sort_algorithm;

typedef enum kn_sort_padding {
    KN_SORT_IN_PLACE = 0,    // any n as it is: no more memory, no more work than n asks for
    KN_SORT_POWER_OF_TWO = 1 // as the classical network: n rounded up to a power of two, in memory of its own
                             // (bitonic)
} kn_sort_padding;

// How the work-items of a radix sort act together. What is asked for and cannot be had is
// KN_ERROR_UNSUPPORTED.
typedef enum kn_sort_lanes {
    KN_SORT_LANES_AUTO = 0,
    KN_SORT_LANES_LOCAL = 1,     // through local memory and barriers: any device
    KN_SORT_LANES_BALLOT = 2,    // NVIDIA: a ballot for every bit of a digit
    KN_SORT_LANES_MATCH = 3,     // NVIDIA: match.any
    KN_SORT_LANES_MASKS = 4,     // NVIDIA: masks in local memory, in step within a warp
    KN_SORT_LANES_SUBGROUPS = 5, // cl_khr_subgroup_ballot
    KN_SORT_LANES_SERIAL = 6     // a work-item a chunk: CPUs
} kn_sort_lanes;

// Which digits a radix sort makes passes for.
typedef enum kn_sort_digits {
    KN_SORT_DIGITS_AUTO =
        0, // those that differ, where n is large enough to wait for the answer which those are
    KN_SORT_DIGITS_ALL = 1,       // never waits
    KN_SORT_DIGITS_DIFFERING = 2, // those that are not the same in all negative and in all other keys
    KN_SORT_DIGITS_HIGHEST = 3    // the highest first, into buckets that fit a core's cache
                                  // (KN_SORT_LANES_SERIAL alone); waits
} kn_sort_digits;

// Where a radix sort counts the digits of the second and of later passes.
typedef enum kn_sort_counting {
    KN_SORT_COUNTING_AUTO = 0,
    KN_SORT_COUNTING_SEPARATE = 1, // in a launch of its own
    KN_SORT_COUNTING_AHEAD = 2     // while the pass before moves the keys, where there are at most 256 groups
} kn_sort_counting;

typedef struct kn_sort_options {
    size_t struct_size; // KN_INIT sets it
    kn_sort_padding padding;
    unsigned log2_group; // bitonic: work-items a group, 5 to 10; 0: the device's default
    unsigned log2_keys;  // bitonic: keys a work-item, 2 to 5; 0: the device's default
    kn_sort_algorithm algorithm;
    kn_order order;            // equal keys keep theirs, descending too
    kn_sort_lanes lanes;       // radix
    kn_sort_digits digits;     // radix
    kn_sort_counting counting; // radix
    unsigned
        radix_group; // radix: work-items a group, a multiple of 32 from 256 to 1024; 0: the device's default
    unsigned radix_keys;      // radix: keys a work-item, 1 to 32; 0: the device's default
    unsigned radix_chunks;    // radix: groups a compute unit; 0: the device's default
    unsigned radix_registers; // radix: most registers a work-item, as kn_program_options has it; 0: the
                              // device's default
    unsigned radix_prefetch; // radix: 1 loads a tile before the one ahead of it is stored, 2 does not; 0: the
                             // device's default
    unsigned radix_places;   // radix: bits of a place, 32 (below 2^32 elements) or 64; 0: what n asks for
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
