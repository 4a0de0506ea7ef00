// SPDX-License-Identifier: Apache-2.0
#include "column.h"

#include <stdlib.h>

#include "../../base/error.h"

const char *const stats_variant_names[STATS_VARIANTS + 1] = {
    [STATS_SERIAL] = "serial",     [STATS_VECTORIZED] = "vectorized",
    [STATS_PARALLEL] = "parallel", [STATS_PARALLEL_VECTORIZED] = "parallel-vectorized",
    [STATS_GPU] = "gpu",
};

const char *const stats_method_names[STATS_METHODS + 1] = {
    [STATS_AUTO] = "auto",
    [STATS_SORT] = "sort",
    [STATS_SELECT] = "select",
    [STATS_FUSED] = "fused",
};

struct stats_column {
    enum stats_variant variant;
    struct stats_options options; // the method is never STATS_AUTO
    kn_queue *queue;
    const double *values;
    size_t n;
    struct stats_times times;
};

// What there is: the reference for `serial`, bitonic sort for `gpu`.
static kn_status check_method(enum stats_variant variant, enum stats_method method, kn_error *err)
{
    if ((variant == STATS_SERIAL || variant == STATS_GPU) && method == STATS_SORT)
        return KN_OK;
    return kn_fail(err, KN_ERROR_UNSUPPORTED, "the variant %s does not have the method %s yet",
                   stats_variant_names[variant], stats_method_names[method]);
}

static kn_status check_open(enum stats_variant variant, const kn_queue *queue,
                            const struct stats_options *options, kn_error *err)
{
    if ((unsigned)variant >= STATS_VARIANTS || (unsigned)options->method >= STATS_METHODS)
        return kn_fail(err, KN_ERROR_ARGUMENT, "there is no variant %d, or no method %d; see column.h",
                       (int)variant, (int)options->method);
    if ((variant == STATS_GPU) != (queue != NULL))
        return kn_fail(err, KN_ERROR_ARGUMENT, "the variant %s %s", stats_variant_names[variant],
                       queue ? "runs on the host, and a queue was given" : "needs a queue");
    if (options->single || variant != STATS_GPU || kn_context_device(kn_queue_context(queue))->fp64)
        return KN_OK;
    return kn_fail(err, KN_ERROR_UNSUPPORTED, "this device has no double precision; take single precision");
}

kn_status stats_column_open(enum stats_variant variant, kn_queue *queue, const double *values, size_t n,
                            const struct stats_options *options, struct stats_column **column, kn_error *err)
{
    kn_status status = check_open(variant, queue, options, err);
    enum stats_method method = options->method == STATS_AUTO ? STATS_SORT : options->method;

    if (!status)
        status = check_method(variant, method, err);
    if (status)
        return status;
    struct stats_column *c = calloc(1, sizeof *c);
    if (!c)
        return kn_fail_memory(err, sizeof *c, "a column");
    *c = (struct stats_column){variant, *options, queue, values, n, {0, 0, 0, 0}};
    c->options.method = method;
    *column = c;
    return KN_OK;
}

void stats_column_close(struct stats_column *column)
{
    free(column);
}

kn_status stats_column_compute(struct stats_column *column, size_t n, struct stats_result *result,
                               kn_error *err)
{
    if (n > column->n)
        return kn_fail(err, KN_ERROR_ARGUMENT, "%zu elements of a column that has %zu", n, column->n);
    if (column->variant == STATS_GPU)
        return stats_device(column->queue, column->values, n, &column->options, result, &column->times, err);
    return stats_reference(column->values, n, &column->options, result, err);
}

kn_status stats_column_sweep(struct stats_column *column, const size_t *ends, size_t count,
                             struct stats_result *results, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = stats_column_compute(column, ends[i], &results[i], err);
    return status;
}

enum stats_method stats_column_method(const struct stats_column *column)
{
    return column->options.method;
}

bool stats_column_in_bytes(const struct stats_column *column)
{
    (void)column;
    return false;
}

struct stats_times stats_column_times(const struct stats_column *column)
{
    return column->times;
}
