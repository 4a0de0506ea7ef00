// SPDX-License-Identifier: Apache-2.0
#include "calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/solver/host_solver.h"
#include "base/error.h"

// ---- where samples are dense ----

static const double dense = 0.9; // the fraction of a shell's cells that must have a sample

// The cells of a cycle in a cube with `width` cells along each axis that is longer than 1.
struct cells {
    const kn_recon_matrix *matrix;
    size_t width, size[MRI_AXES], count;
};

static struct cells cells_of(const kn_recon_matrix *matrix, size_t width)
{
    struct cells cells = {.matrix = matrix, .width = width, .count = 1};

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        cells.size[axis] = matrix->size[axis] < width ? matrix->size[axis] : width;
        cells.count *= cells.size[axis];
    }
    return cells;
}

// The cell of a point in k-space; SIZE_MAX outside of the cube. A cube as wide as the matrix includes the
// points on its edges.
static size_t cell_of(const struct cells *cells, const double *k)
{
    size_t cell = 0, step = 1;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = cells->size[axis];
        double at = floor(k[axis] + 0.5) + (double)(n / 2);

        if (n == cells->matrix->size[axis])
            at = fmin(fmax(at, 0), (double)n - 1);
        if (!(at >= 0 && at < (double)n))
            return SIZE_MAX;
        cell += step * (size_t)at;
        step *= n;
    }
    return cell;
}

// Half the width of the least cube about k = 0 that contains a cell: one of cells -r to r - 1.
static size_t shell_of(const struct cells *cells, size_t cell)
{
    size_t shell = 1;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = cells->size[axis], j = cell % n, r = j < n / 2 ? n / 2 - j : j - n / 2 + 1;

        cell /= n;
        shell = n > 1 && r > shell ? r : shell;
    }
    return shell;
}

kn_status ki_mri_calibration_radius(const kn_recon_scan *scan, size_t widest, size_t *radius, kn_error *err)
{
    const struct cells cells = cells_of(&scan->matrix, widest);
    size_t most = widest / 2, *all = calloc(most + 1, sizeof *all), *seen = calloc(most + 1, sizeof *seen);
    unsigned char *has = calloc(cells.count, 1);

    bool there = all && seen && has;

    *radius = 0;
    for (size_t m = 0; m < scan->samples && there; m++) {
        size_t cell = cell_of(&cells, scan->k + MRI_AXES * m);

        if (cell != SIZE_MAX)
            has[cell] = 1;
    }
    for (size_t cell = 0; cell < cells.count && there; cell++) {
        size_t shell = shell_of(&cells, cell);

        all[shell]++;
        seen[shell] += has[cell];
    }
    while (there && *radius < most && (double)seen[*radius + 1] >= dense * (double)all[*radius + 1])
        ++*radius;
    free(all);
    free(seen);
    free(has);
    return there ? KN_OK : ki_fail_memory(err, cells.count, "the centre of k-space");
}

// ---- the images ----

// The samples within the cube.
struct centre {
    size_t samples;
    double *k, *normal_weights; // NULL: 1
    double complex *basis, *data;
    size_t *from; // their indices in the scan
};

static void free_centre(struct centre *centre)
{
    free(centre->k);
    free(centre->normal_weights);
    free(centre->basis);
    free(centre->data);
    free(centre->from);
}

static kn_status find_centre(const kn_recon_scan *scan, const struct cells *cells, struct centre *centre,
                             kn_error *err)
{
    const double complex *basis = (const double complex *)scan->basis;
    size_t count = 0;

    for (size_t m = 0; m < scan->samples; m++)
        count += cell_of(cells, scan->k + MRI_AXES * m) != SIZE_MAX;
    *centre = (struct centre){.samples = count,
                              .k = malloc(MRI_AXES * count * sizeof *centre->k),
                              .data = malloc(count * sizeof *centre->data),
                              .from = malloc(count * sizeof *centre->from)};
    if (basis) {
        centre->basis = malloc(count * sizeof *centre->basis);
        centre->normal_weights = malloc(count * sizeof *centre->normal_weights);
    }
    if (!centre->k || !centre->data || !centre->from ||
        (basis && (!centre->basis || !centre->normal_weights)))
        return ki_fail_memory(err, count * sizeof *centre->data, "the centre of k-space");
    count = 0;
    for (size_t m = 0; m < scan->samples; m++) {
        if (cell_of(cells, scan->k + MRI_AXES * m) == SIZE_MAX)
            continue;
        centre->from[count] = m;
        memcpy(centre->k + MRI_AXES * count, scan->k + MRI_AXES * m, MRI_AXES * sizeof *scan->k);
        if (basis) {
            centre->basis[count] = basis[m];
            centre->normal_weights[count] = creal(basis[m] * conj(basis[m]));
        }
        count++;
    }
    return KN_OK;
}

static kn_status solve_coils(const kn_recon_scan *scan, const struct centre *centre, struct ki_ask *ask,
                             struct mri_calibration *made, kn_error *err)
{
    // Accurate enough for dense samples; lambda keeps the noise of cells without a sample small.
    const struct mri_solver_options how = {
        .iterations = 30, .tolerance = 1e-6, .lambda = 1e-5, .relative_lambda = true};
    struct mri_sum sum = {.matrix = made->matrix,
                          .k = centre->k,
                          .samples = centre->samples,
                          .weights = centre->normal_weights,
                          .ask = ask};
    const double complex *data = (const double complex *)scan->data;
    double complex *fhd = malloc(made->voxels * sizeof *fhd);
    struct mri_host_normal *normal = NULL;
    kn_status status = fhd ? ki_mri_host_normal_create(&sum, MRI_HOST_DOUBLE_SEPARABLE, &normal, NULL, err)
                           : ki_fail_memory(err, made->voxels * sizeof *fhd, "the centre of k-space");

    sum.weights = NULL;
    sum.basis = centre->basis;
    sum.data = centre->data;
    for (size_t coil = 0; coil < scan->coils && !status; coil++) {
        struct mri_solver_result result = {.residuals = NULL};

        for (size_t i = 0; i < centre->samples; i++)
            centre->data[i] = data[coil * scan->samples + centre->from[i]];
        status = ki_mri_sum_host(&sum, MRI_HOST_DOUBLE_SEPARABLE, NULL, fhd, NULL, err);
        if (!status)
            status = ki_mri_host_solve(ki_mri_host_normal_of(normal), fhd, &how, NULL,
                                       made->images + coil * made->voxels, &result, err);
        free(result.residuals);
    }
    ki_mri_host_normal_free(normal);
    free(fhd);
    return status;
}

kn_status ki_mri_calibrate(const kn_recon_scan *scan, size_t widest, struct ki_ask *ask,
                           struct mri_calibration *made, kn_error *err)
{
    struct centre centre = {.samples = 0};
    struct cells cells;
    size_t radius;
    kn_status status = ki_mri_calibration_radius(scan, widest, &radius, err);

    *made = (struct mri_calibration){.coils = scan->coils};
    if (!status && radius == 0)
        status = ki_fail(
            err, KN_ERROR_ARGUMENT,
            "there is no dense centre of k-space to estimate sensitivities from: of the cells of a cycle "
            "about k = 0 fewer than 9 of 10 have a sample; give maps, or combine without them");
    if (status)
        return status;
    cells = cells_of(&scan->matrix, 2 * radius);
    made->matrix = (kn_recon_matrix){MRI_AXES, {cells.size[0], cells.size[1], cells.size[2]}};
    made->voxels = cells.count;
    made->images = malloc(scan->coils * cells.count * sizeof *made->images);
    if (!made->images)
        status =
            ki_fail_memory(err, scan->coils * cells.count * sizeof *made->images, "the centre of k-space");
    if (!status)
        status = find_centre(scan, &cells, &centre, err);
    if (!status)
        status = solve_coils(scan, &centre, ask, made, err);
    free_centre(&centre);
    if (status)
        ki_mri_calibration_free(made);
    return status;
}

void ki_mri_calibration_free(struct mri_calibration *calibration)
{
    free(calibration->images);
    calibration->images = NULL;
}

// ---- tensor products ----

// to[row, high]: applies a matrix along an axis whose elements are `low` elements apart.
static void along(const double complex *matrix, size_t rows, size_t columns, size_t low, size_t high,
                  const double complex *from, double complex *to)
{
    memset(to, 0, rows * low * high * sizeof *to);
    for (size_t h = 0; h < high; h++)
        for (size_t row = 0; row < rows; row++)
            for (size_t column = 0; column < columns; column++) {
                double complex factor = matrix ? matrix[row * columns + column] : 1;
                const double complex *in = from + (h * columns + column) * low;
                double complex *out = to + (h * rows + row) * low;

                for (size_t l = 0; l < low; l++)
                    out[l] += factor * in[l];
            }
}

kn_status ki_mri_along_axes(double complex *const matrices[MRI_AXES], const size_t rows[MRI_AXES],
                            const size_t columns[MRI_AXES], const double complex *from, double complex *to,
                            kn_error *err)
{
    // z first, so that inner loops are long when the data are largest.
    size_t first = columns[0] * columns[1] * rows[2], second = columns[0] * rows[1] * rows[2];
    double complex *made = malloc((first + second) * sizeof *made);

    if (!made)
        return ki_fail_memory(err, (first + second) * sizeof *made, "maps of sensitivities");
    along(matrices[2], rows[2], columns[2], columns[0] * columns[1], 1, from, made);
    along(matrices[1], rows[1], columns[1], columns[0], rows[2], made, made + first);
    along(matrices[0], rows[0], columns[0], 1, rows[1] * rows[2], made + first, to);
    free(made);
    return KN_OK;
}
