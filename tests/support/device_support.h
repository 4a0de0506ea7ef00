// SPDX-License-Identifier: Apache-2.0
// What unit tests that run kernels share: a device for each test, opened after Check has forked (no OpenCL
// implementation but Oclgrind survives a fork), memory on it, and expectations on calls.
#ifndef KN_TESTS_SUPPORT_DEVICE_SUPPORT_H
#define KN_TESTS_SUPPORT_DEVICE_SUPPORT_H

#include "expect.h"

#include <sys/wait.h>

#include "engine/engine.h"

static kn_context *context;
static kn_queue *queue;
static inline bool test_is_oclgrind(void)
{
    return strcmp(kn_context_device(context)->platform, "Oclgrind") == 0;
}

// An interpreter, for which sizes have to be small; or few cases are asked for (scripts/test).
static inline bool test_is_slow(void)
{
    return getenv("KOINE_TEST_SHORT") || test_is_oclgrind();
}

static inline void test_open_with(const kn_context_options *options)
{
    EXPECT_OK(kn_context_open_with(NULL, options, &context, &err));
    EXPECT_OK(kn_queue_open(context, &queue, &err));
}

static inline void test_close(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
    queue = NULL;
    context = NULL;
}

// The fixture of most tests: the default device (KOINE_DEVICE).
static inline void test_open(void)
{
    test_open_with(NULL);
}

// Does the device flush numbers too small for a full mantissa to 0?
static inline bool test_flushes_denormals(void)
{
    return strcmp(kn_context_device(context)->platform, "rusticl") == 0;
}

// False, after a line that says so, for KN_F64 on a device without double precision.
static inline bool test_takes(kn_type type)
{
    if (type != KN_F64 || kn_context_device(context)->fp64)
        return true;
    fprintf(stderr, "skipped: double, which %s has not\n", kn_context_device(context)->name);
    return false;
}

// Oclgrind 21.10 keeps what is initialised in a buffer under the buffer's number, as large as the last write
// from the host was, and forgets what kernels, fills and copies write elsewhere: it would take scratch memory
// for uninitialised. So, before each use: numbers to come are left by large buffers that were written whole.
static inline void test_prepare_numbers(void)
{
    enum { BYTES = 1 << 17, NUMBERS = 24 };
    static char nothing[BYTES];
    kn_buffer *large[NUMBERS];

    for (size_t i = 0; i < (test_is_oclgrind() ? NUMBERS : 0); i++) {
        EXPECT_OK(kn_buffer_create(context, BYTES, &large[i], &err));
        EXPECT_OK(kn_buffer_write(queue, large[i], 0, nothing, BYTES, &err));
    }
    for (size_t i = 0; i < (test_is_oclgrind() ? NUMBERS : 0); i++)
        kn_buffer_free(large[i]);
}

// A buffer with `bytes` of data and `room` bytes behind them, each 0xa5. Written at once, for Oclgrind's
// sake.
static inline kn_buffer *test_upload_with_room(const void *data, size_t bytes, size_t room)
{
    kn_buffer *buffer = NULL;
    char *all = malloc(bytes + room + 1);

    ck_assert_ptr_nonnull(all);
    test_prepare_numbers();
    memcpy(all, data, bytes);
    memset(all + bytes, 0xa5, room);
    EXPECT_OK(kn_buffer_create(context, bytes + room, &buffer, &err));
    EXPECT_OK(kn_buffer_write(queue, buffer, 0, all, bytes + room, &err));
    free(all);
    return buffer;
}

static inline void test_expect_poison(kn_buffer *buffer, size_t offset)
{
    unsigned char found[1024];
    size_t room = kn_buffer_size(buffer) - offset;

    ck_assert_uint_le(room, sizeof found);
    EXPECT_OK(kn_buffer_read(queue, buffer, offset, found, room, &err));
    for (size_t i = 0; i < room; i++)
        ck_assert_msg(found[i] == 0xa5, "byte %zu past the end was written", i);
}

// n numbers as a column of `type`.
static inline kn_buffer *test_upload_column(const double *x, size_t n, kn_type type)
{
    float *singles = malloc((n + 1) * sizeof *singles);
    kn_buffer *buffer;

    ck_assert_ptr_nonnull(singles);
    for (size_t i = 0; i < n; i++)
        singles[i] = (float)x[i];
    buffer = type == KN_F64 ? test_upload_with_room(x, n * sizeof *x, 0)
                            : test_upload_with_room(singles, n * sizeof *singles, 0);
    free(singles);
    return buffer;
}

static inline bool test_finds_device(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *found = NULL;
        kn_error why = KN_ERROR_INIT;
        kn_status opened = kn_context_open(NULL, &found, &why);

        kn_context_close(found);
        if (opened)
            fprintf(stderr, "skipped: %s\n", why.text);
        _exit(opened == KN_ERROR_NO_DEVICE && !test_require("device") ? 77 : 0);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 77;
}

// Runs the tests, each between `set_up` and `tear_down` (test_open and test_close, or NULL for tests that
// open devices of their own). The exit status: 77 is skipped, for want of a device.
static inline int test_run(const char *name, const TTest *const *tests, size_t count, SFun set_up,
                           SFun tear_down)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 300);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    if (!test_finds_device()) {
        srunner_free(runner);
        return 77;
    }
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

// Launches of a kernel in a profile.
static inline size_t test_count_kernel(const kn_profile_entry *entries, size_t count, const char *name)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += strcmp(entries[i].kernel, name) == 0;
    return found;
}

#endif
