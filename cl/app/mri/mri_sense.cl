// SPDX-License-Identifier: Apache-2.0
// Coil sensitivities (src/app/mri/sense/sense.h): an image as a coil sees it, and the adjoint, summed over coils.
//
// Launch: ceil(count / (GROUP * ITEMS)) groups.
// Cost: multiply reads a map and an image and writes an image; add reads one image more, except for the first coil.
// Tunables: GROUP, ITEMS (voxels a work-item; on CPUs they are neighbours).
#ifndef GROUP
#define GROUP 256
#endif
#ifndef ITEMS
#if KN_CPU
#define ITEMS 16
#else
#define ITEMS 2
#endif
#endif

// The first voxel of a work-item, and the distance to its next one.
inline ulong first_voxel(uint *step)
{
#if KN_CPU
    *step = 1;
    return (ulong)get_global_id(0) * ITEMS;
#else
    *step = GROUP;
    return (ulong)get_group_id(0) * GROUP * ITEMS + get_local_id(0);
#endif
}

// seen = S x, with the map of a coil.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_sense_multiply(__global const float2 *map, __global const float2 *x, __global float2 *seen, ulong count)
{
    uint step;
    ulong start = first_voxel(&step);

#pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        ulong n = start + i * step;
        if (n < count) {
            float2 s = map[n], value = x[n];
            seen[n] = (float2)(s.x * value.x - s.y * value.y, s.x * value.y + s.y * value.x);
        }
    }
}

// sum += S^H y; where `begins` is not 0, there is no sum yet.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_sense_add(__global const float2 *map, __global const float2 *y, __global float2 *sum, ulong count, uint begins)
{
    uint step;
    ulong start = first_voxel(&step);

#pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        ulong n = start + i * step;
        if (n < count) {
            float2 s = map[n], value = y[n], before = begins ? (float2)(0, 0) : sum[n];
            sum[n] = before + (float2)(s.x * value.x + s.y * value.y, s.x * value.y - s.y * value.x);
        }
    }
}
