// SPDX-License-Identifier: Apache-2.0
// Times transforms by the project's own kernels and by every library available on a device, each checked
// against sums in double precision at a few frequencies.
//
//     bench/fft [--device SPEC] [--tune] [--shape X[xY[xZ]][*BATCH]]...
//
// Columns: median, least and most of the time of one transform, out of place, of several enqueued back to
// back; bytes that a pass over memory an axis would move, by that time; the largest error, as a part of the
// root mean square.
#include <koine/experimental.h>

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 7, FREQUENCIES = 6 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    kn_buffer *in, *out;
    float *x;
    kn_fft_shape shape;
    size_t points, in_numbers, out_numbers; // floats
};

static const kn_fft_shape shapes[] = {
    {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {256, 256, 256}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {128, 128, 128}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 3, .dims = {100, 100, 100}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {512, 512}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {1750, 1000}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {1750, 1000}, .kind = KN_FFT_REAL_TO_COMPLEX},
    {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {1750, 1000}, .kind = KN_FFT_COMPLEX_TO_REAL},
    {.struct_size = sizeof(kn_fft_shape), .rank = 2, .dims = {2048, 1024}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {256}, .batch = 1 << 17},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1000}, .batch = 1 << 14},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1024}, .batch = 1 << 16},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {2048}, .batch = 1 << 16},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {4096}, .batch = 1 << 14},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1 << 16}, .batch = 1 << 8},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1 << 20}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1 << 20}, .batch = 16},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1 << 24}},
    {.struct_size = sizeof(kn_fft_shape), .rank = 1, .dims = {1009}, .batch = 1 << 14},
};

static kn_fft_direction direction_of(const struct bench *bench)
{
    return bench->shape.kind == KN_FFT_COMPLEX_TO_REAL ? KN_FFT_INVERSE : KN_FFT_FORWARD;
}

// ---- right or wrong ----

static double complex number_at(const struct bench *bench, const float *x, size_t line, size_t position,
                                bool real, size_t pitch)
{
    size_t n = bench->shape.dims[0];

    if (real)
        return (double)x[line * pitch + position];
    if (pitch < n &&
        position >= pitch) // beyond the half spectrum; only lines that are alone in their batch have it
        return conj((double)x[2 * (line * pitch + n - position)] +
                    (double)x[2 * (line * pitch + n - position) + 1] * I);
    return (double)x[2 * (line * pitch + position)] + (double)x[2 * (line * pitch + position) + 1] * I;
}

// The sum of one frequency of one transform of the batch.
static double complex sum_at(const struct bench *bench, size_t which, const size_t k[3])
{
    const size_t *n = bench->shape.dims;
    bool real = bench->shape.kind == KN_FFT_REAL_TO_COMPLEX;
    double sign = direction_of(bench) == KN_FFT_FORWARD ? -1 : 1, pi = acos(-1.0);
    double complex *roots = bench_allocate(n[0] * sizeof *roots), total = 0;

    for (size_t x = 0; x < n[0]; x++)
        roots[x] = cexp(sign * 2 * pi * I * (double)(x * k[0] % n[0]) / (double)n[0]);
    for (size_t line = 0; line < n[1] * n[2]; line++) {
        size_t y = line % n[1], z = line / n[1];
        double complex sum = 0;
        for (size_t x = 0; x < n[0]; x++)
            sum += number_at(bench, bench->x, which * n[1] * n[2] + line, x, real, n[0]) * roots[x];
        double turns = (double)(y * k[1] % n[1]) / (double)n[1] + (double)(z * k[2] % n[2]) / (double)n[2];
        total += sum * cexp(sign * 2 * pi * I * turns);
    }
    free(roots);
    return total;
}

// A real result has no frequencies to check one by one; another test checks it by transforming it again
// (test_fft).
static double error_of(struct bench *bench)
{
    const size_t *n = bench->shape.dims;
    size_t pitch = bench->shape.kind == KN_FFT_REAL_TO_COMPLEX ? n[0] / 2 + 1 : n[0];
    double worst = 0, square = 0, scale;
    uint64_t seed = bench->points;

    if (bench->shape.kind == KN_FFT_COMPLEX_TO_REAL)
        return NAN;
    for (size_t i = 0; i < bench->in_numbers; i++)
        square += (double)bench->x[i] * (double)bench->x[i];
    scale = sqrt(square / (double)bench->shape.batch);
    for (int i = 0; i < FREQUENCIES; i++) {
        size_t which = bench_random(&seed) % bench->shape.batch;
        const size_t k[3] = {bench_random(&seed) % pitch, bench_random(&seed) % n[1],
                             bench_random(&seed) % n[2]};
        size_t at = ((which * n[2] + k[2]) * n[1] + k[1]) * pitch + k[0];
        float found[2];
        bench_try(
            kn_buffer_read(bench->queue, bench->out, at * sizeof found, found, sizeof found, &bench->err),
            &bench->err);
        double error = cabs((double)found[0] + (double)found[1] * I - sum_at(bench, which, k)) / scale;
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

// ---- time ----

static struct bench_times measure(struct bench *bench, kn_fft_plan *plan)
{
    double seconds[REPETITIONS], last = 0;
    int each = 1;

    for (int i = -2; i < REPETITIONS; i++) {
        bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
        double start = bench_seconds();
        for (int k = 0; k < each; k++)
            bench_try(
                kn_fft_execute(bench->queue, plan, direction_of(bench), bench->in, bench->out, &bench->err),
                &bench->err);
        bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
        last = (bench_seconds() - start) / each;
        if (i >= 0)
            seconds[i] = last;
        else if (i == -1) // warm now: about 20 ms a measurement
            each = last > 0.01 ? 1 : last > 2e-4 ? (int)(0.02 / last) : 100;
    }
    return bench_times_of(seconds, REPETITIONS);
}

static void print_shape(const kn_fft_shape *shape)
{
    static const char *const kinds[] = {"c2c", "r2c", "c2r"};
    char text[64];
    int used = snprintf(text, sizeof text, "%zu", shape->dims[0]);

    for (unsigned i = 1; i < shape->rank; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "x%zu", shape->dims[i]);
    if (shape->batch > 1)
        snprintf(text + used, sizeof text - (size_t)used, "*%zu", shape->batch);
    printf("%-16s %s", text, kinds[shape->kind]);
}

static void report(struct bench *bench, const kn_fft_options *options, const char *what)
{
    kn_fft_plan *plan = NULL;
    kn_error reason = KN_ERROR_INIT;
    double start = bench_seconds(), prepared, bytes;
    const unsigned char poison = 0xff;

    print_shape(&bench->shape);
    printf(" %-22s ", what);
    if (kn_fft_plan_create(bench->queue, &bench->shape, options, &plan, &reason)) {
        printf("%.100s\n", reason.text);
        return;
    }
    prepared = bench_seconds() - start;
    bench_try(kn_buffer_fill(bench->queue, bench->out, &poison, 1, 0, kn_buffer_get_size(bench->out), NULL,
                             &bench->err),
              &bench->err);
    struct bench_times times = measure(bench, plan);
    bytes = (double)bench->shape.rank * (double)(bench->in_numbers + bench->out_numbers) * sizeof(float);
    double error = error_of(bench);
    // 24 bits and 24 doublings: far more than rounding leaves, far less than a wrong number.
    printf("%9.4f (%.4f to %.4f) %7.1f GB/s  plan %6.0f ms  %s %.1e  %s\n", times.median * 1e3,
           times.least * 1e3, times.most * 1e3, bytes / times.median * 1e-9, prepared * 1e3,
           isnan(error) && bench->shape.kind == KN_FFT_COMPLEX_TO_REAL ? "unchecked"
           : error < 3e-6                                              ? "right"
                                                                       : "WRONG",
           error, kn_fft_plan_get_text(plan));
    fflush(stdout);
    kn_fft_plan_free(plan);
}

// Rows and columns, each varied with the other's default.
static void sweep(struct bench *bench)
{
    static const unsigned held[] = {8, 10, 16}, lines[] = {1, 2, 4, 8, 16, 32};
    bool has_rows = bench->shape.rank > 1 || bench->shape.dims[0] <= 4096;
    bool has_columns = bench->shape.rank > 1 || bench->shape.dims[0] > 4096;
    char what[48];

    for (size_t h = 0; h < KI_COUNT(held); h++)
        for (size_t i = 0; i < KI_COUNT(lines); i++) {
            const kn_fft_options rows =
                                     KN_INIT(kn_fft_options, .library = KN_FFT_OWN,
                                             .tuning = &(kn_fft_tuning){.held = held[h], .rows = lines[i]}),
                                 columns = KN_INIT(
                                     kn_fft_options, .library = KN_FFT_OWN,
                                     .tuning = &(kn_fft_tuning){.held = held[h], .columns = lines[i]});
            snprintf(what, sizeof what, "held %u rows %u", held[h], lines[i]);
            if (has_rows)
                report(bench, &rows, what);
            snprintf(what, sizeof what, "held %u columns %u", held[h], lines[i]);
            if (has_columns && lines[i] > 2)
                report(bench, &columns, what);
        }
}

static void run_shape(struct bench *bench, const kn_fft_shape *shape, bool tune)
{
    static const struct {
        kn_fft_library library;
        const char *name, *backend;
    } libraries[] = {{KN_FFT_OWN, "own", NULL},
                     {KN_FFT_CUFFT, "cufft", "cuda"},
                     {KN_FFT_CLFFT, "clfft", "opencl"},
                     {KN_FFT_AUTO, "auto", NULL}};
    uint64_t seed = 1;

    bench->shape = *shape;
    bench->shape.type = KN_F32;
    bench->shape.batch = shape->batch ? shape->batch : 1;
    bench->points = bench->shape.batch;
    for (unsigned i = 0; i < 3; i++) {
        bench->shape.dims[i] = i < shape->rank ? shape->dims[i] : 1;
        bench->points *= bench->shape.dims[i];
    }
    size_t half = bench->points / shape->dims[0] * (shape->dims[0] / 2 + 1);
    bench->in_numbers =
        shape->kind == KN_FFT_REAL_TO_COMPLEX ? bench->points : 2 * (shape->kind ? half : bench->points);
    bench->out_numbers =
        shape->kind == KN_FFT_COMPLEX_TO_REAL ? bench->points : 2 * (shape->kind ? half : bench->points);
    bench->x = bench_allocate(bench->in_numbers * sizeof(float));
    for (size_t i = 0; i < bench->in_numbers; i++)
        bench->x[i] = (float)(bench_random(&seed) >> 40) * 0x1p-23f - 1;
    bench_try(kn_buffer_create(bench->context, bench->in_numbers * sizeof(float), &bench->in, &bench->err),
              &bench->err);
    bench_try(kn_buffer_create(bench->context, bench->out_numbers * sizeof(float), &bench->out, &bench->err),
              &bench->err);
    bench_try(
        kn_buffer_write(bench->queue, bench->in, 0, bench->x, bench->in_numbers * sizeof(float), &bench->err),
        &bench->err);
    for (size_t i = 0; i < KI_COUNT(libraries); i++) {
        const kn_fft_options options = KN_INIT(kn_fft_options, .library = libraries[i].library);
        if (libraries[i].backend &&
            strcmp(libraries[i].backend, kn_context_get_device(bench->context)->backend) != 0)
            continue;
        report(bench, &options, libraries[i].name);
    }
    if (tune)
        sweep(bench);
    kn_buffer_free(bench->in);
    kn_buffer_free(bench->out);
    free(bench->x);
}

static bool parse_shape(const char *text, kn_fft_shape *shape)
{
    char *end;

    *shape = KN_INIT(kn_fft_shape, .rank = 0);
    do {
        if (shape->rank == 3)
            return false;
        shape->dims[shape->rank++] = strtoul(text, &end, 10);
        text = end + 1;
    } while (*end == 'x');
    if (*end == '*')
        shape->batch = strtoul(text, &end, 10);
    return *end == '\0' && shape->dims[0] > 0;
}

int main(int argc, char **argv)
{
    const char *spec = NULL;
    bool tune = false;
    kn_fft_shape chosen[16];
    size_t count = 0;
    struct bench bench = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tune = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && count < KI_COUNT(chosen) && strcmp(argv[i], "--shape") == 0 &&
                 parse_shape(argv[++i], &chosen[count]))
            count++;
        else
            return fprintf(stderr, "usage: %s [--device SPEC] [--tune] [--shape X[xY[xZ]][*BATCH]]...\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    const kn_device_info *info = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    for (size_t i = 0; i < (count ? count : KI_COUNT(shapes)); i++)
        run_shape(&bench, count ? &chosen[i] : &shapes[i], tune);
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
