// SPDX-License-Identifier: Apache-2.0
// The sums of a volume on the host.
#ifndef KN_APP_AUTOCORR_VOLUME_VOLUME_HOST_H
#define KN_APP_AUTOCORR_VOLUME_VOLUME_HOST_H

#include "base/kept.h"
#include "volume.h"

// A volume in memory: x fastest, `row` voxels from a row to the next, `slice` from a slice to the next.
struct autocorr_voxels {
    const void *at; // NULL: there is none
    size_t row, slice;
};

// `products` has autocorr_volume_offsets. `second` is the first where its `at` is NULL. All threads, the same
// sums with any number of them. Memory: `kept` (which may be NULL) keeps it. Cost: kn_host_fft's, for each
// piece there and for each shift back; 16 bytes a number of half a circle for each piece and image, and twice
// more. KN_ERROR_MEMORY.
kn_status ki_autocorr_volume_host(const struct autocorr_volume_plan *plan,
                                  const struct autocorr_voxels *first, const struct autocorr_voxels *second,
                                  struct ki_kept *kept, uint64_t *products, kn_error *err);

#endif
