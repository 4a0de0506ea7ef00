// SPDX-License-Identifier: Apache-2.0
#include "convention.h"

#include <stdio.h>

#include "base/error.h"
#include "cli/framework/report.h"

static const char unit[] = "cycles per field of view";

kn_status convention_matrix(const char *text, struct mri_matrix *matrix, kn_error *err)
{
    *matrix = (struct mri_matrix){0, {1, 1, 1}};
    if (!text)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--matrix is missing: how many voxels, such as 128,128?");
    matrix->axes = options_sizes(text, matrix->size);
    if (matrix->axes < 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--matrix: '%s' is not NX,NY[,NZ], whole numbers from 1",
                       text);
    return KN_OK;
}

void convention_print_matrix(const struct mri_matrix *matrix)
{
    for (size_t axis = 0; axis < matrix->axes; axis++)
        printf("%s%zu", axis ? " x " : "", matrix->size[axis]);
}

void convention_print_range(const struct mri_matrix *matrix, const struct trajectory_range *range)
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

void convention_report(json_t **root, const struct mri_matrix *matrix, const struct trajectory_range *range)
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

void convention_doubt(const struct common_arguments *common, const char *path,
                      const struct mri_matrix *matrix, const struct trajectory_range *range)
{
    kn_recon_unit likely = ki_trajectory_likely_unit(matrix, range);

    if (likely != KN_RECON_UNIT_FOV)
        fprintf(stderr,
                "%s: %s: k is at most %s on every axis, taken as %s; if it is in another unit: "
                "--trajectory-unit %s\n",
                common->command, path, likely == KN_RECON_UNIT_RADIANS ? "pi" : "0.5", unit,
                ki_trajectory_unit_names[likely]);
}
