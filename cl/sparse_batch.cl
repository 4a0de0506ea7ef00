// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on the normal equations with a correction term (cl/sparse_solver.cl has the formulas) for many
// right-hand sides, images, of one matrix: IMAGES of them stand side by side, so that A and A^T are read once for all of
// them. Element j of image l of block q is at (q * length + j) * IMAGES + l. Every image has an alpha, a beta and an end of
// its own; its sums have one order, whatever stands beside it.
//
// Launch, of an iteration; get_group_id(1) is the block: batch_step, a group for STEP images, which takes the whole step of
// their x, h and d; batch_multiply twice, w = A d and e = A^T w, GROUP / (LANES * SHARES) rows a group. Before and after:
// batch_take and batch_give put images side by side and back; batch_begin, batch_residual. cl/sparse_batch_whole.cl has
// all iterations in one launch.
// Cost, for IMAGES images: step reads e, d, h, x two to three times and writes them once; a product reads the matrix
// once, a vector's line of IMAGES numbers for every nonzero, and writes one for every row.
// Tunables: GROUP, IMAGES, STEP (images a group of batch_step, at most IMAGES), SHARES (work-items that divide a row; all
// powers of two), WIDE (images a work-item has of a product: 1, 4, 8, 16), CORRECTION (cl/lib/cgnr.clh), ACC_SOFT
// (cl/lib/accumulator.clh).
#ifndef STEP
#define STEP 8
#endif

#include "lib/batch.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_multiply(__global const uint *starts, __global const uint *indices, __global const float *values, uint rows, uint n,
               __global const float *x, __global float *y)
{
    __local images part[SHARES > 1 ? GROUP : 1];
    size_t block = get_group_id(1);

    multiply(starts, indices, values, rows, x + block * n * IMAGES, y + block * rows * IMAGES,
             (uint)get_group_id(0) * ROWS, (uint)get_num_groups(0) * ROWS, part);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_step(__global float *x, __global float *h, __global float *d, __global float *e, uint n, float weight,
           float lambda, float smooth, uint order, float gradient, __global acc *norms, __global uint *ends, uint all,
           uint iteration)
{
    __local acc node[2 * GROUP];
    const struct terms terms = {weight, lambda, smooth, gradient, order};
    size_t block = get_group_id(1), first = get_group_id(0) * STEP, at = block * n * IMAGES + first;

    step_images(x + at, h + at, d + at, e + at, n, &terms, norms + block * IMAGES + first,
                ends + block * IMAGES + first, all, iteration, STEP, node);
}

// ---- before and after ----

// `count` vectors of n numbers, one after the other, side by side; 0 for what is missing in the last block.
__kernel void batch_take(__global const float *from, __global float *to, ulong first, uint n, uint count)
{
    size_t place = get_global_id(0), row = place / IMAGES, block = get_global_id(1);
    size_t image = block * IMAGES + place % IMAGES;

    if (row < n)
        to[block * n * IMAGES + place] = image < count ? from[(first + image) * n + row] : 0;
}

// And back.
__kernel void batch_give(__global const float *from, __global float *to, ulong first, uint n, uint count)
{
    size_t place = get_global_id(0), row = place / IMAGES, block = get_global_id(1);
    size_t image = block * IMAGES + place % IMAGES;

    if (row < n && image < count)
        to[(first + image) * n + row] = from[block * n * IMAGES + place];
}

// h = e + L x; d and e are 0.
__kernel void batch_begin(__global const float *x, __global float *h, __global float *d, __global float *e, uint n,
                          float lambda, float smooth, uint order)
{
    size_t place = get_global_id(0), row = place / IMAGES, at = get_global_id(1) * n * IMAGES + place;

    if (row >= n)
        return;
    h[at] = e[at] + linear_part(x + (at - row * IMAGES), (uint)row, n, IMAGES, lambda, smooth, order);
    d[at] = 0;
    e[at] = 0;
}

// w -= b; sums[image] = |w|^2 and sums[all + image] = |b|^2.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_residual(__global float *w, __global const float *b, uint rows, __global acc *sums, uint all)
{
    __local acc node[2 * GROUP];
    uint item = (uint)get_local_id(0), image = item % STEP;
    size_t block = get_group_id(1), first = get_group_id(0) * STEP, at = block * rows * IMAGES + first + image;
    acc squares = ACC_ZERO, goal = ACC_ZERO;

    for (uint row = item / STEP; row < rows; row += GROUP / STEP) {
        size_t place = at + (size_t)row * IMAGES;
        float right = b[place], rest = w[place] - right;
        w[place] = rest;
        squares = acc_add_product(squares, rest, rest);
        goal = acc_add_product(goal, right, right);
    }
    sum_images(&squares, &goal, STEP, node);
    if (item < STEP) {
        sums[block * IMAGES + first + image] = squares;
        sums[all + block * IMAGES + first + image] = goal;
    }
}
