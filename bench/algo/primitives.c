// SPDX-License-Identifier: Apache-2.0
// Times what moves or counts the elements of a column: unique, run lengths, sums by key, select-if, partition
// and histograms, each answer checked against a loop on the host in the same run. bench/peers/cub.cu has the
// same rows.
//
//     bench/primitives [--device SPEC] [--smallest LOG2] [--largest LOG2] [--kernels]
//
// Columns: median, least and most of the device's time from the first kernel's start to the last one's end
// (by its events), and the median of the time that the caller waits.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { BINS = 256 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    bool kernels;
    size_t n;
    uint32_t *host, *expected, *expected_lengths, *found;
    float *amounts, *sums; // of the reduction by key
    size_t expected_count, count;
    kn_buffer *x, *values, *out, *lengths, *counted;
};

typedef void work_function(struct bench *bench);

static void unique(struct bench *b)
{
    bench_try(kn_unique(b->queue, b->x, KN_U32, b->n, b->out, b->counted, NULL, &b->err), &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

static void run_lengths(struct bench *b)
{
    bench_try(
        kn_run_lengths(b->queue, b->x, KN_U32, b->n, b->out, b->lengths, KN_U32, b->counted, NULL, &b->err),
        &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

static void sums_by_key(struct bench *b)
{
    bench_try(kn_reduce_by_key(b->queue, b->x, KN_U32, b->n, b->values, KN_F32, KN_REDUCE_SUM, b->out,
                               b->lengths, b->counted, NULL, &b->err),
              &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

static void histogram(struct bench *b)
{
    bench_try(kn_histogram_even(b->queue, b->x, KN_U32, b->n, 0, 0x1p32, BINS, b->lengths, &b->err), &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

static const kn_condition upper_half = {
    .struct_size = sizeof(kn_condition), .type = "uint", .size = 4, .holds = "x >> 31"};

static void select_half(struct bench *b)
{
    bench_try(kn_select_if(b->queue, b->x, b->n, &upper_half, b->out, b->counted, NULL, &b->err), &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

static void partition(struct bench *b)
{
    bench_try(kn_partition(b->queue, b->x, b->n, &upper_half, b->out, b->counted, NULL, &b->err), &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

struct call {
    struct bench *bench;
    work_function *run;
};

static void call(void *data)
{
    const struct call *c = data;

    c->run(c->bench);
}

// Checks that `buffer` has the expected contents.
static bool is_right(struct bench *b, kn_buffer *buffer, const void *expected, size_t count)
{
    bench_try(kn_buffer_read(b->queue, buffer, 0, b->found, count * sizeof *b->found, &b->err), &b->err);
    return memcmp(b->found, expected, count * sizeof *b->found) == 0;
}

static bool count_is_right(struct bench *b)
{
    uint64_t count = 0;

    bench_try(kn_buffer_read(b->queue, b->counted, 0, &count, sizeof count, &b->err), &b->err);
    return count == b->expected_count;
}

static void report(struct bench *b, work_function *run, const char *what, bool right)
{
    struct call timed = {b, run};
    struct bench_timing timing = bench_measure(b->queue, NULL, call, &timed, b->kernels);

    printf("%-34s %11zu  %9.4f (%.4f to %.4f)  %9.4f  %7.1f  %5zu  %s\n", what, b->n,
           timing.device.median * 1e3, timing.device.least * 1e3, timing.device.most * 1e3,
           timing.wall.median * 1e3, (double)(b->n * sizeof *b->host) / timing.device.median * 1e-9,
           timing.launches, right ? "right" : "WRONG");
    fflush(stdout);
}

// Runs of 1 to 2 * length - 1 elements, each number equally likely; the keys of neighbours differ.
static void fill_runs(struct bench *b, size_t length)
{
    uint64_t state = length;
    uint32_t key = 0;

    b->expected_count = 0;
    for (size_t i = 0; i < b->n;) {
        size_t run = 1 + bench_random(&state) % (2 * length - 1);
        run = run < b->n - i ? run : b->n - i;
        key += 1 + (uint32_t)(bench_random(&state) >> 40);
        b->expected[b->expected_count] = key;
        b->expected_lengths[b->expected_count++] = (uint32_t)run;
        for (size_t end = i + run; i < end; i++)
            b->host[i] = key;
    }
}

// Integers, whose sums are exact in any order.
static void fill_amounts(struct bench *b)
{
    size_t i = 0;

    for (size_t run = 0; run < b->expected_count; run++) {
        b->sums[run] = 0;
        for (size_t end = i + b->expected_lengths[run]; i < end; i++) {
            b->amounts[i] = (float)(i * 2654435761u >> 4 & 1023);
            b->sums[run] += b->amounts[i];
        }
    }
    bench_try(kn_buffer_write(b->queue, b->values, 0, b->amounts, b->n * sizeof *b->amounts, &b->err),
              &b->err);
}

static void upload(struct bench *b)
{
    bench_try(kn_buffer_write(b->queue, b->x, 0, b->host, b->n * sizeof *b->host, &b->err), &b->err);
}

static void bench_runs(struct bench *b)
{
    static const size_t lengths[] = {1, 8, 1000};

    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        char what[64];
        fill_runs(b, lengths[l]);
        upload(b);
        unique(b);
        snprintf(what, sizeof what, "unique, runs of %zu", lengths[l]);
        report(b, unique, what, count_is_right(b) && is_right(b, b->out, b->expected, b->expected_count));
        run_lengths(b);
        snprintf(what, sizeof what, "run lengths, runs of %zu", lengths[l]);
        report(b, run_lengths, what,
               count_is_right(b) && is_right(b, b->out, b->expected, b->expected_count) &&
                   is_right(b, b->lengths, b->expected_lengths, b->expected_count));
        fill_amounts(b);
        sums_by_key(b);
        snprintf(what, sizeof what, "sums by key, runs of %zu", lengths[l]);
        report(b, sums_by_key, what,
               count_is_right(b) && is_right(b, b->out, b->expected, b->expected_count) &&
                   is_right(b, b->lengths, b->sums, b->expected_count));
    }
}

static void bench_histogram(struct bench *b, const char *what)
{
    uint64_t counts[BINS] = {0};

    for (size_t i = 0; i < b->n; i++)
        counts[b->host[i] / (UINT32_MAX / BINS + 1)]++;
    upload(b);
    histogram(b);
    report(b, histogram, what, is_right(b, b->lengths, counts, 2 * BINS));
}

static void bench_conditions(struct bench *b)
{
    size_t others = b->n;

    b->expected_count = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->host[i] >> 31)
            b->expected[b->expected_count++] = b->host[i];
    others = b->expected_count;
    for (size_t i = 0; i < b->n; i++)
        if (!(b->host[i] >> 31))
            b->expected[others++] = b->host[i];
    select_half(b);
    report(b, select_half, "select-if, half",
           count_is_right(b) && is_right(b, b->out, b->expected, b->expected_count));
    partition(b);
    report(b, partition, "partition, half", count_is_right(b) && is_right(b, b->out, b->expected, b->n));
}

static void bench_column(struct bench *b, unsigned log2_n)
{
    size_t bytes = sizeof *b->host << log2_n;
    uint64_t state = log2_n;

    b->n = (size_t)1 << log2_n;
    b->host = bench_allocate(bytes);
    b->expected = bench_allocate(bytes);
    b->expected_lengths = bench_allocate(bytes);
    b->found = bench_allocate(bytes);
    b->amounts = bench_allocate(bytes);
    b->sums = bench_allocate(bytes);
    bench_try(kn_buffer_create(b->context, bytes, &b->x, &b->err), &b->err);
    bench_try(kn_buffer_create(b->context, bytes, &b->values, &b->err), &b->err);
    bench_try(kn_buffer_create(b->context, bytes, &b->out, &b->err), &b->err);
    bench_try(kn_buffer_create(b->context, bytes, &b->lengths, &b->err), &b->err);
    bench_try(kn_buffer_create(b->context, sizeof(uint64_t), &b->counted, &b->err), &b->err);
    bench_runs(b);
    for (size_t i = 0; i < b->n; i++)
        b->host[i] = 7;
    bench_histogram(b, "histogram of 256 bins, one value");
    for (size_t i = 0; i < b->n; i++)
        b->host[i] = bench_random(&state) >> 63 ? 7 : UINT32_MAX;
    bench_histogram(b, "histogram of 256 bins, two values");
    for (size_t i = 0; i < b->n; i++)
        b->host[i] = (uint32_t)(bench_random(&state) >> 32);
    bench_histogram(b, "histogram of 256 bins, random");
    bench_conditions(b);
    kn_buffer_free(b->x);
    kn_buffer_free(b->values);
    kn_buffer_free(b->out);
    kn_buffer_free(b->lengths);
    kn_buffer_free(b->counted);
    free(b->host);
    free(b->expected);
    free(b->expected_lengths);
    free(b->found);
    free(b->amounts);
    free(b->sums);
}

int main(int argc, char **argv)
{
    const char *spec = NULL;
    unsigned smallest = 16, largest = 24;
    struct bench b = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--kernels") == 0)
            b.kernels = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--smallest") == 0)
            smallest = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--largest") == 0)
            largest = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            return fprintf(stderr,
                           "usage: %s [--device SPEC] [--smallest LOG2] [--largest LOG2] [--kernels]\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &b.context, &b.err), &b.err);
    bench_try(kn_queue_open(b.context, &b.queue, &b.err), &b.err);
    const kn_device_info *info = kn_context_get_device(b.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    printf("%-34s %11s  %-30s  %9s  %7s  %5s\n", "uint", "n", "device ms (least to most)", "wall ms", "GB/s",
           "launches");
    for (unsigned log2_n = smallest; log2_n <= largest; log2_n += 4)
        bench_column(&b, log2_n);
    kn_queue_close(b.queue);
    kn_context_close(b.context);
    return 0;
}
