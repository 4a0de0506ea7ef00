// SPDX-License-Identifier: Apache-2.0
// Checks a scan that was just read, and fills in what its file does not say.
#include "scan_files.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "convention.h"

// ---- invalid numbers ----

// Finds not-a-number among samples or weights, and coils that measured nothing.
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
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "phi of sample %zu is not a number", m);
    return KN_OK;
}

// Values that are not finite have no range, so this check comes first.
static kn_status check_finite(const char *path, const struct mri_scan *scan, kn_error *err)
{
    for (size_t i = 0; i < SCAN_AXES * scan->samples; i++)
        if (!isfinite(scan->k[i]))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "sample %zu: k%c is %g, expected a number",
                              i / SCAN_AXES, "xyz"[i % SCAN_AXES], scan -> k[i]);
    return KN_OK;
}

// ---- the matrix ----

// Guesses the matrix for a trajectory of this range. There is no guess if k may be in another unit.
static kn_status guess_matrix(const char *path, kn_recon_unit unit, struct mri_scan *scan, kn_error *err)
{
    const kn_recon_range range = kn_recon_trajectory_get_range(scan->k, scan->samples);
    double most = 0;

    scan->matrix_from = "the trajectory's range";
    if (unit == KN_RECON_UNIT_FOV && kn_recon_trajectory_guess_matrix(&range, &scan->matrix))
        return KN_OK;
    for (size_t axis = 0; axis < SCAN_AXES; axis++)
        most = fmax(most, fmax(-range.low[axis], range.high[axis]));
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "--matrix is missing: how many voxels, such as 128,128? (%s does not tell: k goes to %g)",
                   path, most);
}

static kn_status settle_matrix(const struct mri_scan_request *request, const char *path,
                               struct mri_scan *scan, kn_error *err)
{
    kn_status status = KN_OK;

    if (request->matrix.axes) {
        scan->matrix = request->matrix;
        scan->matrix_from = "--matrix";
    } else if (!scan->matrix.axes) {
        status = guess_matrix(path, request->unit, scan, err);
    }
    return status ? status : convention_voxels(&scan->matrix, &scan->voxels, err);
}

kn_status mri_scan_settle(const struct mri_scan_request *request, struct mri_scan *scan, kn_error *err)
{
    const char *path = request->trajectory ? request->trajectory : request->path;
    bool is_parboil = scan->format == MRI_SCAN_PARBOIL;
    kn_status status;

    if (!scan->samples || !scan->coils)
        return ki_fail_at(err, KN_ERROR_INPUT, request->path, 0, "has no samples");
    status = check_finite(path, scan, err);
    if (!status && !is_parboil)
        status = settle_matrix(request, path, scan, err);
    if (!status && !is_parboil)
        status = kn_recon_trajectory_convert(request->unit, &scan->matrix, scan->samples, scan->k, err);
    if (status)
        return status;
    scan->range = kn_recon_trajectory_get_range(scan->k, scan->samples);
    if (!is_parboil)
        status = kn_recon_trajectory_check(path, &scan->matrix, scan->k, scan->samples, err);
    return status ? status : check_data(request->path, scan, err);
}

void mri_scan_free(struct mri_scan *scan)
{
    free(scan->k);
    free(scan->data);
    free(scan->weights);
    free(scan->positions);
    *scan = (struct mri_scan){.k = NULL};
}
