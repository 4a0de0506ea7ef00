// SPDX-License-Identifier: Apache-2.0
#include "sirt.h"

#include <float.h>
#include <math.h>

#include "base/error.h"

// The rounding error that sums of `count` numbers may have, relative to the greatest of them.
static double slack(kn_type type, const double *sums, size_t length, size_t count)
{
    double greatest = 0;

    for (size_t i = 0; i < length; i++)
        greatest = fmax(greatest, fabs(sums[i]));
    return (type == KN_F32 ? (double)FLT_EPSILON : DBL_EPSILON) * (double)(count + 2) * greatest;
}

static kn_status refuse(const char *what, size_t i, double sum, double most, kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "SIRT divides by sums of rows and columns, but A has negative elements: the %s %zu is %g; "
                   "expected 0 to %g. Take FISTA or BB",
                   what, i, sum, most);
}

kn_status ki_sirt_check(kn_type type, const struct sirt_sums *sums, kn_error *err)
{
    double of_rows = slack(type, sums->of_rows, sums->rows, sums->columns);
    double of_columns = slack(type, sums->of_columns, sums->columns, sums->rows);

    for (size_t i = 0; i < sums->rows; i++)
        if (!(sums->of_rows[i] >= -of_rows))
            return refuse("sum of row", i, sums->of_rows[i], INFINITY, err);
    for (size_t i = 0; i < sums->columns; i++)
        if (!(sums->of_columns[i] >= -of_columns))
            return refuse("sum of column", i, sums->of_columns[i], INFINITY, err);
    for (size_t i = 0; i < sums->rows; i++)
        if (!(sums->of_some[i] >= -of_rows && sums->of_some[i] <= sums->of_rows[i] + of_rows))
            return refuse("sum of some elements of row", i, sums->of_some[i], sums->of_rows[i], err);
    return KN_OK;
}
