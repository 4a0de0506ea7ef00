// SPDX-License-Identifier: Apache-2.0
// The hash of fields against sha256sum of the same bytes, made with coreutils:
//     printf '\3\0\0\0\0\0\0\0abc' | sha256sum
#include "support/run.h"
#include "support/support.h"

#include "base/hash.h"

static void expect_hash(const struct ki_field *fields, size_t count, const char *expected)
{
    struct ki_hash hash = ki_hash_fields(fields, count);
    char hex[2 * KI_HASH_BYTES + 2];

    memset(hex, '#', sizeof hex);
    ki_hash_hex(&hash, hex);
    ck_assert_int_eq(hex[sizeof hex - 1], '#');
    ck_assert_str_eq(hex, expected);
}

START_TEST(vectors)
{
    static const char million[1000000];

    expect_hash(NULL, 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash((struct ki_field[]){{"", 0}}, 1,
                "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc");
    expect_hash((struct ki_field[]){{"abc", 3}}, 1,
                "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
    expect_hash((struct ki_field[]){{"ab", 2}, {"c", 1}}, 2,
                "43ee655579de01ca739b3f95c1c2d3f46d353b2c0df818064ea594506cdb2617");
    expect_hash((struct ki_field[]){{"a", 1}, {"bc", 2}}, 2,
                "9a8acca1b6c6c0befd3fbc756aed625da998c998f7252e738c4ef061906b9b21");
    expect_hash((struct ki_field[]){{million, sizeof million}, {"koine", 5}}, 2,
                "342a039eba7229a600d53ee5e3df3979760e4246430528bafb76d1fdd18e3496");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {vectors};

    return TEST_RUN("hash", CK_FORK_GETENV, tests);
}
