// SPDX-License-Identifier: Apache-2.0
// The main of a test program: one suite, its tests in order.
#ifndef KN_TESTS_SUPPORT_RUN_H
#define KN_TESTS_SUPPORT_RUN_H

#include <check.h>
#include <stdlib.h>

// CK_FORK: each test in a process of its own, with a time limit. CK_NOFORK: all in this one, for tests that
// use OpenCL, whose drivers do not outlive a fork. `set_up` and `tear_down` (or NULL) go before and after
// each test, in its process.
static inline int test_run(const char *name, enum fork_status fork_status, SFun set_up, SFun tear_down,
                           const TTest *const *tests, size_t count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, set_up, tear_down);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    srunner_set_fork_status(runner, fork_status);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#define TEST_RUN_WITH(name, fork_status, set_up, tear_down, tests)                                           \
    test_run(name, fork_status, set_up, tear_down, tests, sizeof(tests) / sizeof *(tests))
#define TEST_RUN(name, fork_status, tests) TEST_RUN_WITH(name, fork_status, NULL, NULL, tests)

#endif
