// SPDX-License-Identifier: Apache-2.0
// Times reductions, scans, medians, quantiles and the first k on a device, each answer checked against the
// host in the same run. --tune: the brackets of medians, and launches of the moments of floats, whose bits
// must be the same. --kernels: when each kernel began and what it took.
//
//     bench/select [--device SPEC] [--smallest LOG2] [--largest LOG2] [--type float|double]
//     [--reductions | --medians] [--kernels] [--tune]
//
// Columns: median, least and most of the device's time from the first kernel's start to the last one's end
// (by its events), and the median of the time that the caller waits.
#include <koine/experimental.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algo/moments.h"
#include "base/array.h"
#include "bench/bench.h"

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    bool tune, kernels;
    bool reductions, medians; // reductions and scans alone, medians and quantiles alone
};

struct work {
    kn_type type;
    size_t n;
    void *host;
    kn_buffer *x, *out;
    size_t k;
    kn_select_options options;
    double value[8];
    kn_moments moments;
    struct moments_tuning tuning;
    kn_number number;
    double sum; // on the host
};

typedef void work_function(struct bench *bench, struct work *work);

static void median(struct bench *bench, struct work *work)
{
    bench_try(
        kn_median(bench->queue, work->x, work->type, work->n, &work->value[0], &work->options, &bench->err),
        &bench->err);
}

static void quartiles(struct bench *bench, struct work *work)
{
    static const double q[] = {0.25, 0.5, 0.75};

    bench_try(kn_quantiles(bench->queue, work->x, work->type, work->n, q, 3, work->value, &work->options,
                           &bench->err),
              &bench->err);
}

static void sum(struct bench *bench, struct work *work)
{
    bench_try(kn_reduce_sum(bench->queue, work->x, work->type, work->n, &work->number.f64, &bench->err),
              &bench->err);
}

static void greatest(struct bench *bench, struct work *work)
{
    bench_try(
        kn_reduce(bench->queue, work->x, work->type, work->n, KN_REDUCE_MAX, &work->number, &bench->err),
        &bench->err);
}

static void integer_moments(struct bench *bench, struct work *work)
{
    kn_type type = work->type == KN_F32 ? KN_I32 : KN_I64;

    bench_try(kn_reduce_moments(bench->queue, work->x, type, work->n, NULL, &work->moments, &bench->err),
              &bench->err);
}

static void moments(struct bench *bench, struct work *work)
{
    bench_try(
        kn_reduce_moments(bench->queue, work->x, work->type, work->n, NULL, &work->moments, &bench->err),
        &bench->err);
}

static void scan(struct bench *bench, struct work *work)
{
    bench_try(kn_scan(bench->queue, work->x, work->type, work->n, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, work->out,
                      &bench->err),
              &bench->err);
    bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
}

static void first_k(struct bench *bench, struct work *work)
{
    bench_try(kn_top_k(bench->queue, work->x, work->type, work->n, work->k, KN_DESCENDING, work->out, NULL,
                       KN_U64, &bench->err),
              &bench->err);
    bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
}

static double value_at(const struct work *work, size_t i)
{
    return work->type == KN_F32 ? (double)((const float *)work->host)[i] : ((const double *)work->host)[i];
}

// The mean of two elements with as many below as above.
static const char *judge(const struct work *work, double value, double q)
{
    size_t below = 0, above = 0, rank = (size_t)(q * (double)(work->n - 1));

    for (size_t i = 0; i < work->n; i++) {
        below += value_at(work, i) < value;
        above += value_at(work, i) > value;
    }
    return below <= rank + 1 && above <= work->n - 1 - rank ? "right" : "WRONG";
}

struct call {
    struct bench *bench;
    struct work *work;
    work_function *run;
};

static void call(void *data)
{
    const struct call *c = data;

    c->run(c->bench, c->work);
}

static void report(struct bench *bench, struct work *work, work_function *run, const char *what,
                   const char *verdict)
{
    struct call timed = {bench, work, run};
    struct bench_timing timing = bench_measure(bench->queue, NULL, call, &timed, bench->kernels);

    printf("%-34s %-6s %11zu  %9.4f (%.4f to %.4f)  %9.4f  %7.1f  %5zu  %s\n", what, kn_type_name(work->type),
           work->n, timing.device.median * 1e3, timing.device.least * 1e3, timing.device.most * 1e3,
           timing.wall.median * 1e3,
           (double)(work->n * kn_type_size(work->type)) / timing.device.median * 1e-9, timing.launches,
           verdict);
    fflush(stdout);
}

static double result_at(const struct work *work, const void *results, size_t i)
{
    return work->type == KN_F32 ? (double)((const float *)results)[i] : ((const double *)results)[i];
}

static void *results_of(struct bench *bench, const struct work *work, size_t count)
{
    void *results = malloc(count * kn_type_size(work->type));

    if (!results)
        exit(5);
    bench_try(
        kn_buffer_read(bench->queue, work->out, 0, results, count * kn_type_size(work->type), &bench->err),
        &bench->err);
    return results;
}

// Each prefix within 64 roundings of the sum of magnitudes.
static const char *judge_scan(struct bench *bench, const struct work *work)
{
    void *results = results_of(bench, work, work->n);
    double unit = work->type == KN_F32 ? 0x1p-24 : 0x1p-53;
    long double total = 0, magnitude = 0;
    bool right = true;

    for (size_t i = 0; i < work->n; i++) {
        long double value = (long double)value_at(work, i), error;
        total += value;
        magnitude += value < 0 ? -value : value;
        error = (long double)result_at(work, results, i) - total;
        right = right && (error < 0 ? -error : error) <= 64 * (long double)unit * magnitude;
    }
    free(results);
    return right ? "right" : "WRONG";
}

// In descending order, with as many elements above the last as possible.
static const char *judge_first(struct bench *bench, const struct work *work)
{
    void *results = results_of(bench, work, work->k);
    double last = result_at(work, results, work->k - 1);
    size_t above = 0, equal = 0;
    bool right = true;

    for (size_t i = 1; i < work->k; i++)
        right = right && result_at(work, results, i - 1) >= result_at(work, results, i);
    for (size_t i = 0; i < work->n; i++) {
        above += value_at(work, i) > last;
        equal += value_at(work, i) == last;
    }
    free(results);
    return right && above < work->k && above + equal >= work->k ? "right" : "WRONG";
}

static const char *judge_reductions(const struct work *work)
{
    long double total = 0;
    double most = value_at(work, 0), least = most, magnitude = 0;

    for (size_t i = 0; i < work->n; i++) {
        double value = value_at(work, i);
        total += (long double)value;
        magnitude += value < 0 ? -value : value;
        most = value > most ? value : most;
        least = value < least ? value : least;
    }
    total -= (long double)work->moments.mean * (long double)work->n;
    return total < 1e-13L * (long double)magnitude && total > -1e-13L * (long double)magnitude &&
                   work->moments.max == most && work->moments.min == least && work->number.f64 == most
               ? "right"
               : "WRONG";
}

static void tuned_moments(struct bench *bench, struct work *work)
{
    bench_try(ki_moments_tuned(bench->queue, work->x, work->type, work->n, NULL, &work->tuning,
                               &work->moments, &bench->err),
              &bench->err);
}

// On a GPU; on a CPU the launch has only one shape.
static void tune_moments(struct bench *bench, struct work *work)
{
    static const struct moments_tuning tunings[] = {
        {.group = 128, .width = 2, .unroll = 16, .ahead = 1, .registers = 64},
        {.group = 128, .width = 2, .unroll = 16, .ahead = 1, .registers = 64, .turns = 2},
        {.group = 256, .width = 2, .unroll = 16, .ahead = 1, .registers = 64},
        {.group = 128, .width = 2, .unroll = 8, .ahead = 1},
        {.group = 128, .width = 2, .unroll = 8, .ahead = 1, .registers = 64},
        {.group = 256, .width = 2, .unroll = 8, .ahead = 1},
        {.group = 128, .width = 2, .unroll = 4, .ahead = 1},
        {.group = 128, .width = 4, .unroll = 4, .ahead = 1},
        {.group = 256, .width = 4, .unroll = 4}};
    const kn_moments usual = work->moments;

    for (size_t i = 0; i < KI_COUNT(tunings); i++) {
        const struct moments_tuning *t = &tunings[i];
        char what[64];
        if (t->group > kn_context_get_device(bench->context)->max_work_group)
            continue;
        snprintf(what, sizeof what, "%ux%u unroll %u%s registers %u turns %u", t->group, t->width, t->unroll,
                 t->ahead ? " ahead" : "", t->registers, t->turns ? t->turns : 1);
        work->tuning = *t;
        tuned_moments(bench, work);
        bool same = work->moments.sum == usual.sum && work->moments.squares == usual.squares &&
                    work->moments.min == usual.min && work->moments.max == usual.max;
        report(bench, work, tuned_moments, what, same ? "right" : "WRONG");
    }
}

static void bench_reductions(struct bench *bench, struct work *work)
{
    const char *verdict;

    greatest(bench, work);
    moments(bench, work);
    verdict = judge_reductions(work);
    report(bench, work, sum, "kn_reduce_sum", "");
    report(bench, work, greatest, "kn_reduce, greatest", verdict);
    report(bench, work, moments, "kn_reduce_moments", verdict);
    if (bench->tune)
        tune_moments(bench, work);
    report(bench, work, integer_moments, "kn_reduce_moments, integers", "");
    scan(bench, work);
    report(bench, work, scan, "kn_scan", judge_scan(bench, work));
}

static void bench_first(struct bench *bench, struct work *work)
{
    for (work->k = 1000; work->k <= work->n; work->k *= 1000) {
        char what[64];
        snprintf(what, sizeof what, "kn_top_k, %zu", work->k);
        first_k(bench, work);
        report(bench, work, first_k, what, judge_first(bench, work));
    }
}

static void bench_column(struct bench *bench, kn_type type, unsigned log2_n)
{
    struct work work = {.type = type, .n = (size_t)1 << log2_n, .options = KN_INIT(kn_select_options)};
    size_t bytes = work.n * kn_type_size(type);

    work.host = malloc(bytes);
    if (!work.host) {
        fprintf(stderr, "bench: out of memory: %zu bytes\n", bytes);
        exit(5);
    }
    bench_fill(work.host, type, work.n, log2_n);
    bench_try(kn_buffer_create(bench->context, bytes, &work.x, &bench->err), &bench->err);
    bench_try(kn_buffer_write(bench->queue, work.x, 0, work.host, bytes, &bench->err), &bench->err);
    bench_try(kn_buffer_create(bench->context, bytes, &work.out, &bench->err), &bench->err);
    if (!bench->medians)
        bench_reductions(bench, &work);
    if (bench->reductions) {
        kn_buffer_free(work.x);
        kn_buffer_free(work.out);
        free(work.host);
        return;
    }
    if (!bench->medians)
        bench_first(bench, &work);
    median(bench, &work);
    report(bench, &work, median, "kn_median", judge(&work, work.value[0], 0.5));
    quartiles(bench, &work);
    report(bench, &work, quartiles, "kn_quantiles, 3", judge(&work, work.value[2], 0.75));
    work.options.method = KN_SELECT_DIGITS;
    median(bench, &work);
    report(bench, &work, median, "kn_median by digits", judge(&work, work.value[0], 0.5));
    for (size_t samples = 8192; bench->tune && samples <= 131072; samples *= 2) {
        char what[64];
        work.options = KN_INIT(kn_select_options, .method = KN_SELECT_BRACKETS,
                               .tuning = &(kn_select_tuning){.samples = samples});
        snprintf(what, sizeof what, "brackets, %zu samples", samples);
        median(bench, &work);
        report(bench, &work, median, what, judge(&work, work.value[0], 0.5));
    }
    for (unsigned group = 128; bench->tune && group <= 512; group *= 2)
        for (unsigned loads = 2; loads <= 8; loads *= 2)
            for (unsigned unit = 4; unit <= 16; unit *= 2) {
                char what[64];
                work.options = KN_INIT(
                    kn_select_options, .method = KN_SELECT_BRACKETS,
                    .tuning = &(kn_select_tuning){.group = group, .loads = loads, .groups_unit = unit});
                snprintf(what, sizeof what, "brackets group %u loads %u unit %u", group, loads, unit);
                median(bench, &work);
                report(bench, &work, median, what, judge(&work, work.value[0], 0.5));
            }
    kn_buffer_free(work.x);
    kn_buffer_free(work.out);
    free(work.host);
}

int main(int argc, char **argv)
{
    const char *spec = NULL;
    unsigned smallest = 12, largest = 24;
    kn_type first = KN_F32, last = KN_F64;
    struct bench bench = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            bench.tune = true;
        else if (strcmp(argv[i], "--kernels") == 0)
            bench.kernels = true;
        else if (strcmp(argv[i], "--reductions") == 0)
            bench.reductions = true;
        else if (strcmp(argv[i], "--medians") == 0)
            bench.medians = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--smallest") == 0)
            smallest = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--largest") == 0)
            largest = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--type") == 0)
            first = last = strcmp(argv[++i], "double") == 0 ? KN_F64 : KN_F32;
        else
            return fprintf(stderr,
                           "usage: %s [--device SPEC] [--smallest LOG2] [--largest LOG2] [--type TYPE] "
                           "[--reductions | --medians] [--kernels] [--tune]\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    const kn_device_info *info = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    printf("%-34s %-6s %11s  %-30s  %9s  %7s  %5s\n", "", "", "n", "device ms (least to most)", "wall ms",
           "GB/s", "launches");
    for (kn_type type = first; type <= last && (type == KN_F32 || info->fp64); type++)
        for (unsigned log2_n = smallest; log2_n <= largest; log2_n += 4)
            bench_column(&bench, type, log2_n);
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
