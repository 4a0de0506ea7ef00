// SPDX-License-Identifier: Apache-2.0
// Sorting by a comparison of one's own, and sorting within segments.
#ifndef KOINE_SORT_MERGE_H
#define KOINE_SORT_MERGE_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
