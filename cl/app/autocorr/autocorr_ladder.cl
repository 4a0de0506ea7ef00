// SPDX-License-Identifier: Apache-2.0
// Correlations of images as Lu et al. computed them on a GPU (J. Real-Time Image Processing 5, 179 (2010), section 4.3 and
// listing 1), C(X0, Y0) = sum I(x, y) I'(x + X0, y + Y0), but in integers, and for any width and offset:
//   autocorr_offset    "texture-style": a work-item has an offset and loops over the image in global memory
//   autocorr_two_line  "two-line": a group has two rows, y of the first image and y + Y0 of the second, in local memory,
//                      a work-item an X0, and adds its row's sum atomically
//   autocorr_line_sums, autocorr_add_lines  "two-kernel": the same without atomics; the sums of rows are stored, and a
//                      second kernel adds them up
//
// Launch: autocorr_offset over (2R + 1, R + 1, frames), groups of any size; autocorr_two_line and autocorr_line_sums with
// groups in one dimension, one for each row of the first image, Y0 and frame; autocorr_add_lines over (offsets, frames).
// Local memory: `segment` pixels of one row, segment + group of the other.
// Cost: offset reads two pixels from global memory for each product; the others read two from local memory. two_line adds
// twice atomically for each row and offset, line_sums writes 8 bytes for each and add_lines reads them.
// Widths: a product of 16 bits is below 2^32; sums have 64 bits. A 64-bit sum in global memory is two words; an addition to
// the lower one carries into the upper one, so that all carries arrive, in whatever order.
// Tunables: BITS of a pixel, 8 or 16.
#ifndef BITS
#define BITS 8
#endif

#if BITS == 8
typedef uchar pixel;
#else
typedef ushort pixel;
#endif

#define ACROSS (2 * max_offset + 1)

// Rows from y_begin to y_end of the first image; `add`: adds to what is in products.
__kernel void autocorr_offset(__global const pixel *first, __global const pixel *second, uint width, uint height,
                              uint max_offset, uint y_begin, uint y_end, uint add, __global ulong *products)
{
    uint column = (uint)get_global_id(0), y0 = (uint)get_global_id(1);
    int x0 = (int)column - (int)max_offset;
    ulong frame = get_global_id(2), sum = 0;
    int begin = max(0, -x0), end = min((int)width, (int)width - x0);

    if (column >= ACROSS || y0 > max_offset)
        return;
    first += frame * width * height;
    second += frame * width * height;
    for (uint y = y_begin; y < y_end && y + y0 < height; y++) {
        __global const pixel *one = first + (ulong)y * width, *other = second + (ulong)(y + y0) * width;

        for (int x = begin; x < end; x++)
            sum += (uint)one[x] * (uint)other[x + x0];
    }
    products += (frame * (max_offset + 1) + y0) * ACROSS + column;
    *products = add ? *products + sum : sum;
}

// The sum of a row's products at X0 = x0 + the work-item's number, `segment` columns at a time. All work-items of the group
// must call it.
inline ulong line_sum(__global const pixel *one, __global const pixel *other, int width, int x0, uint segment,
                      __local pixel *line1, __local pixel *line2)
{
    uint item = (uint)get_local_id(0), group = (uint)get_local_size(0);
    ulong sum = 0;

    for (int from = 0; from < width; from += (int)segment) {
        uint count = min(segment, (uint)(width - from));

        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = item; i < count; i += group)
            line1[i] = one[from + (int)i];
        for (uint i = item; i < count + group; i += group) {
            int x = from + x0 + (int)i;
            line2[i] = x >= 0 && x < width ? other[x] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if BITS == 8
        uint part = 0; // segment is at most 66,051

        for (uint i = 0; i < count; i++)
            part += (uint)line1[i] * (uint)line2[i + item];
        sum += part;
#else
        for (uint i = 0; i < count; i++)
            sum += (uint)line1[i] * (uint)line2[i + item];
#endif
    }
    return sum;
}

inline void add_sum(__global uint *cell, ulong sum)
{
    uint low = (uint)sum, before = atomic_add(cell, low), high = (uint)(sum >> 32) + (before > 0xffffffffu - low);

    if (high > 0)
        atomic_add(cell + 1, high);
}

// The caller filled `products` with zeros; its words are ordered as in a ulong of the device, the lower one first.
__kernel void autocorr_two_line(__global const pixel *first, __global const pixel *second, uint width, uint height,
                                uint max_offset, uint segment, __global uint *products, __local pixel *line1,
                                __local pixel *line2)
{
    uint y = (uint)get_group_id(0), y0 = (uint)get_group_id(1), group = (uint)get_local_size(0);
    ulong frame = get_group_id(2);

    if (y + y0 >= height)
        return;
    first += (frame * height + y) * width;
    second += (frame * height + y + y0) * width;
    for (uint from = 0; from < ACROSS; from += group) {
        ulong sum = line_sum(first, second, (int)width, (int)from - (int)max_offset, segment, line1, line2);
        uint column = from + (uint)get_local_id(0);

        if (column < ACROSS)
            add_sum(products + 2 * ((frame * (max_offset + 1) + y0) * ACROSS + column), sum);
    }
}

// Rows from y_begin on, one for each group.
__kernel void autocorr_line_sums(__global const pixel *first, __global const pixel *second, uint width, uint height,
                                 uint max_offset, uint segment, ulong first_frame, uint y_begin, __global ulong *lines,
                                 __local pixel *line1, __local pixel *line2)
{
    uint y = y_begin + (uint)get_group_id(0), y0 = (uint)get_group_id(1), group = (uint)get_local_size(0);
    ulong frame = first_frame + get_group_id(2);
    ulong line = ((ulong)get_group_id(2) * get_num_groups(0) + get_group_id(0)) * (max_offset + 1) + y0;
    bool inside = y + y0 < height;

    first += (frame * height + y) * width;
    second += (frame * height + (inside ? y + y0 : 0)) * width;
    for (uint from = 0; from < ACROSS; from += group) {
        ulong sum = line_sum(first, second, (int)width, (int)from - (int)max_offset, segment, line1, line2);
        uint column = from + (uint)get_local_id(0);

        if (column < ACROSS)
            lines[line * ACROSS + column] = inside ? sum : 0;
    }
}

__kernel void autocorr_add_lines(__global const ulong *lines, uint count, uint rows, uint add, ulong first_frame,
                                 __global ulong *products)
{
    uint at = (uint)get_global_id(0);
    ulong frame = get_global_id(1), sum = 0;

    if (at >= count)
        return;
    lines += frame * rows * count + at;
    for (uint row = 0; row < rows; row++)
        sum += lines[(ulong)row * count];
    products += (first_frame + frame) * count + at;
    *products = add ? *products + sum : sum;
}
