// SPDX-License-Identifier: Apache-2.0
// Times kn_sort, kn_sort_by_key and kn_argsort on a device, each result checked on the host in the same run.
//
//     bench/sort [--device SPEC] [--sizes LOG2,LOG2,...] [--column FILE] [--tune] [--pairs] [--huge]
//
// --tune tries shapes of the radix sort at the sizes 16, 18, 20 and 26; --pairs sorts with values and makes
// indices too; --huge sorts more than 2^32 keys of a byte. --column takes the keys of the rows "real" (2^28
// floats, 2^27 doubles) from a text file (a number a line or the first of each line), tiled; its peer is
// bench/peers/cub on the same file. Times are of the caller's wait for the queue, without events, the median
// of REPETITIONS (least to most).
#include <koine/experimental.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 7 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    double *column; // of --column
    size_t column_rows;
};

struct work {
    kn_type type;
    size_t n;
    kn_buffer *original, *keys, *values; // values: NULL for keys alone
    const void *host;
    const char *what;
    bool indices;
};

static double key_at(const void *keys, kn_type type, size_t i)
{
    switch (type) {
    case KN_F32:
        return (double)((const float *)keys)[i];
    case KN_F64:
        return ((const double *)keys)[i];
    case KN_U32:
        return ((const uint32_t *)keys)[i];
    default:
        return ((const uint8_t *)keys)[i];
    }
}

// Ascending, and the same keys as before: the sum of a hash of their bits.
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

// The values are the elements' numbers: each leads to its key, and equal keys keep their order.
static bool is_stable_order(const void *before, const uint32_t *order, kn_type type, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (order[i] >= n)
            return false;
        if (i > 0) {
            double left = key_at(before, type, order[i - 1]), right = key_at(before, type, order[i]);
            if (!(left < right || (left == right && order[i - 1] < order[i])))
                return false;
        }
    }
    return true;
}

static kn_status run(struct bench *bench, const struct work *work, const kn_sort_options *options)
{
    if (work->indices)
        return kn_argsort(bench->queue, work->original, work->type, work->n, work->values, KN_U32, options,
                          &bench->err);
    if (work->values)
        return kn_sort_by_key(bench->queue, work->keys, work->type, work->n, work->values, 4, options,
                              &bench->err);
    return kn_sort(bench->queue, work->keys, work->type, work->n, options, &bench->err);
}

static void restore(struct bench *bench, const struct work *work, const uint32_t *numbers)
{
    bench_try(kn_buffer_copy(bench->queue, work->original, 0, work->keys, 0,
                             work->n * kn_type_size(work->type), NULL, &bench->err),
              &bench->err);
    if (numbers)
        bench_try(kn_buffer_write(bench->queue, work->values, 0, numbers, work->n * 4, &bench->err),
                  &bench->err);
    bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
}

static bool is_right(struct bench *bench, const struct work *work)
{
    size_t bytes = work->n * (work->values ? 4 : kn_type_size(work->type));
    void *found = bench_allocate(bytes);
    bool right;

    bench_try(
        kn_buffer_read(bench->queue, work->values ? work->values : work->keys, 0, found, bytes, &bench->err),
        &bench->err);
    right = work->values ? is_stable_order(work->host, found, work->type, work->n)
                         : is_sorted_version(work->host, found, work->type, work->n);
    free(found);
    return right;
}

// A line: what, time, rate; the time is that of `finish` minus an empty queue's.
static double report(struct bench *bench, const struct work *work, const kn_sort_options *options,
                     const char *label, bool check)
{
    double wall[REPETITIONS];
    uint32_t *numbers = work->values && !work->indices ? bench_allocate(work->n * 4) : NULL;
    struct bench_times times;

    for (size_t i = 0; numbers && i < work->n; i++)
        numbers[i] = (uint32_t)i;
    for (int i = -1; i < REPETITIONS; i++) {
        restore(bench, work, numbers);
        double start = bench_seconds();
        if (run(bench, work, options)) {
            printf("%-7s %-6s %11zu  %-36s  %s\n", work->what, kn_type_name(work->type), work->n, label,
                   bench->err.text);
            free(numbers);
            return 1e9;
        }
        bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
        if (i >= 0)
            wall[i] = bench_seconds() - start;
    }
    times = bench_times_of(wall, REPETITIONS);
    printf("%-7s %-6s %11zu  %-36s %9.4f ms (%.4f to %.4f)  %7.2f Gkeys/s  %s\n", work->what,
           kn_type_name(work->type), work->n, label, times.median * 1e3, times.least * 1e3, times.most * 1e3,
           (double)work->n / times.median * 1e-9,
           !check                  ? ""
           : is_right(bench, work) ? "right"
                                   : "WRONG");
    fflush(stdout);
    free(numbers);
    return times.median;
}

// From events, kernel by kernel: where a large sort spends its time.
static void report_kernels(struct bench *bench, const struct work *work, const kn_sort_options *options)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    restore(bench, work, NULL);
    bench_try(kn_profile_start(bench->queue, &bench->err), &bench->err);
    bench_try(run(bench, work, options), &bench->err);
    bench_try(kn_profile_stop(bench->queue, &entries, &count, &bench->err), &bench->err);
    printf("        launches %zu, span %.4f ms;", count, kn_profile_span(entries, count) * 1e3);
    for (size_t k = 0; k < count; k++) {
        size_t same = 0; // launches of this kernel before
        for (size_t i = 0; i < k; i++)
            same += strcmp(entries[i].kernel, entries[k].kernel) == 0;
        if (same)
            continue;
        printf(" %s", entries[k].kernel);
        for (size_t i = k; i < count; i++)
            if (strcmp(entries[i].kernel, entries[k].kernel) == 0)
                printf(" %.4f", (double)(entries[i].end - entries[i].start) * 1e-6);
    }
    printf("\n");
    kn_free(entries);
}

// Shapes to try.
static const struct candidate {
    unsigned log2_n; // of this row
    kn_type type;
    unsigned group, keys, registers, chunks, prefetch;
} candidates[] = {
    {16, KN_F32, 512, 2, 0, 1, 2},   {16, KN_F32, 384, 2, 0, 1, 2},   {16, KN_F32, 512, 1, 0, 1, 2},
    {16, KN_F32, 384, 4, 0, 1, 2},   {16, KN_F64, 512, 2, 0, 1, 2},   {16, KN_F64, 256, 4, 0, 1, 2},
    {18, KN_F32, 512, 2, 0, 1, 2},   {18, KN_F32, 512, 4, 0, 1, 2},   {18, KN_F32, 512, 8, 0, 1, 2},
    {18, KN_F64, 512, 4, 0, 1, 2},   {20, KN_F32, 512, 16, 0, 1, 2},  {20, KN_F32, 768, 12, 0, 1, 2},
    {20, KN_F32, 1024, 8, 0, 1, 2},  {20, KN_F64, 1024, 8, 0, 1, 2},  {26, KN_F32, 384, 18, 80, 4, 2},
    {26, KN_F32, 384, 18, 80, 4, 1}, {26, KN_F32, 384, 20, 80, 4, 2}, {26, KN_F32, 384, 22, 80, 4, 2},
    {26, KN_F32, 256, 20, 80, 6, 2}, {26, KN_F32, 256, 20, 64, 8, 2}, {26, KN_F32, 256, 24, 80, 6, 2},
    {26, KN_F32, 512, 16, 64, 4, 2}, {26, KN_F32, 512, 16, 64, 4, 1}, {26, KN_F32, 512, 18, 64, 4, 2},
    {26, KN_F32, 768, 20, 80, 4, 2}, {26, KN_F32, 384, 18, 56, 6, 2}, {26, KN_F64, 384, 14, 80, 4, 2},
    {26, KN_F64, 384, 16, 80, 4, 2}, {26, KN_F64, 384, 16, 80, 4, 1}, {26, KN_F64, 384, 18, 80, 4, 2},
    {26, KN_F64, 256, 16, 80, 6, 2}, {26, KN_F64, 256, 20, 80, 6, 2}, {26, KN_F64, 512, 16, 64, 4, 2},
    {26, KN_F64, 512, 14, 64, 4, 2}, {26, KN_F64, 512, 20, 0, 4, 2},  {26, KN_F64, 768, 16, 80, 4, 2},
    {26, KN_F64, 1024, 16, 0, 4, 2}, {26, KN_F64, 1024, 12, 0, 4, 2},
};

static void tune(struct bench *bench, const struct work *work)
{
    double least = 1e9;
    kn_sort_tuning best = {.radix_group = 0};

    for (size_t i = 0; i < KI_COUNT(candidates); i++) {
        const struct candidate *c = &candidates[i];
        kn_sort_tuning tuning = {.radix_group = c->group,
                                 .radix_keys = c->keys,
                                 .radix_registers = c->registers,
                                 .radix_chunks = c->chunks,
                                 .radix_prefetch = c->prefetch};
        const kn_sort_options options =
            KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX, .tuning = &tuning);
        char label[64];
        if (work->n != (size_t)1 << c->log2_n || work->type != c->type)
            continue;
        snprintf(label, sizeof label, "%u x %u, %u regs, %u chunks%s", c->group, c->keys, c->registers,
                 c->chunks, c->prefetch == 1 ? ", prefetch" : "");
        if (c->log2_n < 24) { // counting ahead, too
            tuning.counting = KN_SORT_COUNTING_AHEAD;
            char ahead[80];
            snprintf(ahead, sizeof ahead, "%s, ahead", label);
            double median = report(bench, work, &options, ahead, false);
            if (median < least) {
                least = median;
                best = tuning;
            }
            tuning.counting = KN_SORT_COUNTING_SEPARATE;
        }
        double median = report(bench, work, &options, label, false);
        if (median < least) {
            least = median;
            best = tuning;
        }
    }
    if (least < 1e9) {
        const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX, .tuning = &best);
        report(bench, work, &options, "the best of these", true);
        report_kernels(bench, work, &options);
    }
}

// The keys of a row.
enum source { RANDOM, REAL };

static void fill(const struct bench *bench, void *keys, kn_type type, size_t n, enum source source)
{
    uint64_t state = n;

    if (source == RANDOM && (type == KN_F32 || type == KN_F64)) {
        bench_fill(keys, type, n, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (source == RANDOM && type == KN_U32)
            ((uint32_t *)keys)[i] = (uint32_t)bench_random(&state);
        else if (type == KN_F32)
            ((float *)keys)[i] = (float)bench->column[i % bench->column_rows];
        else if (type == KN_F64)
            ((double *)keys)[i] = bench->column[i % bench->column_rows];
}

static void bench_row(struct bench *bench, kn_type type, size_t n, enum source source, bool tunes, bool pairs)
{
    size_t bytes = n * kn_type_size(type);
    void *host = bench_allocate(bytes);
    struct work work = {.type = type, .n = n, .host = host, .what = source == REAL ? "real" : "random"};
    const kn_sort_options bitonic = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC),
                          radix = KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX);
    bool gpu = kn_context_get_device(bench->context)->type != KN_DEVICE_CPU;

    fill(bench, host, type, n, source);
    bench_try(kn_buffer_create(bench->context, bytes, &work.original, &bench->err), &bench->err);
    bench_try(kn_buffer_create(bench->context, bytes, &work.keys, &bench->err), &bench->err);
    bench_try(kn_buffer_write(bench->queue, work.original, 0, host, bytes, &bench->err), &bench->err);
    report(bench, &work, NULL, "kn_sort", true);
    if (tunes && gpu)
        tune(bench, &work);
    else
        report_kernels(bench, &work, &radix);
    if (n <= (size_t)1 << 18 && !tunes) {
        report(bench, &work, &radix, "kn_sort radix", true);
        report(bench, &work, &bitonic, "kn_sort bitonic", true);
    }
    if (pairs && source == RANDOM) {
        bench_try(kn_buffer_create(bench->context, n * 4, &work.values, &bench->err), &bench->err);
        report(bench, &work, NULL, "kn_sort_by_key, 4 bytes", true);
        work.indices = true;
        report(bench, &work, NULL, "kn_argsort", true);
        kn_buffer_free(work.values);
    }
    kn_buffer_free(work.original);
    kn_buffer_free(work.keys);
    free(host);
}

// More than 2^32 keys of one byte: counts and places beyond 32 bits.
static void bench_huge(struct bench *bench)
{
    size_t n = ((size_t)1 << 32) + ((size_t)1 << 28) + 12345;
    uint8_t *host = bench_allocate(n);
    struct work work = {.type = KN_U8, .n = n, .host = host, .what = "huge"};
    uint64_t state = 1;

    for (size_t i = 0; i < n; i++)
        host[i] = (uint8_t)(bench_random(&state) >> 60 ? i : 7);
    bench_try(kn_buffer_create(bench->context, n, &work.original, &bench->err), &bench->err);
    bench_try(kn_buffer_create(bench->context, n, &work.keys, &bench->err), &bench->err);
    bench_try(kn_buffer_write(bench->queue, work.original, 0, host, n, &bench->err), &bench->err);
    report(bench, &work, NULL, "kn_sort", true);
    kn_buffer_free(work.original);
    kn_buffer_free(work.keys);
    free(host);
}

static void read_column(struct bench *bench, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    size_t capacity = (size_t)1 << 20;

    if (!file) {
        fprintf(stderr, "bench: %s cannot be read: no rows \"real\"\n", path);
        return;
    }
    bench->column = bench_allocate(capacity * sizeof *bench->column);
    for (int row = 0; fgets(line, sizeof line, file) && bench->column_rows < capacity; row++) {
        char *end;
        double value = strtod(line, &end);
        if (row >= 2 && end != line) // after an E4 export's time and rate
            bench->column[bench->column_rows++] = value;
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    const char *spec = NULL, *sizes = "12,14,16,17,18,20,22,24,26,28", *column = NULL;
    static const kn_type types[] = {KN_F32, KN_F64};
    bool tunes = false, huge = false, pairs = false;
    struct bench bench = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tunes = true;
        else if (strcmp(argv[i], "--huge") == 0)
            huge = true;
        else if (strcmp(argv[i], "--pairs") == 0)
            pairs = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--sizes") == 0)
            sizes = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--column") == 0)
            column = argv[++i];
        else
            return fprintf(stderr,
                           "usage: %s [--device SPEC] [--tune] [--pairs] [--huge] [--sizes LOG2,...] "
                           "[--column FILE]\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    const kn_device_info *info = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    if (column)
        read_column(&bench, column);
    if (bench.column_rows) {
        bench_row(&bench, KN_F32, (size_t)1 << 28, REAL, false, false);
        if (info->fp64)
            bench_row(&bench, KN_F64, (size_t)1 << 27, REAL, false, false);
    }
    for (const char *at = sizes; *at; at += strcspn(at, ","), at += *at == ',')
        for (size_t t = 0; t < KI_COUNT(types); t++)
            if (types[t] != KN_F64 || info->fp64)
                bench_row(&bench, types[t], (size_t)1 << strtoul(at, NULL, 10), RANDOM, tunes, pairs);
    if (huge)
        bench_huge(&bench);
    free(bench.column);
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
