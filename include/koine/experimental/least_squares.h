// SPDX-License-Identifier: Apache-2.0
// What koine solve reports about least squares (koine/least_squares.h) besides the solutions: what ran, in
// words, and where the time went. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_LEAST_SQUARES_H
#define KOINE_EXPERIMENTAL_LEAST_SQUARES_H

#include <koine/least_squares.h>

#ifdef __cplusplus
extern "C" {
#endif

// kn_least_squares_options.tuning.
typedef struct kn_least_squares_tuning {
    bool past_floor; // continues at the floor of the precision, for timing only
} kn_least_squares_tuning;

// Replaces AUTO in the method and the stopping rule of the options by what it stands for, and copies the
// rest. Values out of range are not checked. KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_least_squares_settle(const kn_least_squares_options *options,
                                         kn_least_squares_options *settled, kn_error *err);

// The code that ran, in words; "" for NULL. Owned by the result.
KN_API const char *kn_least_squares_get_code(const kn_least_squares_result *result);
// Launches per iteration; 0 on the host, and for NULL.
KN_API unsigned kn_least_squares_get_launches(const kn_least_squares_result *result);

// Seconds, without compiling.
typedef struct kn_least_squares_times {
    double prepare; // preparing the matrix, on a device with uploading it and its transpose
    double iterate; // all iterations
    double copy;    // copying right-hand sides to a device and solutions back
} kn_least_squares_times;

// All 0 for NULL.
KN_API kn_least_squares_times kn_least_squares_get_times(const kn_least_squares_result *result);

#ifdef __cplusplus
}
#endif
#endif
