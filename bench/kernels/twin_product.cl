// SPDX-License-Identifier: Apache-2.0
// C = A B for square matrices in row order: tiles of 128 x 128 in local memory, 8 x 8 sums a work-item in registers.
// Launch: work-groups of 256, one a tile of C, (n / 128) x (n / 128) of them; n is a multiple of 128.
#define TILE  128 // rows and columns of C a work-group
#define DEPTH 8   // columns of A and rows of B at a time
#define ITEM  8   // rows and columns of C a work-item

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void product(__global const float *restrict a,
                                                                       __global const float *restrict b,
                                                                       __global float *restrict c, uint n)
{
    __local float4 a_tile[DEPTH][TILE / 4]; // transposed
    __local float4 b_tile[DEPTH][TILE / 4];
    uint item = (uint)get_local_id(0);
    uint row = item / (TILE / ITEM) * ITEM, column = item % (TILE / ITEM) * ITEM;
    uint top = (uint)get_group_id(1) * TILE, left = (uint)get_group_id(0) * TILE;
    uint a_row = item / 2, a_column = item % 2 * 4; // what this work-item brings of either tile: a float4
    uint b_row = item / 32, b_column = item % 32;
    float4 sum[ITEM][2];

    for (uint i = 0; i < ITEM; i++)
        sum[i][0] = sum[i][1] = (float4)(0.0f);
    for (uint k = 0; k < n; k += DEPTH) {
        float4 from_a = *(__global const float4 *)&a[(top + a_row) * n + k + a_column];
        __local float *a_words = (__local float *)a_tile;
        a_words[(a_column + 0) * TILE + a_row] = from_a.x;
        a_words[(a_column + 1) * TILE + a_row] = from_a.y;
        a_words[(a_column + 2) * TILE + a_row] = from_a.z;
        a_words[(a_column + 3) * TILE + a_row] = from_a.w;
        b_tile[b_row][b_column] = *(__global const float4 *)&b[(k + b_row) * n + left + b_column * 4];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (uint d = 0; d < DEPTH; d++) {
            float4 upper = a_tile[d][row / 4], lower = a_tile[d][row / 4 + 1];
            float4 b0 = b_tile[d][column / 4], b1 = b_tile[d][column / 4 + 1];
            float rows[ITEM] = {upper.x, upper.y, upper.z, upper.w, lower.x, lower.y, lower.z, lower.w};
            for (uint i = 0; i < ITEM; i++) {
                sum[i][0] += rows[i] * b0;
                sum[i][1] += rows[i] * b1;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < ITEM; i++) {
        __global float4 *to = (__global float4 *)&c[(top + row + i) * n + left + column];
        to[0] = sum[i][0];
        to[1] = sum[i][1];
    }
}
