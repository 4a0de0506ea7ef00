// SPDX-License-Identifier: Apache-2.0
// kn_robust_stats, kn_robust_columns, kn_robust_prefixes: checks, and the choice of a method.
#include "robust.h"

#include <math.h>

#include "base/error.h"
#include "base/sized.h"
#include "engine/cost/crossovers.h"

static bool is_real(kn_type type)
{
    return type == KN_F32 || type == KN_F64;
}

kn_status ki_robust_begin(struct robust_columns *columns, const char *function, kn_queue *queue,
                          const kn_buffer *x, kn_type type, size_t n, const kn_robust_options *options,
                          const void *results, size_t count, kn_error *err)
{
    kn_status status = ki_column_check_any(function, queue, x, type, n, err);

    if (status)
        return status;
    *columns = (struct robust_columns){
        .function = function, .queue = queue, .x = x, .type = type, .n = n, .count = 1};
    status = KI_SIZED_READ(function, kn_robust_options, options, &columns->options, err);
    if (!status)
        status = ki_robust_check_options(function, type, &columns->options, err);
    if (!status && count > 0 && !results)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: results is NULL", function);
    return status;
}

// ---- floats ----

// Column i by radix select; if there are several, it is copied, so that it begins a buffer.
static kn_status select_column(const struct robust_columns *columns, size_t i, kn_robust *result,
                               kn_error *err)
{
    struct robust_columns one = *columns;
    size_t size = kn_type_size(columns->type), bytes = (size_t)columns->n * size;
    kn_buffer *copy = NULL;
    kn_status status = KN_OK;

    one.count = 1;
    if (columns->shifts)
        one.options.shift = &columns->shifts[i];
    if (columns->count > 1) {
        status = kn_buffer_create(columns->queue->context, bytes, &copy, err);
        if (!status)
            status = kn_buffer_copy(columns->queue, columns->x, i * (size_t)columns->stride * size, copy, 0,
                                    bytes, NULL, err);
        one.x = copy;
    }
    if (!status)
        status = ki_robust_select(&one, result, err);
    kn_buffer_free(copy);
    return status;
}

bool ki_robust_fuses(const kn_queue *queue, kn_type type)
{
    return ki_robust_points(queue, type) > 0 &&
           ki_engine_crossover(queue->context, CROSSOVER_ROBUST_FUSED) != CROSSOVER_NEVER;
}

kn_status ki_robust_check_floats(const struct robust_columns *columns, bool fused, kn_error *err)
{
    const kn_device_info *info = &columns->queue->context->device.info;

    if (fused && ki_robust_points(columns->queue, columns->type) == 0)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: %s does not have the method KN_ROBUST_FUSED: of local memory it takes 28 KB, "
                       "and there are %llu bytes; KN_ROBUST_AUTO chooses",
                       columns->function, info->spec, (unsigned long long)info->local_memory);
    if (columns->n > UINT32_MAX)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: a column of %llu elements; of floats at most %lu are taken",
                       columns->function, (unsigned long long)columns->n, (unsigned long)UINT32_MAX);
    return KN_OK;
}

// By the method of the options; what the brackets missed is selected again.
static kn_status floats(const struct robust_columns *columns, kn_robust *results, kn_error *err)
{
    const kn_robust_method method = columns->options.method;
    bool fits = ki_robust_points(columns->queue, columns->type) > 0;
    bool fused = method == KN_ROBUST_FUSED ||
                 (method == KN_ROBUST_AUTO &&
                  (columns->count > 1 ? fits : ki_robust_fuses(columns->queue, columns->type)));
    kn_status status = ki_robust_check_floats(columns, fused, err);

    if (status)
        return status;
    if (fused)
        status = ki_robust_fused(columns, results, err);
    for (size_t i = 0; i < columns->count && !status; i++) {
        if (fused && !results[i].missed)
            continue;
        if (fused)
            ki_engine_log(columns->queue->context, KN_LOG_INFO,
                          "%s: the sample misled; column %zu again by radix select", columns->function, i);
        status = select_column(columns, i, &results[i], err);
        results[i].missed = fused;
    }
    return status;
}

// ---- 8 bits ----

// Of each stretch, or with `growing` of all stretches up to it.
static kn_status counted(const struct robust_columns *columns, const struct robust_stretch *stretches,
                         size_t count, bool growing, kn_robust *results, kn_error *err)
{
    int shift = columns->options.shift ? (int)rint(*columns->options.shift) : 0;
    uint64_t *counts = ki_kept_take(&columns->queue->kept, count * 256 * sizeof *counts), n = 0;
    kn_status status;

    if (!counts)
        return ki_fail_memory(err, count * 256 * sizeof *counts, "the counts of columns");
    status = ki_robust_count(columns->queue, columns->x, columns->type, stretches, count, counts, err);
    for (size_t i = 0; i < count && !status; i++) {
        uint64_t *own = counts + i * 256, length = stretches[i].end - stretches[i].begin;
        for (size_t k = 0; k < 256 && growing && i > 0; k++)
            own[k] += own[k - 256];
        n = growing ? n + length : length;
        results[i] = ki_robust_of_nothing(0, 0, KN_ROBUST_COUNTED);
        if (n > 0)
            ki_robust_counted(columns->type, own, n, shift, &results[i]);
    }
    ki_kept_give(&columns->queue->kept, counts);
    return status;
}

static kn_status counted_columns(const struct robust_columns *columns, kn_robust *results, kn_error *err)
{
    struct robust_stretch *stretches =
        ki_kept_take(&columns->queue->kept, columns->count * sizeof *stretches);
    kn_status status;

    if (!stretches)
        return ki_fail_memory(err, columns->count * sizeof *stretches, "the places of columns");
    for (size_t i = 0; i < columns->count; i++)
        stretches[i] = (struct robust_stretch){i * columns->stride, i * columns->stride + columns->n};
    status = counted(columns, stretches, columns->count, false, results, err);
    ki_kept_give(&columns->queue->kept, stretches);
    return status;
}

// ---- any type ----

static kn_status robust_any(const struct robust_columns *columns, kn_robust *results, kn_error *err)
{
    bool real = is_real(columns->type);

    if (columns->n > 0)
        return real ? floats(columns, results, err) : counted_columns(columns, results, err);
    for (size_t i = 0; i < columns->count; i++)
        results[i] = ki_robust_of_nothing(0, 0,
                                          !real                                         ? KN_ROBUST_COUNTED
                                          : columns->options.method == KN_ROBUST_SELECT ? KN_ROBUST_SELECT
                                                                                        : KN_ROBUST_FUSED);
    return KN_OK;
}

kn_status kn_robust_stats(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_robust *result,
                          const kn_robust_options *options, kn_error *err)
{
    struct robust_columns columns;
    kn_status status =
        ki_robust_begin(&columns, "kn_robust_stats", queue, x, type, n, options, result, 1, err);

    return status ? status : robust_any(&columns, result, err);
}

kn_status ki_robust_columns(const char *function, kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                            size_t stride, size_t count, const double *shifts, kn_robust *results,
                            const kn_robust_options *options, kn_error *err)
{
    struct robust_columns columns;
    size_t most = count > 1 && stride > (SIZE_MAX - n) / (count - 1) ? SIZE_MAX
                  : count                                            ? (count - 1) * stride + n
                                                                     : 0;
    kn_status status =
        ki_robust_begin(&columns, function, queue, x, type, most, options, results, count, err);

    if (!status && count > 1 && is_real(type) && kn_buffer_get_part_count(x) > 1)
        status =
            ki_fail(err, KN_ERROR_LIMIT,
                    "%s: the buffer is held in parts (kn_buffer_get_part), between which a column may lie; "
                    "give each column a buffer of its own, and use kn_robust_stats",
                    function);
    if (status || count == 0)
        return status;
    columns.n = n;
    columns.stride = stride;
    columns.count = count;
    columns.shifts = shifts;
    return robust_any(&columns, results, err);
}

kn_status kn_robust_columns(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, size_t stride,
                            size_t count, kn_robust *results, const kn_robust_options *options, kn_error *err)
{
    if (count > 1 && stride < n)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_robust_columns: columns of %zu elements, %zu apart, overlap", n, stride);
    return ki_robust_columns("kn_robust_columns", queue, x, type, n, stride, count, NULL, results, options,
                             err);
}

// All with the shift of the longest one.
static kn_status float_prefixes(const struct robust_columns *all, const size_t *ends, size_t count,
                                kn_robust *results, kn_error *err)
{
    struct robust_columns columns = *all;
    kn_moments longest;
    kn_status status = KN_OK;

    for (size_t i = count; i-- > 0 && !status;) {
        columns.n = ends[i];
        status = robust_any(&columns, &results[i], err);
        if (status || i + 1 < count || columns.options.shift || ends[i] == 0)
            continue;
        if (results[i].nan_count > 0) // NaN are not reported
            status = kn_reduce_moments(columns.queue, columns.x, columns.type, ends[i], NULL, &longest, err);
        else
            longest.shift = results[i].shift;
        columns.options.shift = &longest.shift;
    }
    return status;
}

static kn_status counted_prefixes(const struct robust_columns *columns, const size_t *ends, size_t count,
                                  kn_robust *results, kn_error *err)
{
    struct robust_stretch *stretches = ki_kept_take(&columns->queue->kept, count * sizeof *stretches);
    kn_status status;

    if (!stretches)
        return ki_fail_memory(err, count * sizeof *stretches, "the places of prefixes");
    for (size_t i = 0; i < count; i++)
        stretches[i] = (struct robust_stretch){i > 0 ? ends[i - 1] : 0, ends[i]};
    status = counted(columns, stretches, count, true, results, err);
    ki_kept_give(&columns->queue->kept, stretches);
    return status;
}

kn_status kn_robust_prefixes(kn_queue *queue, const kn_buffer *x, kn_type type, const size_t *ends,
                             size_t count, kn_robust *results, const kn_robust_options *options,
                             kn_error *err)
{
    struct robust_columns columns;
    kn_status status = ki_robust_check_ends("kn_robust_prefixes", ends, count, err);

    if (!status)
        status = ki_robust_begin(&columns, "kn_robust_prefixes", queue, x, type, count ? ends[count - 1] : 0,
                                 options, results, count, err);
    if (status || count == 0)
        return status;
    return is_real(type) ? float_prefixes(&columns, ends, count, results, err)
                         : counted_prefixes(&columns, ends, count, results, err);
}
