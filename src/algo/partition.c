// SPDX-License-Identifier: Apache-2.0
// The two launches of cl/algo/partition.cl.
#include <koine/select.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "compact.h"
#include "snippet.h"

enum { MOST_BYTES = 1024, SNIPPETS = 3 };

struct partition {
    struct compact c;
    const kn_buffer *x;
    kn_buffer *out;
    kn_condition condition;
    bool others;
    kn_kernel *count, *write;
};

static kn_status build(struct partition *p, struct engine_defines *defines, kn_error *err)
{
    kn_context *context = p->c.queue->context;
    kn_status status = ki_compact_define(&p->c, defines, err);

    if (!status)
        status = ki_engine_builtin_kernel(context, "algo/partition.cl", defines->items, defines->count,
                                          KN_POLICY_DEFAULT, "partition_count", &p->count, err);
    ki_engine_define(defines, "OTHERS", p->others);
    return status ? status
                  : ki_engine_builtin_kernel(context, "algo/partition.cl", defines->items, defines->count,
                                             KN_POLICY_DEFAULT, "partition_write", &p->write, err);
}

static kn_status get_kernels(struct partition *p, kn_error *err)
{
    const kn_condition *condition = &p->condition;
    const struct {
        const char *macro, *what, *text;
    } snippets[SNIPPETS] = {
        {"DEFINITIONS", "definitions", condition->definitions ? condition->definitions : ""},
        {"TYPE", "type", condition->type},
        {"HOLDS", "condition", condition->holds}};
    char *joined[SNIPPETS] = {NULL, NULL, NULL};
    struct engine_defines defines = {.count = 0};
    kn_error reason = KN_ERROR_INIT;
    kn_status status = KN_OK;

    for (size_t i = 0; i < SNIPPETS && !status; i++) {
        status = ki_snippet_join(p->c.function, snippets[i].what, snippets[i].text, &p->c.queue->kept,
                                 &joined[i], &reason);
        ki_engine_define_text(&defines, snippets[i].macro, joined[i]);
    }
    ki_engine_define(&defines, "ELEMENT_SIZE", (unsigned)condition->size);
    if (!status)
        status = build(p, &defines, &reason);
    for (size_t i = 0; i < SNIPPETS; i++)
        ki_kept_give(&p->c.queue->kept, joined[i]);
    if (status == KN_ERROR_BUILD) {
        ki_fail_at(err, status, reason.file, reason.line,
                   "%s: the condition '%s' of elements of type '%s' (%zu bytes) is not what the compiler "
                   "takes; `x` is an element. %s",
                   p->c.function, condition->holds, condition->type, condition->size, reason.text);
        return ki_error_native(err, reason.native, reason.native_name);
    }
    if (status && err)
        *err = reason;
    return status;
}

static kn_status launch(const struct partition *p, kn_buffer *counts, kn_buffer *counted, kn_error *err)
{
    const kn_range range = ki_compact_range(&p->c);
    const kn_arg args[] = {KN_BUFFER(p->x), KN_VALUE(p->c.n), KN_BUFFER(counts), KN_BUFFER(p->out),
                           KN_BUFFER(counted)};
    kn_status status = kn_launch(p->c.queue, p->count, &range, args, 3, NO_EVENT, err);

    return status ? status : kn_launch(p->c.queue, p->write, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status check(const struct partition *p, kn_error *err)
{
    const struct compact *c = &p->c;
    const kn_condition *condition = &p->condition;
    kn_status status;

    if (!c->queue || !p->x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue or buffer is NULL", c->function);
    if (!condition->type || !condition->holds)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: condition, its type or what holds is NULL", c->function);
    if (condition->size < 1 || condition->size > MOST_BYTES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: elements of %zu bytes; they have 1 to %d", c->function,
                       condition->size, MOST_BYTES);
    if (c->queue->context != p->x->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the buffer belongs to another context than the queue",
                       c->function);
    if (c->n > p->x->bytes / condition->size)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %llu elements of %zu bytes, but the buffer holds %zu",
                       c->function, (unsigned long long)c->n, condition->size, p->x->bytes / condition->size);
    status = ki_compact_check(c, p->x, err);
    return status ? status : ki_compact_check_out(c, "out", p->x, p->out, condition->size, err);
}

static kn_status partition(struct partition *p, const kn_condition *condition, kn_error *err)
{
    kn_buffer *counts = NULL, *counted = NULL;
    kn_status status = KI_SIZED_READ(p->c.function, kn_condition, condition, &p->condition, err);

    if (!status)
        status = check(p, err);
    if (status)
        return status;
    if (p->c.n == 0)
        return ki_compact_none(&p->c, err);
    ki_compact_choose(&p->c, p->condition.size);
    status = get_kernels(p, err);
    if (status)
        return status;
    status = ki_compact_open(&p->c, 1, &counts, &counted, err);
    if (!status)
        status = launch(p, counts, counted, err);
    return ki_compact_close(&p->c, counted, status, err);
}

kn_status kn_select_if(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                       kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err)
{
    struct partition p = {
        .c = {.function = "kn_select_if", .queue = queue, .n = n, .counted = counted, .count = count},
        .x = x,
        .out = out};

    return partition(&p, condition, err);
}

kn_status kn_partition(kn_queue *queue, const kn_buffer *x, size_t n, const kn_condition *condition,
                       kn_buffer *out, kn_buffer *counted, size_t *count, kn_error *err)
{
    struct partition p = {
        .c = {.function = "kn_partition", .queue = queue, .n = n, .counted = counted, .count = count},
        .x = x,
        .out = out,
        .others = true};

    return partition(&p, condition, err);
}
