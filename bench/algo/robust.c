// SPDX-License-Identifier: Apache-2.0
// Times mean, variance, median and MAD of columns on a device, each answer checked against the radix select's
// in the same run, or against the counts of 8 bits on the host.
//
//     bench/robust [--device SPEC] [--smallest LOG2] [--largest LOG2] [--type float|double|int8] [--kernels]
//                  [--tune]
//
// Columns: median, least and most of the device's time from the first kernel's start to the last one's end
// (by its events), the median of the time that the caller waits, the column's bytes by the device's time.
// --kernels: when each kernel began and what it took. --tune: only the method of one read, with other shapes
// of the launches after it, too.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/robust/robust.h"
#include "bench/bench.h"

enum { PREFIXES = 75, COLUMNS = 64 };

struct work {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    bool kernels, tune;
    kn_type type;
    size_t n;
    kn_buffer *x;
    kn_robust_options options;
    kn_robust results[PREFIXES];
};

static void stats(void *data)
{
    struct work *work = data;

    bench_try(
        kn_robust_stats(work->queue, work->x, work->type, work->n, work->results, &work->options, &work->err),
        &work->err);
}

static void prefixes(void *data)
{
    struct work *work = data;
    size_t ends[PREFIXES];

    for (size_t i = 0; i < PREFIXES; i++)
        ends[i] = work->n / PREFIXES * (i + 1);
    bench_try(kn_robust_prefixes(work->queue, work->x, work->type, ends, PREFIXES, work->results,
                                 &work->options, &work->err),
              &work->err);
}

static void columns(void *data)
{
    struct work *work = data;
    size_t n = work->n / COLUMNS;

    bench_try(kn_robust_columns(work->queue, work->x, work->type, n, n, COLUMNS, work->results,
                                &work->options, &work->err),
              &work->err);
}

static void report(struct work *work, bench_call *run, const char *what, const char *verdict)
{
    struct bench_timing timing = bench_measure(work->queue, NULL, run, work, work->kernels);

    printf("%-26s %-4s %11zu  %9.4f (%.4f to %.4f)  %9.4f  %7.1f  %5zu  %s\n", what, kn_type_name(work->type),
           work->n, timing.device.median * 1e3, timing.device.least * 1e3, timing.device.most * 1e3,
           timing.wall.median * 1e3,
           (double)(work->n * kn_type_size(work->type)) / timing.device.median * 1e-9, timing.launches,
           verdict);
    fflush(stdout);
}

// The same numbers, by the requested method.
static const char *judge(const kn_robust *found, const kn_robust *expected, kn_robust_method method)
{
    if (found->median != expected->median || found->mad != expected->mad || found->sum != expected->sum ||
        found->squares != expected->squares)
        return "WRONG";
    return found->missed             ? "right, missed"
           : found->method == method ? "right"
                                     : "right, but by another method";
}

static void tune(struct work *work, const kn_robust *expected)
{
    static const unsigned shapes[][KN_TUNABLES] = {
        {256, 5, 8, 512}, {512, 1, 8, 512},  {512, 2, 8, 512}, {512, 2, 4, 512},  {512, 3, 4, 512},
        {512, 3, 8, 512}, {1024, 1, 8, 512}, {512, 2, 8, 256}, {512, 2, 8, 1024}, {512, 2, 16, 512}};

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const unsigned *s = shapes[i];
        char what[64];
        bench_try(kn_tuning_try(work->context, &ki_robust_tunables, s, &work->err), &work->err);
        snprintf(what, sizeof what, "%u x %u a unit, %u, %u", s[0], s[1], s[2], s[3]);
        stats(work);
        report(work, stats, what, judge(&work->results[0], expected, KN_ROBUST_FUSED));
    }
    bench_try(kn_tuning_try(work->context, &ki_robust_tunables, NULL, &work->err), &work->err);
}

static void bench_floats(struct work *work)
{
    kn_robust expected;

    work->options = KN_INIT(kn_robust_options, .method = KN_ROBUST_SELECT);
    stats(work);
    expected = work->results[0];
    if (!work->tune)
        report(work, stats, "select", "");
    work->options = KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED);
    stats(work);
    report(work, stats, "fused", judge(&work->results[0], &expected, KN_ROBUST_FUSED));
    if (work->tune)
        tune(work, &expected);
    else
        report(work, columns, "fused, 64 columns", "");
}

static void bench_bytes(struct work *work, const signed char *host)
{
    long long sum = 0, squares = 0;
    const char *verdict;

    for (size_t i = 0; i < work->n; i++) {
        sum += host[i];
        squares += host[i] * host[i];
    }
    work->options = KN_INIT(kn_robust_options, .method = KN_ROBUST_AUTO);
    stats(work);
    verdict = work->results[0].sum == (double)sum && work->results[0].squares == (double)squares ? "right"
                                                                                                 : "WRONG";
    report(work, stats, "counted", verdict);
    report(work, columns, "counted, 64 columns", "");
    report(work, prefixes, "counted, 75 prefixes", "");
}

// Values like those of an 8-bit sensor: few values, many of them in a row.
static void fill_bytes(signed char *to, size_t n)
{
    uint64_t state = 1;
    double value = -33;

    for (size_t i = 0; i < n; i++) {
        uint64_t random = bench_random(&state);
        if (random % 3) {
            value = -33 +
                    20 * ((double)(random >> 40) * 0x1p-24 + (double)(random >> 16 & 0xffffff) * 0x1p-24 - 1);
            value += random % 7 ? 0 : 3 * (value + 33);
        }
        to[i] = (signed char)(value < -128 ? -128 : value > 127 ? 127 : value);
    }
}

static void bench_column(struct work *work, kn_type type, unsigned log2_n)
{
    void *host;
    size_t bytes;

    work->type = type;
    work->n = (size_t)1 << log2_n;
    bytes = work->n * kn_type_size(type);
    host = malloc(bytes);
    if (!host) {
        fprintf(stderr, "bench: out of memory: %zu bytes\n", bytes);
        exit(5);
    }
    if (type == KN_I8)
        fill_bytes(host, work->n);
    else
        bench_fill(host, type, work->n, log2_n);
    bench_try(kn_buffer_create(work->context, bytes, &work->x, &work->err), &work->err);
    bench_try(kn_buffer_write(work->queue, work->x, 0, host, bytes, &work->err), &work->err);
    if (type == KN_I8)
        bench_bytes(work, host);
    else
        bench_floats(work);
    kn_buffer_free(work->x);
    free(host);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        kn_type type;
    } types[] = {{"float", KN_F32}, {"double", KN_F64}, {"int8", KN_I8}};
    const char *spec = NULL, *only = NULL;
    unsigned smallest = 20, largest = 24;
    struct work work = {.err = KN_ERROR_INIT, .options = KN_INIT(kn_robust_options)};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--kernels") == 0)
            work.kernels = true;
        else if (strcmp(argv[i], "--tune") == 0)
            work.tune = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--smallest") == 0)
            smallest = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--largest") == 0)
            largest = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--type") == 0)
            only = argv[++i];
        else
            return fprintf(stderr,
                           "usage: %s [--device SPEC] [--smallest LOG2] [--largest LOG2] [--type "
                           "float|double|int8] "
                           "[--kernels] [--tune]\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &work.context, &work.err), &work.err);
    bench_try(kn_queue_open(work.context, &work.queue, &work.err), &work.err);
    const kn_device_info *info = kn_context_get_device(work.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    printf("%-26s %-4s %11s  %-30s  %9s  %7s  %5s\n", "", "", "n", "device ms (least to most)", "wall ms",
           "GB/s", "launches");
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (unsigned log2_n = smallest; log2_n <= largest; log2_n += 4)
            if ((!only || strcmp(only, types[t].name) == 0) && (types[t].type != KN_F64 || info->fp64))
                bench_column(&work, types[t].type, log2_n);
    kn_queue_close(work.queue);
    kn_context_close(work.context);
    return 0;
}
