// SPDX-License-Identifier: Apache-2.0
// The modified Bessel function of order 0 by its series, for Kaiser-Bessel windows.
#ifndef KN_TESTS_UNIT_APP_MRI_BESSEL_H
#define KN_TESTS_UNIT_APP_MRI_BESSEL_H

static inline double test_bessel(double x)
{
    double sum = 0, term = 1;

    for (int n = 1; n < 100; n++) {
        sum += term;
        term *= x / 2 / n * (x / 2 / n);
    }
    return sum;
}

#endif
