// SPDX-License-Identifier: Apache-2.0
// The twin of twin_product.cl as a CUDA programmer writes it.
#define TILE  128
#define DEPTH 8
#define ITEM  8

extern "C" __global__ void __launch_bounds__(256) product(const float *__restrict__ a, const float *__restrict__ b,
                                                          float *__restrict__ c, unsigned n)
{
    __shared__ __align__(16) float a_tile[DEPTH][TILE]; // transposed
    __shared__ __align__(16) float b_tile[DEPTH][TILE];
    unsigned row = threadIdx.x / (TILE / ITEM) * ITEM, column = threadIdx.x % (TILE / ITEM) * ITEM;
    unsigned top = blockIdx.y * TILE, left = blockIdx.x * TILE;
    unsigned a_row = threadIdx.x / 2, a_column = threadIdx.x % 2 * 4;
    unsigned b_row = threadIdx.x / 32, b_column = threadIdx.x % 32 * 4;
    float sum[ITEM][ITEM] = {};

    for (unsigned k = 0; k < n; k += DEPTH) {
        float4 from_a = *reinterpret_cast<const float4 *>(&a[(top + a_row) * n + k + a_column]);
        a_tile[a_column + 0][a_row] = from_a.x;
        a_tile[a_column + 1][a_row] = from_a.y;
        a_tile[a_column + 2][a_row] = from_a.z;
        a_tile[a_column + 3][a_row] = from_a.w;
        *reinterpret_cast<float4 *>(&b_tile[b_row][b_column]) =
            *reinterpret_cast<const float4 *>(&b[(k + b_row) * n + left + b_column]);
        __syncthreads();
#pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float rows[ITEM], columns[ITEM];
#pragma unroll
            for (int i = 0; i < ITEM; i += 4) {
                *reinterpret_cast<float4 *>(&rows[i]) = *reinterpret_cast<const float4 *>(&a_tile[d][row + i]);
                *reinterpret_cast<float4 *>(&columns[i]) = *reinterpret_cast<const float4 *>(&b_tile[d][column + i]);
            }
#pragma unroll
            for (int i = 0; i < ITEM; i++)
#pragma unroll
                for (int j = 0; j < ITEM; j++)
                    sum[i][j] += rows[i] * columns[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < ITEM; i++)
#pragma unroll
        for (int j = 0; j < ITEM; j += 4)
            *reinterpret_cast<float4 *>(&c[(top + row + i) * n + left + column + j]) =
                *reinterpret_cast<const float4 *>(&sum[i][j]);
}
