// SPDX-License-Identifier: Apache-2.0
// The inner loop of ki_autocorr_simd, one for each kind of processor. A vector has LANES neighbouring
// offsets; each lane has `pixels` neighbouring pixels of the second image's row, 4 bytes in all, and the lane
// of offset l begins l pixels further on. Such vectors are stored for every `pixels`-th place of the row
// ("spread"): offsets g * LANES further on are 4 g vectors further on. The first image's row is also in units
// of 4 bytes, `pixels` each: one unit is broadcast, multiplied pixel by pixel with all lanes, and added to
// their sums.
#ifndef KN_APP_AUTOCORR_HOST_HOST_KERNEL_H
#define KN_APP_AUTOCORR_HOST_HOST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
    AUTOCORR_GROUP_STEP = 4, // vectors from a group of offsets to the next
    AUTOCORR_GROUPS = 8      // that are multiplied at once at most
};

// Two rows of the first image, of `units` each, with `groups` vectors of sums each; products are added to the
// sums, modulo 2^32.
typedef void autocorr_multiply(const void *spread, const int32_t *row0, const int32_t *row1, size_t units,
                               size_t groups, uint32_t *sums0, uint32_t *sums1);

struct autocorr_kernel {
    const char *name;
    size_t lanes, pixels;
    // What is subtracted from the first image's pixels, to make them signed: 0, or 128. With 0 a sum of
    // products is below 2^32 up to 66,051 pixels; with 128 it is within 2^31 up to 65,793.
    int bias;
    autocorr_multiply *multiply;
};

extern const struct autocorr_kernel ki_autocorr_scalar, ki_autocorr_avx2, ki_autocorr_avx512;

#endif
