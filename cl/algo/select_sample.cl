// SPDX-License-Identifier: Apache-2.0
// The brackets of select.cl's jobs from a sample of the column, where work-items share local memory (select_job.clh
// explains the terms).
//
// select_lists takes one random element from each of many strata, sorts the sample in lists, and passes on every so many-th
// element of a list, starting at a different place in each, so that lists that are alike do not have the same error.
// select_brackets compares each of these points with all others; those that have the requested ranks are the ends of
// brackets.
//
// Launch: select_lists, a group a list, for each part of the column (`last` for the last of them); select_brackets, with
// any number of groups of which none has more than GROUP points. Cost: reads the sample, and the points once a work-item.
// Tunables: GROUP (work-items), LIST (elements of a list at most, a power of two, at least 8), KEY_BITS, KEY_KIND.
#ifndef GROUP
#define GROUP 128
#endif
#ifndef LIST
#define LIST 1024
#endif

#include "select_job.clh"

#define SORT_GROUP GROUP
#include "../lib/local_sort.clh"
#include "../lib/sample.clh"
#include "select_rank.clh"

// Elements that a work-item loads at once.
#if LIST < 8 * GROUP
#define AHEAD (LIST / GROUP)
#else
#define AHEAD 8
#endif

// An end of a bracket that occurs more often than this among the points is taken to be one of many ties.
#define TIED 3

// Of the n elements of the column, x[skip], ... are `count`, from number `first` on. The `samples` are divided evenly among
// the lists; if the column is in parts, they wait in `sample`, a row of LIST a list. Every step-th becomes a point, a key.
// It also does the work of select_prepare of select.cl.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_lists(__global const sort_key *x, ulong skip, ulong first, ulong count, ulong n, uint samples, __global sort_key *sample,
             uint step, __global sort_key *points, uint last, ulong16 ranks, uint job_count, __global job *jobs,
             __global uint *counters, ulong counter_count)
{
    __local sort_key key[POSITION(LIST)];
    uint list = (uint)get_group_id(0), lists = (uint)get_num_groups(0), item = (uint)get_local_id(0);
    uint own = samples / lists, size = LIST;

    prepare(ranks, ranks, job_count, jobs, counters, counter_count);
    sample += list * LIST;
    points += list * (own / step);
    while (size > 8 && size / 2 >= own)
        size /= 2;
    for (uint begin = 0; begin < size; begin += AHEAD * GROUP) {
        sort_key found[AHEAD];
        uint here = 0;
#pragma unroll
        for (uint k = 0; k < AHEAD; k++) { // all loads are in flight together
            uint i = begin + k * GROUP + item;
            ulong position = stratum_position(i * lists + list, samples, n);
            bool is_here = i < own && position >= first && position - first < count;
            found[k] = is_here ? x[skip + position - first] : 0;
            here |= is_here ? 1u << k : 0;
        }
#pragma unroll
        for (uint k = 0; k < AHEAD; k++) {
            uint i = begin + k * GROUP + item;
            sort_key own_key = here >> k & 1 ? encode_key(found[k]) : KEY_MAX;
            if (count < n && i < own) { // of this part or an earlier one: no work-item reads another's
                if (here >> k & 1)
                    sample[i] = own_key;
                else if (last)
                    own_key = sample[i];
            }
            if (i < size)
                key[POSITION(i)] = own_key;
        }
    }
    if (!last) // uniform over the launch
        return;
    sort_local(key, size);
    for (uint i = item; i < own / step; i += GROUP)
        points[i] = key[POSITION(i * step + list % step)];
}

// Ends 2 * j and 2 * j + 1 of job j's bracket have these ranks among the points; an open end has none.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
select_brackets(__global const sort_key *points, uint count, ulong16 ends, uint job_count, __global job *jobs)
{
    __local sort_key chunk[RANK_CHUNK];
    __local uint lower[GROUP], equal[GROUP];
    const standings ranks = {chunk, lower, equal};
    uint i = rank_own(points, count, false, &ranks);
    union {
        ulong16 vector;
        ulong element[16];
    } end;

    end.vector = ends;
    if (i >= count)
        return;
    sort_key key = min(points[i], (sort_key)HIGHEST);
    for (uint j = 0; j < job_count; j++)
        for (uint k = 0; k < 2; k++)
            if (has_rank(&ranks, end.element[2 * j + k])) {
                if (k == 0)
                    jobs[j].low = key;
                else
                    jobs[j].high = key;
                jobs[j].tied[k] = equal[get_local_id(0)] > TIED;
            }
}
