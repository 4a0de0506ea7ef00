// SPDX-License-Identifier: Apache-2.0
// kn_select_to_buffer and kn_quantiles_to_buffer: nobody waits; that brackets missed the device sees itself.
#include "select.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"

// Launches that find nothing to do where the brackets did not miss.
static kn_status by_digits_again(const struct select *s, kn_error *err)
{
    uint32_t count = s->count, nan_ends = s->nan_ends;
    const kn_arg args[] = {KN_BUFFER(s->jobs), KN_BUFFER(s->answer), KN_VALUE(count), KN_VALUE(nan_ends)};
    kn_status status = ki_select_launch(s, s->again, SELECT_JOBS, 1, 1, args, KI_COUNT(args), err);

    return status ? status : ki_select_digits(s, SELECT_OF_COLUMN, 0, err);
}

kn_status ki_select_deliver(const struct select *s, bool again, kn_error *err)
{
    kn_buffer *to = kn_buffer_get_part(s->to, 0);
    uint32_t count = s->count;
    const kn_arg args[] = {KN_BUFFER(s->answer), KN_VALUE(count), KN_BUFFER(to), KN_VALUE(s->first),
                           KN_VALUE_AT(s->weight, sizeof s->weight)};
    kn_status status = again ? by_digits_again(s, err) : KN_OK;

    if (status)
        return status;
    return s->between ? ki_select_launch(s, s->quantiles, SELECT_JOBS, 1, 1, args, KI_COUNT(args), err)
                      : ki_select_launch(s, s->elements, SELECT_JOBS, 1, 1, args, KI_COUNT(args) - 1, err);
}

// Makes `values`, which has room for `count` elements, what the answers go to.
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
