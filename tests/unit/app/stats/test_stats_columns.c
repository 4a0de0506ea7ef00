// SPDX-License-Identifier: Apache-2.0
// Tests koine/stats.h: several columns at once give the bits of each separately, and on a device every launch
// processes all.
#include "stats_api_support.h"

#include <koine/experimental.h>

enum { COLUMNS = 7, MOST = 5000 };

// Columns of the same length: of random numbers, of integers of 8 bits, with a not-a-number, with a single
// value.
static struct column several[COLUMNS];
static const void *arrays[COLUMNS];

static void fill_several(kn_type type, size_t n)
{
    bool reals = type == KN_F64 || type == KN_F32;

    for (size_t i = 0; i < COLUMNS; i++) {
        double *values = test_allocate(n * sizeof *values);

        for (size_t k = 0; k < n; k++)
            values[k] = !reals   ? random_element(type, (int)i)
                        : i == 2 ? (double)(test_random(&state) % 256) - 128
                        : i == 3 ? (double)(test_random(&state) % 256)
                        : i == 5 ? -0.1
                                 : random_double(&state, i % 3 ? (int)(i % 3) : 1) * (i == 6 ? 1e-12 : 1) +
                                       (double)(1000 * i);
        if (reals && i == 4 && n > 2)
            values[n - 2] = NAN;
        several[i] = column_of(type, values, n);
        arrays[i] = several[i].x;
        free(values);
    }
}

static void free_several(void)
{
    for (size_t i = 0; i < COLUMNS; i++)
        free_column(&several[i]);
}

static void expect_several(kn_stats_plan *plan, size_t n, const char *where)
{
    kn_stats found[COLUMNS], one;

    for (size_t i = 0; i < COLUMNS; i++)
        found[i] = poisoned();
    EXPECT_OK(kn_stats_compute_columns(plan, arrays, n, COLUMNS, found, &err));
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct column c = {several[i].type, n, several[i].x, several[i].values};
        const kn_stats r = reference_of(&c, n, plan->options.single);

        expect_reference(&found[i], &r, where);
        one = expect_array(plan, &c);
        expect_same(&found[i], &one, where);
    }
}

// Under Oclgrind a plan compiles for seconds, so only real numbers in both precisions, and bytes, are tested.
static bool skipped_where_slow(kn_type type, bool single)
{
    return type != KN_F64 && (type != KN_U8 || single);
}

START_TEST(bits_of_each)
{
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 1023, MOST};

    for (size_t t = 0; t < KI_COUNT(types); t++)
        for (size_t m = 0; m < KI_COUNT(methods); m++)
            for (size_t v = 0; v < KI_COUNT(variants); v++)
                for (int single = 0; single < 2; single++) {
                    const bool slow = variants[v] == KN_STATS_DEVICE && test_is_slow();
                    kn_stats_plan *plan = NULL;

                    if (!slow || !skipped_where_slow(types[t], single))
                        plan = plan_for(methods[m], variants[v], single, types[t], MOST);
                    for (size_t s = 0; s < KI_COUNT(sizes) && plan; s++) {
                        if (slow && sizes[s] != 1 && sizes[s] != 65)
                            continue;
                        fill_several(types[t], sizes[s]);
                        expect_several(plan, sizes[s], "several");
                        free_several();
                    }
                    kn_stats_plan_free(plan);
                }
}
END_TEST

// ---- launches ----

static void count_launch(void *user, const kn_launch_notice *notice)
{
    (void)notice;
    ++*(size_t *)user;
}

static size_t launches_of(kn_stats_plan *plan, size_t n, size_t count)
{
    kn_stats found[COLUMNS];
    size_t launches = 0;

    EXPECT_OK(
        kn_stats_compute_columns(plan, arrays, n, count, found, &err)); // trials on the device come first
    EXPECT_OK(kn_queue_watch(queue, count_launch, &launches, &err));
    EXPECT_OK(kn_stats_compute_columns(plan, arrays, n, count, found, &err));
    EXPECT_OK(kn_queue_watch(queue, NULL, NULL, &err));
    ck_assert_uint_gt(launches, 0);
    return launches;
}

// As many launches for five columns of real numbers as for two; a column in bytes adds those of counting,
// once.
START_TEST(launches_serve_all)
{
    enum { N = 4000 };
    kn_stats_plan *plan = plan_for(KN_STATS_FUSED, KN_STATS_DEVICE, true, KN_F64, N);
    size_t two, all;

    if (!plan)
        return;
    fill_several(KN_F64, N);
    ck_assert_uint_ge(kn_stats_plan_get_columns_together(plan, N), COLUMNS);
    two = launches_of(plan, N, 2);
    arrays[2] = arrays[0]; // instead of the column in bytes and the constant one, which may use other methods
    arrays[3] = arrays[1];
    arrays[4] = arrays[6];
    arrays[5] = arrays[0];
    all = launches_of(plan, N, COLUMNS);
    ck_assert_msg(all <= two, "%zu columns take %zu launches, two take %zu", (size_t)COLUMNS, all, two);
    free_several();
    kn_stats_plan_free(plan);
}
END_TEST

// ---- held ----

START_TEST(held_by_the_plan)
{
    enum { N = 777 };
    kn_stats_plan *plan = plan_for(KN_STATS_FUSED, KN_STATS_DEVICE, true, KN_F64, N);
    kn_stats found[COLUMNS], again[COLUMNS];

    if (!plan)
        return;
    fill_several(KN_F64, N);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no columns are loaded",
                   kn_stats_plan_compute_columns(plan, found, &err));
    EXPECT_OK(kn_stats_plan_load_columns(plan, arrays, N, COLUMNS, &err));
    for (size_t i = 0; i < COLUMNS; i++)
        ck_assert_int_eq(kn_stats_plan_get_column_in_bytes(plan, i), i == 2 || i == 3);
    ck_assert(!kn_stats_plan_get_column_in_bytes(plan, COLUMNS));
    ck_assert_uint_ge(kn_stats_plan_get_memory(plan).device, COLUMNS * N * sizeof(float));
    for (size_t i = 0; i < COLUMNS; i++)
        memset(several[i].x, 0xff, N * sizeof(double)); // the plan has copies
    EXPECT_OK(kn_stats_plan_compute_columns(plan, found, &err));
    memset(again, 0xa5, sizeof again);
    EXPECT_OK(kn_stats_plan_compute_columns(plan, again, &err));
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct column c = {KN_F64, N, several[i].values, several[i].values};
        const kn_stats r = reference_of(&c, N, true);

        expect_reference(&found[i], &r, "held");
        expect_same(&again[i], &found[i], "held, again");
    }
    EXPECT_OK(kn_stats_compute(plan, several[0].values, N, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no columns are loaded",
                   kn_stats_plan_compute_columns(plan, found, &err));
    EXPECT_OK(kn_stats_plan_load_columns(plan, arrays, N, 1, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no column is loaded", kn_stats_plan_compute(plan, N, found, &err));
    free_several();
    kn_stats_plan_free(plan);
}
END_TEST

// ---- what is refused ----

static size_t calls;

static bool stop_at_two(void *data, unsigned pass, size_t done, size_t total)
{
    (void)data;
    ck_assert_uint_eq(pass, 1);
    ck_assert_uint_eq(total, COLUMNS);
    ck_assert_uint_le(done, total);
    return ++calls < 2;
}

START_TEST(refused)
{
    enum { N = 100 };
    const kn_stats_options stopping =
        KN_INIT(kn_stats_options, .variant = KN_STATS_SERIAL, .progress = stop_at_two);
    kn_stats_plan *plan = plan_for(KN_STATS_FUSED, KN_STATS_SERIAL, false, KN_F64, N);
    kn_stats found[COLUMNS];

    fill_several(KN_F64, N);
    EXPECT_OK(kn_stats_compute_columns(plan, NULL, N, 0, NULL, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "101 elements, but the plan is for 100", found,
                   kn_stats_compute_columns(plan, arrays, N + 1, COLUMNS, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "plan is NULL", found,
                   kn_stats_compute_columns(NULL, arrays, N, COLUMNS, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "columns is NULL", found,
                   kn_stats_compute_columns(plan, NULL, N, COLUMNS, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "results is NULL",
                   kn_stats_compute_columns(plan, arrays, N, COLUMNS, NULL, &err));
    // The host's plans do not hold several columns.
    ck_assert_uint_eq(kn_stats_plan_get_columns_together(plan, N), 0);
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "cannot be held together",
                   kn_stats_plan_load_columns(plan, arrays, N, COLUMNS, &err));
    arrays[3] = NULL;
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "column 3 of 7 is NULL", found,
                   kn_stats_compute_columns(plan, arrays, N, COLUMNS, found, &err));
    arrays[3] = several[3].x;
    kn_stats_plan_free(plan);
    calls = 0;
    EXPECT_OK(kn_stats_plan_create(NULL, KN_F64, N, &stopping, &plan, &err));
    EXPECT_NOTHING(KN_ERROR_INTERRUPTED, "after 2 of 7 columns", found,
                   kn_stats_compute_columns(plan, arrays, N, COLUMNS, found, &err));
    kn_stats_plan_free(plan);
    free_several();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {bits_of_each, launches_serve_all, held_by_the_plan, refused};

    return test_run("stats: columns", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
