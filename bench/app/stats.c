// SPDX-License-Identifier: Apache-2.0
// Times the statistics of a column: every variant and method at growing n, each answer checked before it is
// timed.
//
//     bench/stats [--device SPEC] [--variant NAME] [--method NAME] [--float] [--threads N] [--least N]
//     [--largest N]
//                 [--column FILE.csv] [--prefixes N]
//
// Without --device there is no `gpu`. The column is normally distributed; with --column it is the first of a
// file, again and again. Columns: n, variant, method, whether it was counted in bytes; median, least and most
// of the seconds that a caller waits, the least of the process's own time, which other processes do not
// lengthen; the relative error of CV against long double (whole numbers: against integers, exactly).
// --prefixes: besides, that many prefixes at once, and how many computations of the whole they take.
//
// Checked: median and MAD are those of the reference up to 2^22 elements, and beyond that those that
// `parallel` selects; CV has the same bits in all variants of a method.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/stats/column/column.h"
#include "base/array.h"
#include "io/csv/csv.h"
#include "bench/bench.h"

enum { REPETITIONS = 7, REFERENCE_UP_TO = 1 << 22 };

struct job {
    const char *device, *file;
    int variant, method; // -1: all
    struct stats_options options;
    size_t least, largest, prefixes;
    kn_context *context;
    kn_queue *queue;
    double *x;
};

static kn_error err = KN_ERROR_INIT;

static void fill(struct job *job)
{
    struct csv_table table;

    job->x = malloc(job->largest * sizeof *job->x);
    if (!job->x) {
        fprintf(stderr, "bench: out of memory: %zu elements\n", job->largest);
        exit(5);
    }
    if (!job->file) {
        bench_fill(job->x, KN_F64, job->largest, 6);
        return;
    }
    bench_try(csv_read(job->file, NULL, &table, &err), &err);
    for (size_t i = 0; i < job->largest; i++)
        job->x[i] = table.columns[0].values[i % table.columns[0].count];
    csv_free(&table);
}

// ---- checks ----

static double value_at(const struct job *job, size_t i)
{
    return job->options.single ? (double)(float)job->x[i] : job->x[i];
}

// In two reads; sums of integers below 2^20 are exact in it for any n that fits in memory.
static double exact_cv(const struct job *job, size_t n)
{
    long double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < n; i++)
        sum += (long double)value_at(job, i);
    mean = sum / (long double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((long double)value_at(job, i) - mean) * ((long double)value_at(job, i) - mean);
    return (double)(sqrtl(squares / (long double)n) / mean);
}

static kn_stats expected_medians(const struct job *job, size_t n)
{
    struct stats_options options = job->options;
    struct stats_column *column = NULL;
    kn_stats result;

    options.method = KN_STATS_SELECT;
    if (n <= REFERENCE_UP_TO) {
        bench_try(ki_stats_reference(job->x, n, &options, &result, &err), &err);
        return result;
    }
    bench_try(ki_stats_column_open(STATS_PARALLEL, NULL, job->x, n, &options, &column, &err), &err);
    bench_try(ki_stats_column_compute(column, n, &result, &err), &err);
    ki_stats_column_close(column);
    return result;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

// ---- a row ----

static void check(const kn_stats *found, const kn_stats *expected, double cv)
{
    if (same(found->median, expected->median) && same(found->mad, expected->mad) && same(found->cv, cv))
        return;
    fprintf(stderr, "bench: WRONG: median %.17g, MAD %.17g, CV %.17g; expected %.17g, %.17g, %.17g\n",
            found->median, found->mad, found->cv, expected->median, expected->mad, cv);
    exit(1);
}

static struct bench_times time_column(struct stats_column *column, size_t n, double *own)
{
    double seconds[REPETITIONS];
    kn_stats result;

    *own = INFINITY;
    for (int i = 0; i < REPETITIONS; i++) {
        double start = bench_seconds(), spent = bench_process_seconds();
        bench_try(ki_stats_column_compute(column, n, &result, &err), &err);
        seconds[i] = bench_seconds() - start;
        *own = fmin(*own, bench_process_seconds() - spent);
    }
    return bench_times_of(seconds, REPETITIONS);
}

// `count` prefixes, the last of them the whole.
static void time_prefixes(struct stats_column *column, size_t n, size_t count, double whole)
{
    kn_stats *results = calloc(count, sizeof *results);
    size_t *ends = calloc(count, sizeof *ends);
    double seconds[REPETITIONS];

    for (size_t i = 0; ends && i < count; i++)
        ends[i] = (size_t)((double)(i + 1) * (double)n / (double)count);
    for (int i = 0; results && ends && i < REPETITIONS; i++) {
        double start = bench_seconds();
        bench_try(ki_stats_column_sweep(column, ends, count, results, &err), &err);
        seconds[i] = bench_seconds() - start;
    }
    struct bench_times times = bench_times_of(seconds, REPETITIONS);
    printf("%11s %zu prefixes: %.6f (%.6f to %.6f), %.2f times the whole\n", "", count, times.median,
           times.least, times.most, times.median / whole);
    free(results);
    free(ends);
}

static void bench_row(const struct job *job, size_t n, enum stats_variant variant, kn_stats_method method,
                      const kn_stats *expected, double exact, double *cv)
{
    struct stats_options options = job->options;
    struct stats_column *column = NULL;
    kn_stats found;
    double own;

    options.method = method;
    kn_status status = ki_stats_column_open(variant, variant == STATS_GPU ? job->queue : NULL, job->x, n,
                                            &options, &column, &err);
    if (status == KN_ERROR_UNSUPPORTED) {
        printf("%11zu %-20s %-7s n/a: %s\n", n, ki_stats_variant_names[variant],
               ki_stats_method_names[method], err.text);
        return;
    }
    bench_try(status, &err);
    bench_try(ki_stats_column_compute(column, n, &found, &err), &err); // builds kernels, touches memory
    if (isnan(*cv))
        *cv = found.cv;
    check(&found, expected, *cv);
    struct bench_times times = time_column(column, n, &own);
    printf("%11zu %-20s %-7s %-7s %.6f (%.6f to %.6f)  %.6f  %.1e\n", n, ki_stats_variant_names[variant],
           ki_stats_method_names[method], ki_stats_column_in_bytes(column) ? "counted" : "", times.median,
           times.least, times.most, own, fabs(found.cv - exact) / fabs(exact));
    if (job->prefixes > 0)
        time_prefixes(column, n, job->prefixes, times.median);
    fflush(stdout);
    ki_stats_column_close(column);
}

static void bench_size(const struct job *job, size_t n)
{
    kn_stats expected = expected_medians(job, n);
    double exact = exact_cv(job, n);

    for (kn_stats_method method = KN_STATS_SORT; method < STATS_METHODS; method++) {
        double cv = NAN;
        for (enum stats_variant variant = STATS_SERIAL; variant < STATS_VARIANTS; variant++)
            if ((job->variant < 0 || job->variant == (int)variant) &&
                (job->method < 0 || job->method == (int)method) && (variant != STATS_GPU || job->queue))
                bench_row(job, n, variant, method, &expected, exact, &cv);
    }
}

static int find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fprintf(stderr, "bench: there is no %s\n", name);
    exit(2);
}

static bool take_option(struct job *job, const char *name, const char *value)
{
    if (strcmp(name, "--device") == 0)
        job->device = value;
    else if (strcmp(name, "--variant") == 0)
        job->variant = find(ki_stats_variant_names, value);
    else if (strcmp(name, "--method") == 0)
        job->method = find(ki_stats_method_names, value);
    else if (strcmp(name, "--threads") == 0)
        job->options.threads = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--least") == 0)
        job->least = (size_t)strtoull(value, NULL, 10);
    else if (strcmp(name, "--largest") == 0)
        job->largest = (size_t)strtoull(value, NULL, 10);
    else if (strcmp(name, "--column") == 0)
        job->file = value;
    else if (strcmp(name, "--prefixes") == 0)
        job->prefixes = (size_t)strtoull(value, NULL, 10);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct job job = {
        .variant = -1, .method = -1, .options = STATS_OPTIONS_INIT, .least = 1000, .largest = 10000000};

    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--float") == 0)
            job.options.single = true;
        else if (i + 1 < argc && take_option(&job, argv[i], argv[i + 1]))
            i++;
        else
            return fprintf(
                       stderr,
                       "usage: %s [--device SPEC] [--variant NAME] [--method NAME] [--float] [--threads N] "
                       "[--least N] [--largest N] [--column FILE.csv] [--prefixes N]\n",
                       argv[0]),
                   2;
    if (job.device) {
        bench_try(kn_context_open(job.device, NULL, &job.context, &err), &err);
        bench_try(kn_queue_open(job.context, &job.queue, &err), &err);
        printf("%s, %s\n", kn_context_get_device(job.context)->name,
               kn_context_get_device(job.context)->spec);
    }
    fill(&job);
    printf("%11s %-20s %-7s %-7s %-32s  %-8s  %s\n", "n", "variant", "method",
           job.options.single ? "float" : "double", "seconds (least to most)", "own", "error of CV");
    for (size_t n = job.least; n < job.largest; n *= 4)
        bench_size(&job, n);
    bench_size(&job, job.largest);
    free(job.x);
    kn_queue_close(job.queue);
    kn_context_close(job.context);
    return 0;
}
