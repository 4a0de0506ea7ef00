// SPDX-License-Identifier: Apache-2.0
// The peers of bench/sort_merge: CUB's DeviceMergeSort and DeviceSegmentedSort, on the same data, timed in the same way.
//
//     nvcc -O3 -arch=native -Iinclude bench/sort_merge_peer.cu bench/bench.c -o sort_merge_peer
//     ./sort_merge_peer [LARGEST_LOG2]
//
// CUB's temporary memory is allocated before the clock starts, as Koine's queue keeps its own.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

extern "C" {
#include "bench.h"
}

static const int repetitions = 9;

static void check(cudaError_t code)
{
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "sort_merge_peer: %s\n", cudaGetErrorString(code));
    exit(4);
}

struct less_single {
    __device__ bool operator()(float a, float b) const
    {
        return a < b;
    }
};

struct less_pair {
    __device__ bool operator()(float2 a, float2 b) const
    {
        return a.x < b.x;
    }
};

// Times call(temporary memory, its bytes) after `restore`.
template <typename Restore, typename Call>
static void measure(const char *name, size_t n, Restore restore, Call call)
{
    double device[repetitions], wall[repetitions];
    size_t bytes = 0;
    void *temporary = nullptr;
    cudaEvent_t start, end;

    check(call(nullptr, bytes));
    check(cudaMalloc(&temporary, bytes));
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&end));
    for (int i = -1; i < repetitions; i++) {
        float milliseconds;
        restore();
        check(cudaDeviceSynchronize());
        double clock = bench_seconds();
        check(call(temporary, bytes));
        check(cudaDeviceSynchronize());
        double seconds = bench_seconds() - clock;
        restore();
        check(cudaDeviceSynchronize());
        check(cudaEventRecord(start));
        check(call(temporary, bytes));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        check(cudaEventElapsedTime(&milliseconds, start, end));
        if (i >= 0) {
            wall[i] = seconds;
            device[i] = milliseconds * 1e-3;
        }
    }
    bench_times of_device = bench_times_of(device, repetitions), of_wall = bench_times_of(wall, repetitions);
    printf("%-40s %11zu  %9.4f (%.4f to %.4f)  %9.4f  %8.3f\n", name, n, of_device.median * 1e3, of_device.least * 1e3,
           of_device.most * 1e3, of_wall.median * 1e3, (double)n / of_wall.median * 1e-9);
    fflush(stdout);
    check(cudaFree(temporary));
}

template <typename T> struct columns {
    T *original, *keys;
    size_t n;

    explicit columns(const std::vector<T> &host) : n(host.size())
    {
        check(cudaMalloc(&original, n * sizeof(T)));
        check(cudaMalloc(&keys, n * sizeof(T)));
        check(cudaMemcpy(original, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~columns()
    {
        cudaFree(original);
        cudaFree(keys);
    }
    void restore()
    {
        check(cudaMemcpyAsync(keys, original, n * sizeof(T), cudaMemcpyDeviceToDevice));
    }
};

static std::vector<float> singles(size_t n)
{
    std::vector<float> host(n);

    bench_fill(host.data(), KN_F32, n, n);
    return host;
}

template <typename T, typename Less> static void merge_sort(const char *name, const std::vector<T> &host, Less less)
{
    columns<T> data(host);

    measure(
        name, host.size(), [&] { data.restore(); },
        [&](void *temporary, size_t &bytes) {
            return cub::DeviceMergeSort::StableSortKeys(temporary, bytes, data.keys, data.n, less);
        });
}

static void segmented_sort(size_t n, double least, double most)
{
    uint64_t state = 7;
    std::vector<int64_t> offsets(1, 0);
    columns<float> data(singles(n));
    float *sorted;
    int64_t *device_offsets;
    char name[64];

    while (offsets.back() < (int64_t)n) {
        double length = least * pow(most / least, (double)(bench_random(&state) >> 11) * 0x1p-53);
        offsets.push_back((double)((int64_t)n - offsets.back()) > length ? offsets.back() + (int64_t)length : (int64_t)n);
    }
    check(cudaMalloc(&sorted, n * sizeof(float)));
    check(cudaMalloc(&device_offsets, offsets.size() * sizeof(int64_t)));
    check(cudaMemcpy(device_offsets, offsets.data(), offsets.size() * sizeof(int64_t), cudaMemcpyHostToDevice));
    snprintf(name, sizeof name, "DeviceSegmentedSort %.0f to %.0f", least, most);
    measure(
        name, n, [&] { data.restore(); },
        [&](void *temporary, size_t &bytes) {
            return cub::DeviceSegmentedSort::StableSortKeys(temporary, bytes, data.keys, sorted, (int64_t)n,
                                                            (int64_t)offsets.size() - 1, device_offsets,
                                                            device_offsets + 1);
        });
    cudaFree(sorted);
    cudaFree(device_offsets);
}

int main(int argc, char **argv)
{
    static const double ranges[][2] = {{1, 16}, {16, 16}, {100, 100}, {1000, 1000}, {20, 1e5}, {1e5, 1e5}, {1e6, 1e7}};
    unsigned largest = argc > 1 ? (unsigned)strtoul(argv[1], nullptr, 10) : 24;

    printf("%-40s %11s  %-30s  %9s  %8s\n", "CUB", "n", "device ms (least to most)", "wall ms", "10^9/s");
    for (unsigned log2_n = 12; log2_n <= largest; log2_n += 2)
        merge_sort("DeviceMergeSort float", singles((size_t)1 << log2_n), less_single());
    for (unsigned log2_n = 16; log2_n <= largest; log2_n += 4) {
        std::vector<float2> pairs((size_t)1 << log2_n);
        uint64_t state = pairs.size();
        for (size_t i = 0; i < pairs.size(); i++)
            pairs[i] = make_float2((float)(bench_random(&state) >> 44), (float)i);
        merge_sort("DeviceMergeSort float2", pairs, less_pair());
    }
    for (const auto &range : ranges)
        segmented_sort((size_t)1 << largest, range[0], range[1]);
    return 0;
}
