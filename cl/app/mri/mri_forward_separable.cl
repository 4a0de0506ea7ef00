// SPDX-License-Identifier: Apache-2.0
// The forward sum as a product of matrices, the reverse of mri_separable.cl. The voxels of a column (y, z) at x and -x form
// a pair with the sum S and the difference D: the column adds G_m(y,z) C_m to sample m, with C_m = sum over pairs of cos(2
// pi k_x x) S + i sin(2 pi k_x x) D and G_m(y,z) = exp(i 2 pi (k_y y + k_z z)), where k is the sample's with the opposite
// sign. So C is the product of a real matrix and one of pairs, and G costs one sine and cosine for a sample and column. As
// there, the pairs of an axis of an even number of voxels are half a voxel off its middle.
//
// A group has TILE_SAMPLES samples and goes through the columns of its share, TILE_COLUMNS at a time, and through their
// pairs, TILE_X at a time: both factors are in local memory, two tiles of each, with one barrier a step. A work-item holds
// C of ITEM_SAMPLES samples and ITEM_COLUMNS columns in registers, and when all pairs of the columns are done, multiplies
// it by G and adds it up. The work-items that have the same samples are added up in order.
//
// Launch: groups of GROUP = TILE_SAMPLES TILE_COLUMNS / (ITEM_SAMPLES ITEM_COLUMNS) work-items; a group for each
// TILE_SAMPLES samples in dimension 0 and for each `share` of the voxels [begin, end) in dimension 1, whose sums go to a
// row of `parts`; then mri_forward_fold. Shares are best whole columns: columns at the ends of a share are read in part.
// Cost for a pair of voxels and a sample: 4 multiply-adds; a sine and a cosine for 1/TILE_COLUMNS of it and, with n pairs
// along x, for 1/n; in local memory 2/ITEM_COLUMNS + 4/ITEM_SAMPLES numbers; in global memory 16/TILE_SAMPLES bytes.
// Tunables: TILE_SAMPLES, TILE_COLUMNS, TILE_X, ITEM_SAMPLES (even; 4 TILE_X ITEM_COLUMNS or less than that times
// TILE_SAMPLES), ITEM_COLUMNS, TRIG (turn.clh).
#ifndef TILE_SAMPLES
#define TILE_SAMPLES 128
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 64
#endif
#ifndef TILE_X
#define TILE_X 8
#endif
#ifndef ITEM_SAMPLES
#define ITEM_SAMPLES 8
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 4
#endif
#ifndef TRIG
#define TRIG 2
#endif

#include "separable.clh"

#define ROWS (TILE_SAMPLES / ITEM_SAMPLES) // rows of work-items
#define COLUMNS (TILE_COLUMNS / ITEM_COLUMNS)
#define GROUP (ROWS * COLUMNS)
// What a work-item computes of a tile.
#define MAKES_SAMPLES (TILE_SAMPLES * TILE_X / GROUP)
#define MAKES_COLUMNS (TILE_COLUMNS * TILE_X / GROUP)
// Neighbouring work-items write pairs of one column; at this distance the pairs are in different banks.
#define PITCH (TILE_COLUMNS + 1)

struct matrix {
    uint size_x, size_y, size_z;
};

// Voxels [begin, end) of the matrix; `voxels` begins with number `first`.
struct image {
    __global const float2 *voxels;
    ulong first, begin, end;
};

// Cosines and sines of the pairs from `pair` on, for a tile's samples from m on.
static inline void make_along(__local float2 *tile, __global const uint *k, uint samples, uint m, uint pair, uint is_off,
                              uint item)
{
#pragma unroll
    for (uint i = 0; i < MAKES_SAMPLES; i++) {
        uint at = item + i * GROUP, step = k[3 * (ulong)min(m + at % TILE_SAMPLES, samples - 1)];

        tile[at] = unit_at(step * (pair + at / TILE_SAMPLES) + (is_off ? half_of(step) : 0));
    }
}

static inline float2 voxel_at(struct image image, ulong voxel)
{
    return voxel >= image.begin && voxel < image.end ? image.voxels[voxel - image.first] : (float2)(0.0f);
}

// S and D of the pairs from `pair` on, of columns from `column` on. The middle voxel of an odd axis is a pair by itself.
static inline void make_across(__local float4 *tile, struct image image, struct matrix matrix, ulong column, uint pair,
                               uint item)
{
    uint pairs = (matrix.size_x + 1) / 2, is_odd = matrix.size_x % 2;

#pragma unroll
    for (uint i = 0; i < MAKES_COLUMNS; i++) {
        uint at = item + i * GROUP, p = pair + at % TILE_X;
        ulong middle = (column + at / TILE_X) * matrix.size_x + matrix.size_x / 2;
        float2 above = (float2)(0.0f), below = (float2)(0.0f);

        if (p < pairs)
            above = voxel_at(image, middle + p);
        if (p < pairs && (p > 0 || !is_odd))
            below = voxel_at(image, middle + is_odd - 1 - p);
        tile[at % TILE_X * PITCH + at / TILE_X] = (float4)(above + below, above - below);
    }
}

// A work-item's samples come in twos, so that 16 bytes are read at once.
static inline void multiply(float2 c[ITEM_SAMPLES][ITEM_COLUMNS], __local const float4 *along, __local const float4 *across)
{
#pragma unroll
    for (uint p = 0; p < TILE_X; p++) {
        float2 a[ITEM_SAMPLES];
        float4 v[ITEM_COLUMNS];
#pragma unroll
        for (uint i = 0; i < ITEM_SAMPLES; i += 2) {
            float4 two = along[p * (TILE_SAMPLES / 2) + i / 2 * ROWS];
            a[i] = two.xy;
            a[i + 1] = two.zw;
        }
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++)
            v[j] = across[p * PITCH + j * COLUMNS];
#pragma unroll
        for (uint i = 0; i < ITEM_SAMPLES; i++)
#pragma unroll
            for (uint j = 0; j < ITEM_COLUMNS; j++) {
                c[i][j].x = mad(a[i].x, v[j].x, c[i][j].x);
                c[i][j].y = mad(a[i].x, v[j].y, c[i][j].y);
                c[i][j].x = mad(-a[i].y, v[j].w, c[i][j].x);
                c[i][j].y = mad(a[i].y, v[j].z, c[i][j].y);
            }
    }
}

// The number in the tile of sample i of a row of work-items.
static inline uint sample_of(uint row, uint i)
{
    return i / 2 * 2 * ROWS + 2 * row + i % 2;
}

// Adds C of the columns from `column` on, every COLUMNS-th, times G, to the sums, and resets C to 0.
static inline void take(float2 sum[ITEM_SAMPLES], float2 c[ITEM_SAMPLES][ITEM_COLUMNS], __global const uint *k, uint samples,
                        uint m, uint row, struct matrix matrix, ulong column)
{
    uint is_off = matrix.size_x % 2 == 0;
    uint y[ITEM_COLUMNS], z[ITEM_COLUMNS];

#pragma unroll
    for (uint j = 0; j < ITEM_COLUMNS; j++) {
        y[j] = (uint)((column + j * COLUMNS) % matrix.size_y) - matrix.size_y / 2;
        z[j] = (uint)((column + j * COLUMNS) / matrix.size_y) - matrix.size_z / 2;
    }
#pragma unroll
    for (uint i = 0; i < ITEM_SAMPLES; i++) {
        __global const uint *own = k + 3 * (ulong)min(m + sample_of(row, i), samples - 1);
        uint half_step = is_off ? half_of(own[0]) : 0, along_y = own[1], along_z = own[2];
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++) {
            float2 g = unit_at(along_y * y[j] + along_z * z[j] - half_step), s = c[i][j];

            sum[i].x = mad(g.x, s.x, sum[i].x);
            sum[i].y = mad(g.x, s.y, sum[i].y);
            sum[i].x = mad(-g.y, s.y, sum[i].x);
            sum[i].y = mad(g.y, s.x, sum[i].y);
            c[i][j] = (float2)(0.0f);
        }
    }
}

// `k`: three numbers a sample, -k as fractions of a turn a voxel. `image` begins with number `first` of the matrix.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mri_forward_separable(__global const uint *k, uint samples, uint size_x, uint size_y, uint size_z,
                           __global const float2 *image, ulong first, ulong begin, ulong end, uint share,
                           __global float2 *parts)
{
    __local float4 along[2][TILE_X * TILE_SAMPLES / 2], across[2][TILE_X * PITCH];
    float2 c[ITEM_SAMPLES][ITEM_COLUMNS], sum[ITEM_SAMPLES];
    uint item = (uint)get_local_id(0), part = (uint)get_group_id(1), m = (uint)get_group_id(0) * TILE_SAMPLES;
    uint row = item / COLUMNS, place = item % COLUMNS, is_off = size_x % 2 == 0, pairs = (size_x + 1) / 2;
    struct matrix matrix = {size_x, size_y, size_z};
    struct image own = {image, first, begin + (ulong)part * share, min(end, begin + (ulong)part * share + share)};
    ulong column = own.begin / size_x, last = (own.end - 1) / size_x;
    uint pair = 0, now = 0, is_more = 1;

#pragma unroll
    for (uint i = 0; i < ITEM_SAMPLES; i++) {
        sum[i] = (float2)(0.0f);
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++)
            c[i][j] = (float2)(0.0f);
    }
    make_along((__local float2 *)along[0], k, samples, m, 0, is_off, item);
    make_across(across[0], own, matrix, column, 0, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; is_more; now ^= 1) {
        ulong taken = column;

        pair += TILE_X;
        if (pair >= pairs) {
            pair = 0;
            column += TILE_COLUMNS;
        }
        is_more = column <= last;
        if (is_more) {
            make_along((__local float2 *)along[now ^ 1], k, samples, m, pair, is_off, item);
            make_across(across[now ^ 1], own, matrix, column, pair, item);
        }
        multiply(c, along[now] + row, across[now] + place);
        if (pair == 0)
            take(sum, c, k, samples, m, row, matrix, taken + place);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    // The tiles are not read any more.
    __local float2 *rest = (__local float2 *)across[0];
#pragma unroll
    for (uint i = 0; i < ITEM_SAMPLES; i++)
        rest[sample_of(row, i) * COLUMNS + place] = sum[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < TILE_SAMPLES && i < samples - m; i += GROUP) {
        float2 all = rest[i * COLUMNS];

        for (uint j = 1; j < COLUMNS; j++)
            all += rest[i * COLUMNS + j];
        parts[(ulong)part * samples + m + i] = all;
    }
}
