// SPDX-License-Identifier: Apache-2.0
// Errors of OpenCL devices in the subjects of test_rewrite: their result is not compared, and the sentence of
// the specification that it violates is printed.
#ifndef KN_TESTS_CONFORMANCE_KNOWN_WRONG_H
#define KN_TESTS_CONFORMANCE_KNOWN_WRONG_H

#include <string.h>

#include "support/buffers.h"
#include "support/run.h"

static const struct known_wrong {
    const char *device;  // the start of the platform's name
    const char *subject; // NULL ends the table
    const char *kernel;  // or the start of its name
    const char *why;
} known_wrong[] = {
#define MAD_SAT "6.12.3: mad_sat(a, b, c) is a * b + c and saturates, in 64 bits too"
    {"Portable Computing Language", "common_functions", "zeros_",
     "6.12.4: max returns y if x < y, otherwise it returns x (of 0 and -0 as well); likewise min"},
    // PoCL 6.0 gives the same __local variables of the called kernel to all groups that run at once.
    {"Portable Computing Language", "local_large", "caller",
     "6.7.1: what a kernel with __local variables does that another kernel calls is the implementation's"},
    {"NVIDIA CUDA", "integers", "mad_sat_of_longs_holds", MAD_SAT},
    {"NVIDIA CUDA", "integer_functions", "mad_sat_long", MAD_SAT}, // only with some inputs
    {"NVIDIA CUDA", "common_functions", "zeros_", "6.12.4: max and min, of 0 and -0 too"},
    {"NVIDIA CUDA", "common_functions", "steps_", "6.12.4: sign(-0.0) is -0.0"},
// ptxas 13.0 widens before neg.s16 and abs.s16; 13.5 does not, nor does -O0.
#define NEGATED "C99 6.3.1.3: (ushort)-x is modulo 2^16: of 0x8000 it is 0x8000, as is abs"
    {"CUDA", "integers", "negated_shorts", NEGATED},
    {"NVIDIA CUDA", "integers", "negated_shorts", NEGATED},
    // NVRTC 13.0 and 13.5 add these products in 32 bits (dp2a.s32), and widen the sum as if it were unsigned.
    {"CUDA", "integers", "differences_of_bytes", "C99 6.2.5: unsigned arithmetic is modulo 2^64"},
#define FROM_NAN(to)                                                                                         \
    {                                                                                                        \
        "NVIDIA CUDA", "convert_reals_to_integers", to, "6.2.3.3: NaN becomes 0 where it saturates"          \
    }
    FROM_NAN("char_sat_from_double"),
    FROM_NAN("uchar_sat_from_double"),
    FROM_NAN("short_sat_from_double"),
    FROM_NAN("ushort_sat_from_double"),
    FROM_NAN("int_sat_from_double"),
    FROM_NAN("uint_sat_from_double"),
    FROM_NAN("long_sat_from"),
    FROM_NAN("ulong_sat_from"),
    {"NVIDIA CUDA", "maths", "signs_of_gamma",
     "6.12.2: lgamma_r stores the sign of the gamma function, 1 or -1 (here come 0 and 1)"},
    // Intel's CPU runtime 2026.2.
    {"Intel(R) OpenCL", "common_functions", "zeros_", "6.12.4: max and min, of 0 and -0 too"},
    {"Intel(R) OpenCL", "convert_reals_to_integers", "uint_sat_from_float",
     "6.2.3.3: NaN becomes 0 where it saturates"},
    {"Intel(R) OpenCL", "integer_functions", "mad_sat_", MAD_SAT}, // only with some inputs
    {"Intel(R) OpenCL", "integers", "words", MAD_SAT},
    {"Intel(R) OpenCL", "integers", "mad_sat_of_longs_holds", MAD_SAT},
#define SHUFFLE "6.12.12: the mask's bits beyond those that count the elements are ignored"
    {"Intel(R) OpenCL", "shuffles", "one_long", SHUFFLE},
    {"Intel(R) OpenCL", "shuffles", "one_ulong", SHUFFLE},
    {"Intel(R) OpenCL", "shuffles", "one_double", SHUFFLE},
    {0},
};

static const struct known_wrong *find_known(const char *subject, const char *kernel)
{
    const char *platform = kn_context_get_device(context)->platform;

    for (const struct known_wrong *known = known_wrong; known->subject; known++)
        if (strcmp(known->subject, subject) == 0 &&
            strncmp(platform, known->device, strlen(known->device)) == 0 &&
            strncmp(known->kernel, kernel, strlen(known->kernel)) == 0)
            return known;
    return NULL;
}

#endif
