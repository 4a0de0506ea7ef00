// SPDX-License-Identifier: Apache-2.0
// Times many right-hand sides of one sparse matrix: conjugate gradients on a device, images side by side, and
// with --gram Cholesky factors on the host. Some images are checked against double precision.
//
//     bench/sparse_batch [--device SPEC] [--matrix FILE.npz|FILE.mtx | --large] [--iterations N] [--images N]
//     [--tune] [--kernels] [--gram]
//
// The matrix: bench/app/segments.h; 128 images, 400 iterations, and 20 in whole solutions. Columns: median,
// least and most of the time of all iterations of all images, from the first launch until the device is done;
// the median divided by the images; the greatest difference of a residual from that of the same loop in
// double precision. --kernels: the median of what a launch of each kernel takes, by the device's clock.
// --tune: shapes of launches, 40 iterations once, and those medians. --gram: the processor's time, which
// other processes do not lengthen, and that of the wall.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/sparse/solver/device/batch.h"
#include "support/sparse_inputs.h"
#include "app/sparse/solver/host/gram.h"
#include "support/sparse_reference.h"
#include "base/array.h"
#include "bench/bench.h"
#include "segments.h"

enum { REPETITIONS = 5, CHECKED = 3, TUNED = 40, WHOLE = 20 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    struct sparse_matrix matrix;
    size_t iterations, images;
    float *right, *zero;
    kn_buffer *b, *x;
    double *history[CHECKED]; // residuals of the first images after each iteration
    struct cgnr_result *results;
};

#define TRY(call) bench_try(call, &bench->err)

static void prepare(struct bench *bench)
{
    struct sparse_matrix *a = &bench->matrix;
    const struct sparse_reference_options options = {.iterations = bench->iterations};
    double *right = bench_allocate(a->rows * sizeof *right), *x = bench_allocate(a->columns * sizeof *x);
    size_t rows = bench->images * a->rows, columns = bench->images * a->columns;
    uint64_t seed = 5;

    for (size_t i = 0; i < a->nonzeros; i++)
        a->values[i] = (double)(float)a->values[i];
    bench->right = bench_allocate(rows * sizeof(float));
    bench->zero = calloc(columns, sizeof(float));
    bench->results = bench_allocate(bench->images * sizeof *bench->results);
    for (size_t i = 0; i < rows; i++)
        bench->right[i] = (float)(2 * bench_uniform(&seed) - 1);
    for (size_t image = 0; image < CHECKED && image < bench->images; image++) {
        double norm = 0, *history = bench_allocate((bench->iterations + 1) * sizeof *history);
        for (size_t i = 0; i < a->rows; i++) {
            right[i] = (double)bench->right[image * a->rows + i];
            norm += right[i] * right[i];
        }
        memset(x, 0, a->columns * sizeof *x);
        TRY(sparse_reference_solve(a, right, &options, x, history, &bench->err));
        for (size_t k = 0; k <= bench->iterations; k++)
            history[k] /= sqrt(norm);
        bench->history[image] = history;
    }
    printf("%zu x %zu, %zu nonzeros; %zu images, %zu iterations; residual %.7f in double precision\n",
           a->rows, a->columns, a->nonzeros, bench->images, bench->iterations,
           bench->history[0][bench->iterations]);
    free(right);
    free(x);
}

static void upload(struct bench *bench)
{
    size_t rows = bench->images * bench->matrix.rows, columns = bench->images * bench->matrix.columns;

    TRY(kn_buffer_create(bench->context, rows * sizeof(float), &bench->b, &bench->err));
    TRY(kn_buffer_create(bench->context, columns * sizeof(float), &bench->x, &bench->err));
    TRY(kn_buffer_write(bench->queue, bench->b, 0, bench->right, rows * sizeof(float), &bench->err));
}

// Seconds of the iterations of all images.
static double solve(struct bench *bench, struct sparse_batch *batch)
{
    size_t bytes = bench->images * bench->matrix.columns * sizeof(float);
    double seconds = 0;

    TRY(kn_buffer_write(bench->queue, bench->x, 0, bench->zero, bytes, &bench->err));
    TRY(ki_sparse_batch_solve(bench->queue, batch, bench->b, bench->images, bench->x, bench->results,
                              &bench->err));
    for (size_t i = 0; i < bench->images; i++) {
        free(bench->results[i].history);
        // One time for all that are in memory together.
        if (i == 0 || bench->results[i].seconds != bench->results[i - 1].seconds)
            seconds += bench->results[i].seconds;
    }
    return seconds;
}

static size_t at_most(const struct bench *bench, size_t iterations)
{
    return iterations < bench->iterations ? iterations : bench->iterations;
}

static int by_kernel(const void *a, const void *b)
{
    return strcmp(((const kn_profile_entry *)a)->kernel, ((const kn_profile_entry *)b)->kernel);
}

// The median of each kernel's launches, in us.
static void print_kernels(struct bench *bench, struct sparse_batch *batch)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0;
    double *times;

    TRY(kn_profile_start(bench->queue, &bench->err));
    solve(bench, batch);
    TRY(kn_profile_stop(bench->queue, &entries, &count, &bench->err));
    times = bench_allocate(count * sizeof *times + 1);
    qsort(entries, count, sizeof *entries, by_kernel);
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 0; i + same < count && by_kernel(&entries[i], &entries[i + same]) == 0; same++)
            times[same] = (double)(entries[i + same].end - entries[i + same].start) * 1e-3;
        printf("    %s %.2f", entries[i].kernel, bench_times_of(times, same).median);
    }
    printf("\n");
    free(times);
    kn_free(entries);
}

static void run(struct bench *bench, const struct sparse_batch_options *options, int repetitions,
                const char *name, bool kernels)
{
    size_t iterations = options->solver.iterations;
    struct sparse_batch *batch = NULL;
    double seconds[REPETITIONS], worst = 0;
    struct bench_times times;

    if (ki_sparse_batch_create(bench->queue, &bench->matrix, options, &batch, &bench->err)) {
        printf("%-64s %s\n", name, bench->err.text);
        return;
    }
    for (int i = -1; i < repetitions; i++) {
        double last = solve(bench, batch);
        if (i >= 0)
            seconds[i] = last;
    }
    for (size_t i = 0; i < CHECKED && i < bench->images; i++) {
        double off = fabs(bench->results[i].residual - bench->history[i][iterations]);
        worst = off > worst || isnan(off) ? off : worst;
    }
    times = bench_times_of(seconds, (size_t)repetitions);
    printf("%-64s %9.2f ms (%.2f to %.2f) %8.4f ms an image  off %.1e %s\n", name, times.median * 1e3,
           times.least * 1e3, times.most * 1e3, times.median * 1e3 / (double)bench->images, worst,
           worst < 1e-4 ? "right" : "WRONG");
    if (kernels)
        print_kernels(bench, batch);
    fflush(stdout);
    ki_sparse_batch_free(batch);
}

// Shapes of A, of A^T and of the vectors' kernels are independent, so that each line tries one of each; tiles
// are of A's shape, and what gathers them is of A^T's.
static const struct shape {
    unsigned tile; // 0: spread
    unsigned images, group, wide, shares, ahead, back_group, back_wide, back_shares, back_ahead, step,
        step_group;
} shapes[] = {{256, 32, 256, 4, 1, 2, 256, 1, 1, 8, 8, 512},  {128, 32, 256, 4, 1, 2, 256, 4, 1, 8, 8, 256},
              {256, 32, 128, 4, 1, 2, 128, 1, 1, 8, 8, 1024}, {0, 32, 256, 4, 1, 2, 256, 4, 2, 8, 8, 512},
              {256, 32, 512, 4, 1, 2, 512, 1, 1, 8, 16, 512}, {256, 16, 256, 4, 1, 2, 256, 1, 1, 8, 16, 256},
              {64, 32, 128, 4, 1, 2, 512, 4, 1, 8, 16, 1024}, {0, 32, 128, 4, 1, 4, 128, 4, 2, 8, 8, 128},
              {256, 32, 256, 8, 1, 2, 64, 1, 1, 8, 4, 256},   {512, 16, 512, 4, 1, 2, 256, 4, 1, 8, 8, 256},
              {0, 32, 512, 4, 1, 1, 512, 4, 4, 8, 8, 512},    {0, 32, 256, 4, 1, 2, 256, 4, 1, 16, 8, 512}};

static void tune(struct bench *bench)
{
    for (size_t i = 0; i < KI_COUNT(shapes); i++) {
        const struct shape *s = &shapes[i];
        const struct sparse_batch_options o = {
            .solver = {.iterations = at_most(bench, TUNED), .gradient = -1},
            .launches = s->tile ? SPARSE_BATCH_TILED : SPARSE_BATCH_SPREAD,
            .tile = s->tile,
            .images = s->images,
            .group = s->group,
            .wide = s->wide,
            .shares = s->shares,
            .back_group = s->back_group,
            .back_wide = s->back_wide,
            .back_shares = s->back_shares,
            .ahead = s->ahead,
            .back_ahead = s->back_ahead,
            .step = s->step,
            .step_group = s->step_group};
        char name[128];

        snprintf(name, sizeof name, "%u images, tile %u, A %u %u %u %u, A^T %u %u %u %u, step %u %u",
                 o.images, o.tile, o.group, o.wide, o.shares, o.ahead, o.back_group, o.back_wide,
                 o.back_shares, o.back_ahead, o.step, o.step_group);
        run(bench, &o, 1, name, true);
    }
}

static void run_gram(struct bench *bench)
{
    size_t rows = bench->images * bench->matrix.rows, columns = bench->images * bench->matrix.columns;
    double *b = bench_allocate(rows * sizeof *b), *x = bench_allocate(columns * sizeof *x);
    double process = bench_process_seconds(), wall = bench_seconds();
    struct sparse_gram *gram = NULL;

    for (size_t i = 0; i < rows; i++)
        b[i] = (double)bench->right[i];
    TRY(ki_sparse_gram_create(&bench->matrix, NULL, &gram, &bench->err));
    printf("Gram matrix and factors: %.3f s of processors, %.3f s\n", bench_process_seconds() - process,
           bench_seconds() - wall);
    for (size_t count = 1; count <= bench->images; count = count == 1 ? bench->images : count + 1) {
        process = bench_process_seconds();
        wall = bench_seconds();
        TRY(ki_sparse_gram_solve(gram, b, count, x, &bench->err));
        printf("%zu images by them: %.3f ms of processors an image, %.3f ms\n", count,
               (bench_process_seconds() - process) * 1e3 / (double)count,
               (bench_seconds() - wall) * 1e3 / (double)count);
    }
    ki_sparse_gram_free(gram);
    free(b);
    free(x);
}

int main(int argc, char **argv)
{
    const char *spec = NULL, *path = NULL;
    bool large = false, tuning = false, kernels = false, gram = false;
    struct bench made = {.err = KN_ERROR_INIT, .iterations = 400, .images = 128}, *bench = &made;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tuning = true;
        else if (strcmp(argv[i], "--kernels") == 0)
            kernels = true;
        else if (strcmp(argv[i], "--large") == 0)
            large = true;
        else if (strcmp(argv[i], "--gram") == 0)
            gram = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--matrix") == 0)
            path = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--iterations") == 0 && atoi(argv[i + 1]) > 0)
            bench->iterations = (size_t)atoi(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--images") == 0 && atoi(argv[i + 1]) > 0)
            bench->images = (size_t)atoi(argv[++i]);
        else
            return fprintf(
                       stderr,
                       "usage: %s [--device SPEC] [--matrix FILE.npz|FILE.mtx | --large] [--iterations N] "
                       "[--images N] [--tune] [--kernels] [--gram]\n",
                       argv[0]),
                   2;
    }
    if (path)
        TRY(sparse_read(path, &bench->matrix, &bench->err));
    else
        bench_segments(large, &bench->matrix);
    prepare(bench);
    if (gram) {
        run_gram(bench);
    } else {
        static const struct {
            enum sparse_batch_launches launches;
            const char *name;
            unsigned images, group;
        } variants[] = {{SPARSE_BATCH_TILED, "tiled", 0, 0},
                        {SPARSE_BATCH_SPREAD, "spread", 0, 0},
                        {SPARSE_BATCH_WHOLE, "whole, 4 images a group, 20 iterations", 4, 512}};
        TRY(kn_context_open(spec, NULL, &bench->context, &bench->err));
        TRY(kn_queue_open(bench->context, &bench->queue, &bench->err));
        const kn_device_info *info = kn_context_get_device(bench->context);
        printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
        upload(bench);
        if (tuning) {
            tune(bench);
        } else {
            for (size_t i = 0; i < KI_COUNT(variants); i++) {
                bool whole = variants[i].launches == SPARSE_BATCH_WHOLE;
                const struct sparse_batch_options o = {
                    .solver = {.iterations = at_most(bench, whole ? WHOLE : SIZE_MAX), .gradient = -1},
                    .launches = variants[i].launches,
                    .images = variants[i].images,
                    .group = variants[i].group};
                run(bench, &o, whole ? 1 : REPETITIONS, variants[i].name, kernels);
            }
        }
        kn_buffer_free(bench->b);
        kn_buffer_free(bench->x);
        kn_queue_close(bench->queue);
        kn_context_close(bench->context);
    }
    ki_sparse_free(&bench->matrix);
    free(bench->right);
    free(bench->zero);
    free(bench->results);
    for (size_t i = 0; i < CHECKED; i++)
        free(bench->history[i]);
    return 0;
}
