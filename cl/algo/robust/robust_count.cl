// SPDX-License-Identifier: Apache-2.0
// Counts each of the 256 values in stretches of a column of 8 bits.
//
// A group counts a chunk, in REPLICAS copies of the bins in local memory: each work-item of a run of REPLICAS has its own
// copy, and its own memory bank if there are 32, so that equal neighbouring elements do not wait for one another.
//
// Launch: count_bytes with a group a chunk. Cost: reads each chunk once, 16 bytes at a time; an atomic addition in
// local memory an element. Tunables: GROUP (work-items; 1: no atomics on local memory, for CPUs), REPLICAS (a power of
// two), LOADS (of 16 bytes, a work-item at a time).
#ifndef GROUP
#define GROUP 512
#endif
#ifndef REPLICAS
#define REPLICAS 32
#endif
#ifndef LOADS
#define LOADS 4
#endif

#include "../../shared/robust.h"

// Elements begin ... end - 1 of the column's part; their counts are added to row `row`. The host has the same structure.
typedef struct {
    ulong begin, end, row;
} chunk;

inline void count_one(__local uint *bins, uint copy, uint value)
{
#if GROUP == 1
    bins[value * REPLICAS + copy]++;
#else
    atomic_inc(&bins[value * REPLICAS + copy]);
#endif
}

inline void count_word(__local uint *bins, uint copy, uint word)
{
    // For a single work-item: it uses the copies in turn, so that an element need not wait for the one before.
#if GROUP == 1
#define COPY(k) ((k) % REPLICAS)
#else
#define COPY(k) copy
#endif
    count_one(bins, COPY(0), word & 255);
    count_one(bins, COPY(1), word >> 8 & 255);
    count_one(bins, COPY(2), word >> 16 & 255);
    count_one(bins, COPY(3), word >> 24);
}

inline void count_load(__local uint *bins, uint copy, uint4 load)
{
    count_word(bins, copy, load.s0);
    count_word(bins, copy, load.s1);
    count_word(bins, copy, load.s2);
    count_word(bins, copy, load.s3);
}

// counts[row * ROBUST_VALUES + i] is the number of elements whose bits are i; a row covers at most 2^32 - 1 elements.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_bytes(__global const uchar *x, __global const chunk *chunks, ulong first, __global uint *counts)
{
    __local uint bins[ROBUST_VALUES * REPLICAS];
    uint item = (uint)get_local_id(0), copy = item % REPLICAS;
    chunk own = chunks[first + get_group_id(0)];
    ulong begin = min((own.begin + 15) / 16 * 16, own.end), loads = (own.end - begin) / 16, i = item;
    __global const uint4 *rows = (__global const uint4 *)(x + begin);

    for (uint k = item; k < ROBUST_VALUES * REPLICAS; k += GROUP)
        bins[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong k = own.begin + item; k < begin; k += GROUP)
        count_one(bins, copy, x[k]);
    for (; i + (LOADS - 1) * GROUP < loads; i += LOADS * GROUP) {
        uint4 load[LOADS];
#pragma unroll
        for (uint k = 0; k < LOADS; k++)
            load[k] = rows[i + k * GROUP];
#pragma unroll
        for (uint k = 0; k < LOADS; k++)
            count_load(bins, copy, load[k]);
    }
    for (; i < loads; i += GROUP)
        count_load(bins, copy, rows[i]);
    for (ulong k = begin + loads * 16 + item; k < own.end; k += GROUP)
        count_one(bins, copy, x[k]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint value = item; value < ROBUST_VALUES; value += GROUP) {
        uint all = 0;
        for (uint k = 0; k < REPLICAS; k++) // each work-item begins in a different bank
            all += bins[value * REPLICAS + (k + value) % REPLICAS];
        if (all)
            atomic_add(&counts[own.row * ROBUST_VALUES + value], all);
    }
}
