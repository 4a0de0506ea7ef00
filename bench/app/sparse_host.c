// SPDX-License-Identifier: Apache-2.0
// Times sparse systems on the host: reading a file, A x, A^T y, and iterations of conjugate gradients.
//
//     bench/sparse_host FILE [--iterations N] [--threads N] [--repetitions N] [--fastest]
//
// FILE: .mtx, .mtx.gz or .npz; b is A times random numbers, and noise of a fiftieth of its size. --fastest:
// single precision, SELL and the best level of this processor alone. Times are the least of the repetitions,
// of what a caller waits ("wall") and of the process's own time on all its threads ("processor"), which other
// processes do not lengthen. "right": A x against double precision within its rounding error, and the
// residual that the reference reaches within 1 %.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "support/sparse_inputs.h"
#include "support/sparse_reference.h"
#include "app/sparse/solver/host/host_solve.h"
#include "bench/bench.h"

struct job {
    const char *file;
    size_t iterations, repetitions;
    unsigned threads;
    bool fastest;
    struct sparse_matrix matrix;
    double *b, *x, *ax; // `rows`, `columns`, and A x
    double residual;    // the reference's after `iterations`
};

struct seconds {
    double wall, processor;
};

static kn_error err = KN_ERROR_INIT;

static struct seconds now(void)
{
    struct timespec processor;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
    return (struct seconds){bench_seconds(), (double)processor.tv_sec + (double)processor.tv_nsec * 1e-9};
}

static void keep_least(struct seconds *least, struct seconds start)
{
    struct seconds end = now();

    least->wall = fmin(least->wall, end.wall - start.wall);
    least->processor = fmin(least->processor, end.processor - start.processor);
}

static void read_matrix(struct job *job)
{
    struct seconds least = {INFINITY, INFINITY};
    struct stat info;

    for (size_t i = 0; i < job->repetitions; i++) {
        struct seconds start = now();

        ki_sparse_free(&job->matrix);
        bench_try(sparse_read(job->file, &job->matrix, &err), &err);
        keep_least(&least, start);
    }
    printf("%s: %zu x %zu, %zu nonzeros", job->file, job->matrix.rows, job->matrix.columns,
           job->matrix.nonzeros);
    if (stat(job->file, &info) == 0)
        printf("; read and put in order at %.0f MB/s (wall), %.0f MB/s (processor)",
               (double)info.st_size / least.wall / 1e6, (double)info.st_size / least.processor / 1e6);
    putchar('\n');
}

static double uniform(uint64_t *state)
{
    return (double)(bench_random(state) >> 11) * 0x1p-53;
}

static void make_problem(struct job *job)
{
    struct sparse_reference_options options = {.iterations = job->iterations};
    double *solution = bench_allocate((job->matrix.columns + 1) * sizeof *solution), norm = 0;
    double *history = bench_allocate((job->iterations + 1) * sizeof *history);
    uint64_t state = 4;

    job->x = bench_allocate((job->matrix.columns + 1) * sizeof *job->x);
    job->b = bench_allocate((job->matrix.rows + 1) * sizeof *job->b);
    job->ax = bench_allocate((job->matrix.rows + 1) * sizeof *job->ax);
    for (size_t i = 0; i < job->matrix.columns; i++) {
        job->x[i] = uniform(&state);
        solution[i] = 0;
    }
    ki_sparse_reference_multiply(&job->matrix, job->x, job->ax);
    for (size_t i = 0; i < job->matrix.rows; i++)
        norm += job->ax[i] * job->ax[i] / (double)job->matrix.rows;
    for (size_t i = 0; i < job->matrix.rows;
         i++) // as a uniform number from -sqrt(3) to sqrt(3) has a variance of 1
        job->b[i] = job->ax[i] + 0.02 * sqrt(3 * norm) * (2 * uniform(&state) - 1);
    bench_try(sparse_reference_solve(&job->matrix, job->b, &options, solution, history, &err), &err);
    job->residual = history[job->iterations];
    free(history);
    free(solution);
}

static void fill(void *to, const double *from, size_t count, kn_type type)
{
    for (size_t i = 0; i < count; i++)
        if (type == KN_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
}

static bool is_product(const struct job *job, const void *y, kn_type type)
{
    double epsilon = type == KN_F32 ? 0x1p-24 : 0x1p-53;

    for (size_t row = 0; row < job->matrix.rows; row++) {
        double value = type == KN_F32 ? (double)((const float *)y)[row] : ((const double *)y)[row], size = 0;
        size_t begin = job->matrix.starts[row], end = job->matrix.starts[row + 1];

        for (size_t i = begin; i < end; i++)
            size += fabs(job->matrix.values[i] * job->x[job->matrix.indices[i]]);
        // Both factors rounded, and a rounding an addition.
        if (!(fabs(value - job->ax[row]) <= (double)(end - begin + 3) * epsilon * size))
            return false;
    }
    return true;
}

static struct seconds time_product(const struct job *job, struct sparse_host *host, bool transposed,
                                   const void *from, void *to)
{
    struct seconds least = {INFINITY, INFINITY};
    enum { TIMES = 10 };

    for (size_t i = 0; i < job->repetitions; i++) {
        struct seconds start = now();

        for (size_t k = 0; k < TIMES; k++)
            ki_sparse_host_multiply(host, transposed, from, to);
        keep_least(&least, start);
    }
    return (struct seconds){least.wall / TIMES, least.processor / TIMES};
}

static void time_case(const struct job *job, kn_type type, enum sparse_host_format format,
                      kn_host_level level, unsigned threads)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = level);
    struct host_cgnr_options how = {.iterations = job->iterations, .past_floor = true};
    struct host_cgnr_result result = {.history = NULL};
    struct seconds ax, aty, least = {INFINITY, INFINITY};
    size_t size = kn_type_size(type);
    void *x = bench_allocate((job->matrix.columns + 1) * size),
         *b = bench_allocate((job->matrix.rows + 1) * size);
    void *y = bench_allocate((job->matrix.rows + 1) * size);
    struct sparse_host *host;
    kn_status status = ki_sparse_host_create(&job->matrix, type, format, &options, &host, &err);
    bool right;

    if (status == KN_ERROR_UNSUPPORTED)
        goto done;
    bench_try(status, &err);
    fill(x, job->x, job->matrix.columns, type);
    fill(b, job->b, job->matrix.rows, type);
    ax = time_product(job, host, false, x, y);
    right = is_product(job, y, type);
    aty = time_product(job, host, true, b, x);
    for (size_t i = 0; i < job->repetitions; i++) {
        struct seconds start;

        memset(x, 0, job->matrix.columns * size);
        start = now();
        bench_try(ki_sparse_host_solve(host, b, &how, x, &result, &err), &err);
        keep_least(&least, start);
    }
    right = right && fabs(result.residual - job->residual) <= 0.01 * job->residual;
    printf("%-6s %-4s %-8s %7u  %8.1f %8.1f  %8.1f %8.1f  %8.4f %9.4f  %5zu  %s\n",
           type == KN_F32 ? "float" : "double", format == SPARSE_HOST_SELL ? "SELL" : "CSR",
           ki_sparse_host_level(host), threads, ax.wall * 1e6, ax.processor * 1e6, aty.wall * 1e6,
           aty.processor * 1e6, least.wall, least.processor, result.iterations, right ? "right" : "WRONG");
    fflush(stdout);
    ki_sparse_host_free(host);
done:
    free(x);
    free(b);
    free(y);
}

static bool read_options(int argc, char **argv, struct job *job)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;

        if (strcmp(argv[i], "--fastest") == 0) {
            job->fastest = true;
            continue;
        }
        if (*argv[i] != '-') {
            job->file = argv[i];
            continue;
        }
        if (!value)
            return false;
        if (strcmp(argv[i], "--iterations") == 0)
            job->iterations = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--threads") == 0)
            job->threads = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--repetitions") == 0)
            job->repetitions = strtoull(value, NULL, 10);
        else
            return false;
        i++;
    }
    return job->file && job->iterations >= 1 && job->repetitions >= 1 && job->threads >= 1;
}

int main(int argc, char **argv)
{
    struct job job = {.iterations = 400, .repetitions = 5, .threads = 2};

    if (!read_options(argc, argv, &job)) {
        fprintf(stderr, "usage: %s FILE [--iterations N] [--threads N] [--repetitions N] [--fastest]\n",
                argv[0]);
        return 2;
    }
    read_matrix(&job);
    make_problem(&job);
    printf("                       threads  A x, us: wall, processor   A^T y: wall, processor   %zu "
           "iterations, s   done\n",
           job.iterations);
    for (unsigned twice = 0; twice < 1 + (job.threads > 1) && job.fastest; twice++)
        time_case(&job, KN_F32, SPARSE_HOST_SELL, KN_HOST_AUTO, twice ? job.threads : 1);
    for (unsigned type = 0; type < 2 && !job.fastest; type++)
        for (kn_host_level level = KN_HOST_AVX512; level >= KN_HOST_SCALAR; level--)
            for (unsigned sell = 0; sell < 2; sell++)
                for (unsigned twice = 0; twice < 1 + (job.threads > 1); twice++)
                    time_case(&job, type ? KN_F64 : KN_F32, sell ? SPARSE_HOST_SELL : SPARSE_HOST_CSR, level,
                              twice ? job.threads : 1);
    free(job.x);
    free(job.b);
    free(job.ax);
    ki_sparse_free(&job.matrix);
    return 0;
}
