// SPDX-License-Identifier: Apache-2.0
// Times kn_sort, kn_reduce_sum, kn_reduce_sums and copies on a device, each checked against the host in the
// same run, and the peer of the sort: one launch a compare step (bench/kernels/one_step.cl).
//
//     bench/algorithms [--device SPEC] [--largest LOG2] [--tune]
//
// Columns: median, least and most of the device's time from the first kernel's start to the last one's end
// (by its events), and the median of the time that the caller waits.
#include <koine/experimental.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
};

typedef void work_function(struct bench *bench, void *data);

struct call {
    struct bench *bench;
    work_function *prepare, *work;
    void *data;
};

static void prepare(void *data)
{
    const struct call *call = data;

    if (call->prepare)
        call->prepare(call->bench, call->data);
}

static void work(void *data)
{
    const struct call *call = data;

    call->work(call->bench, call->data);
}

static struct bench_timing measure(struct bench *bench, work_function *before, work_function *timed,
                                   void *data)
{
    struct call call = {bench, before, timed, data};

    return bench_measure(bench->queue, prepare, work, &call, false);
}

static kn_buffer *upload(struct bench *bench, const void *values, size_t bytes)
{
    kn_buffer *buffer = NULL;

    bench_try(kn_buffer_create(bench->context, bytes, &buffer, &bench->err), &bench->err);
    bench_try(kn_buffer_write(bench->queue, buffer, 0, values, bytes, &bench->err), &bench->err);
    return buffer;
}

static void print_row(const char *what, kn_type type, size_t n, const struct bench_timing *timing,
                      double bytes, const char *verdict)
{
    printf("%-24s %-6s %11zu  %9.4f (%.4f to %.4f)  %9.4f", what, kn_type_name(type), n,
           timing->device.median * 1e3, timing->device.least * 1e3, timing->device.most * 1e3,
           timing->wall.median * 1e3);
    printf("  %7.1f  %5zu  %s\n", timing->device.median > 0 ? bytes / timing->device.median * 1e-9 : 0.0,
           timing->launches, verdict);
    fflush(stdout);
}

// ---- sorting ----

struct sort_work {
    kn_type type;
    size_t n;
    kn_buffer *original, *keys;
    const kn_sort_options *options;
    kn_kernel *one_step;
};

static void restore(struct bench *bench, void *data)
{
    struct sort_work *work = data;

    bench_try(kn_buffer_copy(bench->queue, work->original, 0, work->keys, 0,
                             work->n * kn_type_size(work->type), NULL, &bench->err),
              &bench->err);
}

static void sort_by_koine(struct bench *bench, void *data)
{
    struct sort_work *work = data;

    bench_try(kn_sort(bench->queue, work->keys, work->type, work->n, work->options, &bench->err),
              &bench->err);
}

static void sort_by_steps(struct bench *bench, void *data)
{
    struct sort_work *work = data;
    const kn_range range = {1, {work->n / 2}, {256}, {0}};

    for (uint32_t stage = 0; (size_t)1 << stage < work->n; stage++)
        for (uint32_t pass = 0; pass <= stage; pass++) {
            const kn_arg args[] = {KN_BUFFER(work->keys), KN_VALUE(stage), KN_VALUE(pass)};
            bench_try(
                kn_launch(bench->queue, work->one_step, &range, args, KI_COUNT(args), NULL, &bench->err),
                &bench->err);
        }
}

static double key_at(const void *keys, kn_type type, size_t i)
{
    return type == KN_F32 ? (double)((const float *)keys)[i] : ((const double *)keys)[i];
}

// Ascending, and the same keys as before: their sum and the sum of a hash of their bits.
static bool is_sorted_version(const void *before, const void *after, kn_type type, size_t n)
{
    size_t size = kn_type_size(type);
    uint64_t sums[2] = {0, 0};

    for (size_t i = 0; i < n; i++) {
        uint64_t bits[2] = {0, 0};
        memcpy(&bits[0], (const char *)before + i * size, size);
        memcpy(&bits[1], (const char *)after + i * size, size);
        sums[0] += bench_random(&bits[0]);
        sums[1] += bench_random(&bits[1]);
        if (i > 0 && !(key_at(after, type, i - 1) <= key_at(after, type, i)))
            return false;
    }
    return sums[0] == sums[1];
}

static void report_sort(struct bench *bench, struct sort_work *work, work_function *sort, const char *what,
                        const void *values)
{
    size_t bytes = work->n * kn_type_size(work->type);
    struct bench_timing timing = measure(bench, restore, sort, work);
    void *sorted = bench_allocate(bytes);

    bench_try(kn_buffer_read(bench->queue, work->keys, 0, sorted, bytes, &bench->err), &bench->err);
    print_row(what, work->type, work->n, &timing, 2.0 * (double)bytes * (double)timing.launches,
              is_sorted_version(values, sorted, work->type, work->n) ? "right" : "WRONG");
    free(sorted);
}

static void bench_sort(struct bench *bench, kn_type type, unsigned log2_n, bool tune, kn_program *steps)
{
    size_t n = (size_t)1 << log2_n, bytes = n * kn_type_size(type);
    void *values = bench_allocate(bytes);
    struct sort_work work = {.type = type, .n = n};

    bench_fill(values, type, n, log2_n);
    work.original = upload(bench, values, bytes);
    work.keys = upload(bench, values, bytes);
    report_sort(bench, &work, sort_by_koine, "kn_sort", values);
    for (unsigned group = 5; tune && group <= 9; group++)
        for (unsigned keys = 3; keys <= 5; keys++) {
            kn_sort_options options =
                KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = group, .log2_keys = keys});
            kn_error reason;
            char what[32];
            if (kn_sort(bench->queue, work.keys, type, n, &options, &reason))
                continue; // more local memory than there is
            snprintf(what, sizeof what, "kn_sort group 2^%u keys 2^%u", group, keys);
            work.options = &options;
            report_sort(bench, &work, sort_by_koine, what, values);
        }
    work.options = NULL;
    if (steps && log2_n <= 24) {
        bench_try(kn_program_get_kernel(steps, "one_step", &work.one_step, &bench->err), &bench->err);
        report_sort(bench, &work, sort_by_steps, "one launch a step", values);
    }
    kn_buffer_free(work.original);
    kn_buffer_free(work.keys);
    free(values);
}

// ---- reduction and copies ----

struct sum_work {
    kn_type type;
    size_t n;
    kn_buffer *x;
    void *host;
    double sum;
    kn_sums sums;
};

static void sum_work(struct bench *bench, void *data)
{
    struct sum_work *work = data;

    bench_try(kn_reduce_sum(bench->queue, work->x, work->type, work->n, &work->sum, &bench->err),
              &bench->err);
}

static void sums_work(struct bench *bench, void *data)
{
    struct sum_work *work = data;

    bench_try(kn_reduce_sums(bench->queue, work->x, work->type, work->n, 1, &work->sums, &bench->err),
              &bench->err);
}

static void write_work(struct bench *bench, void *data)
{
    struct sum_work *work = data;

    bench_try(kn_buffer_write(bench->queue, work->x, 0, work->host, work->n * kn_type_size(work->type),
                              &bench->err),
              &bench->err);
}

static void read_work(struct bench *bench, void *data)
{
    struct sum_work *work = data;

    bench_try(
        kn_buffer_read(bench->queue, work->x, 0, work->host, work->n * kn_type_size(work->type), &bench->err),
        &bench->err);
}

// Neumaier's sum in long double: what rounding loses is kept, as 2^28 plain additions would not be exact
// enough.
struct exact {
    long double sum, lost;
};

static void exact_add(struct exact *to, long double value)
{
    long double sum = to->sum + value;

    to->lost += fabsl(to->sum) >= fabsl(value) ? (to->sum - sum) + value : (value - sum) + to->sum;
    to->sum = sum;
}

// Relative to the sum of magnitudes. The tree's depth, some 90 additions, bounds the error by 90 * 2^-53.
static const char *verdict(double found, long double wanted, long double magnitude)
{
    static char text[48];
    long double error = fabsl((long double)found - wanted) / magnitude;

    snprintf(text, sizeof text, "%s, error %.1Le", error < 1e-14L ? "right" : "WRONG", error);
    return text;
}

static void bench_sums(struct bench *bench, kn_type type, unsigned log2_n)
{
    size_t n = (size_t)1 << log2_n, bytes = n * kn_type_size(type);
    struct sum_work work = {.type = type, .n = n, .host = bench_allocate(bytes)};
    struct exact sum = {0, 0}, squares = {0, 0};
    long double magnitude = 0;
    struct bench_timing timing;

    bench_fill(work.host, type, n, log2_n);
    for (size_t i = 0; i < n; i++) {
        long double value = (long double)key_at(work.host, type, i);
        exact_add(&sum, value);
        exact_add(&squares, (value - 1) * (value - 1));
        magnitude += fabsl(value);
    }
    work.x = upload(bench, work.host, bytes);
    timing = measure(bench, NULL, sum_work, &work);
    print_row("kn_reduce_sum", type, n, &timing, (double)bytes,
              verdict(work.sum, sum.sum + sum.lost, magnitude));
    timing = measure(bench, NULL, sums_work, &work);
    print_row("kn_reduce_sums", type, n, &timing, (double)bytes,
              verdict(work.sums.squares, squares.sum + squares.lost, squares.sum));
    timing = measure(bench, NULL, write_work, &work);
    printf("%-24s %-6s %11zu  %.1f GB/s\n", "kn_buffer_write", kn_type_name(type), n,
           (double)bytes / timing.wall.median * 1e-9);
    timing = measure(bench, NULL, read_work, &work);
    printf("%-24s %-6s %11zu  %.1f GB/s\n", "kn_buffer_read", kn_type_name(type), n,
           (double)bytes / timing.wall.median * 1e-9);
    kn_buffer_free(work.x);
    free(work.host);
}

static kn_program *steps_program(struct bench *bench, const char *folder, kn_type type)
{
    const kn_define define = {"REAL", kn_type_name(type)};
    const kn_program_options options = KN_INIT(kn_program_options, .defines = &define, .define_count = 1);
    kn_program *program = NULL;
    char path[4096];

    snprintf(path, sizeof path, "%s/one_step.cl", folder);
    if (kn_program_from_file(bench->context, path, &options, &program, &bench->err))
        fprintf(stderr, "bench: without the peer 'one launch a step': %s\n", bench->err.text);
    return program;
}

int main(int argc, char **argv)
{
    const char *spec = NULL, *folder = getenv("srcdir") ? getenv("srcdir") : "bench/kernels";
    unsigned largest = 24;
    bool tune = false;
    struct bench bench = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tune = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--largest") == 0)
            largest = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--kernels") == 0)
            folder = argv[++i];
        else
            return fprintf(stderr, "usage: %s [--device SPEC] [--largest LOG2] [--tune] [--kernels FOLDER]\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    const kn_device_info *info = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    printf("%-24s %-6s %11s  %-30s  %9s  %7s  %5s\n", "", "", "n", "device ms (least to most)", "wall ms",
           "GB/s", "launches");
    for (kn_type type = KN_F32; type <= (info->fp64 ? KN_F64 : KN_F32); type++) {
        kn_program *steps = steps_program(&bench, folder, type);
        for (unsigned log2_n = 12; log2_n <= largest; log2_n += 4)
            bench_sort(&bench, type, log2_n, tune, steps);
        for (unsigned log2_n = 20; log2_n <= largest + 4; log2_n += 4)
            bench_sums(&bench, type, log2_n);
        kn_program_free(steps);
    }
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
