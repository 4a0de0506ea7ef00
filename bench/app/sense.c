// SPDX-License-Identifier: Apache-2.0
// Times SENSE: the image of a scan of several coils with known sensitivities by conjugate gradients, from
// samples in the device's memory to an image there, planning included and programs compiled before: F^H d
// of every coil, Q, and the iterations. First the same on the host in double precision, which the device's
// image is compared with.
//
//     bench/sense [--device SPEC] [--matrix NX,NY,NZ] [--samples M] [--coils N] [--iterations N]
//                 [--adjoint auto|direct|separable|nufft]
//
// The NUFFT is to 1e-5 on the device, and to 1e-9 on the host. The lecture's problem is that of --matrix
// 128,128,128 --samples 400000 --coils 1.
// By default 64 x 64 x 16 voxels, 4 coils, 66,592 samples a coil at random in the band, and 20 iterations.
// Coils lie around the head phantom, whose samples the host computes. Stages are timed with a wait behind
// each, `all` without.
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { REPETITIONS = 15, STAGES = 5 };
static const char *const stages[STAGES] = {"plan", "F^H d", "Q", "maps", "iterations"};

struct bench {
    kn_recon_matrix matrix;
    kn_recon_adjoint_method adjoint;
    size_t samples, coils, iterations, voxels;
    double *k, *maps;
    double complex *data, *image; // image: in double precision
    kn_context *context;
    kn_queue *queue;
    kn_buffer *data_there, *right_there, *image_there;
    char why[256];
    kn_error err;
};

// In [-1, 1).
static double uniform(uint64_t *seed)
{
    return (double)(int64_t)bench_random(seed) * 0x1p-63;
}

static void make_scan(struct bench *b)
{
    uint64_t seed = 1;

    b->k = bench_allocate(3 * b->samples * sizeof *b->k);
    for (size_t m = 0; m < b->samples; m++)
        for (size_t axis = 0; axis < 3; axis++)
            b->k[3 * m + axis] =
                b->matrix.size[axis] > 1 ? (double)b->matrix.size[axis] / 2 * uniform(&seed) : 0;
    b->maps = bench_allocate(2 * b->coils * b->voxels * sizeof *b->maps);
    for (size_t coil = 0; coil < b->coils; coil++)
        for (size_t n = 0; n < b->voxels; n++) {
            double angle = 2 * acos(-1) * (double)coil / (double)b->coils;
            double x = (double)(n % b->matrix.size[0]) / (double)b->matrix.size[0] - 0.5,
                   y = (double)(n / b->matrix.size[0] % b->matrix.size[1]) / (double)b->matrix.size[1] - 0.5;
            double far = hypot(x - 0.6 * cos(angle), y - 0.6 * sin(angle)), size = exp(-2 * far * far),
                   phase = angle + 2 * x * cos(angle) - y;

            b->maps[2 * (coil * b->voxels + n)] = size * cos(phase);
            b->maps[2 * (coil * b->voxels + n) + 1] = size * sin(phase);
        }
}

// ---- operators, in either place ----

struct operators {
    kn_recon_plan *plan;
    kn_operator *one, *encoding; // F of one coil, and of all
    kn_operator *normal_one, *normal;
    kn_solve_plan *solve;
};

static void free_operators(struct operators *o)
{
    kn_solve_plan_free(o->solve);
    kn_operator_free(o->normal);
    kn_operator_free(o->normal_one);
    kn_operator_free(o->encoding);
    kn_operator_free(o->one);
    kn_recon_plan_free(o->plan);
}

static void make_plan(struct bench *b, kn_queue *queue, struct operators *o)
{
    kn_recon_options options = KN_INIT(kn_recon_options, .adjoint = b->adjoint);

    if (b->adjoint == KN_RECON_ADJOINT_NUFFT)
        options.nufft_tolerance = queue ? 1e-5 : 1e-9;

    bench_try(kn_recon_plan_create(queue, &b->matrix, b->k, b->samples, &options, &o->plan, &b->err),
              &b->err);
    bench_try(kn_recon_operator_create(o->plan, KN_RECON_OPERATOR_ENCODING, &o->one, &b->err), &b->err);
}

static void make_encoding(struct bench *b, kn_queue *queue, struct operators *o)
{
    bench_try(kn_recon_sense_create(queue, o->one, true, b->maps, b->coils, &o->encoding, &b->err), &b->err);
}

static void make_normal(struct bench *b, struct operators *o)
{
    bench_try(kn_recon_operator_create(o->plan, KN_RECON_OPERATOR_NORMAL, &o->normal_one, &b->err), &b->err);
}

static void make_solver(struct bench *b, kn_queue *queue, struct operators *o)
{
    const kn_solve_options options =
        KN_INIT(kn_solve_options, .method = KN_SOLVE_CG, .iterations = b->iterations);

    bench_try(kn_recon_sense_create(queue, o->normal_one, false, b->maps, b->coils, &o->normal, &b->err),
              &b->err);
    bench_try(kn_solve_plan_create(queue, o->normal, &options, &o->solve, &b->err), &b->err);
}

// ---- double precision ----

// The samples that coils have of the phantom, and the image of them.
static void solve_host(struct bench *b)
{
    struct operators o = {.plan = NULL};
    double *phantom = bench_allocate(b->voxels * sizeof *phantom);
    double complex *right = bench_allocate(b->voxels * sizeof *right);
    kn_solve_result result;

    b->data = bench_allocate(b->coils * b->samples * sizeof *b->data);
    b->image = bench_allocate(b->voxels * sizeof *b->image);
    bench_try(kn_recon_phantom_image(&b->matrix, 1, phantom, &b->err), &b->err);
    for (size_t n = 0; n < b->voxels; n++)
        b->image[n] = phantom[n];
    make_plan(b, NULL, &o);
    make_encoding(b, NULL, &o);
    make_normal(b, &o);
    make_solver(b, NULL, &o);
    bench_try(kn_operator_apply_host(o.encoding, false, b->image, b->data, &b->err), &b->err);
    bench_try(kn_operator_apply_host(o.encoding, true, b->data, right, &b->err), &b->err);
    memset(b->image, 0, b->voxels * sizeof *b->image);
    bench_try(kn_solve_execute(o.solve, right, b->image, &result, &b->err), &b->err);
    free_operators(&o);
    free(phantom);
    free(right);
}

// ---- on the device ----

static kn_buffer *make_buffer(struct bench *b, const double complex *from, size_t count)
{
    float *pairs = bench_allocate(count * 2 * sizeof *pairs);
    kn_buffer *buffer;

    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = from ? (float)creal(from[i]) : 0;
        pairs[2 * i + 1] = from ? (float)cimag(from[i]) : 0;
    }
    bench_try(kn_buffer_create(b->context, count * 2 * sizeof *pairs, &buffer, &b->err), &b->err);
    bench_try(kn_buffer_write(b->queue, buffer, 0, pairs, count * 2 * sizeof *pairs, &b->err), &b->err);
    free(pairs);
    return buffer;
}

// Behind each stage, if `seconds` has room for them, it waits.
static void mark(struct bench *b, double *seconds, size_t stage, double *since)
{
    if (!seconds)
        return;
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
    seconds[stage] = bench_seconds() - *since;
    *since = bench_seconds();
}

static double solve_device(struct bench *b, double *seconds)
{
    struct operators o = {.plan = NULL};
    double start, since, took;

    bench_try(kn_buffer_fill(b->queue, b->image_there, "\0\0\0\0", 4, 0, b->voxels * 2 * sizeof(float), NULL,
                             &b->err),
              &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
    start = since = bench_seconds();
    make_plan(b, b->queue, &o);
    mark(b, seconds, 0, &since);
    make_encoding(b, b->queue, &o);
    bench_try(kn_operator_apply(b->queue, o.encoding, true, b->data_there, b->right_there, &b->err), &b->err);
    mark(b, seconds, 1, &since);
    make_normal(b, &o);
    mark(b, seconds, 2, &since);
    make_solver(b, b->queue, &o);
    mark(b, seconds, 3, &since);
    bench_try(kn_solve_execute_buffers(o.solve, b->right_there, b->image_there, NULL, &b->err), &b->err);
    mark(b, seconds, 4, &since);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
    took = bench_seconds() - start;
    snprintf(b->why, sizeof b->why, "%s", kn_recon_plan_get_adjoint_why(o.plan));
    free_operators(&o);
    return took;
}

static double error_of(struct bench *b)
{
    float *pairs = bench_allocate(b->voxels * 2 * sizeof *pairs);
    double off = 0, energy = 0;

    bench_try(kn_buffer_read(b->queue, b->image_there, 0, pairs, b->voxels * 2 * sizeof *pairs, &b->err),
              &b->err);
    for (size_t n = 0; n < b->voxels; n++) {
        off += pow((double)pairs[2 * n] - creal(b->image[n]), 2) +
               pow((double)pairs[2 * n + 1] - cimag(b->image[n]), 2);
        energy += pow(cabs(b->image[n]), 2);
    }
    free(pairs);
    return sqrt(off / energy);
}

static bool run(struct bench *b)
{
    double parts[STAGES][REPETITIONS], seconds[STAGES], all[REPETITIONS], first, start = bench_seconds();
    double error;
    struct bench_times times;

    make_scan(b);
    solve_host(b);
    printf("double precision on the host, samples too: %.3f s\n", bench_seconds() - start);
    b->data_there = make_buffer(b, b->data, b->coils * b->samples);
    b->right_there = make_buffer(b, NULL, b->voxels);
    b->image_there = make_buffer(b, NULL, b->voxels);
    first = solve_device(b, NULL);
    error = error_of(b);
    printf("%s; the first run, with compiling: %.3f s\n", b->why, first);
    printf("relative error of the image after %zu iterations: %.2g  %s\n", b->iterations, error,
           error < 1e-3 ? "right" : "WRONG");
    if (!(error < 1e-3))
        return false;
    for (size_t i = 0; i < REPETITIONS; i++) {
        (void)solve_device(b, seconds);
        for (size_t stage = 0; stage < STAGES; stage++)
            parts[stage][i] = seconds[stage];
        all[i] = solve_device(b, NULL);
    }
    for (size_t stage = 0; stage < STAGES; stage++)
        printf("%-12s %8.3f ms\n", stages[stage], 1e3 * bench_times_of(parts[stage], REPETITIONS).median);
    times = bench_times_of(all, REPETITIONS);
    printf("%-12s %8.3f ms, from %.3f to %.3f\n", "all", 1e3 * times.median, 1e3 * times.least,
           1e3 * times.most);
    return true;
}

static kn_recon_adjoint_method adjoint_of(const char *word)
{
    for (int i = 0; kn_recon_adjoint_method_name((kn_recon_adjoint_method)i); i++)
        if (strcmp(word, kn_recon_adjoint_method_name((kn_recon_adjoint_method)i)) == 0)
            return (kn_recon_adjoint_method)i;
    fprintf(stderr, "sense: --adjoint %s: expected auto, direct, separable or nufft\n", word);
    exit(2);
}

int main(int argc, char **argv)
{
    struct bench b = {.matrix = {3, {64, 64, 16}}, .samples = 66592, .coils = 4, .iterations = 20};
    const char *spec = NULL;
    bool right;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--device") == 0)
            spec = argv[i + 1];
        else if (strcmp(argv[i], "--matrix") == 0)
            sscanf(argv[i + 1], "%zu,%zu,%zu", &b.matrix.size[0], &b.matrix.size[1], &b.matrix.size[2]);
        else if (strcmp(argv[i], "--samples") == 0)
            b.samples = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--coils") == 0)
            b.coils = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--iterations") == 0)
            b.iterations = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--adjoint") == 0)
            b.adjoint = adjoint_of(argv[i + 1]);
    }
    b.voxels = b.matrix.size[0] * b.matrix.size[1] * b.matrix.size[2];
    bench_try(kn_context_open(spec, NULL, &b.context, &b.err), &b.err);
    bench_try(kn_queue_open(b.context, &b.queue, &b.err), &b.err);
    printf("%s: %s, driver %s\n", kn_context_get_device(b.context)->spec,
           kn_context_get_device(b.context)->name, kn_context_get_device(b.context)->driver);
    right = run(&b);
    kn_buffer_free(b.data_there);
    kn_buffer_free(b.right_there);
    kn_buffer_free(b.image_there);
    kn_queue_close(b.queue);
    kn_context_close(b.context);
    free(b.k);
    free(b.maps);
    free(b.data);
    free(b.image);
    return right ? 0 : 1;
}
