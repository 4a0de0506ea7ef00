// SPDX-License-Identifier: Apache-2.0
// The convolution of src/app/mri/solver/toeplitz.h, except for its transforms: where the differences are on the grid, and
// the product with the eigenvalues.
//
// Launch: mri_toeplitz_embed over (x points of half the grid, y points, z points), groups of any size;
// mri_toeplitz_multiply with ceil(count / (2 * GROUP * ITEMS)) groups.
// Cost: embed writes half of the grid; multiply reads and writes the grid and reads the eigenvalues.
// Tunables: GROUP, ITEMS (pairs of points a work-item; on CPUs they are neighbours).
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

// The place of point i of an axis of `length` among the 2 n differences of an axis of n voxels: difference d is at d + n.
// False if it has none.
inline bool find_difference(uint i, uint length, uint n, uint *position)
{
    if (n == 1) {
        *position = 0;
        return true;
    }
    if (i < n)
        *position = i + n;
    else
        *position = n - (length - i); // wraps around if there is no such difference
    return i < n || length - i < n;
}

// The conjugate of q, because the transform has the other sign, from the first `centre + 1` of its differences, the last of
// which is 0: each later one is the conjugate of its mirror image.
__kernel void mri_toeplitz_embed(__global const float2 *q, __global float2 *grid, uint nx, uint ny, uint nz,
                                 uint length_x, uint length_y, uint length_z)
{
    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), z = (uint)get_global_id(2);
    uint half_x = length_x / 2 + 1, px = 0, py = 0, pz = 0;
    ulong wide = nx == 1 ? 1 : 2 * nx, high = ny == 1 ? 1 : 2 * ny;
    ulong centre = ((nz == 1 ? 0 : nz) * high + (ny == 1 ? 0 : ny)) * wide + (nx == 1 ? 0 : nx);
    float2 value = (float2)(0, 0);
    bool inside;

    if (x >= half_x || y >= length_y || z >= length_z)
        return;
    inside = find_difference(x, length_x, nx, &px) && find_difference(y, length_y, ny, &py) &&
             find_difference(z, length_z, nz, &pz);
    if (inside) {
        ulong position = (pz * high + py) * wide + px;
        value = q[position <= centre ? position : 2 * centre - position];
        if (position <= centre)
            value.y = -value.y;
    }
    grid[((ulong)z * length_y + y) * half_x + x] = value;
}

// grid[i] *= eigenvalue[i].
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mri_toeplitz_multiply(__global float2 *grid, __global const float *eigenvalue, ulong count)
{
    ulong pairs = count / 2;
#if KN_CPU
    ulong first = (ulong)get_global_id(0) * ITEMS;
    uint step = 1;
#else
    ulong first = (ulong)get_group_id(0) * GROUP * ITEMS + get_local_id(0);
    uint step = GROUP;
#endif

#pragma unroll
    for (uint i = 0; i < ITEMS; i++) {
        ulong pair = first + i * step;
        if (pair < pairs) {
            float2 c = ((__global const float2 *)eigenvalue)[pair];
            ((__global float4 *)grid)[pair] *= c.xxyy;
        } else if (pair == pairs && count % 2) {
            grid[count - 1] *= eigenvalue[count - 1];
        }
    }
}
