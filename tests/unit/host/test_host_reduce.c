// SPDX-License-Identifier: Apache-2.0
// The host's sums, bit by bit, against a plain implementation of the tree that include/koine/reduce.h
// describes.
#include "host_support.h"

#include <math.h>

#include "host/stats/host_sums.h"
#include "support/run.h"

// The sum of those lanes of a leaf whose number is `lane` modulo `distance`, folded by halves. With a
// distance of 1, the sum of the leaf.
static kn_sums lane_sums(const double *x, size_t n, double shift, size_t lane, size_t distance)
{
    kn_sums sums = {0, 0}, other;

    if (distance == 64) {
        for (size_t i = lane; i < n; i += 64) {
            double d = x[i] - shift;
            sums.sum += d;
            sums.squares = fma(d, d, sums.squares);
        }
        return sums;
    }
    sums = lane_sums(x, n, shift, lane, 2 * distance);
    other = lane_sums(x, n, shift, lane + distance, 2 * distance);
    return (kn_sums){sums.sum + other.sum, sums.squares + other.squares};
}

static kn_sums tree(const double *x, size_t n, double shift, size_t leaves)
{
    kn_sums left, right;

    if (n == 0)
        return (kn_sums){0, 0};
    if (leaves == 1)
        return lane_sums(x, n, shift, 0, 1);
    size_t half = leaves / 2 * 4096 < n ? leaves / 2 * 4096 : n;
    left = tree(x, half, shift, leaves / 2);
    right = tree(x + half, n - half, shift, leaves / 2);
    return (kn_sums){left.sum + right.sum, left.squares + right.squares};
}

static void check_sums(const double *x, size_t n, kn_type type, double shift)
{
    kn_sums expected = tree(x, n, type == KN_F32 ? (double)(float)shift : shift, 1024);
    float *singles = malloc((n + 1) * sizeof *singles);
    const void *column = type == KN_F32 ? (const void *)singles : (const void *)x;

    ck_assert_ptr_nonnull(singles);
    for (size_t i = 0; i < n; i++)
        singles[i] = (float)x[i];
    HOST_FOR_OPTIONS(options)
    {
        kn_sums found = {-1, -1};
        double sum = -1;
        EXPECT_OK(kn_host_sums(column, type, n, shift, &found, &options, &err));
        ck_assert_msg(test_same(found.sum, expected.sum) && test_same(found.squares, expected.squares),
                      "%s, n %zu, level %d, %u threads: %.17g and %.17g, expected %.17g and %.17g",
                      kn_type_name(type), n, (int)options.level, options.threads, found.sum, found.squares,
                      expected.sum, expected.squares);
        if (shift == 0) {
            EXPECT_OK(kn_host_sum(column, type, n, &sum, &options, &err));
            ck_assert_msg(test_same(sum, expected.sum), "n %zu: %.17g alone, expected %.17g", n, sum,
                          expected.sum);
        }
    }
    free(singles);
}

// Numbers of both signs, rounded to float, whose magnitudes differ by factors of up to 2^exponents.
static double *make_column(size_t n, unsigned exponents, uint64_t *state)
{
    double *x = malloc((n + 1) * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)(float)ldexp(test_uniform(state) - 0.4, (int)(test_random(state) % (exponents + 1)));
    return x;
}

START_TEST(sizes)
{
    static const size_t counts[] = {0,     1,     2,     3,     31,    33,     63,     64,     65,
                                    127,   128,   1000,  4095,  4096,  4097,   8191,   8192,   8193,
                                    12288, 12293, 28672, 65537, 69632, 135167, 409603, 1000003};
    uint64_t state = test_seed("sizes");

    host_find_levels();
    for (size_t i = 0; i < KI_COUNT(counts); i++) {
        double *x = make_column(counts[i], 30, &state);
        check_sums(x, counts[i], KN_F32, 0);
        check_sums(x, counts[i], KN_F64, 0);
        check_sums(x, counts[i], KN_F32, 0.1);
        check_sums(x, counts[i], KN_F64, 0.1);
        free(x);
    }
}
END_TEST

START_TEST(by_chance)
{
    uint64_t state = test_seed("by_chance");

    host_find_levels();
    for (int i = 0; i < 30; i++) {
        size_t n = 1 + test_random(&state) % 200000;
        double *x = make_column(n, 100, &state);
        if (i % 5 == 0)
            x[test_random(&state) % n] = i % 2 ? INFINITY : NAN;
        check_sums(x, n, i % 2 ? KN_F32 : KN_F64, i % 3 ? 0 : -17.5);
        free(x);
    }
}
END_TEST

// Doubles that floats cannot represent exactly.
START_TEST(doubles)
{
    uint64_t state = test_seed("doubles");
    size_t n = 100003;
    double *x = make_column(n, 0, &state);

    host_find_levels();
    for (size_t i = 0; i < n; i++)
        x[i] = (test_uniform(&state) - 0.5) * 1e3;
    check_sums(x, n, KN_F64, 0);
    check_sums(x, n, KN_F64, 1.0 / 3);
    free(x);
}
END_TEST

START_TEST(zeros)
{
    const double minus[3] = {-0.0, -0.0, -0.0};
    double sum = -1;

    EXPECT_OK(kn_host_sum(minus, KN_F64, 3, &sum, NULL, &err));
    ck_assert(sum == 0 && !signbit(sum));
    EXPECT_OK(kn_host_sum(NULL, KN_F64, 0, &sum, NULL, &err));
    ck_assert(sum == 0 && !signbit(sum));
}
END_TEST

START_TEST(refusals)
{
    double x[2] = {1, 2}, sum;
    kn_sums sums;

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not on int", kn_host_sum(x, KN_I32, 2, &sum, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_sum(NULL, KN_F64, 2, &sum, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_host_sum(x, KN_F64, 2, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite in float",
                   kn_host_sums(x, KN_F32, 2, 1e300, &sums, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite", kn_host_sums(x, KN_F64, 2, NAN, &sums, NULL, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sizes, by_chance, doubles, zeros, refusals};

    return TEST_RUN("host_reduce", CK_NOFORK, tests);
}
