// SPDX-License-Identifier: Apache-2.0
// From exact sums to a correlation, by the formulas of kn_autocorr_normalization (koine/autocorr.h): with n,
// S1, S2, Q1, Q2 an offset's window sums, and N, T1, T2, E1, E2 those of offset 0.
#ifndef KN_APP_AUTOCORR_NORMALIZE_H
#define KN_APP_AUTOCORR_NORMALIZE_H

#include "autocorr.h"

#define AUTOCORR_NORMALIZATIONS (KN_AUTOCORR_SYMAVG + 1)

// Names of the normalizations, by kn_autocorr_normalization; NULL ends them.
extern const char *const ki_autocorr_normalization_names[AUTOCORR_NORMALIZATIONS + 1];

// Of `count` offsets of any kind; `whole` is the window of offset 0.
void ki_autocorr_normalize_all(kn_autocorr_normalization normalization, size_t count,
                               const struct autocorr_window *whole, const uint64_t *products,
                               const struct autocorr_window *windows, double *values);

// `values` has autocorr_offsets(max_offset) elements, like the sums.
void ki_autocorr_normalize(kn_autocorr_normalization normalization, size_t max_offset,
                           const uint64_t *products, const struct autocorr_window *windows, double *values);

#endif
