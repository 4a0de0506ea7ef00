// SPDX-License-Identifier: Apache-2.0
// What a plan of the host's NUFFT is: made in host_nufft_plan.c, used in host_nufft.c.
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
    size_t samples, tiles[MRI_AXES]; // an axis has one tile or an even number of them
    struct nufft_window windows[MRI_AXES];
    void *powers;                // of all windows
    double *factors[MRI_AXES];   // of each voxel along an axis, over the window's transform
    struct gridding_order order; // of the samples
    uint32_t *places;            // in that order, as the next ones
    void *offsets;               // [MRI_AXES][samples]
    void *grid, *rooms;          // pairs; cells of a tile for each thread
    size_t row, plane, room;     // numbers of a tile's row, plane and all
    struct mri_fft fft;
};

static inline size_t nufft_number(const struct mri_host_nufft *nufft)
{
    return nufft->is_double ? sizeof(double) : sizeof(float);
}

// Cells of a tile along an axis, with its margin.
static inline size_t nufft_extent(const struct gridding_shape *shape, size_t axis)
{
    return (size_t)shape->tile[axis] + shape->span[axis] - 1;
}

#endif
