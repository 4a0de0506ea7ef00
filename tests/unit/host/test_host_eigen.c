// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors of Hermitian matrices, checked against their definition: A x = value x,
// orthonormal eigenvectors, and eigenvalues in descending order whose sum is the trace.
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/eigen/host_eigen.h"
#include "support/expect.h"
#include "support/run.h"

// B B^H for a random n x rank matrix B.
static double complex *make_matrix(size_t n, size_t rank, uint64_t *state)
{
    double complex *b = test_allocate((n * rank + 1) * sizeof *b), *a = test_zeros(n * n + 1, sizeof *a);

    for (size_t i = 0; i < n * rank; i++) {
        double re = 2 * test_uniform(state) - 1;

        b[i] = re + I * (2 * test_uniform(state) - 1);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < rank; k++)
                a[i * n + j] += b[i * rank + k] * conj(b[j * rank + k]);
    free(b);
    return a;
}

static void expect_vectors(size_t n, const double complex *a, const double complex *vectors,
                           const double *values, size_t count, double error)
{
    for (size_t v = 0; v < count; v++) {
        const double complex *x = vectors + v * n;
        double off = 0;

        for (size_t i = 0; i < n; i++) {
            double complex sum = -values[v] * x[i];

            for (size_t j = 0; j < n; j++)
                sum += a[i * n + j] * x[j];
            off += creal(sum * conj(sum));
        }
        ck_assert_msg(sqrt(off) <= error * values[0], "%zu: vector %zu is off by %g", n, v, sqrt(off));
        for (size_t w = 0; w <= v; w++) {
            double complex product = w == v ? -1 : 0;

            for (size_t i = 0; i < n; i++)
                product += x[i] * conj(vectors[w * n + i]);
            ck_assert_msg(cabs(product) <= error, "%zu: vectors %zu and %zu: %g", n, v, w, cabs(product));
        }
    }
}

START_TEST(definition)
{
    static const size_t sizes[] = {1, 2, 3, 4, 7, 24, 90, 240};
    uint64_t state = test_seed("eigen");

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned half = 0; half < 2; half++) {
            size_t n = sizes[s], rank = half ? (n + 3) / 4 : n, count; // `half`: 0 is a multiple eigenvalue
            double complex *a = make_matrix(n, rank, &state), *kept = test_allocate(n * n * sizeof *kept);
            double *values = test_allocate(n * sizeof *values), trace = 0, sum = 0;

            memcpy(kept, a, n * n * sizeof *a);
            for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++)
                    a[i * n + j] = NAN; // the upper triangle is not read
            EXPECT_OK(ki_host_eigen(n, a, half ? 1e-12 : -1, values, &count, &err));
            ck_assert_uint_eq(count, rank);
            for (size_t i = 0; i < n; i++) {
                trace += creal(kept[i * n + i]);
                sum += values[i];
                ck_assert(i == 0 || values[i - 1] >= values[i]);
            }
            ck_assert_double_eq_tol(sum, trace, 1e-13 * (double)n * trace);
            expect_vectors(n, kept, a, values, count, 1e-14 * (double)(n + 10));
            free(values);
            free(kept);
            free(a);
        }
}
END_TEST

// The zero matrix (no eigenvalue is above -1 times the greatest, so that there are no eigenvectors), the
// identity, and the diagonal matrix of 1 to n.
START_TEST(degenerate)
{
    for (size_t n = 1; n < 6; n++)
        for (int kind = 0; kind < 3; kind++) {
            double complex a[25] = {0}, kept[25];
            double values[5];
            size_t count;

            for (size_t i = 0; i < n; i++)
                a[i * n + i] = kind == 2 ? (double)i + 1 : kind;
            memcpy(kept, a, sizeof a);
            EXPECT_OK(ki_host_eigen(n, a, -1, values, &count, &err));
            ck_assert_uint_eq(count, kind ? n : 0);
            ck_assert_double_eq(values[0], kind == 2 ? (double)n : kind);
            expect_vectors(n, kept, a, values, count, 1e-15);
        }
}
END_TEST

START_TEST(refused)
{
    double complex a[4] = {1, 0, NAN, 1};
    double values[2];
    size_t count;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not finite", ki_host_eigen(2, a, -1, values, &count, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {definition, degenerate, refused};

    return TEST_RUN("host eigen", CK_FORK_GETENV, tests);
}
