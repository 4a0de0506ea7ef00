// SPDX-License-Identifier: Apache-2.0
// The adjoint on the matrix's own voxels as a product of matrices. exp(i 2 pi k . r) is a product of a factor along x and
// one across it, so that the image at x and at a column (y, z) is sum_m A_mx G_m(y,z), with A_mx = exp(i 2 pi k_x x) and
// G_m(y,z) = mu_m exp(i 2 pi (k_y y + k_z z)). Voxels at x and -x form a pair: with U = sum cos(2 pi k_x x) G and V = sum
// sin(2 pi k_x x) G they are U + iV and U - iV. So A is real (cosines and sines), and G has two real columns for each
// column of voxels. The pairs of an axis of an even number of voxels are half a voxel off its middle, p + 1/2 from it; G
// has the phase of that half voxel. On an odd axis the first pair is the middle voxel, twice.
//
// A group computes TILE_X pairs times TILE_COLUMNS columns. It computes both factors for TILE_SAMPLES samples in local
// memory, from reduced phases, and multiplies them as cl/algo/gemm/gemm.cl does: two tiles of each, with one barrier a
// step; a work-item holds 4 sums for each of ITEM_X pairs and ITEM_COLUMNS columns in registers. Neither matrix is ever
// stored.
//
// Launch: groups of GROUP = TILE_X TILE_COLUMNS / (ITEM_X ITEM_COLUMNS) work-items; the first dimension has a group for
// every tile, those of the same columns side by side; the second one for every share of the samples.
// Cost for a pair of voxels and a sample: 4 multiply-adds; a sine and a cosine for 1/TILE_COLUMNS and two more for 1/TILE_X
// of it (some 20 operations each by polynomials); in local memory 2 (1/ITEM_X + 1/ITEM_COLUMNS) numbers; in global memory
// 20 bytes a sample and group. With tiles of 64 x 64 and items of 4 x 4: 4 + 0.7 operations and 4 bytes of local memory a
// pair of voxels, so that multiply-adds are the limit, 2 a voxel.
// Tunables: TILE_X, TILE_COLUMNS, TILE_SAMPLES, ITEM_X, ITEM_COLUMNS (even), TRIG (turn.clh). What is summed: REAL_MU.
#ifndef TILE_X
#define TILE_X 64
#endif
#ifndef TILE_COLUMNS
#define TILE_COLUMNS 64
#endif
#ifndef TILE_SAMPLES
#define TILE_SAMPLES 8
#endif
#ifndef ITEM_X
#define ITEM_X 4
#endif
#ifndef ITEM_COLUMNS
#define ITEM_COLUMNS 4
#endif
#ifndef REAL_MU
#define REAL_MU 0
#endif
#ifndef TRIG
#define TRIG 2
#endif

#include "mri.clh"
#include "separable.clh"

#define ROWS (TILE_X / ITEM_X) // rows of work-items
#define COLUMNS (TILE_COLUMNS / ITEM_COLUMNS)
#define GROUP (ROWS * COLUMNS)
// What a work-item computes of a tile: pairs of numbers.
#define MAKES_X (TILE_X * TILE_SAMPLES / GROUP)
#define MAKES_COLUMNS (TILE_COLUMNS * TILE_SAMPLES / GROUP)

// The remaining samples of a share: k as fractions of a turn a voxel, and the real part of mu; its imaginary part.
struct samples {
    __global const uint4 *points;
    __global const float *imaginary;
    uint left;
};

// Cosines and sines of the pairs from `pair` on, for TILE_SAMPLES samples. Past the end, the last sample is repeated.
static inline void make_along(__local float2 *tile, struct samples samples, uint pair, uint is_off, uint item)
{
#pragma unroll
    for (uint i = 0; i < MAKES_X; i++) {
        uint at = item + i * GROUP, step = samples.points[min(at / TILE_X, samples.left - 1)].x;

        tile[at] = unit_at(step * (pair + at % TILE_X) + (is_off ? half_of(step) : 0));
    }
}

// G of the columns that are `y` and `z` steps from the middle, for TILE_SAMPLES samples; 0 beyond the last one.
static inline void make_across(__local float2 *tile, struct samples samples, const uint *y, const uint *z, uint is_off,
                               uint item)
{
#pragma unroll
    for (uint i = 0; i < MAKES_COLUMNS; i++) {
        uint at = item + i * GROUP, m = min(at / TILE_COLUMNS, samples.left - 1);
        uint4 k = samples.points[m];
        float2 unit = unit_at(k.y * y[i] + k.z * z[i] - (is_off ? half_of(k.x) : 0));
        float re = as_float(k.w);
        float2 g = re * unit;

#if !REAL_MU
        float im = samples.imaginary[m];
        g = mad((float2)(-im, im), unit.yx, g);
#endif
        tile[at] = at / TILE_COLUMNS < samples.left ? g : (float2)(0.0f);
    }
}

// A work-item's pairs and columns come in twos, so that 16 bytes are read at once.
static inline void multiply(float4 sum[ITEM_X][ITEM_COLUMNS], __local const float4 *along, __local const float4 *across)
{
#pragma unroll
    for (uint m = 0; m < TILE_SAMPLES; m++) {
        float2 a[ITEM_X], g[ITEM_COLUMNS];
#pragma unroll
        for (uint i = 0; i < ITEM_X; i += 2) {
            float4 two = along[m * (TILE_X / 2) + i / 2 * ROWS];
            a[i] = two.xy;
            a[i + 1] = two.zw;
        }
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j += 2) {
            float4 two = across[m * (TILE_COLUMNS / 2) + j / 2 * COLUMNS];
            g[j] = two.xy;
            g[j + 1] = two.zw;
        }
#pragma unroll
        for (uint i = 0; i < ITEM_X; i++)
#pragma unroll
            for (uint j = 0; j < ITEM_COLUMNS; j++) {
                sum[i][j].x = mad(a[i].x, g[j].x, sum[i][j].x);
                sum[i][j].y = mad(a[i].x, g[j].y, sum[i][j].y);
                sum[i][j].z = mad(a[i].y, g[j].x, sum[i][j].z);
                sum[i][j].w = mad(a[i].y, g[j].y, sum[i][j].w);
            }
    }
}

// Where sums go: voxels `first` to first + count of the matrix, or a row of `parts`.
struct target {
    ulong first;
    uint count;
    __global float2 *parts;
    __global float4 *total;
    __global float2 *image;
    uint stage, is_part;
};

static inline void put(struct target to, ulong voxel, float2 sum)
{
    uint n = (uint)(voxel - to.first);

    if (voxel < to.first || voxel - to.first >= to.count)
        return;
    if (to.is_part)
        to.parts[n] = sum;
    else
        give(to.total, to.image, n, pair_add(begun(to.total, n, to.stage), sum), to.stage);
}

// The image's voxels from number `first` of the matrix on, `count` of them, in columns from first / size_x on. With several
// groups in dimension 1, each takes `share` samples and writes its sums to its own row of `parts`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mri_separable(uint size_x, uint size_y, uint size_z, ulong first, uint count, __global const uint4 *points,
                   __global const float *imaginary, uint begin, uint end, uint share, __global float2 *parts,
                   __global float4 *total, __global float2 *image, ulong at, uint stage)
{
    __local float4 along[2][TILE_SAMPLES * TILE_X / 2], across[2][TILE_SAMPLES * TILE_COLUMNS / 2];
    float4 sum[ITEM_X][ITEM_COLUMNS];
    uint y[MAKES_COLUMNS], z[MAKES_COLUMNS];
    uint item = (uint)get_local_id(0), part = (uint)get_group_id(1);
    uint pairs = (size_x + 1) / 2, is_odd = size_x % 2, down = (pairs - 1) / TILE_X + 1;
    uint group = (uint)get_global_id(0) / GROUP, pair = group % down * TILE_X;
    ulong column = first / size_x + (ulong)(group / down) * TILE_COLUMNS;
    uint row = item / COLUMNS, place = item % COLUMNS, now = 0;
    struct target to = {first, count, parts + (ulong)part * count, total, image + at, stage, get_num_groups(1) > 1};
    struct samples samples;

#pragma unroll
    for (uint i = 0; i < MAKES_COLUMNS; i++) {
        ulong c = column + (item + i * GROUP) % TILE_COLUMNS;

        y[i] = (uint)(c % size_y) - size_y / 2;
        z[i] = (uint)(c / size_y) - size_z / 2;
    }
#pragma unroll
    for (uint i = 0; i < ITEM_X; i++)
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++)
            sum[i][j] = (float4)(0.0f);
    begin += part * share;
    samples.points = points + begin;
    samples.imaginary = imaginary + begin;
    samples.left = min(end - begin, share);
    make_along((__local float2 *)along[0], samples, pair, !is_odd, item);
    make_across((__local float2 *)across[0], samples, y, z, !is_odd, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; samples.left > TILE_SAMPLES; now ^= 1) {
        samples.points += TILE_SAMPLES;
        samples.imaginary += TILE_SAMPLES;
        samples.left -= TILE_SAMPLES;
        make_along((__local float2 *)along[now ^ 1], samples, pair, !is_odd, item);
        make_across((__local float2 *)across[now ^ 1], samples, y, z, !is_odd, item);
        multiply(sum, along[now] + row, across[now] + place);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    multiply(sum, along[now] + row, across[now] + place);

#pragma unroll
    for (uint i = 0; i < ITEM_X; i++) {
        uint p = pair + i / 2 * 2 * ROWS + 2 * row + i % 2;
#pragma unroll
        for (uint j = 0; j < ITEM_COLUMNS; j++) {
            ulong middle = (column + j / 2 * 2 * COLUMNS + 2 * place + j % 2) * size_x + size_x / 2;
            float4 s = sum[i][j];

            if (p < pairs)
                put(to, middle + p, (float2)(s.x - s.w, s.y + s.z));
            if (p < pairs && (p > 0 || !is_odd))
                put(to, middle + is_odd - 1 - p, (float2)(s.x + s.w, s.y - s.z));
        }
    }
}
