// SPDX-License-Identifier: Apache-2.0
// The sums of rows and columns that KN_SOLVE_SIRT divides by. If A has no negative elements, no sum is
// negative, and no sum of some elements of a row exceeds the sum of the whole row.
#ifndef KN_OPERATOR_BOUNDED_SIRT_H
#define KN_OPERATOR_BOUNDED_SIRT_H

#include <stdint.h>

#include <koine/types.h>

struct sirt_sums {
    size_t rows, columns;
    const double *of_rows, *of_columns; // A and A^T applied to ones
    const double *of_some;              // A applied to ki_sirt_pattern
};

// 0 or 1 for column i.
static inline double ki_sirt_pattern(size_t i)
{
    return (double)((uint32_t)i * UINT32_C(2654435769) >> 31);
}

// KN_ERROR_ARGUMENT: a sum violates this by more than the rounding of sums in the type, which proves that A
// has negative elements.
kn_status ki_sirt_check(kn_type type, const struct sirt_sums *sums, kn_error *err);

#endif
