// SPDX-License-Identifier: Apache-2.0
// The contents of a plan of the host's NUFFT, which host_nufft_plan.c creates and host_nufft.c uses.
#ifndef KN_APP_MRI_GRIDDING_HOST_NUFFT_INTERNAL_H
#define KN_APP_MRI_GRIDDING_HOST_NUFFT_INTERNAL_H

#include "host_fft.h"
#include "host_nufft.h"
#include "host_nufft_code.h"
#include "gridding_internal.h"

struct mri_host_nufft {
    struct gridding_shape shape;
    bool is_double;
    const struct nufft_code *code;
    unsigned threads;
    struct ki_ask *ask;
    size_t samples, tiles[MRI_AXES]; // an axis has one tile or an even number of tiles
    struct nufft_window windows[MRI_AXES];
    void *powers;                // of all windows
    double *factors[MRI_AXES];   // for each voxel along an axis: 1 / the window's transform
    struct gridding_order order; // of the samples
    uint32_t *places;            // of the samples, in that order, like the next ones
    void *offsets;               // [MRI_AXES][samples]
    void *grid, *rooms;          // pairs; the cells of a tile for each thread
    size_t row, plane, room;     // numbers in a row, in a plane and in all of a tile
    struct mri_fft fft;
};

static inline size_t nufft_number(const struct mri_host_nufft *nufft)
{
    return nufft->is_double ? sizeof(double) : sizeof(float);
}

// The cells of a tile along an axis, including its margin.
static inline size_t nufft_extent(const struct gridding_shape *shape, size_t axis)
{
    return (size_t)shape->tile[axis] + shape->span[axis] - 1;
}

#endif
