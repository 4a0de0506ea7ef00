// SPDX-License-Identifier: Apache-2.0
// Stable sorting by indices: radix sort, least digit first, of keys with their indices.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "host/host.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

struct radix {
    size_t n, key_size, index_size; // bytes: 4 or 8
    unsigned threads;
    void *keys[2], *indices[2];
    size_t *positions; // where the next element of each thread and digit goes
    unsigned shift;
    bool is_last; // the last digit: the keys are not needed after it
};

// What is the same in all keys of a sign, [0] for those with the highest bit clear: bits that are set in all
// of them, and bits that are set in any.
struct seen {
    uint64_t all[2], any[2];
};

static inline uint64_t key_at(const void *keys, size_t i, size_t size)
{
    return size == 4 ? (uint32_t)host_stored(keys, i, 4) : (uint64_t)host_stored(keys, i, 8);
}

static inline __attribute__((always_inline)) void rank_elements(const struct radix *r, const void *x,
                                                                size_t first, size_t end, const size_t size,
                                                                const struct host_codec *codec,
                                                                struct seen *seen)
{
    const unsigned sign = size < 8 ? 31 : 63;

    for (size_t i = first; i < end; i++) {
        uint64_t rank = host_rank(host_stored(x, i, size), size, codec);
        size_t upper = rank >> sign & 1;
        host_store(r->keys[0], i, size == 8 ? 8 : 4, (int64_t)rank);
        host_store(r->indices[0], i, r->index_size, (int64_t)i);
        seen->all[upper] &= rank;
        seen->any[upper] |= rank;
    }
}

struct ranking {
    const struct radix *r;
    const void *x;
    size_t size; // bytes of an element
    const struct host_codec *codec;
    struct seen *parts; // one a thread
};

static void rank_share(void *context, size_t t)
{
    const struct ranking *ranking = context;
    const struct radix *r = ranking->r;
    const struct host_codec *codec = ranking->codec;
    const void *x = ranking->x;
    size_t first = host_share(r->n, t, r->threads), end = host_share(r->n, t + 1, r->threads);
    struct seen *seen = &ranking->parts[t];

    *seen = (struct seen){{UINT64_MAX, UINT64_MAX}, {0, 0}};
    switch (ranking->size) {
    case 1:
        rank_elements(r, x, first, end, 1, codec, seen);
        break;
    case 2:
        rank_elements(r, x, first, end, 2, codec, seen);
        break;
    case 4:
        rank_elements(r, x, first, end, 4, codec, seen);
        break;
    default:
        rank_elements(r, x, first, end, 8, codec, seen);
    }
}

// Fills keys[0] and indices[0].
static kn_status rank_all(const struct radix *r, const void *x, size_t size, const struct host_codec *codec,
                          struct seen *seen, kn_error *err)
{
    struct seen *parts = calloc(r->threads, sizeof *parts);

    if (!parts)
        return ki_fail_memory(err, r->threads * sizeof *parts, "sorting");
    ki_parallel(r->threads, r->threads, KI_STATIC, rank_share, &(struct ranking){r, x, size, codec, parts});
    *seen = parts[0];
    for (unsigned t = 1; t < r->threads; t++)
        for (int upper = 0; upper < 2; upper++) {
            seen->all[upper] &= parts[t].all[upper];
            seen->any[upper] |= parts[t].any[upper];
        }
    free(parts);
    return KN_OK;
}

// Whether the digit at `shift` is the same in all keys that the highest digit leaves together.
static bool is_needless(const struct radix *r, unsigned shift, const struct seen *seen)
{
    bool is_highest = shift + DIGIT_BITS == 8 * r->key_size, differs = false;
    unsigned signs = 0;

    for (int upper = 0; upper < 2; upper++)
        if (!(seen->all[upper] & ~seen->any[upper])) { // there are keys of this sign
            signs++;
            differs |= ((seen->all[upper] ^ seen->any[upper]) >> shift & (DIGITS - 1)) != 0;
        }
    return !differs && !(is_highest && signs == 2);
}

// The first digit from `shift` on that has to be sorted; the keys' width if there is none.
static unsigned next_digit(const struct radix *r, unsigned shift, const struct seen *seen)
{
    while (shift < 8 * r->key_size && is_needless(r, shift, seen))
        shift += DIGIT_BITS;
    return shift;
}

static inline __attribute__((always_inline)) void
count_digits(const struct radix *r, size_t first, size_t end, size_t *counts, const size_t key_size)
{
    for (size_t i = first; i < end; i++)
        counts[key_at(r->keys[0], i, key_size) >> r->shift & (DIGITS - 1)]++;
}

static inline __attribute__((always_inline)) void scatter(const struct radix *r, size_t first, size_t end,
                                                          size_t *positions, const size_t key_size,
                                                          const size_t index_size)
{
    const bool is_last = r->is_last;

    for (size_t i = first; i < end; i++) {
        uint64_t key = key_at(r->keys[0], i, key_size);
        size_t position = positions[key >> r->shift & (DIGITS - 1)]++;
        if (!is_last)
            host_store(r->keys[1], position, key_size, (int64_t)key);
        host_store(r->indices[1], position, index_size, host_stored(r->indices[0], i, index_size));
    }
}

static void count_share(void *context, size_t t)
{
    const struct radix *r = context;
    size_t first = host_share(r->n, t, r->threads), end = host_share(r->n, t + 1, r->threads);
    size_t *counts = r->positions + t * DIGITS;

    memset(counts, 0, DIGITS * sizeof *counts);
    if (r->key_size == 4)
        count_digits(r, first, end, counts, 4);
    else
        count_digits(r, first, end, counts, 8);
}

static void scatter_share(void *context, size_t t)
{
    const struct radix *r = context;
    size_t first = host_share(r->n, t, r->threads), end = host_share(r->n, t + 1, r->threads);
    size_t *positions = r->positions + t * DIGITS;

    if (r->key_size == 4 && r->index_size == 4)
        scatter(r, first, end, positions, 4, 4);
    else if (r->key_size == 4)
        scatter(r, first, end, positions, 4, 8);
    else if (r->index_size == 4)
        scatter(r, first, end, positions, 8, 4);
    else
        scatter(r, first, end, positions, 8, 8);
}

static void swap(void **pair)
{
    void *first = pair[0];

    pair[0] = pair[1];
    pair[1] = first;
}

// Sorts by one digit; the result is in keys[0] and indices[0] again.
static void sort_digit(struct radix *r)
{
    size_t position = 0;

    ki_parallel(r->threads, r->threads, KI_STATIC, count_share, r);
    for (size_t digit = 0; digit < DIGITS; digit++)
        for (unsigned t = 0; t < r->threads; t++) {
            size_t count = r->positions[t * DIGITS + digit];
            r->positions[t * DIGITS + digit] = position;
            position += count;
        }
    ki_parallel(r->threads, r->threads, KI_STATIC, scatter_share, r);
    swap(r->keys);
    swap(r->indices);
}

static kn_status argsort(const void *x, size_t n, void *indices, size_t index_size,
                         const struct host_codec *codec, const struct host_plan *plan, kn_error *err)
{
    struct radix r = {.n = n,
                      .key_size = plan->size == 8 ? 8 : 4,
                      .index_size = index_size,
                      .threads = ki_host_threads(plan, n * plan->size)};
    size_t keys_bytes = n * r.key_size, positions_bytes = r.threads * DIGITS * sizeof *r.positions;
    size_t bytes = positions_bytes + 2 * keys_bytes + n * index_size;
    struct seen seen = {{0, 0}, {0, 0}};
    char *memory = n < SIZE_MAX / 32 ? malloc(bytes) : NULL;
    kn_status status;

    if (!memory)
        return ki_fail_memory(err, bytes, "sorting");
    r.positions = (size_t *)memory;
    r.keys[0] = memory + positions_bytes;
    r.keys[1] = memory + positions_bytes + keys_bytes;
    r.indices[0] = indices;
    r.indices[1] = memory + positions_bytes + 2 * keys_bytes;
    // Indices of 8 bytes after keys of 4, of which there may be an odd number: keep them aligned.
    if (index_size == 8 && r.key_size == 4) {
        r.indices[1] = memory + positions_bytes;
        r.keys[0] = memory + positions_bytes + n * index_size;
        r.keys[1] = memory + positions_bytes + n * index_size + keys_bytes;
    }
    status = rank_all(&r, x, plan->size, codec, &seen, err);
    for (r.shift = next_digit(&r, 0, &seen); r.shift < 8 * r.key_size && !status;) {
        unsigned next = next_digit(&r, r.shift + DIGIT_BITS, &seen);
        r.is_last = next >= 8 * r.key_size;
        sort_digit(&r);
        r.shift = next;
    }
    if (!status && r.indices[0] != indices)
        memcpy(indices, r.indices[0], n * index_size);
    free(memory);
    return status;
}

kn_status kn_host_argsort(const void *keys, kn_type type, size_t n, void *indices, kn_type index_type,
                          const kn_host_options *options, kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_argsort", type, n, options, &plan, err);

    if (status)
        return status;
    if (index_type != KN_U32 && index_type != KN_U64)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_argsort: indices of %s; they are uint or ulong",
                       kn_type_name(index_type));
    if (index_type == KN_U32 && n > (size_t)UINT32_MAX + 1)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_argsort: %zu elements have no indices of 32 bits; take KN_U64", n);
    if (n > 0 && (!keys || !indices))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_argsort: keys or indices is NULL");
    if (n == 0)
        return KN_OK;
    struct host_codec codec = ki_host_codec(type, plan.descending);
    return argsort(keys, n, indices, kn_type_size(index_type), &codec, &plan, err);
}

static inline __attribute__((always_inline)) void pick(char *to, const char *from, const size_t *order,
                                                       size_t first, size_t end, size_t size)
{
    for (size_t i = first; i < end; i++)
        memcpy(to + i * size, from + order[i] * size, size);
}

struct permutation {
    char *items, *spare;
    const size_t *order;
    size_t size; // bytes of an item
};

static void pick_share(void *context, size_t first, size_t end)
{
    const struct permutation *p = context;

    if (p->size == 4)
        pick(p->spare, p->items, p->order, first, end, 4);
    else if (p->size == 8)
        pick(p->spare, p->items, p->order, first, end, 8);
    else
        pick(p->spare, p->items, p->order, first, end, p->size);
}

static void return_share(void *context, size_t first, size_t end)
{
    const struct permutation *p = context;

    memcpy(p->items + first * p->size, p->spare + first * p->size, (end - first) * p->size);
}

// Puts n items of `size` bytes in order, using `spare`.
static void permute(void *items, size_t size, size_t n, const size_t *order, void *spare,
                    const struct host_plan *plan)
{
    unsigned threads = ki_host_threads(plan, n * size);
    struct permutation p = {items, spare, order, size};

    ki_host_share_out(threads, n, pick_share, &p);
    ki_host_share_out(threads, n, return_share, &p);
}

kn_status kn_host_sort_by_key(void *keys, kn_type type, size_t n, void *values, size_t value_size,
                              const kn_host_options *options, kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_sort_by_key", type, n, options, &plan, err);
    size_t *order = NULL, larger = plan.size > value_size ? plan.size : value_size;
    void *spare = NULL;

    if (status)
        return status;
    if (n > 0 && (!keys || !values || value_size == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_sort_by_key: keys or values is NULL, or values have no bytes");
    if (n < 2)
        return KN_OK;
    if (n < SIZE_MAX / 2 / larger && n < SIZE_MAX / 2 / sizeof *order) {
        order = malloc(n * sizeof *order);
        spare = malloc(n * larger);
    }
    if (!order || !spare)
        status = ki_fail_memory(err, n * (sizeof *order + larger), "sorting by keys");
    if (!status) {
        struct host_codec codec = ki_host_codec(type, plan.descending);
        status = argsort(keys, n, order, sizeof *order, &codec, &plan, err);
    }
    if (!status) {
        permute(keys, plan.size, n, order, spare, &plan);
        permute(values, value_size, n, order, spare, &plan);
    }
    free(order);
    free(spare);
    return status;
}
