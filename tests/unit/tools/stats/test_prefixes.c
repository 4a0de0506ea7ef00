// SPDX-License-Identifier: Apache-2.0
// Where the prefixes of a column end, against sizes worked out by hand and in exact arithmetic.
#include "support/support.h"

#include "tools/stats/prefixes.h"
#include "support/run.h"

static void expect_ends(struct stats_cuts cuts, size_t n, const size_t *ends, size_t count)
{
    ck_assert_uint_eq(stats_prefix_count(cuts, n), count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(stats_prefix_end(cuts, n, i) == ends[i],
                      "parts %zu, step %zu: prefix %zu of %zu ends at %zu, expected %zu", cuts.parts,
                      cuts.step, i, n, stats_prefix_end(cuts, n, i), ends[i]);
}

#define EXPECT_ENDS(parts, step, n, ...)                                                                     \
    do {                                                                                                     \
        const size_t expected[] = {__VA_ARGS__};                                                             \
        expect_ends((struct stats_cuts){parts, step}, n, expected, sizeof expected / sizeof *expected);      \
    } while (0)

START_TEST(by_hand)
{
    EXPECT_ENDS(1, 0, 7, 7);
    EXPECT_ENDS(4, 0, 10, 2, 5, 7, 10);
    EXPECT_ENDS(5, 0, 3, 0, 1, 1, 2, 3);
    EXPECT_ENDS(3, 0, 0, 0, 0, 0);
    EXPECT_ENDS(0, 1000, 2500, 1000, 2000, 2500);
    EXPECT_ENDS(0, 1000, 3000, 1000, 2000, 3000);
    EXPECT_ENDS(0, 1000, 999, 999);
    EXPECT_ENDS(0, 1000, 1000, 1000);
    EXPECT_ENDS(0, 1, 3, 1, 2, 3);
    EXPECT_ENDS(0, 5, 0, 0);
    EXPECT_ENDS(0, (size_t)-1, (size_t)-2, (size_t)-2);
    ck_assert_uint_eq(stats_prefix_count((struct stats_cuts){0, 0}, 5), 0);
}
END_TEST

// floor(i * n / parts), also if i * n does not fit into 64 bits.
START_TEST(random_sizes)
{
    uint64_t state = test_seed("random_sizes");

    for (int round = 0; round < 100000; round++) {
        struct stats_cuts cuts = {(test_random(&state) % UINT32_MAX) >> (test_random(&state) % 32), 0};
        size_t n = (size_t)(test_random(&state) >> (test_random(&state) % 64)), index;
        __extension__ unsigned __int128 product;

        cuts.parts += cuts.parts == 0;
        index = test_random(&state) % cuts.parts;
        product = index + 1;
        product *= n;
        ck_assert_msg(stats_prefix_end(cuts, n, index) == (size_t)(product / cuts.parts),
                      "prefix %zu of %zu of %zu", index, cuts.parts, n);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {by_hand, random_sizes};

    return TEST_RUN("stats prefixes", CK_FORK_GETENV, tests);
}
