// SPDX-License-Identifier: Apache-2.0
// Maps by ESPIRiT. For patches a_p of k-space, with `kernel` cells and all coils each, let P be the
// projection on their span, and E_p the operator that extracts patch p; then (1 / kernel) sum_p E_p^H P E_p
// leaves k-space unchanged. This is a convolution with the taps
//
//     h_cc'[d] = (1 / kernel) sum_o P[(c, o), (c', o + d)] ,
//
// and so, at each voxel, a product of the coils' values with H_cc'(r) = sum_d h_cc'[d] exp(-i 2 pi d . r).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "calibration.h"
#include "eigenmaps.h"
#include "host/eigen/host_eigen.h"

enum { KERNEL = MRI_ESPIRIT_KERNEL, LEAST = MRI_ESPIRIT_LEAST };
static const double span = 0.001, crop = 0.8;

struct espirit {
    size_t coils, kernel, taps, rows; // cells of a patch, differences of two cells, rows of the Gram matrix
    size_t side[MRI_AXES], reach[MRI_AXES]; // of a patch, and of the differences: 2 side - 1
    struct mri_calibration few;
    double complex *kspace;   // of the calibration region, one coil after another
    double complex *gram, *h; // h: for pairs of coils, the second one up to the first one, taps each
    double complex *principal;
    double complex *along[MRI_AXES]; // exp(-i 2 pi d r), a row for each voxel of the axis
};

// The position of cell i in a box of this size.
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

// exp(sign i 2 pi (row - row0) (column - column0) / size); NULL if there is no memory.
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

// The lower triangle of the Gram matrix consists of sums over all positions p of a patch,
//
//     gram[(c, a), (c', a + d)] = sum_p k_c[p + a] conj(k_c'[p + a + d]) ,
//
// For one pair of coils and one difference d, these are sums of the same products over boxes that are one
// cell apart. They are computed along one axis after another, each box's sum from that of the previous box.
struct correlation {
    struct espirit *e;
    size_t coil, other;             // other <= coil
    size_t patches[MRI_AXES];       // positions of a patch, which are the cells of a box
    const double *real, *imaginary; // of e->kspace
};

// One difference d: for each axis the first cell of either coil, the number of cells, and the number of
// boxes.
struct difference {
    size_t first[MRI_AXES], second[MRI_AXES], cells[MRI_AXES], boxes[MRI_AXES];
};

enum { CELLS = MRI_CALIBRATION, BOXES = KERNEL };

// Computes to[box * apart], the sum of `size` numbers from number `box` on; numbers are `step` apart.
static void slide(const double complex *from, size_t step, size_t size, size_t boxes, double complex *to,
                  size_t apart)
{
    double complex sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += from[i * step];
    to[0] = sum;
    for (size_t box = 1; box < boxes; box++) {
        sum += from[(box + size - 1) * step] - from[(box - 1) * step];
        to[box * apart] = sum;
    }
}

// Computes the sums of a row's products over all boxes along x.
static void add_row(const struct correlation *job, const struct difference *d, size_t y, size_t z,
                    double complex *to)
{
    const size_t *size = job->e->few.matrix.size;
    size_t voxels = job->e->few.voxels;
    size_t first =
        job->coil * voxels + d->first[0] + size[0] * (d->first[1] + y + size[1] * (d->first[2] + z));
    size_t second =
        job->other * voxels + d->second[0] + size[0] * (d->second[1] + y + size[1] * (d->second[2] + z));
    const double *ar = job->real + first, *ai = job->imaginary + first, *br = job->real + second,
                 *bi = job->imaginary + second;
    double complex products[CELLS];

    for (size_t x = 0; x < d->cells[0]; x++)
        products[x] = mri_complex(ar[x] * br[x] + ai[x] * bi[x], ai[x] * br[x] - ar[x] * bi[x]);
    slide(products, 1, job->patches[0], d->boxes[0], to, 1);
}

static struct difference difference_of(const struct correlation *job, size_t tap)
{
    const struct espirit *e = job->e;
    struct difference d;
    size_t at[MRI_AXES];

    place_of(tap, e->reach, at);
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t none = e->side[axis] - 1; // index of the difference 0
        size_t off = at[axis] > none ? at[axis] - none : none - at[axis];

        d.first[axis] = at[axis] < none ? off : 0;
        d.second[axis] = at[axis] > none ? off : 0;
        d.boxes[axis] = e->side[axis] - off;
        d.cells[axis] = job->patches[axis] + d.boxes[axis] - 1;
    }
    return d;
}

static void correlate(void *context, size_t tap)
{
    const struct correlation *job = context;
    struct espirit *e = job->e;
    const struct difference d = difference_of(job, tap);
    double complex along_x[CELLS][BOXES], along_y[CELLS][BOXES][BOXES], sums[BOXES];

    for (size_t z = 0; z < d.cells[2]; z++) {
        for (size_t y = 0; y < d.cells[1]; y++)
            add_row(job, &d, y, z, along_x[y]);
        for (size_t x = 0; x < d.boxes[0]; x++)
            slide(&along_x[0][x], BOXES, job->patches[1], d.boxes[1], &along_y[z][0][x], BOXES);
    }
    for (size_t y = 0; y < d.boxes[1]; y++)
        for (size_t x = 0; x < d.boxes[0]; x++) {
            slide(&along_y[0][y][x], (size_t)BOXES * BOXES, job->patches[2], d.boxes[2], sums, 1);
            for (size_t z = 0; z < d.boxes[2]; z++) {
                const size_t a[MRI_AXES] = {d.first[0] + x, d.first[1] + y, d.first[2] + z},
                             b[MRI_AXES] = {d.second[0] + x, d.second[1] + y, d.second[2] + z};
                size_t row = job->coil * e->kernel + index_of(a, e->side),
                       column = job->other * e->kernel + index_of(b, e->side);

                if (column <= row)
                    e->gram[row * e->rows + column] = sums[z];
            }
        }
}

static kn_status find_gram(struct espirit *e, struct ki_ask *ask, kn_error *err)
{
    size_t count = e->coils * e->few.voxels;
    double *parts = malloc(2 * count * sizeof *parts);
    struct correlation job = {.e = e, .real = parts, .imaginary = parts + count};
    kn_status status =
        parts ? KN_OK : ki_fail_memory(err, 2 * count * sizeof *parts, "the calibration region");

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        job.patches[axis] = e->few.matrix.size[axis] - e->side[axis] + 1;
    for (size_t i = 0; i < count && !status; i++) {
        parts[i] = creal(e->kspace[i]);
        parts[count + i] = cimag(e->kspace[i]);
    }
    for (job.coil = 0; job.coil < e->coils && !status; job.coil++)
        for (job.other = 0; job.other <= job.coil && !status; job.other++) {
            status = ki_ask(ask, err);
            if (!status)
                ki_parallel(ki_threads(0), e->taps, KI_DYNAMIC, correlate, &job);
        }
    free(parts);
    return status;
}

// Adds the part of v v^H to h, for one of the vectors that span the patches.
static void add_taps(struct espirit *e, const double complex *v)
{
    const double kernel = (double)e->kernel;

    for (size_t a = 0; a < e->kernel; a++)
        for (size_t b = 0; b < e->kernel; b++) {
            size_t from[MRI_AXES], to[MRI_AXES], tap, pair = 0;

            place_of(a, e->side, from);
            place_of(b, e->side, to);
            for (size_t axis = 0; axis < MRI_AXES; axis++)
                to[axis] = to[axis] + e->side[axis] - 1 - from[axis];
            tap = index_of(to, e->reach);
            for (size_t c = 0; c < e->coils; c++)
                for (size_t other = 0; other <= c; other++, pair++) {
                    double complex x = v[c * e->kernel + a], y = v[other * e->kernel + b];

                    e->h[pair * e->taps + tap] +=
                        mri_complex((creal(x) * creal(y) + cimag(x) * cimag(y)) / kernel,
                                    (cimag(x) * creal(y) - creal(x) * cimag(y)) / kernel);
                }
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

// Finds the coils' principal component.
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

// Computes one plane of voxels at a time.
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

// ---- the whole method ----

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
    size_t rows = coils, few = 2 * coils, plane = saturate_times(pairs + 2, saturate_times(size[0], size[1]));

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        rows = saturate_times(rows, size[axis] < KERNEL ? size[axis] : KERNEL);
        few = saturate_times(few, size[axis] < CELLS ? size[axis] : CELLS);
    }
    plane = saturate_plus(plane, few); // the region's k-space, and the small arrays
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
