// SPDX-License-Identifier: Apache-2.0
// Every work-item checks what it is told about itself (6.12.1) and counts itself in `seen`.
// range: dimensions, offset[3], global size[3], local size[3] (0: the device's choice).

// What get_*() says of a dimension that there is not.
uint wrong_beyond(uint d)
{
    return (get_global_id(d) != 0) << 8 | (get_local_id(d) != 0) << 9 | (get_group_id(d) != 0) << 10 |
           (get_global_size(d) != 1) << 11 | (get_local_size(d) != 1) << 12 | (get_num_groups(d) != 1) << 13 |
           (get_global_offset(d) != 0) << 14;
}

uint wrong_in(uint d, __global const ulong *range)
{
    size_t local_size = range[7 + d] ? range[7 + d] : get_local_size(d);
    size_t at = get_group_id(d) * get_local_size(d) + get_local_id(d);
    uint wrong = (get_global_id(d) != at + range[1 + d]) << 1 | (get_global_offset(d) != range[1 + d]) << 2;

    wrong |= (get_global_size(d) != range[4 + d]) << 3 | (get_local_size(d) != local_size) << 4;
    wrong |= (get_num_groups(d) * local_size != range[4 + d]) << 5 | (get_local_id(d) >= local_size) << 6;
    return wrong | (get_group_id(d) >= get_num_groups(d)) << 7 | (at >= range[4 + d]) << 7;
}

// seen[i] gets 1 for each visit of work-item i, and from bit 3 on what was wrong. 1 to 7: in the range's dimensions;
// 8 to 14: beyond them; 15: get_work_dim(); 16: who meets at a barrier; 17: outside of all; 18 to 24: beyond three;
// 25 to 27, with LINEAR_IDS: those of OpenCL C 2.0.
__kernel void visit(__global uint *seen, __global const ulong *range)
{
    __local uint count;
    size_t linear_local = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);
    size_t linear = 0;
    uint wrong = (wrong_beyond(3) | wrong_beyond(9) | wrong_beyond(-1)) << 10 | (get_work_dim() != range[0]) << 15;

    for (int d = 2; d >= 0; d--) {
        wrong |= wrong_in(d, range);
        if (d >= range[0])
            wrong |= wrong_beyond(d);
        linear = linear * range[4 + d] + get_global_id(d) - range[1 + d];
    }
    // Those that share local memory and its barrier are the whole group.
    if (linear_local == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    wrong |= (count != get_local_size(0) * get_local_size(1) * get_local_size(2)) << 16;
#ifdef LINEAR_IDS
    wrong |= (get_local_linear_id() != linear_local) << 25 | (get_global_linear_id() != linear) << 26;
    for (uint d = 0; d < 4; d++)
        wrong |= (get_enqueued_local_size(d) != get_local_size(d)) << 27;
#endif
    if (linear >= range[4] * range[5] * range[6])
        linear = 0, wrong |= 1 << 17;
    atomic_add(seen + linear, 1);
    atomic_or(seen + linear, wrong << 3);
}
