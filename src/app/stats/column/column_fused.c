// SPDX-License-Identifier: Apache-2.0
// KN_STATS_FUSED on the host and on devices, and KN_STATS_SELECT on devices: koine/robust.h.
#include <koine/robust.h>

#include <math.h>

#include "base/error.h"
#include "host/stats/host_robust.h"
#include "column_internal.h"

// Converts sums about 0 of integers of 8 bits to sums about another integer. They are exact below 2^53, like
// those of the tree.
static struct stats_sums about(double shift, const kn_robust *robust)
{
    int64_t s = (int64_t)shift, n = (int64_t)robust->n;
    int64_t sum = (int64_t)robust->sum, squares = (int64_t)robust->squares;

    return (struct stats_sums){(double)(sum - n * s), (double)(squares - 2 * s * sum + n * s * s)};
}

void ki_stats_take_robust(struct stats_column *column, const kn_robust *robust, double shift,
                          kn_stats *result)
{
    struct stats_sums sums = {robust->sum, robust->squares};

    if (robust->method == KN_ROBUST_COUNTED)
        sums = about(shift, robust);
    ki_stats_moments(sums, shift, robust->n, result);
    result->median = robust->median;
    result->mad = robust->mad;
    column->ran.robust = robust->method;
    column->ran.missed = robust->missed;
}

static kn_robust_options options_for(const struct stats_column *column, const double *shift)
{
    if (ki_stats_column_in_bytes(column))
        return KN_INIT(kn_robust_options, .method = KN_ROBUST_COUNTED);
    return KN_INIT(kn_robust_options,
                   .method = column->selects || column->options.method == KN_STATS_SELECT ? KN_ROBUST_SELECT
                                                                                          : KN_ROBUST_FUSED,
                   .shift = shift);
}

// For elements of the column's current type.
static struct host_plan host_for(struct stats_column *column)
{
    struct host_plan host = column->plan;

    host.size = kn_type_size(column->type);
    column->ran.level = host.level;
    column->ran.threads = host.threads;
    return host;
}

kn_status ki_stats_host_fused(struct stats_column *column, size_t n, double shift, kn_stats *result,
                              kn_error *err)
{
    const kn_robust_options how = options_for(column, &shift);
    const struct host_plan host = host_for(column);
    kn_robust robust;
    kn_status status = ki_host_robust(column->data, column->type, &n, 1, &how, &host, &robust, err);

    if (!status)
        ki_stats_take_robust(column, &robust, shift, result);
    return status;
}

kn_status ki_stats_device_robust(struct stats_column *column, size_t n, double shift, kn_stats *result,
                                 kn_error *err)
{
    const kn_robust_options how = options_for(column, &shift);
    kn_robust robust;
    kn_status status = kn_robust_stats(column->queue, column->buffer, column->type, n, &robust, &how, err);

    if (!status)
        ki_stats_take_robust(column, &robust, shift, result);
    return status;
}

kn_status ki_stats_counted_sweep(struct stats_column *column, const size_t *ends, size_t count,
                                 kn_stats *results, kn_error *err)
{
    const kn_robust_options how = options_for(column, NULL);
    const struct host_plan host = host_for(column);
    kn_robust *robust = ki_kept_take_array(&column->kept, count, sizeof *robust);
    double shift;
    kn_status status;

    if (!robust)
        return ki_fail_memory(err, count * sizeof *robust, "the statistics of prefixes");
    if (column->queue)
        status =
            kn_robust_prefixes(column->queue, column->buffer, column->type, ends, count, robust, &how, err);
    else
        status = ki_host_robust(column->data, column->type, ends, count, &how, &host, robust, err);
    column->ran.sweep = count;
    for (size_t i = 0; i < count && !status; i++) {
        results[i] = (kn_stats){ends[i], NAN, NAN, NAN, NAN, NAN};
        if (ends[i] == 0)
            continue;
        status = ki_stats_column_shift(column, ends[i], &shift, err);
        if (status)
            break;
        ki_stats_take_robust(column, &robust[i], shift, &results[i]);
        results[i].mad = results[i].mad / column->options.mad_scale;
    }
    ki_kept_give(&column->kept, robust);
    return status;
}
