// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients on the normal equations with a correction term (formulas: cl/operator/cgnr.cl) for many right-hand
// sides, called images, with one matrix: IMAGES of them are stored side by side, so that A and A^T are read once for all of
// them. Element j of image l of block q is at (q * length + j) * IMAGES + l. Every image has its own alpha, beta and end;
// its sums have one order, whatever images are beside it.
//
// Launch, in each iteration; get_group_id(1) is the block: batch_move, x and h along d; batch_turn, the next d; then
// batch_multiply, w = A d, GROUP / (LANES * SHARES) rows a group, and batch_back, e = A^T w + L d, this many at a time of
// the `each` columns of a group. Sums of an image consist of parts, one of each group, which every group of the next kernel
// adds up in one order. Groups of batch_move and batch_turn have STEP images and `each` columns: group slice + IMAGES /
// STEP * chunk has those of a slice and a chunk. Before and after: batch_take and batch_give interleave the images and
// separate them again; batch_begin, batch_residual. cl/app/sparse/sparse_batch_whole.cl has all iterations in one launch,
// cl/app/sparse/sparse_batch_tiles.cl products in tiles of rows.
// Cost, for IMAGES images: a product reads the matrix once, a vector's line of IMAGES numbers for every nonzero, and
// writes one for every row; batch_back reads e, d, x, h beside it, batch_move reads these and writes x, h, batch_turn
// reads d, x, h and writes d.
// Tunables: GROUP, IMAGES, STEP (at most IMAGES), SHARES (work-items that divide a row; all powers of two), WIDE (images a
// work-item has of a product: 1, 4, 8, 16), AHEAD (cl/app/sparse/batch.clh), CORRECTION (cl/operator/cgnr.clh), ACC_SOFT
// (cl/lib/accumulator.clh).
#ifndef STEP
#define STEP 8
#endif

#include "batch.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_multiply(__global const uint *starts, __global const uint *indices, __global const float *values, uint rows, uint n,
               __global const float *x, __global float *y)
{
    __local images part[SHARES > 1 ? GROUP : 1];
    size_t block = get_group_id(1);

    multiply(starts, indices, values, x + block * n * IMAGES, y + block * rows * IMAGES, (uint)get_group_id(0) * ROWS,
             rows, (uint)get_num_groups(0) * ROWS, part);
}

// ---- steps ----

// e = A^T w + L d; parts of d.e and of d.g.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_back(__global const uint *starts, __global const uint *indices, __global const float *values, uint n, uint rows,
           uint each, __global const float *w, __global float *e, __global const float *x, __global const float *h,
           __global const float *d, float weight, float lambda, float smooth, uint order, __global const uint *ends,
           uint all, uint iteration, __global acc *parts)
{
    __local images part[SHARES > 1 ? GROUP : 1];
    __local acc node[2 * GROUP];
    const struct terms terms = {weight, lambda, smooth, 0, order};
    size_t block = get_group_id(1), at = block * n * IMAGES + get_local_id(0) % IMAGES;
    uint first = (uint)get_group_id(0) * each, last = end_of(first, each, n);

    multiply(starts, indices, values, w + block * rows * IMAGES, e + block * n * IMAGES, first, last, ROWS, part);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    curve_images(x + at, h + at, d + at, e + at, first, last, n, &terms,
                 ends[iteration % 2 * all + block * IMAGES + get_local_id(0) % IMAGES] == 0,
                 block * get_num_groups(0) + get_group_id(0), parts, node);
}

// Moves x and h along d, unless an image has ended, or d.e is not positive: `curvatures` is then 0, otherwise d.e. Parts of
// |g|^2 and g.e. Iteration 0, which has no parts of d.e, moves nothing.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_move(__global float *restrict x, __global float *restrict h, __global const float *restrict d,
           __global const float *restrict e, uint n, uint each,
           float weight, __global const uint *ends, uint all, uint iteration, __global const acc *parts, uint count,
           __global acc *next, __global acc *curvatures)
{
    __local acc node[2 * GROUP];
    const struct terms terms = {weight, 0, 0, 0, 0};
    uint item = (uint)get_local_id(0), slice = (uint)get_group_id(0) % (IMAGES / STEP);
    uint chunk = (uint)get_group_id(0) / (IMAGES / STEP), chunks = (uint)get_num_groups(0) / (IMAGES / STEP);
    uint first = chunk * each, last = end_of(first, each, n);
    size_t block = get_group_id(1), own = block * IMAGES + slice * STEP;
    size_t at = block * n * IMAGES + slice * STEP + item % STEP;
    acc curvature = ACC_ZERO, slope = ACC_ZERO, squares = ACC_ZERO, turn = ACC_ZERO;
    bool goes_on = ends[iteration % 2 * all + own + item % STEP] == 0;
    float length = 0;

    add_parts(parts + block * count * 2 * IMAGES + slice * STEP, count, STEP, &curvature, &slope, node);
    if (count > 0)
        length = step_length(slope, curvature);
    goes_on = goes_on && !isnan(length);
    for (uint j = first + item / STEP; j < last && goes_on; j += GROUP / STEP)
        take_move(x + at, h + at, d + at, e + at, j, length, &terms, &squares, &turn);
    if (chunk == 0 && item < STEP)
        curvatures[own + item] = isnan(length) ? ACC_ZERO : curvature;
    sum_images(&squares, &turn, STEP, node);
    put_part(squares, turn, block * chunks + chunk, STEP, next + slice * STEP);
}

// Decides whether images end, and computes d of the others. norms: |g|^2 of iteration 0, then, `all` further on, the d.e
// that led there (0), and so on.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_turn(__global const float *restrict x, __global const float *restrict h, __global float *restrict d, uint n,
           uint each, float weight,
           float gradient, __global const acc *parts, __global const acc *curvatures, __global acc *norms,
           __global uint *ends, uint all, uint iteration)
{
    __local acc node[2 * GROUP];
    uint item = (uint)get_local_id(0), slice = (uint)get_group_id(0) % (IMAGES / STEP);
    uint chunk = (uint)get_group_id(0) / (IMAGES / STEP), chunks = (uint)get_num_groups(0) / (IMAGES / STEP);
    uint first = chunk * each, last = end_of(first, each, n);
    size_t block = get_group_id(1), own = block * IMAGES + slice * STEP + item % STEP;
    size_t at = block * n * IMAGES + slice * STEP + item % STEP;
    acc squares = ACC_ZERO, turn = ACC_ZERO, curvature = curvatures[own];
    acc start = iteration > 0 ? norms[own] : ACC_ZERO;
    uint end = ends[iteration % 2 * all + own], code = 0;

    add_parts(parts + block * chunks * 2 * IMAGES + slice * STEP, chunks, STEP, &squares, &turn, node);
    if (iteration > 0 && !acc_less(ACC_ZERO, curvature))
        code = STOP_CURVATURE;
    else if (!(acc_ratio(squares, iteration > 0 ? start : squares) > gradient))
        code = STOP_GRADIENT + STOP_MOVED;
    if (chunk == 0 && item < STEP) {
        if (end == 0) {
            norms[2 * (size_t)iteration * all + own] =
                code == STOP_CURVATURE ? norms[2 * (size_t)(iteration - 1) * all + own] : squares;
            norms[(2 * (size_t)iteration + 1) * all + own] = curvature;
        }
        ends[(iteration + 1) % 2 * all + own] = end ? end : code ? ENDED(code, iteration) : 0;
    }
    float ratio = iteration > 0 ? acc_ratio(turn, curvature) : 0;
    for (uint j = first + item / STEP; j < last && end == 0 && code == 0; j += GROUP / STEP)
        take_turn(x + at, h + at, d + at, j, ratio, weight);
}

// ---- before and after ----

// Interleaves `count` vectors of n numbers, which are stored one after the other; images missing in the last block are 0.
__kernel void batch_take(__global const float *from, __global float *to, ulong first, uint n, uint count)
{
    size_t position = get_global_id(0), row = position / IMAGES, block = get_global_id(1);
    size_t image = block * IMAGES + position % IMAGES;

    if (row < n)
        to[block * n * IMAGES + position] = image < count ? from[(first + image) * n + row] : 0;
}

// The reverse.
__kernel void batch_give(__global const float *from, __global float *to, ulong first, uint n, uint count)
{
    size_t position = get_global_id(0), row = position / IMAGES, block = get_global_id(1);
    size_t image = block * IMAGES + position % IMAGES;

    if (row < n && image < count)
        to[(first + image) * n + row] = from[block * n * IMAGES + position];
}

// h = e + L x; d and e are 0.
__kernel void batch_begin(__global const float *x, __global float *h, __global float *d, __global float *e, uint n,
                          float lambda, float smooth, uint order)
{
    size_t position = get_global_id(0), row = position / IMAGES, at = get_global_id(1) * n * IMAGES + position;

    if (row >= n)
        return;
    h[at] = e[at] + linear_part(x + (at - row * IMAGES), (uint)row, n, IMAGES, lambda, smooth, order);
    d[at] = 0;
    e[at] = 0;
}

// w -= b; |w|^2 and |b|^2 over the `each` rows of a chunk: sums[2 * chunk * all + image], and `all` further on. Groups are
// those of batch_move.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_residual(__global float *w, __global const float *b, uint rows, uint each, __global acc *sums, uint all)
{
    __local acc node[2 * GROUP];
    uint item = (uint)get_local_id(0), slice = (uint)get_group_id(0) % (IMAGES / STEP);
    uint chunk = (uint)get_group_id(0) / (IMAGES / STEP), first = chunk * each, last = end_of(first, each, rows);
    size_t block = get_group_id(1), at = block * rows * IMAGES + slice * STEP + item % STEP;
    acc squares = ACC_ZERO, goal = ACC_ZERO;

    for (uint row = first + item / STEP; row < last; row += GROUP / STEP) {
        size_t position = at + (size_t)row * IMAGES;
        float right = b[position], rest = w[position] - right;
        w[position] = rest;
        squares = acc_add_product(squares, rest, rest);
        goal = acc_add_product(goal, right, right);
    }
    sum_images(&squares, &goal, STEP, node);
    if (item < STEP) {
        sums += (size_t)chunk * 2 * all + block * IMAGES + slice * STEP + item;
        sums[0] = squares;
        sums[all] = goal;
    }
}
