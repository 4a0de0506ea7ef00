// SPDX-License-Identifier: Apache-2.0
// Times kn_gemm with every available library, on square matrices, and checks 16 x 16 entries of each product
// against sums in double.
//
//     bench/gemm [--device SPEC] [--type f32|f64|c32|c64]... [--size N]... [--depth K] [--library
//     own|CLBlast|cuBLAS]...
//     [--tune]
//
// --tune: shapes of the own kernel too. --layouts: every transposition too, and an odd size beside every
// other. Columns: the median of what one of several products in a row takes until the last is done,
// operations a second (2 n^3, 8 n^3 for complex), and the largest error over the bound that gemm.h states.
#include <koine/experimental.h>

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 5, SAMPLES = 16, MOST = 16, MOST_SHAPES = 16 };

struct kind {
    const char *name;
    kn_type type;
    int is_complex;
};
static const struct kind kinds[] = {
    {"f32", KN_F32, 0}, {"c32", KN_F32, 1}, {"f64", KN_F64, 0}, {"c64", KN_F64, 1}};

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    kn_gemm_task task;
    void *host[3]; // A, B and C
    size_t depth;  // k, if not n
    bool named;    // libraries were named: report why one does not run
    bool tune, layouts;
};

static size_t element_of(const struct kind *kind)
{
    return kn_type_size(kind->type) * (kind->is_complex ? 2 : 1);
}

// Numbers in [-1, 1).
static void fill(void *to, kn_type type, size_t count, uint64_t seed)
{
    float *singles = to;
    double *doubles = to;

    for (size_t i = 0; i < count; i++) {
        double value = (double)(int64_t)bench_random(&seed) * 0x1p-63;
        if (type == KN_F32)
            singles[i] = (float)value;
        else
            doubles[i] = value;
    }
}

static double number(const void *from, kn_type type, size_t i)
{
    return type == KN_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}

// Element (i, j) of an n x n operand as stored, real and imaginary part.
static void element(const struct bench *bench, int which, size_t i, size_t j, double value[2])
{
    const kn_gemm_task *task = &bench->task;
    kn_gemm_transpose transpose = which == 0   ? task->transpose_a
                                  : which == 1 ? task->transpose_b
                                               : KN_GEMM_AS_IS;
    size_t columns = (which == 0) != (transpose != KN_GEMM_AS_IS) ? task->k : task->n; // as stored; m is n
    size_t position = transpose == KN_GEMM_AS_IS ? i * columns + j : j * columns + i;

    value[0] = number(bench->host[which], task->type, task->is_complex ? 2 * position : position);
    value[1] = task->is_complex ? number(bench->host[which], task->type, 2 * position + 1) : 0;
    if (transpose == KN_GEMM_CONJUGATED)
        value[1] = -value[1];
}

// The largest error of sampled entries over the bound (k + 2) eps sum |a||b|, three times that if complex.
static double check(struct bench *bench)
{
    const kn_gemm_task *task = &bench->task;
    double eps = task->type == KN_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2, worst = 0;
    uint64_t seed = task->n;

    for (size_t r = 0; r < SAMPLES; r++)
        for (size_t s = 0; s < SAMPLES; s++) {
            size_t i = r == 0 ? task->n - 1 : bench_random(&seed) % task->n;
            size_t j = s == 0 ? task->n - 1 : bench_random(&seed) % task->n;
            double sum[2] = {0, 0}, magnitude = 0, a[2], b[2], c[2];
            for (size_t k = 0; k < task->k; k++) {
                element(bench, 0, i, k, a);
                element(bench, 1, k, j, b);
                sum[0] += a[0] * b[0] - a[1] * b[1];
                sum[1] += a[0] * b[1] + a[1] * b[0];
                magnitude += hypot(a[0], a[1]) * hypot(b[0], b[1]);
            }
            element(bench, 2, i, j, c);
            double bound = (double)(task->k + 2) * eps * magnitude * (task->is_complex ? 3 : 1);
            double ratio = hypot(c[0] - sum[0], c[1] - sum[1]) / bound;
            worst = ratio <= worst ? worst : ratio; // a ratio that is no number stays
        }
    return worst;
}

static double time_of(struct bench *bench, const kn_gemm_options *options)
{
    double samples[REPETITIONS], first;
    size_t calls = 1;

    bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
    for (int i = -1; i < REPETITIONS; i++) {
        first = bench_seconds();
        for (size_t call = 0; call < calls; call++)
            bench_try(kn_gemm(bench->queue, &bench->task, options, &bench->err), &bench->err);
        bench_try(kn_queue_finish(bench->queue, &bench->err), &bench->err);
        double seconds = (bench_seconds() - first) / (double)calls;
        if (i >= 0)
            samples[i] = seconds;
        else
            calls = seconds < 0.02 ? (size_t)(0.02 / seconds) + 1 : 1;
    }
    return bench_times_of(samples, REPETITIONS).median;
}

static void report(struct bench *bench, const struct kind *kind, const kn_gemm_options *options,
                   const char *what)
{
    static const char letters[] = "ntc";
    const kn_gemm_task *task = &bench->task;
    size_t bytes = task->n * task->n * element_of(kind);
    const unsigned char poison = 0xff; // not a number
    kn_error reason;

    bench_try(kn_buffer_fill(bench->queue, task->c.buffer, &poison, 1, 0, bytes, NULL, &bench->err),
              &bench->err);
    if (kn_gemm(bench->queue, task, options, &reason)) {
        if (bench->named)
            printf("%-4s %6zu  %-38s %s\n", kind->name, task->n, what, reason.text);
        return;
    }
    bench_try(kn_buffer_read(bench->queue, task->c.buffer, 0, bench->host[2], bytes, &bench->err),
              &bench->err);
    double worst = check(bench), seconds = time_of(bench, options);
    double operations =
        2.0 * (double)task->m * (double)task->n * (double)task->k * (task->is_complex ? 4 : 1);
    printf("%-4s %6zu %c%c  %-38s %10.4f ms %9.1f GFLOP/s  %s %.3f\n", kind->name, task->n,
           letters[task->transpose_a], letters[task->transpose_b], what, seconds * 1e3,
           operations / seconds * 1e-9, worst <= 1 ? "right" : "WRONG", worst);
    fflush(stdout);
}

// Shapes to try.
static const kn_gemm_tile tiles[KI_COUNT(kinds)][MOST_SHAPES] = {
    {
        // f32
        {64, 128, 16, 8, 8, 4, 8, 1, 128},
        {64, 64, 16, 8, 4, 4, 8, 1, 0},
        {64, 64, 16, 4, 8, 4, 8, 1, 0},
        {64, 64, 16, 8, 8, 4, 8, 1, 0},
        {64, 64, 16, 4, 4, 4, 8, 1, 0},
        {64, 64, 32, 8, 4, 4, 8, 1, 0},
        {32, 64, 16, 4, 4, 4, 8, 1, 0},
        {32, 64, 16, 4, 8, 4, 8, 1, 0},
        {32, 64, 32, 4, 4, 4, 8, 1, 0},
        {32, 32, 16, 4, 4, 4, 8, 1, 0},
        {32, 32, 32, 4, 4, 4, 8, 1, 0},
        {64, 128, 16, 8, 8, 4, 8, 2, 128},
        {64, 128, 16, 8, 8, 4, 8, 4, 128},
        {64, 64, 16, 8, 4, 4, 8, 2, 0},
        {64, 64, 16, 8, 4, 4, 8, 4, 0},
    },
    {
        // c32
        {64, 128, 8, 8, 8, 4, 8, 1, 0},
        {128, 64, 8, 8, 8, 4, 8, 1, 0},
        {64, 64, 8, 8, 8, 4, 8, 1, 0},
        {128, 128, 8, 8, 8, 4, 8, 1, 0},
        {64, 64, 8, 8, 4, 4, 8, 1, 0},
        {64, 64, 8, 4, 8, 4, 8, 1, 0},
        {64, 128, 8, 4, 8, 4, 8, 1, 128},
        {64, 128, 8, 8, 4, 4, 8, 1, 128},
        {64, 64, 8, 4, 4, 4, 8, 1, 0},
        {32, 64, 8, 4, 8, 4, 8, 1, 0},
        {32, 64, 8, 4, 4, 4, 8, 1, 0},
    },
    {
        // f64
        {64, 128, 8, 8, 8, 4, 8, 1, 0},
        {128, 64, 8, 8, 8, 4, 8, 1, 0},
        {64, 64, 8, 8, 8, 4, 8, 1, 0},
        {128, 128, 8, 8, 8, 4, 8, 1, 0},
        {64, 64, 8, 8, 4, 4, 8, 1, 0},
        {64, 64, 8, 4, 8, 4, 8, 1, 0},
        {64, 128, 8, 4, 8, 4, 8, 1, 128},
        {64, 64, 16, 8, 4, 4, 8, 1, 0},
        {32, 64, 8, 4, 8, 4, 8, 1, 0},
        {32, 64, 16, 4, 4, 4, 8, 1, 0},
        {32, 32, 16, 4, 4, 4, 8, 1, 0},
    },
    {
        // c64
        {64, 64, 4, 4, 4, 4, 8, 1, 0},
        {64, 64, 8, 4, 4, 4, 8, 1, 0},
        {64, 64, 4, 8, 4, 4, 8, 1, 0},
        {64, 128, 4, 4, 8, 4, 8, 1, 0},
        {32, 64, 8, 4, 8, 4, 8, 1, 0},
        {32, 64, 8, 4, 4, 4, 8, 1, 0},
        {32, 32, 8, 4, 4, 4, 8, 1, 0},
    },
};

static void bench_size(struct bench *bench, const struct kind *kind, size_t n, const bool wanted[])
{
    kn_gemm_task *task = &bench->task;
    size_t k = bench->depth ? bench->depth : n;
    kn_gemm_matrix *matrices[] = {&task->a, &task->b, &task->c};

    *task = KN_INIT(kn_gemm_task, .type = kind->type, .is_complex = kind->is_complex, .m = n, .n = n, .k = k,
                    .alpha = {1, 0});
    for (unsigned i = 0; i < 3; i++) {
        size_t elements = i == 2 ? n * n : n * k, bytes = elements * element_of(kind);
        bench->host[i] = bench_allocate(bytes);
        bench_try(kn_buffer_create(bench->context, bytes, &matrices[i]->buffer, &bench->err), &bench->err);
        if (i == 2)
            continue;
        fill(bench->host[i], kind->type, elements * (kind->is_complex ? 2 : 1), n + i);
        bench_try(kn_buffer_write(bench->queue, matrices[i]->buffer, 0, bench->host[i], bytes, &bench->err),
                  &bench->err);
    }
    for (kn_gemm_library library = KN_GEMM_OWN; library <= KN_GEMM_CUBLAS; library++)
        for (int layout = 0; wanted[library] && layout < (bench->layouts ? 4 : 1); layout++) {
            const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = library);
            task->transpose_a = layout & 1 ? KN_GEMM_TRANSPOSED : KN_GEMM_AS_IS;
            task->transpose_b = layout & 2 ? KN_GEMM_TRANSPOSED : KN_GEMM_AS_IS;
            report(bench, kind, &options, kn_gemm_library_name(library));
        }
    task->transpose_a = task->transpose_b = KN_GEMM_AS_IS;
    for (const kn_gemm_tile *t = tiles[kind - kinds]; bench->tune && t->m; t++) {
        const kn_gemm_options options = KN_INIT(kn_gemm_options, .library = KN_GEMM_OWN, .tile = t);
        char what[64];
        snprintf(what, sizeof what, "%ux%ux%u %ux%u lane %u band %u reg %u", t->m, t->n, t->k, t->item_m,
                 t->item_n, t->lane_m, t->band, t->registers);
        report(bench, kind, &options, what);
    }
    for (int i = 0; i < 3; i++) {
        free(bench->host[i]);
        kn_buffer_free(matrices[i]->buffer);
    }
}

static int usage(const char *name)
{
    fprintf(stderr,
            "usage: %s [--device SPEC] [--type f32|c32|f64|c64]... [--size N]... [--library "
            "own|CLBlast|cuBLAS]... "
            "[--tune] [--layouts]\n",
            name);
    return 2;
}

int main(int argc, char **argv)
{
    static const size_t usual[] = {256, 512, 1024, 2048, 4096, 8192};
    const char *spec = NULL;
    size_t sizes[MOST], size_count = 0;
    bool types[KI_COUNT(kinds)] = {false}, libraries[KN_GEMM_CUBLAS + 1] = {false}, any_type = false,
         any_library = false;
    struct bench bench = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--tune") == 0)
            bench.tune = true;
        else if (strcmp(argv[i], "--layouts") == 0)
            bench.layouts = true;
        else if (i + 1 == argc)
            return usage(argv[0]);
        else if (strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (strcmp(argv[i], "--depth") == 0)
            bench.depth = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--size") == 0 && size_count < MOST)
            sizes[size_count++] = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--type") == 0 || strcmp(argv[i], "--library") == 0) {
            bool found = false;
            for (size_t k = 0; k < KI_COUNT(kinds); k++)
                if (strcmp(value, kinds[k].name) == 0)
                    types[k] = any_type = found = true;
            for (kn_gemm_library k = KN_GEMM_OWN; k <= KN_GEMM_CUBLAS; k++)
                if (strcmp(value, kn_gemm_library_name(k)) == 0)
                    libraries[k] = any_library = found = true;
            if (!found)
                return usage(argv[0]);
            i++;
        } else
            return usage(argv[0]);
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    const kn_device_info *info = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    bench.named = any_library;
    for (size_t k = KN_GEMM_OWN; k <= KN_GEMM_CUBLAS; k++)
        libraries[k] = libraries[k] || !any_library;
    if (size_count == 0) {
        size_count = KI_COUNT(usual);
        memcpy(sizes, usual, sizeof usual);
    }
    for (size_t k = 0; k < KI_COUNT(kinds); k++)
        for (size_t s = 0;
             s < size_count && (types[k] || !any_type) && (kinds[k].type == KN_F32 || info->fp64); s++)
            bench_size(&bench, &kinds[k], sizes[s], libraries);
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
