// SPDX-License-Identifier: Apache-2.0
// Systems for tests of the device's solvers: a matrix, a right-hand side and a start, in floats and in
// double.
#ifndef KN_TESTS_UNIT_APP_SPARSE_SYSTEM_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_SYSTEM_SUPPORT_H

#include "sparse_support.h"

struct system {
    struct sparse_matrix matrix;
    float *b, *x; // x: the start
    double *right, *start;
};

// Every column has a large nonzero, so that the problem is well posed.
static inline struct system system_make(size_t rows, size_t columns, size_t mean, uint64_t *state)
{
    struct system s = {.b = malloc(rows * sizeof(float) + 1), .x = malloc(columns * sizeof(float) + 1)};
    size_t most = rows * (2 * mean + 1) + columns, count = 0;
    uint32_t *row = malloc(most * sizeof *row + 1), *column = malloc(most * sizeof *column + 1);
    double *values = malloc(most * sizeof *values + 1);

    s.right = malloc(rows * sizeof *s.right + 1);
    s.start = malloc(columns * sizeof *s.start + 1);
    ck_assert(s.b && s.x && s.right && s.start && row && column && values);
    for (size_t i = 0; i < rows; i++) {
        s.right[i] = (double)(s.b[i] = test_signed(state));
        for (size_t k = test_random(state) % (2 * mean + 1); k > 0; k--, count++) {
            row[count] = (uint32_t)i;
            column[count] = (uint32_t)(test_random(state) % columns);
            values[count] = 0.5 * (double)test_signed(state);
        }
    }
    for (size_t j = 0; j < columns; j++, count++) {
        s.start[j] = (double)(s.x[j] = test_signed(state));
        row[count] = (uint32_t)(j * rows / columns);
        column[count] = (uint32_t)j;
        values[count] = 2 + (double)mean * test_uniform(state) / 2;
    }
    const struct sparse_entries entries = {rows, columns, count, row, column, values};
    EXPECT_OK(ki_sparse_from_entries(&entries, &s.matrix, &err));
    for (size_t i = 0; i < s.matrix.nonzeros; i++)
        s.matrix.values[i] = (double)(float)s.matrix.values[i];
    free(row);
    free(column);
    free(values);
    return s;
}

static inline void system_drop(struct system *s)
{
    ki_sparse_free(&s->matrix);
    free(s->b);
    free(s->x);
    free(s->right);
    free(s->start);
}

#endif
