// SPDX-License-Identifier: Apache-2.0
// Sorting on the device: by the type's own order, by a comparison of your own, within segments, and more
// than the device holds.
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
    // Stable; sorts as kn_sort_less does; no indices: KN_ERROR_UNSUPPORTED.
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

// ---- by a comparison of your own, and within segments ----

// What is sorted, in which order: snippets of OpenCL C.
typedef struct kn_less {
    size_t struct_size; // KN_INIT sets it
    const char *type;   // the elements' type: "float2", "struct particle", a typedef
    size_t size;        // bytes of one, as OpenCL C has it (a float3 has 16); at most 1,024
    const char *less;   // an expression over `a` and `b`, elements: whether a comes before b. "a.x < b.x"
    const char *definitions; // what both need: structs, typedefs, functions, on one line or several; or NULL
    const struct kn_merge_tuning *tuning; // koine/experimental.h; NULL: the device's default
} kn_less;

// Sorts the first n elements of `keys` so that no element comes before one that is less than it; elements of
// which neither is less than the other keep their order (stable). Asynchronous. The comparison has to be a
// strict weak order (a < a is false; a < b and b < c give a < c; being neither less nor greater is
// transitive, too): else the result is in no order and may lack elements and have others twice, but nothing
// outside of the n elements is read or written. Method: blocks sorted in local memory, then merged in pairs
// in pieces of equal size (Odeh, Green, Mwassi, Shmueli, Birk 2012). Cost: 1 + ceil(log2(n / block)) passes
// that read and write n elements; n more elements of device memory, kept by the queue. A compiler run for
// every new comparison. Errors: KN_ERROR_ARGUMENT; KN_ERROR_BUILD, with the compiler's words, for a type,
// definition or comparison that does not compile, and for a size that is not the type's; KN_ERROR_LIMIT for
// elements too large for the device's local memory and for a buffer held in parts; KN_ERROR_UNSUPPORTED for
// double where there is none.
KN_API kn_status kn_sort_less(kn_queue *queue, kn_buffer *keys, size_t n, const kn_less *less, kn_error *err);

// The same, with an element of `values` (of value_size bytes: 1, 2, 4, 8 or 16) that travels with each key.
KN_API kn_status kn_sort_less_by_key(kn_queue *queue, kn_buffer *keys, size_t n, kn_buffer *values,
                                     size_t value_size, const kn_less *less, kn_error *err);

// Sorts each segment of the first n elements of `keys` for itself, stable. Segment i is the elements from
// offsets[i] to offsets[i + 1] - 1; `offsets` holds segments + 1 64-bit numbers that do not descend, the
// first 0, the last n (as the row pointers of a CSR matrix do). Any mixture of sizes, empty segments too. -0
// equals +0; NaN come last, descending or not. Waits for what the queue has to do before, to look at the
// offsets. Cost: 2 + ceil(log2(tiles of the longest segment)) passes, a tile being some 4,000 elements.
// Errors: as above, and KN_ERROR_ARGUMENT for offsets that are not as said.
KN_API kn_status kn_sort_segments(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                                  const kn_buffer *offsets, size_t segments, kn_order order, kn_error *err);

// The same, with values.
KN_API kn_status kn_sort_segments_by_key(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                                         kn_buffer *values, size_t value_size, const kn_buffer *offsets,
                                         size_t segments, kn_order order, kn_error *err);

// ---- more than a device, or one allocation of it, holds ----

typedef struct kn_sort_large_options {
    size_t struct_size;          // KN_INIT sets it
    const kn_sort_options *sort; // how the device sorts, and in which order; NULL: as kn_sort does by default
    size_t chunk;                // elements sorted on the device at once; 0: as many as it has memory for
    unsigned threads;            // that merge on the host; 0: as in kn_host_options
} kn_sort_large_options;

// Sorts n elements of host memory, however many: chunks are sorted on the device by kn_sort, and merged on
// the host. Numpy's order: NaN last; -0 and +0 are equal. Returns when it is done. `options` may be NULL.
// Cost: every element once to the device and back; ceil(log2(chunks)) passes over host memory, which take n
// more elements of it for the time being (none for one chunk).
// Errors: those of kn_sort, after which the keys are not what they were; KN_ERROR_MEMORY.
KN_API kn_status kn_sort_large_array(kn_queue *queue, void *keys, kn_type type, size_t n,
                                     const kn_sort_large_options *options, kn_error *err);

// Sorts the first n elements of a buffer, held in parts or not: each part on the device by kn_sort; if there
// are several, they are then read, merged on the host, and written back, with 2 n elements of host memory for
// the time being. Order and errors as above; options->chunk is not looked at. With one part: kn_sort, which
// does not wait.
KN_API kn_status kn_sort_large(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n,
                               const kn_sort_large_options *options, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
