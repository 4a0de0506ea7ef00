// SPDX-License-Identifier: Apache-2.0
// What the tests of koine/stats.h share: columns of every type, a reference in long double, plans, and the
// forms in which a column is given.
#ifndef KN_TESTS_UNIT_APP_STATS_STATS_API_SUPPORT_H
#define KN_TESTS_UNIT_APP_STATS_STATS_API_SUPPORT_H

#include "random_support.h"
#include "support/buffers.h"
#include "support/memory/memory.h"
#include "support/run.h"

#include <math.h>

#include "app/stats/api_internal.h"
#include "base/array.h"

static uint64_t state;

static inline void set_up(void)
{
    test_open();
    state = test_seed("stats_api");
}

// ---- columns ----

// The elements in their type, and their values.
struct column {
    kn_type type;
    size_t n;
    void *x;
    double *values;
};

static inline struct column column_of(kn_type type, const double *values, size_t n)
{
    struct column c = {type, n, test_allocate(n * kn_type_size(type)), test_allocate(n * sizeof(double))};

    for (size_t i = 0; i < n; i++) {
        switch (type) {
        case KN_F64:
            ((double *)c.x)[i] = c.values[i] = values[i];
            break;
        case KN_F32:
            ((float *)c.x)[i] = (float)values[i];
            c.values[i] = (double)((float *)c.x)[i];
            break;
        case KN_I8:
            ((int8_t *)c.x)[i] = (int8_t)values[i];
            c.values[i] = ((int8_t *)c.x)[i];
            break;
        default:
            ((uint8_t *)c.x)[i] = (uint8_t)values[i];
            c.values[i] = ((uint8_t *)c.x)[i];
        }
    }
    return c;
}

static inline double random_element(kn_type type, int kind)
{
    if (type == KN_U8)
        return (double)(test_random(&state) % (kind ? 256 : 3));
    if (type == KN_I8)
        return (double)(test_random(&state) % (kind ? 256 : 3)) - 128;
    return random_double(&state, kind);
}

static inline struct column random_column(kn_type type, int kind, size_t n)
{
    double *values = test_allocate(n * sizeof *values);
    struct column c;

    for (size_t i = 0; i < n; i++)
        values[i] = random_element(type, kind);
    c = column_of(type, values, n);
    free(values);
    return c;
}

static inline void free_column(struct column *c)
{
    free(c->x);
    free(c->values);
}

// ---- the reference ----

static inline double sorted_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, test_by_value);
    return n % 2 ? x[n / 2] + 0.0 : x[n / 2 - 1] / 2 + x[n / 2] / 2 + 0.0;
}

static inline bool is_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static inline bool holds_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

static inline kn_stats reference_of(const struct column *c, size_t n, bool single)
{
    kn_stats r = {n, NAN, NAN, NAN, NAN, NAN};
    double *x = test_allocate(n * sizeof *x);
    long double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < n; i++) {
        x[i] = single && c->type == KN_F64 ? test_rounded(c->values[i], KN_F32) : c->values[i];
        sum += x[i];
    }
    if (n > 0 && !holds_nan(x, n)) {
        mean = sum / (long double)n;
        for (size_t i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        r.mean = (double)mean;
        r.std = is_finite(x, n) ? (double)sqrtl(squares / (long double)n) : NAN;
        r.cv = r.std / r.mean;
        r.median = sorted_median(x, n);
        if (isfinite(r.median)) {
            for (size_t i = 0; i < n; i++)
                x[i] = fabs(x[i] - r.median);
            r.mad = sorted_median(x, n);
        }
    }
    free(x);
    return r;
}

static inline bool close_to(double found, double expected, double scale)
{
    return test_same(found, expected) || found == expected || fabs(found - expected) <= 1e-12 * scale;
}

// Median and MAD are exact; mean and std have the accuracy of doubles.
static inline void expect_reference(const kn_stats *found, const kn_stats *r, const char *where)
{
    double size = fabs(r->mean) + r->std;

    ck_assert_msg(found->n == r->n, "%s: n %zu, expected %zu", where, found->n, r->n);
    ck_assert_msg(test_same(found->median, r->median), "%s: median %.17g, expected %.17g", where,
                  found->median, r->median);
    ck_assert_msg(test_same(found->mad, r->mad), "%s: MAD %.17g, expected %.17g", where, found->mad, r->mad);
    ck_assert_msg(close_to(found->mean, r->mean, size), "%s: mean %.17g, expected %.17g", where, found->mean,
                  r->mean);
    ck_assert_msg(close_to(found->std, r->std, size), "%s: std %.17g, expected %.17g", where, found->std,
                  r->std);
    ck_assert_msg(test_same(found->cv, found->std / found->mean + 0.0), "%s: CV %.17g, std %.17g, mean %.17g",
                  where, found->cv, found->std, found->mean);
}

static inline void expect_same(const kn_stats *found, const kn_stats *expected, const char *where)
{
    ck_assert_msg(found->n == expected->n && test_same(found->mean, expected->mean) &&
                      test_same(found->std, expected->std) && test_same(found->cv, expected->cv) &&
                      test_same(found->median, expected->median) && test_same(found->mad, expected->mad),
                  "%s: n %zu mean %.17g std %.17g CV %.17g median %.17g MAD %.17g, expected n %zu mean %.17g "
                  "std %.17g CV %.17g median %.17g MAD %.17g",
                  where, found->n, found->mean, found->std, found->cv, found->median, found->mad, expected->n,
                  expected->mean, expected->std, expected->cv, expected->median, expected->mad);
}

static inline kn_stats poisoned(void)
{
    kn_stats result;

    memset(&result, 0xa5, sizeof result);
    return result;
}

// A refused call must not have written anything.
static inline void expect_poison(const kn_stats *result)
{
    const kn_stats poison = poisoned();

    ck_assert_mem_eq(result, &poison, sizeof poison);
}

#define EXPECT_NOTHING(status, words, result, call)                                                          \
    do {                                                                                                     \
        *(result) = poisoned();                                                                              \
        EXPECT_REFUSED(status, words, call);                                                                 \
        expect_poison(result);                                                                               \
    } while (0)

// ---- plans ----

static const kn_stats_method methods[] = {KN_STATS_SORT, KN_STATS_SELECT, KN_STATS_FUSED};
static const kn_stats_variant variants[] = {KN_STATS_SERIAL, KN_STATS_VECTORIZED, KN_STATS_PARALLEL,
                                            KN_STATS_PARALLEL_VECTORIZED, KN_STATS_DEVICE};
static const kn_type types[] = {KN_F64, KN_F32, KN_I8, KN_U8};

static inline kn_queue *queue_for(kn_stats_variant variant)
{
    return variant == KN_STATS_DEVICE ? queue : NULL;
}

static inline kn_stats_options options_for(kn_stats_method method, kn_stats_variant variant, bool single)
{
    return KN_INIT(kn_stats_options, .method = method, .variant = variant, .single = single, .threads = 3);
}

// NULL if this processor or device lacks what the variant needs.
static inline kn_stats_plan *plan_for(kn_stats_method method, kn_stats_variant variant, bool single,
                                      kn_type type, size_t n)
{
    const kn_stats_options options = options_for(method, variant, single);
    kn_stats_plan *plan = NULL;

    test_prepare_numbers();
    err = (kn_error)KN_ERROR_INIT;
    if (kn_stats_plan_create(queue_for(variant), type, n, &options, &plan, &err) == KN_ERROR_UNSUPPORTED) {
        ck_assert(variant != KN_STATS_SERIAL && variant != KN_STATS_PARALLEL && plan == NULL);
        ck_assert_ptr_nonnull(strstr(err.text, "kn_stats_plan_create"));
        return NULL;
    }
    ck_assert_msg(plan != NULL, "%s", err.text);
    ck_assert_int_eq(kn_stats_plan_get_method(plan), method);
    ck_assert_int_eq(kn_stats_plan_get_variant(plan), variant);
    ck_assert_uint_eq(kn_stats_plan_get_passes(plan), 0);
    return plan;
}

static inline bool is_in_bytes(const kn_stats_plan *plan)
{
    return ki_stats_column_in_bytes(plan->column);
}

// Checks that the variant's own code has run.
static inline void expect_ran(const kn_stats_plan *plan, kn_stats_method method, kn_stats_variant variant)
{
    const struct stats_ran *ran = &plan->column->ran;
    const bool vectors = variant == KN_STATS_VECTORIZED || variant == KN_STATS_PARALLEL_VECTORIZED;
    const bool threads = variant == KN_STATS_PARALLEL || variant == KN_STATS_PARALLEL_VECTORIZED;

    if (method == KN_STATS_FUSED)
        ck_assert_int_eq(ran->robust, is_in_bytes(plan) ? KN_ROBUST_COUNTED
                                      : ran->missed     ? KN_ROBUST_SELECT
                                                        : KN_ROBUST_FUSED);
    if (variant == KN_STATS_DEVICE) {
        ck_assert(method != KN_STATS_SELECT || ran->robust == KN_ROBUST_SELECT);
        return;
    }
    ck_assert_int_eq(ran->level > KN_HOST_SCALAR, vectors);
    ck_assert_uint_eq(plan->column->plan.threads, threads ? 3 : 1);
    ck_assert_int_eq(ran->own_select, method == KN_STATS_SELECT && variant == KN_STATS_SERIAL);
    ck_assert(method != KN_STATS_SORT || ran->merges.level == ran->level);
}

// ---- forms ----

// A source: pieces of `chunk` elements of a column, copied to memory that is poisoned at the next call.
struct feed {
    const struct column *column;
    size_t chunk, at;
    void *piece;
    unsigned rewinds;
    // The error to make, and the rewind in which it occurs.
    unsigned bad_rewind;
    enum { FEED_FAILS = 1, FEED_REWIND_FAILS, FEED_SHORT, FEED_LONG, FEED_OTHER, FEED_NULL, FEED_MUTE } fault;
};

static inline bool goes_wrong(const struct feed *feed, int fault)
{
    return (int)feed->fault == fault && feed->rewinds == feed->bad_rewind;
}

static inline kn_status rewind_feed(void *data, kn_error *said)
{
    struct feed *feed = data;

    ck_assert_ptr_nonnull(said);
    feed->at = 0;
    feed->rewinds++;
    if (!goes_wrong(feed, FEED_REWIND_FAILS))
        return KN_OK;
    snprintf(said->text, sizeof said->text, "the tape is torn");
    return KN_ERROR_INPUT;
}

static inline kn_status next_of_feed(void *data, const void **chunk, size_t *count, kn_error *said)
{
    struct feed *feed = data;
    const struct column *c = feed->column;
    size_t size = kn_type_size(c->type), n = c->n;

    if (goes_wrong(feed, FEED_FAILS)) {
        snprintf(said->text, sizeof said->text, "the disk is gone");
        return KN_ERROR_INPUT;
    }
    if (goes_wrong(feed, FEED_MUTE))
        return KN_ERROR_DEVICE;
    if (goes_wrong(feed, FEED_NULL)) {
        *count = 3;
        return KN_OK;
    }
    n -= goes_wrong(feed, FEED_SHORT);
    if (feed->at >= n) {
        *count = feed->at == n && goes_wrong(feed, FEED_LONG);
        feed->at += *count;
        *chunk = c->x;
        return KN_OK;
    }
    *count = n - feed->at < feed->chunk ? n - feed->at : feed->chunk;
    memset(feed->piece, 0xff, feed->chunk * size);
    memcpy(feed->piece, (const char *)c->x + feed->at * size, *count * size);
    if (goes_wrong(feed, FEED_OTHER)) // the greatest element there can be, in place of all
        for (size_t i = 0; i < *count; i++)
            memcpy((char *)feed->piece + i * size, (const char *)c->x + (n - 1) * size, size);
    feed->at += *count;
    *chunk = feed->piece;
    return KN_OK;
}

static inline kn_status compute_feed(kn_stats_plan *plan, struct feed *feed, kn_stats *result)
{
    const kn_stats_source source =
        KN_INIT(kn_stats_source, .rewind = rewind_feed, .next = next_of_feed, .data = feed);
    kn_status status;

    feed->piece = test_allocate(feed->chunk * sizeof(double));
    status = kn_stats_compute_source(plan, &source, result, &err);
    free(feed->piece);
    return status;
}

static inline kn_stats expect_array(kn_stats_plan *plan, const struct column *c)
{
    kn_stats result = poisoned();
    size_t bytes = c->n * kn_type_size(c->type);
    void *copy = test_allocate(bytes);

    memcpy(copy, c->x, bytes);
    EXPECT_OK(kn_stats_compute(plan, c->x, c->n, &result, &err));
    ck_assert_int_eq(memcmp(copy, c->x, bytes), 0);
    free(copy);
    return result;
}

static inline kn_stats expect_buffer(kn_stats_plan *plan, const struct column *c)
{
    enum { ROOM = 64 };
    kn_stats result = poisoned();
    size_t bytes = c->n * kn_type_size(c->type);
    void *left = test_allocate(bytes);
    kn_buffer *buffer = test_upload_with_room(c->x, bytes, ROOM);

    EXPECT_OK(kn_stats_compute_buffer(plan, buffer, c->n, &result, &err));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, left, bytes, &err));
    ck_assert_int_eq(memcmp(left, c->x, bytes), 0);
    test_expect_poison(buffer, bytes);
    kn_buffer_free(buffer);
    free(left);
    return result;
}

static inline kn_stats expect_source(kn_stats_plan *plan, const struct column *c, size_t chunk)
{
    struct feed feed = {.column = c, .chunk = chunk ? chunk : 1};
    kn_stats result = poisoned();

    EXPECT_OK(compute_feed(plan, &feed, &result));
    ck_assert_uint_eq(kn_stats_plan_get_passes(plan), feed.rewinds);
    ck_assert_uint_le(feed.rewinds, 16);
    return result;
}

#endif
