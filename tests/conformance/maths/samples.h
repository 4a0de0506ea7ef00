// SPDX-License-Identifier: Apache-2.0
// What test_maths asks the functions of 6.12.2 for: the arguments of edges.h, every combination of
// special values, then chance: all exponents and signs, and the places where functions have their
// difficulties.
#ifndef KN_TESTS_CONFORMANCE_MATHS_SAMPLES_H
#define KN_TESTS_CONFORMANCE_MATHS_SAMPLES_H

#include "reference.h"

#include <stddef.h>
#include <stdint.h>

// Multiples of 3, of 16 and of a work-group's 64: for scalars, and the first of them once more for each
// width.
enum { SCALAR_SAMPLES = 65664, VECTOR_SAMPLES = 8256 };

struct maths_edge {
    const char *function;
    double x, y;
    int k;
    double result;
    bool stored; // the result is what the function stores through its pointer
};

// The edges of float or double; the i-th is about the i-th sample.
const struct maths_edge *maths_edges(bool single, size_t *count);

// SCALAR_SAMPLES of them, always the same for a seed. In a float's sample all numbers are floats.
void maths_samples(struct maths_args *samples, bool single, uint64_t seed);

#endif
