// SPDX-License-Identifier: Apache-2.0
// Tomography: the head phantom of Shepp and Logan, its sinogram, and what smearing that back over the picture (A^T b,
// without any filter) makes of it. Then an operator of your own, a detector whose neighbours see each other's light:
// the phantom from what it measures by conjugate gradients, once with that operator, and once with one that knows of no
// such light. The pictures are phantom.pgm, sinogram.pgm, back.pgm, own.pgm and plain.pgm in the folder that is named,
// or here. On the best device there is, or the one that KOINE_DEVICE names, else on the host, as the own operator is.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <koine/koine.h>

enum { SIZE = 128, ANGLES = 180, DETECTORS = 185, PIXELS = SIZE * SIZE, RAYS = ANGLES * DETECTORS, ITERATIONS = 20 };

static double phantom[PIXELS], sinogram[RAYS], back[PIXELS], measured[RAYS], own[PIXELS], plain[PIXELS];

// Grey levels from 0 to the greatest number.
static int write_pgm(const char *folder, const char *name, const double *numbers, int width, int height)
{
    char path[4096];
    double greatest = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    if (!file) {
        perror(path);
        return 1;
    }
    for (int i = 0; i < width * height; i++)
        greatest = fmax(greatest, numbers[i]);
    fprintf(file, "P5\n%d %d\n255\n", width, height);
    for (int i = 0; i < width * height; i++)
        fputc((int)(255 * fmax(numbers[i], 0) / (greatest > 0 ? greatest : 1) + 0.5), file);
    return fclose(file) != 0;
}

// y = A x, or A^T x: on the device in floats, or on the host in the doubles as they are.
static kn_status apply(kn_queue *q, const kn_operator *a, bool adjoint, const double *x, double *y, kn_error *err)
{
    static float singles[RAYS > PIXELS ? RAYS : PIXELS];
    size_t from = adjoint ? RAYS : PIXELS, to = adjoint ? PIXELS : RAYS;
    kn_buffer *in = NULL, *out = NULL;
    kn_status status;

    if (!q)
        return kn_operator_apply_host(a, adjoint, x, y, err);
    for (size_t i = 0; i < from; i++)
        singles[i] = (float)x[i];
    status = kn_buffer_create(kn_operator_get_context(a), from * sizeof *singles, &in, err);
    if (!status)
        status = kn_buffer_create(kn_operator_get_context(a), to * sizeof *singles, &out, err);
    if (!status)
        status = kn_buffer_write(q, in, 0, singles, from * sizeof *singles, err);
    if (!status)
        status = kn_operator_apply(q, a, adjoint, in, out, err);
    if (!status)
        status = kn_buffer_read(q, out, 0, singles, to * sizeof *singles, err);
    for (size_t i = 0; i < to && !status; i++)
        y[i] = (double)singles[i];
    kn_buffer_free(in);
    kn_buffer_free(out);
    return status;
}

// y: half of each detector's x, and a quarter of either neighbour's. It is its own adjoint.
static void share_light(const double *x, double *y)
{
    for (int t = 0; t < ANGLES; t++)
        for (int k = 0; k < DETECTORS; k++) {
            const double *at = x + t * DETECTORS + k;

            y[t * DETECTORS + k] = *at / 2 + (k > 0 ? at[-1] / 4 : 0) + (k + 1 < DETECTORS ? at[1] / 4 : 0);
        }
}

// An operator of your own: rays first, a kn_operator of the host, and then the light; the adjoint the other way.
static kn_status detect(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    static double sums[RAYS];
    const kn_operator *rays = data;
    kn_status status;

    if (adjoint) {
        share_light(from, sums);
        return kn_operator_apply_host(rays, true, sums, to, err);
    }
    status = kn_operator_apply_host(rays, false, from, sums, err);
    if (!status)
        share_light(sums, to);
    return status;
}

static kn_status solve(kn_operator *a, const double *b, double *x, kn_error *err)
{
    const kn_solve_options options = KN_INIT(kn_solve_options, .method = KN_SOLVE_CGNR, .iterations = ITERATIONS);
    kn_solve_plan *plan = NULL;
    kn_solve_result result;
    kn_status status = kn_solve_plan_create(NULL, a, &options, &plan, err);

    if (!status)
        status = kn_solve_execute(plan, b, x, &result, err);
    kn_solve_plan_free(plan);
    return status;
}

// What the detector measures of the phantom, and the phantom from it.
static kn_status try_own(const kn_tomography_geometry *geometry, double *mismatch, kn_error *err)
{
    kn_operator *rays = NULL, *a = NULL;
    kn_status status = kn_tomography_operator_create(NULL, geometry, NULL, &rays, err);
    const kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = RAYS, .columns = PIXELS,
                                                    .type = KN_F64, .apply_host = detect, .data = rays);

    if (!status)
        status = kn_operator_create(NULL, &functions, &a, err);
    if (!status)
        status = kn_operator_check_adjoint(NULL, a, 1, mismatch, err);
    if (!status)
        status = kn_operator_apply_host(a, false, phantom, measured, err);
    if (!status)
        status = solve(a, measured, own, err);
    kn_operator_free(a);
    kn_operator_free(rays);
    return status;
}

// The same by rays alone, where they are computed fastest.
static kn_status try_plain(kn_queue *q, const kn_tomography_geometry *geometry, kn_error *err)
{
    const kn_least_squares_task task = KN_INIT(kn_least_squares_task, .geometry = geometry, .b = measured, .count = 1);
    const kn_least_squares_options options = KN_INIT(kn_least_squares_options, .iterations = ITERATIONS);

    return kn_least_squares(q, &task, plain, &options, NULL, err);
}

// How far a picture is from the phantom, as a part of it.
static double distance(const double *picture)
{
    double sum = 0, whole = 0;

    for (int i = 0; i < PIXELS; i++) {
        sum += (picture[i] - phantom[i]) * (picture[i] - phantom[i]);
        whole += phantom[i] * phantom[i];
    }
    return sqrt(sum / whole);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = ANGLES, .detectors = DETECTORS, .size = SIZE);
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL; // NULL is the host
    kn_operator *a = NULL;
    double mismatch[2];
    int failed;

    if (kn_context_open(NULL, NULL, &ctx, &err)) { // without a device there is the host
        fprintf(stderr, "tomography: %s\n", err.text);
        err.code = KN_OK;
    }
    if ((ctx && kn_queue_open(ctx, &q, &err)) ||
        kn_tomography_phantom(SIZE, 4, phantom, &err) ||
        kn_tomography_operator_create(q, &geometry, NULL, &a, &err) ||
        apply(q, a, false, phantom, sinogram, &err) ||
        apply(q, a, true, sinogram, back, &err) ||
        kn_operator_check_adjoint(q, a, 1, &mismatch[0], &err) ||
        try_own(&geometry, &mismatch[1], &err) ||
        try_plain(q, &geometry, &err))
        fprintf(stderr, "tomography: %s\n", err.text);

    failed = (int)err.code;
    if (!failed) {
        printf("%zu x %zu, %s on %s: A and its adjoint match to %.1g, the own pair to %.1g\n", kn_operator_get_rows(a),
               kn_operator_get_columns(a), kn_sparse_format_name(kn_sparse_operator_get_format(a, false)),
               q ? kn_context_get_device(ctx)->name : "the host", mismatch[0], mismatch[1]);
        printf("off the phantom by %.1f %% of it; with rays that know of no shared light, by %.1f %%\n",
               100 * distance(own), 100 * distance(plain));
        failed = write_pgm(folder, "phantom.pgm", phantom, SIZE, SIZE) ||
                 write_pgm(folder, "sinogram.pgm", sinogram, DETECTORS, ANGLES) ||
                 write_pgm(folder, "back.pgm", back, SIZE, SIZE) ||
                 write_pgm(folder, "own.pgm", own, SIZE, SIZE) ||
                 write_pgm(folder, "plain.pgm", plain, SIZE, SIZE);
    }
    kn_operator_free(a);
    kn_queue_close(q);
    kn_context_close(ctx);
    return failed;
}
