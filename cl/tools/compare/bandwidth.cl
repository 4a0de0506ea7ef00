// SPDX-License-Identifier: Apache-2.0
// How fast memory is read and copied: the ceiling of all that moves more than it computes.
//
// The 2^log2_vectors vectors of x (of WIDTH words each) are walked until `total` are read: as often as it takes to
// keep a footprint that fits into a cache there. Each time it is turned by five blocks, so that no work-group meets the
// same words again and again, which would be a smaller footprint.
// read_words: sums[item] is the sum of the words that the work-item read, modulo 2^32.
// copy_words: y becomes x.
// Launch: groups of GROUP; on CPUs `total` is a multiple of the work-items times UNROLL, elsewhere of GROUP times
// UNROLL, which 2^log2_vectors is, too.
// Cost: reads 4 * WIDTH * total bytes; copy_words writes as many.
// Tunables: GROUP, WIDTH (4 or 16), UNROLL (loads before the first is used).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef UNROLL
#define UNROLL 8
#endif
#ifndef WIDTH
#define WIDTH 4
#endif

#if WIDTH == 16
typedef uint16 words;
#else
typedef uint4 words;
#endif

// Where a work-item begins, where it ends, how far its steps are, and how far apart the loads of one step.
#if KN_CPU
#define FIRST      (get_global_id(0) * (total / get_global_size(0)))
#define END        (FIRST + total / get_global_size(0))
#define STEP       UNROLL
#define APART      1
#define STEP_BLOCK UNROLL
#else
#define FIRST      (get_group_id(0) * (ulong)(GROUP * UNROLL) + get_local_id(0))
#define END        total
#define STEP       (get_num_groups(0) * (ulong)(GROUP * UNROLL))
#define APART      GROUP
#define STEP_BLOCK (GROUP * UNROLL)
#endif

// From a position of the walk to one in memory: all of a step's loads are of the same turn.
#define TURNED(i) ((i) + ((i) >> log2_vectors) * (5UL * STEP_BLOCK))

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
read_words(__global const words *x, uint log2_vectors, ulong total, __global uint *sums)
{
    ulong mask = (1UL << log2_vectors) - 1;
    ulong end = END;
    words sum = (words)(0);

    for (ulong i = FIRST; i < end; i += STEP) {
        ulong at = TURNED(i);

#pragma unroll
        for (uint u = 0; u < UNROLL; u++)
            sum += x[(at + u * APART) & mask];
    }
#if WIDTH == 16
    uint8 half_of = sum.lo + sum.hi;
    uint4 quarter = half_of.lo + half_of.hi;
#else
    uint4 quarter = sum;
#endif
    sums[get_global_id(0)] = (quarter.x + quarter.y) + (quarter.z + quarter.w);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
copy_words(__global const words *restrict x, uint log2_vectors, ulong total, __global words *restrict y)
{
    ulong mask = (1UL << log2_vectors) - 1;
    ulong end = END;

    for (ulong i = FIRST; i < end; i += STEP) {
        ulong at = TURNED(i);

#pragma unroll
        for (uint u = 0; u < UNROLL; u++)
            y[(at + u * APART) & mask] = x[(at + u * APART) & mask];
    }
}
