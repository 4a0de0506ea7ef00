// SPDX-License-Identifier: Apache-2.0
// koine solve: sinograms as columns, the weights of measurements, and which of these may be missing.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd_solve.h"

kn_status solve_join_rows(const kn_tomography_geometry *geometry, struct solve_columns *b, kn_error *err)
{
    size_t angles = b->rows, detectors = b->count;
    double *joined;

    if (angles != geometry->angles || detectors != geometry->detectors || detectors == 1)
        return KN_OK;
    joined = malloc(angles * detectors * sizeof *joined);
    if (!joined)
        return ki_fail_memory(err, angles * detectors * sizeof *joined, "the sinogram");
    for (size_t i = 0; i < angles * detectors; i++)
        joined[i] = b->values[i % detectors * angles + i / detectors];
    free(b->values);
    *b = (struct solve_columns){angles * detectors, 1, joined};
    return KN_OK;
}

// ---- weights ----

static kn_status check_weights(struct solve_command *command, const char *path,
                               const struct solve_columns *weights, kn_error *err)
{
    if (weights->count != 1 || weights->rows != command->rows)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "has %zu x %zu numbers; expected one for each of the %zu rows of %s", weights->rows,
                          weights->count, command->rows, command->arguments->tool.common.operands.items[0]);
    for (size_t i = 0; i < weights->rows; i++) {
        if (!(weights->values[i] >= 0))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "element %zu is %g; expected weights from 0 on",
                              i, weights->values[i]);
        command->left_out += weights->values[i] == 0;
    }
    return command->left_out < weights->rows
               ? KN_OK
               : ki_fail_at(err, KN_ERROR_INPUT, path, 0, "all weights are 0; no measurement is left");
}

static kn_status read_weights(struct solve_command *command, const char *path, kn_error *err)
{
    struct solve_columns weights = {.values = NULL};
    kn_status status = columns_read(path, &weights.rows, &weights.count, &weights.values, err);

    if (!status && !command->matrix)
        status = solve_join_rows(&command->geometry, &weights, err);
    if (!status)
        status = check_weights(command, path, &weights, err);
    command->weights = weights.values;
    return status;
}

// Where element i of the columns stands in the file.
static void name_element(const struct solve_command *command, size_t i, char *name, size_t size)
{
    const struct solve_columns *b = &command->b;
    const size_t row = i % b->rows, detectors = command->geometry.detectors;

    if (command->matrix)
        snprintf(name, size, "element %zu", row * b->count + i / b->rows);
    else
        snprintf(name, size, "projection %zu, detector %zu (from 0)", row / detectors, row % detectors);
}

// NaN stands for measurements that are missing. What looks at the whole sinogram needs all of them.
static kn_status check_measurements(const struct solve_command *command, kn_error *err)
{
    const char *const *paths = command->arguments->tool.common.operands.items;
    const bool all = command->arguments->stripes || geometry_finds_axis(paths[0]);
    const struct solve_columns *b = &command->b;
    char name[96];

    for (size_t i = 0; i < b->rows * b->count; i++) {
        if (isfinite(b->values[i]) || (command->weights && command->weights[i % b->rows] == 0 && !all))
            continue;
        name_element(command, i, name, sizeof name);
        return ki_fail_at(err, KN_ERROR_INPUT, paths[1], 0, "%s is %g; expected finite numbers%s", name,
                          b->values[i],
                          all ? ": --stripes and an AXIS of auto need all measurements"
                              : "; --weights FILE leaves out measurements whose weight is 0");
    }
    return KN_OK;
}

kn_status solve_read_weights(struct solve_command *command, kn_error *err)
{
    const char *path = command->arguments->weights;
    const kn_status status = path ? read_weights(command, path, err) : KN_OK;

    if (status || command->b.rows != command->rows) // which is reported later
        return status;
    return check_measurements(command, err);
}
