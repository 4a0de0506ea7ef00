// SPDX-License-Identifier: Apache-2.0
// How an OpenCL range becomes CUDA grids.
#ifndef KN_BACKEND_CUDA_CUDA_LAUNCH_H
#define KN_BACKEND_CUDA_CUDA_LAUNCH_H

#include <stdbool.h>

#include "backend/backend.h"

// The hidden last argument of every kernel (kn_item of cl/cuda/prelude.cuh): the same bytes on both sides.
struct cuda_item {
    unsigned long long offset[3];
    unsigned groups[3]; // OpenCL's numbers, whatever the shape of the grid
    unsigned local[3];
    unsigned first[2]; // where the groups of the grid begin in y and z
    unsigned fold;     // 65536 / local[1], rounded up, if blockDim.y counts the work-items of y and z; else 0
    unsigned dims;     // dimensions of the range: {64, 1, 1} may have three
};

struct cuda_geometry {
    unsigned grid[3], block[3];
    struct cuda_item item;
};

// The first grid. `local` is given and divides the range. Errors: KN_ERROR_LIMIT for more work-groups in x
// than a grid takes.
kn_status ki_cuda_geometry_make(const struct be_range *range, const size_t local[3], const char *spec,
                                struct cuda_geometry *geometry, kn_error *err);
// The grid after it: a grid has at most CUDA_MAX_GRID_YZ groups in y and in z. False if there are no more.
bool ki_cuda_geometry_next(struct cuda_geometry *geometry);

// A work-group of at most `limit` work-items that divides the range (OpenCL 1.2 has no others), as wide as
// possible in the first dimension.
void ki_cuda_local_pick(const struct be_range *range, size_t limit, size_t local[3]);

#endif
