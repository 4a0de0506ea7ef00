// SPDX-License-Identifier: Apache-2.0
// Runs are merged as integers that sort like the values (src/host/host.h), and are converted back leaf by
// leaf, where they are summed.
#include "merge_sort.h"

#include <string.h>

#include "host/sort/host_sort.h"
#include "host/stats/host_sums.h"
#include "base/error.h"
#include "merge_code.h"

enum {
    CACHED = 1 << 18, // bytes of a block that is sorted before the next one is begun
    WHOLE_FROM = 4,   // merges a thread: as long as there are this many, none is cut
    UNIT = TREE_LEAF  // merges are cut at multiples of this
};

struct sorting {
    const struct merge_code *code;
    const struct host_quicksort *networks;
    struct host_codec codec;
    host_leaf *leaf; // NULL: plain C
    unsigned threads;
    size_t n, size; // elements, and bytes of one
    bool single;
    double shift;
    struct merge_trace *trace;
    struct ki_kept *kept;
};

// Two neighbouring runs.
struct pair {
    const char *a, *b;
    size_t a_count, b_count, size;
};

// How much of each run comes before a position in the result.
struct split {
    size_t a, b;
};

static const struct merge_code *code_for(const struct host_plan *plan)
{
    static const struct merge_code *const code[][2] = {HOST_LEVELS(merge_code)};

    return code[plan->level][plan->size == 8];
}

static struct pair pair_at(const struct sorting *s, const char *runs, size_t start, size_t width, size_t n)
{
    size_t a_count = n - start < width ? n - start : width, left = n - start - a_count;

    return (struct pair){runs + start * s->size, runs + (start + a_count) * s->size, a_count,
                         left < width ? left : width, s->size};
}

// `count` positions further along the merge path. Equal keys come from the first run first.
static struct split advance(const struct pair *p, struct split from, size_t count)
{
    size_t a_left = p->a_count - from.a, b_left = p->b_count - from.b;
    size_t low = count > b_left ? count - b_left : 0, high = count < a_left ? count : a_left;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (host_stored(p->a, from.a + middle, p->size) <=
            host_stored(p->b, from.b + count - middle - 1, p->size))
            low = middle + 1;
        else
            high = middle;
    }
    return (struct split){from.a + low, from.b + count - low};
}

static void merge_part(const struct sorting *s, const struct pair *p, struct split from, struct split end,
                       char *to)
{
    s->code->merge(p->a + from.a * s->size, end.a - from.a, p->b + from.b * s->size, end.b - from.b, to);
}

// Positions [first, end) of the results of merging pairs of runs of `width`.
static void merge_range(const struct sorting *s, const char *runs, char *to, size_t n, size_t width,
                        size_t first, size_t end)
{
    while (first < end) {
        size_t start = first - first % (2 * width);
        struct pair pair = pair_at(s, runs, start, width, n);
        size_t stop = end - start < pair.a_count + pair.b_count ? end : start + pair.a_count + pair.b_count;
        struct split from = advance(&pair, (struct split){0, 0}, first - start);
        merge_part(s, &pair, from, advance(&pair, from, stop - first), to + first * s->size);
        first = stop;
    }
}

// Sorts a block by networks and merges of up to 2^levels runs; it begins in `from` and ends in `to` if the
// levels are odd.
static void sort_block(const struct sorting *s, char *from, char *to, size_t n, unsigned levels)
{
    static const struct host_codec as_is = {0, 0, 0, 0};
    size_t width = s->code->run;

    s->networks->encode(from, n, &s->codec);
    for (size_t i = 0; i < n; i += width)
        s->networks->sort(from + i * s->size, n - i < width ? n - i : width, host_least(s->size),
                          ~host_least(s->size), &as_is);
    for (unsigned level = 0; level < levels; level++, width *= 2) {
        char *other = to;
        merge_range(s, from, to, n, width, 0, n);
        to = from;
        from = other;
    }
}

// Where the share of thread t begins: at multiples of `unit`.
static size_t share_of(const struct sorting *s, size_t unit, size_t t)
{
    size_t first = host_share(s->n / unit + (s->n % unit != 0), t, s->threads) * unit;

    return first < s->n ? first : s->n;
}

static void count_merges(const struct sorting *s, size_t width, size_t unit)
{
    size_t merges = s->n / (2 * width) + (s->n % (2 * width) > width);

    s->trace->levels++;
    if (unit == 2 * width || s->threads == 1)
        s->trace->whole += merges;
    else
        s->trace->cut += s->threads;
}

// The source and destination of a merge.
struct merging {
    const struct sorting *s;
    const char *from;
    char *to;
    size_t width, unit;
    struct stats_sums *leaves; // of the last merge
};

static void merge_share(void *context, size_t t)
{
    const struct merging *m = context;
    const struct sorting *s = m->s;

    merge_range(s, m->from, m->to, s->n, m->width, share_of(s, m->unit, t), share_of(s, m->unit, t + 1));
}

static void merge_level(const struct sorting *s, const char *from, char *to, size_t width)
{
    bool whole = s->n / (2 * width) >= (size_t)WHOLE_FROM * s->threads;
    size_t unit = whole ? 2 * width : UNIT;

    ki_parallel(s->threads, s->threads, KI_STATIC, merge_share,
                &(struct merging){s, from, to, width, unit, NULL});
    count_merges(s, width, unit);
}

// The last merge, or none if there is one run: each leaf is merged, converted to values and summed.
static void finish_share(void *context, size_t t)
{
    const struct merging *m = context;
    const struct sorting *s = m->s;
    const char *from = m->from;
    char *to = m->to;
    size_t first = share_of(s, m->unit, t), end = share_of(s, m->unit, t + 1);
    struct pair pair = pair_at(s, from, 0, m->width, s->n);
    struct split before = advance(&pair, (struct split){0, 0}, first);

    for (; first < end; first += TREE_LEAF) {
        size_t count = end - first < TREE_LEAF ? end - first : TREE_LEAF;
        struct split after = advance(&pair, before, count);
        char *leaf = to + first * s->size;
        if (from != to)
            merge_part(s, &pair, before, after, leaf);
        s->networks->decode(leaf, count, &s->codec);
        const struct host_column column = {leaf, count, s->single, true, s->shift, s->leaf};
        kn_sums sums = ki_host_sum_leaf(&column, 0);
        m->leaves[first / TREE_LEAF] = (struct stats_sums){sums.sum, sums.squares};
        before = after;
    }
}

static kn_status finish(const struct sorting *s, const char *from, char *to, size_t width,
                        struct stats_sums *sums, kn_error *err)
{
    size_t count = s->n / TREE_LEAF + (s->n % TREE_LEAF != 0);
    struct stats_sums *leaves = ki_kept_take_array(s->kept, count, sizeof *leaves);

    if (!leaves)
        return ki_fail_memory(err, count * sizeof *leaves, "the sums of a column");
    ki_parallel(s->threads, s->threads, KI_STATIC, finish_share,
                &(struct merging){s, from, to, width, UNIT, leaves});
    if (from != to)
        count_merges(s, width, UNIT);
    *sums = ki_stats_fold_leaves(leaves, count);
    ki_kept_give(s->kept, leaves);
    return KN_OK;
}

// Merges runs of `width` in `from` until they are one run, in `to`.
static kn_status merge_up(const struct sorting *s, char *from, char *other, char *to, size_t width,
                          struct stats_sums *sums, kn_error *err)
{
    for (; width < s->n && s->n - width > width; width *= 2) {
        char *merged = other;
        merge_level(s, from, merged, width);
        other = from;
        from = merged;
    }
    return finish(s, from, to, width, sums, err);
}

// How often `width` is doubled until it holds n.
static unsigned doublings(size_t width, size_t n)
{
    unsigned count = 0;

    for (; width < n; count++)
        width = width > n / 2 ? n : 2 * width;
    return count;
}

static struct sorting sorting_for(kn_type type, size_t n, double shift, const struct host_plan *plan,
                                  struct merge_trace *trace)
{
    return (struct sorting){code_for(plan),
                            ki_host_quicksort_for(plan),
                            ki_host_codec(type, false),
                            ki_host_leaf_for(plan->level),
                            ki_host_threads(plan, n * plan->size),
                            n,
                            plan->size,
                            type == KN_F32,
                            shift,
                            trace,
                            plan->kept};
}

struct blocks {
    const struct sorting *s;
    const char *x;
    char *from, *other;
    size_t length; // elements of a block
    unsigned levels;
};

static void sort_one_block(void *context, size_t i)
{
    const struct blocks *b = context;
    const struct sorting *s = b->s;
    size_t first = i * b->length, n = s->n - first < b->length ? s->n - first : b->length;

    memcpy(b->from + first * s->size, b->x + first * s->size, n * s->size);
    sort_block(s, b->from + first * s->size, b->other + first * s->size, n, b->levels);
}

// Blocks first, each as long as fits a cache, but not the last level. Returns the number of levels done.
static unsigned sort_blocks(const struct sorting *s, const char *x, char *from, char *other, unsigned levels)
{
    unsigned in_cache = doublings(s->code->run, CACHED / s->size);
    unsigned done = levels == 0 ? 0 : levels - 1 < in_cache ? levels - 1 : in_cache;
    size_t block = s->code->run << done, count = s->n / block + (s->n % block != 0);

    ki_parallel(s->threads, count, KI_DYNAMIC, sort_one_block,
                &(struct blocks){s, x, from, other, block, done});
    s->trace->levels += done;
    for (unsigned level = 0; level < done; level++)
        s->trace->whole += s->n / (s->code->run << level) / 2;
    return done;
}

kn_status ki_stats_merge_sort(const void *x, kn_type type, size_t n, double shift,
                              const struct host_plan *plan, void *sorted, void *scratch,
                              struct stats_sums *sums, struct merge_trace *trace, kn_error *err)
{
    struct merge_trace unused;
    struct sorting s = sorting_for(type, n, shift, plan, trace ? trace : &unused);
    unsigned levels = doublings(s.code->run, n), done;
    // Every level alternates between the two, and the last one ends in `sorted`.
    char *from = levels % 2 ? scratch : sorted, *other = levels % 2 ? sorted : scratch;

    *s.trace = (struct merge_trace){s.code->level, s.threads, 0, 0, 0};
    *sums = (struct stats_sums){0, 0};
    if (n == 0)
        return KN_OK;
    done = sort_blocks(&s, x, from, other, levels);
    return merge_up(&s, done % 2 ? other : from, done % 2 ? from : other, sorted, s.code->run << done, sums,
                    err);
}

kn_status ki_stats_merge_runs(kn_type type, size_t n, size_t length, double shift,
                              const struct host_plan *plan, void *sorted, void *scratch,
                              struct stats_sums *sums, struct merge_trace *trace, kn_error *err)
{
    struct merge_trace unused;
    struct sorting s = sorting_for(type, n, shift, plan, trace ? trace : &unused);
    char *from = sorted, *other = scratch;

    *s.trace = (struct merge_trace){s.code->level, s.threads, 0, 0, 0};
    *sums = (struct stats_sums){0, 0};
    if (n == 0)
        return KN_OK;
    s.networks->encode(from, n, &s.codec);
    if (doublings(length, n) % 2) {
        memcpy(scratch, sorted, n * s.size);
        from = scratch;
        other = sorted;
    }
    return merge_up(&s, from, other, sorted, length, sums, err);
}
