// SPDX-License-Identifier: Apache-2.0
// What koine solve tells of least squares (koine/least_squares.h) besides the solutions: what ran, in words,
// and where the time went. Not promised (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_LEAST_SQUARES_H
#define KOINE_EXPERIMENTAL_LEAST_SQUARES_H

#include <koine/least_squares.h>

#ifdef __cplusplus
extern "C" {
#endif

// kn_least_squares_options.tuning.
typedef struct kn_least_squares_tuning {
    bool past_floor; // goes on at the precision's floor, for measurements of time alone
} kn_least_squares_tuning;

// What the AUTO of the options' method and stop stands for; the rest as it is. Nothing is looked at that is
// out of range. KN_ERROR_ARGUMENT for NULL.
KN_API kn_status kn_least_squares_settle(const kn_least_squares_options *options,
                                         kn_least_squares_options *settled, kn_error *err);

// What computed, in words; "" for NULL. The result's own.
KN_API const char *kn_least_squares_get_code(const kn_least_squares_result *result);
// Launches of an iteration; 0 on the host, and for NULL.
KN_API unsigned kn_least_squares_get_launches(const kn_least_squares_result *result);

// Seconds, without compiling.
typedef struct kn_least_squares_times {
    double prepare; // making the matrix ready, on a device uploading it both ways
    double iterate; // all iterations
    double copy;    // getting right-hand sides to a device and solutions back
} kn_least_squares_times;

// All 0 for NULL.
KN_API kn_least_squares_times kn_least_squares_get_times(const kn_least_squares_result *result);

#ifdef __cplusplus
}
#endif
#endif
