// SPDX-License-Identifier: Apache-2.0
// y = A x for a sparse A whose neighbouring rows' nonzeros are stored side by side, so that neighbouring work-items read
// neighbouring addresses. ELLPACK: nonzero i of row j is at i * stride + j. SELL-C-sigma: the same for SLICE rows at a
// time, with rows sorted by their lengths; slice s begins at starts[s], and its j-th row is row order[s * SLICE + j] of A.
// Padding elements have the index ELL_PAD. Sums are float and in a fixed order: that of CSR.
// Source: the variants MemoryLayout and MemoryLayout & LocalMemory of Stock and Koch, A Fast GPU Implementation for
// Solving Sparse Ill-Posed Linear Equation Systems; ELL of Bell and Garland; SELL-C-sigma of Kreutzer and others.
// Launch: groups of GROUP, a work-item a row (for SELL: rows in the order of their lengths).
// Cost: reads 8 bytes an element (spmv_layout, spmv_layout_local: a nonzero), for SELL 6 with indices of 16 bits, gathers
// x, writes y; spmv_layout_local reads all x once a group.
// Tunables: REAL_BITS, GROUP (a multiple of SLICE), SLICE, CHUNK (numbers of x in local memory), INDEX_BITS (of SELL: 16,
// for fewer than 65,536 columns, or 32).
#include "../../lib/real.clh"
#include "../../shared/sparse.h"

#ifndef GROUP
#if KN_CPU
#define GROUP 32
#else
#define GROUP 256
#endif
#endif
#ifndef SLICE
#define SLICE SELL_SLICE
#endif
#ifndef CHUNK
#define CHUNK 4096
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif

#if INDEX_BITS == 16
typedef ushort sell_index;
#define SELL_PAD 0xffff
#else
typedef uint sell_index;
#define SELL_PAD 0xffffffffu
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_layout(__global const uint *lengths, __global const uint *indices, __global const real *values,
            __global const real *x, __global real *y, uint rows, uint columns, uint stride, uint width)
{
    size_t row = get_global_id(0), at = row;
    real sum = 0;

    if (row >= rows)
        return;
    for (uint i = 0, end = lengths[row]; i < end; i++, at += stride)
        sum = fma(values[at], x[indices[at]], sum);
    y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_layout_local(__global const uint *lengths, __global const uint *indices, __global const real *values,
                  __global const real *x, __global real *y, uint rows, uint columns, uint stride, uint width)
{
    __local real part[CHUNK];
    size_t row = get_global_id(0), at = row;
    uint i = 0, end = row < rows ? lengths[row] : 0;
    real sum = 0;

    for (ulong first = 0; first < columns; first += CHUNK) {
        uint count = (uint)min((ulong)CHUNK, columns - first);
        barrier(CLK_LOCAL_MEM_FENCE); // for the readers of the last chunk
        for (uint j = (uint)get_local_id(0); j < count; j += GROUP)
            part[j] = x[first + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (; i < end && indices[at] - first < count; i++, at += stride)
            sum = fma(values[at], part[indices[at] - first], sum);
    }
    if (row < rows)
        y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_ell(__global const uint *lengths, __global const uint *indices, __global const real *values,
         __global const real *x, __global real *y, uint rows, uint columns, uint stride, uint width)
{
    size_t row = get_global_id(0), at = row;
    real sum = 0;

    if (row >= rows)
        return;
    for (uint i = 0; i < width; i++, at += stride) {
        uint column = indices[at];
        if (column != ELL_PAD)
            sum = fma(values[at], x[column], sum);
    }
    y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_sell(__global const uint *starts, __global const uint *order, __global const sell_index *indices,
          __global const real *values, __global const real *x, __global real *y, uint rows)
{
    size_t row = get_global_id(0), slice = row / SLICE;
    real sum = 0;

    if (row >= rows)
        return;
    for (uint at = starts[slice] + (uint)(row % SLICE), end = starts[slice + 1]; at < end; at += SLICE) {
        uint column = indices[at];
        if (column != SELL_PAD)
            sum = fma(values[at], x[column], sum);
    }
    y[order[row]] = sum;
}
