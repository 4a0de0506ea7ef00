// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

void ki_sparse_reference_multiply(const struct sparse_matrix *matrix, const double *x, double *y)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        y[row] = 0;
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            y[row] += matrix->values[i] * x[matrix->indices[i]];
    }
}

void ki_sparse_reference_multiply_transposed(const struct sparse_matrix *matrix, const double *y, double *x)
{
    for (size_t column = 0; column < matrix->columns; column++)
        x[column] = 0;
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            x[matrix->indices[i]] += matrix->values[i] * y[row];
}
