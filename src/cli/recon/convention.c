// SPDX-License-Identifier: Apache-2.0
#include "convention.h"

#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/framework/report.h"
#include "cli/ranks/ranks.h"

static const char unit[] = "cycles per field of view";

const char *const convention_unit_names[] = {"fov", "radians", "normalized", NULL};

kn_status convention_matrix(const char *text, kn_recon_matrix *matrix, kn_error *err)
{
    *matrix = (kn_recon_matrix){0, {1, 1, 1}};
    if (!text)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--matrix is missing: give the number of voxels, such as 128,128");
    matrix->axes = options_sizes(text, matrix->size);
    if (matrix->axes < 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--matrix: '%s' is not NX,NY[,NZ], whole numbers from 1",
                       text);
    return KN_OK;
}

kn_status convention_voxels(const kn_recon_matrix *matrix, size_t *voxels, kn_error *err)
{
    size_t count = 1;

    for (size_t axis = 0; axis < 3; axis++) {
        if (count > SIZE_MAX / (2 * sizeof(double)) / matrix->size[axis])
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "a matrix of %zu x %zu x %zu voxels; expected at least 1 on each axis, and no "
                           "more than fit in memory",
                           matrix->size[0], matrix->size[1], matrix->size[2]);
        count *= matrix->size[axis];
    }
    *voxels = count;
    return KN_OK;
}

void convention_print_matrix(const kn_recon_matrix *matrix)
{
    for (size_t axis = 0; axis < matrix->axes; axis++)
        printf("%s%zu", axis ? " x " : "", matrix->size[axis]);
}

void convention_print_range(const kn_recon_matrix *matrix, const kn_recon_range *range)
{
    printf("k in %s:", unit);
    for (size_t axis = 0; axis < matrix->axes; axis++)
        printf(" k%c %.6g to %.6g,", "xyz"[axis], range -> low[axis], range -> high[axis]);
    printf(" %zu sample%s at k = 0\n", range->centre, range->centre == 1 ? "" : "s");
}

static json_t *pair(double low, double high)
{
    json_t *both = json_array();

    report_append(&both, ki_json_double(low));
    report_append(&both, ki_json_double(high));
    return both;
}

void convention_report(json_t **root, const kn_recon_matrix *matrix, const kn_recon_range *range)
{
    json_t *sizes = json_array(), *ranges = json_array();

    for (size_t axis = 0; axis < matrix->axes; axis++) {
        report_append(&sizes, json_integer((json_int_t)matrix->size[axis]));
        if (range)
            report_append(&ranges, pair(range->low[axis], range->high[axis]));
    }
    report_put(root, "matrix", sizes);
    if (!range) {
        json_decref(ranges);
        return;
    }
    report_put(root, "k_unit", json_string(unit));
    report_put(root, "k_range", ranges);
    report_put(root, "k_centre", json_integer((json_int_t)range->centre));
}

void convention_doubt(const struct common_arguments *common, const char *path, const kn_recon_matrix *matrix,
                      const kn_recon_range *range)
{
    kn_recon_unit likely = kn_recon_trajectory_guess_unit(matrix, range);

    if (likely != KN_RECON_UNIT_FOV && ranks_writes(common->ranks))
        fprintf(stderr,
                "%s: %s: k is at most %s on every axis, taken as %s; if it is in another unit, use "
                "--trajectory-unit %s\n",
                common->command, path, likely == KN_RECON_UNIT_RADIANS ? "pi" : "0.5", unit,
                kn_recon_unit_name(likely));
}
