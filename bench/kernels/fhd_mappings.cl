// SPDX-License-Identifier: Apache-2.0
// The lecture's first two mappings of the adjoint onto work-items, before it interchanges the loops (cl/app/mri/mri_fhd.cl goes
// on from there); and the ceiling of all kernels with native sine and cosine. Examples to measure, not to use.
//   fhd_scatter  a sample a work-item, which adds to every voxel. All work-items write to the same voxels, so that plain
//                additions lose some: the race is cured by compare-and-swap, at the price that shows.
//   fhd_motion   after code motion (mu computed inside both loops) the voxels' loop is mapped: no race, but each
//                work-item computes all of mu again.
//   trig         a native sine and cosine a step, of a phase that grows, and two multiplications and additions.
// Launch: a work-item a sample; a voxel; anything. Cost: a sine, a cosine and 13 operations a pair, and mu's.
// d, phi and image are pairs of floats, k and r three numbers each.
#define TWO_PI 6.28318531f

static inline void add_float(volatile __global uint *to, float term)
{
    uint seen = *to, found;

    while ((found = atomic_cmpxchg(to, seen, as_uint(as_float(seen) + term))) != seen)
        seen = found;
}

static inline float2 mu_of(float2 phi, float2 d)
{
    return (float2)(phi.x * d.x + phi.y * d.y, phi.x * d.y - phi.y * d.x);
}

static inline float2 term(float2 mu, __global const float *k, __global const float *r)
{
    float turns = k[0] * r[0] + k[1] * r[1] + k[2] * r[2], c;
    float s = sincos((turns - rint(turns)) * TWO_PI, &c);

    return (float2)(mu.x * c - mu.y * s, mu.y * c + mu.x * s);
}

// The image begins as zeros.
__kernel void fhd_scatter(__global const float2 *phi, __global const float2 *d, __global const float *k, uint samples,
                          __global const float *r, uint voxels, volatile __global uint *image)
{
    uint m = (uint)get_global_id(0);

    if (m >= samples)
        return;
    float2 mu = mu_of(phi[m], d[m]);
    for (uint n = 0; n < voxels; n++) {
        float2 value = term(mu, k + 3 * m, r + 3 * n);

        add_float(image + 2 * n, value.x);
        add_float(image + 2 * n + 1, value.y);
    }
}

__kernel void fhd_motion(__global const float2 *phi, __global const float2 *d, __global const float *k, uint samples,
                         __global const float *r, uint voxels, __global float2 *image)
{
    uint n = (uint)get_global_id(0);

    if (n >= voxels)
        return;
    for (uint m = 0; m < samples; m++)
        image[n] += term(mu_of(phi[m], d[m]), k + 3 * m, r + 3 * n);
}

__kernel void trig(__global float *out, uint steps)
{
    uint item = (uint)get_global_id(0);
    float phase = (float)(item % 1024) * 1e-3f, re = 0, im = 0;

    for (uint i = 0; i < steps; i++) {
        re = mad(native_cos(phase), 0.5f, re);
        im = mad(native_sin(phase), 0.5f, im);
        phase += 1e-3f;
    }
    out[item] = re + im;
}
