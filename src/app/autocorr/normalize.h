// SPDX-License-Identifier: Apache-2.0
// From exact sums to a correlation. With n, S1, S2, Q1, Q2 an offset's window sums, N, T1, T2, E1, E2 those
// of the whole (offset 0), m = T1 / N and m' = T2 / N:
//
//     pearson   (C - S1 S2 / n) / sqrt((Q1 - S1^2 / n) (Q2 - S2^2 / n))
//     energy    C / sqrt(E1 E2)                 equation 1 of Lu et al. (2009) as printed; falls off with n
//     lu2009    C / Q2                          its form with the overlap's energy; not symmetric under a
//     half turn geo       C / sqrt(Q1 Q2) zero      sum (I - m)(I' - m') / sqrt((E1 - N m^2) (E2 - N m'^2))
//     outside is 0; falls off with n unbiased  zero N / n symavg    C n / (S1 S2) Schaetzel's symmetric
//     average; tends to 1
//
// The differences are formed in whole numbers of 128 bits: nothing cancels, whatever the images' level. A
// value is right to a unit or two of 1e-16 of its own.
//
// Defined answers: not-a-number where the formula has 0 in its denominator, that is in pearson for a window
// of one level, in zero and unbiased for an image of one level, in the others for one that is black; and
// where the overlap is empty, but 0 in energy and zero, for which outside is 0.
#ifndef KN_APP_AUTOCORR_NORMALIZE_H
#define KN_APP_AUTOCORR_NORMALIZE_H

#include "autocorr.h"

enum autocorr_normalization {
    AUTOCORR_PEARSON,
    AUTOCORR_ENERGY,
    AUTOCORR_LU2009,
    AUTOCORR_GEO,
    AUTOCORR_ZERO,
    AUTOCORR_UNBIASED,
    AUTOCORR_SYMAVG,
    AUTOCORR_NORMALIZATIONS
};

// Their names above; NULL ends them.
extern const char *const ki_autocorr_normalization_names[AUTOCORR_NORMALIZATIONS + 1];

// `values` has autocorr_offsets(max_offset) elements, as the sums have.
void ki_autocorr_normalize(enum autocorr_normalization normalization, size_t max_offset,
                           const uint64_t *products, const struct autocorr_window *windows, double *values);

#endif
