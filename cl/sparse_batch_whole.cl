// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for many right-hand sides (cl/sparse_batch.cl), many iterations in one launch: for systems so small
// that launches are what takes time.
// Launch: a group for IMAGES images, a block, which is get_group_id(1).
// Cost: as cl/sparse_batch.cl, every group by itself.
// Tunables: those of cl/sparse_batch.cl but STEP; GROUP is at least IMAGES.
#include "lib/batch.clh"

// Iterations `first` to last - 1 of a block; fewer if all of its images have ended.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_whole(__global const uint *starts, __global const uint *indices, __global const float *values,
            __global const uint *back_starts, __global const uint *back_indices, __global const float *back_values,
            uint rows, uint n, __global float *x, __global float *h, __global float *d, __global float *e,
            __global float *w, float weight, float lambda, float smooth, uint order, float gradient,
            __global acc *norms, __global uint *ends, uint all, uint first, uint last)
{
    __local images part[SHARES > 1 ? GROUP : 1];
    __local acc node[2 * GROUP];
    const struct terms terms = {weight, lambda, smooth, gradient, order};
    size_t block = get_group_id(1), at = block * n * IMAGES;

    w += block * rows * IMAGES;
    ends += block * IMAGES;
    for (uint iteration = first; iteration < last; iteration++) {
        bool goes_on = false;

        step_images(x + at, h + at, d + at, e + at, n, &terms, norms + block * IMAGES, ends, all, iteration, IMAGES,
                    node);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (uint i = 0; i < IMAGES; i++)
            goes_on = goes_on || ends[i] == 0;
        if (!goes_on)
            return; // all work-items
        multiply(starts, indices, values, rows, d + at, w, 0, ROWS, part);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        multiply(back_starts, back_indices, back_values, n, w, e + at, 0, ROWS, part);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
