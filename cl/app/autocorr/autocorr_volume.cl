// SPDX-License-Identifier: Apache-2.0
// Correlations of volumes by transforms in double precision; this is what happens between the transforms: levels are cut
// into pieces of a few bits, the spectra of pieces are multiplied, and the results are rounded and combined. It also
// computes the sums of voxels over cells, from which the windows' sums are made. Sums are exact
// (src/app/autocorr/volume/volume.h).
//
// Sizes and positions on the three axes are vectors, x first. The voxels of a volume begin at `from`.
//
// Launch, in groups of (ACROSS, DOWN, 1), or, for autocorr_volume_collect, of ACROSS * DOWN; sizes are rounded up to these:
//   autocorr_volume_cut, a work-item a position: (there.x, there.y, there.z). After `size`, an image that is continued
//   begins again, up to `upper`, and ends at the end of the circle, from there - lower on; zeros lie between.
//   autocorr_volume_multiply, one a number of the spectra: (width, height, depth). KIND 0: conj F G; 1: |F|^2; 2: conj F G
//   + F conj G. Multiplied by the roots of unity that move the origin; added to what is there, or not.
//   autocorr_volume_collect, one an offset.
//   autocorr_volume_add_up, one a cell of a slice: (cells.x, cells.y, size.z).
// Cost: every number is read once, and written once; a cell's voxels are read one after the other.
// Tunables: PIXEL_BITS, ACROSS, DOWN; REAL_BITS (64: with 32 the sums are not exact).
#ifndef ACROSS
#define ACROSS 32
#endif
#ifndef DOWN
#define DOWN 8
#endif

#include "autocorr.clh"
#include "../../lib/real.clh"

inline ulong at(uint x, uint y, uint z, uint4 size)
{
    return ((ulong)z * size.y + y) * size.x + x;
}

// ---- pieces ----

inline uint source_of(uint position, uint size, uint there, uint lower, uint upper)
{
    if (position < size || there == size)
        return position;
    if (position < size + upper)
        return position - size;
    return position >= there - lower ? size - (there - position) : size;
}

__kernel __attribute__((reqd_work_group_size(ACROSS, DOWN, 1))) void
autocorr_volume_cut(__global const pixel *voxels, ulong from, __global uchar *pieces, uint4 size, uint4 there, uint4 lower,
                    uint4 upper, uint shift, uint keep)
{
    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), z = (uint)get_global_id(2);
    uint from_x = source_of(x, size.x, there.x, lower.x, upper.x);
    uint from_y = source_of(y, size.y, there.y, lower.y, upper.y);
    uint from_z = source_of(z, size.z, there.z, lower.z, upper.z);
    uint level = 0;

    if (x >= there.x || y >= there.y)
        return;
    if (from_x < size.x && from_y < size.y && from_z < size.z)
        level = voxels[from + at(from_x, from_y, from_z, size)];
    pieces[at(x, y, z, there)] = (uchar)(level >> shift & keep);
}

// ---- products ----

inline real2 times(real2 a, real2 b)
{
    return (real2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

__kernel __attribute__((reqd_work_group_size(ACROSS, DOWN, 1))) void
autocorr_volume_multiply(__global const real2 *first, __global const real2 *second, __global real2 *out,
                         __global const real2 *across, __global const real2 *down, uint4 size, uint kind, uint add)
{
    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1);
    ulong i = at(x, y, (uint)get_global_id(2), size);
    real2 f, g, turn, value;

    if (x >= size.x || y >= size.y)
        return;
    f = first[i];
    turn = times(across[x], down[y]);
    if (kind == 1) {
        value = turn * (f.x * f.x + f.y * f.y);
    } else {
        g = second[i];
        value = kind == 2 ? turn * (2 * (f.x * g.x + f.y * g.y)) : times(turn, times((real2)(f.x, -f.y), g));
    }
    out[i] = add ? out[i] + value : value;
}

// ---- sums ----

// The index of an offset among the values of an axis; negative if there is none.
inline int place_of(int offset, int size, int lower, int upper, uint periodic)
{
    if (periodic) {
        offset = (offset % size + size) % size;
        if (offset >= size - lower)
            offset -= size;
    }
    return offset >= -lower && offset <= upper ? offset + lower : -1;
}

__kernel __attribute__((reqd_work_group_size(ACROSS * DOWN, 1, 1))) void
autocorr_volume_collect(__global const real *values, __global ulong *sums, uint4 size, uint4 lower, uint4 upper, uint4 reach,
                        uint periodic, ulong count, uint shift, uint add)
{
    ulong i = get_global_id(0);
    uint columns = 2 * reach.x + 1, rows = 2 * reach.y + 1;
    uint4 back = lower + upper + 1;
    int x = place_of((int)(i % columns) - (int)reach.x, (int)size.x, (int)lower.x, (int)upper.x, periodic);
    int y = place_of((int)(i / columns % rows) - (int)reach.y, (int)size.y, (int)lower.y, (int)upper.y, periodic);
    int z = place_of((int)(i / columns / rows), (int)size.z, (int)lower.z, (int)upper.z, periodic);
    ulong sum = 0;

    if (i >= count)
        return;
    if (x >= 0 && y >= 0 && z >= 0)
        sum = (ulong)convert_long_rte(values[at((uint)x, (uint)y, (uint)z, back)]) << shift;
    sums[i] = add ? sums[i] + sum : sum;
}

// ---- cells ----

inline uint cell_begin(uint size, uint cells, uint cell)
{
    return cell <= cells / 2 || cells == size ? cell : size - (cells - cell);
}

__kernel __attribute__((reqd_work_group_size(ACROSS, DOWN, 1))) void
autocorr_volume_add_up(__global const pixel *voxels, ulong from, __global sums *slices, uint4 size, uint4 cells)
{
    uint cx = (uint)get_global_id(0), cy = (uint)get_global_id(1), z = (uint)get_global_id(2);
    sums sum = (sums)(0, 0);

    if (cx >= cells.x || cy >= cells.y)
        return;
    for (uint y = cell_begin(size.y, cells.y, cy); y < cell_begin(size.y, cells.y, cy + 1); y++)
        for (uint x = cell_begin(size.x, cells.x, cx); x < cell_begin(size.x, cells.x, cx + 1); x++) {
            uint level = voxels[from + at(x, y, z, size)];

            sum += (sums)((ulong)level, (ulong)(level * level));
        }
    slices[at(cx, cy, z, cells)] = sum;
}
