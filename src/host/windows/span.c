// SPDX-License-Identifier: Apache-2.0
#include "span.h"

#include <math.h>

static const struct host_codec as_is = {0, 0, 0, 0};

size_t ki_window_span_bytes(size_t n)
{
    return n * (2 * sizeof(int64_t) + sizeof(double)) + (n + n % 2) * 2 * sizeof(uint32_t);
}

struct window_span ki_window_span_in(void *memory, size_t n)
{
    int64_t *keys = memory; // followed by as many for the sort
    double *values = (double *)(keys + 2 * n);
    uint32_t *order = (uint32_t *)(values + n);

    return (struct window_span){n, order, order + n + n % 2, values, n, keys};
}

// ---- sorting ----

// The sort keys: the distance of each key from the least one, without its last `cut` bits, followed by the
// position, together 63 bits.
struct packing {
    unsigned cut, position_bits;
    uint64_t most; // the greatest distance
};

static unsigned bits_of(uint64_t x)
{
    return x ? 64 - (unsigned)__builtin_clzll(x) : 0;
}

// Keys as distances from the least one; returns the greatest.
static uint64_t measure_keys(const struct window_span *span, const void *x, kn_type type)
{
    const struct host_codec codec = ki_host_codec(type, false);
    int64_t least = INT64_MAX, most = INT64_MIN;

    for (size_t i = 0; i < span->n; i++) {
        int64_t key = type == KN_F32 ? host_encode(host_stored(x, i, sizeof(float)), sizeof(float), &codec)
                                     : host_encode(host_stored(x, i, sizeof(double)), sizeof(double), &codec);
        span->keys[i] = key;
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    for (size_t i = 0; i < span->n; i++)
        span->keys[i] = (int64_t)((uint64_t)span->keys[i] - (uint64_t)least);
    return (uint64_t)most - (uint64_t)least;
}

// Ranks first ... end - 1 have keys that differ at most in their last bits: sorts them by these.
static void sort_tied(struct window_span *span, const struct packing *p, int64_t *packed, size_t first,
                      size_t end, const struct host_quicksort *quicksort)
{
    const uint64_t last = ((uint64_t)1 << p->cut) - 1, position = ((uint64_t)1 << p->position_bits) - 1;

    for (size_t r = first; r < end; r++)
        packed[r] =
            (int64_t)(((uint64_t)span->keys[span->order[r]] & last) << p->position_bits | span->order[r]);
    quicksort->sort(packed + first, end - first, 0, (int64_t)(last << p->position_bits | position), &as_is);
    for (size_t r = first; r < end; r++)
        span->order[r] = (uint32_t)((uint64_t)packed[r] & position);
}

static void sort_all_tied(struct window_span *span, const struct packing *p, int64_t *packed,
                          const struct host_quicksort *quicksort)
{
    for (size_t first = 0, end; first < span->n; first = end) {
        const int64_t shared = packed[first] >> p->position_bits;
        for (end = first + 1; end < span->n && packed[end] >> p->position_bits == shared;)
            end++;
        if (end - first > 1)
            sort_tied(span, p, packed, first, end, quicksort);
    }
}

static void sort_positions(struct window_span *span, const struct packing *p,
                           const struct host_quicksort *quicksort)
{
    const uint64_t position = ((uint64_t)1 << p->position_bits) - 1;
    int64_t *packed = span->keys + span->n;

    for (size_t i = 0; i < span->n; i++)
        packed[i] = (int64_t)((uint64_t)span->keys[i] >> p->cut << p->position_bits | i);
    quicksort->sort(packed, span->n, 0, (int64_t)(p->most >> p->cut << p->position_bits | position), &as_is);
    for (size_t r = 0; r < span->n; r++)
        span->order[r] = (uint32_t)((uint64_t)packed[r] & position);
    if (p->cut > 0)
        sort_all_tied(span, p, packed, quicksort);
}

void ki_window_span_sort(struct window_span *span, const void *x, kn_type type,
                         const struct host_quicksort *quicksort)
{
    struct packing p = {0, bits_of(span->n - 1), measure_keys(span, x, type)};

    if (bits_of(p.most) + p.position_bits > 63)
        p.cut = bits_of(p.most) + p.position_bits - 63;
    sort_positions(span, &p, quicksort);
    span->numbers = 0;
    for (size_t r = 0; r < span->n; r++) {
        const uint32_t i = span->order[r];
        span->rank[i] = (uint32_t)r;
        span->values[r] = type == KN_F32 ? (double)((const float *)x)[i] : ((const double *)x)[i];
        span->numbers += isnan(span->values[r]) ? 0 : 1;
    }
}
