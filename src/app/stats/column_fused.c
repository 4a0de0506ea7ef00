// SPDX-License-Identifier: Apache-2.0
// STATS_FUSED on the host, and what it has in common with a device: koine/robust.h's results as ours.
#include "column_own.h"

// Sums about 0 of whole numbers of 8 bits, about a whole number instead. Exact, as the tree's own sums are,
// below 2^53.
static struct stats_sums about(double shift, size_t n, const kn_robust *robust)
{
    int64_t s = (int64_t)shift, sum = (int64_t)robust->sum, squares = (int64_t)robust->squares,
            count = (int64_t)n;

    return (struct stats_sums){(double)(sum - count * s), (double)(squares - 2 * s * sum + count * s * s)};
}

void stats_from_robust(struct stats_column *column, const kn_robust *robust, double shift,
                       struct stats_result *result)
{
    struct stats_sums sums = {robust->sum, robust->squares};

    if (stats_column_in_bytes(column))
        sums = about(shift, robust->n, robust);
    stats_moments(sums, shift, robust->n, result);
    result->median = robust->median;
    result->mad = robust->mad;
    column->ran.robust = robust->method;
}

kn_robust_options stats_robust_options(const struct stats_column *column, const double *shift)
{
    if (stats_column_in_bytes(column))
        return (kn_robust_options){.method = KN_ROBUST_COUNTED};
    return (kn_robust_options){.method = column->options.method == STATS_SELECT ? KN_ROBUST_SELECT
                                                                                : KN_ROBUST_FUSED,
                               .shift = shift};
}

kn_status stats_host_fused(struct stats_column *column, size_t n, double shift, struct stats_result *result,
                           kn_error *err)
{
    const kn_host_options host = {.threads = column->plan.threads, .level = column->plan.level};
    const kn_robust_options how = stats_robust_options(column, &shift);
    kn_robust robust;
    kn_status status = kn_host_robust(column->data, column->type, n, &how, &host, &robust, err);

    if (status)
        return status;
    column->ran.level = host.level;
    column->ran.threads = host.threads;
    stats_from_robust(column, &robust, shift, result);
    return KN_OK;
}
