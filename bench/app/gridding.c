// SPDX-License-Identifier: Apache-2.0
// Times gridding on a device: a spiral of 70,920 samples for 256 x 256 voxels, and a kooshball for 128^3 (or
// what is asked for), each answer checked at some voxels and samples against the direct sums in double
// precision.
//
//     bench/gridding [--device SPEC] [--small] [--tune] [--width W] [--group G] [--split S] [--tile X,Y,Z]
//
// With --width, which a NUFFT's tolerance becomes (7 for 1e-5), 400,000 samples at random for 128^3 instead.
//
// Columns: what the caller waits for (median; the adjoint's has the data's way from double precision on the
// host), the device's time from the first kernel's start to the last one's end, samples a second of that, the
// kernels' own times, and the greatest error over the root of the mean square. `set` is the sort of samples,
// `set, sum` that and the adjoint of data that are on the device. --small: 64^3. --tune: other groups, tiles,
// splits.
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/gridding/gridding.h"
#include "app/mri/reference.h"
#include "app/mri/trajectory.h"
#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 9, CHECKED = 4 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k;
    double complex *data, *voxel_data;
    kn_buffer *image, *image_out, *data_out, *weights;
};

typedef void work_function(struct bench *bench, struct mri_gridding *gridding);

static void adjoint(struct bench *bench, struct mri_gridding *gridding)
{
    bench_try(
        ki_mri_gridding_adjoint(bench->queue, gridding, bench->data, NULL, bench->image_out, &bench->err),
        &bench->err);
}

static void forward(struct bench *bench, struct mri_gridding *gridding)
{
    bench_try(ki_mri_gridding_forward(bench->queue, gridding, bench->image, bench->data_out, &bench->err),
              &bench->err);
}

static void set(struct bench *bench, struct mri_gridding *gridding)
{
    bench_try(ki_mri_gridding_set(bench->queue, gridding, &bench->err), &bench->err);
}

static void set_and_sum(struct bench *bench, struct mri_gridding *gridding)
{
    set(bench, gridding);
    bench_try(
        ki_mri_gridding_adjoint_there(bench->queue, gridding, bench->weights, bench->image_out, &bench->err),
        &bench->err);
}

static void convolve(struct bench *bench, struct mri_gridding *gridding)
{
    bench_try(ki_mri_gridding_convolve(bench->queue, gridding, bench->weights, bench->data_out, &bench->err),
              &bench->err);
}

// ---- checks ----

static double complex number_at(struct bench *bench, kn_buffer *buffer, size_t i)
{
    float number[2];

    bench_try(kn_buffer_read(bench->queue, buffer, i * sizeof number, number, sizeof number, &bench->err),
              &bench->err);
    return mri_complex((double)number[0], (double)number[1]);
}

// Voxels against sums over all samples, whose mean square is the samples'.
static double adjoint_error(struct bench *bench)
{
    uint64_t seed = 3;
    double worst = 0;

    for (int i = 0; i < CHECKED; i++) {
        size_t n = bench_random(&seed) % bench->voxels, rest = n;
        double r[MRI_AXES];
        double complex value;

        for (size_t axis = 0; axis < MRI_AXES; rest /= bench->matrix.size[axis], axis++)
            r[axis] = ki_mri_position(rest % bench->matrix.size[axis], bench->matrix.size[axis]);
        ki_mri_reference_adjoint_at(bench->k, bench->samples, bench->data, NULL, r, 1, &value);
        double error =
            cabs(number_at(bench, bench->image_out, n) - value) / sqrt(2.0 / 3 * (double)bench->samples);
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

static double forward_error(struct bench *bench)
{
    uint64_t seed = 4;
    double worst = 0;

    for (int i = 0; i < CHECKED; i++) {
        size_t m = bench_random(&seed) % bench->samples;
        double complex value;

        bench_try(ki_mri_reference_forward(&bench->matrix, bench->k + MRI_AXES * m, 1, bench->voxel_data,
                                           KN_RECON_SCALE_NONE, &value, &bench->err),
                  &bench->err);
        double error =
            cabs(number_at(bench, bench->data_out, m) - value) / sqrt(2.0 / 3 * (double)bench->voxels);
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

// ---- time ----

// The kernels' own times of the last repetition, by name.
static void print_kernels(const kn_profile_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        bool first = true;

        for (size_t j = 0; j < count; j++)
            if (strcmp(entries[j].kernel, entries[i].kernel) == 0) {
                first = first && j >= i;
                sum += (double)(entries[j].end - entries[j].start) * 1e-6;
            }
        if (first)
            printf("  %s %.3f", entries[i].kernel, sum);
    }
}

static void report(struct bench *bench, struct mri_gridding *gridding, const char *what, work_function *work,
                   double (*error_of)(struct bench *))
{
    double wall[REPETITIONS], device[REPETITIONS];
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    for (int i = -1; i < REPETITIONS; i++) {
        kn_free(entries);
        bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
        double start = bench_seconds();
        work(bench, gridding);
        bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
        if (i >= 0)
            wall[i] = bench_seconds() - start;
        bench_try(kn_profile_start(bench->queue, &bench->err), &bench->err);
        work(bench, gridding);
        bench_try(kn_profile_stop(bench->queue, &entries, &count, &bench->err), &bench->err);
        if (i >= 0)
            device[i] = kn_profile_span(entries, count);
    }
    struct bench_times waited = bench_times_of(wall, REPETITIONS), ran = bench_times_of(device, REPETITIONS);
    double error = error_of ? error_of(bench) : 0;
    // This window gives six digits at the worst voxel; a lost sample shows at once.
    printf("    %-9s wall %9.3f ms  device %9.3f (%.3f to %.3f) ms %8.1f M samples/s", what,
           waited.median * 1e3, ran.median * 1e3, ran.least * 1e3, ran.most * 1e3,
           (double)bench->samples / ran.median * 1e-6);
    if (error_of)
        printf("  %s %.1e", error < 1e-4 ? "right" : "WRONG", error);
    print_kernels(entries, count);
    printf("\n");
    fflush(stdout);
    kn_free(entries);
}

static void run_options(struct bench *bench, const struct mri_gridding_options *options, bool everything)
{
    struct mri_gridding *gridding = NULL;
    kn_error reason = KN_ERROR_INIT;
    double start = bench_seconds();

    printf("  group %u, split %u, tile %u x %u x %u", options->group, options->split, options->tile[0],
           options->tile[1], options->tile[2]);
    if (ki_mri_gridding_create(bench->queue, &bench->matrix, bench->k, bench->samples, options, &gridding,
                               &reason)) {
        printf(": %s\n", reason.text);
        return;
    }
    printf(": made in %.3f s\n", bench_seconds() - start);
    report(bench, gridding, "adjoint", adjoint, adjoint_error);
    report(bench, gridding, "set, sum", set_and_sum, adjoint_error);
    if (everything) {
        report(bench, gridding, "set", set, NULL);
        report(bench, gridding, "forward", forward, forward_error);
        report(bench, gridding, "C C^H", convolve, NULL);
    }
    ki_mri_gridding_free(gridding);
}

// Each varied from the default; 0 is the device's own.
static void sweep(struct bench *bench, unsigned width)
{
    static const unsigned groups[] = {32, 64, 128, 256, 512}, splits[] = {64, 128, 256, 1024, 4096};
    static const unsigned planes[][MRI_AXES] = {{8, 8}, {16, 8}, {16, 16}, {32, 16}, {32, 32}, {64, 32}};
    static const unsigned volumes[][MRI_AXES] = {
        {8, 8, 8}, {16, 8, 8}, {16, 16, 8}, {32, 8, 8}, {16, 16, 16}};
    bool volume = bench->matrix.size[2] > 1;
    const unsigned(*tiles)[MRI_AXES] = volume ? volumes : planes;

    for (size_t i = 0; i < KI_COUNT(splits); i++)
        run_options(bench, &(struct mri_gridding_options){.width = width, .split = splits[i]}, false);
    for (size_t t = 0; t < (volume ? KI_COUNT(volumes) : KI_COUNT(planes)); t++)
        for (size_t i = 0; i < KI_COUNT(groups); i++)
            run_options(bench,
                        &(struct mri_gridding_options){.width = width,
                                                       .group = groups[i],
                                                       .tile = {tiles[t][0], tiles[t][1], tiles[t][2]}},
                        false);
}

// ---- problems ----

static double uniform(uint64_t *seed)
{
    return (double)(bench_random(seed) >> 40) * 0x1p-23 - 1;
}

static kn_buffer *upload(struct bench *bench, const double complex *numbers, size_t count)
{
    kn_buffer *buffer = NULL;
    float *floats = bench_allocate(count * 2 * sizeof *floats);

    for (size_t i = 0; i < count; i++) {
        floats[2 * i] = (float)creal(numbers[i]);
        floats[2 * i + 1] = (float)cimag(numbers[i]);
    }
    bench_try(kn_buffer_create(bench->context, count * 2 * sizeof *floats, &buffer, &bench->err),
              &bench->err);
    bench_try(kn_buffer_write(bench->queue, buffer, 0, floats, count * 2 * sizeof *floats, &bench->err),
              &bench->err);
    free(floats);
    return buffer;
}

static double complex *random_numbers(size_t count, uint64_t seed)
{
    double complex *numbers = bench_allocate(count * sizeof *numbers);

    for (size_t i = 0; i < count; i++) {
        double re = uniform(&seed);
        numbers[i] = mri_complex(re, uniform(&seed));
    }
    return numbers;
}

static void run_samples(struct bench *bench, const struct mri_gridding_options *usual, bool tune)
{
    bench->data = random_numbers(bench->samples, 1);
    bench->voxel_data = random_numbers(bench->voxels, 2);
    bench->image = upload(bench, bench->voxel_data, bench->voxels);
    bench->image_out = upload(bench, bench->voxel_data, bench->voxels);
    bench->data_out = upload(bench, bench->data, bench->samples);
    bench->weights = upload(bench, bench->data, bench->samples);
    run_options(bench, usual, true);
    if (tune)
        sweep(bench, usual->width);
    kn_buffer_free(bench->image);
    kn_buffer_free(bench->image_out);
    kn_buffer_free(bench->data_out);
    kn_buffer_free(bench->weights);
    free(bench->k);
    free(bench->data);
    free(bench->voxel_data);
}

static void run_trajectory(struct bench *bench, kn_recon_trajectory plan,
                           const struct mri_gridding_options *usual, bool tune)
{
    bench_try(ki_trajectory_plan(&plan, &bench->err), &bench->err);
    bench->matrix = ki_trajectory_matrix(&plan);
    bench->samples = ki_trajectory_points(&plan);
    bench_try(ki_mri_matrix_count(&bench->matrix, &bench->voxels, &bench->err), &bench->err);
    printf("%s, %zu samples, %zu x %zu x %zu voxels\n", ki_trajectory_names[plan.kind], bench->samples,
           bench->matrix.size[0], bench->matrix.size[1], bench->matrix.size[2]);
    bench->k = bench_allocate(bench->samples * MRI_AXES * sizeof *bench->k);
    ki_trajectory_fill(&plan, bench->k);
    run_samples(bench, usual, tune);
}

static void run_random(struct bench *bench, size_t size, size_t samples,
                       const struct mri_gridding_options *usual, bool tune)
{
    uint64_t seed = 5;

    bench->matrix = (kn_recon_matrix){MRI_AXES, {size, size, size}};
    bench->samples = samples;
    bench->voxels = size * size * size;
    printf("at random, %zu samples, %zu^3 voxels, width %u\n", samples, size, usual->width);
    bench->k = bench_allocate(samples * MRI_AXES * sizeof *bench->k);
    for (size_t i = 0; i < samples * MRI_AXES; i++)
        bench->k[i] = uniform(&seed) * (double)size / 2;
    run_samples(bench, usual, tune);
}

int main(int argc, char **argv)
{
    const char *spec = NULL;
    struct mri_gridding_options usual = {.width = 0};
    bool tune = false, small = false;
    struct bench bench = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tune = true;
        else if (strcmp(argv[i], "--small") == 0)
            small = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--width") == 0)
            usual.width = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--group") == 0)
            usual.group = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--split") == 0)
            usual.split = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--tile") == 0)
            sscanf(argv[++i], "%u,%u,%u", &usual.tile[0], &usual.tile[1], &usual.tile[2]);
        else
            return fprintf(stderr, "gridding: what is %s? See bench/app/gridding.c\n", argv[i]), 2;
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    const kn_device_info *info = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    if (usual.width) {
        run_random(&bench, small ? 32 : 128, small ? 10000 : 400000, &usual, tune);
    } else {
        run_trajectory(&bench,
                       (kn_recon_trajectory){
                           .kind = KN_RECON_TRAJECTORY_SPIRAL, .extent = 256, .spokes = 24, .samples = 2955},
                       &usual, tune);
        run_trajectory(
            &bench, (kn_recon_trajectory){.kind = KN_RECON_TRAJECTORY_KOOSHBALL, .extent = small ? 64 : 128},
            &usual, tune);
    }
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
