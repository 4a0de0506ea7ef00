// SPDX-License-Identifier: Apache-2.0
#include "support/require.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/assertions.h"
bool test_require(const char *name)
{
    const char *list = getenv("KOINE_REQUIRE");
    size_t length = strlen(name);

    while (list && *list) {
        size_t part = strcspn(list, ",");

        if (part == length && strncmp(list, name, length) == 0)
            return true;
        list += part + (list[part] == ',');
    }
    return false;
}

bool test_comma_locale(const char *folder)
{
    char command[8400];

    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/comma' >/dev/null 2>&1", folder);
    if (system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 && setlocale(LC_ALL, "comma")) {
        ck_assert_str_eq(localeconv()->decimal_point, ",");
        return true;
    }
    ck_assert_msg(!test_require("locale"), "no locale with a decimal comma (KOINE_REQUIRE lists locale)");
    fprintf(stderr, "skipped: no locale with a decimal comma can be made here (localedef, de_DE)\n");
    return false;
}
