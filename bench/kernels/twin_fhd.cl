// SPDX-License-Identifier: Apache-2.0
// The adjoint of a non-Cartesian Fourier transform as the MRI literature computes it on GPUs: a voxel r sums
// d_m exp(i 2 pi k_m r) over the samples, which lie in constant memory (Stone et al., Accelerating advanced MRI
// reconstructions on GPUs, J. Parallel Distrib. Comput. 68, 2008).
// Launch: voxels / VOXELS work-items. One pair of a sample and a voxel is a native sine and cosine.
// Tunables: VOXELS a work-item, SAMPLES.
#ifndef VOXELS
#define VOXELS 1
#endif
#ifndef SAMPLES
#define SAMPLES 2048
#endif
#define TWO_PI 6.28318531f

__kernel void fhd(__constant float4 *k, __constant float2 *d, __global const float4 *restrict r,
                  __global float2 *restrict image)
{
    uint first = (uint)get_global_id(0), items = (uint)get_global_size(0);
    float4 at[VOXELS];
    float2 sum[VOXELS];

    for (uint v = 0; v < VOXELS; v++) {
        at[v] = r[first + v * items];
        sum[v] = (float2)(0.0f);
    }
    for (uint m = 0; m < SAMPLES; m++)
        for (uint v = 0; v < VOXELS; v++) {
            float turns = k[m].x * at[v].x + k[m].y * at[v].y + k[m].z * at[v].z;
            float phase = TWO_PI * (turns - rint(turns));
            float c = native_cos(phase), s = native_sin(phase);
            sum[v].x += d[m].x * c - d[m].y * s;
            sum[v].y += d[m].x * s + d[m].y * c;
        }
    for (uint v = 0; v < VOXELS; v++)
        image[first + v * items] = sum[v];
}
