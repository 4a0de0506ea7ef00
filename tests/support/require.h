// SPDX-License-Identifier: Apache-2.0
// Tests that must not be skipped.
#ifndef KN_TESTS_SUPPORT_REQUIRE_H
#define KN_TESTS_SUPPORT_REQUIRE_H

#include <stdbool.h>

// Whether `name` is in the comma-separated list of KOINE_REQUIRE: then a test must not be skipped because it
// is missing.
bool test_require(const char *name);

// Sets a locale whose decimal point is a comma, made in `folder` by localedef. False, after a line that says
// so, if it is not available; the test fails instead if KOINE_REQUIRE lists "locale". setlocale(LC_ALL, "C")
// ends it.
bool test_comma_locale(const char *folder);

#endif
