// SPDX-License-Identifier: Apache-2.0
// Elements of given ranks, without sorting: kn_host_select and kn_host_quantiles.
#include "host_select.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "host_sort.h"

enum {
    SMALL = 1 << 15,   // elements that are sorted rather than sampled
    MOST_READS = 8,    // a sort takes about as long as more reads would
    AT_A_TIME = 8192,  // elements
    SORTED_FROM = 1024 // the length at which a quickselect ends
};

static const struct host_codec as_is = {0, 0, 0, 0};

struct wanted {
    size_t rank, index;
};

struct selection {
    const struct host_quicksort *quicksort;
    const struct host_plan *plan;
    struct host_codec codec;
    const void *x;
    size_t n;
    int64_t limit; // greater keys are NaN
    struct host_select *how;
    struct wanted *wanted; // by rank
    size_t count, done;
    void *values;
    void *sample; // encoded, sorted
    void *kept;   // what lies between the bounds
    size_t room, kept_count;
};

static int by_rank(const void *a, const void *b)
{
    const struct wanted *left = a, *right = b;

    return (left->rank > right->rank) - (left->rank < right->rank);
}

static void answer(struct selection *s, int64_t key)
{
    host_store(s->values, s->wanted[s->done++].index, s->plan->size,
               host_decode(key, s->plan->size, &s->codec));
}

void ki_host_quickselect(const struct host_quicksort *quicksort, void *from, size_t n, size_t size,
                         size_t first, size_t last, int64_t least, int64_t most, int64_t found[2])
{
    uint64_t chance = UINT64_C(0x2545f4914f6cdd1d);
    char *keys = from;

    for (unsigned tries = 64; n > SORTED_FROM && least<most; tries -= tries> 0) {
        int64_t mean = (least & most) + ((least ^ most) >> 1); // rounded down
        int64_t threshold = tries > 0 ? quicksort->pivot(keys, n, NULL, &chance) : mean;
        if (threshold == most)
            threshold--;
        size_t lows = quicksort->divide(keys, n, threshold, NULL);
        if (first < lows && last >= lows) { // the greatest of the lower part and the least of the upper one
            int64_t low[2], high[2];
            ki_host_quickselect(quicksort, keys, lows, size, first, first, least, threshold, low);
            ki_host_quickselect(quicksort, keys + lows * size, n - lows, size, last - lows, last - lows,
                                threshold + 1, most, high);
            found[0] = low[0];
            found[1] = high[0];
            return;
        }
        if (last < lows) {
            n = lows;
            most = threshold;
        } else {
            keys += lows * size;
            n -= lows;
            first -= lows;
            last -= lows;
            least = threshold + 1;
        }
    }
    if (least < most)
        quicksort->sort(keys, n, least, most, &as_is);
    found[0] = least < most ? host_stored(keys, first, size) : least;
    found[1] = least < most ? host_stored(keys, last, size) : least;
}

// ---- by brackets ----

static kn_status draw_sample(struct selection *s, kn_error *err)
{
    size_t size = s->plan->size, count = s->how->samples;
    uint64_t chance = UINT64_C(0x9e3779b97f4a7c15);

    s->sample = ki_kept_take(s->plan->kept, count * size);
    if (!s->sample)
        return ki_fail_memory(err, count * size, "a sample");
    for (size_t i = 0; i < count; i++) {
        chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t at = (size_t)((double)(chance >> 11) * 0x1p-53 * (double)s->n);
        host_store(s->sample, i, size, host_encode(host_stored(s->x, at, size), size, &s->codec));
    }
    s->quicksort->sort(s->sample, count, host_least(size), ~host_least(size), &as_is);
    return KN_OK;
}

// The bracket around a rank; *share becomes the part of the sample between the bounds.
static struct host_bracket bracket_for(const struct selection *s, size_t rank, double *share)
{
    double count = (double)s->how->samples, position = (double)rank / (double)s->n * count;
    double width = s->how->deviation * sqrt(count) + 1, first = floor(position - width),
           last = ceil(position + width);
    size_t size = s->plan->size;
    struct host_bracket bracket = {.low = host_least(size), .high = ~host_least(size), .limit = s->limit};

    if (first >= 0)
        bracket.low = host_stored(s->sample, (size_t)first, size);
    if (last < count)
        bracket.high = host_stored(s->sample, (size_t)last, size);
    *share = (last - first) / count;
    return bracket;
}

static void add(size_t *to, size_t count)
{
    __atomic_fetch_add(to, count, __ATOMIC_RELAXED);
}

struct bracket_read {
    struct selection *selection;
    struct host_bracket *bracket;
};

// One thread's share of a read. More keys than there is room for are counted, not kept.
static void read_share(void *context, size_t first, size_t end)
{
    const struct bracket_read *read = context;
    struct selection *s = read->selection;
    struct host_bracket *bracket = read->bracket;
    size_t size = s->plan->size;
    struct host_bracket own = {.low = bracket->low, .high = bracket->high, .limit = bracket->limit};
    int64_t kept[AT_A_TIME + 16]; // and room for a vector

    for (; first < end; first += AT_A_TIME) {
        size_t some = end - first < AT_A_TIME ? end - first : AT_A_TIME;
        size_t count =
            s->quicksort->keep_between((const char *)s->x + first * size, some, &s->codec, &own, kept);
        size_t position = __atomic_fetch_add(&s->kept_count, count, __ATOMIC_RELAXED);
        if (count > 0 && position + count <= s->room)
            memcpy((char *)s->kept + position * size, kept, count * size);
    }
    add(&bracket->below, own.below);
    add(&bracket->at_low, own.at_low);
    add(&bracket->at_high, own.at_high);
    add(&bracket->beyond, own.beyond);
}

static void answer_kept(struct selection *s, size_t rank, const struct host_bracket *b)
{
    int64_t found[2];

    ki_host_quickselect(s->quicksort, s->kept, s->kept_count, s->plan->size, rank, rank, b->low, b->high,
                        found);
    answer(s, found[0]);
}

// Answers the ranks that lie within the bracket.
static void answer_within(struct selection *s, const struct host_bracket *b)
{
    size_t low_end = b->below + b->at_low, kept_end = low_end + s->kept_count;

    while (s->done < s->count) {
        size_t rank = s->wanted[s->done].rank;
        if (rank < b->below || rank >= kept_end + b->at_high)
            return;
        if (rank < low_end)
            answer(s, b->low);
        else if (rank >= kept_end)
            answer(s, b->high);
        else
            answer_kept(s, rank - low_end, b);
    }
}

// One read of x around the next wanted rank; `missed` if that does not answer it.
static kn_status read_bracket(struct selection *s, kn_error *err)
{
    unsigned threads = ki_host_threads(s->plan, s->n * s->plan->size);
    size_t before = s->done;
    double share;
    struct host_bracket bracket = bracket_for(s, s->wanted[s->done].rank, &share);

    s->room = (size_t)(2 * share * (double)s->n) + 1024;
    s->room = s->room < s->n ? s->room : s->n;
    s->kept_count = 0;
    s->kept = ki_kept_take(s->plan->kept, s->room * s->plan->size);
    if (!s->kept)
        return ki_fail_memory(err, s->room * s->plan->size, "what lies near a rank");
    ki_host_share_out(threads, s->n, read_share, &(struct bracket_read){s, &bracket});
    if (s->kept_count <= s->room)
        answer_within(s, &bracket);
    s->how->reads++;
    s->how->missed = s->done == before;
    s->how->beyond = bracket.beyond;
    ki_kept_give(s->plan->kept, s->kept);
    return KN_OK;
}

// ---- by a sorted copy, and by counting ----

static void *copy_of(const struct selection *s, kn_error *err)
{
    void *copy = ki_kept_take(s->plan->kept, s->n * s->plan->size);

    if (!copy)
        ki_fail_memory(err, s->n * s->plan->size, "a copy to select from");
    else
        memcpy(copy, s->x, s->n * s->plan->size);
    return copy;
}

static kn_status select_sorted(struct selection *s, kn_type type, kn_error *err)
{
    size_t size = s->plan->size;
    void *copy = copy_of(s, err);
    kn_status status = copy ? ki_host_sort(copy, type, s->n, s->plan, err) : KN_ERROR_MEMORY;

    s->how->sorted = true;
    if (!status) {
        size_t end = s->n;
        while (end > 0 && host_encode(host_stored(copy, end - 1, size), size, &s->codec) > s->limit)
            end--;
        s->how->beyond = s->n - end;
    }
    while (s->done < s->count && !status) {
        const struct wanted *wanted = &s->wanted[s->done++];
        memcpy((char *)s->values + wanted->index * size, (const char *)copy + wanted->rank * size, size);
    }
    ki_kept_give(s->plan->kept, copy);
    return status;
}

static kn_status select_counted(struct selection *s, kn_error *err)
{
    size_t *counts = NULL, below = 0, kind = 0;
    kn_status status = ki_host_count(s->x, s->n, &s->codec, s->plan, &counts, err);

    while (s->done < s->count && !status) {
        while (below + counts[kind] <= s->wanted[s->done].rank)
            below += counts[kind++];
        answer(s, host_least(s->plan->size) + (int64_t)kind);
    }
    ki_kept_give(s->plan->kept, counts);
    return status;
}

static size_t samples_for(size_t n)
{
    size_t wanted = n / 256;

    return wanted < 1024 ? 1024 : wanted > 65536 ? 65536 : wanted;
}

static kn_status select_ranks(struct selection *s, kn_type type, kn_error *err)
{
    kn_status status = KN_OK;

    if (s->plan->size < 4)
        return select_counted(s, err);
    if (s->n > SMALL)
        status = draw_sample(s, err);
    while (s->n > SMALL && s->done < s->count && s->how->reads < MOST_READS && !s->how->missed && !status)
        status = read_bracket(s, err);
    ki_kept_give(s->plan->kept, s->sample);
    return s->done < s->count && !status ? select_sorted(s, type, err) : status;
}

kn_status ki_host_select(const void *x, kn_type type, size_t n, const size_t *ranks, size_t count,
                         void *values, const struct host_plan *plan, struct host_select *how, kn_error *err)
{
    struct selection s = {.quicksort = ki_host_quicksort_for(plan),
                          .plan = plan,
                          .x = x,
                          .n = n,
                          .how = how,
                          .count = count,
                          .values = values,
                          .codec = ki_host_codec(type, plan->descending),
                          .limit = ~host_least(plan->size)};
    kn_status status;

    if (how->samples == 0)
        how->samples = samples_for(n);
    if (how->deviation == 0)
        how->deviation = 3;
    if (type == KN_F32 || type == KN_F64) { // the last number, +infinity or, descending, -infinity
        int64_t infinity = ~host_least(plan->size) - s.codec.bias;
        s.limit = host_encode(plan->descending ? infinity | host_least(plan->size) : infinity, plan->size,
                              &s.codec);
    }
    s.wanted = ki_kept_take_array(plan->kept, count, sizeof *s.wanted);
    if (!s.wanted)
        return ki_fail_memory(err, count * sizeof *s.wanted, "ranks");
    for (size_t i = 0; i < count; i++)
        s.wanted[i] = (struct wanted){ranks[i], i};
    qsort(s.wanted, count, sizeof *s.wanted, by_rank);
    status = select_ranks(&s, type, err);
    ki_kept_give(plan->kept, s.wanted);
    return status;
}

kn_status kn_host_select(const void *x, kn_type type, size_t n, const size_t *ranks, size_t count,
                         void *values, const kn_host_options *options, kn_error *err)
{
    struct host_select how = {0};
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_select", type, n, options, &plan, err);

    if (!status && count > 0 && (!x || !ranks || !values))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_select: x, ranks or values is NULL");
    for (size_t i = 0; i < count && !status; i++)
        if (ranks[i] >= n)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "kn_host_select: rank %zu of %zu elements; ranks go from 0 to n - 1", ranks[i], n);
    return status || count == 0 ? status : ki_host_select(x, type, n, ranks, count, values, &plan, &how, err);
}

// ---- quantiles ----

static double number_at(const void *values, size_t i, kn_type type)
{
    switch (type) {
    case KN_F32:
        return (double)((const float *)values)[i];
    case KN_F64:
        return ((const double *)values)[i];
    case KN_U8:
        return ((const uint8_t *)values)[i];
    case KN_U16:
        return ((const uint16_t *)values)[i];
    case KN_U32:
        return ((const uint32_t *)values)[i];
    case KN_U64:
        return (double)((const uint64_t *)values)[i];
    default:
        return (double)host_stored(values, i, kn_type_size(type));
    }
}

kn_status kn_host_quantiles(const void *x, kn_type type, size_t n, const double *q, size_t count,
                            double *values, const kn_host_options *options, kn_error *err)
{
    struct host_select how = {0};
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_quantiles", type, n, options, &plan, err);
    size_t *ranks;
    char *found;

    if (status || count == 0)
        return status;
    if (!x || !q || !values || n == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_quantiles: x, q or values is NULL, or there are no elements");
    for (size_t i = 0; i < count; i++)
        if (!(q[i] >= 0 && q[i] <= 1))
            return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_quantiles: a quantile of %g; they go from 0 to 1",
                           q[i]);
    plan.descending = false;
    ranks = malloc(2 * count * (sizeof *ranks + plan.size));
    if (!ranks)
        return ki_fail_memory(err, 2 * count * (sizeof *ranks + plan.size), "quantiles");
    found = (char *)(ranks + 2 * count);
    for (size_t i = 0; i < count; i++) {
        ranks[2 * i] = (size_t)floor(q[i] * (double)(n - 1));
        ranks[2 * i] = ranks[2 * i] < n ? ranks[2 * i] : n - 1; // n - 1 was rounded up
        ranks[2 * i + 1] = ranks[2 * i] + 1 < n ? ranks[2 * i] + 1 : n - 1;
    }
    status = ki_host_select(x, type, n, ranks, 2 * count, found, &plan, &how, err);
    for (size_t i = 0; i < count && !status; i++)
        values[i] = how.beyond ? NAN
                               : ki_between(number_at(found, 2 * i, type), number_at(found, 2 * i + 1, type),
                                            q[i] * (double)(n - 1) - floor(q[i] * (double)(n - 1)));
    free(ranks);
    return status;
}
