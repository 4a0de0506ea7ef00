// SPDX-License-Identifier: Apache-2.0
// Peers on an NVIDIA GPU: CUB's versions of Koine's algorithms. One line a measurement (peers.cuh).
//
//     nvcc -O3 -std=c++17 -arch=native -o cub cub.cu && ./cub [--largest LOG2] [COLUMN.txt]
//
// COLUMN.txt: real values, one a line, that are repeated to fill an array.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "peers.cuh"

// A CUB call: once for the size of its temporary memory, then once for each timing.
template <class Call> static void time_cub(const char *job, const char *type, size_t n, Call call)
{
    size_t bytes = 0;
    void *room = nullptr;

    check(call(nullptr, bytes));
    check(cudaMalloc(&room, bytes));
    time_peer("CUB", job, type, n, [&] { check(call(room, bytes)); });
    check(cudaFree(room));
}

template <class T> static void fail_unless_sorted(const char *job, const T *device, size_t n)
{
    std::vector<T> sorted(n);

    check(cudaMemcpy(sorted.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    if (!std::is_sorted(sorted.begin(), sorted.end()))
        fail("%s is not sorted", job);
}

template <class T> static void sort_keys(const char *job, const char *type, const std::vector<T> &keys)
{
    size_t n = keys.size();
    device_array<T> in(keys), out(n);

    time_cub(job, type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(room, bytes, in.data, out.data, (long long)n);
    });
    fail_unless_sorted(job, out.data, n);
}

template <class T> static void sort_pairs(const char *type, const std::vector<T> &keys)
{
    size_t n = keys.size();
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    device_array<T> in(keys), out(n);
    device_array<uint32_t> values(order), moved(n);

    time_cub("sort by key", type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(room, bytes, in.data, out.data, values.data, moved.data, (long long)n);
    });
    fail_unless_sorted("sort by key", out.data, n);
}

struct less {
    template <class T> __device__ bool operator()(const T &a, const T &b) const { return a < b; }
};

template <class T> static void merge_sort(const char *type, const std::vector<T> &keys)
{
    size_t n = keys.size();
    device_array<T> in(keys), out(n);

    time_cub("merge sort", type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceMergeSort::SortKeysCopy(room, bytes, in.data, out.data, (long long)n, less());
    });
    fail_unless_sorted("merge sort", out.data, n);
}

// Segments of `length` keys each.
template <class T> static void sort_segments(const char *type, const std::vector<T> &keys, size_t length)
{
    size_t n = keys.size(), segments = n / length;
    std::vector<int> offsets(segments + 1);
    for (size_t i = 0; i <= segments; i++)
        offsets[i] = (int)(i * length);
    device_array<T> in(keys), out(n);
    device_array<int> ends(offsets);
    std::string job = "sort segments of " + std::to_string(length);

    time_cub(job.c_str(), type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(room, bytes, in.data, out.data, (int)n, (int)segments, ends.data,
                                                  ends.data + 1);
    });
}

template <class T> static void reduce_and_scan(const char *type, const std::vector<T> &values)
{
    size_t n = values.size();
    device_array<T> in(values), out(n);

    time_cub("sum", type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceReduce::Sum(room, bytes, in.data, out.data, (long long)n);
    });
    time_cub("max", type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceReduce::Max(room, bytes, in.data, out.data, (long long)n);
    });
    time_cub("scan", type, n, [&](void *room, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(room, bytes, in.data, out.data, (long long)n);
    });
}

// ---- the rows of bench/algo/primitives.c ----

struct splitmix {
    uint64_t state;
    uint64_t operator()()
    {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
};

// Runs of 1 to 2 * length - 1 keys, any number as likely; `count` becomes the number of runs.
static std::vector<uint32_t> runs_of(size_t n, size_t length, size_t &count)
{
    std::vector<uint32_t> keys(n);
    splitmix random{length};
    uint32_t key = 0;

    count = 0;
    for (size_t i = 0; i < n; count++) {
        size_t end = std::min(n, i + 1 + random() % (2 * length - 1));
        key += 1 + (uint32_t)(random() >> 40);
        std::fill(keys.begin() + (long)i, keys.begin() + (long)end, key);
        i = end;
    }
    return keys;
}

static void fail_unless(const std::string &job, const long long *device, size_t expected)
{
    long long found = 0;

    check(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost));
    if ((size_t)found != expected)
        fail("%s: %lld of %zu", job.c_str(), found, expected);
}

struct plus {
    template <class T> __device__ T operator()(const T &a, const T &b) const { return a + b; }
};

static void runs(size_t n, size_t length)
{
    size_t count;
    std::vector<uint32_t> keys = runs_of(n, length, count);
    device_array<uint32_t> in(keys), out(n), lengths(n);
    device_array<float> values(std::vector<float>(n, 1.0f)), sums(n);
    device_array<long long> found((size_t)1);
    std::string of = ", runs of " + std::to_string(length);

    time_cub(("unique" + of).c_str(), "uint", n, [&](void *room, size_t &bytes) {
        return cub::DeviceSelect::Unique(room, bytes, in.data, out.data, found.data, (long long)n);
    });
    fail_unless("unique" + of, found.data, count);
    time_cub(("run lengths" + of).c_str(), "uint", n, [&](void *room, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(room, bytes, in.data, out.data, lengths.data, found.data, (int)n);
    });
    fail_unless("run lengths" + of, found.data, count);
    time_cub(("sums by key" + of).c_str(), "uint", n, [&](void *room, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(room, bytes, in.data, out.data, values.data, sums.data, found.data,
                                              plus(), (int)n);
    });
    fail_unless("sums by key" + of, found.data, count);
}

struct upper_half {
    __device__ bool operator()(uint32_t x) const { return x >> 31; }
};

static void counted_and_moved(size_t n)
{
    std::vector<uint32_t> keys(n, 7u);
    splitmix random{n};
    device_array<uint32_t> in(keys), out(n);
    device_array<unsigned> counts((size_t)256);
    device_array<long long> found((size_t)1);
    auto histogram = [&](void *room, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(room, bytes, in.data, counts.data, 257, 0u, 0xffffffffu, (int)n);
    };

    time_cub("histogram of 256 bins, one value", "uint", n, histogram);
    for (uint32_t &key : keys)
        key = random() >> 63 ? 7u : 0xfffffffeu;
    check(cudaMemcpy(in.data, keys.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    time_cub("histogram of 256 bins, two values", "uint", n, histogram);
    size_t above = 0;
    for (uint32_t &key : keys) {
        key = (uint32_t)(random() >> 32);
        above += key >> 31;
    }
    check(cudaMemcpy(in.data, keys.data(), n * sizeof(uint32_t), cudaMemcpyHostToDevice));
    time_cub("histogram of 256 bins, random", "uint", n, histogram);
    time_cub("select-if, half", "uint", n, [&](void *room, size_t &bytes) {
        return cub::DeviceSelect::If(room, bytes, in.data, out.data, found.data, (long long)n, upper_half());
    });
    fail_unless("select-if", found.data, above);
    time_cub("partition, half", "uint", n, [&](void *room, size_t &bytes) {
        return cub::DevicePartition::If(room, bytes, in.data, out.data, found.data, (long long)n, upper_half());
    });
    fail_unless("partition", found.data, above);
}

template <class T> static void all_of(const char *type, unsigned log2_n, const std::vector<double> &column)
{
    size_t n = (size_t)1 << log2_n;
    std::vector<T> keys = random_values<T>(n);

    sort_keys("sort", type, keys);
    sort_pairs(type, keys);
    merge_sort(type, keys);
    reduce_and_scan(type, keys);
    for (size_t length : {(size_t)32, (size_t)1000, (size_t)1 << 20})
        if (length <= n / 4 && n <= (size_t)1 << 30)
            sort_segments(type, keys, length);
    for (size_t i = 0; i < n && !column.empty(); i++)
        keys[i] = (T)column[i % column.size()];
    if (!column.empty())
        sort_keys("sort of the column", type, keys);
}

int main(int argc, char **argv)
{
    unsigned largest = 24;
    std::vector<double> column;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--largest") && i + 1 < argc)
            largest = (unsigned)atoi(argv[++i]);
        else
            column = read_column(argv[i]);
    }
    for (unsigned log2_n : {16u, 20u, 24u, 26u, 28u}) {
        if (log2_n > largest)
            break;
        all_of<float>("float", log2_n, column);
        all_of<double>("double", log2_n < 28 ? log2_n : 27, column);
        all_of<uint32_t>("uint", log2_n, {});
        for (size_t length : {(size_t)1, (size_t)8, (size_t)1000})
            runs((size_t)1 << log2_n, length);
        counted_and_moved((size_t)1 << log2_n);
    }
    return 0;
}
