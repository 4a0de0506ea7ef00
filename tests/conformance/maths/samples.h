// SPDX-License-Identifier: Apache-2.0
// The arguments with which test_maths calls the functions of 6.12.2: those of edges.h, every combination of
// special values, and random ones: all exponents and signs, and the regions that are difficult for functions.
#ifndef KN_TESTS_CONFORMANCE_MATHS_SAMPLES_H
#define KN_TESTS_CONFORMANCE_MATHS_SAMPLES_H

#include "reference.h"

#include <stddef.h>
#include <stdint.h>

// Multiples of 3, of 16 and of the 64 work-items of a work-group: for scalars; the first of them are used
// again for each vector width.
enum { SCALAR_SAMPLES = 65664, VECTOR_SAMPLES = 8256 };

struct maths_edge {
    const char *function;
    double x, y;
    int k;
    double result;
    bool stored; // the result is the value stored through the pointer
};

// The edges of float or double; the i-th belongs to the i-th sample.
const struct maths_edge *maths_edges(bool single, size_t *count);

// Makes SCALAR_SAMPLES samples, the same for the same seed. In samples for float, all numbers are floats.
void maths_samples(struct maths_args *samples, bool single, uint64_t seed);

#endif
