// SPDX-License-Identifier: Apache-2.0
// kn_host_windows and kn_host_rolling, at every level and with any number of threads, against windows that
// are each sorted in double: results are exact.
#include "windows_support.h"

static const kn_type reals[] = {KN_F32, KN_F64};

// ---- the number of windows ----

START_TEST(counts)
{
    for (size_t n = 0; n < 30; n++)
        for (size_t width = 0; width < 12; width++)
            for (size_t step = 0; step < 12; step++) {
                size_t full = 0, behind = n, start = 0;
                for (; width > 0 && step > 0 && start + width <= n; start += step) {
                    full++;
                    behind = n - start - width;
                }
                ck_assert_uint_eq(kn_window_count(n, width, step, false), full);
                ck_assert_uint_eq(kn_window_count(n, width, step, true),
                                  width > 0 && step > 0 ? full + (start < n && behind > 0) : 0);
            }
}
END_TEST

// ---- a window every `step` elements ----

static void check_windows(const struct column *c, size_t width, size_t step, const kn_host_options *host)
{
    static const double q[] = {0.1, 0.95};
    const size_t count = kn_window_count(c->n, width, step, true);
    kn_stats *found = malloc((count + 1) * sizeof *found);
    double *quantiles = malloc((count + 1) * sizeof q);

    ck_assert(found && quantiles);
    EXPECT_OK(kn_host_windows(
        c->x, c->type, c->n, width, step, found, quantiles,
        &KN_INIT(kn_window_options, .partial = true, .quantiles = q, .quantile_count = 2), host, &err));
    for (size_t i = 0; i < count; i++) {
        size_t rest = c->n - i * step;
        expect_window(c, i, i * step, rest < width ? rest : width, q, &found[i], &quantiles[2 * i]);
    }
    free(found);
    free(quantiles);
}

START_TEST(windows)
{
    static const size_t widths[] = {1, 2, 3, 7, 8, 64, 301, 1920, 5000};
    uint64_t state = test_seed("windows");

    host_find_levels();
    for (size_t p = 0; p < KI_COUNT(patterns); p++)
        for (size_t i = 0; i < KI_COUNT(widths); i++) {
            const size_t width = widths[i], n = width * 3 + test_random(&state) % (2 * width);
            struct column c = make_column(&patterns[p], reals[(p + i) % 2], n, &state);
            const kn_host_options host = KN_INIT(kn_host_options, .threads = 1 + (unsigned)(i % 3));
            if (p % 3 == 0)
                put_nan(&c, &state);
            check_windows(&c, width, 1 + test_random(&state) % (2 * width), &host);
            free_column(&c);
        }
}
END_TEST

// Windows of up to 8 whole steps, which share sorted runs with their neighbours, and a window of 9 steps.
START_TEST(windows_of_runs)
{
    static const struct {
        size_t width, step;
    } shapes[] = {{64, 32},   {96, 32},    {1920, 960}, {1920, 640}, {999, 333},
                  {560, 112}, {1920, 240}, {360, 40},   {64, 16},    {32, 32}};
    uint64_t state = test_seed("windows_of_runs");

    host_find_levels();
    for (size_t p = 0; p < KI_COUNT(patterns); p++)
        for (size_t i = 0; i < KI_COUNT(shapes); i++) {
            const size_t n = shapes[i].width * 3 + test_random(&state) % (20 * shapes[i].step);
            struct column c = make_column(&patterns[p], reals[(p + i) % 2], n, &state);
            const kn_host_options host = KN_INIT(kn_host_options, .threads = 1 + (unsigned)(i % 3));
            if ((p + i) % 3 == 0)
                put_nan(&c, &state);
            check_windows(&c, shapes[i].width, shapes[i].step, &host);
            free_column(&c);
        }
}
END_TEST

START_TEST(levels)
{
    uint64_t state = test_seed("levels");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(reals); t++) {
        struct column c = make_column(&patterns[0], reals[t], 6007, &state);
        HOST_FOR_OPTIONS(host)
        {
            check_windows(&c, 1000, 400, &host);
            check_windows(&c, 1000, 250, &host);
        }
        free_column(&c);
    }
}
END_TEST

// ---- a window at every element ----

static void check_rolling(const char *name, const struct column *c, size_t width,
                          const kn_rolling_options *options, const kn_host_options *host)
{
    const size_t bytes = (c->n + 1) * kn_type_size(c->type);
    void *medians = malloc(bytes), *mads = malloc(bytes), *alone = malloc(bytes);

    ck_assert(medians && mads && alone);
    EXPECT_OK(kn_host_rolling(c->x, c->type, c->n, width, medians, mads, options, host, &err));
    expect_rolling(name, c, width, options, medians, mads);
    EXPECT_OK(kn_host_rolling(c->x, c->type, c->n, width, alone, NULL, options, host, &err));
    for (size_t i = 0; i < c->n; i++)
        ck_assert(test_same(window_read(alone, c->type, i), window_read(medians, c->type, i)));
    EXPECT_OK(kn_host_rolling(c->x, c->type, c->n, width, NULL, alone, options, host, &err));
    for (size_t i = 0; i < c->n; i++)
        ck_assert(test_same(window_read(alone, c->type, i), window_read(mads, c->type, i)));
    free(medians);
    free(mads);
    free(alone);
}

START_TEST(rolling)
{
    static const size_t widths[] = {1, 2, 3, 4, 5, 16, 31, 32, 33, 100, 257};
    uint64_t state = test_seed("rolling");

    host_find_levels();
    for (size_t p = 0; p < KI_COUNT(patterns); p++)
        for (size_t i = 0; i < KI_COUNT(widths); i++) {
            const size_t n = test_random(&state) % (4 * widths[i] + 40);
            const kn_rolling_options options =
                KN_INIT(kn_rolling_options, .position = (kn_window_position)(test_random(&state) % 2),
                        .edges = (kn_window_edges)(test_random(&state) % 2),
                        .mad_scale = (kn_stats_mad_scale)(test_random(&state) % 2));
            const kn_host_options host = KN_INIT(kn_host_options, .threads = 1 + (unsigned)(i % 3));
            struct column c = make_column(&patterns[p], reals[(p + i) % 2], n, &state);
            if (p % 3 == 0)
                put_nan(&c, &state);
            check_rolling(patterns[p].name, &c, widths[i], &options, &host);
            free_column(&c);
        }
}
END_TEST

// Doubles so close to one another that they differ only in bits for which a sort key, which also holds the
// position, has no room, among others that are far away.
START_TEST(rolling_ties_of_doubles)
{
    uint64_t state = test_seed("rolling_ties_of_doubles");
    struct column c = make_column(&patterns[0], KN_F64, 3000, &state);
    const kn_rolling_options options = KN_INIT(kn_rolling_options);

    for (size_t i = 0; i < c.n; i++)
        put(&c, i,
            i % 50 == 0 ? (i % 100 ? -1e300 : 1e300) : 1 + (double)(test_random(&state) % 2000) * 0x1p-52);
    check_rolling("close", &c, 301, &options, NULL);
    check_rolling("close", &c, 300, &options, NULL);
    free_column(&c);
}
END_TEST

START_TEST(rolling_levels)
{
    uint64_t state = test_seed("rolling_levels");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(reals); t++) {
        struct column c = make_column(&patterns[1], reals[t], 2500, &state);
        HOST_FOR_OPTIONS(host)
        {
            check_rolling("levels", &c, 501, &KN_INIT(kn_rolling_options), &host);
        }
        free_column(&c);
    }
}
END_TEST

START_TEST(refused)
{
    const double x[4] = {1, 2, 3, 4}, q = 1.5;
    double to[4];
    kn_stats found[4];

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "windows of 0 elements",
                   kn_host_windows(x, KN_F64, 4, 0, 1, found, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "every 0",
                   kn_host_windows(x, KN_F64, 4, 2, 0, found, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int",
                   kn_host_windows(x, KN_I32, 4, 2, 1, found, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "quantile of 1.5",
                   kn_host_windows(x, KN_F64, 4, 2, 1, found, to,
                                   &KN_INIT(kn_window_options, .quantiles = &q, .quantile_count = 1), NULL,
                                   &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "quantiles is NULL",
                   kn_host_windows(x, KN_F64, 4, 2, 1, found, NULL,
                                   &KN_INIT(kn_window_options, .quantiles = &q, .quantile_count = 1), NULL,
                                   &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "windows of 0 elements",
                   kn_host_rolling(x, KN_F64, 4, 0, to, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "from 1 to",
                   kn_host_rolling(x, KN_F64, 4, (size_t)1 << 31, to, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "an output as well",
                   kn_host_rolling(to, KN_F64, 4, 3, to, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "position 7",
                   kn_host_rolling(x, KN_F64, 4, 3, to, NULL,
                                   &KN_INIT(kn_rolling_options, .position = (kn_window_position)7), NULL,
                                   &err));
    EXPECT_OK(kn_host_windows(x, KN_F64, 4, 5, 1, found, NULL, NULL, NULL, &err)); // no window
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        counts, windows, windows_of_runs, levels, rolling, rolling_ties_of_doubles, rolling_levels, refused};

    return TEST_RUN("host_windows", CK_NOFORK, tests);
}
