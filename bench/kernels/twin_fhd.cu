// SPDX-License-Identifier: Apache-2.0
// The twin of twin_fhd.cl as a CUDA programmer writes it: the samples in __constant__ arrays, or (GLOBAL) read through
// const __restrict__ pointers.
#ifndef VOXELS
#define VOXELS 1
#endif
#ifndef SAMPLES
#define SAMPLES 2048
#endif
#define TWO_PI 6.28318531f

#ifdef GLOBAL
#define SAMPLE_ARGUMENTS const float4 *__restrict__ k, const float2 *__restrict__ d,
#else
#define SAMPLE_ARGUMENTS
__constant__ float4 k[SAMPLES];
__constant__ float2 d[SAMPLES];
#endif

extern "C" __global__ void fhd(SAMPLE_ARGUMENTS const float4 *__restrict__ r, float2 *__restrict__ image)
{
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x, items = gridDim.x * blockDim.x;
    float4 at[VOXELS];
    float2 sum[VOXELS];

#pragma unroll
    for (int v = 0; v < VOXELS; v++) {
        at[v] = r[first + v * items];
        sum[v] = make_float2(0.0f, 0.0f);
    }
    for (int m = 0; m < SAMPLES; m++)
#pragma unroll
        for (int v = 0; v < VOXELS; v++) {
            float turns = k[m].x * at[v].x + k[m].y * at[v].y + k[m].z * at[v].z;
            float c, s;
            __sincosf(TWO_PI * (turns - rintf(turns)), &s, &c);
            sum[v].x += d[m].x * c - d[m].y * s;
            sum[v].y += d[m].x * s + d[m].y * c;
        }
#pragma unroll
    for (int v = 0; v < VOXELS; v++)
        image[first + v * items] = sum[v];
}
