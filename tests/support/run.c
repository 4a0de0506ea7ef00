// SPDX-License-Identifier: Apache-2.0
#include "support/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <koine/context.h>
#include <koine/device.h>

#include "require.h"

bool test_in_part(size_t index)
{
    const char *part = getenv("KOINE_TEST_PART");
    unsigned k, n;

    if (!part)
        return true;
    if (sscanf(part, "%u/%u", &k, &n) != 2 || k < 1 || k > n) {
        fprintf(stderr, "KOINE_TEST_PART=%s is no part such as 1/4\n", part);
        exit(EXIT_FAILURE);
    }
    return index % n == k - 1;
}

// Makes a suite of the tests and runs it; a timeout of 0 is Check's own.
static int run(const char *name, enum fork_status fork_status, double timeout, SFun set_up, SFun tear_down,
               const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    if (timeout > 0)
        tcase_set_timeout(tcase, timeout);
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    for (size_t i = 0; i < count; i++)
        if (test_in_part(i))
            tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    srunner_set_fork_status(runner, fork_status);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int test_run_all(const char *name, enum fork_status fork_status, SFun set_up, SFun tear_down,
                 const TTest *const *tests, size_t count)
{
    return run(name, fork_status, 0, set_up, tear_down, tests, count);
}

bool test_is_emulated(void)
{
    return getenv("KOINE_TEST_EMULATED") != NULL;
}

int test_cases(int count)
{
    return test_is_emulated() ? count / 20 : count;
}

bool test_finds_device(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *found = NULL;
        kn_error why = KN_ERROR_INIT;
        kn_status opened = kn_context_open(NULL, NULL, &found, &why);

        kn_context_close(found);
        if (opened)
            fprintf(stderr, "skipped: %s\n", why.text);
        _exit(opened == KN_ERROR_NO_DEVICE && !test_require("device") ? 77 : 0);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 77;
}

int test_run(const char *name, const TTest *const *tests, size_t count, SFun set_up, SFun tear_down)
{
    return test_finds_device() ? run(name, CK_FORK_GETENV, 300, set_up, tear_down, tests, count) : 77;
}

int test_run_here(const char *name, SFun set_up, SFun tear_down, const TTest *const *tests, size_t count)
{
    kn_context *opened = NULL;
    kn_error why = KN_ERROR_INIT;

    if (kn_context_open(NULL, NULL, &opened, &why)) {
        fprintf(stderr, "%s: %s: %s\n", name, test_require("device") ? "failed" : "skipped", why.text);
        return test_require("device") ? EXIT_FAILURE : 77;
    }
    fprintf(stderr, "%s: on %s\n", name, kn_context_get_device(opened)->name);
    kn_context_close(opened);
    return run(name, CK_NOFORK, 0, set_up, tear_down, tests, count);
}
