// SPDX-License-Identifier: Apache-2.0
#include "column.h"

#include <koine/experimental.h>

#include <math.h>
#include <stdlib.h>

#include "algo/robust/robust.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "bytes.h"
#include "column_internal.h"

const char *const ki_stats_variant_names[STATS_VARIANTS + 1] = {
    [STATS_SERIAL] = "serial",     [STATS_VECTORIZED] = "vectorized",
    [STATS_PARALLEL] = "parallel", [STATS_PARALLEL_VECTORIZED] = "parallel-vectorized",
    [STATS_GPU] = "gpu",
};

const char *const ki_stats_method_names[STATS_METHODS + 1] = {
    [STATS_AUTO] = "auto",
    [STATS_SORT] = "sort",
    [STATS_SELECT] = "select",
    [STATS_FUSED] = "fused",
};

// How a variant computes on the host; on a device the host's part is for columns in parts.
static const struct {
    bool vectors, threads;
} host_parts[STATS_VARIANTS] = {
    [STATS_VECTORIZED] = {true, false},
    [STATS_PARALLEL] = {false, true},
    [STATS_PARALLEL_VECTORIZED] = {true, true},
    [STATS_GPU] = {true, true},
};

static stats_method_function *const host_methods[STATS_METHODS] = {
    [STATS_SORT] = ki_stats_host_sort,
    [STATS_SELECT] = ki_stats_host_select,
    [STATS_FUSED] = ki_stats_host_fused,
};
static stats_method_function *const device_methods[STATS_METHODS] = {
    [STATS_SORT] = ki_stats_device_sort,
    [STATS_SELECT] = ki_stats_device_robust,
    [STATS_FUSED] = ki_stats_device_robust,
};

static stats_method_function *method_of(enum stats_variant variant, enum stats_method method)
{
    return variant == STATS_GPU ? device_methods[method] : host_methods[method];
}

static kn_status check_open(enum stats_variant variant, const kn_queue *queue,
                            const struct stats_options *options, kn_error *err)
{
    if ((unsigned)variant >= STATS_VARIANTS || (unsigned)options->method >= STATS_METHODS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no variant %d or no method %d; see column.h",
                       (int)variant, (int)options->method);
    if ((variant == STATS_GPU) != (queue != NULL))
        return ki_fail(err, KN_ERROR_ARGUMENT, "the variant %s %s", ki_stats_variant_names[variant],
                       queue ? "computes on the host; it was given a device's queue"
                             : "needs a device's queue");
    if (!options->single && queue && !kn_context_get_device(kn_queue_get_context(queue))->fp64)
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
    kn_status status = ki_host_plan("stats", column->type, &host, &column->plan, err);

    if (status || column->variant == STATS_GPU)
        return status;
    if (vectors && column->plan.level == KN_HOST_SCALAR)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "the variant %s needs AVX2, which this processor does not have: "
                       "take %s",
                       name, ki_stats_variant_names[threads ? STATS_PARALLEL : STATS_SERIAL]);
    return KN_OK;
}

// How many elements precede the first not-a-number.
static size_t count_numbers(const double *values, size_t n)
{
    size_t count = 0;

    while (count < n && !isnan(values[count]))
        count++;
    return count;
}

static kn_status convert(struct stats_column *column, kn_error *err)
{
    bool counts = column->options.method == STATS_FUSED, single = column->options.single;
    size_t bytes = column->n * (single ? sizeof(float) : sizeof(uint8_t));
    float *singles;

    column->type = single ? KN_F32 : KN_F64;
    column->data = column->values;
    if (column->n == 0 || (!single && !counts))
        return KN_OK;
    column->converted = malloc(bytes);
    if (!column->converted)
        return ki_fail_memory(err, bytes, "a column converted");
    if (counts && ki_stats_to_bytes(column->values, column->n, column->converted, &column->type)) {
        column->data = column->converted;
        return KN_OK;
    }
    singles = column->converted;
    for (size_t i = 0; i < column->n && single; i++)
        singles[i] = (float)column->values[i];
    if (single)
        column->data = singles;
    return KN_OK;
}

static kn_status prepare(struct stats_column *column, kn_error *err)
{
    kn_status status = convert(column, err);

    if (!status)
        status = plan_host(column, err);
    if (status)
        return status;
    if (column->variant == STATS_GPU)
        return ki_stats_device_open(column, err);
    return column->options.method == STATS_FUSED ? KN_OK : ki_stats_column_take_room(column, err);
}

kn_status ki_stats_column_open(enum stats_variant variant, kn_queue *queue, const double *values, size_t n,
                               const struct stats_options *options, struct stats_column **column,
                               kn_error *err)
{
    struct stats_column *c;
    kn_status status = check_open(variant, queue, options, err);

    if (status)
        return status;
    c = calloc(1, sizeof *c);
    if (!c)
        return ki_fail_memory(err, sizeof *c, "a column");
    c->variant = variant;
    c->options = *options;
    if (options->method == STATS_AUTO)
        c->options.method =
            queue && !ki_robust_points(queue, options->single ? KN_F32 : KN_F64) ? STATS_SELECT : STATS_FUSED;
    c->queue = queue;
    c->values = values;
    c->n = n;
    c->numbers = count_numbers(values, n);
    status = prepare(c, err);
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
    kn_buffer_free(column->buffer);
    free(column->scratch);
    free(column->sorted);
    free(column->converted);
    free(column);
}

// A computation, and how much of it was building kernels.
static kn_status compute_timed(struct stats_column *column, size_t n, struct stats_result *result,
                               kn_error *err)
{
    const kn_context *context = column->queue ? kn_queue_get_context(column->queue) : NULL;
    double start = ki_clock_seconds(), built = context ? -kn_context_get_build_seconds(context) : 0;
    double downloaded = column->times.download,
           shift = ki_stats_shift(column->values, n, column->options.single);
    kn_status status = method_of(column->variant, column->options.method)(column, n, shift, result, err);

    if (status)
        return status;
    built += context ? kn_context_get_build_seconds(context) : 0;
    downloaded = column->times.download - downloaded;
    column->times.build += built;
    column->times.compute +=
        fmax(ki_clock_seconds() - start - built - downloaded, 0); // other threads build, too
    result->mad = result->mad / column->options.mad_scale;
    return KN_OK;
}

kn_status ki_stats_column_compute(struct stats_column *column, size_t n, struct stats_result *result,
                                  kn_error *err)
{
    if (n > column->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu elements of a column that has %zu", n, column->n);
    *result = (struct stats_result){n, NAN, NAN, NAN, NAN, NAN};
    column->ran = (struct stats_ran){0};
    return n == 0 || n > column->numbers ? KN_OK : compute_timed(column, n, result, err);
}

kn_status ki_stats_column_sweep(struct stats_column *column, const size_t *ends, size_t count,
                                struct stats_result *results, kn_error *err)
{
    kn_status status = KN_OK;

    if (count > 0 && ends[count - 1] <= column->n && ki_stats_column_in_bytes(column))
        return ki_stats_counted_sweep(column, ends, count, results, err);
    for (size_t i = 0; i < count && !status; i++)
        status = ki_stats_column_compute(column, ends[i], &results[i], err);
    return status;
}

enum stats_method ki_stats_column_method(const struct stats_column *column)
{
    return column->options.method;
}

struct stats_times ki_stats_column_times(const struct stats_column *column)
{
    return column->times;
}
