// SPDX-License-Identifier: Apache-2.0
// What gcc -fanalyzer cannot see, since it reads one file at a time: a function that reports a failure never returns
// KN_OK. The stage analysis of scripts/test includes this before all else; nothing is built with it.
#ifndef KN_TESTS_ANALYSIS_FAILURES_H
#define KN_TESTS_ANALYSIS_FAILURES_H

#include "base/error.h"

#ifndef FAILURES_ARE_HERE
#define FAILED(call)                                                                                         \
    __extension__({                                                                                          \
        kn_status failed_ = call;                                                                            \
        if (failed_ == KN_OK)                                                                                \
            __builtin_unreachable();                                                                         \
        failed_;                                                                                             \
    })
#define ki_fail(...)        FAILED((ki_fail)(__VA_ARGS__))
#define ki_fail_at(...)     FAILED((ki_fail_at)(__VA_ARGS__))
#define ki_fail_errno(...)  FAILED((ki_fail_errno)(__VA_ARGS__))
#define ki_fail_memory(...) FAILED((ki_fail_memory)(__VA_ARGS__))
#endif

#endif
