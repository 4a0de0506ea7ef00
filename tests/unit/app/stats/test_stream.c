// SPDX-License-Identifier: Apache-2.0
// Tests columns in chunks on the host (kn_stats_compute_source): how many passes they take, and that the bits
// are those of a column in memory, whether a sample is representative or not.
#include "support/support.h"

#include <koine/stats.h>

#include <math.h>

#include "base/array.h"
#include "support/compare.h"
#include "support/expect.h"
#include "support/run.h"

kn_error err;

// A column, the part of it that was given, and the number of times it was started.
struct feed {
    const double *x;
    size_t n, at, chunk;
    unsigned rewinds;
};

static kn_status begin(void *data, kn_error *why)
{
    struct feed *feed = data;

    (void)why;
    feed->at = 0;
    feed->rewinds++;
    return KN_OK;
}

static kn_status next(void *data, const void **chunk, size_t *count, kn_error *why)
{
    struct feed *feed = data;

    (void)why;
    *count = feed->n - feed->at < feed->chunk ? feed->n - feed->at : feed->chunk;
    *chunk = feed->x + feed->at;
    feed->at += *count;
    return KN_OK;
}

// With a plan that holds `held` elements. *passes: over the column.
static kn_status compute(const double *x, size_t n, size_t held, size_t stated, kn_stats_variant variant,
                         kn_stats *result, unsigned *passes)
{
    const kn_stats_options options = KN_INIT(kn_stats_options, .method = KN_STATS_SELECT, .variant = variant);
    struct feed feed = {.x = x, .n = n, .chunk = 1000};
    const kn_stats_source source =
        KN_INIT(kn_stats_source, .rewind = begin, .next = next, .data = &feed, .count = stated);
    kn_stats_plan *plan = NULL;
    kn_status status = kn_stats_plan_create(NULL, KN_F64, held, &options, &plan, &err);

    ck_assert_int_eq(status, KN_OK);
    status = kn_stats_compute_source(plan, &source, result, &err);
    *passes = kn_stats_plan_get_passes(plan);
    ck_assert_uint_eq(*passes, feed.rewinds);
    kn_stats_plan_free(plan);
    return status;
}

static kn_stats in_memory(const double *x, size_t n)
{
    const kn_stats_options options =
        KN_INIT(kn_stats_options, .method = KN_STATS_SELECT, .variant = KN_STATS_SERIAL);
    kn_stats_plan *plan = NULL;
    kn_stats result;

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F64, n, &options, &plan, &err));
    EXPECT_OK(kn_stats_compute(plan, x, n, &result, &err));
    kn_stats_plan_free(plan);
    return result;
}

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_same(const kn_stats *a, const kn_stats *b, const char *where)
{
    ck_assert_msg(a->n == b->n && same(a->mean, b->mean) && same(a->std, b->std) && same(a->cv, b->cv) &&
                      same(a->median, b->median) && same(a->mad, b->mad),
                  "%s: %zu, %.17g, %.17g, %.17g, %.17g; expected %zu, %.17g, %.17g, %.17g, %.17g", where,
                  a->n, a->mean, a->std, a->median, a->mad, b->n, b->mean, b->std, b->median, b->mad);
}

static double uniform(uint64_t *state)
{
    return (double)(test_random(state) >> 11) * 0x1p-53;
}

// Columns that samples represent well, and others: with gaps around the median, ties, and infinities.
enum { ORDINARY = 6, KINDS = 12 };

static double element(int kind, size_t i, size_t n, uint64_t *state)
{
    const double u = uniform(state);

    switch (kind) {
    case 0:
        return u + uniform(state) + uniform(state);
    case 1:
        return (double)i;
    case 2:
        return (double)(n - i) * 1e-3;
    case 3:
        return floor(8 * u);
    case 4:
        return sin((double)i * 0.001);
    case 5:
        return tan(3.14159 * (u - 0.5));
    case 6:
        return u < 0.6 ? 1 : u;
    case 7:
        return u < 0.4 ? INFINITY : u < 0.45 ? -INFINITY : u;
    case 8:
        return u < 0.5 ? -5 + u * 1e-9 : 5 + u * 1e-9;
    case 9:
        return i % 2 ? 1e300 * u : -u;
    case 10:
        return i < n / 2 ? 0 : ldexp(1, (int)(i % 600) - 300);
    default:
        return u < 0.5 ? -0.0 : 0.0;
    }
}

START_TEST(two_passes)
{
    enum { N = 600000 };
    double *x = malloc(N * sizeof *x);
    uint64_t state = test_seed("two_passes");

    ck_assert_ptr_nonnull(x);
    for (int kind = 0; kind < ORDINARY; kind++) {
        kn_stats expected, found;
        unsigned passes;

        for (size_t i = 0; i < N; i++)
            x[i] = element(kind, i, N, &state);
        expected = in_memory(x, N);
        for (kn_stats_variant variant = KN_STATS_SERIAL; variant <= KN_STATS_PARALLEL; variant += 2) {
            EXPECT_OK(compute(x, N, N / 12, N, variant, &found, &passes));
            expect_same(&found, &expected, "two passes");
            ck_assert_msg(passes == 2, "kind %d: %u passes", kind, passes);
            EXPECT_OK(compute(x, N, N / 12, 0, variant, &found, &passes));
            expect_same(&found, &expected, "three passes");
            ck_assert_msg(passes == 3, "kind %d: %u passes", kind, passes);
        }
        EXPECT_OK(compute(x, N, 100, N, KN_STATS_SERIAL, &found, &passes));
        expect_same(&found, &expected, "little room");
        ck_assert_uint_gt(passes, 2);
        ck_assert_uint_le(passes, 16);
    }
    free(x);
}
END_TEST

START_TEST(any_column)
{
    enum { MOST = 6000 };
    double x[MOST];
    uint64_t state = test_seed("any_column");

    for (int round = 0; round < 240; round++) {
        const size_t n = 1 + test_random(&state) % MOST;
        const size_t held = round % 3 ? n - 1 : test_random(&state) % n;
        kn_stats expected, found;
        unsigned passes;

        for (size_t i = 0; i < n; i++)
            x[i] = element(round % KINDS, i, n, &state);
        expected = in_memory(x, n);
        EXPECT_OK(compute(x, n, held, round % 2 ? n : 0, KN_STATS_SERIAL, &found, &passes));
        expect_same(&found, &expected, "a column");
        ck_assert_uint_le(passes, 16);
    }
}
END_TEST

START_TEST(wrong_counts)
{
    static const double x[] = {1, 2, 3, 4, 5};
    static const struct {
        size_t stated, held;
    } cases[] = {{4, 2}, {6, 2}, {6, 5}, {3, 5}};

    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        kn_stats found = {.n = 77};
        unsigned passes;

        ck_assert_int_eq(
            compute(x, KI_COUNT(x), cases[i].held, cases[i].stated, KN_STATS_SERIAL, &found, &passes),
            KN_ERROR_ARGUMENT);
        ck_assert_ptr_nonnull(strstr(err.text, "says that it has"));
        ck_assert_uint_eq(found.n, 77);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {two_passes, any_column, wrong_counts};

    return TEST_RUN("stats: streams", CK_FORK_GETENV, tests);
}
