// SPDX-License-Identifier: Apache-2.0
// The serial reference: every value computed in the most obvious way.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "moments.h"
#include "stats.h"

static struct stats_sums sum_leaf(const double *x, size_t count, double shift)
{
    double sum[TREE_LANES] = {0}, squares[TREE_LANES] = {0};

    for (size_t i = 0; i < count; i++) {
        size_t lane = i % TREE_LANES;
        double d = x[i] - shift;

        sum[lane] += d;
        squares[lane] = fma(d, d, squares[lane]);
    }
    for (size_t distance = TREE_LANES / 2; distance > 0; distance /= 2)
        for (size_t lane = 0; lane < distance; lane++) {
            sum[lane] += sum[lane + distance];
            squares[lane] += squares[lane + distance];
        }
    return (struct stats_sums){sum[0], squares[0]};
}

static kn_status sum_column(const double *x, size_t n, double shift, struct stats_sums *sums, kn_error *err)
{
    size_t count = n / TREE_LEAF + (n % TREE_LEAF != 0);
    struct stats_sums *leaves = malloc(count * sizeof *leaves);

    if (!leaves)
        return ki_fail_memory(err, count * sizeof *leaves, "the sums of a column");
    for (size_t i = 0; i < count; i++) {
        size_t first = i * TREE_LEAF;

        leaves[i] = sum_leaf(x + first, n - first < TREE_LEAF ? n - first : TREE_LEAF, shift);
    }
    *sums = ki_stats_fold_leaves(leaves, count);
    free(leaves);
    return KN_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double left, right;

    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    return (left > right) - (left < right);
}

// Sorts the column and returns its median.
static double sort_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare_doubles);
    return n % 2 ? x[n / 2] + 0.0 : ki_middle(x[n / 2 - 1], x[n / 2]);
}

// Overwrites the column. inf - inf gives a NaN, which no sort can place: it occurs if the median is infinite.
static double deviation_median(double *x, size_t n, double median)
{
    if (!isfinite(median))
        return NAN;
    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - median);
    return sort_median(x, n);
}

kn_status ki_stats_reference(const double *x, size_t n, const struct stats_options *options, kn_stats *result,
                             kn_error *err)
{
    struct stats_sums sums;
    double *copy, shift;
    kn_status status;

    *result = (kn_stats){n, NAN, NAN, NAN, NAN, NAN};
    if (n == 0 || ki_stats_holds_nan(x, n))
        return KN_OK;
    if (n > (size_t)-1 / sizeof *copy || !(copy = malloc(n * sizeof *copy)))
        return ki_fail_memory(err, n * sizeof *copy, "a copy of a column");
    for (size_t i = 0; i < n; i++)
        copy[i] = options->single ? ki_as_float(x[i]) : x[i];

    shift = ki_stats_shift(copy, n, options->single);
    status = sum_column(copy, n, shift, &sums, err);
    if (!status) {
        ki_stats_moments(sums, shift, n, result);
        result->median = sort_median(copy, n);
        result->mad = deviation_median(copy, n, result->median) / options->mad_scale;
    }
    free(copy);
    return status;
}
