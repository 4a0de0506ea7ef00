// SPDX-License-Identifier: Apache-2.0
// Sorting on the device: by the order of a type or by a comparison that you supply, within segments, and for
// more elements than the device holds.
#ifndef KOINE_SORT_H
#define KOINE_SORT_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_sort_algorithm {
    KN_SORT_AUTO = 0,    // what was measured faster for the device, the type and n
    KN_SORT_BITONIC = 1, // keys only; not stable, which makes no difference without values
    KN_SORT_RADIX = 2,   // 8 bits per pass; stable
    // Stable; sorts as kn_sort_less does; no indices: KN_ERROR_UNSUPPORTED.
    KN_SORT_MERGE = 3
} kn_sort_algorithm;

typedef struct kn_sort_options {
    size_t struct_size; // set by KN_INIT
    kn_sort_algorithm algorithm;
    kn_order order;                      // equal keys keep their order, also when descending
    const struct kn_sort_tuning *tuning; // koine/experimental.h; NULL: the device's default
} kn_sort_options;

// Sorts the first n elements of `keys` (any kn_type) ascending, in place, asynchronously. Floats are in
// numpy's order: NaN last, and here -0 before +0; every element keeps its bits. Radix: least significant
// digit first (count, scan, scatter: no group waits for another; ranks by the lanes of a warp that hold the
// same digit, Ashkiani et al. 2016, Adinets and Merrill 2022), constant digits are skipped from 2^22 elements
// on (the call waits for the masks that say which they are). Memory: n elements, kept by the queue; 2 n if an
// odd number of digits remains. Cost: two reads and a write of the keys per remaining digit; 32-bit keys have
// 4 digits. On CPUs (KN_SORT_LANES_SERIAL, KN_SORT_DIGITS_AUTO): up to 64 KiB of keys are sorted by one
// work-item in one launch; more keys of 32 and 64 bits are moved into buckets that fit in a core's cache,
// whose bounds come from a sample (the call waits for the sample and for the counts); if one value or a
// narrow interval has more than an eighth of the sample, digit by digit as above. Memory: up to 2 n elements.
// Cost: three reads and two writes of the keys. Bitonic: merge sort (Batcher 1968) on integer keys, several
// compare steps a pass. Cost: about (log2 n - 12)^2 / 8 + 2 (log2 n - 12) + 1 passes over memory for n >
// 4,096, one for fewer elements; no extra memory. Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64
// without double precision; values of log2_keys with which a driver's compiler is known to crash),
// KN_ERROR_LIMIT (a buffer held in parts, a work-group larger than the device allows), KN_ERROR_MEMORY.
KN_API kn_status kn_sort(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                         const kn_sort_options *options, kn_error *err);

// Sorts the first n elements of `keys`, and moves `values` (of value_size 1, 2, 4, 8 or 16 bytes) along with
// them. Stable as numpy's: -0 and +0 are equal, NaN are equal among themselves, and equal keys keep their
// order. Always by radix sort. Cost: as kn_sort's radix sort, and a read and a write of the values per digit.
KN_API kn_status kn_sort_by_key(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, kn_buffer *values,
                                size_t value_size, const kn_sort_options *options, kn_error *err);

// The indices that sort the keys, from 0: keys[indices[0]] is the least. `indices` are KN_U32 (n up to 2^32)
// or KN_U64; the keys are not changed. Stable as kn_sort_by_key.
KN_API kn_status kn_argsort(kn_queue *queue, const kn_buffer *keys, kn_type type, size_t n,
                            kn_buffer *indices, kn_type index_type, const kn_sort_options *options,
                            kn_error *err);

// ---- by a comparison that you supply, and within segments ----

// What is sorted, and in which order: snippets of OpenCL C.
typedef struct kn_less {
    size_t struct_size; // set by KN_INIT
    const char *type;   // the elements' type: "float2", "struct particle", a typedef
    size_t size;        // bytes of an element in OpenCL C (a float3 has 16); at most 1,024
    const char *less;   // an expression in `a` and `b`, two elements: whether a comes before b. "a.x < b.x"
    const char *definitions; // what both need: structs, typedefs, functions, on one line or several; or NULL
    const struct kn_merge_tuning *tuning; // koine/experimental.h; NULL: the device's default
} kn_less;

// Sorts the first n elements of `keys` so that no element comes before one that is less than it; elements of
// which neither is less than the other keep their order (stable). Asynchronous. The comparison has to be a
// strict weak ordering (a < a is false; a < b and b < c imply a < c; being neither less nor greater is
// transitive): otherwise the result has no particular order and may lack elements and have others twice, but
// nothing outside the n elements is read or written. Method: blocks sorted in local memory, then merged in
// pairs in pieces of equal size (Odeh, Green, Mwassi, Shmueli, Birk 2012). Cost: 1 + ceil(log2(n / block))
// passes that read and write n elements; n more elements of device memory, kept by the queue. A compiler run
// for every new comparison. Errors: KN_ERROR_ARGUMENT; KN_ERROR_BUILD, with the compiler's messages, for a
// type, definition or comparison that does not compile, and for a size that is not the type's; KN_ERROR_LIMIT
// for elements too large for the device's local memory and for a buffer held in parts; KN_ERROR_UNSUPPORTED
// for double on a device without it.
KN_API kn_status kn_sort_less(kn_queue *queue, kn_buffer *keys, size_t n, const kn_less *less, kn_error *err);

// The same, with an element of `values` (of value_size bytes: 1, 2, 4, 8 or 16) that travels with each key.
KN_API kn_status kn_sort_less_by_key(kn_queue *queue, kn_buffer *keys, size_t n, kn_buffer *values,
                                     size_t value_size, const kn_less *less, kn_error *err);

// Sorts each segment of the first n elements of `keys` separately, and stably. Segment i is the elements from
// offsets[i] to offsets[i + 1] - 1; `offsets` holds segments + 1 64-bit numbers that do not descend, the
// first 0, the last n (as the row pointers of a CSR matrix do). Segments may have any mixture of sizes, and
// may be empty. -0 equals +0; NaN come last in both orders. Waits for earlier work in the queue, to read the
// offsets. Cost: 2 + ceil(log2(tiles of the longest segment)) passes, a tile being some 4,000 elements.
// Errors: as above, and KN_ERROR_ARGUMENT for offsets that are not as described.
KN_API kn_status kn_sort_segments(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                                  const kn_buffer *offsets, size_t segments, kn_order order, kn_error *err);

// The same, with values.
KN_API kn_status kn_sort_segments_by_key(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                                         kn_buffer *values, size_t value_size, const kn_buffer *offsets,
                                         size_t segments, kn_order order, kn_error *err);

// ---- more than a device, or one allocation of it, holds ----

typedef struct kn_sort_large_options {
    size_t struct_size;          // set by KN_INIT
    const kn_sort_options *sort; // how the device sorts, and in which order; NULL: as kn_sort does by default
    size_t chunk;                // elements sorted on the device at once; 0: as many as fit in its memory
    unsigned threads;            // that merge on the host; 0: as in kn_host_options
} kn_sort_large_options;

// Sorts any number n of elements in host memory: chunks are sorted on the device by kn_sort, and merged on
// the host. The order is numpy's: NaN last; -0 and +0 are equal. Returns when it is done. `options` may be
// NULL. Cost: every element is copied once to the device and back; ceil(log2(chunks)) passes over host
// memory, which temporarily take memory for n more elements (none for one chunk). Errors: those of kn_sort,
// after which the contents of the keys are undefined; KN_ERROR_MEMORY.
KN_API kn_status kn_sort_large_array(kn_queue *queue, void *keys, kn_type type, size_t n,
                                     const kn_sort_large_options *options, kn_error *err);

// Sorts the first n elements of a buffer, held in parts or not: each part is sorted on the device by kn_sort;
// if there are several, they are then read, merged on the host, and written back, which temporarily takes
// memory for 2 n elements on the host. Order and errors as above; options->chunk is ignored. With one part,
// it is the same as kn_sort, which does not wait.
KN_API kn_status kn_sort_large(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                               const kn_sort_large_options *options, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
