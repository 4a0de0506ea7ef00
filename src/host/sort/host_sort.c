// SPDX-License-Identifier: Apache-2.0
// The host's sort of keys of 32 and 64 bits: all threads partition the keys together, as in quicksort, until
// each has enough pieces to sort alone.
#include "host_sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { PIECES_A_THREAD = 4 /* about: then the last to finish is not late */ };

#define TOGETHER_FROM ((size_t)1 << 20) // bytes that are worth partitioning together

// Keys [start, start + n), encoded, within [least, most].
struct piece {
    size_t start, n;
    int64_t least, most;
};

struct run {
    size_t start, n;
};

struct sorting {
    const struct host_quicksort *quicksort;
    struct host_codec codec;
    char *keys;
    size_t n, size; // keys, and bytes of one
    unsigned threads;
    uint64_t chance;
    struct run *lows, *highs; // of each thread, while partitioning: keys on the wrong side
    struct piece *pieces;
    size_t count;
    struct ki_kept *kept;
};

static void swap_bytes(char *a, char *b, size_t bytes)
{
    char held[4096];

    while (bytes > 0) {
        size_t some = bytes < sizeof held ? bytes : sizeof held;
        memcpy(held, a, some);
        memcpy(a, b, some);
        memcpy(b, held, some);
        a += some;
        b += some;
        bytes -= some;
    }
}

// Exchanges `count` keys of the runs, after the first `skip` of each kind.
static void swap_runs(const struct sorting *s, size_t skip, size_t count)
{
    const struct run *low = s->lows, *high = s->highs;
    size_t low_skip = skip, high_skip = skip;

    while (count > 0) {
        if (low_skip >= low->n) {
            low_skip -= low++->n;
        } else if (high_skip >= high->n) {
            high_skip -= high++->n;
        } else {
            size_t some = low->n - low_skip < high->n - high_skip ? low->n - low_skip : high->n - high_skip;
            some = some < count ? some : count;
            swap_bytes(s->keys + (low->start + low_skip) * s->size,
                       s->keys + (high->start + high_skip) * s->size, some * s->size);
            low_skip += some;
            high_skip += some;
            count -= some;
        }
    }
}

// Collects what each thread's partition left on the wrong side of `lows`, the number of all lows. Returns how
// many keys are on each side.
static size_t find_misplaced(struct sorting *s, const struct piece *piece, size_t lows)
{
    size_t border = piece->start + lows, misplaced = 0;

    for (unsigned t = 0; t < s->threads; t++) {
        size_t start = s->lows[t].start, middle = start + s->lows[t].n;
        size_t end = piece->start + host_share(piece->n, t + 1, s->threads);
        size_t low_start = start > border ? start : border, high_end = end < border ? end : border;
        s->lows[t] = (struct run){low_start, middle > low_start ? middle - low_start : 0};
        s->highs[t] = (struct run){middle, high_end > middle ? high_end - middle : 0};
        misplaced += s->lows[t].n;
    }
    return misplaced;
}

struct division {
    const struct sorting *s;
    const struct piece *piece;
    int64_t threshold;
    const struct host_codec *codec; // NULL if the keys are encoded
};

static void divide_share(void *context, size_t t)
{
    const struct division *d = context;
    const struct sorting *s = d->s;
    size_t start = host_share(d->piece->n, t, s->threads);
    size_t count = host_share(d->piece->n, t + 1, s->threads) - start;
    char *own = s->keys + (d->piece->start + start) * s->size;

    s->lows[t] =
        (struct run){d->piece->start + start, s->quicksort->divide(own, count, d->threshold, d->codec)};
}

static void swap_share(void *context, size_t first, size_t end)
{
    const struct division *d = context;

    swap_runs(d->s, first, end - first);
}

// Partitions a piece with all threads: each partitions its share, and then keys on the wrong side are
// exchanged. Returns how many keys are up to the threshold. `codec` is NULL if the keys are encoded.
static size_t divide_together(struct sorting *s, const struct piece *piece, int64_t threshold,
                              const struct host_codec *codec)
{
    struct division division = {s, piece, threshold, codec};
    size_t lows = 0;

    ki_parallel(s->threads, s->threads, KI_STATIC, divide_share, &division);
    for (unsigned t = 0; t < s->threads; t++)
        lows += s->lows[t].n;
    ki_host_share_out(s->threads, find_misplaced(s, piece, lows), swap_share, &division);
    return lows;
}

// Partitions s->pieces[i]; the upper part becomes a new piece.
static void divide_piece(struct sorting *s, size_t i, const struct host_codec *codec)
{
    struct piece *piece = &s->pieces[i];
    int64_t threshold = s->quicksort->pivot(s->keys + piece->start * s->size, piece->n, codec, &s->chance);
    size_t lows;

    if (threshold == piece->most)
        threshold--;
    lows = divide_together(s, piece, threshold, codec);
    s->pieces[s->count++] = (struct piece){piece->start + lows, piece->n - lows, threshold + 1, piece->most};
    *piece = (struct piece){piece->start, lows, piece->least, threshold};
}

static int by_size(const void *a, const void *b)
{
    const struct piece *left = a, *right = b;

    return (left->n < right->n) - (left->n > right->n);
}

// The largest piece that is worth partitioning together, or s->count.
static size_t largest_piece(const struct sorting *s)
{
    size_t found = s->count, most = s->n / ((size_t)PIECES_A_THREAD * s->threads);

    if (most < TOGETHER_FROM / s->size)
        most = TOGETHER_FROM / s->size;
    for (size_t i = 0; i < s->count; i++)
        if (s->pieces[i].least < s->pieces[i].most && s->pieces[i].n > most) {
            most = s->pieces[i].n;
            found = i;
        }
    return found;
}

static void sort_piece(void *context, size_t i)
{
    const struct sorting *s = context;
    const struct piece *piece = &s->pieces[i];

    s->quicksort->sort(s->keys + piece->start * s->size, piece->n, piece->least, piece->most, &s->codec);
}

static kn_status sort_together(struct sorting *s, kn_error *err)
{
    size_t limit = 2 * (size_t)PIECES_A_THREAD * s->threads + 2;
    size_t bytes = limit * sizeof *s->pieces + 2 * s->threads * sizeof *s->lows;

    s->pieces = ki_kept_take(s->kept, bytes);
    if (!s->pieces)
        return ki_fail_memory(err, bytes, "sorting");
    s->lows = (struct run *)(s->pieces + limit);
    s->highs = s->lows + s->threads;
    s->pieces[0] = (struct piece){0, s->n, host_least(s->size), ~host_least(s->size)};
    s->count = 1;
    divide_piece(s, 0, &s->codec);
    for (size_t i = 0; s->threads > 1 && s->count < limit && (i = largest_piece(s)) < s->count;)
        divide_piece(s, i, NULL);
    qsort(s->pieces, s->count, sizeof *s->pieces, by_size);
    ki_parallel(s->threads, s->count, KI_DYNAMIC, sort_piece, s);
    ki_kept_give(s->kept, s->pieces);
    return KN_OK;
}

kn_status ki_host_sort(void *keys, kn_type type, size_t n, const struct host_plan *plan, kn_error *err)
{
    if (n < 2)
        return KN_OK;
    if (plan->size < 4)
        return ki_host_sort_counted(keys, type, n, plan, err);
    struct sorting s = {.quicksort = ki_host_quicksort_for(plan),
                        .codec = ki_host_codec(type, plan->descending),
                        .keys = keys,
                        .n = n,
                        .size = plan->size,
                        .threads = ki_host_threads(plan, n * plan->size),
                        .kept = plan->kept,
                        .chance = UINT64_C(0x2545f4914f6cdd1d)};
    if (n * plan->size >= TOGETHER_FROM)
        return sort_together(&s, err);
    s.quicksort->encode(keys, n, &s.codec);
    s.quicksort->sort(keys, n, host_least(s.size), ~host_least(s.size), &s.codec);
    return KN_OK;
}

kn_status kn_host_sort(void *keys, kn_type type, size_t n, const kn_host_options *options, kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_sort", type, n, options, &plan, err);

    if (!status && !keys && n > 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_sort: keys is NULL");
    return status ? status : ki_host_sort(keys, type, n, &plan, err);
}
