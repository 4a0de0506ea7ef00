// SPDX-License-Identifier: Apache-2.0
// KN_STATS_SELECT on the host: sums, selection of the median, deviations, selection of their median.
#include <math.h>

#include "base/number.h"
#include "host/sort/host_select.h"
#include "host/stats/host_sums.h"
#include "column_internal.h"
#include "app/stats/deviations.h"
#include "app/stats/select_plain.h"

static kn_status median_of(const struct stats_column *column, const void *x, kn_type type, size_t n,
                           double *median, kn_error *err)
{
    struct host_plan plan = column->plan;
    struct host_select how = {0};
    const size_t ranks[] = {(n - 1) / 2, n / 2};
    float floats[2];
    double doubles[2];
    kn_status status;

    plan.size = kn_type_size(type);
    status =
        ki_host_select(x, type, n, ranks, 2, type == KN_F32 ? (void *)floats : doubles, &plan, &how, err);
    if (status)
        return status;
    if (type == KN_F32) {
        doubles[0] = (double)floats[0];
        doubles[1] = (double)floats[1];
    }
    *median = n % 2 ? doubles[0] + 0.0 : ki_middle(doubles[0], doubles[1]);
    return KN_OK;
}

static kn_status medians(struct stats_column *column, size_t n, kn_stats *result, kn_error *err)
{
    kn_status status = median_of(column, column->data, column->type, n, &result->median, err);

    if (status || !isfinite(result->median))
        return status;
    ki_stats_deviations(&column->plan, column->data, column->type == KN_F32, n, result->median,
                        column->scratch);
    return median_of(column, column->scratch, KN_F64, n, &result->mad, err);
}

// By one thread on a copy, which the deviations then overwrite.
static void serial_medians(struct stats_column *column, size_t n, kn_stats *result)
{
    double *copy = column->scratch;

    for (size_t i = 0; i < n; i++)
        copy[i] = column->type == KN_F32 ? (double)((const float *)column->data)[i]
                                         : ((const double *)column->data)[i];
    column->ran.own_select = true;
    result->median = ki_stats_select_median(copy, n);
    if (!isfinite(result->median))
        return;
    ki_stats_deviations(&column->plan, copy, false, n, result->median, copy);
    result->mad = ki_stats_select_median(copy, n);
}

kn_status ki_stats_host_select(struct stats_column *column, size_t n, double shift, kn_stats *result,
                               kn_error *err)
{
    const struct host_column summed = {column->data,
                                       n,
                                       column->type == KN_F32,
                                       true,
                                       column->type == KN_F32 ? (double)(float)shift : shift,
                                       ki_host_leaf_for(column->plan.level)};
    kn_sums sums;
    kn_status status = ki_host_sum_column(&summed, &column->plan, &sums, err);

    if (status)
        return status;
    ki_stats_moments((struct stats_sums){sums.sum, sums.squares}, shift, n, result);
    column->ran.level = column->plan.level;
    column->ran.threads = column->plan.threads;
    if (column->variant != STATS_SERIAL)
        return medians(column, n, result, err);
    serial_medians(column, n, result);
    return KN_OK;
}
