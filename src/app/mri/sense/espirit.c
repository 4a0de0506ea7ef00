// SPDX-License-Identifier: Apache-2.0
// Maps by ESPIRiT. With patches a_p of k-space, of `kernel` cells of all coils each, P the projection on
// their span, and E_p what cuts a patch out, (1 / kernel) sum_p E_p^H P E_p leaves k-space as it is. That is
// a convolution, of the taps
//
//     h_cc'[d] = (1 / kernel) sum_o P[(c, o), (c', o + d)] ,
//
// and so at each voxel a product of the coils' values with H_cc'(r) = sum_d h_cc'[d] exp(-i 2 pi d . r).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "calibration.h"
#include "eigenmaps.h"
#include "host/eigen/host_eigen.h"

enum { KERNEL = MRI_ESPIRIT_KERNEL, LEAST = MRI_ESPIRIT_LEAST };
static const double span = 0.001, crop = 0.8;

struct espirit {
    size_t coils, kernel, taps, rows;       // cells of a patch, differences of two, rows of the Gram matrix
    size_t side[MRI_AXES], reach[MRI_AXES]; // of a patch, and of the differences: 2 side - 1
    struct mri_calibration few;
    double complex *kspace;   // of the calibration region, a coil's together
    double complex *gram, *h; // h: of pairs of coils, the second one up to the first one, taps each
    double complex *principal;
    double complex *along[MRI_AXES]; // exp(-i 2 pi d r), a row for each voxel of the axis
};

// Cell i of `size` axes.
static void place_of(size_t i, const size_t size[MRI_AXES], size_t at[MRI_AXES])
{
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        at[axis] = i % size[axis];
        i /= size[axis];
    }
}

static size_t index_of(const size_t at[MRI_AXES], const size_t size[MRI_AXES])
{
    return at[0] + size[0] * (at[1] + size[1] * at[2]);
}

// exp(sign i 2 pi (row - row0) (column - column0) / size); NULL if memory ran out.
static double complex *exponentials(size_t rows, double row0, size_t columns, double column0, size_t size)
{
    double complex *matrix = malloc(rows * columns * sizeof *matrix);

    for (size_t i = 0; i < rows * columns && matrix; i++) {
        double turns = ((double)(i / columns) - row0) * ((double)(i % columns) - column0) / (double)size;

        matrix[i] = cexp(mri_complex(0, -2 * M_PI * turns));
    }
    return matrix;
}

// ---- the span of the patches ----

static kn_status find_kspace(struct espirit *e, kn_error *err)
{
    const size_t *size = e->few.matrix.size;
    double complex *matrices[MRI_AXES] = {NULL};
    kn_status status = KN_OK;

    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        double middle = (double)(size[axis] / 2);

        matrices[axis] = exponentials(size[axis], middle, size[axis], middle, size[axis]);
        if (!matrices[axis])
            status =
                ki_fail_memory(err, size[axis] * size[axis] * sizeof *e->kspace, "the calibration region");
    }
    for (size_t coil = 0; coil < e->coils && !status; coil++)
        status = ki_mri_along_axes(matrices, size, size, e->few.images + coil * e->few.voxels,
                                   e->kspace + coil * e->few.voxels, err);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        free(matrices[axis]);
    return status;
}

static void take_patch(const struct espirit *e, size_t p, const size_t patches[MRI_AXES],
                       double complex *patch)
{
    size_t corner[MRI_AXES];

    place_of(p, patches, corner);
    for (size_t row = 0; row < e->rows; row++) {
        size_t at[MRI_AXES];

        place_of(row % e->kernel, e->side, at);
        for (size_t axis = 0; axis < MRI_AXES; axis++)
            at[axis] += corner[axis];
        patch[row] = e->kspace[row / e->kernel * e->few.voxels + index_of(at, e->few.matrix.size)];
    }
}

// The Gram matrix's lower triangle, by patches.
static kn_status find_gram(struct espirit *e, struct ki_ask *ask, kn_error *err)
{
    size_t patches[MRI_AXES], count = 1;
    double complex *patch = malloc(e->rows * sizeof *patch);
    kn_status status = patch ? KN_OK : ki_fail_memory(err, e->rows * sizeof *patch, "the calibration region");

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        patches[axis] = e->few.matrix.size[axis] - e->side[axis] + 1;
        count *= patches[axis];
    }
    for (size_t p = 0; p < count && !status; p++) {
        status = ki_ask(ask, err);
        take_patch(e, p, patches, patch);
        for (size_t i = 0; i < e->rows; i++)
            for (size_t j = 0; j <= i; j++)
                e->gram[i * e->rows + j] += patch[i] * conj(patch[j]);
    }
    free(patch);
    return status;
}

// h += v v^H's part, for one of the vectors that span.
static void add_taps(struct espirit *e, const double complex *v)
{
    for (size_t a = 0; a < e->kernel; a++)
        for (size_t b = 0; b < e->kernel; b++) {
            size_t from[MRI_AXES], to[MRI_AXES], tap, pair = 0;

            place_of(a, e->side, from);
            place_of(b, e->side, to);
            for (size_t axis = 0; axis < MRI_AXES; axis++)
                to[axis] = to[axis] + e->side[axis] - 1 - from[axis];
            tap = index_of(to, e->reach);
            for (size_t c = 0; c < e->coils; c++)
                for (size_t other = 0; other <= c; other++, pair++)
                    e->h[pair * e->taps + tap] +=
                        v[c * e->kernel + a] * conj(v[other * e->kernel + b]) / (double)e->kernel;
        }
}

static kn_status find_taps(struct espirit *e, kn_error *err)
{
    double *values = malloc(e->rows * sizeof *values);
    size_t count = 0;
    kn_status status = values ? ki_host_eigen(e->rows, e->gram, span, values, &count, err)
                              : ki_fail_memory(err, e->rows * sizeof *values, "the calibration region");

    if (!status && !(values[0] > 0))
        status =
            ki_fail(err, KN_ERROR_ARGUMENT,
                    "the samples about k = 0 are all 0: there is nothing to estimate sensitivities from");
    for (size_t i = 0; i < count && !status; i++)
        add_taps(e, e->gram + i * e->rows);
    free(values);
    return status;
}

// The coils' principal component.
static kn_status find_principal(struct espirit *e, kn_error *err)
{
    size_t coils = e->coils, count;
    double complex *covariance = calloc(coils * coils, sizeof *covariance);
    double *values = malloc(coils * sizeof *values);
    kn_status status = covariance && values ? KN_OK : ki_fail_memory(err, coils * coils * 16, "the coils");

    for (size_t i = 0; i < coils * coils && !status; i++)
        for (size_t k = 0; k < e->few.voxels; k++)
            covariance[i] +=
                e->kspace[i / coils * e->few.voxels + k] * conj(e->kspace[i % coils * e->few.voxels + k]);
    if (!status)
        status = ki_host_eigen(coils, covariance, 0, values, &count, err);
    if (!status)
        memcpy(e->principal, covariance, coils * sizeof *e->principal);
    free(covariance);
    free(values);
    return status;
}

// ---- voxels ----

// A plane of voxels at a time.
static kn_status find_maps(const struct espirit *e, const kn_recon_matrix *matrix, struct ki_ask *ask,
                           double complex *maps, kn_error *err)
{
    const size_t *size = matrix->size, plane = size[0] * size[1], pairs = e->coils * (e->coils + 1) / 2;
    const size_t rows[MRI_AXES] = {size[0], size[1], 1};
    double complex *h = malloc(pairs * plane * sizeof *h);
    struct mri_eigenmaps job = {e->coils, plane, h, e->principal, crop, maps, plane * size[2]};
    kn_status status = h ? KN_OK : ki_fail_memory(err, pairs * plane * sizeof *h, "maps of sensitivities");

    for (size_t z = 0; z < size[2] && !status; z++) {
        double complex *const along[MRI_AXES] = {e->along[0], e->along[1], e->along[2] + z * e->reach[2]};

        status = ki_ask(ask, err);
        for (size_t pair = 0; pair < pairs && !status; pair++)
            status = ki_mri_along_axes(along, rows, e->reach, e->h + pair * e->taps, h + pair * plane, err);
        job.maps = maps + z * plane;
        if (!status)
            status = ki_mri_eigenmaps(&job, err);
    }
    free(h);
    return status;
}

// ---- together ----

static kn_status make_room(struct espirit *e, const kn_recon_matrix *matrix, kn_error *err)
{
    size_t pairs = e->coils * (e->coils + 1) / 2;
    bool room;

    e->kernel = e->taps = 1;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = matrix->size[axis], few = e->few.matrix.size[axis];

        if (few < LEAST && n > 1)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "ESPIRiT needs a calibration region of at least %d cycles along each axis, and samples are "
                "dense within %zu alone; take maps of low resolution",
                LEAST, few);
        e->side[axis] = few < KERNEL ? few : KERNEL;
        e->reach[axis] = 2 * e->side[axis] - 1;
        e->kernel *= e->side[axis];
        e->taps *= e->reach[axis];
        e->along[axis] = exponentials(n, (double)(n / 2), e->reach[axis], (double)e->side[axis] - 1, n);
    }
    e->rows = e->kernel * e->coils;
    e->kspace = malloc(e->coils * e->few.voxels * sizeof *e->kspace);
    e->gram = calloc(e->rows * e->rows, sizeof *e->gram);
    e->h = calloc(pairs * e->taps, sizeof *e->h);
    e->principal = malloc(e->coils * sizeof *e->principal);
    room = e->kspace && e->gram && e->h && e->principal && e->along[0] && e->along[1] && e->along[2];
    return room ? KN_OK : ki_fail_memory(err, e->rows * e->rows * sizeof *e->gram, "the calibration region");
}

struct mri_bytes ki_mri_maps_espirit_memory(const kn_recon_scan *scan)
{
    const size_t *size = scan->matrix.size, coils = scan->coils, pairs = coils * (coils + 1) / 2;
    size_t rows = coils, plane = saturate_times(pairs + 2, saturate_times(size[0], size[1]));

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        rows = saturate_times(rows, size[axis] < KERNEL ? size[axis] : KERNEL);
    return mri_bytes_both(ki_mri_maps_lowres_memory(scan),
                          (struct mri_bytes){.host = saturate_plus(saturate_times(plane, MRI_COMPLEX),
                                                                   saturate_times(saturate_times(rows, rows),
                                                                                  5 * MRI_COMPLEX / 2))});
}

kn_status ki_mri_maps_espirit(const kn_recon_scan *scan, struct ki_ask *ask, double complex *maps,
                              kn_error *err)
{
    struct espirit e = {.coils = scan->coils};
    kn_status status = ki_mri_calibrate(scan, MRI_CALIBRATION, ask, &e.few, err);

    if (status)
        return status;
    status = make_room(&e, &scan->matrix, err);
    if (!status)
        status = find_kspace(&e, err);
    if (!status)
        status = find_gram(&e, ask, err);
    if (!status)
        status = find_taps(&e, err);
    if (!status)
        status = find_principal(&e, err);
    if (!status)
        status = find_maps(&e, &scan->matrix, ask, maps, err);
    ki_mri_calibration_free(&e.few);
    free(e.kspace);
    free(e.gram);
    free(e.h);
    free(e.principal);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        free(e.along[axis]);
    return status;
}
