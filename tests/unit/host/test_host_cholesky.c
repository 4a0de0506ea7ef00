// SPDX-License-Identifier: Apache-2.0
// Dense Cholesky factors L L^T and solutions with them, at every level: errors within the bounds for
// rounding, the same bits with any number of threads and of right-hand sides, and matrices that are refused.
#include <float.h>
#include <math.h>
#include <string.h>

#include "host/cholesky/host_cholesky.h"
#include "support/expect.h"
#include "support/run.h"

static const size_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 127, 128, 129, 150, 300};

// M M^T + I for a random M, n x n by rows.
static double *make(size_t n, uint64_t *state)
{
    double *m = malloc((n * n + 1) * sizeof *m), *a = malloc((n * n + 1) * sizeof *a);

    ck_assert(m && a);
    for (size_t i = 0; i < n * n; i++)
        m[i] = 2 * test_uniform(state) - 1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            a[i * n + j] = i == j;
            for (size_t k = 0; k < n; k++)
                a[i * n + j] += m[i * n + k] * m[j * n + k];
        }
    free(m);
    return a;
}

// Copies the lower triangle of `a`. NULL if this processor does not have the level.
static struct host_cholesky *fill(const double *a, size_t n, const kn_host_options *options)
{
    struct host_cholesky *c = NULL;
    kn_status status = ki_host_cholesky_create(n, options, &c, &err);

    if (status == KN_ERROR_UNSUPPORTED)
        return NULL;
    ck_assert_msg(status == KN_OK, "%s", err.text);
    for (size_t i = 0; i < n; i++)
        memcpy(ki_host_cholesky_row(c, i), a + i * n, (i + 1) * sizeof *a);
    return c;
}

// Higham, theorem 10.3: an element of L L^T is off by at most (n + 1) roundings of sum |l_ik| |l_jk|, which
// is at most the square root of the product of both diagonal elements. The tolerance is about twice that,
// because the sum computed here is rounded, too.
static void check_factors(const double *a, size_t n, struct host_cholesky *c)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *left = ki_host_cholesky_row(c, i), *right = ki_host_cholesky_row(c, j);
            double sum = 0, size = sqrt(a[i * n + i] * a[j * n + j]);
            for (size_t k = 0; k <= j; k++)
                sum += left[k] * right[k];
            ck_assert_msg(fabs(sum - a[i * n + j]) <= (double)(n + 2) * DBL_EPSILON * size,
                          "%zu: element %zu, %zu is %g, not %g", n, i, j, sum, a[i * n + j]);
        }
}

// Higham, theorem 10.4: an element of A x is off by at most (3 n + 1) roundings of the sum of the same bound
// times |x_j|.
static void check_solution(const double *a, size_t n, const double *b, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        double sum = 0, size = 0;
        for (size_t j = 0; j < n; j++) {
            sum += a[i * n + j] * x[j];
            size += sqrt(a[i * n + i] * a[j * n + j]) * fabs(x[j]);
        }
        ck_assert_msg(fabs(sum - b[i]) <= (double)(3 * n + 2) * DBL_EPSILON / 2 * size,
                      "%zu: row %zu is %g, not %g", n, i, sum, b[i]);
    }
}

START_TEST(bounds)
{
    static const kn_host_level levels[] = {KN_HOST_SCALAR, KN_HOST_AVX2, KN_HOST_AVX512};
    uint64_t state = test_seed("bounds");
    size_t ran = 0;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
            size_t n = sizes[s], column = 77;
            double *a = make(n, &state), *b = malloc((n + 1) * sizeof *b), *x = malloc((n + 1) * sizeof *x);
            struct host_cholesky *c =
                fill(a, n, &KN_INIT(kn_host_options, .level = levels[l], .threads = 1 + (unsigned)s % 3));

            ck_assert(b && x);
            if (c) {
                ran++;
                ck_assert_msg(ki_host_cholesky_factor(c, &column), "%zu: refused at column %zu", n, column);
                check_factors(a, n, c);
                for (size_t i = 0; i < n; i++)
                    x[i] = b[i] = 2 * test_uniform(&state) - 1;
                x[n] = 1234;
                EXPECT_OK(ki_host_cholesky_solve(c, x, 1, &err));
                check_solution(a, n, b, x);
                ck_assert(x[n] == 1234);
            }
            ki_host_cholesky_free(c);
            free(a);
            free(b);
            free(x);
        }
    ck_assert_uint_ge(ran, sizeof sizes / sizeof *sizes);
}
END_TEST

// Whatever the number of threads and of right-hand sides, each solution has the bits of the one computed
// alone.
START_TEST(bits)
{
    enum { N = 150, MOST = 33 };
    static const size_t counts[] = {0, 1, 2, 15, 16, 17, MOST};
    uint64_t state = test_seed("bits");
    double *a = make(N, &state), b[MOST * N], alone[MOST * N], x[MOST * N + 1];
    size_t column;

    for (size_t i = 0; i < MOST * N; i++)
        b[i] = alone[i] = 2 * test_uniform(&state) - 1;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct host_cholesky *c = fill(a, N, &KN_INIT(kn_host_options, .threads = threads));

        ck_assert(ki_host_cholesky_factor(c, &column));
        for (size_t i = 0; i < MOST && threads == 1; i++)
            EXPECT_OK(ki_host_cholesky_solve(c, alone + i * N, 1, &err));
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            memcpy(x, b, sizeof b);
            x[counts[k] * N] = 1234;
            EXPECT_OK(ki_host_cholesky_solve(c, x, counts[k], &err));
            ck_assert_int_eq(memcmp(x, alone, counts[k] * N * sizeof *x), 0);
            ck_assert(x[counts[k] * N] == 1234);
        }
        ki_host_cholesky_free(c);
    }
    free(a);
}
END_TEST

// A matrix is refused at the first column that equals an earlier one, or whose diagonal element is negative
// or NaN.
START_TEST(refused)
{
    uint64_t state = test_seed("refused");

    for (size_t n = 5; n < 300; n += 47)
        for (int kind = 0; kind < 3; kind++) {
            double *a = make(n, &state);
            size_t bad = n / 2 + test_random(&state) % (n / 2), like = bad / 2, column = 0;
            struct host_cholesky *c;

            for (size_t i = 0; i < n && kind == 0; i++) {
                a[bad * n + i] = a[like * n + i];
                a[i * n + bad] = a[i * n + like];
            }
            if (kind == 0)
                a[bad * n + bad] = a[like * n + like];
            else
                a[bad * n + bad] = kind == 1 ? -1 : NAN;
            c = fill(a, n, NULL);
            ck_assert(!ki_host_cholesky_factor(c, &column));
            ck_assert_uint_eq(column, bad);
            ki_host_cholesky_free(c);
            free(a);
        }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {bounds, bits, refused};

    return TEST_RUN("host_cholesky", CK_FORK, tests);
}
