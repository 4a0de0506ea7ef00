// SPDX-License-Identifier: Apache-2.0
// The public functions of koine/experimental/stats.h: a plan's column, loaded once and computed repeatedly.
#include <stdlib.h>

#include "api_internal.h"
#include "base/error.h"

kn_status kn_stats_plan_load(kn_stats_plan *plan, const void *x, size_t n, kn_error *err)
{
    static const char function[] = "kn_stats_plan_load";
    kn_status status;

    if (!plan || (n > 0 && !x))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", function, plan ? "x" : "plan");
    if (n > plan->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu elements, but the plan is for %zu at most", function,
                       n, plan->n);
    plan->streamed = plan->loaded = plan->columns_loaded = false;
    status = ki_error_name(function, ki_stats_column_load(plan->column, x, n, err), err);
    plan->loaded = !status;
    return status;
}

static kn_status check_loaded(const char *function, const kn_stats_plan *plan, const void *results,
                              kn_error *err)
{
    if (!plan || !results)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: plan, ends or the result is NULL", function);
    if (!plan->loaded)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: no column is loaded; call kn_stats_plan_load", function);
    return KN_OK;
}

kn_status kn_stats_plan_compute(kn_stats_plan *plan, size_t n, kn_stats *result, kn_error *err)
{
    static const char function[] = "kn_stats_plan_compute";
    kn_stats found = {0};
    kn_status status = check_loaded(function, plan, result, err);

    if (!status)
        status = ki_error_name(function, ki_stats_column_compute(plan->column, n, &found, err), err);
    if (!status)
        *result = found;
    return status;
}

kn_status kn_stats_plan_compute_prefixes(kn_stats_plan *plan, const size_t *ends, size_t count,
                                         kn_stats *results, kn_error *err)
{
    static const char function[] = "kn_stats_plan_compute_prefixes";
    kn_stats *found;
    kn_status status = check_loaded(function, plan, ends ? results : NULL, err);

    for (size_t i = 1; i < count && !status; i++)
        if (ends[i] < ends[i - 1])
            status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: ends descend from %zu to %zu; they must ascend",
                             function, ends[i - 1], ends[i]);
    if (status || count == 0)
        return status;
    found = calloc(count, sizeof *found);
    if (!found)
        return ki_fail_memory(err, 0, "the statistics of prefixes");
    status = ki_error_name(function, ki_stats_column_sweep(plan->column, ends, count, found, err), err);
    for (size_t i = 0; i < count && !status; i++)
        results[i] = found[i];
    free(found);
    return status;
}

bool kn_stats_plan_get_in_bytes(const kn_stats_plan *plan)
{
    return plan && ki_stats_column_in_bytes(plan->column);
}

kn_stats_times kn_stats_plan_get_times(const kn_stats_plan *plan)
{
    return plan ? ki_stats_column_times(plan->column) : (kn_stats_times){0, 0, 0, 0};
}
