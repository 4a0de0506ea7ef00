// SPDX-License-Identifier: Apache-2.0
// C = alpha op(A) op(B) + beta C in row order, real or complex, op(X) being X, its transpose or its conjugate.
//
// A group computes a tile of TILE_M x TILE_N of C, in steps of TILE_K along k. Local memory holds two tiles of each
// operand: while one is multiplied, the next is loaded through registers, with one barrier a step. A work-item holds ITEM_M
// x ITEM_N sums in registers. Loads take 16 bytes where the operands allow it (VECTOR_A, VECTOR_B, VECTOR_C). Rows and
// columns beyond the matrix repeat its last ones and are not stored, so that loads need to check nothing but the end of k.
//
// Every sum is added up in the order of k; include/koine/gemm.h states the bound of its error.
//
// Launch: groups of GROUP = TILE_M TILE_N / (ITEM_M ITEM_N) work-items; the first dimension has a group for every tile of
// C, the second one for every matrix of a batch. gemm_fold: at least one work-item for every element of C.
// Cost: 2 m n k operations (8 m n k if complex); reads A n / TILE_N times and B m / TILE_M times, mostly from a cache,
// because BAND rows of tiles are computed together. If C has few tiles but k is long, k is split as if its parts were a
// batch, and gemm_fold adds up their products.
// Tunables: TILE_M, TILE_N, TILE_K, ITEM_M, ITEM_N, BAND; LANE_M (how many of 32 neighbouring work-items lie below one
// another: 4 or 8 keep reads of local memory free of bank conflicts). The operands: REAL_BITS (32, 64), COMPLEX, ALONG_K_A
// and ALONG_K_B (the columns of the stored operand run along k: A as it is, B transposed), CONJUGATE_A, CONJUGATE_B,
// VECTOR_A, VECTOR_B, VECTOR_C (elements a load takes, W or 1).
#ifndef COMPLEX
#define COMPLEX 0
#endif
#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef ITEM_M
#define ITEM_M 4
#endif
#ifndef ITEM_N
#define ITEM_N 4
#endif
#ifndef LANE_M
#define LANE_M 4
#endif
#ifndef BAND
#define BAND 8
#endif
#ifndef ALONG_K_A
#define ALONG_K_A 1
#endif
#ifndef ALONG_K_B
#define ALONG_K_B 0
#endif
#ifndef CONJUGATE_A
#define CONJUGATE_A 0
#endif
#ifndef CONJUGATE_B
#define CONJUGATE_B 0
#endif

#include "../../lib/real.clh"

// An element, and the 16 bytes loaded at once: W elements.
#if COMPLEX && REAL_BITS == 64
#define W 1
typedef double2 element;
typedef double2 chunk;
#elif COMPLEX
#define W 2
typedef float2 element;
typedef float4 chunk;
#elif REAL_BITS == 64
#define W 2
typedef double element;
typedef double2 chunk;
#else
#define W 4
typedef float element;
typedef float4 chunk;
#endif
#ifndef TILE_K
#define TILE_K (4 * W)
#endif
#ifndef VECTOR_A
#define VECTOR_A W
#endif
#ifndef VECTOR_B
#define VECTOR_B W
#endif
#ifndef VECTOR_C
#define VECTOR_C W
#endif

#define ROWS (TILE_M / ITEM_M) // rows of work-items
#define COLUMNS (TILE_N / ITEM_N)
#define GROUP (ROWS * COLUMNS)
#define LANE_N (32 / LANE_M)
// A row of a tile in local memory; 16 bytes more keep the columns of a transposed store in different banks.
#define STRIDE_A (TILE_M + W)
#define STRIDE_B (TILE_N + W)
// What a work-item loads of a tile.
#define BRINGS_A (TILE_M * TILE_K / GROUP)
#define BRINGS_B (TILE_N * TILE_K / GROUP)

static inline void spread(element *to, chunk from)
{
#if W == 1
    to[0] = from;
#elif W == 2 && COMPLEX
    to[0] = from.lo;
    to[1] = from.hi;
#elif W == 2
    to[0] = from.x;
    to[1] = from.y;
#else
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
    to[3] = from.w;
#endif
}

static inline chunk gather(const element *from)
{
#if W == 1
    return from[0];
#elif W == 2 && COMPLEX
    return (chunk)(from[0], from[1]);
#elif W == 2
    return (chunk)(from[0], from[1]);
#else
    return (chunk)(from[0], from[1], from[2], from[3]);
#endif
}

static inline element conjugate(element value)
{
#if COMPLEX
    value.y = -value.y;
#endif
    return value;
}

// sum + a b.
static inline element add_product(element sum, element a, element b)
{
#if COMPLEX
    sum.x += a.x * b.x;
    sum.y += a.x * b.y;
    sum.x -= a.y * b.y;
    sum.y += a.y * b.x;
#else
    sum += a * b;
#endif
    return sum;
}

// How the tiles of an operand are loaded: all of these are constants, so that unused cases are not compiled.
struct shape {
    uint along_k; // the operand's columns run along k
    uint vector;  // elements a load
    uint span;    // rows or columns of the tile
    uint stride;  // of a row of the tile in local memory
    uint loads;   // loads of a work-item
    uint conjugated;
};

// Where the i-th load of a work-item begins: its position along k, and across it.
static inline uint along(struct shape s, uint load)
{
    return s.along_k ? load % (TILE_K / s.vector) * s.vector : load / (s.span / s.vector);
}

static inline uint across(struct shape s, uint load)
{
    return s.along_k ? load / (TILE_K / s.vector) : load % (s.span / s.vector) * s.vector;
}

static inline void find(struct shape s, __global const element **from, __global const element *matrix, ulong pitch,
                 uint start, uint extent, uint item)
{
#pragma unroll
    for (uint i = 0; i < s.loads; i++) {
        uint load = item + i * GROUP;
        ulong position = min(start + across(s, load), extent - (s.along_k ? 1 : s.vector));
        from[i] = matrix + (s.along_k ? position * pitch + along(s, load) : along(s, load) * pitch + position);
    }
}

// Loads the next TILE_K, of which `left` exist; the others are 0.
static inline void fetch(struct shape s, element *to, __global const element **from, ulong step, uint left, uint item)
{
#pragma unroll
    for (uint i = 0; i < s.loads; i++) {
        bool there = left >= TILE_K || along(s, item + i * GROUP) < left;
        if (s.vector == W)
            spread(&to[i * s.vector], there ? *(__global const chunk *)from[i] : (chunk)(0));
        else
            to[i] = there ? *from[i] : (element)(0);
        from[i] += step;
    }
}

static inline void put(struct shape s, __local element *tile, const element *brought, uint item)
{
#pragma unroll
    for (uint i = 0; i < s.loads; i++) {
        uint load = item + i * GROUP;
        __local element *to = &tile[along(s, load) * s.stride + across(s, load)];
        element values[W];
#pragma unroll
        for (uint e = 0; e < s.vector; e++)
            values[e] = s.conjugated ? conjugate(brought[i * s.vector + e]) : brought[i * s.vector + e];
        if (s.along_k || s.vector < W) {
#pragma unroll
            for (uint e = 0; e < s.vector; e++)
                to[e * s.stride] = values[e];
        } else
            *(__local chunk *)to = gather(values);
    }
}

// Adds the products of one step: `a` and `b` begin with the work-item's first row and column.
static inline void multiply(element sum[ITEM_M][ITEM_N], __local const element *a, __local const element *b)
{
#pragma unroll
    for (uint k = 0; k < TILE_K; k++) {
        element left[ITEM_M], right[ITEM_N];
#pragma unroll
        for (uint i = 0; i < ITEM_M; i += W)
            spread(&left[i], *(__local const chunk *)&a[k * STRIDE_A + i * ROWS]);
#pragma unroll
        for (uint j = 0; j < ITEM_N; j += W)
            spread(&right[j], *(__local const chunk *)&b[k * STRIDE_B + j * COLUMNS]);
#pragma unroll
        for (uint i = 0; i < ITEM_M; i++)
#pragma unroll
            for (uint j = 0; j < ITEM_N; j++)
                sum[i][j] = add_product(sum[i][j], left[i], right[j]);
    }
}

// Stores up to W neighbours in a row of C; with beta = 0 they are not read.
static inline void finish(__global element *to, const element *sums, element alpha, element beta, bool keep, uint left)
{
    element values[W];

#pragma unroll
    for (uint e = 0; e < W; e++)
        values[e] = add_product((element)(0), alpha, sums[e]);
    if (VECTOR_C == W) {
        element old[W];
        if (keep) {
            spread(old, *(__global const chunk *)to);
#pragma unroll
            for (uint e = 0; e < W; e++)
                values[e] = add_product(values[e], beta, old[e]);
        }
        *(__global chunk *)to = gather(values);
        return;
    }
#pragma unroll
    for (uint e = 0; e < W; e++)
        if (e < left)
            to[e] = keep ? add_product(values[e], beta, to[e]) : values[e];
}

// The tile of a group: bands of BAND rows of tiles, each walked column by column.
static inline uint2 tile_of(uint group, uint m, uint n)
{
    uint down = (m - 1) / TILE_M + 1, right = (n - 1) / TILE_N + 1;
    uint band = group / (BAND * right), within = group % (BAND * right);
    uint rows = min((uint)BAND, down - band * BAND);

    return (uint2)(band * BAND + within % rows, within / rows);
}

// m and n are not 0; with keep = 0, C is not read. Offsets, pitches (from one row to the next) and strides (from one matrix
// of the batch to the next) are in elements.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void gemm(__global const element *restrict a, ulong a_offset, ulong a_pitch, ulong a_stride,
          __global const element *restrict b, ulong b_offset, ulong b_pitch, ulong b_stride,
          __global element *restrict c, ulong c_offset, ulong c_pitch, ulong c_stride,
          uint m, uint n, uint k, element alpha, element beta, uint keep)
{
    const struct shape shape_a = {ALONG_K_A, VECTOR_A, TILE_M, STRIDE_A, BRINGS_A / VECTOR_A, CONJUGATE_A};
    const struct shape shape_b = {ALONG_K_B, VECTOR_B, TILE_N, STRIDE_B, BRINGS_B / VECTOR_B, CONJUGATE_B};
    __local chunk tiles_a[2][TILE_K * STRIDE_A / W];
    __local chunk tiles_b[2][TILE_K * STRIDE_B / W];
    __global const element *from_a[BRINGS_A / VECTOR_A];
    __global const element *from_b[BRINGS_B / VECTOR_B];
    element brought_a[BRINGS_A], brought_b[BRINGS_B];
    element sum[ITEM_M][ITEM_N];
    uint item = (uint)get_local_id(0);
    ulong matrix = get_group_id(1);
    uint2 tile = tile_of((uint)get_group_id(0), m, n);
    uint top = tile.x * TILE_M, leftmost = tile.y * TILE_N;
    // 32 neighbours form a block of LANE_M x LANE_N of the group's work-items.
    uint lane = item % 32, block = item / 32;
    uint row = (block / (COLUMNS / LANE_N) * LANE_M + lane / LANE_N) * W;
    uint column = (block % (COLUMNS / LANE_N) * LANE_N + lane % LANE_N) * W;
    ulong step_a = ALONG_K_A ? TILE_K : TILE_K * a_pitch, step_b = ALONG_K_B ? TILE_K : TILE_K * b_pitch;
    uint now = 0;

    find(shape_a, from_a, a + a_offset + matrix * a_stride, a_pitch, top, m, item);
    find(shape_b, from_b, b + b_offset + matrix * b_stride, b_pitch, leftmost, n, item);
#pragma unroll
    for (uint i = 0; i < ITEM_M; i++)
#pragma unroll
        for (uint j = 0; j < ITEM_N; j++)
            sum[i][j] = (element)(0);
    fetch(shape_a, brought_a, from_a, step_a, k, item);
    fetch(shape_b, brought_b, from_b, step_b, k, item);
    put(shape_a, (__local element *)tiles_a[0], brought_a, item);
    put(shape_b, (__local element *)tiles_b[0], brought_b, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint left = k; left > TILE_K; left -= TILE_K) {
        fetch(shape_a, brought_a, from_a, step_a, left - TILE_K, item);
        fetch(shape_b, brought_b, from_b, step_b, left - TILE_K, item);
        multiply(sum, (__local const element *)tiles_a[now] + row, (__local const element *)tiles_b[now] + column);
        now ^= 1;
        put(shape_a, (__local element *)tiles_a[now], brought_a, item);
        put(shape_b, (__local element *)tiles_b[now], brought_b, item);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    multiply(sum, (__local const element *)tiles_a[now] + row, (__local const element *)tiles_b[now] + column);

    __global element *to = c + c_offset + matrix * c_stride;
#pragma unroll
    for (uint i = 0; i < ITEM_M; i++) {
        uint y = top + i / W * W * ROWS + row + i % W;
#pragma unroll
        for (uint j = 0; j < ITEM_N; j += W) {
            uint x = leftmost + j * COLUMNS + column;
            if (y < m && x < n)
                finish(&to[y * c_pitch + x], &sum[i][j], alpha, beta, keep != 0, n - x);
        }
    }
}

// C = alpha (sum of `parts` matrices of m x n, one after the other) + beta C, for products that were split along k.
__kernel void gemm_fold(__global const element *restrict partial, uint parts, uint m, uint n, __global element *restrict c,
                        ulong c_offset, ulong c_pitch, element alpha, element beta, uint keep)
{
    ulong position = get_global_id(0), size = (ulong)m * n;

    if (position >= size)
        return;
    element sum = partial[position];
    for (uint i = 1; i < parts; i++)
        sum += partial[i * size + position];
    __global element *to = &c[c_offset + position / n * c_pitch + position % n];
    sum = add_product((element)(0), alpha, sum);
    *to = keep ? add_product(sum, beta, *to) : sum;
}
