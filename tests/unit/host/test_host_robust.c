// SPDX-License-Identifier: Apache-2.0
// kn_host_robust: medians and MADs are those of a sorted copy, sums those of kn_host_sums, bit by bit, at
// every level and with any number of threads.
#include "host_robust_support.h"

#include <koine/experimental.h>

START_TEST(columns)
{
    static const size_t sizes[] = {1,    2,    3,    4,    5,    31,   32,   33,    64,    1023,   1024,
                                   1025, 2047, 2048, 2049, 4095, 4096, 4097, 32769, 65536, 100003, 140001};
    uint64_t state = test_seed("columns");

    host_find_levels();
    for (size_t p = 0; p < KI_COUNT(patterns); p++)
        for (size_t t = 0; t < KI_COUNT(types); t++)
            for (size_t i = 0; i < KI_COUNT(sizes); i++) {
                // All patterns for sizes up to 5 and for one that is sampled; for the other sizes one pattern
                // in 8.
                if (sizes[i] > 5 && sizes[i] != 32769 && test_random(&state) % 8)
                    continue;
                struct column c = make_column(&patterns[p], types[t], sizes[i], &state);
                size_t missed = check_column(patterns[p].name, &c, NULL);
                ck_assert_msg(missed == 0, "%s, %s, n %zu: missed", patterns[p].name, kn_type_name(types[t]),
                              sizes[i]);
                free_column(&c);
            }
}
END_TEST

// KN_ROBUST_SELECT, and brackets of several widths: the narrowest ones miss some ranks, the widest ones none.
START_TEST(methods)
{
    uint64_t state = test_seed("methods");
    size_t missed = 0;

    host_find_levels();
    for (size_t p = 0; p < KI_COUNT(patterns); p++)
        for (size_t t = 0; t < 2; t++) {
            struct column c = make_column(&patterns[p], types[t], 9000 + test_random(&state) % 9, &state);
            check_column(patterns[p].name, &c, &KN_INIT(kn_robust_options, .method = KN_ROBUST_SELECT));
            missed += check_column(patterns[p].name, &c,
                                   &KN_INIT(kn_robust_options, .tuning = &(kn_robust_tuning){.width = 1e-9}));
            check_column(patterns[p].name, &c,
                         &KN_INIT(kn_robust_options, .tuning = &(kn_robust_tuning){.width = 0.5}));
            ck_assert_uint_eq(check_column(patterns[p].name, &c,
                                           &KN_INIT(kn_robust_options, .method = KN_ROBUST_FUSED,
                                                    .tuning = &(kn_robust_tuning){.width = 30})),
                              0);
            free_column(&c);
        }
    ck_assert_msg(missed > 0, "no narrow bracket missed");
}
END_TEST

// With a width of almost 0, brackets miss their ranks in at least half of the columns, and the results are
// exact nonetheless.
START_TEST(narrow_misses)
{
    uint64_t state = test_seed("narrow_misses");
    size_t found = 0;

    host_find_levels();
    for (int i = 0; i < 8; i++) {
        struct column c = make_column(&patterns[0], types[i % 2], 100003, &state);
        found += check_column("narrow", &c,
                              &KN_INIT(kn_robust_options, .tuning = &(kn_robust_tuning){.width = 1e-9})) > 0;
        free_column(&c);
    }
    // Such a bracket spans 3 of 6,250 samples, and the standard deviation of a rank is 40 samples.
    ck_assert_uint_ge(found, 4);
}
END_TEST

// Brackets that hold their ranks only sometimes: elements inside a bracket must not be taken for the median
// or MAD if it missed.
START_TEST(doubtful_brackets)
{
    static const double widths[] = {1e-9, 0.03, 0.1, 0.3, 1};
    uint64_t state = test_seed("doubtful_brackets");
    size_t missed = 0, held = 0;

    for (size_t i = 0; i < 2000; i++) {
        const struct pattern *pattern = &patterns[i % 7];
        struct column c = make_column(pattern, types[i % 2], 2100 + test_random(&state) % 900, &state);
        kn_robust expected, found;
        EXPECT_OK(kn_host_robust(
            c.x, c.type, c.n, &found,
            &KN_INIT(kn_robust_options, .tuning = &(kn_robust_tuning){.width = widths[i % KI_COUNT(widths)]}),
            &KN_INIT(kn_host_options, .threads = 1), &err));
        expected = reference(&c, found.shift);
        expect_robust(pattern->name, &c, &found, &expected);
        missed += found.missed == 1;
        held += found.missed == 0;
        free_column(&c);
    }
    ck_assert_msg(missed > 100 && held > 100, "%zu missed, %zu held", missed, held);
}
END_TEST

START_TEST(shifts)
{
    static const double tried[] = {0, -3, 0.1, 100};
    uint64_t state = test_seed("shifts");

    host_find_levels();
    for (size_t t = 0; t < KI_COUNT(types); t++)
        for (size_t i = 0; i < KI_COUNT(tried); i++) {
            const double shift = tried[i], whole = types[t] == KN_U8 ? fabs(rint(shift)) : rint(shift);
            const double *given = types[t] >= KN_F32 ? &shift : &whole;
            struct column c = make_column(&patterns[5], types[t], 5000 + i, &state);
            kn_robust found;
            EXPECT_OK(kn_host_robust(c.x, c.type, c.n, &found, &KN_INIT(kn_robust_options, .shift = given),
                                     NULL, &err));
            ck_assert(found.shift == (types[t] == KN_F32 ? (double)(float)*given : *given));
            check_column("shifted", &c, &KN_INIT(kn_robust_options, .shift = given));
            free_column(&c);
        }
    for (size_t t = 0; t < 2; t++) { // without a given shift, that of kn_host_moments
        struct column c = make_column(&patterns[2], types[t], 33333, &state);
        kn_moments moments;
        kn_robust found;
        EXPECT_OK(kn_host_moments(c.x, c.type, c.n, NULL, &moments, NULL, &err));
        EXPECT_OK(kn_host_robust(c.x, c.type, c.n, &found, NULL, NULL, &err));
        ck_assert(test_same(found.shift, moments.shift + 0.0) && test_same(found.mean, moments.mean) &&
                  test_same(found.variance, moments.variance));
        free_column(&c);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {columns, methods, narrow_misses, doubtful_brackets, shifts};

    return TEST_RUN("host_robust", CK_NOFORK, tests);
}
