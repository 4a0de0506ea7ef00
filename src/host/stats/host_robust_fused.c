// SPDX-License-Identifier: Apache-2.0
// Median and MAD of floats or doubles in one read (Floyd and Rivest 1975, for both at once).
//
// The sorted sample gives three open intervals, whose ends are elements of the sample: one around the median,
// and one on either side of it with the elements that deviate by about the MAD. The read counts all elements
// relative to the six ends and keeps those inside the intervals. Elements equal to an end are only counted,
// so that values which occur often, and are therefore ends, take no room. The deviation grows with the
// distance from the median; so once the median is known, the ends' deviations bound those of everything that
// was not kept, and show whether the answer is exact.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "host_robust.h"
#include "host/sort/host_select.h"

#define MANY ((size_t)30000000) // elements from which a larger sample is worthwhile

struct fused {
    struct host_robust *r;
    size_t n, size;
    const struct host_quicksort *quicksort;
    void *sample; // sorted
    size_t samples;
    struct host_interval intervals[HOST_INTERVALS];
    struct host_sifted sifted; // of the whole column
    size_t middle_room, arm_room;
    size_t nan_count;
};

// ---- the sample ----

static size_t samples_for(size_t n)
{
    size_t wanted = n / 16, most = n < MANY ? (size_t)1 << 16 : (size_t)1 << 18;

    wanted = wanted < 2048 ? 2048 : wanted > most ? most : wanted;
    return wanted < n ? wanted : n;
}

static uint64_t mix(uint64_t z) // Steele, Lea and Flood 2014
{
    z = (z + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// An element from anywhere within each of as many stretches: no period of the column can coincide with that.
static kn_status draw_sample(struct fused *f, kn_error *err)
{
    size_t count = f->samples = samples_for(f->n);
    double length = (double)f->n / (double)count;

    f->sample = ki_kept_take(f->r->plan->kept, count * f->size);
    if (!f->sample)
        return ki_fail_memory(err, count * f->size, "a sample");
    for (size_t i = 0; i < count; i++) {
        size_t position = (size_t)(((double)i + (double)(mix(i) >> 11) * 0x1p-53) * length);
        position = position < f->n ? position : f->n - 1; // rounded up
        host_store(f->sample, i, f->size, host_stored(f->r->column.x, position, f->size));
    }
    return ki_host_sort(f->sample, f->r->type, count, f->r->plan, err);
}

static double real_at(const struct fused *f, const void *x, size_t i)
{
    return f->r->column.single ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static double sampled(const struct fused *f, size_t i)
{
    return real_at(f, f->sample, i);
}

// ---- the intervals ----

// The deviation of this rank from sample `centre`, estimated from the sample: the elements below it and those
// above it are two sorted runs of deviations. -1 and infinity before and past the end.
static double sampled_deviation(const struct fused *f, size_t centre, double rank)
{
    double middle = sampled(f, centre);
    size_t lefts = centre + 1, rights = f->samples - lefts, taken, least, most;

    if (rank < 0 || rank >= (double)f->samples)
        return rank < 0 ? -1 : INFINITY;
    taken = (size_t)rank + 1;
    least = taken > rights ? taken - rights : 0; // of the left run
    most = taken < lefts ? taken : lefts;
    while (least < most) {
        size_t left = least + (most - least) / 2;
        if (middle - sampled(f, centre - left) < sampled(f, centre + taken - left) - middle)
            least = left + 1;
        else
            most = left;
    }
    double left = least > 0 ? middle - sampled(f, centre + 1 - least) : 0;
    double right = taken > least ? sampled(f, centre + taken - least) - middle : 0;
    return left > right ? left : right;
}

// How many samples deviate to the left, or to the right, by no more than `most`.
static size_t samples_within(const struct fused *f, size_t centre, double most, bool right)
{
    size_t least = 0, end = right ? f->samples - centre : centre + 1;

    while (least < end) {
        size_t i = least + (end - least) / 2;
        double deviation =
            right ? sampled(f, centre + i) - sampled(f, centre) : sampled(f, centre) - sampled(f, centre - i);
        if (deviation <= most)
            least = i + 1;
        else
            end = i;
    }
    return least;
}

// The number of elements that deviate by more than `inner` and by less than about `outer` from sample
// `centre`.
static void choose_arms(struct fused *f, size_t centre, double inner, double outer)
{
    struct host_interval *lower = &f->intervals[HOST_LOWER], *upper = &f->intervals[HOST_UPPER];
    size_t left = samples_within(f, centre, outer, false), right = samples_within(f, centre, outer, true);

    lower->high = upper->low = sampled(f, centre);
    if (inner >= 0) {
        lower->high = sampled(f, centre + 1 - samples_within(f, centre, inner, false));
        upper->low = sampled(f, centre - 1 + samples_within(f, centre, inner, true));
    }
    lower->low = left <= centre ? sampled(f, centre - left) : -INFINITY;
    upper->high = centre + right < f->samples ? sampled(f, centre + right) : INFINITY;
}

static void choose_intervals(struct fused *f)
{
    double count = (double)f->samples, half = f->r->width * sqrt(count) / 2 + 1,
           first = floor(count / 2 - half), last = ceil(count / 2 + half);
    size_t centre = f->samples / 2;
    double middle = sampled(f, centre), low = first >= 0 ? sampled(f, (size_t)first) : -INFINITY,
           high = last < count ? sampled(f, (size_t)last) : INFINITY;
    // The median may be anywhere in its bracket, and so may the centre from which deviations are measured.
    double slack = middle - low > high - middle ? middle - low : high - middle;

    f->intervals[HOST_MIDDLE] = (struct host_interval){.low = low, .high = high};
    f->intervals[HOST_LOWER] = f->intervals[HOST_UPPER] =
        (struct host_interval){.low = middle, .high = middle};
    if (isfinite(middle))
        choose_arms(f, centre, sampled_deviation(f, centre, first) - slack,
                    sampled_deviation(f, centre, last) + slack);
}

// The number of samples up to `value`, or below it.
static size_t samples_below(const struct fused *f, double value, bool or_equal)
{
    size_t least = 0, end = f->samples;

    while (least < end) {
        size_t i = least + (end - least) / 2;
        if (sampled(f, i) < value || (or_equal && sampled(f, i) == value))
            least = i + 1;
        else
            end = i;
    }
    return least;
}

// Room for what may lie inside an interval: 8 standard deviations more than the sample says.
static size_t room_for(const struct fused *f, const struct host_interval *interval)
{
    size_t low = samples_below(f, interval->low, true), high = samples_below(f, interval->high, false);
    double inside = high > low ? (double)(high - low) : 0;
    double room = ceil((inside + 8 * sqrt(inside) + 64) / (double)f->samples * (double)f->n);

    return room < (double)f->n ? (size_t)room : f->n;
}

// ---- the read ----

static void keep(const void *from, size_t count, size_t size, void *to, size_t *kept, size_t room)
{
    size_t position = __atomic_fetch_add(kept, count, __ATOMIC_RELAXED);

    if (count > 0 && position + count <= room)
        memcpy((char *)to + position * size, from, count * size);
}

static void add(size_t *to, size_t count)
{
    __atomic_fetch_add(to, count, __ATOMIC_RELAXED);
}

static void read_share(void *context, size_t first, size_t end)
{
    struct fused *f = context;
    double middle[TREE_LEAF + 8], arms[TREE_LEAF + 8]; // and room for a vector
    struct host_interval own[HOST_INTERVALS];
    size_t nan_count = 0;

    for (size_t k = 0; k < HOST_INTERVALS; k++)
        own[k] = (struct host_interval){.low = f->intervals[k].low, .high = f->intervals[k].high};
    for (size_t i = first; i < end; i++) {
        struct host_sifted sifted = {.middle = middle, .arms = arms};
        size_t start = i * TREE_LEAF, count = f->n - start < TREE_LEAF ? f->n - start : TREE_LEAF;
        nan_count += ki_host_robust_leaf(f->r, i);
        f->r->reals->sift((const char *)f->r->column.x + start * f->size, count, own, &sifted);
        keep(middle, sifted.middle_count, f->size, f->sifted.middle, &f->sifted.middle_count, f->middle_room);
        keep(arms, sifted.arm_count, f->size, f->sifted.arms, &f->sifted.arm_count, f->arm_room);
    }
    add(&f->nan_count, nan_count);
    for (size_t k = 0; k < HOST_INTERVALS; k++) {
        add(&f->intervals[k].inside, own[k].inside);
        add(&f->intervals[k].below, own[k].below);
        add(&f->intervals[k].above_low, own[k].above_low);
        add(&f->intervals[k].above_high, own[k].above_high);
    }
}

static kn_status read_column(struct fused *f, kn_error *err)
{
    f->middle_room = room_for(f, &f->intervals[HOST_MIDDLE]);
    f->arm_room = room_for(f, &f->intervals[HOST_LOWER]) + room_for(f, &f->intervals[HOST_UPPER]);
    f->sifted.middle = ki_kept_take(f->r->plan->kept, f->middle_room * f->size);
    f->sifted.arms = ki_kept_take(f->r->plan->kept, f->arm_room * f->size);
    if (!f->sifted.middle || !f->sifted.arms)
        return ki_fail_memory(err, (f->middle_room + f->arm_room) * f->size,
                              "what lies near the median and the MAD");
    ki_host_share_out(ki_host_threads(f->r->plan, f->n * f->size), ki_host_leaf_count(f->n), read_share, f);
    return KN_OK;
}

// ---- the median ----

// The kept elements of ranks first and last.
static void select_middle(struct fused *f, size_t first, size_t last, double found[2])
{
    struct host_codec codec = ki_host_codec(f->r->type, false);
    int64_t keys[2], least = host_least(f->size);

    f->quicksort->encode(f->sifted.middle, f->sifted.middle_count, &codec);
    ki_host_quickselect(f->quicksort, f->sifted.middle, f->sifted.middle_count, f->size, first, last, least,
                        ~least, keys);
    for (size_t i = 0; i < 2; i++) {
        union {
            float single;
            double value;
        } element;
        host_store(&element, 0, f->size, host_decode(keys[i], f->size, &codec));
        found[i] = f->r->column.single ? (double)element.single : element.value;
    }
}

// False if one of the two middle ranks lies outside the bracket.
static bool find_median(struct fused *f, double *median)
{
    const struct host_interval *m = &f->intervals[HOST_MIDDLE];
    size_t ranks[2] = {(f->n - 1) / 2, f->n / 2}, inner = f->n - m->above_low, kept_end = inner + m->inside;
    double found[2] = {0, 0};

    if (ranks[0] < m->below || ranks[1] >= f->n - m->above_high || m->inside > f->middle_room)
        return false;
    if (m->inside > 0 && ranks[1] >= inner && ranks[0] < kept_end)
        select_middle(f, ranks[0] < inner ? 0 : ranks[0] - inner,
                      (ranks[1] < kept_end ? ranks[1] : kept_end - 1) - inner, found);
    for (size_t i = 0; i < 2; i++)
        found[i] = ranks[i] < inner ? m->low : ranks[i] >= kept_end ? m->high : found[i];
    *median = ranks[0] == ranks[1] ? found[0] + 0.0 : ki_middle(found[0], found[1]);
    return true;
}

// ---- the MAD ----

// The arms' ends: how many elements equal each, and how far it is from the median.
struct end {
    double deviation;
    size_t count;
};

enum { FAR_LEFT, NEAR_LEFT, NEAR_RIGHT, FAR_RIGHT, ENDS };

struct arms {
    const struct host_quicksort *quicksort;
    double *deviations; // of the kept elements
    size_t kept, inner; // and how many of them lie between the arms
    double farthest,
        nearest; // what lies between them deviates by no more, and what lies outside them by no less
    struct end ends[ENDS];
};

static void measure_arms(const struct fused *f, double median, struct arms *arms)
{
    const struct host_interval *l = &f->intervals[HOST_LOWER], *u = &f->intervals[HOST_UPPER];
    const double at[ENDS] = {l->low, l->high, u->low, u->high};
    const size_t counts[ENDS] = {f->n - l->below - l->above_low, l->above_low - l->inside - l->above_high,
                                 l->high < u->low ? f->n - u->below - u->above_low : 0,
                                 u->above_low - u->inside - u->above_high};

    arms->kept = l->inside + u->inside;
    arms->inner = f->n - l->below - arms->kept - u->above_high;
    for (size_t i = 0; i < ENDS; i++) {
        arms->ends[i] = (struct end){fabs(at[i] - median), counts[i]};
        arms->inner -= counts[i];
    }
    arms->farthest =
        arms->inner > 0 ? fmax(arms->ends[NEAR_LEFT].deviation, arms->ends[NEAR_RIGHT].deviation) : 0;
    arms->nearest = INFINITY;
    if (l->below > 0) // beyond the median nothing is known
        arms->nearest = l->low <= median ? arms->ends[FAR_LEFT].deviation : -1;
    if (u->above_high > 0)
        arms->nearest = fmin(arms->nearest, u->high >= median ? arms->ends[FAR_RIGHT].deviation : -1);
}

static void select_kept(const struct arms *arms, size_t first, size_t last, double found[2])
{
    int64_t keys[2]; // deviations have no sign, so their bits are their keys

    ki_host_quickselect(arms->quicksort, arms->deviations, arms->kept, sizeof(double), first, last, 0,
                        INT64_MAX, keys);
    memcpy(found, keys, sizeof keys);
}

// The elements of two ranks, if both are kept elements between the near ends and the far ones.
static bool select_between_ends(const struct arms *arms, const size_t ranks[2], double found[2])
{
    const struct end *ends = arms->ends;
    size_t before = arms->inner + ends[NEAR_LEFT].count + ends[NEAR_RIGHT].count;

    if (ranks[0] < before || ranks[1] >= before + arms->kept)
        return false;
    select_kept(arms, ranks[0] - before, ranks[1] - before, found);
    for (size_t i = 0; i < ENDS; i++)
        if (ends[i].count > 0 &&
            (i == NEAR_LEFT || i == NEAR_RIGHT ? found[0] < ends[i].deviation : found[1] > ends[i].deviation))
            return false;
    return true;
}

static int by_deviation(const void *a, const void *b)
{
    const struct end *left = a, *right = b;

    return (left->deviation > right->deviation) - (left->deviation < right->deviation);
}

// The element of one rank among the kept elements and the ends, wherever these lie: an end comes before the
// elements equal to it. False past all of them.
static bool select_among_ends(const struct arms *arms, size_t rank, double *found)
{
    struct end ends[ENDS];
    size_t before = arms->inner;
    double both[2];

    if (rank < before)
        return false;
    memcpy(ends, arms->ends, sizeof ends);
    qsort(ends, ENDS, sizeof *ends, by_deviation);
    for (size_t i = 0; i < ENDS; i++) {
        size_t below = 0;
        for (size_t k = 0; k < arms->kept; k++)
            below += arms->deviations[k] < ends[i].deviation;
        if (rank < before + below)
            break;
        before += ends[i].count;
        if (rank < before + below) {
            *found = ends[i].deviation;
            return true;
        }
    }
    if (rank - before >= arms->kept)
        return false;
    select_kept(arms, rank - before, rank - before, both);
    *found = both[0];
    return true;
}

struct deviating {
    const struct fused *fused;
    double median, *deviations;
};

static void deviate_share(void *context, size_t first, size_t end)
{
    const struct deviating *d = context;
    const struct fused *f = d->fused;

    f->r->reals->deviations((const char *)f->sifted.arms + first * f->size, end - first, d->median,
                            d->deviations + first);
}

// False if one of the two middle ranks lies outside the arms.
static bool find_mad(struct fused *f, double median, double *deviations, double *mad)
{
    const struct host_plan wide = {.level = f->r->plan->level, .size = sizeof(double)};
    struct arms arms = {.quicksort = ki_host_quicksort_for(&wide), .deviations = deviations};
    size_t ranks[2] = {(f->n - 1) / 2, f->n / 2}, kept = f->sifted.arm_count;
    double found[2];

    ki_host_share_out(ki_host_threads(f->r->plan, kept * sizeof(double)), kept, deviate_share,
                      &(struct deviating){f, median, deviations});
    measure_arms(f, median, &arms);
    if (!select_between_ends(&arms, ranks, found) &&
        !(select_among_ends(&arms, ranks[0], &found[0]) && select_among_ends(&arms, ranks[1], &found[1])))
        return false;
    *mad = ranks[0] == ranks[1] ? found[0] : ki_middle(found[0], found[1]);
    return found[0] >= arms.farthest && found[1] <= arms.nearest;
}

// ---- together ----

static kn_status find_both(struct fused *f, double *median, double *mad, bool *missed, kn_error *err)
{
    double *deviations;

    *missed = !find_median(f, median);
    if (*missed)
        return KN_OK;
    *mad = NAN;
    if (!isfinite(*median))
        return KN_OK;
    if (f->sifted.arm_count > f->arm_room) {
        *missed = true;
        return KN_OK;
    }
    deviations = f->size == sizeof(double)
                     ? f->sifted.arms
                     : ki_kept_take(f->r->plan->kept, f->sifted.arm_count * sizeof(double));
    if (!deviations)
        return ki_fail_memory(err, f->sifted.arm_count * sizeof(double), "deviations from the median");
    *missed = !find_mad(f, *median, deviations, mad);
    if (deviations != f->sifted.arms)
        ki_kept_give(f->r->plan->kept, deviations);
    return KN_OK;
}

kn_status ki_host_robust_fused(struct host_robust *r, size_t *nan_count, double *median, double *mad,
                               bool *missed, kn_error *err)
{
    struct fused f = {
        .r = r, .n = r->column.n, .size = r->plan->size, .quicksort = ki_host_quicksort_for(r->plan)};
    kn_status status = draw_sample(&f, err);

    *missed = false;
    if (!status) {
        choose_intervals(&f);
        status = read_column(&f, err);
        *nan_count = f.nan_count;
    }
    if (!status && f.nan_count == 0)
        status = find_both(&f, median, mad, missed, err);
    ki_kept_give(r->plan->kept, f.sample);
    ki_kept_give(r->plan->kept, f.sifted.middle);
    ki_kept_give(r->plan->kept, f.sifted.arms);
    return status;
}
