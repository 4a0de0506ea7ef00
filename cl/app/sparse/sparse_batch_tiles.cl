// SPDX-License-Identifier: Apache-2.0
// Both products of an iteration of cl/app/sparse/sparse_batch.cl for matrices whose rows share columns, as rays through an
// image do. Neighbouring rows form a tile; a group keeps w = A d of its tile in local memory, and adds up what each column
// gets from it, A^T w of these rows alone: a line of IMAGES sums. So w is never written, and memory is read for the tile's
// lines of d, not for every nonzero.
//
// Launch; get_group_id(1) is the block: batch_tile, a group for a tile; batch_gather, which adds up the lines of a column,
// which are contiguous, and does the rest of the work of batch_back, GROUP / LANES of the `each` columns of a group at a
// time.
// Arrays: tile t has the rows from t * TILE on, row r the fours of nonzeros starts[r] to starts[r + 1] - 1: each a column,
// and the value's bits; the last four is padded with 0 times its last column. A tile's entries, the longest first, are
// entries[firsts[t]] to entries[firsts[t + 1] - 1]: fours x to y - 1 of `back` (row in the tile, and the value's bits) are
// summed in line z. Column j has the lines columns[j] to columns[j + 1] - 1.
// Cost: the matrix is read twice; lines of d are read as often as the tile's rows miss the cache; all lines are written and
// read once.
// Tunables: those of cl/app/sparse/sparse_batch.cl except STEP, SHARES and AHEAD; TILE (rows, whose IMAGES numbers fill
// local memory).
#ifndef TILE
#define TILE 256
#endif

#include "batch.clh"

// Sums fours i to end - 1; x: the first line's images of this work-item.
#define DEFINE_SUM(name, space)                                                                                        \
    inline images name(uint i, uint end, __global const uint4 *nonzeros, space const images *x)                        \
    {                                                                                                                  \
        images sum = 0;                                                                                                \
        for (; i < end; i++) {                                                                                         \
            uint4 two = nonzeros[2 * (size_t)i], more = nonzeros[2 * (size_t)i + 1];                                   \
            images a = x[(size_t)two.x * LANES], b = x[(size_t)two.z * LANES];                                         \
            images c = x[(size_t)more.x * LANES], d = x[(size_t)more.z * LANES];                                       \
            sum = fma((images)(as_float(two.y)), a, sum);                                                              \
            sum = fma((images)(as_float(two.w)), b, sum);                                                              \
            sum = fma((images)(as_float(more.y)), c, sum);                                                             \
            sum = fma((images)(as_float(more.w)), d, sum);                                                             \
        }                                                                                                              \
        return sum;                                                                                                    \
    }

DEFINE_SUM(sum_of_columns, __global)
DEFINE_SUM(sum_of_rows, __local)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_tile(__global const uint *starts, __global const uint4 *nonzeros, uint rows, __global const uint *firsts,
           __global const uint4 *entries, __global const uint4 *back, uint n, uint lines, __global const float *d,
           __global float *sums)
{
    __local images w[TILE * LANES];
    uint lane = (uint)get_local_id(0) % LANES, team = (uint)get_local_id(0) / LANES;
    uint tile = (uint)get_group_id(0), first = tile * TILE, count = rows - first < TILE ? rows - first : TILE;
    size_t block = get_group_id(1);

    d += block * n * IMAGES + lane * WIDE;
    sums += block * lines * IMAGES + lane * WIDE;
    for (uint row = team; row < count; row += GROUP / LANES)
        w[row * LANES + lane] =
            sum_of_columns(starts[first + row], starts[first + row + 1], nonzeros, (__global const images *)d);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = firsts[tile] + team, end = firsts[tile + 1]; i < end; i += GROUP / LANES) {
        uint4 entry = entries[i];
        KEEP_IMAGES(sum_of_rows(entry.x, entry.y, back, w + lane), (size_t)entry.z * LANES, sums);
    }
}

// e = A^T w (the sums of its lines) + L d; parts of d.e and of d.g.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
batch_gather(__global const uint *columns, uint n, uint each, uint lines, __global const float *sums,
             __global float *e, __global const float *x, __global const float *h, __global const float *d, float weight,
             float lambda, float smooth, uint order, __global const uint *ends, uint all, uint iteration,
             __global acc *parts)
{
    __local acc node[2 * GROUP];
    const struct terms terms = {weight, lambda, smooth, 0, order};
    uint item = (uint)get_local_id(0), lane = item % LANES;
    uint first = (uint)get_group_id(0) * each, last = end_of(first, each, n);
    size_t block = get_group_id(1), at = block * n * IMAGES + item % IMAGES;

    sums += block * lines * IMAGES;
    for (uint j = first + item / LANES; j < last; j += GROUP / LANES) {
        images sum = 0;
        for (uint i = columns[j], end = columns[j + 1]; i < end; i++)
            sum += IMAGES_AT((size_t)i * LANES + lane, sums);
        KEEP_IMAGES(sum, (block * n + j) * LANES + lane, e);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    curve_images(x + at, h + at, d + at, e + at, first, last, n, &terms,
                 ends[iteration % 2 * all + block * IMAGES + item % IMAGES] == 0,
                 block * get_num_groups(0) + get_group_id(0), parts, node);
}
