// SPDX-License-Identifier: Apache-2.0
// Tests what keeps the interface compatible: structs that begin with their size, as initialised by KN_INIT,
// by a later version, or not at all; and the version.
#include <koine/koine.h>

#include "base/sized.h"
#include "support/expect.h"
#include "support/support.h"
#include "support/run.h"

#include <string.h>

START_TEST(made_by_init)
{
    const kn_host_options none = KN_INIT(kn_host_options);
    const kn_host_options some = KN_INIT(kn_host_options, .threads = 3, .level = KN_HOST_SCALAR);
    kn_host_options read;

    ck_assert_uint_eq(none.struct_size, sizeof none);
    ck_assert_uint_eq(none.threads, 0);
    ck_assert_uint_eq(some.struct_size, sizeof some);
    EXPECT_OK(KI_SIZED_READ("f", kn_host_options, &some, &read, &err));
    ck_assert_uint_eq(read.threads, 3);
    ck_assert_int_eq(read.level, KN_HOST_SCALAR);
    memset(&read, 0xa5, sizeof read);
    EXPECT_OK(KI_SIZED_READ("f", kn_host_options, NULL, &read, &err));
    ck_assert_uint_eq(read.struct_size, sizeof read);
    ck_assert_uint_eq(read.threads, 0);
}
END_TEST

// A program whose header has one more member: accepted as long as that member is 0.
START_TEST(of_a_later_version)
{
    struct {
        kn_host_options known;
        int unknown;
    } later = {.known = KN_INIT(kn_host_options, .threads = 3)};
    kn_host_options read;

    later.known.struct_size = sizeof later;
    EXPECT_OK(ki_sized_read("f", "kn_host_options", &later, &read, sizeof read, &err));
    ck_assert_uint_eq(read.struct_size, sizeof read);
    ck_assert_uint_eq(read.threads, 3);
    later.unknown = 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "f: the kn_host_options sets a member that this version",
                   ki_sized_read("f", "kn_host_options", &later, &read, sizeof read, &err));
}
END_TEST

START_TEST(not_made)
{
    int key = 1;
    kn_host_options options = {.threads = 1};

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_host_sort: the kn_host_options has a struct_size of 0",
                   kn_host_sort(&key, KN_I32, 1, &options, &err));
    options.struct_size = sizeof options - 1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "make it with KN_INIT(kn_host_options)",
                   kn_host_sort(&key, KN_I32, 1, &options, &err));
}
END_TEST

// The headers' version is the library's.
START_TEST(version)
{
    char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", KN_VERSION_MAJOR, KN_VERSION_MINOR, KN_VERSION_PATCH);
    ck_assert_str_eq(kn_version(), text);
    ck_assert_int_eq(kn_version_number(), KN_VERSION_NUMBER);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {made_by_init, of_a_later_version, not_made, version};

    return test_run("sized", tests, sizeof tests / sizeof *tests, NULL, NULL);
}
