// SPDX-License-Identifier: Apache-2.0
// Sparse matrices of many shapes for tests, and their products in double precision.
#ifndef KN_TESTS_UNIT_APP_SPARSE_SPARSE_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_SPARSE_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include "app/sparse/matrix.h"

enum test_skew {
    SKEW_NONE,   // about as many nonzeros in every row
    SKEW_EMPTY,  // every third row and every third column is empty
    SKEW_DENSE,  // one row has all columns
    SKEW_COLUMN, // one column has all rows
    SKEW_POWER,  // few rows with many
    SKEWS
};

static const char *const test_skew_names[] = {"even", "with empty rows", "with a dense row",
                                              "with a dense column", "skewed"};

static inline float test_signed(uint64_t *state)
{
    return (float)(2 * test_uniform(state) - 1);
}

// The number of nonzeros drawn for a row; some of them are at the same place.
static inline size_t test_row_length(size_t row, size_t rows, size_t mean, enum test_skew skew,
                                     uint64_t *state)
{
    if (skew == SKEW_EMPTY && row % 3 == 1)
        return 0;
    if (skew == SKEW_POWER)
        return (size_t)((double)mean / (1e-3 + 4 * test_uniform(state)));
    (void)rows;
    return (size_t)(2 * (double)mean * test_uniform(state));
}

// Values are floats. One in 20 is an explicit zero.
static inline struct sparse_matrix test_sparse(size_t rows, size_t columns, size_t mean, enum test_skew skew,
                                               uint64_t *state)
{
    struct sparse_matrix made;
    struct sparse_entries entries = {.rows = rows, .columns = columns};
    size_t most = columns + rows + 1, dense_row = rows / 2, dense_column = columns / 2, *lengths;
    uint32_t *row, *column;
    double *values;

    lengths = calloc(rows + 1, sizeof *lengths);
    ck_assert_ptr_nonnull(lengths);
    for (size_t i = 0; i < rows && columns; i++) {
        lengths[i] = test_row_length(i, rows, mean, skew, state);
        most += lengths[i];
    }
    row = malloc(most * sizeof *row);
    column = malloc(most * sizeof *column);
    values = malloc(most * sizeof *values);
    ck_assert(row && column && values);
    for (size_t i = 0; i < rows && columns; i++) {
        for (size_t k = 0; k < lengths[i]; k++) {
            size_t j = test_random(state) % columns;
            if (skew == SKEW_EMPTY && j % 3 == 1)
                continue;
            row[entries.count] = (uint32_t)i;
            column[entries.count++] = (uint32_t)j;
        }
        for (size_t j = 0; j < columns && mean; j++)
            if ((skew == SKEW_DENSE && i == dense_row) || (skew == SKEW_COLUMN && j == dense_column)) {
                row[entries.count] = (uint32_t)i;
                column[entries.count++] = (uint32_t)j;
            }
        ck_assert_uint_le(entries.count, most);
    }
    for (size_t k = 0; k < entries.count; k++)
        values[k] = test_random(state) % 20 ? (double)test_signed(state) : 0;
    entries.row = row;
    entries.column = column;
    entries.values = values;
    EXPECT_OK(ki_sparse_from_entries(&entries, &made, &err));
    for (size_t k = 0; k < made.nonzeros; k++)
        made.values[k] = (double)(float)made.values[k]; // sums of duplicates
    free(lengths);
    free(row);
    free(column);
    free(values);
    return made;
}

// y = M x, and the scale of its error: the sum of |a x| of each row.
static inline void test_multiply(const struct sparse_matrix *matrix, const float *x, double *y, double *size)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        y[row] = size[row] = 0;
        for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            double term = matrix->values[i] * (double)x[matrix->indices[i]];
            y[row] += term;
            size[row] += term < 0 ? -term : term;
        }
    }
}

#endif
