// SPDX-License-Identifier: Apache-2.0
// The factor of each sample in the adjoint: mu_m = conj(phi_m) w_m d_m, with the data d, the density compensation w and the
// transform phi of a voxel's basis function. After Stone et al., Accelerating advanced MRI reconstructions on GPUs, J.
// Parallel Distrib. Comput. 68 (2008), where it is phi* d.
//
// Real and imaginary parts are stored as the sums need them: `re_step` numbers from a sample to the next, from re[re_at]
// on.
// Launch: a work-item a sample. Cost: reads and writes each number once.
// Tunables: DATA, WEIGHTS, BASIS (0: the factor is 1 and its argument is not read).
#ifndef DATA
#define DATA 1
#endif
#ifndef WEIGHTS
#define WEIGHTS 1
#endif
#ifndef BASIS
#define BASIS 1
#endif

__kernel void mri_mu(__global const float2 *data, __global const float *weights, __global const float2 *basis,
                     uint samples, __global float *re, uint re_at, uint re_step, __global float *im, uint im_at,
                     uint im_step, uint has_im)
{
    uint m = (uint)get_global_id(0);
    float2 mu = (float2)(1.0f, 0.0f);

    if (m >= samples)
        return;
#if DATA
    mu = data[m];
#endif
#if BASIS
    float2 phi = basis[m];
    mu = (float2)(phi.x * mu.x + phi.y * mu.y, phi.x * mu.y - phi.y * mu.x);
#endif
#if WEIGHTS
    mu *= weights[m];
#endif
    re[re_at + (ulong)m * re_step] = mu.x;
    if (has_im)
        im[im_at + (ulong)m * im_step] = mu.y;
}
