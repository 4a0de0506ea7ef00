// SPDX-License-Identifier: Apache-2.0
// Tomography in four steps: the head phantom of Shepp and Logan, its sinogram, and what smearing that back over the picture
// (A^T b, without any filter) makes of it, as phantom.pgm, sinogram.pgm and back.pgm in the folder that is named, or here.
// Then an operator of one's own, differences of neighbouring pixels, for what koine/operator.h does with operators of any
// kind. On the best device there is, or the one that KOINE_DEVICE names; else on the host.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <koine/koine.h>

enum { SIZE = 128, ANGLES = 180, DETECTORS = 185, PIXELS = SIZE * SIZE, RAYS = ANGLES * DETECTORS };

static double phantom[PIXELS], sinogram[RAYS], back[PIXELS];

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

// An operator of one's own: element i of D x is x[i + 1] - x[i]; the adjoint takes the same weights the other way.
static kn_status differences(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    size_t n = *(const size_t *)data; // of x
    const double *x = from;
    double *y = to;

    (void)err;
    for (size_t i = 0; i + 1 < n && !adjoint; i++)
        y[i] = x[i + 1] - x[i];
    for (size_t i = 0; i < n && adjoint; i++)
        y[i] = (i > 0 ? x[i - 1] : 0) - (i + 1 < n ? x[i] : 0);
    return KN_OK;
}

static kn_status try_own(double *mismatch, kn_error *err)
{
    size_t n = PIXELS;
    const kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = n - 1, .columns = n, .type = KN_F64,
                                                    .apply_host = differences, .data = &n);
    kn_operator *d = NULL;
    kn_status status = kn_operator_create(NULL, &functions, &d, err);

    if (!status)
        status = kn_operator_check_adjoint(NULL, d, 1, mismatch, err);
    kn_operator_free(d);
    return status;
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
        try_own(&mismatch[1], &err))
        fprintf(stderr, "tomography: %s\n", err.text);

    failed = (int)err.code;
    if (!failed) {
        printf("%zu x %zu, %s on %s: A and its adjoint match to %.1g, D and its own to %.1g\n", kn_operator_get_rows(a),
               kn_operator_get_columns(a), kn_sparse_format_name(kn_sparse_operator_get_format(a, false)),
               q ? kn_context_get_device(ctx)->name : "the host", mismatch[0], mismatch[1]);
        failed = write_pgm(folder, "phantom.pgm", phantom, SIZE, SIZE) ||
                 write_pgm(folder, "sinogram.pgm", sinogram, DETECTORS, ANGLES) ||
                 write_pgm(folder, "back.pgm", back, SIZE, SIZE);
    }
    kn_operator_free(a);
    kn_queue_close(q);
    kn_context_close(ctx);
    return failed;
}
