// SPDX-License-Identifier: Apache-2.0
// kn_select, kn_quantiles and kn_median: checks, and the choice of a method.
#include "select.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/sized.h"
#include "engine/answer.h"
#include "engine/cost/crossovers.h"

// ---- a batch of jobs ----

static bool any_failed(const struct select *s, uint32_t how)
{
    for (unsigned j = 0; j < s->count; j++)
        if (s->found[j].failed == how)
            return true;
    return false;
}

// SELECT_ALONE, SELECT_BY_DIGITS or SELECT_BY_BRACKETS.
static enum select_part choose_method(const struct select *s)
{
    const kn_device_info *info = &s->queue->context->device.info;
    uint64_t brackets_from = ki_engine_crossover(s->queue->context, CROSSOVER_SELECT_BRACKETS);

    if (s->options.method != KN_SELECT_AUTO)
        return s->options.method == KN_SELECT_BRACKETS ? SELECT_BY_BRACKETS : SELECT_BY_DIGITS;
    if (kn_buffer_get_part_count(s->x) == 1 && s->n <= ki_engine_sizes(info, SHAPE_SELECT_ALONE)->items)
        return SELECT_ALONE;
    return s->n * kn_type_size(s->type) < brackets_from || ki_element_bits(s->type) == 8 ? SELECT_BY_DIGITS
                                                                                         : SELECT_BY_BRACKETS;
}

static kn_status by_digits(struct select *s, kn_error *err)
{
    kn_status status = ki_select_prepare(s, s->ranks, err);

    return status ? status : ki_select_digits(s, SELECT_OF_COLUMN, 0, err);
}

static kn_status by_one_group(struct select *s, kn_error *err)
{
    kn_status status = ki_select_prepare(s, s->ranks, err);

    return status ? status : ki_select_small(s, s->x, s->n, 0, err);
}

// Everything that needs no answer from the device.
static kn_status enqueue(struct select *s, enum select_part method, kn_error *err)
{
    unsigned parts = method | (s->to ? SELECT_DELIVERED : 0);
    kn_status status;

    if (method == SELECT_BY_BRACKETS) {
        ki_select_choose_sample(s);
        parts |= s->lists ? SELECT_IN_LISTS : SELECT_SAMPLE_DIGITS;
    }
    status = ki_select_get_kernels(s, parts, err);
    if (status)
        return status;
    return method == SELECT_BY_BRACKETS ? ki_select_brackets(s, err)
           : method == SELECT_BY_DIGITS ? by_digits(s, err)
                                        : by_one_group(s, err);
}

static kn_status read_answers(struct select *s, kn_error *err)
{
    return ki_engine_answer_read(s->queue, s->found, s->count * sizeof s->found[0], err);
}

// Finishes what the brackets did not find.
static kn_status finish(struct select *s, kn_error *err)
{
    kn_status status = KN_OK;

    if (any_failed(s, SELECT_CROWDED) && !any_failed(s, SELECT_MISSED)) {
        status = ki_select_digits(s, SELECT_OF_GATHERED, 0, err);
        if (!status)
            status = read_answers(s, err);
    }
    if (status || !any_failed(s, SELECT_MISSED) || (s->nan_ends && s->found[0].nan))
        return status;
    ki_engine_log(s->queue->context, KN_LOG_INFO, "%s: %s; again by digits", s->function,
                  s->found[0].nan ? "there is a NaN" : "the sample misled");
    status = by_digits(s, err);
    return status ? status : read_answers(s, err);
}

static kn_status find_jobs(struct select *s, kn_error *err)
{
    enum select_part method = choose_method(s);
    kn_status status = enqueue(s, method, err);

    if (!status && s->to)
        return ki_select_deliver(s, method == SELECT_BY_BRACKETS, err);
    if (!status)
        status = read_answers(s, err);
    return status || method != SELECT_BY_BRACKETS ? status : finish(s, err);
}

// Finds ranks[2 * j] <= ranks[2 * j + 1] for all j < count.
static kn_status find_pairs(struct select *s, const uint64_t *ranks, size_t count, kn_error *err)
{
    kn_status status;

    s->count = (unsigned)count;
    for (s->brackets = 1; s->brackets < count;)
        s->brackets *= 2;
    memset(s->ranks, 0, sizeof s->ranks);
    memcpy(s->ranks, ranks, 2 * count * sizeof *ranks);
    s->scratch = ki_engine_scratch_open(s->queue, ENGINE_SCRATCH_ALGORITHM, SELECT_SLOTS, s->function);
    status = find_jobs(s, err);
    ki_engine_scratch_close(&s->scratch);
    return status;
}

// ---- requests ----

kn_status ki_select_begin(struct select *s, const char *function, kn_queue *queue, const kn_buffer *x,
                          kn_type type, size_t n, const kn_select_options *options, kn_error *err)
{
    kn_status status = ki_column_check_any(function, queue, x, type, n, err);

    if (status)
        return status;
    *s = (struct select){.function = function, .queue = queue, .x = x, .type = type, .n = n};
    status = KI_SIZED_READ(function, kn_select_options, options, &s->options, err);
    if (!status && s->options.tuning)
        s->tuning = *s->options.tuning;
    if (!status)
        status = ki_select_check_options(s, err);
    if (status || n == 0)
        return status;
    ki_select_choose_shape(s);
    s->pieces = ki_element_pieces(x, type, n);
    return KN_OK;
}

kn_status ki_select_check_ranks(const struct select *s, const size_t *ranks, size_t count, const void *values,
                                kn_error *err)
{
    if (count > 0 && (!ranks || !values))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: ranks or values is NULL", s->function);
    for (size_t i = 0; i < count; i++)
        if (ranks[i] >= s->n)
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: rank %zu of %zu elements; they go from 0 to %zu",
                           s->function, ranks[i], (size_t)s->n, (size_t)(s->n ? s->n - 1 : 0));
    return KN_OK;
}

kn_status ki_select_check_quantiles(const struct select *s, const double *q, size_t count, const void *values,
                                    kn_error *err)
{
    if (count > 0 && (!q || !values || s->n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: no elements, or q or values is NULL", s->function);
    for (size_t i = 0; i < count; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: quantile %g; they go from 0 to 1", s->function, q[i]);
    return KN_OK;
}

kn_status ki_select_ranks(struct select *s, const size_t *ranks, size_t count, kn_error *err)
{
    uint64_t pairs[2 * SELECT_JOBS];

    for (size_t j = 0; j < 2 * count; j++)
        pairs[j] = ranks[j / 2];
    return find_pairs(s, pairs, count, err);
}

kn_status ki_select_quantiles(struct select *s, const double *q, size_t count, kn_error *err)
{
    uint64_t pairs[2 * SELECT_JOBS];

    for (size_t j = 0; j < count; j++) {
        double position = q[j] * (double)(s->n - 1);
        pairs[2 * j] = (uint64_t)position < s->n - 1 ? (uint64_t)position : s->n - 1;
        s->weight[j] = position - (double)pairs[2 * j];
        pairs[2 * j + 1] = pairs[2 * j] + (s->weight[j] > 0);
    }
    return find_pairs(s, pairs, count, err);
}

// ---- on the host ----

kn_status kn_select(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const size_t *ranks,
                    size_t count, void *values, const kn_select_options *options, kn_error *err)
{
    struct select s;
    char *to = values;
    kn_status status = ki_select_begin(&s, "kn_select", queue, x, type, n, options, err);

    if (!status)
        status = ki_select_check_ranks(&s, ranks, count, values, err);
    for (size_t done = 0; done < count && !status; done += SELECT_JOBS) {
        size_t batch = count - done < SELECT_JOBS ? count - done : SELECT_JOBS;
        status = ki_select_ranks(&s, ranks + done, batch, err);
        for (size_t j = 0; j < batch && !status; j++, to += kn_type_size(type))
            ki_element_store(to, s.found[j].value[0], type);
    }
    return status;
}

// Element k of a job's two.
static double found_value(const struct select *s, const struct select_answer *found, unsigned k)
{
    return ki_element_value(found->value[k], s->type);
}

kn_status kn_quantiles(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *q,
                       size_t count, double *values, const kn_select_options *options, kn_error *err)
{
    struct select s;
    kn_status status = ki_select_begin(&s, "kn_quantiles", queue, x, type, n, options, err);

    s.nan_ends = true;
    if (!status)
        status = ki_select_check_quantiles(&s, q, count, values, err);
    for (size_t done = 0; done < count && !status; done += SELECT_JOBS) {
        size_t batch = count - done < SELECT_JOBS ? count - done : SELECT_JOBS;
        status = ki_select_quantiles(&s, q + done, batch, err);
        for (size_t j = 0; j < batch && !status; j++)
            values[done + j] = s.found[0].nan ? NAN
                                              : ki_between(found_value(&s, &s.found[j], 0),
                                                           found_value(&s, &s.found[j], 1), s.weight[j]);
    }
    return status;
}

kn_status kn_median(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double *median,
                    const kn_select_options *options, kn_error *err)
{
    struct select s;
    kn_status status = ki_select_begin(&s, "kn_median", queue, x, type, n, options, err);

    s.nan_ends = true;
    if (!status && (!median || n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_median: no elements, or median is NULL");
    if (!status) {
        const uint64_t pair[2] = {(n - 1) / 2, n / 2};
        status = find_pairs(&s, pair, 1, err);
    }
    if (!status)
        *median = s.found[0].nan
                      ? NAN
                      : ki_middle(found_value(&s, &s.found[0], 0), found_value(&s, &s.found[0], 1));
    return status;
}
