// SPDX-License-Identifier: Apache-2.0
// Times the lecture's problem by the public interface, with data and image in device memory: Q, F^H d, 20
// iterations of conjugate gradients, and F of the image, by each way of computing the sums.
//
//     bench/lecture [--device SPEC] [--matrix N] [--samples M] [--iterations I] [--adjoint NAME]...
//
// N^3 voxels (128) and M samples (400,000) at random in the band; 20 iterations; direct and separable. Each
// way is run twice, and the second time counts, with all programs compiled. Columns: the wall time of
// planning and Q, of F^H d, of the iterations, of these three, and of F alone, in milliseconds; terms of F a
// second; and of F^H d and the image the difference from the first way's, in the 2-norm, relative.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

#include "bench/bench.h"

enum { ADJOINTS = 4 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    kn_recon_matrix matrix;
    size_t voxels, samples, iterations;
    double *k;
    kn_buffer *data, *right, *image, *back;
    float *first_right, *first_image; // of the first way
};

struct seconds {
    double prepare, adjoint, solve, forward;
};

static double uniform(uint64_t *seed)
{
    return (double)(int64_t)bench_random(seed) * 0x1p-63;
}

static kn_buffer *make_buffer(struct bench *b, size_t count)
{
    kn_buffer *buffer;

    bench_try(kn_buffer_create(b->context, 2 * count * sizeof(float), &buffer, &b->err), &b->err);
    return buffer;
}

static void make(struct bench *b)
{
    float *data = bench_allocate(2 * b->samples * sizeof *data);
    uint64_t seed = 1;

    b->k = bench_allocate(3 * b->samples * sizeof *b->k);
    for (size_t i = 0; i < 3 * b->samples; i++)
        b->k[i] = (double)b->matrix.size[i % 3] / 2 * uniform(&seed);
    for (size_t i = 0; i < 2 * b->samples; i++)
        data[i] = (float)uniform(&seed);
    b->data = make_buffer(b, b->samples);
    b->back = make_buffer(b, b->samples);
    b->right = make_buffer(b, b->voxels);
    b->image = make_buffer(b, b->voxels);
    bench_try(kn_buffer_write(b->queue, b->data, 0, data, 2 * b->samples * sizeof *data, &b->err), &b->err);
    free(data);
}

// Since `*since`, when all is done; which is now then.
static double lap(struct bench *b, double *since)
{
    double now, taken;

    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
    now = bench_seconds();
    taken = now - *since;
    *since = now;
    return taken;
}

static struct seconds run(struct bench *b, kn_recon_adjoint_method method, char *why, size_t room)
{
    const kn_recon_options options = KN_INIT(kn_recon_options, .adjoint = method);
    const kn_solve_options solving =
        KN_INIT(kn_solve_options, .method = KN_SOLVE_CG, .iterations = b->iterations);
    kn_recon_plan *plan;
    kn_operator *normal;
    kn_solve_plan *solver;
    struct seconds seconds;
    double since = 0;

    bench_try(
        kn_buffer_fill(b->queue, b->image, "\0\0\0\0", 4, 0, 2 * b->voxels * sizeof(float), NULL, &b->err),
        &b->err);
    lap(b, &since);
    bench_try(kn_recon_plan_create(b->queue, &b->matrix, b->k, b->samples, &options, &plan, &b->err),
              &b->err);
    bench_try(kn_recon_operator_create(plan, KN_RECON_OPERATOR_NORMAL, &normal, &b->err), &b->err);
    bench_try(kn_solve_plan_create(b->queue, normal, &solving, &solver, &b->err), &b->err);
    seconds.prepare = lap(b, &since);
    bench_try(kn_recon_adjoint_buffers(plan, b->data, b->right, &b->err), &b->err);
    seconds.adjoint = lap(b, &since);
    bench_try(kn_solve_execute_buffers(solver, b->right, b->image, NULL, &b->err), &b->err);
    seconds.solve = lap(b, &since);
    bench_try(kn_recon_forward_buffers(plan, b->image, b->back, &b->err), &b->err);
    lap(b, &since); // what is prepared the first time
    bench_try(kn_recon_forward_buffers(plan, b->image, b->back, &b->err), &b->err);
    seconds.forward = lap(b, &since);
    snprintf(why, room, "%s", kn_recon_plan_get_adjoint_why(plan));
    kn_solve_plan_free(solver);
    kn_operator_free(normal);
    kn_recon_plan_free(plan);
    return seconds;
}

static double difference(struct bench *b, kn_buffer *buffer, float **first)
{
    float *found = bench_allocate(2 * b->voxels * sizeof *found);
    double squares = 0, all = 0;

    bench_try(kn_buffer_read(b->queue, buffer, 0, found, 2 * b->voxels * sizeof *found, &b->err), &b->err);
    if (!*first) {
        *first = found;
        return 0;
    }
    for (size_t i = 0; i < 2 * b->voxels; i++) {
        double off = (double)found[i] - (double)(*first)[i];

        squares += off * off;
        all += (double)(*first)[i] * (double)(*first)[i];
    }
    free(found);
    return sqrt(squares / all);
}

static void bench_method(struct bench *b, kn_recon_adjoint_method method)
{
    struct seconds s;
    double terms = (double)b->voxels * (double)b->samples;
    char why[128];

    run(b, method, why, sizeof why);
    s = run(b, method, why, sizeof why);
    printf("%-10s %9.2f %9.2f %9.2f %9.2f %9.2f %9.4g %9.1e %9.1e  %s\n",
           kn_recon_adjoint_method_name(method), 1e3 * s.prepare, 1e3 * s.adjoint, 1e3 * s.solve,
           1e3 * (s.prepare + s.adjoint + s.solve), 1e3 * s.forward, 1e-9 * terms / s.forward,
           difference(b, b->right, &b->first_right), difference(b, b->image, &b->first_image), why);
    fflush(stdout);
}

static bool method_of(const char *name, kn_recon_adjoint_method *method)
{
    for (unsigned i = 0; i < ADJOINTS; i++)
        if (strcmp(name, kn_recon_adjoint_method_name((kn_recon_adjoint_method)i)) == 0) {
            *method = (kn_recon_adjoint_method)i;
            return true;
        }
    return false;
}

int main(int argc, char **argv)
{
    kn_recon_adjoint_method methods[ADJOINTS] = {KN_RECON_ADJOINT_DIRECT, KN_RECON_ADJOINT_SEPARABLE};
    struct bench b = {.err = KN_ERROR_INIT, .samples = 400000, .iterations = 20};
    const char *spec = NULL;
    size_t size = 128, named = 0;

    for (int i = 1; i < argc; i += 2) {
        bool known = i + 1 < argc;

        if (known && strcmp(argv[i], "--device") == 0)
            spec = argv[i + 1];
        else if (known && strcmp(argv[i], "--matrix") == 0)
            size = strtoul(argv[i + 1], NULL, 10);
        else if (known && strcmp(argv[i], "--samples") == 0)
            b.samples = strtoul(argv[i + 1], NULL, 10);
        else if (known && strcmp(argv[i], "--iterations") == 0)
            b.iterations = strtoul(argv[i + 1], NULL, 10);
        else
            known = known && strcmp(argv[i], "--adjoint") == 0 && named < ADJOINTS &&
                    method_of(argv[i + 1], &methods[named++]);
        if (!known || size == 0 || b.samples == 0) {
            fprintf(
                stderr,
                "usage: %s [--device SPEC] [--matrix N] [--samples M] [--iterations I] [--adjoint NAME]...\n",
                argv[0]);
            return 2;
        }
    }
    b.matrix = (kn_recon_matrix){3, {size, size, size}};
    b.voxels = size * size * size;
    bench_try(kn_context_open(spec, NULL, &b.context, &b.err), &b.err);
    bench_try(kn_queue_open(b.context, &b.queue, &b.err), &b.err);
    const kn_device_info *info = kn_context_get_device(b.context);
    printf("%s: %s, %s, driver %s; %zu^3 voxels, %zu samples, %zu iterations\n", info->spec, info->name,
           info->version, info->driver, size, b.samples, b.iterations);
    printf("%-10s %9s %9s %9s %9s %9s %9s %9s %9s\n", "ms", "Q", "F^H d", "solve", "all", "F", "Gterms/s",
           "F^H d", "image");
    make(&b);
    for (size_t i = 0; i < (named ? named : 2); i++)
        bench_method(&b, methods[i]);
    free(b.k);
    free(b.first_right);
    free(b.first_image);
    kn_buffer_free(b.data);
    kn_buffer_free(b.back);
    kn_buffer_free(b.right);
    kn_buffer_free(b.image);
    kn_queue_close(b.queue);
    kn_context_close(b.context);
    return 0;
}
