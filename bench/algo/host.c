// SPDX-License-Identifier: Apache-2.0
// Times the host's own algorithms, each answer checked in the same run. bench/peers/host_numpy.py times numpy
// for comparison.
//
//     bench/host [--threads N] [--level scalar|avx2|avx512] [--largest N] [--tune]
//
// Columns: median, least and most of the seconds that a caller waits, and nanoseconds of the median an
// element. --tune: every level that this processor has.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 7 };

struct work {
    kn_type type;
    size_t n;
    kn_host_options options;
    const void *original;
    void *keys, *indices; // room for the original, and an index of 32 bits an element
    double result[2];
};

static kn_error err = KN_ERROR_INIT;

// ---- the timed calls ----

static void sort(struct work *w)
{
    bench_try(kn_host_sort(w->keys, w->type, w->n, &w->options, &err), &err);
}

static void argsort(struct work *w)
{
    bench_try(kn_host_argsort(w->original, w->type, w->n, w->indices, KN_U32, &w->options, &err), &err);
}

static void median(struct work *w)
{
    const double half = 0.5;

    bench_try(kn_host_quantiles(w->original, w->type, w->n, &half, 1, w->result, &w->options, &err), &err);
}

static void sum(struct work *w)
{
    bench_try(kn_host_sum(w->original, w->type, w->n, w->result, &w->options, &err), &err);
}

static void sums(struct work *w)
{
    kn_sums both;

    bench_try(kn_host_sums(w->original, w->type, w->n, 0, &both, &w->options, &err), &err);
    w->result[0] = both.sum;
    w->result[1] = both.squares;
}

static void moments(struct work *w)
{
    kn_moments m;

    bench_try(kn_host_moments(w->original, w->type, w->n, NULL, &m, &w->options, &err), &err);
    w->result[0] = m.sum + (double)m.n * m.shift;
}

static void robust(struct work *w)
{
    kn_robust r;

    bench_try(kn_host_robust(w->original, w->type, w->n, &r, NULL, &w->options, &err), &err);
    w->result[0] = r.median;
    w->result[1] = r.mad;
}

// ---- checks ----

static bool is_ascending(const void *keys, kn_type type, size_t n)
{
#define ASCENDING(type_)                                                                                     \
    for (size_t i = 1; i < n; i++)                                                                           \
        if (((const type_ *)keys)[i - 1] > ((const type_ *)keys)[i])                                         \
            return false;
    switch (type) {
    case KN_F32:
        ASCENDING(float)
        break;
    case KN_F64:
        ASCENDING(double)
        break;
    case KN_I32:
        ASCENDING(int32_t)
        break;
    case KN_I64:
        ASCENDING(int64_t)
        break;
    case KN_U16:
        ASCENDING(uint16_t)
        break;
    default:
        ASCENDING(uint8_t)
    }
    return true;
}

static uint64_t checksum(const void *keys, size_t n, size_t size)
{
    uint64_t all = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)keys + i * size, size);
        all += bench_random(&bits);
    }
    return all;
}

static bool sort_is_right(const struct work *w)
{
    size_t size = kn_type_size(w->type);

    return is_ascending(w->keys, w->type, w->n) &&
           checksum(w->keys, w->n, size) == checksum(w->original, w->n, size);
}

static bool argsort_is_right(const struct work *w)
{
    size_t size = kn_type_size(w->type);
    const uint32_t *indices = w->indices;

    for (size_t i = 0; i < w->n; i++)
        memcpy((char *)w->keys + i * size, (const char *)w->original + indices[i] * size, size);
    return sort_is_right(w);
}

static double value_at(const struct work *w, size_t i)
{
    return w->type == KN_F32 ? (double)((const float *)w->original)[i] : ((const double *)w->original)[i];
}

// No more than half of the elements are on either side; real numbers only.
static bool median_is_right(const struct work *w)
{
    size_t below = 0, above = 0;

    for (size_t i = 0; i < w->n; i++) {
        below += value_at(w, i) < w->result[0];
        above += value_at(w, i) > w->result[0];
    }
    return below <= w->n / 2 && above <= w->n / 2;
}

static bool robust_is_right(const struct work *w)
{
    size_t nearer = 0, farther = 0;

    for (size_t i = 0; i < w->n; i++) {
        double deviation = fabs(value_at(w, i) - w->result[0]);
        nearer += deviation < w->result[1];
        farther += deviation > w->result[1];
    }
    return median_is_right(w) && nearer <= w->n / 2 && farther <= w->n / 2;
}

// Relative to the sum of magnitudes the tree's depth, some 90 additions, bounds the error by 90 * 2^-53.
static bool sum_is_right(const struct work *w)
{
    long double exact = 0, magnitude = 0;

    for (size_t i = 0; i < w->n; i++) {
        exact += (long double)value_at(w, i);
        magnitude += (long double)fabs(value_at(w, i));
    }
    return fabsl((long double)w->result[0] - exact) <= 1e-14L * magnitude;
}

static const struct {
    const char *name;
    void (*run)(struct work *w);
    bool (*is_right)(const struct work *w);
    bool needs_reals, needs_keys;
} tasks[] = {
    {"sort", sort, sort_is_right, false, true},       {"argsort", argsort, argsort_is_right, false, false},
    {"median", median, median_is_right, true, false}, {"sum", sum, sum_is_right, true, false},
    {"sums", sums, sum_is_right, true, false},        {"moments", moments, sum_is_right, true, false},
    {"robust", robust, robust_is_right, true, false},
};

static const char *const levels[] = {"auto", "scalar", "avx2", "avx512"};

static void report(struct work *w, size_t task, const char *pattern)
{
    double seconds[REPETITIONS];

    for (int i = -1; i < REPETITIONS; i++) {
        if (tasks[task].needs_keys)
            memcpy(w->keys, w->original, w->n * kn_type_size(w->type));
        double start = bench_seconds();
        tasks[task].run(w);
        if (i >= 0)
            seconds[i] = bench_seconds() - start;
    }
    struct bench_times times = bench_times_of(seconds, REPETITIONS);
    printf("%-8s %-7s %-8s %-7s %3u %9zu  %.5f (%.5f to %.5f)  %7.3f  %s\n", tasks[task].name,
           kn_type_name(w->type), pattern, levels[w->options.level], w->options.threads, w->n, times.median,
           times.least, times.most, times.median / (double)w->n * 1e9,
           tasks[task].is_right(w) ? "right" : "WRONG");
    fflush(stdout);
}

// "random": normally distributed, integers of all bits; "ties": 200 values.
static void fill(void *x, kn_type type, size_t n, bool ties)
{
    uint64_t state = n;
    size_t size = kn_type_size(type);

    if (type == KN_F32 || type == KN_F64)
        bench_fill(x, type, n, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bench_random(&state);
        float single = (float)(bits % 200) - 100;
        double value = (double)single;
        if (type == KN_F32 && ties)
            ((float *)x)[i] = single;
        else if (type == KN_F64 && ties)
            ((double *)x)[i] = value;
        else if (type < KN_F32)
            memcpy((char *)x + i * size, &(uint64_t){ties ? bits % 200 : bits}, size);
    }
}

static void bench_column(kn_type type, size_t n, bool ties, const kn_host_options *options, bool tune)
{
    struct work w = {.type = type, .n = n, .options = *options};
    void *original = bench_allocate(n * kn_type_size(type));
    kn_host_level first = tune ? KN_HOST_SCALAR : options->level,
                  last = tune ? KN_HOST_AVX512 : options->level;

    fill(original, type, n, ties);
    w.original = original;
    w.keys = bench_allocate(n * kn_type_size(type));
    w.indices = bench_allocate(n * sizeof(uint32_t));
    for (w.options.level = first; w.options.level <= last; w.options.level++) {
        if (kn_host_sort(w.keys, type, 0, &w.options, &err))
            continue; // this processor lacks it
        for (size_t task = 0; task < KI_COUNT(tasks); task++)
            if (!tasks[task].needs_reals || type == KN_F32 || type == KN_F64)
                report(&w, task, ties ? "ties" : "random");
    }
    free(original);
    free(w.keys);
    free(w.indices);
}

int main(int argc, char **argv)
{
    static const kn_type types[] = {KN_F32, KN_F64, KN_I32, KN_I64, KN_U16, KN_U8};
    static const size_t sizes[] = {1000000, 10000000, 50000000};
    kn_host_options options = KN_INIT(kn_host_options, .threads = 1);
    size_t largest = 10000000;
    bool tune = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tune = true;
        else if (i + 1 < argc && strcmp(argv[i], "--threads") == 0)
            options.threads = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--largest") == 0)
            largest = (size_t)strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--level") == 0) {
            i++;
            for (kn_host_level level = KN_HOST_AUTO; level <= KN_HOST_AVX512; level++)
                options.level = strcmp(argv[i], levels[level]) == 0 ? level : options.level;
        } else
            return fprintf(stderr,
                           "usage: %s [--threads N] [--level scalar|avx2|avx512] [--largest N] [--tune]\n",
                           argv[0]),
                   2;
    }
    printf("%-8s %-7s %-8s %-7s %3s %9s  %-30s  %7s\n", "", "", "", "level", "thr", "n",
           "seconds (least to most)", "ns each");
    for (size_t size = 0; size < KI_COUNT(sizes) && sizes[size] <= largest; size++)
        for (size_t type = 0; type < KI_COUNT(types); type++)
            for (int ties = 0; ties < 2; ties++)
                bench_column(types[type], sizes[size], ties, &options, tune);
    return 0;
}
