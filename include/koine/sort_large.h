// SPDX-License-Identifier: Apache-2.0
// Sorting more than a device, or one allocation of it, holds.
#ifndef KOINE_SORT_LARGE_H
#define KOINE_SORT_LARGE_H

#include <koine/sort.h>

#ifdef __cplusplus
extern "C" {
#endif

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
