// SPDX-License-Identifier: Apache-2.0
// koine/stats.h: several columns at once, and those that a plan holds (koine/experimental/stats.h).
#include "api_internal.h"
#include "base/error.h"

static kn_status check(const char *function, const kn_stats_plan *plan, const void *const *columns, size_t n,
                       size_t count, kn_error *err)
{
    if (!plan || (count > 0 && !columns))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", function, plan ? "columns" : "plan");
    for (size_t i = 0; i < count && n > 0; i++)
        if (!columns[i])
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: column %zu of %zu is NULL", function, i, count);
    if (n > plan->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu elements, but the plan is for %zu at most", function,
                       n, plan->n);
    return KN_OK;
}

// ---- computed together ----

// Of the columns from `columns` on, how many are computed together: at least one.
static kn_status compute_some(kn_stats_plan *plan, const void *const *columns, size_t n, size_t *count,
                              kn_stats *results, kn_error *err)
{
    size_t most = *count > 1 ? ki_stats_columns_most(plan->column, n) : 0;
    kn_status status;

    if (most > 1) {
        *count = *count < most ? *count : most;
        status = ki_stats_columns_load(plan->column, columns, n, *count, &plan->columns, err);
        return status ? status : ki_stats_columns_compute(plan->columns, results, err);
    }
    *count = 1;
    status = ki_stats_column_load(plan->column, columns[0], n, err);
    return status ? status : ki_stats_column_compute(plan->column, n, results, err);
}

static kn_status compute_all(kn_stats_plan *plan, const void *const *columns, size_t n, size_t count,
                             kn_stats *results, kn_error *err)
{
    const kn_stats_options *o = &plan->options;
    kn_status status = KN_OK;

    for (size_t first = 0, some; first < count && !status; first += some) {
        some = count - first;
        status = compute_some(plan, columns + first, n, &some, results + first, err);
        if (!status && o->progress && !o->progress(o->progress_data, 1, first + some, count))
            status =
                ki_fail(err, KN_ERROR_INTERRUPTED,
                        "stopped by the progress function after %zu of %zu columns", first + some, count);
    }
    return status;
}

kn_status kn_stats_compute_columns(kn_stats_plan *plan, const void *const *columns, size_t n, size_t count,
                                   kn_stats *results, kn_error *err)
{
    static const char function[] = "kn_stats_compute_columns";
    kn_stats *found;
    kn_status status = check(function, plan, columns, n, count, err);

    if (!status && count > 0 && !results)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: results is NULL", function);
    if (status || count == 0)
        return status;
    found = ki_kept_take_array(&plan->column->kept, count, sizeof *found);
    if (!found)
        return ki_fail_memory(err, count * sizeof *found, function);
    plan->streamed = plan->loaded = plan->columns_loaded = false;
    status = ki_error_name(function, compute_all(plan, columns, n, count, found, err), err);
    for (size_t i = 0; i < count && !status; i++)
        results[i] = found[i];
    ki_kept_give(&plan->column->kept, found);
    return status;
}

// ---- held, and computed repeatedly ----

size_t kn_stats_plan_get_columns_together(const kn_stats_plan *plan, size_t n)
{
    return plan ? ki_stats_columns_most(plan->column, n) : 0;
}

kn_status kn_stats_plan_load_columns(kn_stats_plan *plan, const void *const *columns, size_t n, size_t count,
                                     kn_error *err)
{
    static const char function[] = "kn_stats_plan_load_columns";
    kn_status status = check(function, plan, columns, n, count, err);

    if (!status && (count == 0 || count > ki_stats_columns_most(plan->column, n)))
        status = ki_fail(err, KN_ERROR_UNSUPPORTED,
                         "%s: %zu columns of %zu elements cannot be held together; see "
                         "kn_stats_plan_get_columns_together",
                         function, count, n);
    if (status)
        return status;
    plan->streamed = plan->loaded = plan->columns_loaded = false;
    status = ki_error_name(function,
                           ki_stats_columns_load(plan->column, columns, n, count, &plan->columns, err), err);
    plan->columns_loaded = !status;
    return status;
}

kn_status kn_stats_plan_compute_columns(kn_stats_plan *plan, kn_stats *results, kn_error *err)
{
    static const char function[] = "kn_stats_plan_compute_columns";

    if (!plan || !results)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", function, plan ? "results" : "plan");
    if (!plan->columns_loaded)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: no columns are loaded; call kn_stats_plan_load_columns",
                       function);
    return ki_error_name(function, ki_stats_columns_compute(plan->columns, results, err), err);
}

bool kn_stats_plan_get_column_in_bytes(const kn_stats_plan *plan, size_t i)
{
    return plan && plan->columns_loaded && ki_stats_columns_in_bytes(plan->columns, i);
}
