// SPDX-License-Identifier: Apache-2.0
// Peers on an NVIDIA GPU of the jobs bandwidth and flops of koine compare: reading and copying memory, and chains of fused
// multiply-adds, as one writes them in CUDA C++. One line a measurement (peers.cuh); n counts bytes, and multiply-adds.
//
//     nvcc -O3 -std=c++17 -arch=native -o ceilings ceilings.cu && ./ceilings
#include <cmath>

#include "peers.cuh"

enum { GROUP = 256, CHAINS = 8, TRIPS = 1024, ROUNDS = 4 };

// Each thread adds up every so many vectors, and writes its sum.
__global__ void read_words(const uint4 *from, size_t vectors, uint32_t *sums)
{
    size_t step = (size_t)gridDim.x * GROUP, first = (size_t)blockIdx.x * GROUP + threadIdx.x, i = first;
    uint32_t sum = 0;

    for (; i + (ROUNDS - 1) * step < vectors; i += ROUNDS * step) {
        uint4 v[ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            v[r] = from[i + r * step];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            sum += v[r].x + v[r].y + v[r].z + v[r].w;
    }
    for (; i < vectors; i += step)
        sum += from[i].x + from[i].y + from[i].z + from[i].w;
    sums[first] = sum;
}

__global__ void copy_words(const uint4 *from, uint4 *to)
{
    size_t i = (size_t)blockIdx.x * GROUP + threadIdx.x;

    to[i] = from[i];
}

template <class T> __global__ void fma_chains(T factor, T term, T *out)
{
    size_t i = (size_t)blockIdx.x * GROUP + threadIdx.x;
    T x[CHAINS], sum = 0;

    for (int c = 0; c < CHAINS; c++)
        x[c] = (T)(i % 16 + c) / 32;
    for (int trip = 0; trip < TRIPS; trip++)
#pragma unroll
        for (int c = 0; c < CHAINS; c++)
            x[c] = fma(factor, x[c], term);
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[i] = sum;
}

static void time_memory(size_t bytes, int processors)
{
    size_t vectors = bytes / sizeof(uint4);
    unsigned groups = (unsigned)processors * 8;
    std::vector<uint32_t> words = random_values<uint32_t>(bytes / sizeof(uint32_t)), sums((size_t)groups * GROUP);
    device_array<uint32_t> from(words), to(words.size()), partial(sums.size());
    uint32_t wanted = 0, found = 0;

    time_peer("CUDA", "read", "uint4", bytes,
              [&] { read_words<<<groups, GROUP>>>((const uint4 *)from.data, vectors, partial.data); });
    check(cudaMemcpy(sums.data(), partial.data, sums.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost));
    for (uint32_t word : words)
        wanted += word;
    for (uint32_t sum : sums)
        found += sum;
    if (found != wanted)
        fail("read: a sum of %u, expected %u", found, wanted);
    time_peer("CUDA", "copy", "uint4", bytes, [&] {
        copy_words<<<(unsigned)(vectors / GROUP), GROUP>>>((const uint4 *)from.data, (uint4 *)to.data);
    });
    std::vector<uint32_t> copied(words.size());
    check(cudaMemcpy(copied.data(), to.data, bytes, cudaMemcpyDeviceToHost));
    if (copied != words)
        fail("copy: the words differ");
}

template <class T> static void time_chains(const char *type, size_t n)
{
    size_t count = n / CHAINS / TRIPS;
    device_array<T> out(count);
    T found, x, wanted = 0;

    time_peer("CUDA", "fma", type, n,
              [&] { fma_chains<T><<<(unsigned)(count / GROUP), GROUP>>>((T)0.99951171875, (T)0.000244140625, out.data); });
    check(cudaMemcpy(&found, out.data, sizeof found, cudaMemcpyDeviceToHost));
    for (int c = 0; c < CHAINS; c++) {
        x = (T)c / 32;
        for (int trip = 0; trip < TRIPS; trip++)
            x = std::fma((T)0.99951171875, x, (T)0.000244140625);
        wanted += x;
    }
    if (found != wanted)
        fail("fma: %g, expected %g", (double)found, (double)wanted);
}

int main()
{
    cudaDeviceProp device;

    check(cudaGetDeviceProperties(&device, 0));
    for (size_t bytes = (size_t)64 << 20; bytes <= (size_t)1 << 30; bytes *= 4)
        time_memory(bytes, device.multiProcessorCount);
    time_chains<float>("float", (size_t)1 << 36);
    time_chains<double>("double", (size_t)1 << 36);
    return 0;
}
