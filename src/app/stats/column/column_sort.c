// SPDX-License-Identifier: Apache-2.0
// KN_STATS_SORT on the host: the method of the source.
#include <math.h>

#include "base/number.h"
#include "column_internal.h"
#include "app/stats/deviations.h"

static double element(const struct stats_column *column, size_t i)
{
    return column->type == KN_F32 ? (double)((const float *)column->sorted)[i]
                                  : ((const double *)column->sorted)[i];
}

kn_status ki_stats_host_sort(struct stats_column *column, size_t n, double shift, kn_stats *result,
                             kn_error *err)
{
    struct stats_sums sums;
    kn_status status = ki_stats_merge_sort(column->data, column->type, n, shift, &column->plan,
                                           column->sorted, column->scratch, &sums, &column->ran.merges, err);

    if (status)
        return status;
    ki_stats_moments(sums, shift, n, result);
    ki_stats_sorted_medians(column, n, result);
    column->ran.level = column->ran.merges.level;
    column->ran.threads = column->ran.merges.threads;
    return KN_OK;
}

void ki_stats_sorted_medians(struct stats_column *column, size_t n, kn_stats *result)
{
    result->median =
        n % 2 ? element(column, n / 2) + 0.0 : ki_middle(element(column, n / 2 - 1), element(column, n / 2));
    if (!isfinite(result->median))
        return;
    ki_stats_deviations(&column->plan, column->sorted, column->type == KN_F32, n, result->median,
                        column->scratch);
    result->mad = ki_stats_bitonic_median(column->scratch, n);
}
