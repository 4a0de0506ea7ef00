// SPDX-License-Identifier: Apache-2.0
// Check's assertions, made cheap enough for loops over arrays. Check writes to a pipe at each assertion that
// holds, so that it can tell after which one a test crashed; ten million of them cost 30 seconds. Here at
// most one a millisecond is written, so the place reported after a crash is at most that old.
#ifndef KN_TESTS_SUPPORT_ASSERTIONS_H
#define KN_TESTS_SUPPORT_ASSERTIONS_H

#include <check.h>
#include <time.h>

static inline void test_mark_point(const char *file, int line)
{
    static _Thread_local const char *last_file;
    static _Thread_local int last_line;
    static _Thread_local struct timespec last;
    struct timespec now;

    if (line == last_line && file == last_file)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((now.tv_sec - last.tv_sec) * 1000000000L + (now.tv_nsec - last.tv_nsec) < 1000000)
        return;
    last_file = file;
    last_line = line;
    last = now;
    _mark_point(file, line);
}

#define _mark_point(file, line) test_mark_point(file, line)

#endif
