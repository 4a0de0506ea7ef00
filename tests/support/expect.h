// SPDX-License-Identifier: Apache-2.0
// Expectations about calls of the library; failures print the library's error.
#ifndef KN_TESTS_SUPPORT_EXPECT_H
#define KN_TESTS_SUPPORT_EXPECT_H

#include "compare.h"
#include "support.h"

#include <koine/error.h>

extern kn_error err;

#define EXPECT_OK(call)                                                                                      \
    do {                                                                                                     \
        err = (kn_error)KN_ERROR_INIT;                                                                       \
        ck_assert_msg((call) == KN_OK, "%s: %s", #call, err.text);                                           \
    } while (0)

// The call fails with this status and a message that contains `words`.
#define EXPECT_REFUSED(status, words, call)                                                                  \
    do {                                                                                                     \
        err = (kn_error)KN_ERROR_INIT;                                                                       \
        kn_status found_status = (call);                                                                     \
        ck_assert_msg(found_status == (status), "%s: %s, %s", #call, kn_status_name(found_status),           \
                      err.text);                                                                             \
        ck_assert_msg(strstr(err.text, words) != NULL, "'%s' does not say '%s'", err.text, words);           \
    } while (0)

#endif
