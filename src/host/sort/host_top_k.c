// SPDX-License-Identifier: Apache-2.0
// The first k of a column: its k-th element, all that come before it, and as many elements equal to it as
// needed.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host/host.h"

struct top {
    const void *x;
    size_t n, k, index_size;
    struct host_plan plan;
    struct host_codec codec;
    uint64_t threshold; // host_rank of the k-th element
    unsigned threads;
    void *values, *indices;
    struct share *shares; // one a thread
};

// For one thread's elements: how many come before the k-th and how many are equal to it; then, how many of
// the equal ones are among the k, and where the thread's first element goes.
struct share {
    size_t before, equal, position;
};

static inline __attribute__((always_inline)) void count_elements(const struct top *top, size_t t,
                                                                 const size_t size)
{
    size_t first = host_share(top->n, t, top->threads), end = host_share(top->n, t + 1, top->threads);
    size_t before = 0, equal = 0;

    for (size_t i = first; i < end; i++) {
        uint64_t rank = host_rank(host_stored(top->x, i, size), size, &top->codec);

        before += rank < top->threshold;
        equal += rank == top->threshold;
    }
    top->shares[t] = (struct share){before, equal, 0};
}

// In the order of their numbers, so that a stable sort gives the right result.
static inline __attribute__((always_inline)) void gather_elements(const struct top *top, size_t t,
                                                                  const size_t size)
{
    size_t first = host_share(top->n, t, top->threads), end = host_share(top->n, t + 1, top->threads);
    struct share share = top->shares[t];
    size_t last = share.position + share.before + share.equal;

    for (size_t i = first; i < end && share.position < last; i++) {
        int64_t stored = host_stored(top->x, i, size);
        uint64_t rank = host_rank(stored, size, &top->codec);

        if (rank > top->threshold || (rank == top->threshold && share.equal == 0))
            continue;
        share.equal -= rank == top->threshold;
        host_store(top->values, share.position, size, stored);
        host_store(top->indices, share.position++, top->index_size, (int64_t)i);
    }
}

static void count_share(void *context, size_t t)
{
    const struct top *top = context;

    switch (top->plan.size) {
    case 1:
        count_elements(top, t, 1);
        break;
    case 2:
        count_elements(top, t, 2);
        break;
    case 4:
        count_elements(top, t, 4);
        break;
    default:
        count_elements(top, t, 8);
    }
}

static void gather_share(void *context, size_t t)
{
    const struct top *top = context;

    switch (top->plan.size) {
    case 1:
        gather_elements(top, t, 1);
        break;
    case 2:
        gather_elements(top, t, 2);
        break;
    case 4:
        gather_elements(top, t, 4);
        break;
    default:
        gather_elements(top, t, 8);
    }
}

static void gather(struct top *top)
{
    size_t before = 0, position = 0, wanted;

    ki_parallel(top->threads, top->threads, KI_STATIC, count_share, top);
    for (unsigned t = 0; t < top->threads; t++)
        before += top->shares[t].before;
    wanted = top->k - before; // of the equal ones
    for (unsigned t = 0; t < top->threads; t++) {
        struct share *share = &top->shares[t];

        share->equal = share->equal < wanted ? share->equal : wanted;
        share->position = position;
        wanted -= share->equal;
        position += share->before + share->equal;
    }
    ki_parallel(top->threads, top->threads, KI_STATIC, gather_share, top);
}

static kn_status find_top(struct top *top, kn_type type, const kn_host_options *options, kn_error *err)
{
    const size_t last = top->k - 1;
    uint64_t stored = 0;
    kn_status status = kn_host_select(top->x, type, top->n, &last, 1, &stored, options, err);

    if (status)
        return status;
    top->threshold = host_rank(host_stored(&stored, 0, top->plan.size), top->plan.size, &top->codec);
    gather(top);
    return kn_host_sort_by_key(top->values, type, top->k, top->indices, top->index_size, options, err);
}

static kn_status check(const struct top *top, kn_type index_type, kn_error *err)
{
    if (index_type != KN_U64 && (index_type != KN_U32 || top->n > (size_t)UINT32_MAX + 1))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "kn_host_top_k: indices of type %s for %zu elements; KN_U32 serves up to 2^32, KN_U64 any number",
            kn_type_name(index_type), top->n);
    if (top->k > top->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_top_k: %zu of %zu elements", top->k, top->n);
    if (top->k > 0 && !top->x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_top_k: x is NULL");
    return KN_OK;
}

kn_status kn_host_top_k(const void *x, kn_type type, size_t n, size_t k, void *values, void *indices,
                        kn_type index_type, const kn_host_options *options, kn_error *err)
{
    struct top top = {.x = x, .n = n, .k = k, .index_size = kn_type_size(index_type)};
    void *own_values = NULL, *own_indices = NULL;
    kn_status status = ki_host_plan("kn_host_top_k", type, n, options, &top.plan, err);

    if (!status)
        status = check(&top, index_type, err);
    if (status || k == 0)
        return status;
    top.codec = ki_host_codec(type, top.plan.descending);
    top.threads = ki_host_threads(&top.plan, n * top.plan.size);
    top.shares = malloc(top.threads * sizeof *top.shares);
    // Unwanted outputs are needed all the same.
    top.values = values ? values : (own_values = malloc(k * top.plan.size));
    top.indices = indices ? indices : (own_indices = malloc(k * top.index_size));
    status = top.shares && top.values && top.indices
                 ? find_top(&top, type, options, err)
                 : ki_fail_memory(err, k * (top.plan.size + top.index_size), "the first k");
    free(top.shares);
    free(own_values);
    free(own_indices);
    return status;
}
