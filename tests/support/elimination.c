// SPDX-License-Identifier: Apache-2.0
#include "elimination.h"

static void swap(double complex *a, double complex *b)
{
    double complex kept = *a;

    *a = *b;
    *b = kept;
}

// The row with the greatest number at or below the diagonal moves to the diagonal.
static void take_pivot(size_t n, size_t i, double complex *a, double complex *x)
{
    size_t pivot = i;

    for (size_t row = i + 1; row < n; row++)
        pivot = cabs(a[row * n + i]) > cabs(a[pivot * n + i]) ? row : pivot;
    for (size_t j = 0; j < n; j++)
        swap(&a[i * n + j], &a[pivot * n + j]);
    swap(&x[i], &x[pivot]);
}

void test_eliminate(size_t n, double complex *a, double complex *x)
{
    for (size_t i = 0; i < n; i++) {
        take_pivot(n, i, a, x);
        for (size_t row = i + 1; row < n; row++) {
            double complex factor = a[row * n + i] / a[i * n + i];

            for (size_t j = i; j < n; j++)
                a[row * n + j] -= factor * a[i * n + j];
            x[row] -= factor * x[i];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++)
            x[i] -= a[i * n + j] * x[j];
        x[i] /= a[i * n + i];
    }
}
