// SPDX-License-Identifier: Apache-2.0
// The twin of twin_transpose.cl as a CUDA programmer writes it.
#define TILE 32
#define ROWS 8

extern "C" __global__ void __launch_bounds__(TILE *ROWS)
    transpose(const float *__restrict__ in, float *__restrict__ out, unsigned n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned column = blockIdx.x * TILE + threadIdx.x;
    unsigned row = blockIdx.y * TILE + threadIdx.y;

    for (unsigned r = 0; r < TILE; r += ROWS)
        tile[threadIdx.y + r][threadIdx.x] = in[(row + r) * n + column];
    __syncthreads();
    column = blockIdx.y * TILE + threadIdx.x;
    row = blockIdx.x * TILE + threadIdx.y;
    for (unsigned r = 0; r < TILE; r += ROWS)
        out[(row + r) * n + column] = tile[threadIdx.x][threadIdx.y + r];
}
