// SPDX-License-Identifier: Apache-2.0
// Times tomography with parallel rays on a device: computed on the fly, beside the stored matrix; each
// product is checked against the host's in double precision.
//
//     bench/sparse_parallel [--device SPEC] [--geometry parallel:ANGLES,DETECTORS,SIZE[,AXIS]] [--no-matrix]
//     [--tune]
//
// Without --geometry: that of tooth.h5, 181 projections of 640 detectors and 640 x 640 pixels, and binned
// by 4. Columns: median, least and most of the time of one product of many, enqueued back to back; one alone
// by the device's clock; the error as a part of the length of the result; on the fly, how many times faster
// than the fastest stored format. Then 20 iterations of least squares from the first launch until the device
// is done. --no-matrix leaves the stored formats out: for 640 x 640 pixels the host takes about 10 GB for
// them. --tune: groups, views of a group, pixels a work-item, local memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/sparse/solver/device/solver.h"
#include "base/array.h"
#include "bench/bench.h"
#include "product.h"
#include "support/sparse_inputs.h"

enum { REPETITIONS = 9, ITERATIONS = 20 };

static const kn_sparse_format computed[] = {KN_SPARSE_ON_THE_FLY, KN_SPARSE_ON_THE_FLY_LOCAL},
                              stored[] = {KN_SPARSE_SELL, KN_SPARSE_CSR_VECTOR};

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    struct sparse_parallel geometry;
    struct sparse_matrix matrix;
    kn_buffer *vectors[2]; // a float a pixel; a float a ray
    float *host[2];
    double *wanted[2]; // A x; A^T y
    double fastest[2]; // of the stored formats; 0: none
};

#define TRY(call) bench_try(call, &bench->err)

static size_t length_of(const struct bench *bench, bool rays)
{
    return rays ? ki_sparse_parallel_rows(&bench->geometry) : ki_sparse_parallel_columns(&bench->geometry);
}

// Random vectors, and the host's products of them.
static void prepare(struct bench *bench)
{
    double *x[2];
    uint64_t seed = 7;

    for (int i = 0; i < 2; i++) {
        size_t n = length_of(bench, i);
        x[i] = bench_allocate(n * sizeof **x);
        bench->host[i] = bench_allocate(n * sizeof(float));
        bench->wanted[!i] = bench_allocate(n * sizeof **x);
        TRY(kn_buffer_create(bench->context, n * sizeof(float), &bench->vectors[i], &bench->err));
        for (size_t k = 0; k < n; k++) {
            bench->host[i][k] = (float)(bench_random(&seed) >> 40) * 0x1p-24F;
            x[i][k] = (double)bench->host[i][k];
        }
    }
    for (int i = 0; i < 2; i++)
        TRY(ki_sparse_parallel_multiply(&bench->geometry, i, x[i], bench->wanted[i], 0, &bench->err));
    free(x[0]);
    free(x[1]);
}

static void drop(struct bench *bench)
{
    for (int i = 0; i < 2; i++) {
        free(bench->host[i]);
        free(bench->wanted[i]);
        kn_buffer_free(bench->vectors[i]);
    }
    ki_sparse_free(&bench->matrix);
    ki_sparse_parallel_free(&bench->geometry);
}

static void upload(struct bench *bench)
{
    for (int i = 0; i < 2; i++)
        TRY(kn_buffer_write(bench->queue, bench->vectors[i], 0, bench->host[i],
                            length_of(bench, i) * sizeof(float), &bench->err));
}

static double error_of(struct bench *bench, bool transposed)
{
    size_t n = length_of(bench, !transposed);
    float *found = bench_allocate(n * sizeof *found);
    double off = 0, size = 0;

    TRY(kn_buffer_read(bench->queue, bench->vectors[!transposed], 0, found, n * sizeof *found, &bench->err));
    for (size_t i = 0; i < n; i++) {
        double difference = (double)found[i] - bench->wanted[transposed][i];
        off += difference * difference;
        size += bench->wanted[transposed][i] * bench->wanted[transposed][i];
    }
    free(found);
    return sqrt(off / size);
}

enum { FORWARD = 1, BACK = 2, BOTH = 3 };

static void run_operator(struct bench *bench, const struct sparse_operator *a, const char *name,
                         bool is_stored, int directions)
{
    for (int transposed = 0; transposed < 2; transposed++) {
        struct bench_product product = {bench->queue, a, transposed, bench->vectors[transposed],
                                        bench->vectors[!transposed]};
        struct bench_product_times times;
        double error, *fastest = &bench->fastest[transposed];

        if (!(directions >> transposed & 1))
            continue;
        upload(bench);
        bench_product_apply(&product);
        error = error_of(bench, transposed);
        times = bench_product_measure(&product);
        printf("%-46s %-5s %9.2f us (%.2f to %.2f) %9.2f alone  %s %.1e", name, transposed ? "A^T y" : "A x",
               times.many.median * 1e6, times.many.least * 1e6, times.many.most * 1e6, times.alone * 1e6,
               error < 1e-5 ? "right" : "WRONG", error);
        if (is_stored)
            *fastest = *fastest == 0 || times.many.median < *fastest ? times.many.median : *fastest;
        else if (*fastest > 0)
            printf("  %.2f times the stored one's speed", *fastest / times.many.median);
        printf("\n");
        fflush(stdout);
    }
}

static void run_computed(struct bench *bench, kn_sparse_format format, const struct sparse_tuning *tuning,
                         const char *name, int directions)
{
    struct sparse_operator *a = NULL;

    if (ki_sparse_operator_create_parallel(bench->queue, &bench->geometry, format, tuning, &a, &bench->err))
        printf("%-46s %s\n", name, bench->err.text);
    else
        run_operator(bench, a, name, false, directions);
    ki_sparse_operator_free(a);
}

static void run_stored(struct bench *bench)
{
    TRY(ki_sparse_parallel_matrix(&bench->geometry, &bench->matrix, &bench->err));
    printf("the matrix: %zu x %zu, %zu nonzeros\n", bench->matrix.rows, bench->matrix.columns,
           bench->matrix.nonzeros);
    for (size_t i = 0; i < KI_COUNT(stored); i++) {
        struct sparse_operator *a = NULL;

        if (ki_sparse_operator_create(bench->queue, &bench->matrix, stored[i], NULL, &a, &bench->err))
            printf("%-46s %s\n", ki_sparse_format_names[stored[i]], bench->err.text);
        else
            run_operator(bench, a, ki_sparse_format_names[stored[i]], true, BOTH);
        ki_sparse_operator_free(a);
    }
}

// Of the rays' random numbers, from 0.
static void run_solver(struct bench *bench, kn_sparse_format format)
{
    const struct cgnr_options options = {.iterations = ITERATIONS, .gradient = -1};
    const struct sparse_storage storage = {.format = format};
    const bool is_stored = format == KN_SPARSE_CSR_VECTOR;
    struct sparse_solver *solver = NULL;
    struct cgnr_result result = {.history = NULL};
    double seconds[REPETITIONS], residual = 0;
    struct bench_times times;
    const float zero = 0;

    if (is_stored)
        TRY(ki_sparse_solver_create(bench->queue, &bench->matrix, &storage, &options, &solver, &bench->err));
    else
        TRY(ki_sparse_solver_create_parallel(bench->queue, &bench->geometry, &storage, &options, &solver,
                                             &bench->err));
    for (int i = -1; i < REPETITIONS; i++) {
        upload(bench);
        TRY(kn_buffer_fill(bench->queue, bench->vectors[0], &zero, sizeof zero, 0,
                           length_of(bench, 0) * sizeof zero, NULL, &bench->err));
        TRY(ki_cgnr_solve(bench->queue, ki_sparse_solver_cgnr(solver), bench->vectors[1], bench->vectors[0],
                          bench->vectors[0], &result, &bench->err));
        residual = result.residual;
        if (i >= 0)
            seconds[i] = result.seconds;
        free(result.history);
    }
    times = bench_times_of(seconds, REPETITIONS);
    printf("%-46s %u launches, %d iterations %9.3f ms (%.3f to %.3f)  residual %.6f\n",
           ki_sparse_format_names[format], result.launches_per_iteration, ITERATIONS, times.median * 1e3,
           times.least * 1e3, times.most * 1e3, residual);
    fflush(stdout);
    ki_sparse_solver_free(solver);
}

static void tune(struct bench *bench)
{
    static const unsigned groups[] = {32, 64, 128, 256, 512}, counts[] = {1, 2, 4, 8, 16},
                          chunks[] = {4096, 8192};
    char name[80];

    for (size_t g = 0; g < KI_COUNT(groups); g++)
        for (size_t i = 0; i < KI_COUNT(counts); i++) {
            struct sparse_tuning tuning = {.group = groups[g], .lanes = counts[i]};

            snprintf(name, sizeof name, "on-the-fly, group %u, views %u", groups[g], counts[i]);
            if (groups[g] >= 16 * counts[i])
                run_computed(bench, KN_SPARSE_ON_THE_FLY, &tuning, name, FORWARD);
            tuning = (struct sparse_tuning){.group = groups[g], .items = counts[i]};
            snprintf(name, sizeof name, "on-the-fly, group %u, items %u", groups[g], counts[i]);
            run_computed(bench, KN_SPARSE_ON_THE_FLY, &tuning, name, BACK);
            for (size_t c = 0; c < KI_COUNT(chunks) && counts[i] > 2; c++) {
                tuning.chunk = chunks[c];
                snprintf(name, sizeof name, "+local-memory, group %u, items %u, chunk %u", groups[g],
                         counts[i], chunks[c]);
                run_computed(bench, KN_SPARSE_ON_THE_FLY_LOCAL, &tuning, name, counts[i] == 4 ? BOTH : BACK);
            }
        }
}

static void run_geometry(struct bench *bench, const char *text, bool matrix, bool tuning)
{
    TRY(sparse_parse(text, &bench->geometry, &bench->err));
    printf("\n%s\n", text);
    bench->fastest[0] = bench->fastest[1] = 0;
    prepare(bench);
    if (matrix)
        run_stored(bench);
    for (size_t i = 0; i < KI_COUNT(computed); i++)
        run_computed(bench, computed[i], NULL, ki_sparse_format_names[computed[i]], BOTH);
    if (tuning)
        tune(bench);
    if (matrix)
        run_solver(bench, KN_SPARSE_CSR_VECTOR);
    for (size_t i = 0; i < KI_COUNT(computed); i++)
        run_solver(bench, computed[i]);
    drop(bench);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"parallel:181,160,160,73.5", "parallel:181,640,640,295.5"};
    const char *spec = NULL, *geometry = NULL;
    bool matrix = true, tuning = false;
    struct bench made = {.err = KN_ERROR_INIT}, *bench = &made;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tuning = true;
        else if (strcmp(argv[i], "--no-matrix") == 0)
            matrix = false;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--geometry") == 0)
            geometry = argv[++i];
        else
            return fprintf(stderr,
                           "usage: %s [--device SPEC] [--geometry parallel:A,D,N[,AXIS]] [--no-matrix] "
                           "[--tune]\n",
                           argv[0]),
                   2;
    }
    TRY(kn_context_open(spec, NULL, &bench->context, &bench->err));
    TRY(kn_queue_open(bench->context, &bench->queue, &bench->err));
    const kn_device_info *info = kn_context_get_device(bench->context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    for (size_t i = 0; i < (geometry ? 1 : KI_COUNT(usual)); i++)
        run_geometry(bench, geometry ? geometry : usual[i], matrix, tuning);
    kn_queue_close(bench->queue);
    kn_context_close(bench->context);
    return 0;
}
