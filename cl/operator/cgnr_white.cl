// SPDX-License-Identifier: Apache-2.0
// Judges whether the residual of cl/operator/cgnr.cl is as white as it gets (src/operator/ncp.h): from the transforms of
// its segments it computes the mean periodogram, and how far its normalised cumulative sum is from the straight line of
// white noise; it keeps the last x whose residual is as white as the whitest so far, within the scatter of noise itself.
// Source: Hansen, Kilmer and Kjeldsen, Exploiting residual information in the parameter choice for discrete ill-posed
// problems, 2006.
//
// Launch, after cgnr_turn: white_power with `groups` groups, white_judge with one, white_keep with `parts`. `record` has
// three numbers for every iteration: the distance, the least one so far, and the last iteration that is as white.
// white_judge ends the iterations PATIENCE iterations after that one, or three times that after as long as none was white.
// Cost: power reads the spectra, 4 bytes for each element of the residual; judge reads `groups` times FREQUENCIES numbers;
// keep reads and writes x.
// Tunables: GROUP (a power of two), FREQUENCIES (a power of two, at least 4: half of a segment), PATIENCE, and
// those of cl/operator/cgnr.clh.
#ifndef FREQUENCIES
#define FREQUENCIES 256
#endif
#ifndef PATIENCE
#define PATIENCE 5
#endif
#define BLOCKS (FREQUENCIES / 4)

#undef REAL_BITS // vectors are single precision
#define REAL_BITS 32
#include "cgnr.clh"
#include "cgnr_state.clh"

// Sets power[group * FREQUENCIES + k - 1] to the sum of |spectrum k|^2 over the group's segments, without k = 0.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
white_power(__global const float2 *spectra, __global float *power, uint segments, __global const float *scale,
            __global const acc *state, uint parts, uint most)
{
    uint groups = (uint)get_num_groups(0), group = (uint)get_group_id(0), each = (segments + groups - 1) / groups;
    uint first = min(group * each, segments), end = min(first + each, segments);

    if (is_over(state, parts, most))
        return; // uniform over all groups
    for (uint k = (uint)get_local_id(0); k < FREQUENCIES; k += GROUP) {
        float sum = 0;
        for (uint s = first; s < end; s++) {
            float2 at = *scale * spectra[(ulong)s * (FREQUENCIES + 1) + k + 1];
            sum = fma(at.x, at.x, fma(at.y, at.y, sum));
        }
        power[group * FREQUENCIES + k] = sum;
    }
}

// The sum of the first k + 1 numbers, in whole blocks of 4 and the rest.
inline float sum_up_to(__local const float *own, __local const float *blocks, uint k)
{
    float sum = 0;

    for (uint i = 0; i < k / 4; i++)
        sum += blocks[i];
    for (uint i = k / 4 * 4; i <= k; i++)
        sum += own[i];
    return sum;
}

// How far the periodogram is from that of white noise; returned to every work-item of the group.
inline float find_distance(__global const float *power, uint groups, __local float *own, __local float *blocks,
                           __local acc *node)
{
    uint item = (uint)get_local_id(0);
    acc squares = ACC_ZERO;

    for (uint k = item; k < FREQUENCIES; k += GROUP) {
        own[k] = 0;
        for (uint i = 0; i < groups; i++)
            own[k] += power[i * FREQUENCIES + k];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < BLOCKS; i += GROUP)
        blocks[i] = own[4 * i] + own[4 * i + 1] + own[4 * i + 2] + own[4 * i + 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    float all = sum_up_to(own, blocks, FREQUENCIES - 1);
    for (uint k = item; k < FREQUENCIES && all > 0; k += GROUP) {
        float off = sum_up_to(own, blocks, k) / all - (float)(k + 1) / FREQUENCIES;
        squares = acc_add_product(squares, off, off);
    }
    return sqrt(acc_to_real(sum_group(squares, node)) / FREQUENCIES);
}

// `margin`: by how much a residual may be less white than the whitest; `limit`: how far a white one may be from white
// noise. After the end, residuals are still judged, but not recorded: with a return before barriers, PoCL 3.1 takes the
// conditions after them to be the same in all work-items.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
white_judge(__global const float *power, uint groups, float margin, float limit, __global float *record,
            __global acc *state, uint parts, uint most)
{
    __local float own[FREQUENCIES], blocks[BLOCKS];
    __local acc node[GROUP];

    float distance = find_distance(power, groups, own, blocks, node), least = distance;
    uint iteration = read_cell(state, COUNT(0)), last = iteration; // the last iteration that is as white

    if (get_local_id(0) != 0 || is_over(state, parts, most))
        return;
    if (iteration > 0) {
        least = min(least, record[3 * iteration - 2]);
        if (distance > least + margin)
            last = (uint)record[3 * iteration - 1];
    }
    record[3 * iteration] = distance;
    record[3 * iteration + 1] = least;
    record[3 * iteration + 2] = (float)last;
    if (iteration >= (least > limit ? 3 : 1) * last + PATIENCE && acc_to_real(state[STOP(iteration)]) == 0)
        state[STOP(iteration)] = state[CODE(1)] = acc_of((float)(STOP_WHITENESS + STOP_MOVED));
}

__kernel void white_keep(__global const float *x, __global float *whitest_x, uint n, __global const float *record,
                         __global const acc *state, uint parts, uint most)
{
    uint iteration = read_cell(state, COUNT(0));

    if (is_over(state, parts, most) || (uint)record[3 * iteration + 2] != iteration)
        return;
    FOR_COLUMNS(j, n)
        whitest_x[j] = x[j];
}
