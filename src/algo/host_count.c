// SPDX-License-Identifier: Apache-2.0
// Elements of 8 and 16 bits: there are so few different ones that they are counted.
#include <stdlib.h>
#include <string.h>

#include "../base/error.h"
#include "host_sort.h"

enum { TABLES = 4 /* neighbours are counted apart: equal ones would wait for one another */, COUNTED_FROM = 1 << 16 /* of 16 bits */ };

static inline __attribute__((always_inline)) void count_elements(const void *x, size_t first, size_t end, size_t size,
                                                                 const struct host_codec *codec, uint32_t *counts)
{
    size_t kinds = (size_t)1 << 8 * size;

    for (size_t i = first; i < end; i++) {
        int64_t key = host_encode(host_stored(x, i, size), size, codec);
        counts[i % TABLES * kinds + (size_t)(key - host_least(size))]++;
    }
}

// Counts x[first..end), less than 2^32 at a time, and adds to totals.
static void count_share(const void *x, size_t first, size_t end, size_t size, const struct host_codec *codec,
                        uint32_t *counts, size_t *totals)
{
    const size_t most = UINT32_MAX;
    size_t kinds = (size_t)1 << 8 * size;

    while (first < end) {
        size_t next = end - first < most ? end : first + most;
        memset(counts, 0, TABLES * kinds * sizeof *counts);
        if (size == 1)
            count_elements(x, first, next, 1, codec, counts);
        else
            count_elements(x, first, next, 2, codec, counts);
        for (size_t i = 0; i < TABLES * kinds; i++)
            totals[i % kinds] += counts[i];
        first = next;
    }
}

kn_status host_count(const void *x, size_t n, const struct host_codec *codec, const struct host_plan *plan, size_t **counts,
                     kn_error *err)
{
    size_t kinds = (size_t)1 << 8 * plan->size, each = kinds * (sizeof **counts + TABLES * sizeof(uint32_t));
    unsigned threads = host_threads(plan, n * plan->size);
    size_t *totals = calloc(threads, each);
    uint32_t *tables = (uint32_t *)(totals + kinds * threads);

    if (!totals)
        return kn_fail_memory(err, threads * each, "counting");
    HOST_PARALLEL(threads, static)
    for (unsigned t = 0; t < threads; t++)
        count_share(x, host_share(n, t, threads), host_share(n, t + 1, threads), plan->size, codec,
                    tables + t * TABLES * kinds, totals + t * kinds);
    for (size_t i = kinds; i < threads * kinds; i++)
        totals[i % kinds] += totals[i];
    *counts = totals;
    return KN_OK;
}

// `count` elements of one key.
static void fill(void *keys, size_t first, size_t count, size_t size, int64_t stored)
{
    if (size == 1)
        memset((char *)keys + first, (int)stored, count);
    else
        for (size_t i = 0; i < count; i++)
            host_store(keys, first + i, 2, stored);
}

// Few elements of 16 bits, less than there are keys: sorted as 32 bits.
static kn_status sort_widened(int16_t *keys, size_t n, const struct host_codec *codec, const struct host_plan *plan,
                              kn_error *err)
{
    const struct host_codec as_is = {0, 0, 0, 0};
    const struct host_plan wide = {.level = plan->level, .size = sizeof(int32_t)};
    int32_t *widened = malloc(n * sizeof *widened);

    if (!widened)
        return kn_fail_memory(err, n * sizeof *widened, "sorting");
    for (size_t i = 0; i < n; i++)
        widened[i] = (int32_t)host_encode(keys[i], sizeof *keys, codec);
    host_quicksort_for(&wide)->sort(widened, n, INT16_MIN, INT16_MAX, &as_is);
    for (size_t i = 0; i < n; i++)
        keys[i] = (int16_t)host_decode(widened[i], sizeof *keys, codec);
    free(widened);
    return KN_OK;
}

kn_status host_sort_counted(void *keys, kn_type type, size_t n, const struct host_plan *plan, kn_error *err)
{
    struct host_codec codec = host_codec(type, plan->descending);
    size_t *counts = NULL, start = 0;
    kn_status status;

    if (plan->size == 2 && n < COUNTED_FROM)
        return sort_widened(keys, n, &codec, plan, err);
    status = host_count(keys, n, &codec, plan, &counts, err);
    for (size_t i = 0; start < n && !status; i++) {
        int64_t key = host_least(plan->size) + (int64_t)i;
        fill(keys, start, counts[i], plan->size, host_decode(key, plan->size, &codec));
        start += counts[i];
    }
    free(counts);
    return status;
}
