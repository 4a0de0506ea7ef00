// SPDX-License-Identifier: Apache-2.0
// Tests refusals of koine/stats.h, and sources that fail.
#include "stats_api_support.h"

static void expect_fault(const struct column *c, int fault, unsigned at, kn_status status, const char *words)
{
    struct feed feed = {.column = c, .chunk = 70, .bad_rewind = at};
    kn_stats_plan *plan = plan_for(KN_STATS_SELECT, KN_STATS_SERIAL, false, c->type, c->n / 10);
    kn_stats found;

    memcpy(&feed.fault, &fault, sizeof feed.fault);
    EXPECT_NOTHING(status, words, &found, compute_feed(plan, &feed, &found));
    feed.fault = 0;
    EXPECT_OK(compute_feed(plan, &feed, &found));
    kn_stats_plan_free(plan);
}

START_TEST(faulty_sources)
{
    enum { N = 1000 };
    struct column c = random_column(KN_F64, 1, N);
    const char *changed = "kn_stats_compute_source: pass";

    ((double *)c.x)[N - 1] = 5; // the greatest
    for (unsigned at = 1; at <= 4; at++) {
        expect_fault(&c, FEED_FAILS, at, KN_ERROR_INPUT, "the disk is gone");
        expect_fault(&c, FEED_REWIND_FAILS, at, KN_ERROR_INPUT, "the tape is torn");
        expect_fault(&c, FEED_MUTE, at, KN_ERROR_DEVICE,
                     "kn_stats_compute_source: the source's next returned KN_ERROR_DEVICE");
        expect_fault(&c, FEED_NULL, at, KN_ERROR_ARGUMENT, "3 elements at NULL");
    }
    for (unsigned at = 2; at <= 4; at++) {
        expect_fault(&c, FEED_SHORT, at, KN_ERROR_ARGUMENT, changed);
        expect_fault(&c, FEED_LONG, at, KN_ERROR_ARGUMENT, changed);
    }
    expect_fault(&c, FEED_OTHER, 3, KN_ERROR_ARGUMENT, changed);
    free_column(&c);
}
END_TEST

#define REFUSE_PLAN(status, words, queue_, type, n, ...)                                                     \
    do {                                                                                                     \
        const kn_stats_options options_ = KN_INIT(kn_stats_options, __VA_ARGS__);                            \
        kn_stats_plan *refused_ = NULL;                                                                      \
        kn_stats_memory bytes_ = {77, 77};                                                                   \
        EXPECT_REFUSED(status, words, kn_stats_plan_create(queue_, type, n, &options_, &refused_, &err));    \
        ck_assert_ptr_null(refused_);                                                                        \
        ck_assert_ptr_nonnull(strstr(err.text, "kn_stats_plan_create"));                                     \
        EXPECT_REFUSED(status, words,                                                                        \
                       kn_stats_estimate_memory(queue_, type, n, KN_STATS_ARRAY, &bytes_, &options_, &err)); \
        ck_assert_ptr_nonnull(strstr(err.text, "kn_stats_estimate_memory"));                                 \
        ck_assert(bytes_.host == 77 && bytes_.device == 77);                                                 \
    } while (0)

START_TEST(refused_plans)
{
    kn_stats_options options = {.method = KN_STATS_SORT}; // not made by KN_INIT
    kn_stats_plan *plan = NULL;
    kn_stats_memory bytes;

    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no method 4", NULL, KN_F64, 1, .method = (kn_stats_method)4);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no method -1", NULL, KN_F64, 1, .method = (kn_stats_method)-1);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no variant 6", NULL, KN_F64, 1, .variant = (kn_stats_variant)6);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no MAD scale 2", NULL, KN_F64, 1, .mad_scale = (kn_stats_mad_scale)2);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no policy 3", NULL, KN_F64, 1, .policy = (kn_policy)3);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no type 10", NULL, (kn_type)10, 1, .method = KN_STATS_SORT);
    REFUSE_PLAN(KN_ERROR_UNSUPPORTED, "not on short", NULL, KN_I16, 1, .method = KN_STATS_SORT);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "does not fit in memory", NULL, KN_F64, SIZE_MAX, .single = true);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "computes on the host", queue, KN_F64, 1, .variant = KN_STATS_SERIAL);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "needs a queue", NULL, KN_F64, 1, .variant = KN_STATS_DEVICE);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_plan_create: the kn_stats_options has a struct_size of 0",
                   kn_stats_plan_create(NULL, KN_F64, 1, &options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_plan_create: plan is NULL",
                   kn_stats_plan_create(NULL, KN_F64, 1, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_estimate_memory: memory is NULL",
                   kn_stats_estimate_memory(NULL, KN_F64, 1, KN_STATS_ARRAY, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_estimate_memory: there is no form 3",
                   kn_stats_estimate_memory(NULL, KN_F64, 1, (kn_stats_form)3, &bytes, NULL, &err));
    ck_assert_int_eq(kn_stats_plan_create(NULL, KN_I16, 1, NULL, &plan, NULL), KN_ERROR_UNSUPPORTED);
    kn_stats_plan_free(NULL);
    ck_assert_int_eq(kn_stats_plan_get_method(NULL), KN_STATS_AUTO);
    ck_assert_int_eq(kn_stats_plan_get_variant(NULL), KN_STATS_BEST);
    ck_assert_uint_eq(kn_stats_plan_get_passes(NULL), 0);
    ck_assert_uint_eq(kn_stats_plan_get_memory(NULL).host, 0);
}
END_TEST

// For a device without double precision, doubles are rounded on the host, and buffers of them are refused.
START_TEST(refused_doubles)
{
    const int fp64 = context->device.info.fp64;
    const kn_stats_options single = KN_INIT(kn_stats_options, .single = true);
    struct column c = random_column(KN_F64, 1, 100);
    const kn_stats r = reference_of(&c, 100, true);
    kn_buffer *buffer = test_upload_with_room(c.x, 800, 0);
    kn_stats_plan *plan = NULL;
    kn_stats found;

    context->device.info.fp64 = 0;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "kn_stats_plan_create",
                   kn_stats_plan_create(queue, KN_F64, 100, NULL, &plan, &err));
    ck_assert_ptr_null(plan);
    EXPECT_OK(kn_stats_plan_create(queue, KN_F64, 100, &single, &plan, &err));
    found = expect_array(plan, &c);
    expect_reference(&found, &r, "without double precision");
    EXPECT_NOTHING(KN_ERROR_UNSUPPORTED, "kn_stats_compute_buffer", &found,
                   kn_stats_compute_buffer(plan, buffer, 100, &found, &err));
    kn_stats_plan_free(plan);
    context->device.info.fp64 = fp64;
    kn_buffer_free(buffer);
    free_column(&c);
}
END_TEST

START_TEST(refused_columns)
{
    static const float x[] = {1, 2, 3, 4};
    const size_t ends[] = {1, 4, 2}, long_ends[] = {1, 5};
    kn_stats_plan *host, *device;
    kn_context *other;
    kn_buffer *small, *foreign;
    kn_stats found[3];

    EXPECT_OK(kn_context_open(NULL, NULL, &other, &err));
    EXPECT_OK(kn_buffer_create(other, sizeof x, &foreign, &err));
    EXPECT_OK(kn_buffer_create(context, 3 * sizeof *x, &small, &err));
    EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 4, NULL, &host, &err));
    EXPECT_OK(kn_stats_plan_create(queue, KN_F32, 4, NULL, &device, &err));

    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute: plan", found,
                   kn_stats_compute(NULL, x, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute: x is NULL", found,
                   kn_stats_compute(host, NULL, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute: 5 elements, but the plan is for 4", found,
                   kn_stats_compute(host, x, 5, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "result is NULL", kn_stats_compute(host, x, 4, NULL, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_prefixes: ends descend from 4 to 2", found,
                   kn_stats_compute_prefixes(host, x, ends, 3, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_prefixes: 5 elements", found,
                   kn_stats_compute_prefixes(host, x, long_ends, 2, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_prefixes: plan, ends", found,
                   kn_stats_compute_prefixes(host, x, NULL, 2, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: the plan computes on the host", found,
                   kn_stats_compute_buffer(host, small, 3, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: queue or buffer is NULL", found,
                   kn_stats_compute_buffer(device, NULL, 3, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: 4 elements of float, but the buffer holds 3",
                   found, kn_stats_compute_buffer(device, small, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: the buffer belongs to another context", found,
                   kn_stats_compute_buffer(device, foreign, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer_prefixes: 4 elements", found,
                   kn_stats_compute_buffer_prefixes(device, small, (const size_t[]){1, 4}, 2, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_source: source is NULL", found,
                   kn_stats_compute_source(host, NULL, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_source: plan", found,
                   kn_stats_compute_source(NULL, NULL, found, &err));
    EXPECT_NOTHING(
        KN_ERROR_ARGUMENT, "kn_stats_compute_source: the kn_stats_source has a struct_size", found,
        kn_stats_compute_source(host, &(const kn_stats_source){.next = next_of_feed}, found, &err));
    ck_assert_int_eq(kn_stats_compute(host, NULL, 4, found, NULL), KN_ERROR_ARGUMENT);

    kn_stats_plan_free(device);
    kn_stats_plan_free(host);
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_context_close(other);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {faulty_sources, refused_plans, refused_doubles, refused_columns};

    return test_run("stats: what is refused", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
