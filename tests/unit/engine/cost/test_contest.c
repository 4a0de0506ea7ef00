// SPDX-License-Identifier: Apache-2.0
// Tests contests: which cases estimates decide, which cases a measurement decides, that it is made once, and
// what is left out.
#include "engine/cost/contest.h"

#include <math.h>
#include <time.h>

#include "base/array.h"
#include "support/device.h"
#include "support/files.h"
#include "support/run.h"

enum { WAYS = 3, EACH = 2 };

static struct ways {
    double estimates[WAYS];
    double seconds[WAYS]; // of a run
    kn_status begins[WAYS], runs[WAYS];
    unsigned began[WAYS], ran[WAYS], ended[WAYS];
} ways;

static const char *name(const void *data, size_t way)
{
    static const char *const names[WAYS] = {"one", "two", "three"};

    (void)data;
    return names[way];
}

static double estimate(const void *data, size_t way)
{
    (void)data;
    return ways.estimates[way];
}

static kn_status begin(void *data, size_t way, kn_error *error)
{
    (void)data;
    (void)error;
    ways.began[way]++;
    return ways.begins[way];
}

static kn_status run(void *data, size_t way, kn_error *error)
{
    const struct timespec pause = {0, (long)(ways.seconds[way] * 1e9)};

    (void)data;
    (void)error;
    ways.ran[way]++;
    nanosleep(&pause, NULL);
    return ways.runs[way];
}

static void end(void *data, size_t way)
{
    (void)data;
    ways.ended[way]++;
}

static struct engine_contest contest_of(unsigned char number)
{
    return (struct engine_contest){.choice = {"testing", {{number}}},
                                   .count = WAYS,
                                   .error = 8,
                                   .each = EACH,
                                   .name = name,
                                   .estimate = estimate,
                                   .begin = begin,
                                   .run = run,
                                   .end = end};
}

START_TEST(settled)
{
    static const struct {
        double estimates[WAYS], error;
        size_t way;
    } cases[] = {{{1, 9, 9}, 8, 0},
                 {{9, 9, 1}, 8, 2},
                 {{1, 8, 9}, 8, WAYS},
                 {{1, 1, 1}, 1, WAYS},
                 {{INFINITY, 1, INFINITY}, 8, 1},
                 {{INFINITY, INFINITY, INFINITY}, 8, WAYS}};

    for (size_t i = 0; i < KI_COUNT(cases); i++)
        ck_assert_uint_eq(ki_engine_contest_settled(cases[i].estimates, WAYS, cases[i].error), cases[i].way);
}
END_TEST

// If the estimates are far apart, they decide: nothing runs, and nothing is remembered.
START_TEST(estimated)
{
    const struct engine_contest contest = contest_of(1);
    double seconds[WAYS];

    ways = (struct ways){.estimates = {1, 0.1, 1}};
    EXPECT_OK(ki_engine_contest(queue, &contest, seconds, &err));
    ck_assert_uint_eq(ki_engine_contest_winner(seconds, WAYS), 1);
    ck_assert_double_eq(seconds[1], 0.1);
    ck_assert_uint_eq(ways.began[0] + ways.began[1] + ways.began[2], 0);
    ck_assert(!ki_engine_recall_seconds(context, &contest.choice, seconds, WAYS));
}
END_TEST

START_TEST(measured)
{
    struct engine_contest contest = contest_of(2);
    struct ki_text text = KI_TEXT_INIT;
    double seconds[WAYS], again[WAYS];

    ways = (struct ways){.estimates = {0.01, 0.011, 1}, .seconds = {0.02, 0.001, 0}};
    EXPECT_OK(ki_engine_contest(queue, &contest, seconds, &err));
    ck_assert_uint_eq(ki_engine_contest_winner(seconds, WAYS), 1);
    ck_assert_double_ge(seconds[0], 0.02);
    ck_assert_double_ge(seconds[1], 0.001);
    ck_assert_double_lt(seconds[1], seconds[0]);
    ck_assert(isinf(seconds[2]));
    ck_assert_uint_eq(ways.ran[2], 0);
    ck_assert_uint_gt(ways.ran[0], EACH);
    ck_assert_uint_eq(ways.ran[0] % EACH, 0);
    for (size_t i = 0; i < WAYS; i++)
        ck_assert_uint_eq(ways.began[i], ways.ended[i]);
    ki_engine_contest_tell(&contest, seconds, &text);
    ck_assert_int_eq(strncmp(text.data, "one 2", 5), 0);
    ck_assert_ptr_nonnull(strstr(text.data, " ms, two "));
    ck_assert_ptr_null(strstr(text.data, "three"));
    ki_text_free(&text);

    ways = (struct ways){.estimates = {1, 1, 1}};
    EXPECT_OK(ki_engine_contest(queue, &contest, again, &err));
    ck_assert_mem_eq(seconds, again, sizeof seconds);
    ck_assert_uint_eq(ways.began[0] + ways.began[1] + ways.began[2], 0);
    contest.choice.subject.bytes[0] = 3; // a different subject is measured
    contest.estimate = NULL;
    EXPECT_OK(ki_engine_contest(queue, &contest, again, &err));
    ck_assert_uint_gt(ways.ran[2], 0);
}
END_TEST

START_TEST(failing)
{
    const struct engine_contest contest = contest_of(4), none = contest_of(5);
    double seconds[WAYS];

    ways = (struct ways){.estimates = {1, 1, 1},
                         .begins = {KN_ERROR_UNSUPPORTED, KN_OK, KN_OK},
                         .runs = {KN_OK, KN_ERROR_DEVICE, KN_OK}};
    ck_assert_int_eq(ki_engine_contest(queue, &contest, seconds, &err), KN_ERROR_DEVICE);
    ck_assert_uint_eq(ways.ended[0] + ways.ended[1], 2);
    ck_assert(!ki_engine_recall_seconds(context, &contest.choice, seconds, WAYS));
    ways.runs[1] = KN_ERROR_UNSUPPORTED;
    EXPECT_OK(ki_engine_contest(queue, &contest, seconds, &err));
    ck_assert_uint_eq(ki_engine_contest_winner(seconds, WAYS), 2);
    ck_assert(isinf(seconds[0]) && isinf(seconds[1]));
    ways.runs[2] = KN_ERROR_UNSUPPORTED;
    EXPECT_OK(ki_engine_contest(queue, &none, seconds, &err));
    ck_assert_uint_eq(ki_engine_contest_winner(seconds, WAYS), WAYS);
    ck_assert(!ki_engine_recall_seconds(context, &none.choice, seconds, WAYS));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {settled, estimated, measured, failing};

    return test_run("contests", tests, KI_COUNT(tests), test_open_with_cache, test_close_cache);
}
