// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients for many right-hand sides (cl/app/sparse/sparse_batch.cl), with many iterations in one launch: for
// systems so small that launches dominate the time.
// Launch: a group for IMAGES images, a block, which is get_group_id(1).
// Cost: that of cl/app/sparse/sparse_batch.cl, in every group by itself.
// Tunables: those of cl/app/sparse/sparse_batch.cl except STEP; GROUP is at least IMAGES.
#include "batch.clh"

// The whole step of a block's images. Pointers: to the first one's elements, `norms` to its position among `all` of an
// iteration (cl/app/sparse/sparse_batch.cl, batch_turn), `ends` to its end.
inline void step_images(__global float *x, __global float *h, __global float *d, __global float *e, uint n,
                        const struct terms *terms, __global acc *norms, __global uint *ends, uint all, uint iteration,
                        __local acc *node)
{
    uint item = (uint)get_local_id(0), image = item % IMAGES, from = item / IMAGES;
    acc curvature = ACC_ZERO, slope = ACC_ZERO, squares = ACC_ZERO, turn = ACC_ZERO;
    bool goes_on = ends[image] == 0;
    float length = 0;
    uint code = 0;

    x += image;
    h += image;
    d += image;
    e += image;
    norms += image;
    // It runs in iteration 0, too: PoCL 3.1 mixes up what work-items keep over barriers in a branch.
    for (uint j = from; j < n && goes_on && iteration > 0; j += GROUP / IMAGES)
        take_curve(x, h, d, e, j, n, terms, &curvature, &slope);
    sum_images(&curvature, &slope, IMAGES, node);
    if (iteration > 0) {
        length = step_length(slope, curvature);
        code = isnan(length) ? STOP_CURVATURE : 0;
    }
    for (uint j = from; j < n && goes_on && code == 0; j += GROUP / IMAGES)
        take_move(x, h, d, e, j, length, terms, &squares, &turn);
    sum_images(&squares, &turn, IMAGES, node);
    if (!goes_on)
        return;
    if (code == 0 && !(acc_ratio(squares, iteration > 0 ? norms[0] : squares) > terms->gradient))
        code = STOP_GRADIENT + STOP_MOVED;
    if (item < IMAGES) {
        norms[2 * (size_t)iteration * all] = code == STOP_CURVATURE ? norms[2 * (size_t)(iteration - 1) * all] : squares;
        norms[(2 * (size_t)iteration + 1) * all] = curvature;
        ends[image] = code ? ENDED(code, iteration) : 0;
    }
    float ratio = iteration > 0 ? acc_ratio(turn, curvature) : 0;
    for (uint j = from; j < n && code == 0; j += GROUP / IMAGES)
        take_turn(x, h, d, j, ratio, terms->weight);
}

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

        step_images(x + at, h + at, d + at, e + at, n, &terms, norms + block * IMAGES, ends, all, iteration, node);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        for (uint i = 0; i < IMAGES; i++)
            goes_on = goes_on || ends[i] == 0;
        if (!goes_on)
            return; // all work-items
        multiply(starts, indices, values, d + at, w, 0, rows, ROWS, part);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        multiply(back_starts, back_indices, back_values, w, e + at, 0, n, ROWS, part);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
