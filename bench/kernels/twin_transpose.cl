// SPDX-License-Identifier: Apache-2.0
// The transpose of a square matrix through tiles in local memory: rows are read and written whole.
// Launch: work-groups of 32 x 8, one a tile of 32 x 32; n is a multiple of 32. The padding column keeps a tile's
// columns in different banks.
#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1))) void transpose(__global const float *restrict in,
                                                                             __global float *restrict out, uint n)
{
    __local float tile[TILE][TILE + 1];
    uint lx = (uint)get_local_id(0), ly = (uint)get_local_id(1);
    uint column = (uint)get_group_id(0) * TILE + lx, row = (uint)get_group_id(1) * TILE + ly;

    for (uint r = 0; r < TILE; r += ROWS)
        tile[ly + r][lx] = in[(row + r) * n + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    column = (uint)get_group_id(1) * TILE + lx;
    row = (uint)get_group_id(0) * TILE + ly;
    for (uint r = 0; r < TILE; r += ROWS)
        out[(row + r) * n + column] = tile[lx][ly + r];
}
