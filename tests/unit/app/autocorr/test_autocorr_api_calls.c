// SPDX-License-Identifier: Apache-2.0
// Tests koine/autocorr.h: plans in several threads and freed in any order, refusals, and defaults.
#include "autocorr_outcome_support.h"

#include <pthread.h>

// ---- threads ----

struct worker {
    const struct problem *p;
    const struct window *windows;
    kn_queue *queue;
    struct outcome outcome;
    kn_status status;
};

static void *work(void *own)
{
    enum { TIMES = 20 };
    struct worker *worker = own;
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = worker->p->width, .height = worker->p->height,
                .type = worker->p->type, .max_offset = worker->p->max_offset);
    kn_autocorr_plan *plan = NULL;

    worker->status = kn_autocorr_plan_create(worker->queue, &shape, NULL, &plan, NULL);
    for (unsigned i = 0; i < TIMES && !worker->status; i++)
        worker->status =
            kn_autocorr_execute(plan, &worker->p->frames, worker->p->count, &worker->outcome.results, NULL);
    kn_autocorr_plan_free(plan);
    return NULL;
}

START_TEST(threads)
{
    enum { WORKERS = 4 };
    uint64_t state = test_seed("threads");
    struct worker workers[WORKERS];
    struct problem problems[WORKERS];
    pthread_t ids[WORKERS];
    kn_queue *other = NULL;

    EXPECT_OK(kn_queue_open(kn_queue_get_context(queue), &other, &err));
    for (unsigned w = 0; w < WORKERS; w++) {
        problems[w] = random_problem(31, 33, 8, 3, KN_U8, w * 2 % 4, &state);
        workers[w] = (struct worker){.p = &problems[w], .queue = w == 0 ? queue : w == 1 ? other : NULL};
        workers[w].windows = windows_of(&problems[w]);
        workers[w].outcome = poisoned(&problems[w]);
    }
    for (unsigned w = 0; w < WORKERS; w++)
        ck_assert_int_eq(pthread_create(&ids[w], NULL, work, &workers[w]), 0);
    for (unsigned w = 0; w < WORKERS; w++)
        ck_assert_int_eq(pthread_join(ids[w], NULL), 0);
    for (unsigned w = 0; w < WORKERS; w++) {
        ck_assert_int_eq(workers[w].status, KN_OK);
        expect_sums(&problems[w], workers[w].outcome.sums, workers[w].windows, 0, "threads");
        expect_rest(&problems[w], &workers[w].outcome, workers[w].windows, KN_AUTOCORR_PEARSON,
                    !workers[w].queue);
        free_outcome(&workers[w].outcome);
        free((void *)(uintptr_t)workers[w].windows);
        free_problem(&problems[w]);
    }
    kn_queue_close(other);
}
END_TEST

// The context and the queue are closed first.
START_TEST(any_order)
{
    uint64_t state = test_seed("any_order");
    struct problem p = random_problem(17, 12, 5, 2, KN_U8, 0, &state);
    struct window *windows = windows_of(&p);
    struct outcome o = poisoned(&p);
    kn_context *own = NULL;
    kn_queue *own_queue = NULL;
    kn_autocorr_plan *plan;

    EXPECT_OK(kn_context_open(NULL, NULL, &own, &err));
    EXPECT_OK(kn_queue_open(own, &own_queue, &err));
    plan = make_plan(&p, own_queue, KN_AUTOCORR_FFT, KN_AUTOCORR_PEARSON);
    kn_context_close(own);
    EXPECT_OK(kn_autocorr_execute(plan, &p.frames, p.count, &o.results, &err));
    expect_sums(&p, o.sums, windows, 0, "any order");
    expect_rest(&p, &o, windows, KN_AUTOCORR_PEARSON, false);
    kn_queue_close(own_queue);
    kn_autocorr_plan_free(plan);
    free_outcome(&o);
    free(windows);
    free_problem(&p);
}
END_TEST

// ---- what is refused ----

// The shape that was requested last.
static const kn_autocorr_shape *shape_of(size_t width, size_t height, kn_type type, size_t max_offset)
{
    static kn_autocorr_shape shape;

    shape =
        KN_INIT(kn_autocorr_shape, .width = width, .height = height, .type = type, .max_offset = max_offset);
    return &shape;
}

START_TEST(refused_plans)
{
    kn_autocorr_plan *const untouched = (kn_autocorr_plan *)&err, *plan = untouched;
    const kn_autocorr_shape unsized = {.width = 8, .height = 6, .type = KN_U8};
    kn_autocorr_shape large = KN_INIT(kn_autocorr_shape, .width = 65536, .height = 65536, .type = KN_U8);
    kn_autocorr_options options = KN_INIT(kn_autocorr_options);
    const kn_context_options fast = KN_INIT(kn_context_options, .policy = KN_POLICY_FAST);
    kn_context *fast_context = NULL;
    kn_queue *fast_queue = NULL;

#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_autocorr_plan_create: " words, kn_autocorr_plan_create(__VA_ARGS__, &err));   \
    ck_assert_ptr_eq(plan, untouched)
    REFUSED(KN_ERROR_ARGUMENT, "shape is NULL", NULL, NULL, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", NULL, shape_of(8, 6, KN_U8, 0), NULL, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "the kn_autocorr_shape has a struct_size of 0", NULL, &unsized, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "an image of 0 x 6", NULL, shape_of(0, 6, KN_U8, 0), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "an image of 8 x 0", NULL, shape_of(8, 0, KN_U8, 0), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "an image of 65536 x 65536", NULL, &large, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "a largest offset of 8 leaves", NULL, shape_of(8, 6, KN_U8, 8), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "a largest offset of 18446744073709551615", NULL,
            shape_of(8, 6, KN_U8, SIZE_MAX), NULL, &plan);
    REFUSED(KN_ERROR_UNSUPPORTED, "pixels of the type int;", NULL, shape_of(8, 6, KN_I32, 0), NULL, &plan);
    REFUSED(KN_ERROR_UNSUPPORTED, "pixels of the type double;", NULL, shape_of(8, 6, KN_F64, 0), NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "there is no type 77", NULL, shape_of(8, 6, (kn_type)77, 0), NULL, &plan);
    large.width = (size_t)1 << 31;
    large.height = 1;
    large.max_offset = large.width - 1;
    REFUSED(KN_ERROR_LIMIT, "sums of offsets up to 2147483647", NULL, &large, NULL, &plan);
    options.method = (kn_autocorr_method)8;
    REFUSED(KN_ERROR_ARGUMENT, "there is no method 8", NULL, shape_of(8, 6, KN_U8, 0), &options, &plan);
    options.method = KN_AUTOCORR_DIRECT;
    REFUSED(KN_ERROR_UNSUPPORTED, "the method direct runs on a device", NULL, shape_of(8, 6, KN_U8, 0),
            &options, &plan);
    options.method = KN_AUTOCORR_SIMD;
    REFUSED(KN_ERROR_ARGUMENT, "the method simd runs on the host", queue, shape_of(8, 6, KN_U8, 0), &options,
            &plan);
    options.method = KN_AUTOCORR_AUTO;
    options.normalization = (kn_autocorr_normalization)7;
    REFUSED(KN_ERROR_ARGUMENT, "there is no normalization 7", NULL, shape_of(8, 6, KN_U8, 0), &options,
            &plan);
    EXPECT_OK(kn_context_open(NULL, &fast, &fast_context, &err));
    EXPECT_OK(kn_queue_open(fast_context, &fast_queue, &err));
    REFUSED(KN_ERROR_ARGUMENT, "the queue's context has KN_POLICY_FAST", fast_queue, shape_of(8, 6, KN_U8, 0),
            NULL, &plan);
#undef REFUSED
    ck_assert_int_eq(kn_autocorr_plan_create(NULL, NULL, NULL, &plan, NULL), KN_ERROR_ARGUMENT);
    kn_queue_close(fast_queue);
    kn_context_close(fast_context);
    kn_autocorr_plan_free(NULL);
}
END_TEST

START_TEST(refused_calls)
{
    uint64_t state = test_seed("refused_calls");
    struct problem p = random_problem(8, 6, 2, 2, KN_U8, 3, &state), real = p;
    kn_autocorr_plan *host = make_plan(&p, NULL, KN_AUTOCORR_AUTO, KN_AUTOCORR_PEARSON), *real_plan,
                     *device = make_plan(&p, queue, KN_AUTOCORR_DIRECT, KN_AUTOCORR_PEARSON);
    struct outcome o = poisoned(&p);
    const kn_autocorr_results none = KN_INIT(kn_autocorr_results);
    kn_autocorr_frames frames = p.frames;
    kn_context *stranger = NULL;
    kn_buffer *small = NULL, *foreign = NULL, *large = NULL,
              *sums = test_upload_with_room("", 0, sizeof(uint64_t) * 5 * 3); // for one frame

    real.type = KN_F32;
    EXPECT_OK(kn_buffer_create(context, 8 * 6 * 2, &large, &err));
    real_plan = make_plan(&real, queue, KN_AUTOCORR_DIRECT, KN_AUTOCORR_PEARSON);
    EXPECT_OK(kn_buffer_create(context, 8 * 6 * 2 - 1, &small, &err));
    EXPECT_OK(kn_context_open(NULL, NULL, &stranger, &err));
    EXPECT_OK(kn_buffer_create(stranger, 8 * 6 * 2, &foreign, &err));
#define REFUSED(words, ...)                                                                                  \
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_execute: " words, kn_autocorr_execute(__VA_ARGS__, &err))
    REFUSED("plan is NULL", NULL, &p.frames, 2, &o.results);
    REFUSED("frames is NULL", host, NULL, 2, &o.results);
    REFUSED("results is NULL", host, &p.frames, 2, NULL);
    REFUSED("no results are wanted", host, &p.frames, 2, &none);
    frames.struct_size = 0;
    REFUSED("the kn_autocorr_frames has a struct_size of 0", host, &frames, 2, &o.results);
    frames = p.frames;
    frames.first = NULL;
    REFUSED("there are no frames", host, &frames, 2, &o.results);
    frames = p.frames;
    frames.stride = 7;
    REFUSED("the rows of `first` are 7 elements apart", device, &frames, 2, &o.results);
    frames = p.frames;
    frames.second_stride = 1;
    REFUSED("the rows of `second` are 1 elements apart", host, &frames, 2, &o.results);
    frames = p.frames;
    frames.mask_stride = 3;
    REFUSED("the rows of `mask` are 3 elements apart", host, &frames, 2, &o.results);
#undef REFUSED
#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_autocorr_execute_buffers: " words,                                            \
                   kn_autocorr_execute_buffers(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "the plan is one of the host", host, foreign, NULL, 1, &o.results);
    REFUSED(KN_ERROR_UNSUPPORTED, "frames of KN_F32", real_plan, small, NULL, 1, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images is NULL", device, NULL, NULL, 1, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images holds 95 bytes", device, small, NULL, 2, &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images is another context's", device, foreign, NULL, 1,
            &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of second images is another context's", device, small, foreign, 1,
            &o.results);
    REFUSED(KN_ERROR_ARGUMENT, "results is NULL", device, small, NULL, 1, NULL);
#undef REFUSED
#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_autocorr_sums_to_buffer: " words,                                             \
                   kn_autocorr_sums_to_buffer(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", NULL, small, NULL, 1, sums);
    REFUSED(KN_ERROR_ARGUMENT, "sums is NULL", device, small, NULL, 1, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "the frames and the sums are one buffer", device, sums, NULL, 1, sums);
    REFUSED(KN_ERROR_ARGUMENT, "the plan is one of the host", host, small, NULL, 1, sums);
    REFUSED(KN_ERROR_UNSUPPORTED, "frames of KN_F32", real_plan, small, NULL, 1, sums);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images holds 95 bytes", device, small, NULL, 2, sums);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of images is another context's", device, foreign, NULL, 1, sums);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of sums is another context's", device, small, NULL, 1, foreign);
    REFUSED(KN_ERROR_ARGUMENT, "the buffer of sums holds 120 bytes", device, large, NULL, 2, sums);
    test_expect_poison(sums, 0);
#undef REFUSED
    expect_untouched(&o);
    kn_buffer_free(sums);
    kn_buffer_free(large);
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_context_close(stranger);
    kn_autocorr_plan_free(host);
    kn_autocorr_plan_free(device);
    kn_autocorr_plan_free(real_plan);
    free_problem(&p);
}
END_TEST

// The default R, and names.
START_TEST(defaults)
{
    static const size_t cases[][3] = {{1, 1, 0},   {1, 2, 1},       {3, 3, 1},
                                      {8, 100, 2}, {640, 480, 120}, {4000, 3000, 250}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const kn_autocorr_shape shape =
            KN_INIT(kn_autocorr_shape, .width = cases[i][0], .height = cases[i][1], .type = KN_U16);
        kn_autocorr_plan *plan = NULL;

        EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, NULL, &plan, &err));
        ck_assert_uint_eq(kn_autocorr_plan_get_max_offset(plan), cases[i][2]);
        ck_assert_str_eq(kn_autocorr_plan_get_why(plan), "");
        kn_autocorr_plan_free(plan);
    }
    ck_assert_str_eq(kn_autocorr_method_name(KN_AUTOCORR_TWO_KERNEL), "two-kernel");
    ck_assert_str_eq(kn_autocorr_method_name(KN_AUTOCORR_AUTO), "auto");
    ck_assert_str_eq(kn_autocorr_normalization_name(KN_AUTOCORR_SYMAVG), "symavg");
    ck_assert_uint_eq(kn_autocorr_plan_get_rows(NULL), 0);
    ck_assert_str_eq(kn_autocorr_plan_get_why(NULL), "");
    ck_assert_int_eq(kn_autocorr_plan_get_method(NULL), KN_AUTOCORR_AUTO);
    ck_assert_ptr_null(kn_autocorr_method_name((kn_autocorr_method)8));
    ck_assert_ptr_null(kn_autocorr_normalization_name((kn_autocorr_normalization)7));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads, any_order, refused_plans, refused_calls, defaults};

    return test_run("autocorr api: calls", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
