// SPDX-License-Identifier: Apache-2.0
// Tests forms that are tried before they are used: a form that does not compile or gives wrong results is not
// used, the verdict is kept in the context and on disk, and a failure that is unrelated to the form is not
// kept.
#include "engine_support.h"

#include "base/error.h"
#include "engine/device/trial.h"

static char *cache_dir;
static kn_context *context;
static char warning[1024], note[1024]; // the last ones
static unsigned runs;

static void take(void *user, kn_log_level level, const char *message)
{
    (void)user;
    if (level == KN_LOG_WARNING)
        snprintf(warning, sizeof warning, "%s", message);
    else if (strstr(message, "not used on"))
        snprintf(note, sizeof note, "%s", message);
}

static void open_again(void)
{
    const kn_context_options options = KN_INIT(kn_context_options, .cache_dir = cache_dir, .log = take);

    kn_context_close(context);
    context = open_with(&options);
    warning[0] = note[0] = '\0';
    runs = 0;
}

static void set_up(void)
{
    cache_dir = test_folder();
    context = NULL;
    open_again();
}

static void tear_down(void)
{
    kn_context_close(context);
    test_remove(cache_dir);
}

// A form is a kernel that must write 7 to `out`.
static kn_status run(kn_queue *queue, const void *form, bool *right, kn_error *why)
{
    const kn_range range = {1, {1}, {1}, {0}};
    kn_program *program = NULL;
    kn_kernel *kernel = NULL;
    kn_buffer *out = NULL;
    uint32_t found = 0;
    kn_status status = kn_program_from_text(kn_queue_get_context(queue), form, "form", NULL, &program, why);

    runs++;
    if (!status)
        status = kn_program_get_kernel(program, "form", &kernel, why);
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), sizeof found, &out, why);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(out)};
        status = kn_launch(queue, kernel, &range, args, 1, NULL, why);
    }
    if (!status)
        status = kn_buffer_read(queue, out, 0, &found, sizeof found, why);
    *right = found == 7;
    kn_buffer_free(out);
    kn_program_free(program);
    return status;
}

static kn_status run_lost(kn_queue *queue, const void *form, bool *right, kn_error *why)
{
    (void)queue, (void)form, (void)right;
    runs++;
    return ki_fail(why, KN_ERROR_DEVICE, "the device is gone");
}

static const char good[] = "__kernel void form(__global uint *out) { out[0] = 7; }\n";
static const char wrong[] = "__kernel void form(__global uint *out) { out[0] = 8; }\n";
static const char broken[] = "__kernel void form(__global uint *out) { out[0] = get_nothing(); }\n";

static void expect_verdict(const char *what, const char *form, bool expected)
{
    const struct engine_trial trial = {what, "algo/rungs.cl", form, run};
    bool serves = !expected;

    expect_ok(ki_engine_trial(context, &trial, &serves, &err));
    ck_assert_int_eq(serves, expected);
}

// It is tried once in this context; in the next one, with the same folder, not at all.
static void expect_kept(const char *what, const char *form, bool expected)
{
    for (unsigned round = 0; round < 2; round++) {
        expect_verdict(what, form, expected);
        expect_verdict(what, form, expected);
        ck_assert_uint_eq(runs, round == 0);
        ck_assert_int_eq(warning[0] != '\0', !expected && round == 0);
        ck_assert_int_eq(note[0] != '\0', !expected && round == 1);
        if (round == 0 && !expected)
            ck_assert_msg(strstr(warning, what) && strstr(warning, kn_context_get_device(context)->driver),
                          "%s", warning);
        open_again();
    }
}

START_TEST(right)
{
    expect_kept("form 1", good, true);
}
END_TEST

START_TEST(wrong_numbers)
{
    expect_kept("form 2", wrong, false);
}
END_TEST

START_TEST(does_not_compile)
{
    expect_kept("form 3", broken, false);
}
END_TEST

START_TEST(each_its_own)
{
    expect_verdict("form 4", good, true);
    expect_verdict("form 5", wrong, false);
    ck_assert_msg(strstr(warning, "wrong results"), "%s", warning);
    expect_verdict("form 6", broken, false);
    ck_assert_msg(strstr(warning, "does not compile"), "%s", warning);
    expect_verdict("form 4", wrong, true); // it is known
    ck_assert_uint_eq(runs, 3);
}
END_TEST

START_TEST(without_a_cache)
{
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = "", .log = take);

    kn_context_close(context);
    context = open_with(&options);
    expect_verdict("form 7", wrong, false);
    expect_verdict("form 7", wrong, false);
    ck_assert_uint_eq(runs, 1);
}
END_TEST

// The form is tried again when the device is back.
START_TEST(lost_device)
{
    const struct engine_trial lost = {"form 8", "algo/rungs.cl", good, run_lost};
    bool serves = true;

    expect_refused(ki_engine_trial(context, &lost, &serves, &err), KN_ERROR_DEVICE, "the device is gone");
    ck_assert_int_eq(serves, false);
    expect_verdict("form 8", good, true);
    ck_assert_uint_eq(runs, 2);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {right,        wrong_numbers,   does_not_compile,
                                  each_its_own, without_a_cache, lost_device};

    return RUN_ON_DEVICE_WITH("trial", set_up, tear_down, tests);
}
