// SPDX-License-Identifier: Apache-2.0
// Times the normal operator of a reconstruction and an iteration of conjugate gradients with it, checked
// against both sums in double precision at a few voxels.
//
//     bench/toeplitz [--device SPEC] [--matrix X[xY[xZ]]]... [--iterations N] [--regularizer
//     tikhonov|difference]
//                    [--kernels] [--tune]
//
// Columns: median, least and most of the time of one application, of several enqueued back to back, or of one
// iteration of N (default 50; from the first launch until the device is done); the bytes that it has to move,
// if every kernel reads and writes its numbers once, by that time, and the share that is of a copy's rate on
// the device; the largest error at a voxel, as a part of the operator's bound times the image's root mean
// square.
// --kernels: what each launch of a solution by one iteration takes, by the device's clock. --tune: the
// kernels between two transforms alone, with other groups and shares of work.
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/reference.h"
#include "app/mri/solver/solver.h"
#include "base/array.h"
#include "bench/bench.h"

enum {
    REPETITIONS = 7,
    VOXELS_CHECKED = 8,
    SAMPLES = 64, // the operator's rank: more than iterations
    DECADES = 6   // of the weights, and so of its values
};

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    double copy; // bytes a second, read and written
    kn_recon_matrix matrix;
    struct mri_toeplitz_size size;
    struct mri_toeplitz *toeplitz;
    size_t voxels, iterations;
    kn_recon_regularizer regularizer;
    double *k, *weights;
    double complex *x;
    kn_buffer *from, *to;
};

static const kn_recon_matrix matrices[] = {
    {3, {128, 128, 128}}, {3, {64, 64, 64}},  {3, {256, 256, 128}}, {3, {100, 100, 100}},
    {3, {127, 127, 127}}, {2, {256, 256, 1}}, {2, {512, 512, 1}},   {2, {64, 64, 1}},
};

#define TRY(call) bench_try(call, &bench->err)

static double uniform(uint64_t *seed)
{
    return (double)(bench_random(seed) >> 11) * 0x1p-52 - 1;
}

// ---- time ----

// Seconds of one run of several in a row, about 20 ms a measurement.
static struct bench_times measure(struct bench *bench, void (*run)(struct bench *, const void *),
                                  const void *what)
{
    double seconds[REPETITIONS], last = 0;
    int each = 1;

    for (int i = -2; i < REPETITIONS; i++) {
        TRY(kn_queue_finish(bench->queue, &bench->err));
        double start = bench_seconds();
        for (int j = 0; j < each; j++)
            run(bench, what);
        TRY(kn_queue_finish(bench->queue, &bench->err));
        last = (bench_seconds() - start) / each;
        if (i >= 0)
            seconds[i] = last;
        else if (i == -1)
            each = last > 0.01 ? 1 : last > 2e-4 ? (int)(0.02 / last) : 100;
    }
    return bench_times_of(seconds, REPETITIONS);
}

static void copy(struct bench *bench, const void *what)
{
    const size_t *bytes = what;

    TRY(kn_buffer_copy(bench->queue, bench->from, 0, bench->to, 0, *bytes, NULL, &bench->err));
}

// Of more than a cache holds.
static void measure_copy(struct bench *bench)
{
    const kn_device_info *info = kn_context_get_device(bench->context);
    size_t bytes = info->type == KN_DEVICE_CPU ? (size_t)64 << 20 : (size_t)512 << 20;

    TRY(kn_buffer_create(bench->context, bytes, &bench->from, &bench->err));
    TRY(kn_buffer_create(bench->context, bytes, &bench->to, &bench->err));
    bench->copy = 2 * (double)bytes / measure(bench, copy, &bytes).median;
    kn_buffer_free(bench->from);
    kn_buffer_free(bench->to);
    printf("copies: %.0f GB/s, read and written\n", bench->copy * 1e-9);
}

// Bytes of an application: each transform along an axis, there and back, and the product.
static double bytes_of(const struct bench *bench)
{
    double numbers = 0, inner = 1, points = (double)bench->size.points;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        double n = (double)bench->matrix.size[axis], length = (double)bench->size.length[axis], outer = 1;
        for (size_t other = axis + 1; other < MRI_AXES; other++)
            outer *= (double)bench->matrix.size[other];
        if (length > 1)
            numbers += inner * (n + length) * outer;
        inner *= length;
    }
    return 8 * 2 * numbers + (8 + 4 + 8) * points;
}

static void apply(struct bench *bench, const void *what)
{
    (void)what;
    TRY(ki_mri_toeplitz_apply(bench->queue, bench->toeplitz, bench->from, bench->to, &bench->err));
}

static struct mri_solver_options options_of(const struct bench *bench)
{
    return (struct mri_solver_options){.iterations = bench->iterations,
                                       .lambda = 1e-3,
                                       .relative_lambda = true,
                                       .regularizer = bench->regularizer};
}

static double solve(struct bench *bench, size_t iterations)
{
    struct mri_solver_options options = options_of(bench);
    struct mri_solver *solver = NULL;
    struct mri_solver_result result;

    options.iterations = iterations;
    TRY(ki_mri_solver_create(bench->queue, ki_mri_toeplitz_normal(bench->toeplitz), &options, &solver,
                             &bench->err));
    TRY(ki_mri_solver_solve(bench->queue, solver, bench->from, NULL, bench->to, &result, &bench->err));
    ki_mri_solver_free(solver);
    free(result.residuals);
    if (result.iterations < iterations)
        printf("  WRONG: stopped after %zu iterations of %zu\n", result.iterations, iterations);
    return result.seconds / (double)iterations;
}

// ---- checks ----

// The largest error of y at a few voxels, as a part of bound times root mean square.
static double error_of(struct bench *bench)
{
    double complex *data = bench_allocate(SAMPLES * sizeof *data), sum;
    double worst = 0, square = 0, scale;
    uint64_t seed = bench->voxels;

    TRY(ki_mri_reference_forward(&bench->matrix, bench->k, SAMPLES, bench->x, KN_RECON_SCALE_NONE, data,
                                 &bench->err));
    for (size_t n = 0; n < bench->voxels; n++)
        square += creal(bench->x[n]) * creal(bench->x[n]) + cimag(bench->x[n]) * cimag(bench->x[n]);
    scale = ki_mri_toeplitz_bound(bench->toeplitz) * sqrt(square / (double)bench->voxels);
    for (int i = 0; i < VOXELS_CHECKED; i++) {
        size_t voxel = bench_random(&seed) % bench->voxels, rest = voxel;
        double r[MRI_AXES], error;
        float found[2];
        for (size_t axis = 0; axis < MRI_AXES; rest /= bench->matrix.size[axis], axis++)
            r[axis] = ki_mri_position(rest % bench->matrix.size[axis], bench->matrix.size[axis]);
        ki_mri_reference_adjoint_at(bench->k, SAMPLES, data, bench->weights, r, 1, &sum);
        TRY(kn_buffer_read(bench->queue, bench->to, voxel * sizeof found, found, sizeof found, &bench->err));
        error = cabs((double)found[0] + (double)found[1] * I - sum) / scale;
        worst = error > worst || isnan(error) ? error : worst;
    }
    free(data);
    return worst;
}

// ---- reports ----

static void print_line(const struct bench *bench, const char *what, const struct bench_times *times,
                       double bytes)
{
    char text[64];

    snprintf(text, sizeof text, "%zux%zux%zu", bench->matrix.size[0], bench->matrix.size[1],
             bench->matrix.size[2]);
    printf("%-12s %-12s %9.4f ms (%.4f to %.4f) %8.1f MB %7.1f GB/s %5.1f %%", text, what,
           times->median * 1e3, times->least * 1e3, times->most * 1e3, bytes * 1e-6,
           bytes / times->median * 1e-9, 100 * bytes / times->median / bench->copy);
}

// A solution of one iteration, kernel by kernel: its beginning, the iteration, and the residual computed
// anew.
static void print_kernels(struct bench *bench)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    TRY(kn_profile_start(bench->queue, &bench->err));
    solve(bench, 1);
    TRY(kn_profile_stop(bench->queue, &entries, &count, &bench->err));
    for (size_t i = 0; i < count; i++)
        printf("    %-24s %9.4f ms\n", entries[i].kernel, (double)(entries[i].end - entries[i].start) * 1e-6);
    kn_free(entries);
}

static void run_matrix(struct bench *bench, const kn_recon_matrix *matrix, bool kernels)
{
    struct bench_times times;
    kn_recon_rate rate;
    double seconds[REPETITIONS], error, n;
    float *singles;
    uint64_t seed = 1;

    bench->matrix = *matrix;
    TRY(ki_mri_toeplitz_measure(matrix, &bench->size, &bench->err));
    bench->voxels = matrix->size[0] * matrix->size[1] * matrix->size[2];
    n = (double)bench->voxels;
    bench->k = bench_allocate(MRI_AXES * SAMPLES * sizeof *bench->k);
    bench->weights = bench_allocate(SAMPLES * sizeof *bench->weights);
    bench->x = bench_allocate(bench->voxels * sizeof *bench->x);
    singles = bench_allocate(bench->voxels * 2 * sizeof *singles);
    for (size_t i = 0; i < MRI_AXES * SAMPLES; i++)
        bench->k[i] = (double)matrix->size[i % MRI_AXES] / 2 * uniform(&seed);
    for (size_t i = 0; i < SAMPLES; i++)
        bench->weights[i] = pow(10, -(double)(DECADES * i) / (SAMPLES - 1));
    for (size_t i = 0; i < bench->voxels; i++) {
        singles[2 * i] = (float)uniform(&seed);
        singles[2 * i + 1] = (float)uniform(&seed);
        bench->x[i] = mri_complex((double)singles[2 * i], (double)singles[2 * i + 1]);
    }
    TRY(kn_buffer_create(bench->context, bench->voxels * 2 * sizeof *singles, &bench->from, &bench->err));
    TRY(kn_buffer_create(bench->context, bench->voxels * 2 * sizeof *singles, &bench->to, &bench->err));
    TRY(kn_buffer_write(bench->queue, bench->from, 0, singles, bench->voxels * 2 * sizeof *singles,
                        &bench->err));
    TRY(ki_mri_toeplitz_compute(bench->queue, matrix, bench->k, SAMPLES, bench->weights, MRI_TUNED,
                                &bench->toeplitz, &rate, &bench->err));

    times = measure(bench, apply, NULL);
    error = error_of(bench);
    print_line(bench, "apply", &times, bytes_of(bench));
    // Two transforms and q: 24 bits, and 24 doublings of the numbers in a sum; a wrong operator is off by
    // 1e-3 and more.
    printf("  %s %.1e\n", error < 5e-6 ? "right" : "WRONG", error);
    solve(bench, 2);
    for (int i = 0; i < REPETITIONS; i++)
        seconds[i] = solve(bench, bench->iterations);
    times = bench_times_of(seconds, REPETITIONS);
    print_line(bench, "iteration", &times, bytes_of(bench) + 11 * 8 * n);
    printf("\n");
    if (kernels)
        print_kernels(bench);
    fflush(stdout);
    ki_mri_toeplitz_free(bench->toeplitz);
    kn_buffer_free(bench->from);
    kn_buffer_free(bench->to);
    free(bench->k);
    free(bench->weights);
    free(bench->x);
    free(singles);
}

// ---- the kernels alone ----

struct trial {
    kn_kernel *kernel;
    kn_range range;
    const kn_arg *args;
    size_t count;
};

static void launch(struct bench *bench, const void *what)
{
    const struct trial *trial = what;

    TRY(kn_launch(bench->queue, trial->kernel, &trial->range, trial->args, trial->count, NULL, &bench->err));
}

// One shape of one kernel.
static void try_shape(struct bench *bench, const char *file, const char *name, unsigned group, unsigned items,
                      size_t groups, const kn_arg *args, size_t count, double bytes)
{
    char group_text[16], items_text[16];
    const kn_define defines[] = {{"GROUP", group_text}, {"ITEMS", items_text}};
    const kn_program_options options =
        KN_INIT(kn_program_options, .defines = defines, .define_count = KI_COUNT(defines));
    struct trial trial = {.range = {1, {groups * group}, {group}, {0}}, .args = args, .count = count};
    struct bench_times times;
    kn_program *program = NULL;

    snprintf(group_text, sizeof group_text, "%u", group);
    snprintf(items_text, sizeof items_text, "%u", items);
    TRY(kn_program_from_builtin(bench->context, file, &options, &program, &bench->err));
    TRY(kn_program_get_kernel(program, name, &trial.kernel, &bench->err));
    times = measure(bench, launch, &trial);
    printf("%-22s group %4u items %2u groups %6zu %9.4f ms %7.1f GB/s\n", name, group, items, groups,
           times.median * 1e3, bytes / times.median * 1e-9);
    fflush(stdout);
    kn_program_free(program);
}

static void tune_multiply(struct bench *bench, uint64_t points)
{
    static const unsigned sizes[] = {64, 128, 256, 512}, items[] = {1, 2, 4, 8, 16};
    const kn_arg args[] = {KN_BUFFER(bench->to), KN_BUFFER(bench->from), KN_VALUE(points)};

    for (size_t g = 0; g < KI_COUNT(sizes); g++)
        for (size_t i = 0; i < KI_COUNT(items); i++) {
            size_t tile = (size_t)2 * sizes[g] * items[i];
            try_shape(bench, "app/mri/mri_toeplitz.cl", "mri_toeplitz_multiply", sizes[g], items[i],
                      (points + tile - 1) / tile, args, KI_COUNT(args), 20 * (double)points);
        }
}

// Of 128 x 128 x 128 voxels.
static void tune(struct bench *bench)
{
    uint64_t points = (uint64_t)1 << 24;
    const float one = 1;

    TRY(kn_buffer_create(bench->context, points * 8, &bench->from, &bench->err));
    TRY(kn_buffer_create(bench->context, points * 8, &bench->to, &bench->err));
    TRY(kn_buffer_fill(bench->queue, bench->from, &one, 4, 0, points * 8, NULL, &bench->err));
    TRY(kn_buffer_fill(bench->queue, bench->to, &one, 4, 0, points * 8, NULL, &bench->err));
    tune_multiply(bench, points);
    kn_buffer_free(bench->from);
    kn_buffer_free(bench->to);
}

static bool parse_matrix(const char *text, kn_recon_matrix *matrix)
{
    char *end;

    *matrix = (kn_recon_matrix){.axes = 2, .size = {1, 1, 1}};
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        matrix->size[axis] = strtoul(text, &end, 10);
        matrix->axes = axis == 2 ? 3 : 2;
        if (end == text || matrix->size[axis] == 0)
            return false;
        if (*end != 'x')
            return *end == '\0';
        text = end + 1;
    }
    return false;
}

int main(int argc, char **argv)
{
    const char *spec = NULL;
    bool tuning = false, kernels = false;
    kn_recon_matrix chosen[16];
    size_t count = 0;
    struct bench made = {.err = KN_ERROR_INIT, .iterations = 50}, *bench = &made;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tuning = true;
        else if (strcmp(argv[i], "--kernels") == 0)
            kernels = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--iterations") == 0 && atoi(argv[i + 1]) > 0)
            bench->iterations = (size_t)atoi(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--regularizer") == 0)
            bench->regularizer = strcmp(argv[++i], "difference") == 0 ? KN_RECON_REGULARIZER_DIFFERENCE
                                                                      : KN_RECON_REGULARIZER_TIKHONOV;
        else if (i + 1 < argc && count < KI_COUNT(chosen) && strcmp(argv[i], "--matrix") == 0 &&
                 parse_matrix(argv[i + 1], &chosen[count]))
            count++, i++;
        else
            return fprintf(
                       stderr,
                       "usage: %s [--device SPEC] [--matrix X[xY[xZ]]]... [--iterations N] [--regularizer "
                       "tikhonov|difference] [--kernels] [--tune]\n",
                       argv[0]),
                   2;
    }
    TRY(kn_context_open(spec, NULL, &bench->context, &bench->err));
    TRY(kn_queue_open(bench->context, &bench->queue, &bench->err));
    const kn_device_info *info = kn_context_get_device(bench->context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    measure_copy(bench);
    for (size_t i = 0; i < (count ? count : KI_COUNT(matrices)); i++)
        run_matrix(bench, count ? &chosen[i] : &matrices[i], kernels);
    if (tuning)
        tune(bench);
    kn_queue_close(bench->queue);
    kn_context_close(bench->context);
    return 0;
}
