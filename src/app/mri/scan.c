// SPDX-License-Identifier: Apache-2.0
#include "scan.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

// ---- what is wrong with numbers ----

// Not-a-number among samples or weights, and coils that measured nothing.
static kn_status check_data(const char *path, struct mri_scan *scan, kn_error *err)
{
    for (size_t coil = 0; scan->data && coil < scan->coils; coil++) {
        const double complex *data = scan->data + coil * scan->samples;
        bool empty = true;

        for (size_t m = 0; m < scan->samples; m++) {
            if (!isfinite(creal(data[m])) || !isfinite(cimag(data[m])))
                return ki_fail_at(
                    err, KN_ERROR_INPUT, path, 0,
                    "sample %zu of coil %zu is %g%+gi, expected numbers; leave such samples out "
                    "of data and trajectory",
                    m, coil, creal(data[m]), cimag(data[m]));
            empty = empty && creal(data[m]) == 0 && cimag(data[m]) == 0;
        }
        scan->empty += empty;
    }
    for (size_t m = 0; scan->weights && m < scan->samples; m++)
        if (!isfinite(scan->weights[m]))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "phi of sample %zu is no number", m);
    return KN_OK;
}

// What is not finite has no range, so it comes before everything else.
static kn_status check_finite(const char *path, const struct mri_scan *scan, kn_error *err)
{
    for (size_t i = 0; i < MRI_AXES * scan->samples; i++)
        if (!isfinite(scan->k[i]))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "sample %zu: k%c is %g, expected a number",
                              i / MRI_AXES, "xyz"[i % MRI_AXES], scan -> k[i]);
    return KN_OK;
}

// ---- the matrix ----

// The least matrix of even sizes whose band holds the trajectory. There is none for one that does not go
// beyond pi, since that may be in another unit.
static kn_status guess_matrix(const char *path, kn_recon_unit unit, struct mri_scan *scan, kn_error *err)
{
    const kn_recon_range range = kn_recon_trajectory_get_range(scan->k, scan->samples);
    double furthest[MRI_AXES], most = 0;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        furthest[axis] = fmax(-range.low[axis], range.high[axis]);
        most = fmax(most, furthest[axis]);
    }
    if (unit != KN_RECON_UNIT_FOV || most <= M_PI * (1 + 1e-6) || most > 0x1p20)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--matrix is missing: how many voxels, such as 128,128? (%s does not tell: k goes to %g)", path,
            most);
    scan->matrix.axes = furthest[2] > 0 ? 3 : 2;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        // A float's rounding is no reason for another voxel.
        double half = ceil(furthest[axis] * (1 - 1e-6));

        scan->matrix.size[axis] = half < 1 ? 1 : 2 * (size_t)half;
    }
    scan->matrix_from = "the trajectory's range";
    return KN_OK;
}

static kn_status settle_matrix(const struct mri_scan_terms *terms, struct mri_scan *scan, kn_error *err)
{
    kn_status status = KN_OK;

    if (terms->matrix.axes) {
        scan->matrix = terms->matrix;
        scan->matrix_from = "--matrix";
    } else if (!scan->matrix.axes) {
        status = guess_matrix(terms->trajectory ? terms->trajectory : terms->name, terms->unit, scan, err);
    }
    return status ? status : ki_mri_matrix_count(&scan->matrix, &scan->voxels, err);
}

kn_status ki_mri_scan_settle(const struct mri_scan_terms *terms, struct mri_scan *scan, kn_error *err)
{
    const char *path = terms->trajectory ? terms->trajectory : terms->name;
    kn_status status;

    if (!scan->samples || !scan->coils)
        return ki_fail_at(err, KN_ERROR_INPUT, terms->name, 0, "has no samples");
    status = check_finite(path, scan, err);
    if (!status && scan->format != MRI_SCAN_PARBOIL)
        status = settle_matrix(terms, scan, err);
    if (status)
        return status;
    if (scan->format != MRI_SCAN_PARBOIL)
        ki_trajectory_convert(terms->unit, &scan->matrix, scan->k, scan->samples);
    scan->range = kn_recon_trajectory_get_range(scan->k, scan->samples);
    if (scan->format != MRI_SCAN_PARBOIL)
        status = ki_trajectory_check(path, &scan->matrix, scan->k, scan->samples, err);
    return status ? status : check_data(terms->name, scan, err);
}

void ki_mri_scan_free(struct mri_scan *scan)
{
    free(scan->k);
    free(scan->data);
    free(scan->weights);
    free(scan->positions);
    *scan = (struct mri_scan){.k = NULL};
}
