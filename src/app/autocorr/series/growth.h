// SPDX-License-Identifier: Apache-2.0
// Straight lines through lengths at several times: a growth law R(t).
#ifndef KN_APP_AUTOCORR_SERIES_GROWTH_H
#define KN_APP_AUTOCORR_SERIES_GROWTH_H

#include <stddef.h>

struct autocorr_line {
    double slope, slope_error; // in the unit of R by that of t; the standard errors come from the
    double intercept,
        intercept_error; // residuals, and are not-a-number where no more points are than parameters
    double r2;           // 1 - sum of squared residuals / sum of squares about the mean; below 0 where
                         // the mean fits better
};

struct autocorr_growth {
    size_t points;               // of which both numbers are finite; the others are left out
    struct autocorr_line origin; // R = slope t: intercept 0, without an error
    struct autocorr_line line;   // R = slope t + intercept
};

// Least squares, unweighted. What cannot be had (no points; all at one time; for r2, all of one length) is
// not-a-number.
void ki_autocorr_fit_growth(const double *times, const double *lengths, size_t count,
                            struct autocorr_growth *growth);

#endif
