// SPDX-License-Identifier: Apache-2.0
// Sorting on the device.
#ifndef KOINE_SORT_H
#define KOINE_SORT_H

#include <koine/launch.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_sort_padding {
    KN_SORT_IN_PLACE,    // any n as it is: no more memory, no more work than n asks for
    KN_SORT_POWER_OF_TWO // as the classical network: n rounded up to a power of two, in memory of its own
} kn_sort_padding;

typedef struct kn_sort_options {
    kn_sort_padding padding;
    unsigned log2_group; // work-items a group, 5 to 10; 0: the device's default
    unsigned log2_keys;  // keys a work-item, 2 to 5; 0: the device's default
} kn_sort_options;

// Sorts the first n elements of `keys` (KN_F32 or KN_F64) ascending, in place, asynchronously. NaN come last; -0 comes
// before +0; every element keeps its bits. Not stable, which no one can see in keys alone.
// Method: bitonic merge sort (Batcher 1968) on integer keys, several compare steps a pass.
// Cost: about (log2 n - 12)^2 / 8 + 2 (log2 n - 12) + 1 passes over memory for n > 4,096, one for less.
// Errors: KN_ERROR_ARGUMENT, KN_ERROR_UNSUPPORTED (KN_F64 without double precision, other types),
// KN_ERROR_LIMIT (a buffer held in parts).
KN_API kn_status kn_sort(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, const kn_sort_options *options,
                         kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
