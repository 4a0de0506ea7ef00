// SPDX-License-Identifier: Apache-2.0
// Adds up the sums of groups that shared samples (mri_tuned, mri_separable).
// Launch: a work-item a voxel. Cost: reads 8 bytes a voxel and row of `parts`.
#include "mri.clh"

__kernel void mri_fold(__global const float2 *parts, uint rows, uint count, __global float4 *total,
                       __global float2 *image, ulong at, uint stage)
{
    uint n = (uint)get_global_id(0);

    if (n < count)
        give(total, image + at, n, add_rows(begun(total, n, stage), parts, rows, count, n), stage);
}
