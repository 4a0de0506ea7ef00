// SPDX-License-Identifier: Apache-2.0
// Tests KN_AUTOCORR_AUTO: which cases the number of terms decides, which cases a measurement decides, that
// the measurement is made once, and that the chosen method runs.
#include "support/buffers.h"
#include "support/run.h"
#include "unit/app/autocorr/autocorr_support.h"

#include <math.h>

#include "app/autocorr/device/choose.h"

static struct autocorr_task task_of(size_t width, size_t height, kn_type type, size_t max_offset)
{
    return (struct autocorr_task){.first = {width, height, width, type, ""}, .max_offset = max_offset};
}

static kn_autocorr_method chosen(struct autocorr_engine *engine, const struct autocorr_task *task,
                                 size_t *launches)
{
    kn_autocorr_method method = KN_AUTOCORR_AUTO;
    kn_profile_entry *entries;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_autocorr_choose(engine, task, &method, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, launches, &err));
    kn_free(entries);
    return method;
}

// W H (2 R + 1) (R + 1) terms against 5 N log2 N, computed by hand.
START_TEST(terms)
{
    struct autocorr_task task = task_of(100, 60, KN_U8, 27);
    double circle = 127 * 87;

    ck_assert_double_eq_tol(ki_autocorr_terms_ratio(&task),
                            6000.0 * 55 * 28 / (5 * circle * log2(circle + 1)), 1e-9);
    task.second = task.first;
    ck_assert_double_eq_tol(ki_autocorr_terms_ratio(&task),
                            6000.0 * 55 * 28 / (7.5 * circle * log2(circle + 1)), 1e-9);
}
END_TEST

// Far from the crossover, nothing is launched.
START_TEST(decided)
{
    const struct autocorr_task few = task_of(640, 480, KN_U8, 2), many = task_of(750, 1500, KN_U8, 250),
                               several = task_of(768, 768, KN_U8, 64); // 73 terms to one: enough on a CPU
    struct autocorr_engine engine, host;
    kn_autocorr_method method = KN_AUTOCORR_AUTO;
    size_t launches;

    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &engine, &err));
    EXPECT_OK(ki_autocorr_engine_begin(NULL, KN_AUTOCORR_AUTO, false, &host, &err));
    ck_assert_int_eq(chosen(&engine, &few, &launches), KN_AUTOCORR_DIRECT);
    ck_assert_uint_eq(launches, 0);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&engine.why), "which decides on any "));
    ck_assert_int_eq(chosen(&engine, &many, &launches), KN_AUTOCORR_FFT);
    ck_assert_uint_eq(launches, 0);
    if (kn_context_get_device(context)->type == KN_DEVICE_CPU) {
        ck_assert_int_eq(chosen(&engine, &several, &launches), KN_AUTOCORR_FFT);
        ck_assert_uint_eq(launches, 0);
    }
    EXPECT_OK(ki_autocorr_choose(&host, &few, &method, &err));
    ck_assert_int_eq(method, KN_AUTOCORR_FFT);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&host.why), "on the host"));
    ki_autocorr_engine_end(&engine);
    ki_autocorr_engine_end(&host);
}
END_TEST

// Near the crossover the device is measured, once; the remembered result gives the same choice.
START_TEST(measured)
{
    const struct autocorr_task task = task_of(640, 480, KN_U8, 16), less = task_of(640, 480, KN_U8, 7),
                               more = task_of(640, 480, KN_U8, 59);
    struct autocorr_engine first, second;
    kn_autocorr_method method;
    size_t launches;

    if (test_is_slow())
        return;
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &first, &err));
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &second, &err));
    method = chosen(&first, &task, &launches);
    ck_assert_uint_gt(launches, 0);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&first.why), "measured were "));
    ck_assert_int_eq(chosen(&second, &task, &launches), method);
    ck_assert_uint_eq(launches, 0);
    ck_assert_str_eq(ki_text_string(&second.why), ki_text_string(&first.why));
    // One crossover serves all sizes: if this task is transformed, so is one with more terms; if it is summed
    // directly, so is one with fewer.
    ck_assert(chosen(&second, &less, &launches) == KN_AUTOCORR_DIRECT || method == KN_AUTOCORR_FFT);
    ck_assert_uint_eq(launches, 0);
    ck_assert(chosen(&second, &more, &launches) == KN_AUTOCORR_FFT || method == KN_AUTOCORR_DIRECT);
    ki_autocorr_engine_end(&first);
    ki_autocorr_engine_end(&second);
}
END_TEST

// Devices for which one of the methods is remembered as far better: that method runs, and the sums equal the
// reference's. The size is that measured on CPUs, whose kernels are already built.
START_TEST(followed)
{
    static const double planted[][AUTOCORR_WAYS] = {{1, 1e-9}, {1e-9, 1}};
    static const kn_autocorr_method methods[] = {KN_AUTOCORR_FFT, KN_AUTOCORR_DIRECT};
    uint64_t state = test_seed("followed");
    struct autocorr_task task = {.max_offset = 32};
    const struct engine_choice choice = ki_autocorr_choice_of(KN_U8, AUTOCORR_FFT_FUSED, false);
    size_t offsets = autocorr_offsets(32);
    uint64_t *found, *expected;

    if (test_is_slow())
        return;
    task.first = random_image(256, 256, KN_U8, &state);
    found = malloc(offsets * sizeof *found);
    expected = malloc(offsets * sizeof *expected);
    ck_assert(found && expected);
    ck_assert_double_gt(ki_autocorr_terms_ratio(&task), 1.1);
    EXPECT_OK(ki_autocorr_reference(&task, expected, &err));
    for (size_t i = 0; i < 2; i++) {
        struct autocorr_engine engine;

        ki_engine_remember_seconds(context, &choice, planted[i], AUTOCORR_WAYS);
        EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &engine, &err));
        EXPECT_OK(ki_autocorr_engine_sums(&engine, &task, 1, found, &err));
        ck_assert_int_eq(engine.ran, methods[i]);
        ck_assert_ptr_nonnull(strstr(ki_text_string(&engine.why), "measured were "));
        for (size_t o = 0; o < offsets; o++)
            ck_assert((double)(found[o] > expected[o] ? found[o] - expected[o] : expected[o] - found[o]) <=
                      engine.bound);
        ki_autocorr_engine_end(&engine);
        // A named method does not cause a measurement.
        EXPECT_OK(ki_autocorr_engine_begin(queue, methods[1 - i], false, &engine, &err));
        EXPECT_OK(ki_autocorr_engine_sums(&engine, &task, 1, found, &err));
        ck_assert_int_eq(engine.ran, methods[1 - i]);
        ck_assert_str_eq(ki_text_string(&engine.why), "");
        ki_autocorr_engine_end(&engine);
    }
    free_image(&task.first);
    free(found);
    free(expected);
}
END_TEST

// A line that does not fit into local memory: fft names the method that can do it, and auto uses that method
// and reports it.
START_TEST(too_long)
{
    uint64_t state = test_seed("too_long");
    size_t width = kn_context_get_device(context)->local_memory / (2 * sizeof(float)) + 1, offsets;
    struct autocorr_task task = {.max_offset = 100};
    const struct engine_choice choice = ki_autocorr_choice_of(KN_U8, AUTOCORR_FFT_FUSED, false);
    const double transforms[] = {1, 1e-9};
    struct autocorr_engine engine;
    uint64_t *found, *expected;

    if (test_is_slow() || width > 1 << 20)
        return;
    task.first = random_image(width, 1, KN_U8, &state);
    offsets = autocorr_offsets(task.max_offset);
    found = malloc(offsets * sizeof *found);
    expected = malloc(offsets * sizeof *expected);
    ck_assert(found && expected);
    EXPECT_OK(ki_autocorr_reference(&task, expected, &err));
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_FFT, false, &engine, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "the method direct takes lines of any length",
                   ki_autocorr_engine_sums(&engine, &task, 1, found, &err));
    ki_autocorr_engine_end(&engine);
    ki_engine_remember_seconds(context, &choice, transforms, AUTOCORR_WAYS);
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &engine, &err));
    EXPECT_OK(ki_autocorr_engine_sums(&engine, &task, 1, found, &err));
    ck_assert_int_eq(engine.ran, KN_AUTOCORR_DIRECT);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&engine.why), "; but by transforms: a line of "));
    ck_assert_mem_eq(found, expected, offsets * sizeof *found);
    ki_autocorr_engine_end(&engine);
    free_image(&task.first);
    free(found);
    free(expected);
}
END_TEST

START_TEST(no_cache)
{
    const struct autocorr_task task = task_of(640, 480, KN_U8, 16);
    const kn_context_options without = KN_INIT(kn_context_options, .cache_dir = "");
    struct autocorr_engine engine;
    size_t launches;

    test_close();
    test_open_with(&without);
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &engine, &err));
    chosen(&engine, &task, &launches);
    ck_assert_uint_eq(launches, 0);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&engine.why), "there is no cache to remember it in"));
    ki_autocorr_engine_end(&engine);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {terms, decided, measured, followed, too_long, no_cache};

    return test_run("autocorr choice", tests, sizeof tests / sizeof *tests, test_open_with_cache,
                    test_close_cache);
}
