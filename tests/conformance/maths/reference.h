// SPDX-License-Identifier: Apache-2.0
// The expected results of the functions of 6.12.2, computed on the host in long double.
//
// Long double has 64 bits of mantissa on x86 and 113 on AArch64. The C library's functions for it, and the
// few formulae based on them here, are within REFERENCE_ERROR of its units in the last place, which is 2^-36
// units of a float and 2^-7 of a double: the bound for a result is the specification's plus that. Functions
// that round at most once must not be rounded twice: they are computed in the type itself.
#ifndef KN_TESTS_CONFORMANCE_MATHS_REFERENCE_H
#define KN_TESTS_CONFORMANCE_MATHS_REFERENCE_H

#include <float.h>
#include <stdbool.h>

#define REFERENCE_ERROR 16

struct maths_args {
    long double x, y, z;
    int k;
    bool single; // for float, otherwise for double
};

typedef long double maths_function(const struct maths_args *args);

// reference_NAME for each function of functions.h, and reference_NAME_stored for the values that some of them
// store through a pointer. ANY_INT if the specification leaves a stored int open.
#define ANY_INT 4e9L
#define EXACT   0
#define FREE    0
#define SINGLE
#define F1(name, ...) maths_function reference_##name;
#define F2(name, ...) maths_function reference_##name;
#define F3(name, ...) maths_function reference_##name;
#define FI(name, ...) maths_function reference_##name;
#define FQ(name)      maths_function reference_##name;
#define FN(name)      maths_function reference_##name;
#define P1(name, ...) maths_function reference_##name, reference_##name##_stored;
#define PQ(name, ...) maths_function reference_##name, reference_##name##_stored;
#define P2(name, ...) maths_function reference_##name, reference_##name##_stored;
#include "functions.h"
#undef F1
#undef F2
#undef F3
#undef FI
#undef FQ
#undef FN
#undef P1
#undef PQ
#undef P2
#undef SINGLE
#undef EXACT
#undef FREE

#endif
