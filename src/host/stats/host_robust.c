// SPDX-License-Identifier: Apache-2.0
// Mean, variance, median and MAD on the host: kn_host_robust and kn_host_robust_prefixes.
#include "host_robust.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "host_moments.h"
#include "host/sort/host_select.h"
#include "robust_finish.h"

// ---- floats ----

struct sum_read {
    struct host_robust *r;
    size_t nan_count;
};

static void sum_share(void *context, size_t first, size_t end)
{
    struct sum_read *read = context;

    for (size_t i = first; i < end; i++)
        __atomic_fetch_add(&read->nan_count, ki_host_robust_leaf(read->r, i), __ATOMIC_RELAXED);
}

static size_t sum_all(struct host_robust *r)
{
    unsigned threads = ki_host_threads(r->plan, r->column.n * r->plan->size);
    struct sum_read read = {r, 0};

    ki_host_share_out(threads, ki_host_leaf_count(r->column.n), sum_share, &read);
    return read.nan_count;
}

// The mean of the two elements in the middle of x, KN_F32 or KN_F64.
static kn_status select_middle(const struct host_robust *r, const void *x, kn_type type, double *middle,
                               kn_error *err)
{
    const size_t ranks[2] = {(r->column.n - 1) / 2, r->column.n / 2};
    struct host_plan plan = *r->plan;
    struct host_select how = {0};
    char values[2 * sizeof(double)];
    double found[2];
    kn_status status;

    plan.size = kn_type_size(type);
    plan.descending = false;
    status = ki_host_select(x, type, r->column.n, ranks, 2, values, &plan, &how, err);
    for (size_t i = 0; i < 2 && !status; i++) {
        float single;
        memcpy(&single, values + i * sizeof single, sizeof single);
        memcpy(&found[i], values + i * sizeof(double) * (type == KN_F64), sizeof(double));
        found[i] = type == KN_F64 ? found[i] : (double)single;
    }
    if (!status)
        *middle = ranks[0] == ranks[1] ? found[0] + 0.0 : ki_middle(found[0], found[1]);
    return status;
}

struct deviating {
    const struct host_robust *r;
    double median, *deviations;
};

static void deviate_share(void *context, size_t first, size_t end)
{
    const struct deviating *d = context;

    d->r->reals->deviations((const char *)d->r->column.x + first * d->r->plan->size, end - first, d->median,
                            d->deviations + first);
}

static kn_status select_both(const struct host_robust *r, double *median, double *mad, kn_error *err)
{
    size_t n = r->column.n;
    double *deviations;
    kn_status status = select_middle(r, r->column.x, r->type, median, err);

    *mad = NAN;
    if (status || !isfinite(*median))
        return status;
    deviations = ki_kept_take_array(r->plan->kept, n, sizeof *deviations);
    if (!deviations)
        return ki_fail_memory(err, n * sizeof *deviations, "deviations from the median");
    ki_host_share_out(ki_host_threads(r->plan, n * sizeof(double)), n, deviate_share,
                      &(struct deviating){r, *median, deviations});
    status = select_middle(r, deviations, KN_F64, mad, err);
    ki_kept_give(r->plan->kept, deviations);
    return status;
}

// The first n > 0 elements; results for shorter prefixes are used.
static kn_status robust_prefix(struct host_robust *r, size_t n, kn_robust_method method, kn_robust *result,
                               kn_error *err)
{
    size_t leaves = ki_host_leaf_count(n), nan_count = 0;
    double median = NAN, mad = NAN;
    bool missed = false;
    kn_status status = KN_OK;
    kn_sums sums;

    r->column.n = n;
    if (method == KN_ROBUST_FUSED)
        status = ki_host_robust_fused(r, &nan_count, &median, &mad, &missed, err);
    else
        nan_count = sum_all(r);
    if (missed)
        method = KN_ROBUST_SELECT;
    if (!status && nan_count == 0 && method == KN_ROBUST_SELECT)
        status = select_both(r, &median, &mad, err);
    if (status)
        return status;
    r->summed = n / TREE_LEAF;
    *result = ki_robust_of_nothing(n, nan_count, method);
    result->missed = missed;
    if (nan_count > 0)
        return KN_OK;
    memcpy(r->folded, r->leaves, leaves * sizeof *r->folded);
    sums = ki_host_fold_leaves(r->folded, leaves);
    ki_robust_finish(result, r->column.shift, &sums, median, mad);
    return KN_OK;
}

static kn_status robust_floats(const void *x, kn_type type, const size_t *ends, size_t count,
                               const kn_robust_options *options, const struct host_plan *plan,
                               kn_robust *results, kn_error *err)
{
    size_t most = ki_host_leaf_count(ends[count - 1]);
    kn_robust_method method = options->method == KN_ROBUST_SELECT ? KN_ROBUST_SELECT : KN_ROBUST_FUSED;
    double shift =
        options->shift ? *options->shift : ki_host_moments_shift(x, type, ends[count - 1], plan->level);
    struct host_robust r = {.plan = plan,
                            .reals = ki_host_reals_for(type, plan->level),
                            .type = type,
                            .width = ki_robust_width(options) == 0 ? 8 : ki_robust_width(options)};
    kn_status status = KN_OK;

    r.column = (struct host_column){x,
                                    0,
                                    type == KN_F32,
                                    true,
                                    type == KN_F32 ? (double)(float)shift : shift,
                                    ki_host_leaf_for(plan->level)};
    r.leaves = ki_kept_take_array(plan->kept, 2 * most, sizeof *r.leaves);
    if (!r.leaves)
        return ki_fail_memory(err, (2 * most + 1) * sizeof *r.leaves, "the sums of a column");
    r.folded = r.leaves + most;
    for (size_t i = 0; i < count && !status; i++) {
        results[i] = ki_robust_of_nothing(0, 0, method);
        if (ends[i] > 0)
            status = robust_prefix(&r, ends[i], method, &results[i], err);
    }
    ki_kept_give(plan->kept, r.leaves);
    return status;
}

// ---- 8 bits ----

static kn_status robust_bytes(const void *x, kn_type type, const size_t *ends, size_t count,
                              const kn_robust_options *options, const struct host_plan *plan,
                              kn_robust *results, kn_error *err)
{
    struct host_codec codec = ki_host_codec(type, false);
    int shift = options->shift ? (int)rint(*options->shift) : 0;
    uint64_t totals[256] = {0};
    size_t done = 0;
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; done = ends[i++]) {
        size_t *counts = NULL;
        status = ki_host_count((const char *)x + done, ends[i] - done, &codec, plan, &counts, err);
        for (size_t k = 0; k < KI_COUNT(totals) && !status; k++)
            totals[k] += counts[k];
        ki_kept_give(plan->kept, counts);
        results[i] = ki_robust_of_nothing(0, 0, KN_ROBUST_COUNTED);
        if (ends[i] > 0 && !status)
            ki_robust_counted(type, totals, ends[i], shift, &results[i]);
    }
    return status;
}

// ---- other types ----

kn_status ki_host_robust(const void *x, kn_type type, const size_t *ends, size_t count,
                         const kn_robust_options *options, const struct host_plan *plan, kn_robust *results,
                         kn_error *err)
{
    return type == KN_F32 || type == KN_F64 ? robust_floats(x, type, ends, count, options, plan, results, err)
                                            : robust_bytes(x, type, ends, count, options, plan, results, err);
}

static kn_status robust_prefixes(const char *function, const void *x, kn_type type, const size_t *ends,
                                 size_t count, const kn_robust_options *given, const kn_host_options *host,
                                 kn_robust *results, kn_error *err)
{
    struct host_plan plan;
    kn_robust_options options;
    kn_status status = ki_host_plan(function, type, 0, host, &plan, err);

    if (!status)
        status = KI_SIZED_READ(function, kn_robust_options, given, &options, err);
    if (!status)
        status = ki_robust_check_options(function, type, &options, err);
    if (status || count == 0)
        return status;
    status = ki_robust_check_ends(function, ends, count, err);
    if (!status)
        status = ki_check_elements(function, ends[count - 1], plan.size, err);
    if (!status && (!results || (!x && ends[count - 1] > 0)))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: x or a result is NULL", function);
    if (status)
        return status;
    return ki_host_robust(x, type, ends, count, &options, &plan, results, err);
}

kn_status kn_host_robust(const void *x, kn_type type, size_t n, kn_robust *result,
                         const kn_robust_options *options, const kn_host_options *host, kn_error *err)
{
    return robust_prefixes("kn_host_robust", x, type, &n, 1, options, host, result, err);
}

kn_status kn_host_robust_prefixes(const void *x, kn_type type, const size_t *ends, size_t count,
                                  kn_robust *results, const kn_robust_options *options,
                                  const kn_host_options *host, kn_error *err)
{
    return robust_prefixes("kn_host_robust_prefixes", x, type, ends, count, options, host, results, err);
}
