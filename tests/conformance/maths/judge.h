// SPDX-License-Identifier: Apache-2.0
// Judges a result of a function of 6.12.2: by the bounds of section 7.4, the edge cases of 7.5, and a list of
// devices known to violate them.
#ifndef KN_TESTS_CONFORMANCE_MATHS_JUDGE_H
#define KN_TESTS_CONFORMANCE_MATHS_JUDGE_H

#include "samples.h"

#define MATHS_EXACT     0.0
#define MATHS_FREE      INFINITY
#define MATHS_MOST_ROWS 160

// A row of results: those of a function, or the values that it stores through a pointer.
struct maths_row {
    const char *function; // "remquo"
    const char *name;     // "remquo stored in __local"
    maths_function *reference;
    double single, twice; // bounds for float and for double
    enum { MATHS_X, MATHS_XY, MATHS_XYZ, MATHS_XK } takes;
    bool stored;
    bool whole; // the result is an int
};

extern const struct maths_row maths_rows[];
size_t maths_row_count(bool single);
double maths_bound(size_t row, bool single);

struct maths_device {
    const char *platform, *driver; // the name and the driver's version: "Portable Computing Language",
                                   // "5.0+debian"
    bool is_cuda;                  // a GPU through CUDA, or our CUDA text on the host
    bool flushes;                  // it flushes denormal floats
};

// The device, the row, and the sample of a result.
struct maths_question {
    const struct maths_device *device;
    size_t row;
    int width; // of the vector that the result is a component of, or 1
    const struct maths_args *args;
};

struct maths_verdict {
    bool good;
    double ulps;
    long double expected;
    const char *why;    // the expected result if it is not a matter of ULPs: "exactly, by 7.5.1"
    const char *reason; // if the device is known for this error
};

// `signals`: the result is a signalling NaN, which no function may return (7.5.1).
struct maths_verdict maths_judge(const struct maths_question *q, long double got, bool signals);
struct maths_verdict maths_judge_edge(const struct maths_question *q, const struct maths_edge *edge,
                                      long double got);

// The functions (fewer than MATHS_MOST_ROWS) from which the device never returns. Their rows count as known
// errors.
size_t maths_left_out(const struct maths_device *device, bool single, bool scalar, const char **names);

// Whether the sign of the result is unspecified: fmax(0, -0).
bool maths_any_sign(const struct maths_question *q);

// "float sin of 0x1.8p+1 (3): got ..., expected ..., 5.2 ulp (4 allowed)"
void maths_describe(char *text, size_t size, const struct maths_question *q, long double got,
                    const struct maths_verdict *verdict);

// Prints a line and returns false if long double is no wider than the type.
bool maths_can_judge(bool single);

#endif
