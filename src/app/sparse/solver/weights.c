// SPDX-License-Identifier: Apache-2.0
// Weighted least squares: the x that minimises the sum of w (a x - b)^2 over the rows a of A minimises |A' x
// - b'|^2, where the rows of A' and b' are multiplied by the square roots of their weights. All methods solve
// that.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "solve_internal.h"

// ---- checks ----

static kn_status check_weights(const struct solve_run *run, kn_error *err)
{
    bool any = false;

    for (size_t i = 0; i < run->matrix->rows; i++) {
        if (!(run->weights[i] >= 0) || !isfinite(run->weights[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "weights[%zu] is %g; expected finite numbers from 0 on", i,
                           run->weights[i]);
        any = any || run->weights[i] > 0;
    }
    return any ? KN_OK : ki_fail(err, KN_ERROR_ARGUMENT, "all weights are 0, so that no measurement is left");
}

static kn_status check_measurements(const struct solve_run *run, kn_error *err)
{
    const size_t rows = run->matrix->rows;

    if (!run->b)
        return ki_fail(err, KN_ERROR_ARGUMENT, "b is NULL");
    for (size_t i = 0; i < run->count * rows; i++)
        if (!isfinite(run->b[i]) && !(run->weights && run->weights[i % rows] == 0))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "b[%zu] is %g; expected finite numbers, or a weight of 0, which leaves it out", i,
                           run->b[i]);
    return KN_OK;
}

kn_status ki_solve_check_numbers(const struct solve_run *run, kn_error *err)
{
    kn_status status = run->weights ? check_weights(run, err) : KN_OK;

    if (!status)
        status = check_measurements(run, err);
    for (size_t i = 0; i < run->count * run->matrix->columns && !status; i++)
        if (!isfinite(run->start[i]))
            status =
                ki_fail(err, KN_ERROR_ARGUMENT, "x[%zu] is %g; expected finite numbers", i, run->start[i]);
    return status;
}

// ---- the problem without weights ----

static kn_status fail_range(const char *what, size_t i, double weight, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "%s %zu is beyond double precision once it is multiplied by the root of its weight, %g; "
                   "divide the weights by their greatest",
                   what, i, weight);
}

static kn_status weigh_measurements(struct solve_run *run, kn_error *err)
{
    const size_t rows = run->matrix->rows, all = run->count * rows;

    run->factors = malloc((rows + 1) * sizeof *run->factors);
    run->weighted_b = malloc((all + 1) * sizeof *run->weighted_b);
    if (!run->factors || !run->weighted_b)
        return ki_fail_memory(err, (rows + all) * sizeof *run->factors, "the weights");
    for (size_t i = 0; i < rows; i++)
        run->factors[i] = sqrt(run->weights[i]);
    for (size_t i = 0; i < all; i++) { // b may be NaN where its weight is 0
        run->weighted_b[i] = run->factors[i % rows] > 0 ? run->factors[i % rows] * run->b[i] : 0;
        if (!isfinite(run->weighted_b[i]))
            return fail_range("b", i, run->weights[i % rows], err);
    }
    run->b = run->weighted_b;
    return KN_OK;
}

static kn_status weigh_matrix(struct solve_run *run, kn_error *err)
{
    const struct sparse_matrix *matrix = run->matrix;
    double *values = malloc((matrix->nonzeros + 1) * sizeof *values);

    if (!values)
        return ki_fail_memory(err, matrix->nonzeros * sizeof *values, "the weighted matrix");
    run->weighted_values = values;
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            values[i] = run->factors[row] * matrix->values[i];
            if (!isfinite(values[i]))
                return fail_range("a nonzero of row", row, run->weights[row], err);
        }
    run->weighted_matrix = *matrix;
    run->weighted_matrix.values = values;
    run->matrix = &run->weighted_matrix;
    return KN_OK;
}

kn_status ki_solve_apply_weights(struct solve_run *run, kn_error *err)
{
    kn_status status;

    if (!run->weights)
        return KN_OK;
    status = weigh_measurements(run, err);
    run->own_geometry.factors = run->factors; // of a geometry
    return status || run->geometry ? status : weigh_matrix(run, err);
}
