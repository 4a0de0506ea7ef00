// SPDX-License-Identifier: Apache-2.0
// Gridding: samples at any positions to and from the cells of a grid, by the window of Kaiser and Bessel; and the passes over
// the image beside it. src/app/mri/gridding/gridding.h has the formulas.
//
// The window, kb(x) / kb(0) = I0(b sqrt(s)) / I0(b) with s = 1 - (2x/WIDTH)^2, is entire in s: one polynomial for all of
// it, within 1e-8 of its greatest value, and positive terms but for the last ones, so that floats add about 1e-7.
//
// mri_spread makes a tile of the grid, TILE_X x TILE_Y x TILE_Z cells, from the samples whose windows touch it, in the
// order of their entries, so that no float is added atomically. An entry is (the sample, its window's first cell seen
// from the tile's: x + 128, y + 128, z + 128 in bytes from the lowest on); where a window wraps around the grid or leaves
// the tile, the sample has an entry wherever it touches. A tile of many entries is made in parts, which mri_gridding_fold adds up
// in their order.
// A work-item has CELLS / GROUP cells in registers. CHUNK samples at a time come to local memory with their weights along
// each axis, 0 outside of the window, and every work-item takes all of them up. Where work-items run one after another
// (SERIAL) a group is one of them, which adds each sample to the cells of its window.
//
// A sum over cells g of exp(-+i 2 pi g n/K) with n = j - floor(N/2), for j from 0 on, is a plain transform of what is
// multiplied by phases[g] = exp(-i 2 pi g floor(N/2)/K): as the grid is stored here, or as it is read (conjugate).
//
// Launch: mri_spread: a group of GROUP (SERIAL: of 1) for each job (tile, first entry, entries, part), part ~0 where it
// is the tile's only one; SERIAL: in any number of launches, each with the offset of its first job; mri_gridding_fold: such a group for each fold (tile, first part, parts, -);
// mri_take, mri_interpolate, mri_compensate: at least a work-item for each sample; mri_deapodise: for each voxel.
// Cost: mri_spread: 2 CELLS multiplications and additions an entry (SERIAL: 2 WIDTH^axes); reads 32 bytes an entry,
// writes the grid once. mri_interpolate: reads 32 bytes and WIDTH^axes cells a sample.
// Tunables: TILE_X, TILE_Y, TILE_Z, GROUP, CHUNK, SERIAL (KN_CPU). What is computed: WIDTH; SPAN_X, SPAN_Y, SPAN_Z: the same, or 1 for an
// axis of one cell; TERMS and COEFFICIENTS of the polynomial, the constant one first.
#ifndef SERIAL
#define SERIAL KN_CPU
#endif
#include "../../shared/mri.h"

#ifndef WIDTH
#define WIDTH GRIDDING_WIDTH
#endif
#ifndef SPAN_X
#define SPAN_X WIDTH
#endif
#ifndef SPAN_Y
#define SPAN_Y WIDTH
#endif
#ifndef SPAN_Z
#define SPAN_Z WIDTH
#endif
#ifndef TERMS
#define TERMS 4
#define COEFFICIENTS 0.25f, 0.25f, 0.25f, 0.25f
#endif
#ifndef TILE_X
#define TILE_X 8
#endif
#ifndef TILE_Y
#define TILE_Y 8
#endif
#ifndef TILE_Z
#define TILE_Z 8
#endif
#ifndef GROUP
#if SERIAL
#define GROUP 1
#else
#define GROUP 128
#endif
#endif
#ifndef CHUNK
#define CHUNK 64
#endif

#define CELLS (TILE_X * TILE_Y * TILE_Z)
#define STORED_AT_ONCE 0xffffffffu

__constant float coefficients[TERMS] = {COEFFICIENTS};

// At t cells from the window's first one, which is at `offset` from the sample.
static inline float weight(float offset, int t, int span)
{
    float x = (offset + (float)t) * (2.0f / (float)WIDTH), s = fma(-x, x, 1.0f);
    float value = coefficients[TERMS - 1];

#pragma unroll
    for (int i = TERMS - 2; i >= 0; i--)
        value = fma(value, s, coefficients[i]);
    return t < 0 || t >= span ? 0.0f : span == 1 ? 1.0f : value;
}

static inline float2 times(float2 a, float2 b)
{
    return (float2)(fma(a.x, b.x, -a.y * b.y), fma(a.x, b.y, a.y * b.x));
}

// A tile's first cell.
static inline uint4 tile_corner(uint tile, uint cells_x, uint cells_y)
{
    uint across = (cells_x - 1) / TILE_X + 1, down = (cells_y - 1) / TILE_Y + 1;

    return (uint4)(tile % across * TILE_X, tile / across % down * TILE_Y, tile / across / down * TILE_Z, 0);
}

// A tile's cell to the grid, if the grid has it.
static inline void store_cell(uint4 corner, uint cell, uint cells_x, uint cells_y, uint cells_z,
                              __global const float2 *phases, float2 sum, __global float2 *grid)
{
    uint x = corner.x + cell % TILE_X, y = corner.y + cell / TILE_X % TILE_Y, z = corner.z + cell / (TILE_X * TILE_Y);

    if (x < cells_x && y < cells_y && z < cells_z)
        grid[((size_t)z * cells_y + y) * cells_x + x] =
            times(sum, times(times(phases[x], phases[cells_x + y]), phases[cells_x + cells_y + z]));
}

#if SERIAL
// Rows have room for windows that begin before them or end behind them.
#define PITCH (TILE_X + 2 * (SPAN_X - 1))

static inline void add_sample(uint packed, float4 offset, float2 value, float2 *sums)
{
    int bx = (int)(packed & 255) - 128, by = (int)(packed >> 8 & 255) - 128, bz = (int)(packed >> 16 & 255) - 128;
    float along[SPAN_X], across[SPAN_Y];

    for (int t = 0; t < SPAN_X; t++)
        along[t] = weight(offset.x, t, SPAN_X);
    for (int t = 0; t < SPAN_Y; t++)
        across[t] = weight(offset.y, t, SPAN_Y);
    for (int z = max(bz, 0); z < min(bz + SPAN_Z, TILE_Z); z++) {
        float2 slice = value * weight(offset.z, z - bz, SPAN_Z);
        for (int y = max(by, 0); y < min(by + SPAN_Y, TILE_Y); y++) {
            float2 *row = sums + (z * TILE_Y + y) * PITCH + SPAN_X - 1 + bx;
            float2 line = slice * across[y - by];
            for (int t = 0; t < SPAN_X; t++)
                row[t] += line * along[t];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_spread(__global const uint4 *jobs, __global const uint2 *entries, __global const float4 *offsets,
           __global const float2 *data, __global const float2 *phases, uint cells_x, uint cells_y, uint cells_z,
           __global float2 *grid, __global float2 *parts)
{
    uint4 job = jobs[get_global_id(0) / GROUP], corner = tile_corner(job.x, cells_x, cells_y);
    float2 sums[PITCH * TILE_Y * TILE_Z];

    for (uint i = 0; i < PITCH * TILE_Y * TILE_Z; i++)
        sums[i] = (float2)(0.0f);
    for (uint i = 0; i < job.z; i++) {
        uint2 entry = entries[job.y + i];
        add_sample(entry.y, offsets[entry.x], data[entry.x], sums);
    }
    for (uint cell = 0; cell < CELLS; cell++) {
        float2 sum = sums[cell / TILE_X * PITCH + SPAN_X - 1 + cell % TILE_X];
        if (job.w == STORED_AT_ONCE)
            store_cell(corner, cell, cells_x, cells_y, cells_z, phases, sum, grid);
        else
            parts[(size_t)job.w * CELLS + cell] = sum;
    }
}
#else
#define EACH (CELLS / GROUP)

// What `count` entries, CHUNK at most, are to the tile's columns, rows and slices.
static inline void load_chunk(__global const uint2 *entries, uint count, __global const float4 *offsets,
                              __global const float2 *data, __local float *along_x, __local float *along_y,
                              __local float *along_z, __local float2 *values)
{
    uint item = (uint)get_local_id(0);

    for (uint i = item; i < count; i += GROUP)
        values[i] = data[entries[i].x];
    for (uint i = item; i < count * TILE_X; i += GROUP) {
        uint2 entry = entries[i / TILE_X];
        along_x[i] = weight(offsets[entry.x].x, (int)(i % TILE_X) - (int)(entry.y & 255) + 128, SPAN_X);
    }
    for (uint i = item; i < count * TILE_Y; i += GROUP) {
        uint2 entry = entries[i / TILE_Y];
        along_y[i] = weight(offsets[entry.x].y, (int)(i % TILE_Y) - (int)(entry.y >> 8 & 255) + 128, SPAN_Y);
    }
    for (uint i = item; i < count * TILE_Z; i += GROUP) {
        uint2 entry = entries[i / TILE_Z];
        along_z[i] = weight(offsets[entry.x].z, (int)(i % TILE_Z) - (int)(entry.y >> 16 & 255) + 128, SPAN_Z);
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_spread(__global const uint4 *jobs, __global const uint2 *entries, __global const float4 *offsets,
           __global const float2 *data, __global const float2 *phases, uint cells_x, uint cells_y, uint cells_z,
           __global float2 *grid, __global float2 *parts)
{
    __local float along_x[CHUNK * TILE_X], along_y[CHUNK * TILE_Y], along_z[CHUNK * TILE_Z];
    __local float2 values[CHUNK];
    uint4 job = jobs[get_group_id(0)], corner = tile_corner(job.x, cells_x, cells_y);
    uint item = (uint)get_local_id(0);
    float2 sums[EACH];

#pragma unroll
    for (uint r = 0; r < EACH; r++)
        sums[r] = (float2)(0.0f);
    for (uint done = 0; done < job.z; done += CHUNK) {
        uint count = min(job.z - done, (uint)CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
        load_chunk(entries + job.y + done, count, offsets, data, along_x, along_y, along_z, values);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < count; i++) {
            float2 value = values[i];
#pragma unroll
            for (uint r = 0; r < EACH; r++) {
                uint cell = item + r * GROUP;
                float w = along_x[i * TILE_X + cell % TILE_X] * along_y[i * TILE_Y + cell / TILE_X % TILE_Y] *
                          along_z[i * TILE_Z + cell / (TILE_X * TILE_Y)];
                sums[r].x = fma(w, value.x, sums[r].x);
                sums[r].y = fma(w, value.y, sums[r].y);
            }
        }
    }
#pragma unroll
    for (uint r = 0; r < EACH; r++) {
        uint cell = item + r * GROUP;
        if (job.w == STORED_AT_ONCE)
            store_cell(corner, cell, cells_x, cells_y, cells_z, phases, sums[r], grid);
        else
            parts[(size_t)job.w * CELLS + cell] = sums[r];
    }
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_gridding_fold(__global const uint4 *folds, __global const float2 *parts, __global const float2 *phases, uint cells_x,
         uint cells_y, uint cells_z, __global float2 *grid)
{
    uint4 fold = folds[get_group_id(0)], corner = tile_corner(fold.x, cells_x, cells_y);

    for (uint cell = (uint)get_local_id(0); cell < CELLS; cell += GROUP) {
        float2 sum = (float2)(0.0f);
        for (uint part = 0; part < fold.z; part++)
            sum += parts[((size_t)fold.y + part) * CELLS + cell];
        store_cell(corner, cell, cells_x, cells_y, cells_z, phases, sum, grid);
    }
}

// A window's cell on an axis, which it may wrap around, and the weight with the conjugate of the phase.
static inline uint wrapped(uint first, uint t, uint cells)
{
    return first + t < cells ? first + t : first + t - cells;
}

static inline float2 turned(float offset, uint t, int span, float2 phase)
{
    return weight(offset, (int)t, span) * (float2)(phase.x, -phase.y);
}

// A row of the window times its weights. Cells side by side are loaded without a thought for the grid's end.
static inline float2 row_sum(__global const float2 *row, uint first, uint cells_x, const float2 *along)
{
    float2 sum = (float2)(0.0f);

    if (first + SPAN_X <= cells_x) {
#pragma unroll
        for (uint t = 0; t < SPAN_X; t++)
            sum += times(row[first + t], along[t]);
        return sum;
    }
#pragma unroll
    for (uint t = 0; t < SPAN_X; t++)
        sum += times(row[wrapped(first, t, cells_x)], along[t]);
    return sum;
}

// positions: each sample's first cell along x, y and z, and its index in the caller's order, in which data[] is written
// unless `sorted`.
__kernel void mri_interpolate(uint samples, uint sorted, __global const uint4 *positions, __global const float4 *offsets,
                              __global const float2 *phases, uint cells_x, uint cells_y, uint cells_z,
                              __global const float2 *grid, __global float2 *data)
{
    uint i = (uint)get_global_id(0);
    float2 sum = (float2)(0.0f), along[SPAN_X], across[SPAN_Y];

    if (i >= samples)
        return;
    uint4 position = positions[i];
    float4 offset = offsets[i];
#pragma unroll
    for (uint t = 0; t < SPAN_X; t++)
        along[t] = turned(offset.x, t, SPAN_X, phases[wrapped(position.x, t, cells_x)]);
#pragma unroll
    for (uint t = 0; t < SPAN_Y; t++)
        across[t] = turned(offset.y, t, SPAN_Y, phases[cells_x + wrapped(position.y, t, cells_y)]);
    for (uint tz = 0; tz < SPAN_Z; tz++) {
        uint z = wrapped(position.z, tz, cells_z);
        float2 slice = (float2)(0.0f);
#pragma unroll
        for (uint t = 0; t < SPAN_Y; t++) {
            uint y = wrapped(position.y, t, cells_y);
            slice += times(row_sum(grid + ((size_t)z * cells_y + y) * cells_x, position.x, cells_x, along), across[t]);
        }
        sum += times(slice, turned(offset.z, tz, SPAN_Z, phases[cells_x + cells_y + z]));
    }
    data[sorted ? i : position.w] = sum;
}

// Data from the caller's order to that of positions[], which mri_spread reads.
__kernel void mri_take(uint samples, __global const uint4 *positions, __global const float2 *data, __global float2 *sorted)
{
    uint i = (uint)get_global_id(0);

    if (i < samples)
        sorted[i] = data[positions[i].w];
}

// Divides by the window's transform: factors[] has its reciprocal along x, y and z in turn. May be done in place.
__kernel void mri_deapodise(__global const float2 *in, __global const float *factors, uint size_x, uint size_y,
                            uint size_z, __global float2 *out)
{
    size_t n = get_global_id(0);

    if (n >= (size_t)size_x * size_y * size_z)
        return;
    out[n] = in[n] * (factors[n % size_x] * factors[size_x + n / size_x % size_y] *
                      factors[size_x + size_y + n / size_x / size_y]);
}

// A step of density compensation: by how much of k-space the weights give each sample.
__kernel void mri_compensate(uint samples, __global const float2 *found, __global float2 *weights)
{
    uint i = (uint)get_global_id(0);

    if (i < samples)
        weights[i].x /= fabs(found[i].x);
}
