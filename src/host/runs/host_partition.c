// SPDX-License-Identifier: Apache-2.0
// Elements that meet a condition, on the host: each thread counts its own, then moves them.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host/host.h"

struct partition {
    const char *x;
    char *out;
    size_t n, size;
    kn_host_condition *holds;
    void *data;
    bool others;
    unsigned threads;
    size_t *counts, *starts; // one a thread
    size_t all;              // elements that meet the condition
};

static void count_share(void *context, size_t t)
{
    const struct partition *p = context;
    size_t end = host_share(p->n, t + 1, p->threads), count = 0;

    for (size_t i = host_share(p->n, t, p->threads); i < end; i++)
        count += p->holds(p->x + i * p->size, p->data) != 0;
    p->counts[t] = count;
}

static void move_share(void *context, size_t t)
{
    const struct partition *p = context;
    size_t first = host_share(p->n, t, p->threads), end = host_share(p->n, t + 1, p->threads);
    size_t to = p->starts[t], other = p->all + first - to;

    for (size_t i = first; i < end; i++) {
        bool holds = p->holds(p->x + i * p->size, p->data) != 0;
        if (holds || p->others)
            memcpy(p->out + (holds ? to : other) * p->size, p->x + i * p->size, p->size);
        to += holds;
        other += !holds;
    }
}

static kn_status partition(const char *function, struct partition *p, size_t *count,
                           const kn_host_options *options, kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan(function, KN_U8, p->n, options, &plan, err);

    if (status)
        return status;
    if (!count || !p->holds || p->size == 0 || (p->n > 0 && (!p->x || !p->out || p->x == p->out)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: x, out, holds or count is NULL, or out is x, or elements have no bytes",
                       function);
    status = ki_check_elements(function, p->n, p->size, err);
    if (status)
        return status;
    *count = 0;
    if (p->n == 0)
        return KN_OK;
    p->threads = ki_host_threads(&plan, p->n * p->size);
    p->counts = calloc(2 * (size_t)p->threads, sizeof *p->counts);
    if (!p->counts)
        return ki_fail_memory(err, 2 * p->threads * sizeof *p->counts, "what each thread counts");
    p->starts = p->counts + p->threads;
    ki_parallel(p->threads, p->threads, KI_STATIC, count_share, p);
    for (unsigned t = 0; t < p->threads; t++) {
        p->starts[t] = p->all;
        p->all += p->counts[t];
    }
    ki_parallel(p->threads, p->threads, KI_STATIC, move_share, p);
    *count = p->all;
    free(p->counts);
    return KN_OK;
}

kn_status kn_host_select_if(const void *x, size_t size, size_t n, kn_host_condition *holds, void *data,
                            void *out, size_t *count, const kn_host_options *options, kn_error *err)
{
    struct partition p = {.x = x, .out = out, .n = n, .size = size, .holds = holds, .data = data};

    return partition("kn_host_select_if", &p, count, options, err);
}

kn_status kn_host_partition(const void *x, size_t size, size_t n, kn_host_condition *holds, void *data,
                            void *out, size_t *count, const kn_host_options *options, kn_error *err)
{
    struct partition p = {
        .x = x, .out = out, .n = n, .size = size, .holds = holds, .data = data, .others = true};

    return partition("kn_host_partition", &p, count, options, err);
}
