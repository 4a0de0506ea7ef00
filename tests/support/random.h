// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers.
#ifndef KN_TESTS_SUPPORT_RANDOM_H
#define KN_TESTS_SUPPORT_RANDOM_H

#include <complex.h>
#include <stdint.h>

// SplitMix64. The seed is KOINE_TEST_SEED or the time, and is printed.
uint64_t test_seed(const char *test);

uint64_t test_random(uint64_t *state);

// In [0, 1).
double test_uniform(uint64_t *state);

// Both parts in [-1, 1), the real one first.
double complex test_complex(uint64_t *state);

#endif
