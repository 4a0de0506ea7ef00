// SPDX-License-Identifier: Apache-2.0
// Gridding: samples at arbitrary positions to and from the cells of a grid, with the Kaiser-Bessel window; and the passes
// over the image that go with it. src/app/mri/gridding/gridding.h has the formulas.
//
// The window, kb(x) / kb(0) = I0(b sqrt(s)) / I0(b) with s = 1 - (2x/WIDTH)^2, is entire in s: one polynomial describes all
// of it to within 1e-8 of its maximum, and all terms but the last ones are positive, so that floats add an error of about
// 1e-7.
//
// mri_spread computes a tile of the grid, TILE_X x TILE_Y x TILE_Z cells, from the samples whose windows touch it, in their
// sorted order (gridding.clh), so that no float is added atomically. A tile of many samples is computed in parts: the first
// one is written to the grid, and mri_gridding_fold adds the others to it in order. A work-item has CELLS / GROUP cells in
// registers. CHUNK samples at a time come to local memory with their weights along each axis, 0 outside of the window, and
// every work-item adds all of them. Where work-items run one after another (SERIAL) a group is one work-item, which adds
// each sample to the cells of its window. A sum over cells g of exp(-+i 2 pi g n/K) with n = j - floor(N/2), for j from 0
// on, is a plain transform of the cells multiplied by phases[g] = exp(-i 2 pi g floor(N/2)/K): as the grid is stored here,
// or as it is read (conjugate).
//
// Launch: mri_spread: a group of GROUP (SERIAL: of 1) for each job of mri_gridding_jobs, or more; SERIAL: in any number of
// launches, each with the offset of its first job; mri_gridding_fold: such a group for each place of sums; mri_take,
// mri_interpolate, mri_compensate: at least a work-item for each sample; mri_deapodise: for each voxel.
// Cost: mri_spread: 2 CELLS multiplications and additions a sample of a tile (SERIAL: 2 WIDTH^axes); reads 40 bytes for
// each, writes the grid once. mri_interpolate: reads 32 bytes and WIDTH^axes cells a sample.
// Tunables: TILE_X, TILE_Y, TILE_Z, GROUP, CHUNK, SERIAL (KN_CPU). The window: WIDTH; SPAN_X, SPAN_Y, SPAN_Z: the same, or
// 1 for an axis of one cell; TERMS and COEFFICIENTS of the polynomial, the constant one first.
#ifndef SERIAL
#define SERIAL KN_CPU
#endif
#include "gridding.clh"

#ifndef TERMS
#define TERMS 4
#define COEFFICIENTS 0.25f, 0.25f, 0.25f, 0.25f
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
#define NO_JOB 0xffffffffu

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

// A job's part of `count` samples: the number of its first one, and the end.
static inline uint2 job_share(uint4 job, uint count)
{
    return (uint2)((uint)((ulong)count * job.y / job.z), (uint)((ulong)count * (job.y + 1) / job.z));
}

// The number in the grid of a tile's cell, if the grid has it.
static inline bool cell_at(uint4 corner, uint cell, uint cells_x, uint cells_y, uint cells_z, uint4 *at)
{
    *at = (uint4)(corner.x + cell % TILE_X, corner.y + cell / TILE_X % TILE_Y, corner.z + cell / (TILE_X * TILE_Y), 0);
    return at->x < cells_x && at->y < cells_y && at->z < cells_z;
}

// Writes the sum of a tile's only part, or of one of several, to its place.
static inline void store_cell(uint4 job, uint4 corner, uint cell, uint cells_x, uint cells_y, uint cells_z,
                              __global const float2 *phases, float2 sum, __global float2 *grid, __global float2 *parts)
{
    uint4 at;

    if (job.y > 0)
        parts[((size_t)job.w + job.y - 1) * CELLS + cell] = sum;
    else if (cell_at(corner, cell, cells_x, cells_y, cells_z, &at))
        grid[((size_t)at.z * cells_y + at.y) * cells_x + at.x] =
            job.z > 1 ? sum : times(sum, times(times(phases[at.x], phases[cells_x + at.y]), phases[cells_x + cells_y + at.z]));
}

#if SERIAL
// Rows have room for windows that begin before them or end after them.
#define PITCH (TILE_X + 2 * (SPAN_X - 1))

// A sample whose window begins at cell `first`, relative to the tile.
static inline void add_sample(int4 first, float4 offset, float2 value, float2 *sums)
{
    float along[SPAN_X], across[SPAN_Y];

    for (int t = 0; t < SPAN_X; t++)
        along[t] = weight(offset.x, t, SPAN_X);
    for (int t = 0; t < SPAN_Y; t++)
        across[t] = weight(offset.y, t, SPAN_Y);
    for (int z = max(first.z, 0); z < min(first.z + SPAN_Z, TILE_Z); z++) {
        float2 slice = value * weight(offset.z, z - first.z, SPAN_Z);
        for (int y = max(first.y, 0); y < min(first.y + SPAN_Y, TILE_Y); y++) {
            float2 *row = sums + (z * TILE_Y + y) * PITCH + SPAN_X - 1 + first.x;
            float2 line = slice * across[y - first.y];
            for (int t = 0; t < SPAN_X; t++)
                row[t] += line * along[t];
        }
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_spread(__global const uint4 *jobs, __global const uint *starts, __global const uint4 *positions,
           __global const float4 *offsets, __global const float2 *data, __global const float2 *phases, uint cells_x,
           uint cells_y, uint cells_z, __global float2 *grid, __global float2 *parts)
{
    uint4 job = jobs[get_global_id(0) / GROUP], corner = tile_corner(job.x, cells_x, cells_y);
    float2 sums[PITCH * TILE_Y * TILE_Z];
    uint count = 0, before = 0;

    if (job.x == NO_JOB)
        return;
#pragma unroll 1
    for (uint r = 0; r < RANGES; r++) {
        struct range range = tile_range(r, corner, cells_x, cells_y, cells_z, starts);
        count += range.end - range.first;
    }
    uint2 share = job_share(job, count);
    for (uint i = 0; i < PITCH * TILE_Y * TILE_Z; i++)
        sums[i] = (float2)(0.0f);
#pragma unroll 1
    for (uint r = 0; r < RANGES; r++) {
        struct range range = tile_range(r, corner, cells_x, cells_y, cells_z, starts);
        uint here = range.end - range.first;
        uint from = clamp(share.x, before, before + here) - before, to = clamp(share.y, before, before + here) - before;
        for (uint i = range.first + from; i < range.first + to; i++) {
            int4 first = convert_int4(positions[i]) - range.origin;
            if (first.x > -SPAN_X)
                add_sample(first, offsets[i], data[i], sums);
        }
        before += here;
    }
    for (uint cell = 0; cell < CELLS; cell++)
        store_cell(job, corner, cell, cells_x, cells_y, cells_z, phases,
                   sums[cell / TILE_X * PITCH + SPAN_X - 1 + cell % TILE_X], grid, parts);
}
#else
#define EACH (CELLS / GROUP)

// Ranges of samples, one after another: ends[r] is the number of samples in the first r + 1 ranges.
struct candidates {
    uint first[RANGES], ends[RANGES];
    int x[RANGES], y[RANGES], z[RANGES];
};

static inline void load_ranges(uint4 corner, uint cells_x, uint cells_y, uint cells_z, __global const uint *starts,
                               __local struct candidates *all)
{
    uint item = (uint)get_local_id(0);

    for (uint r = item; r < RANGES; r += GROUP) {
        struct range range = tile_range(r, corner, cells_x, cells_y, cells_z, starts);
        all->first[r] = range.first;
        all->ends[r] = range.end - range.first;
        all->x[r] = range.origin.x;
        all->y[r] = range.origin.y;
        all->z[r] = range.origin.z;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        for (uint r = 1; r < RANGES; r++)
            all->ends[r] += all->ends[r - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Loads `count` of them from `from` on, at most CHUNK, with their weights on the tile's columns, rows and slices.
static inline void load_chunk(__local const struct candidates *all, uint from, uint count,
                              __global const uint4 *positions, __global const float4 *offsets,
                              __global const float2 *data, __local int4 *firsts, __local float4 *from_first,
                              __local float *along_x, __local float *along_y, __local float *along_z,
                              __local float2 *values)
{
    uint item = (uint)get_local_id(0);

    for (uint i = item; i < count; i += GROUP) {
        uint r = 0;
        while (all->ends[r] <= from + i)
            r++;
        uint at = all->first[r] + from + i - (r ? all->ends[r - 1] : 0);
        firsts[i] = convert_int4(positions[at]) - (int4)(all->x[r], all->y[r], all->z[r], 0);
        from_first[i] = offsets[at];
        values[i] = data[at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < count * TILE_X; i += GROUP)
        along_x[i] = weight(from_first[i / TILE_X].x, (int)(i % TILE_X) - firsts[i / TILE_X].x, SPAN_X);
    for (uint i = item; i < count * TILE_Y; i += GROUP)
        along_y[i] = weight(from_first[i / TILE_Y].y, (int)(i % TILE_Y) - firsts[i / TILE_Y].y, SPAN_Y);
    for (uint i = item; i < count * TILE_Z; i += GROUP)
        along_z[i] = weight(from_first[i / TILE_Z].z, (int)(i % TILE_Z) - firsts[i / TILE_Z].z, SPAN_Z);
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_spread(__global const uint4 *jobs, __global const uint *starts, __global const uint4 *positions,
           __global const float4 *offsets, __global const float2 *data, __global const float2 *phases, uint cells_x,
           uint cells_y, uint cells_z, __global float2 *grid, __global float2 *parts)
{
    __local struct candidates all;
    __local int4 firsts[CHUNK];
    __local float4 from_first[CHUNK];
    __local float along_x[CHUNK * TILE_X], along_y[CHUNK * TILE_Y], along_z[CHUNK * TILE_Z];
    __local float2 values[CHUNK];
    uint4 job = jobs[get_group_id(0)], corner = tile_corner(job.x, cells_x, cells_y);
    uint item = (uint)get_local_id(0);
    float2 sums[EACH];

    if (job.x == NO_JOB)
        return;
    load_ranges(corner, cells_x, cells_y, cells_z, starts, &all);
    uint2 share = job_share(job, all.ends[RANGES - 1]);
#pragma unroll
    for (uint r = 0; r < EACH; r++)
        sums[r] = (float2)(0.0f);
    for (uint done = share.x; done < share.y; done += CHUNK) {
        uint count = min(share.y - done, (uint)CHUNK);
        barrier(CLK_LOCAL_MEM_FENCE);
        load_chunk(&all, done, count, positions, offsets, data, firsts, from_first, along_x, along_y, along_z, values);
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
    for (uint r = 0; r < EACH; r++)
        store_cell(job, corner, item + r * GROUP, cells_x, cells_y, cells_z, phases, sums[r], grid, parts);
}
#endif

// A group for each place of sums; that of a tile's first place adds them to the grid.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_gridding_fold(__global const uint2 *folds, __global const float2 *parts, __global const float2 *phases, uint cells_x,
                  uint cells_y, uint cells_z, __global float2 *grid)
{
    uint place = (uint)get_group_id(0);
    uint2 fold = folds[place];

    if (fold.x == NO_JOB)
        return;
    uint4 corner = tile_corner(fold.x, cells_x, cells_y), at;
    for (uint cell = (uint)get_local_id(0); cell < CELLS; cell += GROUP) {
        if (!cell_at(corner, cell, cells_x, cells_y, cells_z, &at))
            continue;
        size_t where = ((size_t)at.z * cells_y + at.y) * cells_x + at.x;
        float2 sum = grid[where];
        for (uint part = 0; part < fold.y; part++)
            sum += parts[((size_t)place + part) * CELLS + cell];
        grid[where] = times(sum, times(times(phases[at.x], phases[cells_x + at.y]), phases[cells_x + cells_y + at.z]));
    }
}

// A window's cell on an axis, which it may wrap around, and its weight times the conjugate of the phase.
static inline uint wrapped(uint first, uint t, uint cells)
{
    return first + t < cells ? first + t : first + t - cells;
}

static inline float2 turned(float offset, uint t, int span, float2 phase)
{
    return weight(offset, (int)t, span) * (float2)(phase.x, -phase.y);
}

// A row of the window times its weights. If the window does not wrap, contiguous cells are loaded without checks.
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

// A step of density compensation: how much of k-space the weights assign to each sample.
__kernel void mri_compensate(uint samples, __global const float2 *found, __global float2 *weights)
{
    uint i = (uint)get_global_id(0);

    if (i < samples)
        weights[i].x /= fabs(found[i].x);
}
