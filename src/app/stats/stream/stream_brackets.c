// SPDX-License-Identifier: Apache-2.0
// Median and MAD of a stream in one pass after the first one: the first pass's sample gives a bracket around
// the median and one around the MAD, as in koine/robust.h; the pass keeps what may lie in them and counts the
// rest. The brackets' ends are edges on the line of elements; elements equal to an edge are counted and not
// kept, so that ties do no harm. If an answer lies in no bracket, or the brackets hold more elements than
// there is room for, stream_ranks.c takes over.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/threads.h"
#include "host/host.h"
#include "stream_internal.h"

enum { EDGES = 6, SPACES = EDGES + 1 };

// What lies at the edges and in the spaces between them.
struct tally {
    size_t equal[EDGES], between[SPACES];
};

struct brackets {
    struct stats_stream *stream;
    double edges[EDGES]; // ascending and distinct
    size_t count;
    bool keeps[SPACES]; // space i is below edge i
    struct tally all;
    double *kept;
    size_t room, gathered;
    bool overflows;
};

// ---- edges ----

static kn_host_options host_of(const struct stats_stream *s)
{
    const struct host_plan *plan = &s->column->plan;

    return KN_INIT(kn_host_options, .threads = plan->threads, .level = plan->level);
}

// Values that bracket the median of the sampled elements' column, and one near it: four standard deviations
// of a sample's median to either side.
struct bracket {
    double low, middle, high;
};

static kn_status find_bracket(const struct stats_stream *s, const double *x, struct bracket *bracket,
                              kn_error *err)
{
    const size_t m = s->sampled, middle = (m - 1) / 2, margin = (size_t)(2 * sqrt((double)m)) + 2;
    const size_t ranks[] = {middle < margin ? 0 : middle - margin, middle,
                            m - 1 - middle < margin ? m - 1 : middle + margin};
    const kn_host_options host = host_of(s);
    double values[3];
    kn_status status = kn_host_select(x, KN_F64, m, ranks, 3, values, &host, err);

    if (!status)
        *bracket = (struct bracket){values[0], values[1], values[2]};
    return status;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool lies_in(double low, double high, double from, double to)
{
    return low < high && from >= low && to <= high;
}

// Wherever the median is in its bracket, elements that deviate from it by an amount in the MAD's bracket lie
// to the left or right of it in these.
static void set_edges(struct brackets *b, const struct bracket *median, const struct bracket *mad)
{
    const double edges[EDGES] = {median->low,
                                 median->high,
                                 median->low - mad->high,
                                 median->high - mad->low,
                                 median->low + mad->low,
                                 median->high + mad->high};
    double sorted[EDGES];

    memcpy(sorted, edges, sizeof sorted);
    qsort(sorted, EDGES, sizeof *sorted, ascending);
    for (size_t i = 0; i < EDGES; i++)
        if (b->count == 0 || sorted[i] > b->edges[b->count - 1])
            b->edges[b->count++] = sorted[i];
    for (size_t i = 0; i <= b->count; i++) {
        const double from = i ? b->edges[i - 1] : -INFINITY, to = i < b->count ? b->edges[i] : INFINITY;

        b->keeps[i] = lies_in(edges[0], edges[1], from, to) || lies_in(edges[2], edges[3], from, to) ||
                      lies_in(edges[4], edges[5], from, to);
    }
}

// The space that contains x, or whose upper edge it is.
static inline size_t space_of(const struct brackets *b, double x)
{
    size_t space = 0;

    for (size_t i = 0; i < b->count; i++)
        space += x > b->edges[i];
    return space;
}

static inline bool is_edge(const struct brackets *b, size_t space, double x)
{
    return space < b->count && x == b->edges[space];
}

// How many elements will be kept, estimated from the sample.
static double expected(const struct brackets *b)
{
    const struct stats_stream *s = b->stream;
    size_t kept = 0;

    for (size_t i = 0; i < s->sampled; i++) {
        const size_t space = space_of(b, s->samples[i]);

        kept += b->keeps[space] && !is_edge(b, space, s->samples[i]);
    }
    return (double)kept / (double)s->sampled * (double)s->n;
}

// False if brackets cannot be used: ends that are not finite, too little room.
static kn_status make_brackets(struct brackets *b, bool *serve, kn_error *err)
{
    struct stats_stream *s = b->stream;
    struct bracket median, mad;
    kn_status status = find_bracket(s, s->samples, &median, err);

    *serve = false;
    if (status || !isfinite(median.low) || !isfinite(median.high))
        return status;
    for (size_t i = 0; i < s->sampled; i++)
        s->deviations[i] = fabs(s->samples[i] - median.middle);
    status = find_bracket(s, s->deviations, &mad, err);
    if (status || !isfinite(mad.high))
        return status;
    set_edges(b, &median, &mad);
    *serve = expected(b) * 1.125 + 1024 <= (double)b->room;
    return KN_OK;
}

// ---- the pass ----

enum { MOST_SHARES = 64 };

struct block {
    const struct brackets *brackets;
    size_t count, shares;
    struct tally tallies[MOST_SHARES];
    size_t kept[MOST_SHARES];
};

// A thread's share of the block: kept elements move to the share's beginning.
static void share(void *context, size_t t)
{
    struct block *block = context;
    const struct brackets *b = block->brackets;
    const struct stats_stream *s = b->stream;
    const size_t first = host_share(block->count, t, block->shares);
    const size_t end = host_share(block->count, t + 1, block->shares);
    double *doubles = (double *)(void *)s->block;
    float *singles = (float *)(void *)s->block;
    struct tally tally = {.equal = {0}};
    size_t to = first;

    for (size_t i = first; i < end; i++) {
        const double x = stream_element(s, i);
        const size_t space = space_of(b, x);

        if (is_edge(b, space, x)) {
            tally.equal[space]++;
            continue;
        }
        tally.between[space]++;
        if (!b->keeps[space])
            continue;
        if (s->type == KN_F64)
            doubles[to++] = x;
        else
            singles[to++] = (float)x;
    }
    block->tallies[t] = tally;
    block->kept[t] = to - first;
}

static void keep(struct brackets *b, const struct block *block, size_t t)
{
    const size_t first = host_share(block->count, t, block->shares), count = block->kept[t];

    for (size_t i = 0; i < b->count; i++)
        b->all.equal[i] += block->tallies[t].equal[i];
    for (size_t i = 0; i <= b->count; i++)
        b->all.between[i] += block->tallies[t].between[i];
    b->overflows = b->overflows || count > b->room - b->gathered;
    for (size_t i = 0; i < count && !b->overflows; i++)
        b->kept[b->gathered++] = stream_element(b->stream, first + i);
}

static kn_status visit(struct stats_stream *s, size_t first, size_t count, kn_error *err)
{
    struct brackets *b = s->brackets;
    struct block block = {.brackets = b, .count = count};
    const unsigned threads = s->column->plan.threads;
    kn_status status = ki_stats_stream_take_along(s, first, count, err);

    if (status || b->overflows)
        return status;
    block.shares = threads < MOST_SHARES ? threads : MOST_SHARES;
    ki_parallel(threads, block.shares, KI_STATIC, share, &block);
    for (size_t t = 0; t < block.shares; t++)
        keep(b, &block, t);
    return KN_OK;
}

// ---- the median ----

// Moves the kept elements of a space to the front of `kept`.
static size_t bring_forward(struct brackets *b, size_t space)
{
    size_t to = 0;

    for (size_t i = 0; i < b->gathered; i++)
        if (space_of(b, b->kept[i]) == space) {
            const double x = b->kept[i];

            b->kept[i] = b->kept[to];
            b->kept[to++] = x;
        }
    return to;
}

// The element of a rank in the column, if it is known.
static kn_status element_at(struct brackets *b, size_t rank, double *value, bool *known, kn_error *err)
{
    const kn_host_options host = host_of(b->stream);

    *known = true;
    for (size_t i = 0; i <= b->count; rank -= b->all.equal[i++]) {
        if (rank < b->all.between[i]) {
            *known = b->keeps[i];
            return *known ? kn_host_select(b->kept, KN_F64, bring_forward(b, i), &rank, 1, value, &host, err)
                          : KN_OK;
        }
        rank -= b->all.between[i];
        if (i < b->count && rank < b->all.equal[i]) {
            *value = b->edges[i];
            return KN_OK;
        }
        if (i == b->count)
            break;
    }
    return ki_stats_stream_changed(b->stream, err);
}

// ---- the MAD ----

// An edge as a deviation, its multiplicity, and the number of kept elements that deviate less.
struct weight {
    double deviation;
    size_t count, below;
};

struct known {
    struct weight edges[EDGES];
    size_t nearer;       // unknown elements that deviate by no more than `inner`
    double inner, outer; // unknown elements deviate no more than this, or no less than that
};

static int by_deviation(const void *a, const void *b)
{
    return ascending(&((const struct weight *)a)->deviation, &((const struct weight *)b)->deviation);
}

// Spaces that were not kept are, as a whole, near to the median or far from it.
static void look_at_space(const struct brackets *b, size_t i, double centre, struct known *known)
{
    const bool bounded = i > 0 && i < b->count;
    const double left = i > 0 ? fabs(b->edges[i - 1] - centre) : INFINITY;
    const double right = i < b->count ? fabs(b->edges[i] - centre) : INFINITY;

    if (b->keeps[i] || b->all.between[i] == 0)
        return;
    if (bounded) {
        known->nearer += b->all.between[i];
        known->inner = fmax(known->inner, fmax(left, right));
    } else {
        known->outer = fmin(known->outer, fmin(left, right));
    }
}

// Replaces the kept elements by their deviations.
static void look_around(struct brackets *b, double centre, struct known *known)
{
    *known = (struct known){.inner = 0, .outer = INFINITY};
    for (size_t i = 0; i < b->gathered; i++)
        b->kept[i] = fabs(b->kept[i] - centre);
    for (size_t i = 0; i < b->count; i++)
        known->edges[i] = (struct weight){fabs(b->edges[i] - centre), b->all.equal[i], 0};
    qsort(known->edges, b->count, sizeof *known->edges, by_deviation);
    for (size_t i = 0; i < b->gathered; i++)
        for (size_t k = 0; k < b->count; k++)
            known->edges[k].below += b->kept[i] < known->edges[k].deviation;
    for (size_t i = 0; i <= b->count; i++)
        look_at_space(b, i, centre, known);
}

// The deviation of a rank, if it is known.
static kn_status deviation_at(struct brackets *b, const struct known *known, size_t rank, double *value,
                              bool *is_known, kn_error *err)
{
    const kn_host_options host = host_of(b->stream);
    size_t weights = 0, k = 0;
    kn_status status = KN_OK;

    *is_known = rank >= known->nearer;
    if (!*is_known)
        return KN_OK;
    rank -= known->nearer;
    while (k < b->count && rank >= known->edges[k].below + weights + known->edges[k].count)
        weights += known->edges[k++].count;
    if (k < b->count && rank >= known->edges[k].below + weights)
        *value = known->edges[k].deviation;
    else if ((*is_known = rank - weights < b->gathered))
        status =
            kn_host_select(b->kept, KN_F64, b->gathered, &(size_t){rank - weights}, 1, value, &host, err);
    *is_known = *is_known && !status && *value >= known->inner && *value <= known->outer;
    return status;
}

// ---- median and MAD ----

static kn_status answer_median(struct brackets *b, struct stream_answer *answer, kn_error *err)
{
    const size_t n = b->stream->n;
    double low, high = 0;
    kn_status status = element_at(b, (n - 1) / 2, &low, &answer->has_median, err);

    if (!status && answer->has_median)
        status = element_at(b, n / 2, &high, &answer->has_median, err);
    if (!status && answer->has_median)
        answer->median = n % 2 ? low + 0.0 : ki_middle(low, high);
    return status;
}

static kn_status answer_mad(struct brackets *b, struct stream_answer *answer, kn_error *err)
{
    const size_t n = b->stream->n;
    struct known known;
    double low, high = 0;
    kn_status status;

    look_around(b, answer->median, &known);
    status = deviation_at(b, &known, (n - 1) / 2, &low, &answer->has_mad, err);
    if (!status && answer->has_mad)
        status = deviation_at(b, &known, n / 2, &high, &answer->has_mad, err);
    if (!status && answer->has_mad)
        answer->mad = n % 2 ? low + 0.0 : ki_middle(low, high);
    return status;
}

kn_status ki_stats_stream_brackets(struct stats_stream *s, struct stream_answer *answer, kn_error *err)
{
    struct brackets b = {.stream = s, .kept = s->held, .room = s->column->capacity};
    kn_status status;
    bool serve;

    *answer = (struct stream_answer){.has_median = false};
    status = make_brackets(&b, &serve, err);
    if (status || !serve)
        return status;
    s->brackets = &b;
    status = ki_stats_stream_pass(s, visit, err);
    s->brackets = NULL;
    if (status)
        return status;
    ki_stats_stream_next_errand(s);
    if (b.overflows)
        return KN_OK;
    status = answer_median(&b, answer, err);
    if (!status && answer->has_median && isfinite(answer->median))
        status = answer_mad(&b, answer, err);
    return status;
}
