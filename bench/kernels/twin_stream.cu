// SPDX-License-Identifier: Apache-2.0
// The twin of twin_stream.cl as a CUDA programmer writes it.
extern "C" __global__ void stream(float a, const float4 *__restrict__ x, float4 *__restrict__ y, unsigned quarters)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < quarters) {
        float4 from = x[i];
        float4 to = y[i];
        to.x = a * from.x + to.x;
        to.y = a * from.y + to.y;
        to.z = a * from.z + to.z;
        to.w = a * from.w + to.w;
        y[i] = to;
    }
}
