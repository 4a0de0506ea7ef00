// SPDX-License-Identifier: Apache-2.0
// Times sparse products in every format, and the solver, on a device; each is checked against double
// precision.
//
//     bench/sparse_device [--device SPEC] [--matrix FILE.npz|FILE.mtx | --large] [--iterations N] [--tune]
//     [--kernels]
//
// The matrix: segments of rays through an image of 64 x 48 pixels (81,545 x 3,072, about 860,000 nonzeros),
// or with
// --large of 60 x 50 (320,000 x 3,000, about 1,700,000), as the source's; columns are scaled by 1 to 1/100,
// so that the solver has 400 iterations to do. Columns of a product: median, least and most of the time of
// one of many, enqueued back to back; of one alone by the device's clock; the bytes as they are kept and both
// vectors, by the former. Columns of a solution: the same of all iterations, from the first launch until the
// device is done, and the residual beside that of the same loop in double precision; two launches an
// iteration recorded as the device has it, and one by one, in single and in double precision.
// --tune: groups and shares of work of the products and of the two launches. --kernels: what each launch of a
// few iterations takes, by the device's clock.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/sparse_inputs.h"
#include "support/sparse_reference.h"
#include "app/sparse/solver/device/solver.h"
#include "base/array.h"
#include "bench/bench.h"
#include "product.h"
#include "segments.h"

enum { REPETITIONS = 9 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    struct sparse_matrix matrix, transposed;
    size_t iterations;
    kn_buffer *x, *y; // a float a column; a float a row
    float *host_x, *host_y;
    double reference; // the residual after all iterations, in double precision
};

#define TRY(call) bench_try(call, &bench->err)

// Vectors, and the loop in double precision.
static void prepare(struct bench *bench)
{
    struct sparse_matrix *a = &bench->matrix;
    const struct sparse_reference_options options = {.iterations = bench->iterations};
    double *right = bench_allocate(a->rows * sizeof *right), *x = calloc(a->columns, sizeof *x);
    double *history = bench_allocate((bench->iterations + 1) * sizeof *history), norm = 0;
    uint64_t seed = 5;

    for (size_t i = 0; i < a->nonzeros; i++)
        a->values[i] = (double)(float)a->values[i];
    bench->host_x = bench_allocate(a->columns * sizeof(float));
    bench->host_y = bench_allocate(a->rows * sizeof(float));
    for (size_t i = 0; i < a->columns; i++)
        bench->host_x[i] = (float)(2 * bench_uniform(&seed) - 1);
    for (size_t i = 0; i < a->rows; i++) {
        right[i] = (double)(bench->host_y[i] = (float)(2 * bench_uniform(&seed) - 1));
        norm += right[i] * right[i];
    }
    TRY(ki_sparse_transpose(a, &bench->transposed, &bench->err));
    TRY(kn_buffer_create(bench->context, a->columns * sizeof(float), &bench->x, &bench->err));
    TRY(kn_buffer_create(bench->context, a->rows * sizeof(float), &bench->y, &bench->err));
    TRY(sparse_reference_solve(a, right, &options, x, history, &bench->err));
    bench->reference = history[bench->iterations] / sqrt(norm);
    printf("%zu x %zu, %zu nonzeros, %.1f a row; residual %.7f after %zu iterations in double precision\n",
           a->rows, a->columns, a->nonzeros, (double)a->nonzeros / (double)a->rows, bench->reference,
           bench->iterations);
    free(right);
    free(x);
    free(history);
}

static void upload(struct bench *bench)
{
    TRY(kn_buffer_write(bench->queue, bench->x, 0, bench->host_x, bench->matrix.columns * sizeof(float),
                        &bench->err));
    TRY(kn_buffer_write(bench->queue, bench->y, 0, bench->host_y, bench->matrix.rows * sizeof(float),
                        &bench->err));
}

// ---- products ----

// The greatest error of the result, as a part of the sum of moduli of its row.
static double error_of(struct bench *bench, bool transposed)
{
    const struct sparse_matrix *a = transposed ? &bench->transposed : &bench->matrix;
    const float *x = transposed ? bench->host_y : bench->host_x;
    float *y = bench_allocate(a->rows * sizeof *y);
    double worst = 0;

    TRY(kn_buffer_read(bench->queue, transposed ? bench->x : bench->y, 0, y, a->rows * sizeof *y,
                       &bench->err));
    for (size_t row = 0; row < a->rows; row++) {
        double sum = 0, size = 1e-30, error;
        for (uint64_t i = a->starts[row]; i < a->starts[row + 1]; i++) {
            sum += a->values[i] * (double)x[a->indices[i]];
            size += fabs(a->values[i] * (double)x[a->indices[i]]);
        }
        error = fabs((double)y[row] - sum) / size;
        worst = error > worst || isnan(error) ? error : worst;
    }
    free(y);
    return worst;
}

static void run_direction(struct bench *bench, const struct sparse_operator *a, const char *name,
                          bool transposed)
{
    struct bench_product product = {bench->queue, a, transposed, transposed ? bench->y : bench->x,
                                    transposed ? bench->x : bench->y};
    struct bench_product_times times;
    double error;

    upload(bench);
    bench_product_apply(&product);
    error = error_of(bench, transposed);
    times = bench_product_measure(&product);
    // A row's terms, a rounding each.
    printf("%-26s %-5s %9.2f us (%.2f to %.2f) %9.2f alone %7.0f GB/s  %s %.1e\n", name,
           transposed ? "A^T y" : "A x", times.many.median * 1e6, times.many.least * 1e6,
           times.many.most * 1e6, times.alone * 1e6,
           (double)ki_sparse_operator_bytes(a, transposed) / times.many.median * 1e-9,
           error < 1e-4 ? "right" : "WRONG", error);
    fflush(stdout);
}

static void run_format(struct bench *bench, kn_sparse_format format, const struct sparse_tuning *tuning,
                       const char *name)
{
    struct sparse_operator *a = NULL;

    if (ki_sparse_operator_create(bench->queue, &bench->matrix, format, tuning, &a, &bench->err)) {
        printf("%-26s %s\n", name, bench->err.text);
        return;
    }
    run_direction(bench, a, name, false);
    run_direction(bench, a, name, true);
    ki_sparse_operator_free(a);
}

// ---- solutions ----

static void print_kernels(struct bench *bench, struct sparse_solver *solver)
{
    struct cgnr_result result;
    kn_profile_entry *entries = NULL;
    size_t count = 0;

    TRY(kn_profile_start(bench->queue, &bench->err));
    TRY(ki_cgnr_solve(bench->queue, ki_sparse_solver_cgnr(solver), bench->y, bench->x, bench->x, &result,
                      &bench->err));
    TRY(kn_profile_stop(bench->queue, &entries, &count, &bench->err));
    for (size_t i = 0; i < count && i < 24; i++)
        printf("    %-16s %8.2f us, then %6.2f us until the next\n", entries[i].kernel,
               (double)(entries[i].end - entries[i].start) * 1e-3,
               i + 1 < count ? (double)(entries[i + 1].start - entries[i].end) * 1e-3 : 0);
    kn_free(entries);
    free(result.history);
}

// The way a system is solved.
struct solver_case {
    struct cgnr_options cgnr;
    struct sparse_storage storage;
};

// b and a start of 0 on the device, in the solver's precision; the caller frees them.
static void make_vectors(struct bench *bench, bool is_double, kn_buffer **right, kn_buffer **x)
{
    size_t rows = bench->matrix.rows, columns = bench->matrix.columns,
           size = is_double ? sizeof(double) : sizeof(float);
    double *numbers = bench_allocate(rows * sizeof *numbers);
    const double zero = 0; // whose bytes are those of a float's, too

    for (size_t i = 0; i < rows; i++)
        numbers[i] = (double)bench->host_y[i];
    TRY(kn_buffer_create(kn_queue_get_context(bench->queue), rows * size, right, &bench->err));
    TRY(kn_buffer_create(kn_queue_get_context(bench->queue), columns * size, x, &bench->err));
    TRY(kn_buffer_write(bench->queue, *right, 0, is_double ? (const void *)numbers : bench->host_y,
                        rows * size, &bench->err));
    TRY(kn_buffer_fill(bench->queue, *x, &zero, size, 0, columns * size, NULL, &bench->err));
    free(numbers);
}

static void run_solver(struct bench *bench, const struct solver_case *options, const char *name, bool kernels)
{
    kn_buffer *right, *x;
    struct sparse_solver *solver = NULL;
    struct cgnr_result result = {.history = NULL};
    double seconds[REPETITIONS];
    struct bench_times times;

    if (ki_sparse_solver_create(bench->queue, &bench->matrix, &options->storage, &options->cgnr, &solver,
                                &bench->err)) {
        printf("%-40s %s\n", name, bench->err.text);
        return;
    }
    for (int i = -1; i < REPETITIONS; i++) {
        make_vectors(bench, options->storage.tuning.is_double, &right, &x);
        TRY(ki_cgnr_solve(bench->queue, ki_sparse_solver_cgnr(solver), right, x, x, &result, &bench->err));
        if (i >= 0)
            seconds[i] = result.seconds;
        free(result.history);
        kn_buffer_free(right);
        kn_buffer_free(x);
    }
    times = bench_times_of(seconds, REPETITIONS);
    printf("%-40s %2u launches %4zu iterations %8.3f ms (%.3f to %.3f)  residual %.7f %s\n", name,
           result.launches_per_iteration, result.iterations, times.median * 1e3, times.least * 1e3,
           times.most * 1e3, result.residual,
           result.iterations < options->cgnr.iterations      ? "STOPPED"
           : fabs(result.residual - bench->reference) < 1e-4 ? "right"
                                                             : "WRONG");
    if (kernels)
        print_kernels(bench, solver);
    fflush(stdout);
    ki_sparse_solver_free(solver);
}

// ---- tunables ----

static void tune_products(struct bench *bench)
{
    static const unsigned sizes[] = {64, 128, 256, 512, 1024}, counts[] = {4, 8, 16, 32, 64, 128};
    char name[64];

    for (size_t i = 0; i < KI_COUNT(sizes); i++) {
        const struct sparse_tuning tuning = {.group = sizes[i]};
        snprintf(name, sizeof name, "sell, group %u", sizes[i]);
        run_format(bench, KN_SPARSE_SELL, &tuning, name);
        for (size_t k = 0; k < KI_COUNT(counts); k++)
            if (counts[k] <= sizes[i]) {
                const struct sparse_tuning lanes = {.group = sizes[i], .lanes = counts[k]};
                snprintf(name, sizeof name, "vector, group %u, lanes %u", sizes[i], counts[k]);
                run_format(bench, KN_SPARSE_CSR_VECTOR, &lanes, name);
            }
    }
    for (size_t i = 1; i < 4; i++)
        for (unsigned items = 4; items <= 16; items++) {
            const struct sparse_tuning tuning = {.group = sizes[i], .items = items};
            if ((size_t)sizes[i] * items * 8 > 40000)
                continue;
            snprintf(name, sizeof name, "merge, group %u, items %u", sizes[i], items);
            run_format(bench, KN_SPARSE_MERGE, &tuning, name);
        }
}

static void tune_solver(struct bench *bench)
{
    static const unsigned sizes[] = {256, 512, 1024}, groups[] = {80, 132, 160, 198, 264, 320, 396},
                          back[] = {64, 128, 256, 512}, lanes[] = {16, 32, 64};
    struct solver_case options = {.cgnr = {.iterations = bench->iterations, .gradient = -1},
                                  .storage = {.launches = SPARSE_LAUNCHES_FUSED}};
    char name[64];

    for (size_t i = 0; i < KI_COUNT(sizes); i++)
        for (size_t k = 0; k < KI_COUNT(groups); k++) {
            options.cgnr.group = sizes[i];
            options.cgnr.groups = groups[k];
            snprintf(name, sizeof name, "fused, group %u, %u groups", sizes[i], groups[k]);
            run_solver(bench, &options, name, false);
        }
    options.cgnr.group = options.cgnr.groups = 0;
    for (size_t i = 0; i < KI_COUNT(back); i++)
        for (size_t k = 0; k < KI_COUNT(lanes); k++) {
            options.storage.tuning = (struct sparse_tuning){.group = back[i], .lanes = lanes[k]};
            snprintf(name, sizeof name, "fused, A^T by groups of %u, lanes %u", back[i], lanes[k]);
            run_solver(bench, &options, name, false);
        }
}

// Two launches an iteration, with every way of recording that the device has, and one by one.
static void run_recordings(struct bench *bench, const struct solver_case *given, bool kernels)
{
    static const kn_recording_way recordings[] = {KN_RECORDING_GRAPH, KN_RECORDING_COMMAND_BUFFER,
                                                  KN_RECORDING_LAUNCHES};
    struct solver_case options = *given;
    char name[64];

    for (size_t i = 0; i < KI_COUNT(recordings); i++) {
        options.cgnr.recording = recordings[i];
        snprintf(name, sizeof name, "two launches, recorded: %s", kn_recording_way_name(recordings[i]));
        run_solver(bench, &options, name, false);
    }
    options.cgnr.unrecorded = true;
    run_solver(bench, &options, "two launches, one by one", kernels && !options.storage.tuning.is_double);
}

static void run_all(struct bench *bench, bool kernels)
{
    struct solver_case options = {.cgnr = {.iterations = bench->iterations, .gradient = -1}};

    for (int format = KN_SPARSE_SIMPLE; format < SPARSE_FORMATS; format++)
        if (format != KN_SPARSE_ON_THE_FLY && format != KN_SPARSE_ON_THE_FLY_LOCAL)
            run_format(bench, (kn_sparse_format)format, NULL, ki_sparse_format_names[format]);
    options.storage.launches = SPARSE_LAUNCHES_FUSED;
    run_recordings(bench, &options, kernels);
    if (kn_context_get_device(kn_queue_get_context(bench->queue))->fp64) {
        options.storage.tuning.is_double = true;
        printf("in double precision:\n");
        run_recordings(bench, &options, kernels);
        options.storage.tuning.is_double = false;
        printf("in single precision:\n");
    }
    options.storage.launches = SPARSE_LAUNCHES_SEPARATE;
    for (int format = KN_SPARSE_SIMPLE; format < SPARSE_FORMATS; format++)
        if (format != KN_SPARSE_ON_THE_FLY && format != KN_SPARSE_ON_THE_FLY_LOCAL) {
            options.storage.format = (kn_sparse_format)format;
            run_solver(bench, &options, ki_sparse_format_names[format],
                       kernels && format == KN_SPARSE_CSR_VECTOR);
        }
}

int main(int argc, char **argv)
{
    const char *spec = NULL, *path = NULL;
    bool large = false, tuning = false, kernels = false;
    struct bench made = {.err = KN_ERROR_INIT, .iterations = 400}, *bench = &made;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tuning = true;
        else if (strcmp(argv[i], "--kernels") == 0)
            kernels = true;
        else if (strcmp(argv[i], "--large") == 0)
            large = true;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--matrix") == 0)
            path = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--iterations") == 0 && atoi(argv[i + 1]) > 0)
            bench->iterations = (size_t)atoi(argv[++i]);
        else
            return fprintf(stderr,
                           "usage: %s [--device SPEC] [--matrix FILE.npz|FILE.mtx | --large] [--iterations "
                           "N] [--tune] "
                           "[--kernels]\n",
                           argv[0]),
                   2;
    }
    TRY(kn_context_open(spec, NULL, &bench->context, &bench->err));
    TRY(kn_queue_open(bench->context, &bench->queue, &bench->err));
    const kn_device_info *info = kn_context_get_device(bench->context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    if (path)
        TRY(sparse_read(path, &bench->matrix, &bench->err));
    else
        bench_segments(large, &bench->matrix);
    prepare(bench);
    run_all(bench, kernels);
    if (tuning) {
        tune_products(bench);
        tune_solver(bench);
    }
    kn_buffer_free(bench->x);
    kn_buffer_free(bench->y);
    ki_sparse_free(&bench->matrix);
    ki_sparse_free(&bench->transposed);
    free(bench->host_x);
    free(bench->host_y);
    kn_queue_close(bench->queue);
    kn_context_close(bench->context);
    return 0;
}
