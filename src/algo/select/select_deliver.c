// SPDX-License-Identifier: Apache-2.0
// Answers that stay on the device: the host does not wait, and the device itself finds out whether brackets
// missed.
#include "select.h"

#include "base/array.h"

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
