// SPDX-License-Identifier: Apache-2.0
// Reductions by key on the host, in the order of cl/algo/reduce_by_key.cl: the same bits.
#include <math.h>
#include <stdlib.h>

#include "shared/tree.h"
#include "base/error.h"
#include "host_runs.h"

// A value of any type, and the type in which values are combined.
union value {
    int64_t i64; // of integers, extended
    float f32;
    double f64;
};

struct by_key {
    struct runs runs;
    const void *values;
    kn_type type;
    kn_reduce_op op;
    size_t size;
    void *keys, *results;
};

// A run, of which `first` is the first element.
struct by_key_run {
    const struct by_key *by;
    size_t first;
};

// Units of a level: on level 0 elements, on the others blocks of units of the level below.
struct units {
    unsigned level;
    size_t from, to;
};

static inline union value load(const struct by_key *b, size_t i)
{
    union value value;

    if (b->type == KN_F32)
        value.f32 = ((const float *)b->values)[i];
    else if (b->type == KN_F64)
        value.f64 = ((const double *)b->values)[i];
    else
        value.i64 = host_stored(b->values, i, b->size);
    return value;
}

static inline union value cut(const struct by_key *b, int64_t value)
{
    uint64_t bits = (uint64_t)value << (64 - 8 * b->size);

    return (union value){.i64 = (int64_t)bits >> (64 - 8 * b->size)};
}

static union value combine_integers(const struct by_key *b, union value x, union value y)
{
    uint64_t flip =
        b->type % 2 ? (uint64_t)1 << 63 : 0; // for unsigned integers, which are extended like signed ones
    bool less;

    if (b->op == KN_REDUCE_SUM)
        return cut(b, (int64_t)((uint64_t)x.i64 + (uint64_t)y.i64));
    if (b->op == KN_REDUCE_PRODUCT)
        return cut(b, (int64_t)((uint64_t)x.i64 * (uint64_t)y.i64));
    less = (int64_t)((uint64_t)x.i64 ^ flip) < (int64_t)((uint64_t)y.i64 ^ flip);
    return less == (b->op == KN_REDUCE_MIN) ? x : y;
}

static union value combine(const struct by_key *b, union value x, union value y)
{
    if (b->type == KN_F32) {
        float left = x.f32, right = y.f32;
        if (b->op == KN_REDUCE_SUM)
            return (union value){.f32 = left + right};
        if (b->op == KN_REDUCE_PRODUCT)
            return (union value){.f32 = left * right};
        return (b->op == KN_REDUCE_MIN ? left < right : left > right) || isnan(left) ? x : y;
    }
    if (b->type == KN_F64) {
        double left = x.f64, right = y.f64;
        if (b->op == KN_REDUCE_SUM)
            return (union value){.f64 = left + right};
        if (b->op == KN_REDUCE_PRODUCT)
            return (union value){.f64 = left * right};
        return (b->op == KN_REDUCE_MIN ? left < right : left > right) || isnan(left) ? x : y;
    }
    return combine_integers(b, x, y);
}

static union value fold_block(const struct by_key_run *run, struct units units);

// A unit's part of the run.
static union value unit_value(const struct by_key_run *run, unsigned level, size_t unit)
{
    size_t from = unit * RUNS_BLOCK, first = run->first;

    if (level == 0)
        return load(run->by, unit);
    for (unsigned below = 1; below < level; below++)
        first /= RUNS_BLOCK;
    return fold_block(run, (struct units){level - 1, from > first ? from : first, from + RUNS_BLOCK});
}

static union value fold_in_order(const struct by_key_run *run, struct units units)
{
    union value all = unit_value(run, units.level, units.from);

    for (size_t unit = units.from + 1; unit < units.to; unit++)
        all = combine(run->by, all, unit_value(run, units.level, unit));
    return all;
}

// The part in units up to the end of a leaf.
static union value fold_leaves(const struct by_key_run *run, struct units units)
{
    size_t first = units.from / RUNS_LEAF, last = (units.to - 1) / RUNS_LEAF, half = 1;
    struct units left = units, right = units;

    if (first == last)
        return fold_in_order(run, units);
    while ((first ^ last) / half > 1)
        half *= 2;
    left.to = right.from = last / half * half * RUNS_LEAF;
    return combine(run->by, fold_leaves(run, left), fold_leaves(run, right));
}

// The part in units of one block.
static union value fold_block(const struct by_key_run *run, struct units units)
{
    size_t cut_at = units.to / RUNS_LEAF * RUNS_LEAF;

    if (cut_at <= units.from)
        return fold_in_order(run, units);
    if (cut_at == units.to)
        return fold_leaves(run, units);
    return combine(run->by, fold_leaves(run, (struct units){units.level, units.from, cut_at}),
                   fold_in_order(run, (struct units){units.level, cut_at, units.to}));
}

static union value fold(const struct by_key_run *run, struct units units)
{
    size_t first = units.from / RUNS_BLOCK, last = units.to / RUNS_BLOCK;
    union value blocks;

    if (first == (units.to - 1) / RUNS_BLOCK)
        return fold_block(run, units);
    blocks = fold(run, (struct units){units.level + 1, first, last});
    return units.to % RUNS_BLOCK == 0
               ? blocks
               : combine(run->by, blocks,
                         fold_block(run, (struct units){units.level, last * RUNS_BLOCK, units.to}));
}

static void store(const struct by_key *b, size_t i, union value value)
{
    if (b->type == KN_F32)
        ((float *)b->results)[i] = value.f32;
    else if (b->type == KN_F64)
        ((double *)b->results)[i] = value.f64;
    else
        host_store(b->results, i, b->size, value.i64);
}

// Reduces the runs that begin among a thread's elements, to their ends.
static void reduce_share(void *context, size_t t)
{
    const struct by_key *b = context;
    const struct runs *r = &b->runs;
    size_t i = host_share(r->n, t, r->threads), end = host_share(r->n, t + 1, r->threads);
    size_t to = r->shares[t].start;

    while (i < end && !runs_begin(r, i, r->size))
        i++;
    while (i < end) {
        struct by_key_run run = {b, i};
        host_store(b->keys, to, r->size, host_stored(r->x, i, r->size));
        do
            i++;
        while (i < r->n && !runs_begin(r, i, r->size));
        store(b, to++, fold(&run, (struct units){0, run.first, i}));
    }
}

kn_status kn_host_reduce_by_key(const void *keys, kn_type key_type, size_t n, const void *values,
                                kn_type value_type, kn_reduce_op op, void *unique_keys, void *results,
                                size_t *count, const kn_host_options *options, kn_error *err)
{
    struct by_key b = {.values = values,
                       .type = value_type,
                       .op = op,
                       .size = kn_type_size(value_type),
                       .keys = unique_keys,
                       .results = results};
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_reduce_by_key", key_type, n, options, &plan, err);

    if (status)
        return status;
    if (b.size == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_reduce_by_key: there is no type %d; see kn_type",
                       (int)value_type);
    if ((unsigned)op > KN_REDUCE_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_reduce_by_key: there is no operation %d; see kn_reduce_op", (int)op);
    if (!count || (n > 0 && (!keys || !values || !unique_keys || !results || keys == unique_keys ||
                             values == results || unique_keys == results)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_reduce_by_key: keys, values, unique_keys, results or count is NULL, or an "
                       "output is an input or the other one");
    *count = 0;
    if (n == 0)
        return KN_OK;
    status = ki_runs_count(&b.runs, keys, key_type, n, &plan, count, err);
    if (status)
        return status;
    ki_parallel(b.runs.threads, b.runs.threads, KI_STATIC, reduce_share, &b);
    free(b.runs.shares);
    return KN_OK;
}
