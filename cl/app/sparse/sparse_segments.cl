// SPDX-License-Identifier: Apache-2.0
// y = A x for a sparse A, with the same work for every group whatever the lengths of the rows: a row that does not end in a
// group leaves a carry, which a second launch adds. Sums are float and in a fixed order, that of the tiles.
// spmv_coo: nonzeros with their rows, rows ascending; adds to y. spmv_merge: CSR; a step is a nonzero or the end of a row,
// and a tile is a fixed number of steps.
// Source: COO of Bell and Garland; merge-based SpMV of Merrill and Garland.
// Launch: spmv_coo with a group of GROUP for TILE = GROUP * ITEMS nonzeros, spmv_merge for TILE of rows + nonzeros
// steps; then spmv_carry with a work-item for each of those groups.
// Cost: reads 12 bytes a nonzero (COO), 8 and 4 a row (merge), gathers x, writes y; 8 bytes a group are carried.
// Tunables: REAL_BITS, GROUP, ITEMS.
#include "../../lib/real.clh"

#ifndef GROUP
#if KN_CPU
#define GROUP 32
#else
#define GROUP 256
#endif
#endif
#ifndef ITEMS
#define ITEMS 8
#endif

#define TILE (GROUP * ITEMS)
#define NONE 0xffffffffu

// Replaces every work-item's sum by the sum over its row's work-items up to itself. Rows are ascending.
inline void sum_rows(__local const uint *row, __local real *sum)
{
    uint item = (uint)get_local_id(0);

    for (uint distance = 1; distance < GROUP; distance *= 2) {
        real before = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item >= distance && row[item - distance] == row[item])
            before = sum[item - distance];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum[item] += before;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_coo(__global const uint *entry_rows, __global const uint *indices, __global const real *values,
         __global const real *x, __global real *y, uint nonzeros, __global uint *carry_rows,
         __global real *carry_sums)
{
    __local uint row[GROUP];
    __local real sum[GROUP];
    uint item = (uint)get_local_id(0), last_row = NONE;
    ulong first = (ulong)get_group_id(0) * TILE, end = min(first + TILE, (ulong)nonzeros);
    real last_sum = 0;
    bool goes_on = false;

    for (ulong base = first; base < end; base += GROUP) {
        ulong i = base + item;
        uint next = i + 1 < nonzeros ? entry_rows[i + 1] : NONE;
        uint own_row = i < end ? entry_rows[i] : NONE;
        real own_sum = i < end ? values[i] * x[indices[i]] : 0;
        if (item == 0 && own_row == last_row)
            own_sum += last_sum;
        row[item] = own_row;
        sum[item] = own_sum;
        sum_rows(row, sum);
        if (i < end && next != own_row)
            y[own_row] += sum[item];
        last_row = row[GROUP - 1];
        last_sum = sum[GROUP - 1];
        goes_on = i < end && next == own_row;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == GROUP - 1) {
        carry_rows[get_group_id(0)] = goes_on ? last_row : NONE;
        carry_sums[get_group_id(0)] = last_sum;
    }
}

// How many rows end among the first `steps`; row i ends where nonzero ends[i] would come.
#define ROWS_AMONG(name, space)                                                                                        \
    inline uint name(space const uint *ends, uint offset, uint rows, uint nonzeros, ulong steps)                       \
    {                                                                                                                  \
        uint low = steps > nonzeros ? (uint)(steps - nonzeros) : 0, high = (uint)min(steps, (ulong)rows);              \
                                                                                                                       \
        while (low < high) {                                                                                           \
            uint middle = low + (high - low) / 2;                                                                      \
            if (ends[middle] - offset + (ulong)middle < steps)                                                         \
                low = middle + 1;                                                                                      \
            else                                                                                                       \
                high = middle;                                                                                         \
        }                                                                                                              \
        return low;                                                                                                    \
    }
ROWS_AMONG(rows_among_all, __global)
ROWS_AMONG(rows_among_tile, __local)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
spmv_merge(__global const uint *starts, __global const uint *indices, __global const real *values,
           __global const real *x, __global real *y, uint rows, uint nonzeros, __global uint *carry_rows,
           __global real *carry_sums)
{
    __local uint end[TILE + 1], row[GROUP], border[2];
    __local real product[TILE], sum[GROUP];
    uint item = (uint)get_local_id(0);
    ulong steps = (ulong)rows + nonzeros, first = (ulong)get_group_id(0) * TILE, last = min(first + TILE, steps);

    for (uint i = item; i < 2; i += GROUP)
        border[i] = rows_among_all(starts + 1, 0, rows, nonzeros, i == 0 ? first : last);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first_row = border[0], row_count = border[1] - first_row;
    uint first_nonzero = (uint)(first - first_row), count = (uint)(last - first) - row_count;

    for (uint i = item; i < row_count; i += GROUP)
        end[i] = starts[first_row + i + 1];
    for (uint i = item; i < count; i += GROUP)
        product[i] = values[first_nonzero + i] * x[indices[first_nonzero + i]];
    barrier(CLK_LOCAL_MEM_FENCE);

    uint step = min(item * ITEMS, row_count + count), stop = min(step + ITEMS, row_count + count);
    uint own_row = rows_among_tile(end, first_nonzero, row_count, count, step), nonzero = step - own_row;
    uint begun = own_row;
    real head = 0, rest = 0;
    for (; step < stop; step++) {
        if (own_row < row_count && end[own_row] - first_nonzero <= nonzero) {
            if (own_row == begun)
                head = rest; // and what the work-items before have of it
            else
                y[first_row + own_row] = rest;
            rest = 0;
            own_row++;
        } else {
            rest += product[nonzero++];
        }
    }
    row[item] = own_row;
    sum[item] = rest;
    sum_rows(row, sum);
    if (own_row > begun)
        y[first_row + begun] = (item > 0 && row[item - 1] == begun ? sum[item - 1] : 0) + head;
    if (item == GROUP - 1) {
        carry_rows[get_group_id(0)] = first_row + own_row < rows ? first_row + own_row : NONE;
        carry_sums[get_group_id(0)] = sum[item];
    }
}

// The carries of a row that spans several groups are added up by the work-item of the first one.
__kernel void spmv_carry(__global const uint *carry_rows, __global const real *carry_sums, __global real *y,
                         uint count)
{
    size_t i = get_global_id(0);
    real sum = 0;

    if (i >= count)
        return;
    uint row = carry_rows[i];
    if (row == NONE || (i > 0 && carry_rows[i - 1] == row))
        return;
    for (; i < count && carry_rows[i] == row; i++)
        sum += carry_sums[i];
    y[row] += sum;
}
