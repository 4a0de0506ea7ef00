// SPDX-License-Identifier: Apache-2.0
// Comparing numbers: orders for qsort, the same bits, and distances.
#ifndef KN_TESTS_SUPPORT_COMPARE_H
#define KN_TESTS_SUPPORT_COMPARE_H

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/types.h>

// The same bits, or both NaN.
bool test_same(double a, double b);

// Orders for qsort: of doubles by their values, of 64-bit words as numbers.
int test_by_value(const void *a, const void *b);
int test_by_bits(const void *a, const void *b);

// The number with these bits, and the bits of a number.
float test_float_of(uint32_t bits);
uint32_t test_bits_of(float value);
double test_double_of(uint64_t bits);
uint64_t test_double_bits_of(double value);

// Rounded to the type.
double test_rounded(double value, kn_type type);

// ||x||.
double test_norm(const double complex *x, size_t count);

// ||x - wanted|| / ||wanted||, or ||x - wanted|| if `wanted` is all 0.
double test_relative_distance(const double *x, const double *wanted, size_t count);
double test_relative_distance_of_floats(const float *x, const double *wanted, size_t count);

#endif
