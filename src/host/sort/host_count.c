// SPDX-License-Identifier: Apache-2.0
// Elements of 8 and 16 bits: there are so few different values that they are counted.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host_sort.h"

enum {
    TABLES = 4, // neighbours are counted in different tables, because equal ones would wait for each other
    COUNTED_FROM = 1 << 16 // elements of 16 bits; fewer are sorted
};

// Counts bytes that are loaded together.
static void count_bytes(const uint8_t *x, size_t first, size_t end, uint32_t *counts)
{
    enum { KINDS = 256, WORD = sizeof(uint64_t), AHEAD = 2048 };
    size_t i = first;

    for (; end - i >= WORD; i += WORD) {
        uint64_t word;
        memcpy(&word, x + i, sizeof word);
        __builtin_prefetch(x + i + AHEAD);
        _Pragma("GCC unroll 8") for (size_t k = 0; k < WORD; k++)
            counts[k % TABLES * KINDS + (uint8_t)(word >> 8 * k)]++;
    }
    for (; i < end; i++)
        counts[x[i]]++;
}

// Counts stored bits.
static inline __attribute__((always_inline)) void count_elements(const void *x, size_t first, size_t end,
                                                                 const size_t size, uint32_t *counts)
{
    const size_t kinds = (size_t)1 << 8 * size;
    size_t i = first;

    for (; end - i >= TABLES; i += TABLES)
        for (size_t table = 0; table < TABLES; table++)
            counts[table * kinds + ((size_t)host_stored(x, i + table, size) & (kinds - 1))]++;
    for (; i < end; i++)
        counts[(size_t)host_stored(x, i, size) & (kinds - 1)]++;
}

struct counting {
    const void *x;
    size_t n, size; // elements, and bytes of one
    unsigned threads;
    uint32_t *counts; // of each thread, for less than 2^32 elements at a time, TABLES tables
    size_t *totals;   // of each thread, one table
};

static void count_share(void *context, size_t t)
{
    const struct counting *c = context;
    const size_t most = UINT32_MAX, kinds = (size_t)1 << 8 * c->size;
    size_t first = host_share(c->n, t, c->threads), end = host_share(c->n, t + 1, c->threads);
    uint32_t *counts = c->counts + t * TABLES * kinds;
    size_t *totals = c->totals + t * kinds;

    while (first < end) {
        size_t next = end - first < most ? end : first + most;
        memset(counts, 0, TABLES * kinds * sizeof *counts);
        if (c->size == 1)
            count_bytes(c->x, first, next, counts);
        else
            count_elements(c->x, first, next, 2, counts);
        for (size_t table = 0; table < TABLES; table++)
            for (size_t i = 0; i < kinds; i++)
                totals[i] += counts[table * kinds + i];
        first = next;
    }
}

kn_status ki_host_count(const void *x, size_t n, const struct host_codec *codec, const struct host_plan *plan,
                        size_t **counts, kn_error *err)
{
    size_t size = plan->size, kinds = (size_t)1 << 8 * size,
           each = kinds * (sizeof **counts + TABLES * sizeof(uint32_t));
    unsigned threads = ki_host_threads(plan, n * size / 4); // a thread's tables have to be worthwhile
    size_t *totals = ki_kept_take_zeros(plan->kept, threads * each + kinds * sizeof *totals, 1),
           *by_key = totals;
    uint32_t *tables;

    if (!totals)
        return ki_fail_memory(err, threads * each, "counting");
    tables = (uint32_t *)(totals + kinds * (threads + 1));
    totals += kinds;
    ki_parallel(threads, threads, KI_STATIC, count_share,
                &(struct counting){x, n, size, threads, tables, totals});
    for (size_t i = 0; i < kinds; i++) {
        size_t bits = (size_t)host_decode(host_least(size) + (int64_t)i, size, codec) & (kinds - 1);
        for (unsigned t = 0; t < threads; t++)
            by_key[i] += totals[t * kinds + bits];
    }
    *counts = by_key;
    return KN_OK;
}

// `count` elements of 16 bits, from element `first` of n on; what follows them may be overwritten.
static void fill_shorts(int16_t *keys, size_t first, size_t count, size_t n, int16_t value)
{
    enum { TOGETHER = 8 };
    const int16_t several[TOGETHER] = {value, value, value, value, value, value, value, value};

    for (size_t i = first; i < first + count; i += TOGETHER)
        memcpy(keys + i, several, n - i < TOGETHER ? (n - i) * sizeof *keys : sizeof several);
}

static void fill(void *keys, size_t first, size_t count, size_t n, size_t size, int64_t stored)
{
    if (size == 1)
        memset((char *)keys + first, (int)stored, count);
    else
        fill_shorts(keys, first, count, n, (int16_t)stored);
}

// Few elements of 16 bits, fewer than there are keys: sorted as 32 bits.
static kn_status sort_widened(int16_t *keys, size_t n, const struct host_codec *codec,
                              const struct host_plan *plan, kn_error *err)
{
    const struct host_codec as_is = {0, 0, 0, 0};
    const struct host_plan wide = {.level = plan->level, .size = sizeof(int32_t)};
    int32_t *widened = malloc(n * sizeof *widened);

    if (!widened)
        return ki_fail_memory(err, n * sizeof *widened, "sorting");
    for (size_t i = 0; i < n; i++)
        widened[i] = (int32_t)host_encode(keys[i], sizeof *keys, codec);
    ki_host_quicksort_for(&wide)->sort(widened, n, INT16_MIN, INT16_MAX, &as_is);
    for (size_t i = 0; i < n; i++)
        keys[i] = (int16_t)host_decode(widened[i], sizeof *keys, codec);
    free(widened);
    return KN_OK;
}

kn_status ki_host_sort_counted(void *keys, kn_type type, size_t n, const struct host_plan *plan,
                               kn_error *err)
{
    struct host_codec codec = ki_host_codec(type, plan->descending);
    size_t *counts = NULL, start = 0;
    kn_status status;

    if (plan->size == 2 && n < COUNTED_FROM)
        return sort_widened(keys, n, &codec, plan, err);
    status = ki_host_count(keys, n, &codec, plan, &counts, err);
    for (size_t i = 0; start < n && !status; i++) {
        int64_t key = host_least(plan->size) + (int64_t)i;
        fill(keys, start, counts[i], n, plan->size, host_decode(key, plan->size, &codec));
        start += counts[i];
    }
    ki_kept_give(plan->kept, counts);
    return status;
}
