// SPDX-License-Identifier: Apache-2.0
// Runs on the host: each thread counts those that begin among its elements, then writes them.
#include "host_runs.h"

#include <stdlib.h>

#include "base/error.h"

static inline __attribute__((always_inline)) void count_share(const struct runs *r, size_t t,
                                                              const size_t size)
{
    size_t first = host_share(r->n, t, r->threads), end = host_share(r->n, t + 1, r->threads);
    size_t count = 0, last = 0;

    for (size_t i = first; i < end; i++)
        if (runs_begin(r, i, size)) {
            count++;
            last = i + 1;
        }
    r->shares[t] = (struct runs_share){count, 0, last};
}

static void count_any(void *context, size_t t)
{
    const struct runs *r = context;

    if (r->size == 1)
        count_share(r, t, 1);
    else if (r->size == 2)
        count_share(r, t, 2);
    else if (r->size == 4)
        count_share(r, t, 4);
    else
        count_share(r, t, 8);
}

kn_status ki_runs_count(struct runs *r, const void *x, kn_type type, size_t n, const struct host_plan *plan,
                        size_t *count, kn_error *err)
{
    *r = (struct runs){.x = x, .n = n, .size = plan->size};
    if (type == KN_F32 || type == KN_F64) {
        r->magnitude = (uint64_t)~host_least(plan->size);
        r->infinity = type == KN_F32 ? 0x7f800000u : UINT64_C(0x7ff0000000000000);
    }
    r->threads = ki_host_threads(plan, n * plan->size);
    r->shares = calloc(r->threads, sizeof *r->shares);
    if (!r->shares)
        return ki_fail_memory(err, r->threads * sizeof *r->shares, "what each thread counts");
    ki_parallel(r->threads, r->threads, KI_STATIC, count_any, r);
    *count = 0;
    for (unsigned t = 0; t < r->threads; t++) {
        r->shares[t].start = *count;
        *count += r->shares[t].count;
        if (t > 0 && r->shares[t].last == 0)
            r->shares[t].last = r->shares[t - 1].last;
    }
    return KN_OK;
}

struct output {
    void *values, *lengths; // or NULL
    size_t length_size;
};

static inline __attribute__((always_inline)) void write_share(const struct runs *r, size_t t,
                                                              const struct output *out, const size_t size)
{
    size_t first = host_share(r->n, t, r->threads), end = host_share(r->n, t + 1, r->threads);
    size_t to = r->shares[t].start, last = t > 0 ? r->shares[t - 1].last : 0;

    for (size_t i = first; i < end; i++)
        if (runs_begin(r, i, size)) {
            if (out->values)
                host_store(out->values, to, size, host_stored(r->x, i, size));
            if (out->lengths && to > 0)
                host_store(out->lengths, to - 1, out->length_size, (int64_t)(i + 1 - last));
            to++;
            last = i + 1;
        }
    if (out->lengths && t + 1 == r->threads)
        host_store(out->lengths, to - 1, out->length_size, (int64_t)(r->n + 1 - last));
}

struct writing {
    const struct runs *runs;
    const struct output *out;
};

static void write_any(void *context, size_t t)
{
    const struct writing *writing = context;
    const struct runs *r = writing->runs;
    const struct output *out = writing->out;

    if (r->size == 1)
        write_share(r, t, out, 1);
    else if (r->size == 2)
        write_share(r, t, out, 2);
    else if (r->size == 4)
        write_share(r, t, out, 4);
    else
        write_share(r, t, out, 8);
}

static kn_status write_runs(const void *x, kn_type type, size_t n, const struct output *out, size_t *count,
                            const struct host_plan *plan, kn_error *err)
{
    struct runs r;
    kn_status status;

    *count = 0;
    if (n == 0)
        return KN_OK;
    status = ki_runs_count(&r, x, type, n, plan, count, err);
    if (status)
        return status;
    ki_parallel(r.threads, r.threads, KI_STATIC, write_any, &(struct writing){&r, out});
    free(r.shares);
    return KN_OK;
}

kn_status kn_host_unique(const void *x, kn_type type, size_t n, void *out, size_t *count,
                         const kn_host_options *options, kn_error *err)
{
    const struct output output = {.values = out};
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_unique", type, n, options, &plan, err);

    if (!status && (!count || (n > 0 && (!x || !out || x == out))))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_unique: x, out or count is NULL, or out is x");
    return status ? status : write_runs(x, type, n, &output, count, &plan, err);
}

kn_status kn_host_run_lengths(const void *x, kn_type type, size_t n, void *values, void *lengths,
                              kn_type length_type, size_t *count, const kn_host_options *options,
                              kn_error *err)
{
    const struct output output = {values, lengths, kn_type_size(length_type)};
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_run_lengths", type, n, options, &plan, err);

    if (status)
        return status;
    if (!count || (n > 0 && (!x || !lengths || x == values || x == lengths || values == lengths)))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "kn_host_run_lengths: x, lengths or count is NULL, or two of x, values and lengths are the same");
    if (length_type != KN_U64 && (length_type != KN_U32 || n >= (uint64_t)1 << 32))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_run_lengths: lengths of type %s for %zu elements; KN_U32 serves below 2^32, "
                       "KN_U64 any number",
                       kn_type_name(length_type), n);
    return write_runs(x, type, n, &output, count, &plan, err);
}
