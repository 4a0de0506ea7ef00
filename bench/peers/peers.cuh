// SPDX-License-Identifier: Apache-2.0
// What the peers on an NVIDIA GPU share: data, timing by CUDA events, and the line that is printed.
//
// A line: peer, job, type, n, median, least and most in ms, separated by tabs.
#ifndef KN_BENCH_PEERS_CUH
#define KN_BENCH_PEERS_CUH

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

enum { REPETITIONS = 15, WARM_UPS = 3 };

[[noreturn]] inline void fail(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

inline void check(cudaError_t error)
{
    if (error != cudaSuccess)
        fail("CUDA: %s", cudaGetErrorString(error));
}

template <class T> struct device_array {
    T *data = nullptr;

    explicit device_array(size_t n) { check(cudaMalloc(&data, n * sizeof(T))); }
    explicit device_array(const std::vector<T> &from) : device_array(from.size())
    {
        check(cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    device_array(const device_array &) = delete;
    ~device_array() { cudaFree(data); }
};

// Normally distributed, or random bits for integers; the seed does not matter to any of the algorithms.
template <class T> std::vector<T> random_values(size_t n)
{
    std::mt19937_64 bits(n);
    std::normal_distribution<double> normal(0, 100);
    std::vector<T> pool(std::min(n, (size_t)1 << 24)), values(n);

    for (T &value : pool)
        value = std::is_floating_point<T>::value ? (T)normal(bits) : (T)bits();
    for (size_t i = 0; i < n; i++) // beyond the pool: scaled, so that hardly any two are equal
        values[i] = std::is_floating_point<T>::value ? pool[i % pool.size()] * (T)(1 + (double)(i / pool.size()) / 64)
                                                     : (T)(pool[i % pool.size()] + (T)(i / pool.size() * 2654435761u));
    return values;
}

inline std::vector<double> read_column(const char *path)
{
    std::ifstream file(path);
    std::vector<double> column;
    double value;

    while (file >> value)
        column.push_back(value);
    if (column.empty())
        fail("%s: no numbers", path);
    return column;
}

template <class Work> void time_peer(const char *peer, const char *job, const char *type, size_t n, Work work)
{
    cudaEvent_t from, to;
    float ms[REPETITIONS];

    check(cudaEventCreate(&from));
    check(cudaEventCreate(&to));
    for (int i = 0; i < WARM_UPS; i++)
        work();
    for (float &time : ms) {
        check(cudaEventRecord(from));
        work();
        check(cudaEventRecord(to));
        check(cudaEventSynchronize(to));
        check(cudaEventElapsedTime(&time, from, to));
    }
    std::sort(ms, ms + REPETITIONS);
    printf("%s\t%s\t%s\t%zu\t%.5g\t%.5g\t%.5g\n", peer, job, type, n, (double)ms[REPETITIONS / 2], (double)ms[0],
           (double)ms[REPETITIONS - 1]);
    fflush(stdout);
    check(cudaEventDestroy(from));
    check(cudaEventDestroy(to));
}

#endif
