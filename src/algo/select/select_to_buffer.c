// SPDX-License-Identifier: Apache-2.0
// kn_select_to_buffer and kn_quantiles_to_buffer: checks, and batches of requests.
#include "select.h"

#include "base/error.h"

// Makes `values`, which has room for `count` elements, the destination of the answers.
static kn_status deliver_to(struct select *s, kn_buffer *values, kn_type type, size_t count, kn_error *err)
{
    kn_status status;

    if (values == s->x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x and values are one buffer", s->function);
    status = ki_column_check_any(s->function, s->queue, values, type, count, err);
    if (!status && kn_buffer_get_part_count(values) > 1)
        status = ki_fail(err, KN_ERROR_LIMIT, "%s: values is held in parts", s->function);
    s->to = values;
    return status;
}

kn_status kn_select_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n,
                              const size_t *ranks, size_t count, kn_buffer *values,
                              const kn_select_options *options, kn_error *err)
{
    struct select s;
    kn_status status = ki_select_begin(&s, "kn_select_to_buffer", queue, x, type, n, options, err);

    if (!status)
        status = ki_select_check_ranks(&s, ranks, count, values, err);
    if (!status && count > 0)
        status = deliver_to(&s, values, type, count, err);
    for (size_t done = 0; done < count && !status; done += SELECT_JOBS) {
        size_t batch = count - done < SELECT_JOBS ? count - done : SELECT_JOBS;
        s.first = done;
        status = ki_select_ranks(&s, ranks + done, batch, err);
    }
    return status;
}

kn_status kn_quantiles_to_buffer(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *q,
                                 size_t count, kn_buffer *values, const kn_select_options *options,
                                 kn_error *err)
{
    struct select s;
    kn_status status = ki_select_begin(&s, "kn_quantiles_to_buffer", queue, x, type, n, options, err);

    s.nan_ends = s.between = true;
    if (!status)
        status = ki_select_check_quantiles(&s, q, count, values, err);
    if (!status && count > 0)
        status = deliver_to(&s, values, KN_F64, count, err);
    for (size_t done = 0; done < count && !status; done += SELECT_JOBS) {
        size_t batch = count - done < SELECT_JOBS ? count - done : SELECT_JOBS;
        s.first = done;
        status = ki_select_quantiles(&s, q + done, batch, err);
    }
    return status;
}
