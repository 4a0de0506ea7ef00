// SPDX-License-Identifier: Apache-2.0
// Where samples lie on the grid of mri_gridding.cl, and which groups compute which of its tiles: everything that gridding
// prepares from a trajectory, except the sort between mri_gridding_bin and mri_gridding_place, by the bins of gridding.clh,
// and the prefix sums between mri_gridding_parts and mri_gridding_jobs.
//
// A sample is at k / N as a fraction of a turn, in units of 2^-32, along each axis: K times that is its position in cells,
// with 32 fractional bits.
//
// Launch: mri_gridding_bin, mri_gridding_place: at least a work-item for each sample; mri_gridding_starts: for each bin
// and one more; mri_gridding_parts, mri_gridding_jobs: for each tile.
// Cost: 40 bytes a sample read, 44 written; the starts' searches.
// Tunables: those of mri_gridding.cl.
#include "gridding.clh"

// A window's first cell, with wrap-around, and its distance from the sample. A sample that is on a cell but for the
// rounding of its fraction is placed on it.
static inline uint first_cell(uint fraction, uint cells, uint span, float *offset)
{
    ulong at = (ulong)fraction * cells + ((ulong)cells << 32), first;

    *offset = 0.0f;
    if (cells == 1)
        return 0;
    first = (at - ((ulong)span << 31) - cells + 0xffffffffu) >> 32;
    *offset = (float)((long)(first << 32) - (long)at) * 0x1p-32f;
    return (uint)(first >= cells ? first - cells : first);
}

// keys: the bins of the samples; order: their numbers.
__kernel void mri_gridding_bin(uint samples, __global const uint *fractions, uint cells_x, uint cells_y, uint cells_z,
                               __global uint *keys, __global uint *order)
{
    uint m = (uint)get_global_id(0), x, y, z;
    float offset;

    if (m >= samples)
        return;
    fractions += (size_t)3 * m;
    x = first_cell(fractions[0], cells_x, SPAN_X, &offset);
    y = first_cell(fractions[1], cells_y, SPAN_Y, &offset);
    z = first_cell(fractions[2], cells_z, SPAN_Z, &offset);
    keys[m] = (z / TILE_Z * TILES_Y(cells_y) + y / TILE_Y) * BINS_X(cells_x) + x / GRIDDING_BIN;
    order[m] = m;
}

// For each sample in sorted order: the window's first cell along x, y and z, and the sample's number; and the offsets.
__kernel void mri_gridding_place(uint samples, __global const uint *order, __global const uint *fractions,
                                 uint cells_x, uint cells_y, uint cells_z, __global uint4 *positions,
                                 __global float4 *offsets)
{
    uint i = (uint)get_global_id(0);
    uint4 position;
    float4 offset = (float4)(0.0f);
    float along[3];

    if (i >= samples)
        return;
    position.w = order[i];
    fractions += (size_t)3 * position.w;
    position.x = first_cell(fractions[0], cells_x, SPAN_X, &along[0]);
    position.y = first_cell(fractions[1], cells_y, SPAN_Y, &along[1]);
    position.z = first_cell(fractions[2], cells_z, SPAN_Z, &along[2]);
    offset.x = along[0];
    offset.y = along[1];
    offset.z = along[2];
    positions[i] = position;
    offsets[i] = offset;
}

// starts[bin]: the number of samples in the bins before.
__kernel void mri_gridding_starts(uint samples, __global const uint *keys, uint bins, __global uint *starts)
{
    uint bin = (uint)get_global_id(0), low = 0, high = samples;

    if (bin > bins)
        return;
    while (low < high) {
        uint middle = low + (high - low) / 2;
        if (keys[middle] < bin)
            low = middle + 1;
        else
            high = middle;
    }
    starts[bin] = low;
}

// extras[tile]: the number of parts of the tile, with at most `split` samples each, beyond one.
__kernel void mri_gridding_parts(uint tiles, uint split, __global const uint *starts, uint cells_x, uint cells_y,
                                 uint cells_z, __global uint *extras)
{
    uint tile = (uint)get_global_id(0);
    ulong count = 0;

    if (tile >= tiles)
        return;
    uint4 corner = tile_corner(tile, cells_x, cells_y);
#pragma unroll 1
    for (uint r = 0; r < RANGES; r++) {
        struct range range = tile_range(r, corner, cells_x, cells_y, cells_z, starts);
        count += range.end - range.first;
    }
    extras[tile] = count == 0 ? 0 : (uint)min((count - 1) / split, (ulong)(GRIDDING_PARTS - 1));
}

// From the exclusive sums of the extras, of which as many as `room` have a place: each part of a tile as (tile, part,
// parts, the place of the second part's sums), and for each tile in parts, at that place, (tile, places). Entries that are
// not written keep their values, which mean no job and no fold.
__kernel void mri_gridding_jobs(uint tiles, uint room, __global const uint *extras, __global const uint *sums,
                                __global uint4 *jobs, __global uint2 *folds)
{
    uint tile = (uint)get_global_id(0);

    if (tile >= tiles)
        return;
    uint place = min(sums[tile], room), extra = extras[tile];
    if (extra > room - place)
        extra = 0;
    for (uint part = 0; part <= extra; part++)
        jobs[tile + place + part] = (uint4)(tile, part, extra + 1, place);
    if (extra)
        folds[place] = (uint2)(tile, extra);
}
