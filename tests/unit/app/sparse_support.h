// SPDX-License-Identifier: Apache-2.0
// What tests of sparse systems share: random matrices of every shape, and dense ones beside them.
#ifndef KN_TESTS_SPARSE_SUPPORT_H
#define KN_TESTS_SPARSE_SUPPORT_H

#include "../expect.h"

#include "../../../src/app/sparse/matrix.h"
#include "../../../src/app/sparse/reference.h"

static uint64_t sparse_seed;

static inline double *sparse_numbers(size_t count)
{
    double *numbers = malloc((count + 1) * sizeof *numbers);

    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = 2 * test_uniform(&sparse_seed) - 1;
    return numbers;
}

// `count` random entries of a rows x columns matrix, some twice, some 0; `dense` (rows * columns, by rows)
// becomes their sum. Rows and columns without any are likely where there are few.
static inline struct sparse_matrix sparse_random(size_t rows, size_t columns, size_t count, double *dense)
{
    uint32_t *row = malloc((count + 1) * sizeof *row), *column = malloc((count + 1) * sizeof *column);
    double *values = sparse_numbers(count);
    struct sparse_matrix matrix;
    struct sparse_entries entries = {rows, columns, count, row, column, values};

    ck_assert(row && column);
    for (size_t i = 0; dense && i < rows * columns; i++)
        dense[i] = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && test_random(&sparse_seed) % 8 == 0;

        row[i] = again ? row[i - 1] : (uint32_t)(test_random(&sparse_seed) % rows);
        column[i] = again ? column[i - 1] : (uint32_t)(test_random(&sparse_seed) % columns);
        if (test_random(&sparse_seed) % 16 == 0)
            values[i] = 0;
        if (dense)
            dense[row[i] * columns + column[i]] += values[i];
    }
    EXPECT_OK(sparse_from_entries(&entries, &matrix, &err));
    EXPECT_OK(sparse_check(&matrix, "random", &err));
    free(row);
    free(column);
    free(values);
    return matrix;
}

#endif
