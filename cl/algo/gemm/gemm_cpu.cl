// SPDX-License-Identifier: Apache-2.0
// C = alpha op(A) op(B) + beta C in row order, like cl/algo/gemm/gemm.cl, for devices whose work-items are threads with
// vector units: CPUs. After Goto and van de Geijn, Anatomy of high-performance matrix multiplication (2008).
//
// A work-item, a group by itself, computes BLOCK_M rows and `columns` columns of C, in steps of BLOCK_K along k. In each
// step it copies its part of A, and one panel of WIDTH columns of B after the other, to local memory in the order in which
// they are used (applying op, and padding with zeros), and multiplies strips of ITEM_M rows with the panel: ITEM_M vectors
// of sums in registers, one load of B and ITEM_M broadcast elements of A for each k. Real and imaginary parts of complex
// numbers are kept apart, so that no vector is ever shuffled.
//
// Sums are added in the order of k, up to BLOCK_K of them before they go to C.
//
// Launch: groups of one work-item; the first dimension has one for every BLOCK_M x `columns` of C, with those of the same
// rows next to each other, the second one for every matrix of a batch.
// Cost: 2 m n k operations (8 if complex); reads A n / `columns` times and B m / BLOCK_M times.
// Tunables: REAL_BITS, COMPLEX, ITEM_M, BLOCK_M (a multiple of it), BLOCK_K.
#ifndef COMPLEX
#define COMPLEX 0
#endif
#ifndef ITEM_M
#define ITEM_M 6
#endif
#ifndef BLOCK_M
#define BLOCK_M 12
#endif
#ifndef BLOCK_K
#define BLOCK_K 64
#endif

#include "../../lib/real.clh"

#define PARTS (COMPLEX + 1)
#if REAL_BITS == 64
#define WIDTH 8
typedef double8 reals;
#define LOAD vload8
#define STORE vstore8
#else
#define WIDTH 16
typedef float16 reals;
#define LOAD vload16
#define STORE vstore16
#endif

// An operand: element (i, j) of op(X) is at i * row + j * column, in numbers; its imaginary part follows it and is
// multiplied by `sign`.
struct operand {
    __global const real *from;
    ulong row, column;
    real sign;
};

// Packs strips of ITEM_M rows: for each k the ITEM_M real parts, then the imaginary ones.
static inline void pack_a(__local real *to, struct operand a, uint rows, uint depth)
{
    for (uint strip = 0; strip < rows; strip += ITEM_M)
        for (uint i = 0; i < ITEM_M; i++) {
            __local real *at = to + strip * PARTS * BLOCK_K + i;
            __global const real *from = a.from + (strip + i) * a.row;
            for (uint k = 0; k < depth; k++) {
                bool there = strip + i < rows;
                at[k * PARTS * ITEM_M] = there ? from[k * a.column] : 0;
#if COMPLEX
                at[k * PARTS * ITEM_M + ITEM_M] = there ? a.sign * from[k * a.column + 1] : 0;
#endif
            }
        }
}

// Packs a panel: for each k the WIDTH real parts, then the imaginary ones.
static inline void pack_b(__local real *to, struct operand b, uint columns, uint depth)
{
#if !COMPLEX
    if (columns == WIDTH && b.column == 1) {
        for (uint k = 0; k < depth; k++)
            STORE(LOAD(0, b.from + k * b.row), k, to);
        return;
    }
#endif
    for (uint j = 0; j < WIDTH; j++)
        for (uint k = 0; k < depth; k++) {
            bool there = j < columns;
            to[k * PARTS * WIDTH + j] = there ? b.from[k * b.row + j * b.column] : 0;
#if COMPLEX
            to[k * PARTS * WIDTH + WIDTH + j] = there ? b.sign * b.from[k * b.row + j * b.column + 1] : 0;
#endif
        }
}

// The sums of a strip times a panel: real parts, then imaginary ones.
static inline void multiply(reals sum[PARTS * ITEM_M], __local const real *a, __local const real *b, uint depth)
{
#pragma unroll
    for (uint i = 0; i < PARTS * ITEM_M; i++)
        sum[i] = (reals)(0);
    for (uint k = 0; k < depth; k++) {
        reals right = LOAD(PARTS * k, b);
#if COMPLEX
        reals right_im = LOAD(PARTS * k + 1, b);
#endif
#pragma unroll
        for (uint i = 0; i < ITEM_M; i++) {
            real left = a[k * PARTS * ITEM_M + i];
            sum[i] += left * right;
#if COMPLEX
            real left_im = a[k * PARTS * ITEM_M + ITEM_M + i];
            sum[i] -= left_im * right_im;
            sum[ITEM_M + i] += left * right_im;
            sum[ITEM_M + i] += left_im * right;
#endif
        }
    }
}

// alpha or beta.
struct factor {
    real re, im;
};

// C = alpha sum + beta C for up to WIDTH neighbours of a row; with `keep` = 0, C is not read.
static inline void finish(__global real *c, reals re, reals im, struct factor alpha, struct factor beta, uint keep, uint columns)
{
#if COMPLEX
    real sums[2 * WIDTH];
    STORE(re, 0, sums);
    STORE(im, 1, sums);
    for (uint j = 0; j < columns; j++) {
        real old_re = keep ? c[2 * j] : 0, old_im = keep ? c[2 * j + 1] : 0;
        c[2 * j] = alpha.re * sums[j] - alpha.im * sums[WIDTH + j] + (keep ? beta.re * old_re - beta.im * old_im : 0);
        c[2 * j + 1] = alpha.re * sums[WIDTH + j] + alpha.im * sums[j] + (keep ? beta.re * old_im + beta.im * old_re : 0);
    }
#else
    if (columns == WIDTH) {
        reals value = alpha.re * re;
        if (keep)
            value += beta.re * LOAD(0, c);
        STORE(value, 0, c);
        return;
    }
    real sums[WIDTH];
    STORE(re, 0, sums);
    for (uint j = 0; j < columns; j++)
        c[j] = keep ? alpha.re * sums[j] + beta.re * c[j] : alpha.re * sums[j];
#endif
}

// Multiplies a panel of B with all strips of A. `c` is the panel's first element in the block's first row.
static inline void multiply_panel(__global real *c, ulong c_row, __local const real *a, __local const real *b, uint rows,
                           uint columns, uint depth, struct factor alpha, struct factor beta, uint keep)
{
    for (uint strip = 0; strip < rows; strip += ITEM_M) {
        reals sum[PARTS * ITEM_M];
        multiply(sum, a + strip * PARTS * BLOCK_K, b, depth);
#pragma unroll
        for (uint i = 0; i < ITEM_M; i++)
            if (strip + i < rows)
                finish(c + (strip + i) * c_row, sum[i], sum[PARTS * ITEM_M - ITEM_M + i], alpha, beta, keep, columns);
    }
}

// m and n are not 0; k may be. Offsets and strides (from one matrix of the batch to the next) are in numbers, like `row`
// and `column` of struct operand.
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void gemm_cpu(__global const real *restrict a, ulong a_offset, ulong a_row, ulong a_column, ulong a_stride, real a_sign,
              __global const real *restrict b, ulong b_offset, ulong b_row, ulong b_column, ulong b_stride, real b_sign,
              __global real *restrict c, ulong c_offset, ulong c_row, ulong c_stride,
              uint m, uint n, uint k, uint columns, real alpha_re, real alpha_im, real beta_re, real beta_im, uint keep)
{
    __local real packed_a[PARTS * BLOCK_M * BLOCK_K];
    __local real packed_b[PARTS * WIDTH * BLOCK_K];
    const struct factor alpha = {alpha_re, alpha_im}, one = {1, 0};
    struct factor beta = {beta_re, beta_im};
    uint across = (n - 1) / columns + 1;
    ulong matrix = get_group_id(1);
    uint top = (uint)(get_group_id(0) / across) * BLOCK_M, left = (uint)(get_group_id(0) % across) * columns;
    uint rows = min((uint)BLOCK_M, m - top), right = min(n - left, columns) + left;
    uint begin = 0;

    do {
        uint depth = min((uint)BLOCK_K, k - begin);
        struct operand from_a = {a + a_offset + matrix * a_stride + top * a_row + begin * a_column, a_row, a_column, a_sign};
        pack_a(packed_a, from_a, rows, depth);
        for (uint x = left; x < right; x += WIDTH) {
            uint wide = min((uint)WIDTH, right - x);
            struct operand from_b = {b + b_offset + matrix * b_stride + begin * b_row + x * b_column, b_row, b_column, b_sign};
            pack_b(packed_b, from_b, wide, depth);
            multiply_panel(c + c_offset + matrix * c_stride + top * c_row + (ulong)x * PARTS, c_row, packed_a, packed_b, rows,
                           wide, depth, alpha, beta, keep);
        }
        beta = one; // C now holds sums
        keep = 1;
        begin += BLOCK_K;
    } while (begin < k);
}
