// SPDX-License-Identifier: Apache-2.0
// The peer of bench/sort: CUB's radix sort on the same keys, timed by events and by the caller's wait.
//
//     nvcc -O3 -std=c++17 -arch=native -o sort_cub bench/sort_cub.cu && ./sort_cub [--column FILE]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cub/cub.cuh>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        cudaError_t status = (call);                                                                                   \
        if (status != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { REPETITIONS = 7 };

static std::vector<double> column;

// As bench.c has them.
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double normal(uint64_t *state)
{
    uint64_t a = next(state);
    return ((double)(a & 0xffff) + (double)(a >> 16 & 0xffff) + (double)(a >> 32 & 0xffff) + (double)(a >> 48)) / 37837.0 -
           2 * 65535.0 / 37837.0;
}

template <typename T> static T random_key(uint64_t *state)
{
    return (T)(100 * normal(state));
}
template <> double random_key<double>(uint64_t *state)
{
    double value = 100 * normal(state);
    return value + 1e-9 * (double)(next(state) & 0xffff);
}
template <> uint32_t random_key<uint32_t>(uint64_t *state)
{
    return (uint32_t)next(state);
}

template <typename T> static void row(const char *what, const char *type, size_t n, bool real, bool with_values)
{
    std::vector<T> host(n);
    uint64_t state = n;
    for (size_t i = 0; i < n; i++)
        host[i] = real ? (T)column[i % column.size()] : random_key<T>(&state);
    T *in, *out;
    uint32_t *values_in = nullptr, *values_out = nullptr;
    void *scratch = nullptr;
    size_t bytes = 0;
    TRY(cudaMalloc(&in, n * sizeof(T)));
    TRY(cudaMalloc(&out, n * sizeof(T)));
    if (with_values) {
        TRY(cudaMalloc(&values_in, n * 4));
        TRY(cudaMalloc(&values_out, n * 4));
    }
    TRY(cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    auto sort = [&] {
        return with_values ? cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, values_in, values_out, (long long)n)
                           : cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, (long long)n);
    };
    TRY(sort());
    TRY(cudaMalloc(&scratch, bytes));
    cudaEvent_t start, stop;
    TRY(cudaEventCreate(&start));
    TRY(cudaEventCreate(&stop));
    std::vector<double> device, wall;
    for (int i = -1; i < REPETITIONS; i++) {
        float milliseconds;
        TRY(cudaDeviceSynchronize());
        auto begin = std::chrono::steady_clock::now();
        TRY(sort());
        TRY(cudaDeviceSynchronize());
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        TRY(cudaEventRecord(start));
        TRY(sort());
        TRY(cudaEventRecord(stop));
        TRY(cudaEventSynchronize(stop));
        TRY(cudaEventElapsedTime(&milliseconds, start, stop));
        if (i >= 0) {
            wall.push_back(seconds * 1e3);
            device.push_back(milliseconds);
        }
    }
    std::sort(wall.begin(), wall.end());
    std::sort(device.begin(), device.end());
    printf("CUB %-7s %-6s %11zu  wall %9.4f ms (%.4f to %.4f)  events %9.4f ms (%.4f to %.4f)  %7.2f Gkeys/s\n", what, type, n,
           wall[REPETITIONS / 2], wall.front(), wall.back(), device[REPETITIONS / 2], device.front(), device.back(),
           (double)n / wall[REPETITIONS / 2] * 1e-6);
    fflush(stdout);
    TRY(cudaFree(in));
    TRY(cudaFree(out));
    TRY(cudaFree(values_in));
    TRY(cudaFree(values_out));
    TRY(cudaFree(scratch));
}

static void read_column(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    if (!file)
        return;
    for (int i = 0; fgets(line, sizeof line, file) && column.size() < (size_t)1 << 20; i++) {
        char *end;
        double value = strtod(line, &end);
        if (i >= 2 && end != line)
            column.push_back(value);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--column") == 0)
        read_column(argv[2]);
    for (unsigned log2_n : {12u, 14u, 16u, 17u, 18u, 20u, 22u, 24u, 26u, 28u}) {
        row<float>("random", "float", (size_t)1 << log2_n, false, false);
        row<double>("random", "double", (size_t)1 << (log2_n == 28 ? 27 : log2_n), false, false);
        if (log2_n < 28)
            row<float>("pairs", "float", (size_t)1 << log2_n, false, true);
    }
    row<uint32_t>("random", "uint", (size_t)1 << 28, false, false);
    if (!column.empty()) {
        row<float>("real", "float", (size_t)1 << 28, true, false);
        row<double>("real", "double", (size_t)1 << 27, true, false);
    }
    return 0;
}
