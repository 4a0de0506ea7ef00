// SPDX-License-Identifier: Apache-2.0
// What unit tests share: where the real data are, what must not be skipped, scratch folders and reproducible
// chance.
#ifndef KN_TESTS_SUPPORT_SUPPORT_H
#define KN_TESTS_SUPPORT_SUPPORT_H

#include <check.h>
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Is `name` in the comma-separated list of KOINE_REQUIRE? Then a test must not be skipped for want of it.
static inline bool test_require(const char *name)
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

// The path of a real data file under KOINE_DATA (default: shared/data beside the source folder). False, after
// a line that says so, if it is not there; the test fails instead if KOINE_REQUIRE lists "data".
static inline bool test_data_path(const char *name, char *path, size_t size)
{
    const char *data = getenv("KOINE_DATA");
    const char *source = getenv("srcdir");

    if (data && *data)
        snprintf(path, size, "%s/%s", data, name);
    else
        snprintf(path, size, "%s/../shared/data/%s", source && *source ? source : ".", name);
    if (access(path, R_OK) == 0)
        return true;
    ck_assert_msg(!test_require("data"), "%s: needed (KOINE_REQUIRE lists data), but cannot be read", path);
    fprintf(stderr, "skipped: %s is not there (set KOINE_DATA)\n", path);
    return false;
}

// A new empty folder below TMPDIR; the caller frees the name, and removes the folder with test_remove.
static inline char *test_folder(void)
{
    const char *root = getenv("TMPDIR");
    char *path = malloc(4096);

    ck_assert_ptr_nonnull(path);
    snprintf(path, 4096, "%s/koine-test-XXXXXX", root && *root ? root : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(path));
    return path;
}

// Makes the folders above a file's path that are not there yet.
static inline void test_make_parents(const char *path)
{
    char folder[4400];

    ck_assert_uint_lt(strlen(path), sizeof folder);
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        ck_assert(mkdir(folder, 0700) == 0 || errno == EEXIST);
    }
}

// Removes a scratch folder and the plain files in it.
static inline void test_remove(char *folder)
{
    char command[4200];

    snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -r '%s'", folder, folder);
    ck_assert_int_eq(system(command), 0);
    free(folder);
}

// Sets a locale whose decimal point is a comma, made in `folder` by localedef. False, after a line that says
// so, where that cannot be had; the test fails instead if KOINE_REQUIRE lists "locale". setlocale(LC_ALL,
// "C") ends it.
static inline bool test_comma_locale(const char *folder)
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

// Reproducible chance: SplitMix64. The seed is KOINE_TEST_SEED or the time, and is printed.
static inline uint64_t test_seed(const char *test)
{
    const char *given = getenv("KOINE_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);

    fprintf(stderr, "%s: KOINE_TEST_SEED=%llu\n", test, (unsigned long long)seed);
    return seed;
}

static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// In [0, 1).
static inline double test_uniform(uint64_t *state)
{
    return (double)(test_random(state) >> 11) * 0x1p-53;
}

#endif
