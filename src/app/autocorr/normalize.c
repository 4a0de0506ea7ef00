// SPDX-License-Identifier: Apache-2.0
#include "normalize.h"

#include <math.h>

const char *const ki_autocorr_normalization_names[AUTOCORR_NORMALIZATIONS + 1] = {
    [KN_AUTOCORR_PEARSON] = "pearson", [KN_AUTOCORR_ENERGY] = "energy", [KN_AUTOCORR_LU2009] = "lu2009",
    [KN_AUTOCORR_GEO] = "geo",         [KN_AUTOCORR_ZERO] = "zero",     [KN_AUTOCORR_UNBIASED] = "unbiased",
    [KN_AUTOCORR_SYMAVG] = "symavg",
};

// With n < 2^31, sums < 2^47 and sums of products < 2^63, all terms below have at most 125 bits.
__extension__ typedef __int128 wide;

// An offset's sums, and those of the whole.
typedef double formula(uint64_t product, const struct autocorr_window *w,
                       const struct autocorr_window *whole);

static wide times(uint64_t a, uint64_t b)
{
    return (wide)a * (wide)b;
}

// a / sqrt(b c), not-a-number where b or c is 0.
static double ratio(wide a, wide b, wide c)
{
    if (b == 0 || c == 0)
        return NAN;
    return (double)((long double)a / (sqrtl((long double)b) * sqrtl((long double)c)));
}

// n times the sum of squares about the mean, of each image.
static wide spread1(const struct autocorr_window *w)
{
    return times(w->n, w->q1) - times(w->s1, w->s1);
}

static wide spread2(const struct autocorr_window *w)
{
    return times(w->n, w->q2) - times(w->s2, w->s2);
}

static double pearson(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    (void)whole;
    return ratio(times(w->n, product) - times(w->s1, w->s2), spread1(w), spread2(w));
}

static double energy(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    (void)w;
    return ratio((wide)product, (wide)whole->q1, (wide)whole->q2);
}

static double lu2009(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    (void)whole;
    return ratio((wide)product, (wide)w->q2, (wide)w->q2);
}

static double geo(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    (void)whole;
    return ratio((wide)product, (wide)w->q1, (wide)w->q2);
}

// N^2 sum (I - m)(I' - m') = N^2 C - N T2 S1 - N T1 S2 + n T1 T2; N (E1 - N m^2) is spread1.
static double zero(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    wide n = (wide)whole->n;
    wide sum = n * n * (wide)product - n * times(whole->s2, w->s1) +
               (wide)w->n * times(whole->s1, whole->s2) - n * times(whole->s1, w->s2);

    return whole->n ? ratio(sum, spread1(whole), spread2(whole)) / (double)whole->n : NAN;
}

static double unbiased(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    return w->n ? zero(product, w, whole) * (double)whole->n / (double)w->n : NAN;
}

static double symavg(uint64_t product, const struct autocorr_window *w, const struct autocorr_window *whole)
{
    (void)whole;
    if (w->s1 == 0 || w->s2 == 0)
        return NAN;
    return (double)((long double)times(w->n, product) / (long double)times(w->s1, w->s2));
}

static formula *const formulas[AUTOCORR_NORMALIZATIONS] = {
    [KN_AUTOCORR_PEARSON] = pearson, [KN_AUTOCORR_ENERGY] = energy, [KN_AUTOCORR_LU2009] = lu2009,
    [KN_AUTOCORR_GEO] = geo,         [KN_AUTOCORR_ZERO] = zero,     [KN_AUTOCORR_UNBIASED] = unbiased,
    [KN_AUTOCORR_SYMAVG] = symavg,
};

void ki_autocorr_normalize_all(kn_autocorr_normalization normalization, size_t count,
                               const struct autocorr_window *whole, const uint64_t *products,
                               const struct autocorr_window *windows, double *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = formulas[normalization](products[i], &windows[i], whole);
}

void ki_autocorr_normalize(kn_autocorr_normalization normalization, size_t max_offset,
                           const uint64_t *products, const struct autocorr_window *windows, double *values)
{
    ki_autocorr_normalize_all(normalization, autocorr_offsets(max_offset),
                              &windows[autocorr_at(max_offset, 0, 0)], products, windows, values);
}
