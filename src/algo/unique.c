// SPDX-License-Identifier: Apache-2.0
// The two launches of cl/algo/unique.cl.
#include <koine/select.h>

#include "base/array.h"
#include "base/error.h"
#include "compact.h"
#include "elements.h"

struct unique {
    struct compact c;
    const kn_buffer *x;
    kn_buffer *values, *lengths;
    kn_type type, length_type;
    kn_kernel *count, *write;
};

static kn_status get_kernels(struct unique *u, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_context *context = u->c.queue->context;
    kn_status status = ki_compact_define(&u->c, &defines, err);

    ki_element_define(&defines, u->type);
    // Counted in the same way whatever is written.
    if (!status)
        status = ki_engine_builtin_kernel(context, "algo/unique.cl", defines.items, defines.count,
                                          KN_POLICY_DEFAULT, "unique_count", &u->count, err);
    if (u->lengths)
        ki_engine_define_text(&defines, "LENGTH", kn_type_name(u->length_type));
    ki_engine_define(&defines, "VALUES", u->values != NULL);
    return status ? status
                  : ki_engine_builtin_kernel(context, "algo/unique.cl", defines.items, defines.count,
                                             KN_POLICY_DEFAULT, "unique_write", &u->write, err);
}

static kn_status launch(const struct unique *u, kn_buffer *counts, kn_buffer *counted, kn_error *err)
{
    const kn_range range = ki_compact_range(&u->c);
    const kn_arg count_args[] = {KN_BUFFER(u->x), KN_VALUE(u->c.n), KN_BUFFER(counts)};
    kn_arg args[6] = {KN_BUFFER(u->x), KN_VALUE(u->c.n), KN_BUFFER(counts),
                      KN_BUFFER(u->values ? u->values : counts)};
    size_t given = 4;
    kn_status status =
        kn_launch(u->c.queue, u->count, &range, count_args, KI_COUNT(count_args), NO_EVENT, err);

    if (u->lengths)
        args[given++] = (kn_arg)KN_BUFFER(u->lengths);
    args[given++] = (kn_arg)KN_BUFFER(counted);
    return status ? status : kn_launch(u->c.queue, u->write, &range, args, given, NO_EVENT, err);
}

static kn_status find_runs(struct unique *u, kn_error *err)
{
    kn_buffer *counts = NULL, *counted = NULL;
    kn_status status;

    if (u->c.n == 0)
        return ki_compact_none(&u->c, err);
    ki_compact_choose(&u->c, kn_type_size(u->type));
    status = get_kernels(u, err);
    if (status)
        return status;
    status = ki_compact_open(&u->c, 2, &counts, &counted, err);
    if (!status)
        status = launch(u, counts, counted, err);
    return ki_compact_close(&u->c, counted, status, err);
}

static kn_status check(const struct unique *u, kn_error *err)
{
    kn_status status = ki_column_check_any(u->c.function, u->c.queue, u->x, u->type, (size_t)u->c.n, err);

    return status ? status : ki_compact_check(&u->c, u->x, err);
}

kn_status kn_unique(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_buffer *out,
                    kn_buffer *counted, size_t *count, kn_error *err)
{
    struct unique u = {
        .c = {.function = "kn_unique", .queue = queue, .n = n, .counted = counted, .count = count},
        .x = x,
        .values = out,
        .type = type};
    kn_status status = check(&u, err);

    if (!status)
        status = ki_compact_check_out(&u.c, "out", x, out, kn_type_size(type), err);
    return status ? status : find_runs(&u, err);
}

kn_status kn_run_lengths(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_buffer *values,
                         kn_buffer *lengths, kn_type length_type, kn_buffer *counted, size_t *count,
                         kn_error *err)
{
    struct unique u = {
        .c = {.function = "kn_run_lengths", .queue = queue, .n = n, .counted = counted, .count = count},
        .x = x,
        .values = values,
        .lengths = lengths,
        .type = type,
        .length_type = length_type};
    kn_status status = check(&u, err);

    if (!status && length_type != KN_U64 && (length_type != KN_U32 || n >= (uint64_t)1 << 32))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "kn_run_lengths: lengths of type %s for %zu elements; KN_U32 serves below 2^32, KN_U64 "
            "any number",
            kn_type_name(length_type), n);
    if (!status && values)
        status = ki_compact_check_out(&u.c, "values", x, values, kn_type_size(type), err);
    if (!status)
        status = ki_compact_check_out(&u.c, "lengths", x, lengths, kn_type_size(length_type), err);
    if (!status && lengths == values)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_run_lengths: values and lengths are the same buffer");
    return status ? status : find_runs(&u, err);
}
