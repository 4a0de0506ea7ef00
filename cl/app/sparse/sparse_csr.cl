// SPDX-License-Identifier: Apache-2.0
// y = A x for a sparse A in CSR: row i has the nonzeros starts[i] to starts[i + 1], columns ascending. Sums are float, and
// in a fixed order, except those of spmv_scatter.
// Source: the variants Simple, LocalMemory and Backprojection of Stock and Koch, A Fast GPU Implementation for Solving
// Sparse Ill-Posed Linear Equation Systems; the vector kernel of Bell and Garland.
// Launch: groups of GROUP; a work-item a row (spmv_simple, spmv_local), LANES work-items a row (spmv_vector) or a column
// (spmv_scatter).
// Cost: reads 8 bytes a nonzero and 4 a row, gathers x, writes y; spmv_local reads all x once a group; spmv_scatter adds
// to y once a nonzero.
// Tunables: REAL_BITS, GROUP, LANES (powers of two, LANES at most GROUP), CHUNK (numbers of x in local memory), KN_SUBGROUP (1: lanes
// of NVIDIA's warps are added without local memory), KN_ATOMIC_FLOAT (cl/lib/atomic.clh).
#ifndef GROUP
#if KN_CPU
#define GROUP 16
#else
#define GROUP 256
#endif
#endif
#ifndef LANES
#if KN_CPU
#define LANES 1
#else
#define LANES 32
#endif
#endif
#ifndef CHUNK
#define CHUNK 4096
#endif

#include "../../lib/atomic.clh"
#include "../../lib/lanes.clh"

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_simple(__global const uint *starts, __global const uint *indices, __global const real *values,
            __global const real *x, __global real *y, uint rows, uint columns)
{
    size_t row = get_global_id(0);
    real sum = 0;

    if (row >= rows)
        return;
    for (uint i = starts[row], end = starts[row + 1]; i < end; i++)
        sum = fma(values[i], x[indices[i]], sum);
    y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_local(__global const uint *starts, __global const uint *indices, __global const real *values,
           __global const real *x, __global real *y, uint rows, uint columns)
{
    __local real part[CHUNK];
    size_t row = get_global_id(0);
    uint i = row < rows ? starts[row] : 0, end = row < rows ? starts[row + 1] : 0;
    real sum = 0;

    for (ulong first = 0; first < columns; first += CHUNK) {
        uint count = (uint)min((ulong)CHUNK, columns - first);
        barrier(CLK_LOCAL_MEM_FENCE); // for the readers of the last chunk
        for (uint j = (uint)get_local_id(0); j < count; j += GROUP)
            part[j] = x[first + j];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (; i < end && indices[i] - first < count; i++)
            sum = fma(values[i], part[indices[i] - first], sum);
    }
    if (row < rows)
        y[row] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_vector(__global const uint *starts, __global const uint *indices, __global const real *values,
            __global const real *x, __global real *y, uint rows, uint columns)
{
    __local real part[GROUP];
    size_t row = get_global_id(0) / LANES;
    uint lane = (uint)get_local_id(0) % LANES;
    real sum = 0;

    if (row < rows)
        for (uint i = starts[row] + lane, end = starts[row + 1]; i < end; i += LANES)
            sum = fma(values[i], x[indices[i]], sum);
    sum = sum_lanes(sum, part);
    if (lane == 0 && row < rows)
        y[row] = sum;
}

#if REAL_BITS == 32 // there are no atomic additions of doubles
// The matrix is transposed: a row here is a column of A. y must be 0 before.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_scatter(__global const uint *starts, __global const uint *indices, __global const float *values,
             __global const float *x, volatile __global float *y, uint rows, uint columns)
{
    size_t row = get_global_id(0) / LANES;
    uint lane = (uint)get_local_id(0) % LANES;

    if (row >= rows)
        return;
    float own = x[row];
    for (uint i = starts[row] + lane, end = starts[row + 1]; i < end; i += LANES)
        atomic_add_float(&y[indices[i]], values[i] * own);
}
#endif
