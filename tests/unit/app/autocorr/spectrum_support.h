// SPDX-License-Identifier: Apache-2.0
// Dense matrices with known singular values: random rotations of a diagonal matrix.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_SPECTRUM_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_SPECTRUM_SUPPORT_H

#include "support/support.h"

#include <stdlib.h>

// Reflects lines of `count` numbers, `stride` apart, at one random plane.
static inline void spectrum_reflect(double *matrix, size_t lines, size_t line_stride, size_t count,
                                    size_t stride, uint64_t *state)
{
    double *v = malloc((count + 1) * sizeof *v), square = 0;

    ck_assert_ptr_nonnull(v);
    for (size_t i = 0; i < count; i++) {
        v[i] = 2 * test_uniform(state) - 1;
        square += v[i] * v[i];
    }
    for (size_t line = 0; line < lines; line++) {
        double *a = matrix + line * line_stride, sum = 0;

        for (size_t i = 0; i < count; i++)
            sum += v[i] * a[i * stride];
        for (size_t i = 0; i < count; i++)
            a[i * stride] -= 2 * sum / square * v[i];
    }
    free(v);
}

// Three reflections of rows and of columns; the matrix is stored by rows.
static inline void spectrum_rotate(double *matrix, size_t rows, size_t columns, uint64_t *state)
{
    for (int times = 0; times < 3; times++) {
        spectrum_reflect(matrix, columns, 1, rows, columns, state);
        spectrum_reflect(matrix, rows, columns, columns, 1, state);
    }
}

#endif
