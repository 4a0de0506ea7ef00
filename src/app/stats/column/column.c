// SPDX-License-Identifier: Apache-2.0
#include "column.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdlib.h>

#include "algo/robust/robust.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "column_internal.h"

const char *const ki_stats_variant_names[STATS_VARIANTS + 1] = {
    [STATS_SERIAL] = "serial",     [STATS_VECTORIZED] = "vectorized",
    [STATS_PARALLEL] = "parallel", [STATS_PARALLEL_VECTORIZED] = "parallel-vectorized",
    [STATS_GPU] = "gpu",
};

const char *const ki_stats_method_names[STATS_METHODS + 1] = {
    [KN_STATS_AUTO] = "auto",
    [KN_STATS_SORT] = "sort",
    [KN_STATS_SELECT] = "select",
    [KN_STATS_FUSED] = "fused",
};

// How a variant computes on the host; on a device, the host's part is used for columns in parts.
static const struct {
    bool vectors, threads;
} host_parts[STATS_VARIANTS] = {
    [STATS_VECTORIZED] = {true, false},
    [STATS_PARALLEL] = {false, true},
    [STATS_PARALLEL_VECTORIZED] = {true, true},
    [STATS_GPU] = {true, true},
};

static stats_method_function *const host_methods[STATS_METHODS] = {
    [KN_STATS_SORT] = ki_stats_host_sort,
    [KN_STATS_SELECT] = ki_stats_host_select,
    [KN_STATS_FUSED] = ki_stats_host_fused,
};
static stats_method_function *const device_methods[STATS_METHODS] = {
    [KN_STATS_SORT] = ki_stats_device_sort,
    [KN_STATS_SELECT] = ki_stats_device_robust,
    [KN_STATS_FUSED] = ki_stats_device_robust,
};

static stats_method_function *method_of(enum stats_variant variant, kn_stats_method method)
{
    return variant == STATS_GPU ? device_methods[method] : host_methods[method];
}

static kn_status check_open(enum stats_variant variant, const kn_queue *queue, kn_type from,
                            const struct stats_options *options, kn_error *err)
{
    if ((unsigned)variant >= STATS_VARIANTS || (unsigned)options->method >= STATS_METHODS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no variant %d or no method %d; see column.h",
                       (int)variant, (int)options->method);
    if ((variant == STATS_GPU) != (queue != NULL))
        return ki_fail(err, KN_ERROR_ARGUMENT, "the variant %s %s", ki_stats_variant_names[variant],
                       queue ? "computes on the host; it was given a device's queue"
                             : "needs a device's queue");
    if (from == KN_F64 && !options->single && queue &&
        !kn_context_get_device(kn_queue_get_context(queue))->fp64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s has no double precision: take single precision, or the host",
                       kn_context_get_device(kn_queue_get_context(queue))->name);
    return KN_OK;
}

static kn_status plan_host(struct stats_column *column, kn_error *err)
{
    const char *name = ki_stats_variant_names[column->variant];
    bool vectors = host_parts[column->variant].vectors, threads = host_parts[column->variant].threads;
    const kn_host_options host = KN_INIT(kn_host_options, .threads = threads ? column->options.threads : 1,
                                         .level = vectors ? KN_HOST_AUTO : KN_HOST_SCALAR);
    kn_status status = ki_host_plan("stats", ki_stats_column_real(column), 0, &host, &column->plan, err);

    column->plan.kept = &column->kept;
    if (status || column->variant == STATS_GPU)
        return status;
    if (vectors && column->plan.level == KN_HOST_SCALAR)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "the variant %s needs AVX2, which this processor does not have: "
                       "take %s",
                       name, ki_stats_variant_names[threads ? STATS_PARALLEL : STATS_SERIAL]);
    return KN_OK;
}

kn_status ki_stats_column_create(enum stats_variant variant, kn_queue *queue, kn_type from, size_t capacity,
                                 const struct stats_options *options, struct stats_column **column,
                                 kn_error *err)
{
    struct stats_column *c;
    kn_status status = check_open(variant, queue, from, options, err);

    if (status)
        return status;
    c = calloc(1, sizeof *c);
    if (!c)
        return ki_fail_memory(err, sizeof *c, "a column");
    ki_kept_init(&c->kept);
    c->variant = variant;
    c->options = *options;
    c->from = from;
    c->capacity = capacity;
    c->queue = queue;
    c->selects =
        options->method == KN_STATS_AUTO && queue && !ki_robust_fuses(queue, ki_stats_column_real(c));
    if (options->method == KN_STATS_AUTO)
        c->options.method = KN_STATS_FUSED;
    c->type = ki_stats_column_real(c);
    status = plan_host(c, err);
    if (status)
        ki_stats_column_close(c);
    else
        *column = c;
    return status;
}

kn_status ki_stats_column_open(enum stats_variant variant, kn_queue *queue, const double *values, size_t n,
                               const struct stats_options *options, struct stats_column **column,
                               kn_error *err)
{
    struct stats_column *c;
    kn_status status = ki_stats_column_create(variant, queue, KN_F64, n, options, &c, err);

    if (status)
        return status;
    status = ki_stats_column_load(c, values, n, err);
    if (status)
        ki_stats_column_close(c);
    else
        *column = c;
    return status;
}

void ki_stats_column_close(struct stats_column *column)
{
    if (!column)
        return;
    kn_buffer_free(column->work);
    kn_buffer_free(column->own);
    free(column->scratch);
    free(column->sorted);
    free(column->converted);
    ki_kept_free(&column->kept);
    free(column);
}

// A computation, and how much of its time went into building kernels.
static kn_status compute_timed(struct stats_column *column, size_t n, kn_stats *result, kn_error *err)
{
    const kn_context *context = column->queue ? kn_queue_get_context(column->queue) : NULL;
    double start = ki_clock_seconds(), built = context ? -kn_context_get_build_seconds(context) : 0;
    double downloaded = column->times.download, shift;
    kn_status status = ki_stats_column_shift(column, n, &shift, err);

    if (!status)
        status = method_of(column->variant, column->options.method)(column, n, shift, result, err);
    if (status)
        return status;
    built += context ? kn_context_get_build_seconds(context) : 0;
    downloaded = column->times.download - downloaded;
    column->times.build += built;
    column->times.compute +=
        fmax(ki_clock_seconds() - start - built - downloaded, 0); // other threads may build, too
    result->mad = result->mad / column->options.mad_scale;
    return KN_OK;
}

kn_status ki_stats_column_compute(struct stats_column *column, size_t n, kn_stats *result, kn_error *err)
{
    if (n > column->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu elements of a column that has %zu", n, column->n);
    *result = (kn_stats){n, NAN, NAN, NAN, NAN, NAN};
    column->ran = (struct stats_ran){0};
    return n == 0 || n > column->numbers ? KN_OK : compute_timed(column, n, result, err);
}

kn_status ki_stats_column_sweep(struct stats_column *column, const size_t *ends, size_t count,
                                kn_stats *results, kn_error *err)
{
    kn_status status = KN_OK;

    if (count > 0 && ends[count - 1] <= column->n && ki_stats_column_in_bytes(column))
        return ki_stats_counted_sweep(column, ends, count, results, err);
    for (size_t i = 0; i < count && !status; i++)
        status = ki_stats_column_compute(column, ends[i], &results[i], err);
    return status;
}

kn_stats_method ki_stats_column_method(const struct stats_column *column)
{
    return column->selects && !ki_stats_column_in_bytes(column) ? KN_STATS_SELECT : column->options.method;
}

kn_stats_times ki_stats_column_times(const struct stats_column *column)
{
    return column->times;
}
