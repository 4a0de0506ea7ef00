// SPDX-License-Identifier: Apache-2.0
// The main function of a test program: one suite, its tests in order. Returns the exit status: 77 means
// skipped, because there is no device.
#ifndef KN_TESTS_SUPPORT_RUN_H
#define KN_TESTS_SUPPORT_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "support/assertions.h"

// CK_FORK: each test in a separate process, with a time limit. CK_NOFORK: all in this one, for tests that use
// OpenCL, whose drivers do not survive a fork. `set_up` and `tear_down` (or NULL) run before and after each
// test, in its process.
int test_run_all(const char *name, enum fork_status fork_status, SFun set_up, SFun tear_down,
                 const TTest *const *tests, size_t count);

// Asked in a child, so that the drivers are not opened before Check forks.
bool test_finds_device(void);

// The tests of a device, each in a separate process between `set_up` and `tear_down` (test_open and
// test_close, or NULL for tests that open devices themselves).
int test_run(const char *name, const TTest *const *tests, size_t count, SFun set_up, SFun tear_down);

// Whether the test of that index belongs to the part that KOINE_TEST_PART=K/N selects: every N-th, from K - 1
// on. Without it, every test does. So several processes can share a program that takes long.
bool test_in_part(size_t index);

// The same in this process.
int test_run_here(const char *name, SFun set_up, SFun tear_down, const TTest *const *tests, size_t count);

// Whether an emulator runs the tests (scripts/test arm64 sets KOINE_TEST_EMULATED): large arrays take minutes
// there.
bool test_is_emulated(void);

// The number of random cases in a test: `count`, or a twentieth of that under an emulator.
int test_cases(int count);

#define TEST_RUN_WITH(name, fork_status, set_up, tear_down, tests)                                           \
    test_run_all(name, fork_status, set_up, tear_down, tests, sizeof(tests) / sizeof *(tests))
#define TEST_RUN(name, fork_status, tests) TEST_RUN_WITH(name, fork_status, NULL, NULL, tests)
#define RUN_ON_DEVICE_WITH(name, set_up, tear_down, tests)                                                   \
    test_run_here(name, set_up, tear_down, tests, sizeof(tests) / sizeof *(tests))
#define RUN_ON_DEVICE(name, tests) RUN_ON_DEVICE_WITH(name, NULL, NULL, tests)

#endif
