// SPDX-License-Identifier: Apache-2.0
// The four tasks of bench/twins, each with its inputs, its sizes, and the bound on its error in float.
#include "twins.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT                                                                                                 \
    0x1p-24 // half the distance from 1 to the next float: the largest relative error of one operation
#define PI 3.14159265358979323846

enum {
    STREAM_FLOATS = 1 << 27, // two arrays of 512 MiB
    TRANSPOSE_N = 16384,
    PRODUCT_N = 4096,
    FHD_VOXELS = 1 << 21, // 128^3
    FHD_SAMPLES = 2048,   // 48 KiB of constant memory
    FHD_GROUP = 256,
    LOOKS = 512, // results compared with double precision where each is long to compute
};

// The bound on the relative error of `count` roundings in a row (Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, lemma 3.1).
static double rounded(double count)
{
    return count * UNIT / (1 - count * UNIT);
}

static float *allocate(size_t floats)
{
    float *memory = malloc(floats * sizeof *memory);

    if (!memory) {
        fprintf(stderr, "bench: out of memory: %zu bytes\n", floats * sizeof *memory);
        exit(5);
    }
    return memory;
}

// Uniform in [-scale, scale).
static float *uniform(size_t floats, double scale, uint64_t seed)
{
    float *values = allocate(floats);

    for (size_t i = 0; i < floats; i++)
        values[i] = (float)(scale * (ldexp((double)(bench_random(&seed) >> 11), -52) - 1));
    return values;
}

static kn_buffer *upload(kn_context *context, kn_queue *queue, const float *values, size_t floats)
{
    kn_error err = KN_ERROR_INIT;
    kn_buffer *buffer = NULL;

    bench_try(kn_buffer_create(context, floats * sizeof *values, &buffer, &err), &err);
    if (values)
        bench_try(kn_buffer_write(queue, buffer, 0, values, floats * sizeof *values, &err), &err);
    return buffer;
}

// The larger of `worst` and this error relative to its bound; a NaN is infinitely wrong.
static double worse(double worst, double found, double wanted, double allowed)
{
    double error = fabs(found - wanted) / allowed;

    return error <= worst ? worst : isnan(error) ? INFINITY : error;
}

void twins_free(struct twins_task *task)
{
    for (size_t i = 0; i < task->arg_count; i++)
        kn_buffer_free((kn_buffer *)task->args[i].buffer);
    for (size_t i = 0; i < sizeof task->inputs / sizeof *task->inputs; i++)
        free(task->inputs[i]);
}

// ---- y = a x + y ----

static double stream_worst(const struct twins_task *task, const float *found, double *bound)
{
    const float *x = task->inputs[0], *y = task->inputs[1];
    double worst = 0;

    *bound = 0;
    for (size_t i = 0; i < task->floats; i++) {
        double product = (double)task->factor * (double)x[i];
        double allowed = rounded(2) * (fabs(product) + fabs((double)y[i]));
        *bound = fmax(*bound, allowed);
        worst = worse(worst, (double)found[i], product + (double)y[i], allowed);
    }
    return worst;
}

void twins_stream(struct twins_task *task, kn_context *context, kn_queue *queue)
{
    size_t n = STREAM_FLOATS;

    *task =
        (struct twins_task){.file = "twin_stream", .kernel = "stream", .unit = "GB/s", .worst = stream_worst};
    task->factor = 0.7f;
    task->n = (uint32_t)(n / 4);
    task->amount = 3.0 * (double)n * sizeof(float);
    task->range = (kn_range){1, {n / 4}, {256}, {0}};
    task->inputs[0] = uniform(n, 1, 1);
    task->before = task->inputs[1] = uniform(n, 1, 2);
    task->output = upload(context, queue, task->before, n);
    task->floats = n;
    task->args[0] = KN_VALUE(task->factor);
    task->args[1] = KN_BUFFER(upload(context, queue, task->inputs[0], n));
    task->args[2] = KN_BUFFER(task->output);
    task->args[3] = KN_VALUE(task->n);
    task->arg_count = 4;
}

// ---- the transpose ----

// Moved, not computed: any difference is infinitely wrong.
static double transpose_worst(const struct twins_task *task, const float *found, double *bound)
{
    const float *in = task->inputs[0];
    size_t n = task->n;

    *bound = 0;
    for (size_t row = 0; row < n; row++)
        for (size_t column = 0; column < n; column++)
            if (memcmp(&found[row * n + column], &in[column * n + row], sizeof *in) != 0)
                return INFINITY;
    return 0;
}

void twins_transpose(struct twins_task *task, kn_context *context, kn_queue *queue)
{
    size_t n = TRANSPOSE_N;

    *task = (struct twins_task){
        .file = "twin_transpose", .kernel = "transpose", .unit = "GB/s", .worst = transpose_worst};
    task->n = (uint32_t)n;
    task->floats = n * n;
    task->amount = 2.0 * (double)task->floats * sizeof(float);
    task->range = (kn_range){2, {n, n / 4}, {32, 8}, {0}};
    task->inputs[0] = uniform(task->floats, 1, 3);
    task->output = upload(context, queue, NULL, task->floats);
    task->args[0] = KN_BUFFER(upload(context, queue, task->inputs[0], task->floats));
    task->args[1] = KN_BUFFER(task->output);
    task->args[2] = KN_VALUE(task->n);
    task->arg_count = 3;
}

// ---- the matrix product ----

static double product_worst(const struct twins_task *task, const float *found, double *bound)
{
    const float *a = task->inputs[0], *b = task->inputs[1];
    size_t n = task->n;
    uint64_t seed = 4;
    double worst = 0;

    *bound = 0;
    for (int look = 0; look < LOOKS; look++) {
        size_t row = bench_random(&seed) % n, column = bench_random(&seed) % n;
        double sum = 0, magnitude = 0;
        for (size_t k = 0; k < n; k++) {
            double product = (double)a[row * n + k] * (double)b[k * n + column];
            sum += product;
            magnitude += fabs(product);
        }
        double allowed = rounded((double)n) * magnitude;
        *bound = fmax(*bound, allowed);
        worst = worse(worst, (double)found[row * n + column], sum, allowed);
    }
    return worst;
}

void twins_product(struct twins_task *task, kn_context *context, kn_queue *queue)
{
    size_t n = PRODUCT_N;

    *task = (struct twins_task){
        .file = "twin_product", .kernel = "product", .unit = "GFLOP/s", .worst = product_worst};
    task->n = (uint32_t)n;
    task->floats = n * n;
    task->amount = 2.0 * (double)n * (double)n * (double)n;
    task->range = (kn_range){2, {n / 128 * 256, n / 128}, {256, 1}, {0}};
    task->inputs[0] = uniform(task->floats, 1, 5);
    task->inputs[1] = uniform(task->floats, 1, 6);
    task->output = upload(context, queue, NULL, task->floats);
    task->args[0] = KN_BUFFER(upload(context, queue, task->inputs[0], task->floats));
    task->args[1] = KN_BUFFER(upload(context, queue, task->inputs[1], task->floats));
    task->args[2] = KN_BUFFER(task->output);
    task->args[3] = KN_VALUE(task->n);
    task->arg_count = 4;
}

// ---- the adjoint Fourier transform ----

// The hardware's sine and cosine are within 2^-20.5 over [-2 pi, 2 pi] (PTX ISA, sin.approx). The phase they
// are given is as good as k r in float, times 2 pi, rounded twice; then come two additions a sample.
static double fhd_worst(const struct twins_task *task, const float *found, double *bound)
{
    const float *k = task->inputs[0], *d = task->inputs[1], *r = task->inputs[2];
    uint64_t seed = 7;
    double worst = 0;

    *bound = 0;
    for (int look = 0; look < LOOKS; look++) {
        size_t voxel = bench_random(&seed) % FHD_VOXELS;
        const float *at = &r[4 * voxel];
        double re = 0, im = 0, allowed = 0;
        for (size_t m = 0; m < FHD_SAMPLES; m++) {
            double turns = 0, magnitude = 0, dx = (double)d[2 * m], dy = (double)d[2 * m + 1];
            for (size_t axis = 0; axis < 3; axis++) {
                turns += (double)k[4 * m + axis] * (double)at[axis];
                magnitude += fabs((double)k[4 * m + axis] * (double)at[axis]);
            }
            re += dx * cos(2 * PI * turns) - dy * sin(2 * PI * turns);
            im += dx * sin(2 * PI * turns) + dy * cos(2 * PI * turns);
            allowed += (fabs(dx) + fabs(dy)) * (exp2(-20.5) + 2 * PI * rounded(3) * magnitude +
                                                PI * rounded(2) + rounded(2 * FHD_SAMPLES + 1));
        }
        *bound = fmax(*bound, allowed);
        worst = worse(worst, (double)found[2 * voxel], re, allowed);
        worst = worse(worst, (double)found[2 * voxel + 1], im, allowed);
    }
    return worst;
}

// k within the band of a 128^3 image, r on its grid.
static void fhd(struct twins_task *task, kn_context *context, kn_queue *queue, size_t voxels_an_item)
{
    float *r = allocate(4 * (size_t)FHD_VOXELS);

    *task = (struct twins_task){.file = "twin_fhd", .kernel = "fhd", .unit = "G pairs/s", .worst = fhd_worst};
    for (size_t i = 0; i < FHD_VOXELS; i++)
        for (unsigned axis = 0; axis < 4; axis++)
            r[4 * i + axis] = axis < 3 ? (float)(i >> 7 * axis & 127) / 128.0f - 0.5f : 0.0f;
    task->amount = (double)FHD_VOXELS * FHD_SAMPLES;
    task->range = (kn_range){1, {FHD_VOXELS / voxels_an_item}, {FHD_GROUP}, {0}};
    task->floats = 2 * (size_t)FHD_VOXELS;
    task->inputs[0] = uniform(4 * (size_t)FHD_SAMPLES, 64, 8);
    task->inputs[1] = uniform(2 * (size_t)FHD_SAMPLES, 1, 9);
    task->inputs[2] = r;
    task->output = upload(context, queue, NULL, task->floats);
    task->args[0] = KN_BUFFER(upload(context, queue, task->inputs[0], 4 * (size_t)FHD_SAMPLES));
    task->args[1] = KN_BUFFER(upload(context, queue, task->inputs[1], 2 * (size_t)FHD_SAMPLES));
    task->args[2] = KN_BUFFER(upload(context, queue, r, 4 * (size_t)FHD_VOXELS));
    task->args[3] = KN_BUFFER(task->output);
    task->arg_count = 4;
    task->constants = 2;
}

void twins_fhd_1(struct twins_task *task, kn_context *context, kn_queue *queue)
{
    fhd(task, context, queue, 1);
}

void twins_fhd_8(struct twins_task *task, kn_context *context, kn_queue *queue)
{
    fhd(task, context, queue, 8);
}
