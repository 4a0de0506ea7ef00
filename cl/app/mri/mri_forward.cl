// SPDX-License-Identifier: Apache-2.0
// The non-Cartesian Fourier transform as direct sums: sample m becomes phi_m sum_n rho_n exp(-i 2 pi k_m . r_n) over the
// voxels of a matrix, phi being the transform of the voxels' basis function. The adjoint of cl/app/mri/mri_fhd.cl.
//
// Phases are 32-bit fractions of a turn (turn.clh), so that along a row they grow by a fixed integer. At most RUN voxels of
// a row are added up in floats, then these sums over a group's share of the voxels; shares are added in pairs of floats.
// Launch: mri_forward with a work-item for WIDTH samples in dimension 0 and a group for each `share` of the voxels
// [begin, end) in dimension 1, whose sums go to a row of `parts`; then mri_forward_fold with a work-item a sample.
// Cost: a sine, a cosine and 9 operations a voxel and sample.
// Tunables: GROUP; WIDTH and TRIG (lib/turn.clh); BASIS (0: phi is 1 and not read).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef BASIS
#define BASIS 1
#endif

#include "mri.clh"
#include "turn.clh"

#define RUN 64u

struct sums {
    reals re, im;
};

// Sums `run` voxels of a row; the phase at the first of them is given.
static inline void add_run(struct sums *sums, __global const float2 *image, uint run, uints phase, uints along)
{
    reals re = (reals)(0.0f), im = (reals)(0.0f);

    for (uint i = 0; i < run; i++) {
        float2 rho = image[i];
        reals s, c;

        turn_sincos(turn_of(phase), &s, &c);
        phase += along;
        re = mad(c, (reals)(rho.x), re);
        im = mad(s, (reals)(rho.x), im);
        re = mad(s, (reals)(-rho.y), re);
        im = mad(c, (reals)(rho.y), im);
    }
    sums->re += re;
    sums->im += im;
}

// `k`: three numbers a sample, -k as fractions of a turn a voxel. `image` begins with number `first` of the matrix.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void mri_forward(__global const uint *k, uint samples, uint size_x, uint size_y, uint size_z,
                 __global const float2 *image, ulong first, ulong begin, ulong end, uint share,
                 __global float2 *parts)
{
    uint part = (uint)get_group_id(1), m = (uint)get_global_id(0) * WIDTH;
    struct sums sums = {(reals)(0.0f), (reals)(0.0f)};
    union unsigned_lanes at[3];
    union lanes re, im;

    for (uint axis = 0; axis < 3; axis++)
        for (uint lane = 0; lane < WIDTH; lane++)
            at[axis].number[lane] = k[3 * (ulong)min(m + lane, samples - 1) + axis];
    begin += (ulong)part * share;
    end = min(end, begin + share);
    while (begin < end) {
        uint x = (uint)(begin % size_x);
        ulong row = begin / size_x;
        uint y = (uint)(row % size_y), z = (uint)(row / size_y);
        uint run = (uint)min(min((ulong)(size_x - x), (ulong)RUN), end - begin);
        uints phase = at[0].vector * (uints)(x - size_x / 2) + at[1].vector * (uints)(y - size_y / 2) +
                      at[2].vector * (uints)(z - size_z / 2) + (uints)(TURN_BEGIN);

        add_run(&sums, image + (begin - first), run, phase, at[0].vector);
        begin += run;
    }
    re.vector = sums.re;
    im.vector = sums.im;
    for (uint lane = 0; lane < WIDTH; lane++)
        if (m + lane < samples)
            parts[(ulong)part * samples + m + lane] = (float2)(re.number[lane], im.number[lane]);
}

// Adds up the rows of `parts` in order; the last launch writes the samples to `data` from `at` on.
__kernel void mri_forward_fold(__global const float2 *parts, uint rows, uint samples, __global const float2 *basis,
                               __global float4 *total, __global float2 *data, ulong at, uint stage)
{
    uint m = (uint)get_global_id(0);

    if (m >= samples)
        return;
    float4 sum = add_rows(begun(total, m, stage), parts, rows, samples, m);
#if BASIS
    if (stage & STAGE_LAST) {
        float2 phi = basis[m], value = sum.xy + sum.zw;
        data[at + m] = (float2)(phi.x * value.x - phi.y * value.y, phi.x * value.y + phi.y * value.x);
        return;
    }
#endif
    give(total, data + at, m, sum, stage);
}
