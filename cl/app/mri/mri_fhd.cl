// SPDX-License-Identifier: Apache-2.0
// The adjoint of a non-Cartesian Fourier transform as direct sums: voxel n becomes sum_m mu_m exp(i 2 pi k_m . r_n) (F^H d;
// Q with real mu). Every kernel is one rung of the lecture's ladder (Stone, Haldar, Tsao, Hwu, Sutton and Liang,
// Accelerating advanced MRI reconstructions on GPUs, J. Parallel Distrib. Comput. 68, 2008; Kirk and Hwu, Programming
// massively parallel processors, chapter 8) and, except the last, computes a voxel a work-item:
//   mri_naive            loops interchanged, so that no two work-items write to the same number; the sums stay in
//                        global memory, in records of a voxel's position and value
//   mri_register         position and sums in registers
//   mri_coalesced        an array for each component instead of records, so that neighbouring work-items load
//                        neighbouring numbers: the lecture's coalescing concerns the voxels, because all
//                        work-items read the same sample at a time anyway
//   mri_constant         samples in constant memory, an array for each component, in chunks that fit there
//   mri_constant_struct  the same in one array of records: a sample's numbers share a cache line
//   mri_fast_trig        mri_constant with native sine and cosine
//   mri_tuned            everything that the tunables below can select
// In all of them the phase is reduced to a turn before sine and cosine, so that native functions get arguments for which
// they are accurate.
//
// A launch takes samples [begin, end), at most some thousands, because its sums are floats; launches are added in pairs of
// floats in `total` (mri.clh), and `stage` marks the first and the last. Values go to `image` from `at` on.
// Launch: mri_naive to mri_fast_trig: a work-item a voxel, groups of any size. mri_tuned: groups of GROUP, one for
// GROUP * WIDTH lines in dimension 0, `parts` in dimension 1; mri_fold with a work-item a voxel where parts > 1.
// Cost: a sine, a cosine and 14 operations (10 with REAL_MU) a voxel and sample.
// Tunables: REAL_MU (1: mu is real), and for mri_tuned: GROUP; VOXELS a line, that is a work-item; WIDTH (lines side by
// side in a vector, for CPUs); MEMORY for samples (0: constant, 1: global, 2: local); CHUNK (samples at a time in local
// memory); UNROLL (samples); TRIG (turn.clh); POSITIONS (0: voxels of a matrix, whose phases are 32-bit fractions of a
// turn; 1: read), AXIS (of a matrix: its last axis that is longer than 1).
#ifndef REAL_MU
#define REAL_MU 0
#endif
#ifndef GROUP
#define GROUP 256
#endif
#ifndef VOXELS
#define VOXELS 4
#endif
#ifndef MEMORY
#define MEMORY 2
#endif
#ifndef CHUNK
#define CHUNK 256
#endif
#ifndef UNROLL
#if KN_CPU
#define UNROLL 1
#else
#define UNROLL 4
#endif
#endif
#ifndef POSITIONS
#define POSITIONS 0
#endif
#ifndef AXIS
#define AXIS 2
#endif

// Samples that mri_tuned adds up before adding their sum to others: rounding errors grow with the square root of a run, and
// for 4,096 samples exceed all others.
#define RUN 64u

#include "mri.clh"
#include "turn.clh"

struct sample {
    float x, y, z; // k
    float re;      // mu
#if !REAL_MU
    float im;
#endif
};

struct voxel {
    float x, y, z;
    float re, im; // the sums of the launch
};

// ---- the ladder ----

static inline void plain_sincos(float turns, float *s, float *c)
{
    *s = sincos((turns - rint(turns)) * TWO_PI, c);
}

// mu (c + i s).
static inline float2 term(float re, float im, float s, float c)
{
#if REAL_MU
    return (float2)(re * c, re * s);
#else
    return (float2)(re * c - im * s, im * c + re * s);
#endif
}

#if REAL_MU
#define IM(sample) 0.0f
#define IM_AT(im, m) 0.0f
#else
#define IM(sample) (sample).im
#define IM_AT(im, m) (im)[m]
#endif

__kernel void mri_naive(__global struct voxel *voxels, uint count, __global const struct sample *samples, uint begin,
                        uint end, __global float4 *total, __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n >= count)
        return;
    voxels[n].re = 0;
    voxels[n].im = 0;
    for (uint m = begin; m < end; m++) {
        float s, c;

        plain_sincos(samples[m].x * voxels[n].x + samples[m].y * voxels[n].y + samples[m].z * voxels[n].z, &s, &c);
#if REAL_MU
        voxels[n].re += samples[m].re * c;
        voxels[n].im += samples[m].re * s;
#else
        voxels[n].re += samples[m].re * c - samples[m].im * s;
        voxels[n].im += samples[m].im * c + samples[m].re * s;
#endif
    }
    give(total, image + at, n, pair_add(begun(total, n, stage), (float2)(voxels[n].re, voxels[n].im)), stage);
}

__kernel void mri_register(__global const struct voxel *voxels, uint count, __global const struct sample *samples,
                           uint begin, uint end, __global float4 *total, __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n >= count)
        return;
    float x = voxels[n].x, y = voxels[n].y, z = voxels[n].z;
    float2 sum = (float2)(0.0f);
    for (uint m = begin; m < end; m++) {
        float s, c;

        plain_sincos(samples[m].x * x + samples[m].y * y + samples[m].z * z, &s, &c);
        sum += term(samples[m].re, IM(samples[m]), s, c);
    }
    give(total, image + at, n, pair_add(begun(total, n, stage), sum), stage);
}

__kernel void mri_coalesced(__global const float *x, __global const float *y, __global const float *z, uint count,
                            __global const float *kx, __global const float *ky, __global const float *kz,
                            __global const float *re, __global const float *im, uint begin, uint end,
                            __global float4 *total, __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n >= count)
        return;
    float x_n = x[n], y_n = y[n], z_n = z[n];
    float2 sum = (float2)(0.0f);
    for (uint m = begin; m < end; m++) {
        float s, c;

        plain_sincos(kx[m] * x_n + ky[m] * y_n + kz[m] * z_n, &s, &c);
        sum += term(re[m], IM_AT(im, m), s, c);
    }
    give(total, image + at, n, pair_add(begun(total, n, stage), sum), stage);
}

__kernel void mri_constant(__global const float *x, __global const float *y, __global const float *z, uint count,
                           __constant float *kx, __constant float *ky, __constant float *kz, __constant float *re,
                           __constant float *im, uint begin, uint end, __global float4 *total,
                           __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n >= count)
        return;
    float x_n = x[n], y_n = y[n], z_n = z[n];
    float2 sum = (float2)(0.0f);
    for (uint m = begin; m < end; m++) {
        float s, c;

        plain_sincos(kx[m] * x_n + ky[m] * y_n + kz[m] * z_n, &s, &c);
        sum += term(re[m], IM_AT(im, m), s, c);
    }
    give(total, image + at, n, pair_add(begun(total, n, stage), sum), stage);
}

__kernel void mri_constant_struct(__global const float *x, __global const float *y, __global const float *z, uint count,
                                  __constant struct sample *samples, uint begin, uint end, __global float4 *total,
                                  __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n >= count)
        return;
    float x_n = x[n], y_n = y[n], z_n = z[n];
    float2 sum = (float2)(0.0f);
    for (uint m = begin; m < end; m++) {
        float s, c;

        plain_sincos(samples[m].x * x_n + samples[m].y * y_n + samples[m].z * z_n, &s, &c);
        sum += term(samples[m].re, IM(samples[m]), s, c);
    }
    give(total, image + at, n, pair_add(begun(total, n, stage), sum), stage);
}

__kernel void mri_fast_trig(__global const float *x, __global const float *y, __global const float *z, uint count,
                            __constant float *kx, __constant float *ky, __constant float *kz, __constant float *re,
                            __constant float *im, uint begin, uint end, __global float4 *total,
                            __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n >= count)
        return;
    float x_n = x[n], y_n = y[n], z_n = z[n];
    float2 sum = (float2)(0.0f);
    for (uint m = begin; m < end; m++) {
        float turns = kx[m] * x_n + ky[m] * y_n + kz[m] * z_n;
        float phase = (turns - rint(turns)) * TWO_PI;

        sum += term(re[m], IM_AT(im, m), native_sin(phase), native_cos(phase));
    }
    give(total, image + at, n, pair_add(begun(total, n, stage), sum), stage);
}

// ---- tuned ----

#if MEMORY == 0
#define GIVEN __constant
#define HELD __constant
#elif MEMORY == 1
#define GIVEN __global
#define HELD __global
#else
#define GIVEN __global
#define HELD __local
#endif

// A work-item's voxels: WIDTH lines of VOXELS voxels each, a constant number of planes apart along AXIS, so that from one
// to the next the phase changes by the same amount for all lines.
struct lines {
#if POSITIONS
    reals x[VOXELS], y[VOXELS], z[VOXELS];
#else
    uints x, y, z; // of the first voxels, from the matrix's middle
    uint apart;    // to the next ones
#endif
    reals re[VOXELS], im[VOXELS]; // the sums, of runs of samples
};

// Sine and cosine of sample k at voxel v of the lines, moved on by `shift`; `phase` is that of the voxel before, and is
// updated.
static inline void phase_at(const struct lines *lines, uint4 k, uint v, uint shift, uints *phase, reals *s, reals *c)
{
#if POSITIONS
    reals turns = as_float(k.x) * lines->x[v] + as_float(k.y) * lines->y[v] + as_float(k.z) * lines->z[v];

    turn_sincos(turn_reduced(turns), s, c);
#else
    if (v == 0) {
        *phase = k.x * lines->x + (TURN_BEGIN + shift);
#if AXIS > 0
        *phase += k.y * lines->y;
#endif
#if AXIS > 1
        *phase += k.z * lines->z;
#endif
    } else {
        *phase += (uints)((AXIS == 0 ? k.x : AXIS == 1 ? k.y : k.z) * lines->apart);
    }
    turn_sincos(turn_of(*phase), s, c);
#endif
}

// NVIDIA's native cosine is 1.8e-8 too large on average, which adds up over samples of one sign. So every other run is
// summed half a turn further, where the cosine only changes its sign, and subtracted.
#if TRIG == 1 && !POSITIONS
#define HALF_TURN(run) ((run) % 2 << 31)
#else
#define HALF_TURN(run) 0u
#endif

// `points`: k's components, as floats or as fractions of a turn a voxel, and the real part of mu.
static inline void add_run(struct lines *lines, HELD const uint4 *points, HELD const float *imaginary, uint begin,
                           uint end, uint shift)
{
    reals sum_re[VOXELS], sum_im[VOXELS];

#pragma unroll
    for (uint v = 0; v < VOXELS; v++)
        sum_re[v] = sum_im[v] = (reals)(0.0f);
#if UNROLL > 1
#pragma unroll UNROLL
#endif
    for (uint m = begin; m < end; m++) {
        uint4 k = points[m];
        float re = as_float(k.w);
#if !REAL_MU
        float im = imaginary[m];
#endif
        uints phase = (uints)(0);

#pragma unroll
        for (uint v = 0; v < VOXELS; v++) {
            reals s, c;

            phase_at(lines, k, v, shift, &phase, &s, &c);
            sum_re[v] = mad(c, (reals)(re), sum_re[v]);
            sum_im[v] = mad(s, (reals)(re), sum_im[v]);
#if !REAL_MU
            sum_re[v] = mad(s, (reals)(-im), sum_re[v]);
            sum_im[v] = mad(c, (reals)(im), sum_im[v]);
#endif
        }
    }
#pragma unroll
    for (uint v = 0; v < VOXELS; v++) {
        lines->re[v] += shift ? -sum_re[v] : sum_re[v];
        lines->im[v] += shift ? -sum_im[v] : sum_im[v];
    }
}

// `first`: the number of points[0].
static inline void add_samples(struct lines *lines, HELD const uint4 *points, HELD const float *imaginary, uint begin,
                               uint end, uint first)
{
    for (; begin < end; begin += RUN)
        add_run(lines, points, imaginary, begin, min(end, begin + RUN), HALF_TURN((first + begin) / RUN));
}

#if POSITIONS
#define POSITION_PARAMETERS __global const float *x, __global const float *y, __global const float *z

static inline void place_lines(struct lines *lines, uint line, uint step, uint count, POSITION_PARAMETERS)
{
#pragma unroll
    for (uint v = 0; v < VOXELS; v++) {
        union lanes at[3];

        for (uint lane = 0; lane < WIDTH; lane++) {
            uint n = min(line + lane + v * step, count - 1);

            at[0].number[lane] = x[n];
            at[1].number[lane] = y[n];
            at[2].number[lane] = z[n];
        }
        lines->x[v] = at[0].vector;
        lines->y[v] = at[1].vector;
        lines->z[v] = at[2].vector;
    }
}
#else
// The matrix, the number in it of voxel 0, and the number of planes from a voxel of a line to the next.
#define POSITION_PARAMETERS uint size_x, uint size_y, uint size_z, ulong first, uint apart

static inline void place_lines(struct lines *lines, uint line, POSITION_PARAMETERS)
{
    union unsigned_lanes at[3];

    for (uint lane = 0; lane < WIDTH; lane++) {
        ulong n = first + line + lane, row = n / size_x;

        at[0].number[lane] = (uint)(n % size_x) - size_x / 2;
        at[1].number[lane] = (uint)(row % size_y) - size_y / 2;
        at[2].number[lane] = (uint)(row / size_y) - size_z / 2;
    }
    lines->x = at[0].vector;
    lines->y = at[1].vector;
    lines->z = at[2].vector;
    lines->apart = apart;
}
#endif

static inline void store_lines(const struct lines *lines, uint line, uint step, uint count, __global float2 *parts,
                               __global float4 *total, __global float2 *image, uint stage, uint is_part)
{
#pragma unroll
    for (uint v = 0; v < VOXELS; v++) {
        union lanes re, im;

        re.vector = lines->re[v];
        im.vector = lines->im[v];
        for (uint lane = 0; lane < WIDTH; lane++) {
            uint n = line + lane + v * step;
            float2 sum = (float2)(re.number[lane], im.number[lane]);

            if (line + lane >= step || n >= count)
                continue;
            if (is_part)
                parts[n] = sum;
            else
                give(total, image, n, pair_add(begun(total, n, stage), sum), stage);
        }
    }
}

// There are `step` lines; voxel v of line l is number l + v * step of `count`. With several groups in dimension 1, each
// takes `share` samples and writes its sums to its own row of `parts`.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mri_tuned(POSITION_PARAMETERS, uint step, uint count, GIVEN const uint4 *points, GIVEN const float *imaginary,
               uint begin, uint end, uint share, __global float2 *parts, __global float4 *total,
               __global float2 *image, ulong at, uint stage)
{
    uint part = (uint)get_group_id(1);
    uint line = (uint)get_global_id(0) * WIDTH;
    struct lines lines;

#if POSITIONS
    place_lines(&lines, line, step, count, x, y, z);
#else
    place_lines(&lines, line, size_x, size_y, size_z, first, apart);
#endif
#pragma unroll
    for (uint v = 0; v < VOXELS; v++)
        lines.re[v] = lines.im[v] = (reals)(0.0f);
    begin += part * share;
    end = min(end, begin + share);
#if MEMORY == 2
    __local uint4 held[CHUNK];
    __local float held_imaginary[CHUNK];
    for (uint from = begin; from < end; from += CHUNK) {
        uint samples = min((uint)CHUNK, end - from);

        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = (uint)get_local_id(0); i < samples; i += GROUP) {
            held[i] = points[from + i];
#if !REAL_MU
            held_imaginary[i] = imaginary[from + i];
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        add_samples(&lines, held, held_imaginary, 0, samples, from);
    }
#else
    add_samples(&lines, points, imaginary, begin, end, 0);
#endif
    store_lines(&lines, line, step, count, parts + (ulong)part * count, total, image + at, stage,
                get_num_groups(1) > 1);
}
