// SPDX-License-Identifier: Apache-2.0
// Writes the answers of select.cl to a buffer of the caller, after repeating the search where brackets missed
// (select_job.clh explains the terms).
//
// Launch: select_again, then the digits of the column by select.cl, which do nothing where nothing failed; then select_elements
// or select_quantiles: each with one group, a work-item a job. The numeric policy is strict: the host's quantiles have the same bits.
// Tunables: KEY_BITS, KEY_KIND.
#include "select_job.clh"

// With `nan_ends`, NaN is a possible answer.
__kernel void select_again(__global job *jobs, __global const answer *answers, uint count, uint nan_ends)
{
    __global job *own = &jobs[get_global_id(0)];
    bool failed = false;

    for (uint j = 0; j < count; j++)
        failed |= answers[j].failed != 0;
    own->idle = !failed || (nan_ends && answers[0].nan);
    for (uint k = 0; k < 2; k++) {
        own->at[0].rank[k] = own->target[k];
        own->at[0].prefix[k] = 0;
        own->known[k] = 0;
    }
    own->failed = 0;
}

__kernel void select_elements(__global const answer *answers, uint count, __global sort_key *to, ulong first)
{
    uint j = (uint)get_global_id(0);

    if (j < count)
        to[first + j] = (sort_key)answers[j].value[0];
}

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// From stored bits.
inline double number_of(ulong bits)
{
#if KEY_KIND == 2
    return AS_REAL((sort_key)bits);
#else
    return (ordered)(sort_key)bits;
#endif
}

// Interpolates between two elements by the weight of the second as numpy does, from the nearer one. It gives the host's
// bits.
__kernel void select_quantiles(__global const answer *answers, uint count, __global double *to, ulong first, double8 weights)
{
    union {
        double8 vector;
        double element[8];
    } weight;
    uint j = (uint)get_global_id(0);

    weight.vector = weights;
    if (j >= count)
        return;
    double lower = number_of(answers[j].value[0]), upper = number_of(answers[j].value[1]), part = weight.element[j];
    double gap = upper - lower, between = part < 0.5 ? lower + gap * part : upper - gap * (1 - part);
    between = lower == upper || part == 0 ? lower + 0.0 : between;
    to[first + j] = answers[0].nan ? (double)NAN : between;
}

#endif
