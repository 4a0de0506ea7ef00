// SPDX-License-Identifier: Apache-2.0
// Tests koine/stats.h: every form, type, method and variant against a reference in long double, and for equal
// bits.
#include "stats_api_support.h"

#include <float.h>

// As a whole, and in chunks of any size with memory for part of the column or for none.
static void expect_sources(const struct column *c, kn_stats_method method, kn_stats_variant variant,
                           bool single, const kn_stats *expected, const char *where)
{
    const size_t chunks[] = {1, 7, c->n}, rooms[] = {c->n, c->n / 3, 0};

    for (size_t r = 0; r < KI_COUNT(rooms); r++) {
        kn_stats_plan *plan = plan_for(method, variant, single, c->type, rooms[r]);

        for (size_t i = 0; i < KI_COUNT(chunks) && plan; i++) {
            struct feed feed = {.column = c, .chunk = chunks[i] ? chunks[i] : 1};
            kn_stats found;

            if (rooms[r] < c->n && method != KN_STATS_SELECT) {
                EXPECT_NOTHING(KN_ERROR_UNSUPPORTED, "kn_stats_compute_source: the column has more than",
                               &found, compute_feed(plan, &feed, &found));
                continue;
            }
            found = expect_source(plan, c, chunks[i]);
            expect_same(&found, expected, where);
            ck_assert_int_eq(kn_stats_plan_get_passes(plan) == 1,
                             rooms[r] >= c->n || holds_nan(c->values, c->n));
        }
        kn_stats_plan_free(plan);
    }
}

static void expect_variant(const struct column *c, kn_stats_method method, kn_stats_variant variant,
                           bool single, bool sources, kn_stats *expected)
{
    kn_stats_plan *plan = plan_for(method, variant, single, c->type, c->n);
    char where[128];
    kn_stats found;

    if (!plan)
        return;
    snprintf(where, sizeof where, "method %d, variant %d, %s%s, %zu elements", (int)method, (int)variant,
             kn_type_name(c->type), single ? ", single" : "", c->n);
    for (int repetition = 0; repetition < 2; repetition++) {
        found = expect_array(plan, c);
        if (variant == KN_STATS_SERIAL)
            *expected = found;
        expect_same(&found, expected, where);
        if (c->n > 0 && !isnan(found.median))
            expect_ran(plan, method, variant);
    }
    if (variant == KN_STATS_DEVICE && test_takes(c->type)) {
        found = expect_buffer(plan, c);
        expect_same(&found, expected, where);
        found = expect_array(plan, c); // another form in between
        expect_same(&found, expected, where);
    }
    kn_stats_plan_free(plan);
    if (sources)
        expect_sources(c, method, variant, single, expected, where);
}

static void expect_column(const struct column *c, bool sources)
{
    for (int single = 0; single < (c->type == KN_F64 ? 2 : 1); single++) {
        const kn_stats r = reference_of(c, c->n, single);
        kn_stats of[KI_COUNT(methods)];

        for (size_t m = 0; m < KI_COUNT(methods); m++) {
            for (size_t v = 0; v < KI_COUNT(variants); v++)
                expect_variant(c, methods[m], variants[v], single, sources, &of[m]);
            expect_reference(&of[m], &r, "the reference");
        }
        expect_same(&of[1], &of[2], "select and fused");
    }
}

START_TEST(random_columns)
{
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 255, 4097, 9001};

    for (size_t s = 0; s < (test_is_slow() ? 4 : KI_COUNT(sizes)); s++)
        for (size_t t = 0; t < KI_COUNT(types); t++)
            for (int kind = 0; kind < (types[t] >= KN_F32 && !test_is_slow() ? KINDS : 2); kind++) {
                struct column c = random_column(types[t], kind, sizes[s]);
                expect_column(&c, sizes[s] < 40 || (sizes[s] == 4097 && kind < 3));
                free_column(&c);
            }
}
END_TEST

// Many blocks, the last one in part; threads share the work.
START_TEST(large_columns)
{
    enum { N = 5 * 262144 + 4099 };

    for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++) {
        struct column c = random_column(types[t], t == 0 ? 1 : 4, N);
        kn_stats expected = {.n = 0};

        for (size_t v = 0; v < KI_COUNT(variants); v++) {
            expect_variant(&c, KN_STATS_SELECT, variants[v], false, false, &expected);
            kn_stats_plan *plan = plan_for(KN_STATS_SELECT, variants[v], false, types[t], N / 50);
            for (size_t chunk = 4093; plan && chunk < N; chunk = chunk * 250 + 1) {
                kn_stats found = expect_source(plan, &c, chunk);
                expect_same(&found, &expected, "a large source");
                ck_assert_int_gt((int)kn_stats_plan_get_passes(plan), 2);
            }
            kn_stats_plan_free(plan);
        }
        const kn_stats r = reference_of(&c, N, false);
        expect_reference(&expected, &r, "a large column");
        free_column(&c);
    }
}
END_TEST

#define EXPECT_COLUMN(...)                                                                                   \
    expect_special((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void expect_special(const double *values, size_t n)
{
    for (size_t t = 0; t < 2; t++) {
        struct column c = column_of(types[t], values, n);

        expect_column(&c, true);
        free_column(&c);
    }
}

// Neighbours among doubles: intervals of few keys, whose ends are elements.
START_TEST(adjacent_values)
{
    enum { N = 301 };
    double values[N];
    kn_stats_plan *plan = plan_for(KN_STATS_SELECT, KN_STATS_SERIAL, false, KN_F64, N / 3);

    for (int repetition = 0; repetition < 30; repetition++) {
        for (size_t i = 0; i < N; i++)
            values[i] = 1 + (double)(test_random(&state) % 3000) * DBL_EPSILON;
        struct column c = column_of(KN_F64, values, N - (size_t)repetition % 2);
        const kn_stats r = reference_of(&c, c.n, false), found = expect_source(plan, &c, 50);
        expect_reference(&found, &r, "neighbours");
        if (repetition == 0)
            expect_column(&c, !test_is_slow());
        free_column(&c);
    }
    kn_stats_plan_free(plan);
}
END_TEST

START_TEST(special_columns)
{
    EXPECT_COLUMN(NAN);
    EXPECT_COLUMN(1, NAN, 3);
    EXPECT_COLUMN(1, 2, INFINITY);
    EXPECT_COLUMN(-0.0, -0.0);
    EXPECT_COLUMN(-1, 1);
    if (test_is_slow())
        return;
    EXPECT_COLUMN(NAN, INFINITY, -INFINITY, 4);
    EXPECT_COLUMN(0.0, -0.0, 0.0);
    EXPECT_COLUMN(-INFINITY, 5, 6, 7);
    EXPECT_COLUMN(-INFINITY, 5, 6, INFINITY);
    EXPECT_COLUMN(-INFINITY, -INFINITY, 6, INFINITY, INFINITY);
    EXPECT_COLUMN(1, INFINITY);
    EXPECT_COLUMN(-INFINITY, INFINITY);
    EXPECT_COLUMN(INFINITY);
    EXPECT_COLUMN(INFINITY, INFINITY, INFINITY, 1);
    EXPECT_COLUMN(7, 7, 7, 7, 7, 7, 7);
    EXPECT_COLUMN(0, 0, 0, 1e9, 1e9, 1e9);
    EXPECT_COLUMN(16777216, 16777218);
    EXPECT_COLUMN(-1e-30, 1e30, 1e-30, -1e30, 0.0);
    EXPECT_COLUMN(0.25, 0.1, 0.3, 0.7, 1.1, 1e-3, 2e-3, 1e7);
}
END_TEST

// ---- prefixes ----

static void expect_prefixes(const struct column *c, kn_stats_method method, kn_stats_variant variant)
{
    enum { COUNT = 9 };
    const size_t ends[COUNT] = {0, 1, 2, 2, 100, 1000, 4096, c->n - 1, c->n};
    kn_stats_plan *plan = plan_for(method, variant, false, c->type, c->n);
    kn_stats found[COUNT + 1], one;
    kn_buffer *buffer;

    if (!plan)
        return;
    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_stats_compute_prefixes(plan, c->x, ends, COUNT, found, &err));
    expect_poison(&found[COUNT]);
    for (size_t i = 0; i < COUNT; i++) {
        const kn_stats r = reference_of(c, ends[i], false);
        expect_reference(&found[i], &r, "a prefix");
        EXPECT_OK(kn_stats_compute(plan, c->x, ends[i], &one, &err));
        expect_same(&found[i], &one, "a prefix beside a column");
    }
    if (variant == KN_STATS_DEVICE) {
        kn_stats of_buffer[COUNT];
        buffer = test_upload_with_room(c->x, c->n * kn_type_size(c->type), 0);
        EXPECT_OK(kn_stats_compute_buffer_prefixes(plan, buffer, ends, COUNT, of_buffer, &err));
        for (size_t i = 0; i < COUNT; i++)
            expect_same(&of_buffer[i], &found[i], "a prefix of a buffer");
        kn_buffer_free(buffer);
    }
    EXPECT_OK(kn_stats_compute_prefixes(plan, NULL, NULL, 0, NULL, &err));
    kn_stats_plan_free(plan);
}

START_TEST(prefixes)
{
    enum { N = 5003 };

    for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++)
        for (size_t m = 0; m < KI_COUNT(methods); m++)
            for (size_t v = 0; v < KI_COUNT(variants); v++) {
                struct column c = random_column(types[t], 1, N);
                if (types[t] == KN_F32) // only the last prefix has it
                    ((float *)c.x)[N - 1] = NAN;
                if (types[t] == KN_F32)
                    c.values[N - 1] = NAN;
                expect_prefixes(&c, methods[m], variants[v]);
                free_column(&c);
            }
}
END_TEST

// Columns in several parts on the device.
START_TEST(columns_in_parts)
{
    enum { N = 600011, LARGEST = 1 << 21 };

    context->device.info.max_alloc = LARGEST;
    for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++)
        for (int single = 0; single < (types[t] == KN_F64 ? 2 : 1); single++)
            for (size_t m = 0; m < KI_COUNT(methods); m++) {
                struct column c = random_column(types[t], 1, N);
                const kn_stats r = reference_of(&c, N, single);
                kn_stats_plan *plan = plan_for(methods[m], KN_STATS_DEVICE, single, types[t], N);
                kn_stats found, of_array;
                if (plan) {
                    found = expect_buffer(plan, &c);
                    expect_reference(&found, &r, "a buffer in parts");
                    of_array = expect_array(plan, &c);
                    expect_same(&of_array, &found, "an array in parts");
                }
                kn_stats_plan_free(plan);
                free_column(&c);
            }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_columns,  large_columns, adjacent_values,
                                  special_columns, prefixes,      columns_in_parts};

    return test_run("stats: the public functions", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
