// SPDX-License-Identifier: Apache-2.0
// Tests koine/stats.h: which methods are chosen, a plan used for many columns, the memory that it takes,
// progress, and a loaded column.
#include "stats_api_support.h"

START_TEST(mad_scale)
{
    static const float x[] = {1, 2, 3, 10};

    for (size_t m = 0; m < KI_COUNT(methods); m++) {
        const kn_stats_options options =
            KN_INIT(kn_stats_options, .method = methods[m], .mad_scale = KN_STATS_MAD_NORMAL);
        struct column c = column_of(KN_F32, (const double[]){1, 2, 3, 10}, 4);
        kn_stats_plan *plan;
        kn_stats found;

        EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 4, &options, &plan, &err));
        EXPECT_OK(kn_stats_compute(plan, x, 4, &found, &err));
        ck_assert_double_eq(found.mad, 1 / 0.6744897501960817); // scipy, scale="normal"
        kn_stats_plan_free(plan);
        if (methods[m] != KN_STATS_SELECT)
            continue;
        EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 1, &options, &plan, &err));
        found = expect_source(plan, &c, 3);
        ck_assert_double_eq(found.mad, 1 / 0.6744897501960817);
        kn_stats_plan_free(plan);
        free_column(&c);
    }
}
END_TEST

// The choice by default.
START_TEST(defaults)
{
    struct column c = random_column(KN_F32, 1, 1000);
    const kn_stats r = reference_of(&c, c.n, false);
    kn_stats_plan *plan;
    kn_stats found;

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 1000, NULL, &plan, &err));
    ck_assert_int_eq(kn_stats_plan_get_method(plan), KN_STATS_FUSED);
    ck_assert(kn_stats_plan_get_variant(plan) == KN_STATS_PARALLEL_VECTORIZED ||
              kn_stats_plan_get_variant(plan) == KN_STATS_PARALLEL);
    found = expect_array(plan, &c);
    expect_reference(&found, &r, "defaults");
    kn_stats_plan_free(plan);

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 10, NULL, &plan, &err));
    found = expect_source(plan, &c, 64);
    expect_reference(&found, &r, "a source, defaults");
    ck_assert_int_eq(kn_stats_plan_get_method(plan), KN_STATS_SELECT); // too long to be held
    c.n = 10;
    found = expect_source(plan, &c, 64);
    ck_assert_int_eq(kn_stats_plan_get_method(plan), KN_STATS_FUSED);
    kn_stats_plan_free(plan);

    EXPECT_OK(kn_stats_plan_create(queue, KN_F32, 1000, NULL, &plan, &err));
    ck_assert_int_eq(kn_stats_plan_get_variant(plan), KN_STATS_DEVICE);
    c.n = 1000;
    found = expect_buffer(plan, &c);
    expect_reference(&found, &r, "a buffer, defaults");
    kn_stats_plan_free(plan);
    free_column(&c);
}
END_TEST

// Shorter and longer columns, with and without bytes, one after the other.
START_TEST(a_plan_serves_many)
{
    static const size_t sizes[] = {7, 900, 3, 0, 1000, 64};

    for (size_t m = 0; m < KI_COUNT(methods); m++)
        for (size_t v = 0; v < KI_COUNT(variants); v++) {
            kn_stats_plan *plan = plan_for(methods[m], variants[v], false, KN_F64, 1000);

            for (size_t s = 0; s < KI_COUNT(sizes) && plan; s++) {
                struct column c = random_column(KN_F64, s % 2 ? 0 : 1, sizes[s]);
                const kn_stats r = reference_of(&c, c.n, false);
                kn_stats found = expect_array(plan, &c);
                expect_reference(&found, &r, "one of many");
                found = expect_source(plan, &c, 11);
                expect_reference(&found, &r, "a source among many");
                if (variants[v] == KN_STATS_DEVICE) {
                    found = expect_buffer(plan, &c);
                    expect_reference(&found, &r, "a buffer among many");
                }
                free_column(&c);
            }
            kn_stats_plan_free(plan);
        }
}
END_TEST

static void expect_memory(kn_stats_method method, kn_stats_variant variant, bool single, kn_type type,
                          kn_stats_form form)
{
    enum { N = 3000 };
    const kn_stats_options options = options_for(method, variant, single);
    kn_stats_plan *plan = plan_for(method, variant, single, type, N);
    struct column c = random_column(type, 1, N);
    kn_stats_memory estimated, held;

    if (plan) {
        held = kn_stats_plan_get_memory(plan);
        ck_assert(held.host == 0 && held.device == 0);
        EXPECT_OK(kn_stats_estimate_memory(queue_for(variant), type, N, form, &estimated, &options, &err));
        if (form == KN_STATS_ARRAY)
            (void)expect_array(plan, &c);
        else if (form == KN_STATS_BUFFER)
            (void)expect_buffer(plan, &c);
        else
            (void)expect_source(plan, &c, 100);
        held = kn_stats_plan_get_memory(plan);
        ck_assert_msg(held.host == estimated.host && held.device == estimated.device,
                      "method %d, variant %d, form %d, %s: %zu and %zu bytes, estimated %zu and %zu",
                      (int)method, (int)variant, (int)form, kn_type_name(type), held.host, held.device,
                      estimated.host, estimated.device);
    }
    kn_stats_plan_free(plan);
    free_column(&c);
}

// The size of an element in bytes.
static void expect_estimate(kn_stats_method method, kn_stats_variant variant, kn_type type,
                            kn_stats_form form, size_t host, size_t device)
{
    const kn_stats_options options = options_for(method, variant, false);
    kn_stats_memory found;

    EXPECT_OK(kn_stats_estimate_memory(queue_for(variant), type, 1000, form, &found, &options, &err));
    ck_assert_uint_eq(found.host, 1000 * host);
    ck_assert_uint_eq(found.device, 1000 * device);
}

START_TEST(memory)
{
    expect_estimate(KN_STATS_FUSED, KN_STATS_SERIAL, KN_F32, KN_STATS_ARRAY, 0, 0);
    expect_estimate(KN_STATS_SELECT, KN_STATS_SERIAL, KN_F32, KN_STATS_ARRAY, 8, 0);
    expect_estimate(KN_STATS_SORT, KN_STATS_SERIAL, KN_F32, KN_STATS_ARRAY, 12, 0);
    expect_estimate(KN_STATS_SORT, KN_STATS_SERIAL, KN_U8, KN_STATS_ARRAY, 16, 0);
    expect_estimate(KN_STATS_FUSED, KN_STATS_DEVICE, KN_F32, KN_STATS_ARRAY, 0, 4);
    expect_estimate(KN_STATS_FUSED, KN_STATS_DEVICE, KN_I8, KN_STATS_BUFFER, 0, 0);
    expect_estimate(KN_STATS_SORT, KN_STATS_DEVICE, KN_F32, KN_STATS_BUFFER, 0, 4);
    expect_estimate(KN_STATS_SORT, KN_STATS_DEVICE, KN_I8, KN_STATS_BUFFER, 0, 8);
    for (size_t m = 0; m < KI_COUNT(methods); m++)
        for (size_t v = 0; v < KI_COUNT(variants); v++)
            for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++)
                for (int single = 0; single < 2; single++)
                    for (int form = KN_STATS_ARRAY; form <= KN_STATS_SOURCE; form++)
                        if (form != KN_STATS_BUFFER ||
                            (variants[v] == KN_STATS_DEVICE && test_takes(types[t])))
                            expect_memory(methods[m], variants[v], single, types[t], (kn_stats_form)form);
}
END_TEST

// ---- progress ----

struct progress {
    size_t calls, stop; // at this call; 0: never
    unsigned pass;
    size_t done, n;
    bool prefixes;
};

static bool count_call(void *data, unsigned pass, size_t done, size_t total)
{
    struct progress *p = data;

    p->calls++;
    if (p->prefixes)
        ck_assert(pass == 1 && done == p->calls && total == p->n);
    else {
        ck_assert(pass == p->pass ? done > p->done : pass == p->pass + 1);
        ck_assert_uint_eq(total, pass == 1 ? 0 : p->n);
        ck_assert_uint_le(done, p->n);
    }
    p->pass = pass;
    p->done = done;
    return p->calls != p->stop;
}

START_TEST(progress_and_stop)
{
    enum { N = 1000, CHUNK = 100 };
    struct column c = random_column(KN_F64, 1, N);
    struct progress progress = {.n = N};
    const kn_stats r = reference_of(&c, N, false);
    const kn_stats_options options =
        KN_INIT(kn_stats_options, .progress = count_call, .progress_data = &progress);
    kn_stats_plan *plan;
    kn_stats found;
    size_t calls;

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F64, N / 10, &options, &plan, &err));
    found = expect_source(plan, &c, CHUNK);
    calls = progress.calls;
    ck_assert_uint_eq(calls, kn_stats_plan_get_passes(plan) * (N / CHUNK));
    for (size_t stop = 1; stop <= calls; stop++) {
        struct feed feed = {.column = &c, .chunk = CHUNK};
        progress = (struct progress){.n = N, .stop = stop};
        EXPECT_NOTHING(KN_ERROR_INTERRUPTED, "kn_stats_compute_source: stopped", &found,
                       compute_feed(plan, &feed, &found));
        ck_assert_uint_eq(progress.calls, stop);
    }
    progress = (struct progress){.n = N};
    found = expect_source(plan, &c, CHUNK);
    expect_reference(&found, &r, "after it was stopped");
    kn_stats_plan_free(plan);

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F64, N, &options, &plan, &err));
    const size_t ends[] = {10, 500, N};
    kn_stats results[3] = {poisoned(), poisoned(), poisoned()};
    progress = (struct progress){.n = 3, .prefixes = true, .stop = 2};
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "kn_stats_compute_prefixes: stopped",
                   kn_stats_compute_prefixes(plan, c.x, ends, 3, results, &err));
    for (size_t i = 0; i < 3; i++)
        expect_poison(&results[i]);
    progress = (struct progress){.n = 3, .prefixes = true};
    EXPECT_OK(kn_stats_compute_prefixes(plan, c.x, ends, 3, results, &err));
    ck_assert_uint_eq(progress.calls, 3);
    kn_stats_plan_free(plan);
    free_column(&c);
}
END_TEST

// ---- a column that the plan holds: koine/experimental/stats.h ----

static void expect_loaded(kn_stats_plan *plan, const struct column *c)
{
    const size_t ends[] = {0, c->n / 3, c->n / 3, c->n};
    kn_stats found[KI_COUNT(ends)], one, r;

    EXPECT_OK(kn_stats_plan_load(plan, c->x, c->n, &err));
    EXPECT_OK(kn_stats_plan_compute_prefixes(plan, ends, KI_COUNT(ends), found, &err));
    for (size_t i = 0; i < KI_COUNT(ends); i++) {
        one = poisoned();
        EXPECT_OK(kn_stats_plan_compute(plan, ends[i], &one, &err));
        r = reference_of(c, ends[i], false);
        expect_reference(&one, &r, "a beginning of what is loaded");
        expect_same(&found[i], &one, "a prefix of what is loaded");
    }
}

// Integers of 8 bits and other numbers, with every variant and method: the plan loads one column after the
// other.
START_TEST(loaded)
{
    for (size_t m = 0; m < KI_COUNT(methods); m++)
        for (size_t v = 0; v < KI_COUNT(variants); v++) {
            kn_stats_plan *plan = plan_for(methods[m], variants[v], false, KN_F64, 1001);
            struct column bytes = column_of(KN_F64, (const double[]){3, -5, 100, 3, 0}, 5),
                          other = random_column(KN_F64, 1, 1001);

            if (plan) {
                expect_loaded(plan, &bytes);
                ck_assert_int_eq(kn_stats_plan_get_in_bytes(plan), methods[m] == KN_STATS_FUSED);
                ck_assert_int_eq(kn_stats_plan_get_in_bytes(plan), is_in_bytes(plan));
                expect_loaded(plan, &other);
                ck_assert(!kn_stats_plan_get_in_bytes(plan));
                ck_assert(kn_stats_plan_get_times(plan).compute > 0);
                ck_assert_int_eq(kn_stats_plan_get_times(plan).upload > 0, variants[v] == KN_STATS_DEVICE);
            }
            kn_stats_plan_free(plan);
            free_column(&bytes);
            free_column(&other);
        }
}
END_TEST

// A column given in another form is not the loaded one.
START_TEST(loaded_no_longer)
{
    static const size_t descending[] = {2, 1}, beyond[] = {1, 5};
    struct column c = random_column(KN_F64, 1, 4);
    kn_stats_plan *plan = plan_for(KN_STATS_SELECT, KN_STATS_SERIAL, false, KN_F64, 4);
    kn_stats result;

    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "no column is loaded", &result,
                   kn_stats_plan_compute(plan, 0, &result, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "5 elements, but the plan is for 4",
                   kn_stats_plan_load(plan, c.x, 5, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "x is NULL", kn_stats_plan_load(plan, NULL, 1, &err));
    EXPECT_OK(kn_stats_plan_load(plan, c.x, 4, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "5 elements of a column that has 4", &result,
                   kn_stats_plan_compute(plan, 5, &result, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "ends descend", &result,
                   kn_stats_plan_compute_prefixes(plan, descending, 2, &result, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "5 elements of a column that has 4", &result,
                   kn_stats_plan_compute_prefixes(plan, beyond, 2, &result, &err));
    EXPECT_OK(kn_stats_plan_compute(plan, 4, &result, &err));
    (void)expect_array(plan, &c);
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "no column is loaded", &result,
                   kn_stats_plan_compute(plan, 4, &result, &err));
    EXPECT_OK(kn_stats_plan_load(plan, c.x, 4, &err));
    (void)expect_source(plan, &c, 3);
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "no column is loaded", &result,
                   kn_stats_plan_compute(plan, 4, &result, &err));
    kn_stats_plan_free(plan);
    free_column(&c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {mad_scale,         defaults, a_plan_serves_many, memory,
                                  progress_and_stop, loaded,   loaded_no_longer};

    return test_run("stats: plans", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
