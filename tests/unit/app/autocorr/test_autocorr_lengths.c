// SPDX-License-Identifier: Apache-2.0
// Tests azimuthal averages with results known by hand, the lengths found in known curves, and lines fitted to
// lengths over time.
#include "support/support.h"

#include <math.h>

#include "app/autocorr/radial.h"
#include "support/expect.h"
#include "support/run.h"

// The values f(x0, y0) at all offsets up to R; the caller frees them.
static double *correlation(size_t max_offset, double (*f)(double x0, double y0))
{
    double *values = malloc(autocorr_offsets(max_offset) * sizeof *values);

    ck_assert_ptr_nonnull(values);
    for (size_t y0 = 0; y0 <= max_offset; y0++)
        for (ptrdiff_t x0 = -(ptrdiff_t)max_offset; x0 <= (ptrdiff_t)max_offset; x0++)
            values[autocorr_at(max_offset, x0, y0)] = f((double)x0, (double)y0);
    return values;
}

static double distance(double x0, double y0)
{
    return hypot(x0, y0);
}

// Twelve sectors of 15 degrees each, by arc tangents.
START_TEST(sectors)
{
    for (ptrdiff_t y0 = 0; y0 <= 400; y0++)
        for (ptrdiff_t x0 = -400; x0 <= 400; x0++) {
            size_t wanted = (size_t)(atan2((double)y0, (double)x0) / M_PI * AUTOCORR_SECTORS);

            ck_assert_uint_eq(autocorr_sector(x0, (size_t)y0), wanted < AUTOCORR_SECTORS ? wanted : 0);
        }
}
END_TEST

// A function that is linear in r has the mean radius as its value in each ring; and each offset of the whole
// plane within R is counted once.
START_TEST(linear_in_r)
{
    enum { R = 37 };
    double *values = correlation(R, distance);

    for (enum autocorr_binning binning = AUTOCORR_LINEAR; binning <= AUTOCORR_FLOOR; binning++) {
        struct autocorr_ring rings[R + 1];
        double weight = 0, inside = 0;

        ki_autocorr_radial(values, R, binning, rings);
        for (size_t k = 0; k <= R; k++) {
            ck_assert_double_eq_tol(rings[k].value, rings[k].radius, 1e-12);
            ck_assert_double_eq_tol(rings[k].radius, (double)k, binning == AUTOCORR_FLOOR ? 1 : 0.5);
            weight += rings[k].weight;
        }
        for (int y = -R; y <= R; y++)
            for (int x = -R; x <= R; x++)
                inside += x * x + y * y <= R * R;
        ck_assert_double_eq_tol(weight, inside, 1e-9);
    }
    free(values);
}
END_TEST

static double numbered(double x0, double y0)
{
    return 10 * y0 + x0;
}

// R = 1: ring 0 is the centre; ring 1 has -1 and 1 once, and 10, which stands for two offsets: mean 5, error
// from their spread.
START_TEST(by_hand)
{
    double *values = correlation(1, numbered);
    struct autocorr_ring rings[2];

    ki_autocorr_radial(values, 1, AUTOCORR_LINEAR, rings);
    ck_assert_double_eq(rings[0].value, 0);
    ck_assert_double_eq(rings[0].error, 0);
    ck_assert_double_eq(rings[1].value, 5);
    ck_assert_double_eq(rings[1].radius, 1);
    ck_assert_double_eq(rings[1].weight, 4);
    ck_assert_uint_eq(rings[1].count, 3);
    // The mean of squares is 50.5, the variance 25.5; the effective number 4^2 / (1 + 1 + 4).
    ck_assert_double_eq_tol(rings[1].error, sqrt(25.5 * 6 / 16), 1e-14);
    // Not-a-number is left out; a ring with nothing else has no value.
    values[autocorr_at(1, 0, 1)] = NAN;
    ki_autocorr_radial(values, 1, AUTOCORR_LINEAR, rings);
    ck_assert_double_eq(rings[1].value, 0);
    ck_assert_double_eq(rings[1].weight, 2);
    values[autocorr_at(1, 1, 0)] = values[autocorr_at(1, -1, 0)] = NAN;
    ki_autocorr_radial(values, 1, AUTOCORR_LINEAR, rings);
    ck_assert(isnan(rings[1].value) && isnan(rings[1].error));
    ck_assert_double_eq(rings[1].radius, 1);
    ck_assert_uint_eq(rings[1].count, 0);
    free(values);
    // (1, 1) and (-1, 1) are at 1.414: weights of 0.586 and 0.414 for two offsets each in rings 1 and 2, or
    // all in one.
    values = correlation(2, numbered);
    for (enum autocorr_binning binning = AUTOCORR_LINEAR; binning <= AUTOCORR_FLOOR; binning++) {
        struct autocorr_ring three[3];
        double share = binning == AUTOCORR_LINEAR ? sqrt(2) - 1 : 0;

        ki_autocorr_radial(values, 2, binning, three);
        ck_assert_double_eq_tol(three[1].weight, 4 + 4 * (1 - share), 1e-14);
        ck_assert_double_eq_tol(three[2].weight, 4 + 4 * share, 1e-14);
        ck_assert_double_eq_tol(three[2].value, (2 * 20 + share * 40) / three[2].weight, 1e-14);
    }
    free(values);
}
END_TEST

// A damped wave of wavelength 24; its extremes are where tan(2 pi r / 24) = -24 / (2 pi 60).
static double wave(double x0, double y0)
{
    double r = hypot(x0, y0);

    return cos(2 * M_PI * r / 24) * exp(-r / 60);
}

START_TEST(known_lengths)
{
    enum { R = 60 };
    double *values = correlation(R, wave), shift = atan(24 / (2 * M_PI * 60)) * 24 / (2 * M_PI);
    struct autocorr_ring rings[R + 1];
    kn_autocorr_lengths lengths;

    ki_autocorr_radial(values, R, AUTOCORR_LINEAR, rings);
    ki_autocorr_find_lengths(rings, R, AUTOCORR_PROMINENCE, &lengths);
    // Averaging over rings of two pixels, and fitting a parabola to three, shift an extreme by some
    // hundredths.
    ck_assert_double_eq_tol(lengths.r_max, 24 - shift, 0.03);
    ck_assert_double_eq_tol(lengths.r_min, 12 - shift, 0.03);
    ck_assert_double_eq_tol(lengths.r_zero, 6, 0.03);
    ck_assert_double_eq_tol(lengths.maximum, wave(24 - shift, 0), 0.01);
    ck_assert_double_eq_tol(lengths.minimum, wave(12 - shift, 0), 0.01);
    ck_assert_double_lt(lengths.r_max_error, 0.03);
    // Too short for the maximum to be found, or the trough, or anything.
    ki_autocorr_find_lengths(rings, 23, AUTOCORR_PROMINENCE, &lengths);
    ck_assert(isnan(lengths.r_max) && isnan(lengths.r_max_error) && !isnan(lengths.r_min));
    ki_autocorr_find_lengths(rings, 11, AUTOCORR_PROMINENCE, &lengths);
    ck_assert(isnan(lengths.r_max) && isnan(lengths.r_min) && !isnan(lengths.r_zero));
    ki_autocorr_find_lengths(rings, 0, AUTOCORR_PROMINENCE, &lengths);
    ck_assert(isnan(lengths.r_max) && isnan(lengths.r_min) && isnan(lengths.r_zero));
    free(values);
}
END_TEST

// Rings with these values and errors, whose sectors are all equal.
static void make_rings(const double *values, double error, size_t count, struct autocorr_ring *rings)
{
    memset(rings, 0, count * sizeof *rings);
    for (size_t k = 0; k < count; k++) {
        rings[k] = (struct autocorr_ring){.radius = (double)k + 0.01 * (double)(k % 3),
                                          .value = values[k],
                                          .error = error,
                                          .weight = AUTOCORR_SECTORS,
                                          .count = 3};
        for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
            rings[k].sums[s] = values[k];
            rings[k].weights[s] = 1;
        }
    }
}

// The vertex of a parabola is found exactly, between rings at unequal distances.
START_TEST(exact_parabola)
{
    struct autocorr_ring rings[9];
    kn_autocorr_lengths lengths;
    double values[9] = {1, 0.5};

    for (size_t k = 2; k < 9; k++) {
        double r = (double)k + 0.01 * (double)(k % 3);

        values[k] = k == 2 ? 0.1 : 0.7 - 0.02 * (r - 5.37) * (r - 5.37);
    }
    make_rings(values, 0, 9, rings);
    ki_autocorr_find_lengths(rings, 8, AUTOCORR_PROMINENCE, &lengths);
    ck_assert_double_eq_tol(lengths.r_max, 5.37, 1e-12);
    ck_assert_double_eq_tol(lengths.maximum, 0.7, 1e-12);
    ck_assert_double_lt(lengths.r_max_error, 1e-12);
}
END_TEST

// A bump in the trough is skipped if it is lower than the rings' errors allow, and taken if they are small.
START_TEST(prominence)
{
    static const double values[] = {1, 0.6, 0.3, 0.2, 0.21, 0.2, 0.19, 0.25, 0.4, 0.5, 0.45, 0.2, 0.1};
    static const double falling[] = {1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01};
    struct autocorr_ring rings[13];
    kn_autocorr_lengths lengths;

    make_rings(values, 0.1, 13, rings); // a bump of 0.1 errors
    ki_autocorr_find_lengths(rings, 12, AUTOCORR_PROMINENCE, &lengths);
    ck_assert_double_eq_tol(lengths.r_max, 9, 0.5);
    ck_assert_double_eq_tol(lengths.r_min, 6, 0.5);
    ck_assert(isnan(lengths.r_zero));
    make_rings(values, 0.03, 13, rings); // of 0.33
    ki_autocorr_find_lengths(rings, 12, AUTOCORR_PROMINENCE, &lengths);
    ck_assert_double_eq_tol(lengths.r_max, 4, 0.5);
    ck_assert_double_eq_tol(lengths.r_min, 3, 0.5);
    make_rings(values, 2, 13, rings); // no bump is higher than chance
    ki_autocorr_find_lengths(rings, 12, AUTOCORR_PROMINENCE, &lengths);
    ck_assert(isnan(lengths.r_max) && isnan(lengths.r_min));
    make_rings(falling, 0, 13, rings);
    ki_autocorr_find_lengths(rings, 12, AUTOCORR_PROMINENCE, &lengths);
    ck_assert(isnan(lengths.r_max) && isnan(lengths.r_min) && isnan(lengths.r_zero));
}
END_TEST

// An anisotropic wave: the error is the jackknife, computed here by removing a sector's offsets from the
// array.
static double oval(double x0, double y0)
{
    return wave(x0, 0.9 * y0);
}

START_TEST(jackknife)
{
    enum { R = 45 };
    double *values = correlation(R, oval), *part = malloc(autocorr_offsets(R) * sizeof *part);
    double moved[AUTOCORR_SECTORS], mean = 0, squares = 0;
    struct autocorr_ring rings[R + 1], left[R + 1];
    kn_autocorr_lengths whole, lengths;

    ki_autocorr_radial(values, R, AUTOCORR_LINEAR, rings);
    ki_autocorr_find_lengths(rings, R, 0, &whole);
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
        for (size_t y0 = 0; y0 <= R; y0++)
            for (ptrdiff_t x0 = -R; x0 <= R; x0++) {
                size_t at = autocorr_at(R, x0, y0),
                       sector = (size_t)(atan2((double)y0, (double)x0) / M_PI * 12);

                part[at] = sector % 12 == s ? NAN : values[at];
            }
        ki_autocorr_radial(part, R, AUTOCORR_LINEAR, left);
        for (size_t k = 0; k <= R; k++)
            left[k].radius = rings[k].radius;
        ki_autocorr_find_lengths(left, R, 0, &lengths);
        moved[s] = lengths.r_max;
        mean += moved[s] / 12;
    }
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++)
        squares += (moved[s] - mean) * (moved[s] - mean);
    ck_assert_double_eq_tol(whole.r_max, 25, 1);
    ck_assert_double_gt(whole.r_max_error, 0.1);
    ck_assert_double_eq_tol(whole.r_max_error, sqrt(11.0 / 12 * squares), 1e-9);
    free(values);
    free(part);
}
END_TEST

START_TEST(growth_by_hand)
{
    static const double t[] = {1, 2, 3, 4, NAN, 7}, exact[] = {5, 7, 9, 11, 1, 17},
                        through[] = {3, 6, 9, 12, 1, 21};
    static const double r[] = {1, 3, 2, NAN, 2, INFINITY}, flat[] = {4, 4, 4, 4, 4, 4};
    kn_autocorr_growth growth;

    EXPECT_OK(kn_autocorr_fit_growth(t, exact, 6, &growth, &err));
    ck_assert_uint_eq(growth.points, 5);
    ck_assert_double_eq_tol(growth.line.slope, 2, 1e-13);
    ck_assert_double_eq_tol(growth.line.intercept, 3, 1e-13);
    ck_assert_double_eq_tol(growth.line.r2, 1, 1e-13);
    ck_assert_double_lt(growth.line.slope_error, 1e-13);
    EXPECT_OK(kn_autocorr_fit_growth(t, through, 6, &growth, &err));
    ck_assert_double_eq_tol(growth.origin.slope, 3, 1e-13);
    ck_assert_double_eq(growth.origin.intercept, 0);
    ck_assert_double_eq_tol(growth.origin.r2, 1, 1e-13);
    // (1, 1), (2, 3), (3, 2): slope 0.5, intercept 1; residuals -0.5, 1, -0.5 of squares 1.5, about the
    // mean 2.
    EXPECT_OK(kn_autocorr_fit_growth(t, r, 6, &growth, &err));
    ck_assert_uint_eq(growth.points, 3);
    ck_assert_double_eq_tol(growth.line.slope, 0.5, 1e-14);
    ck_assert_double_eq_tol(growth.line.intercept, 1, 1e-14);
    ck_assert_double_eq_tol(growth.line.r2, 0.25, 1e-14);
    ck_assert_double_eq_tol(growth.line.slope_error, sqrt(0.75), 1e-14);
    ck_assert_double_eq_tol(growth.line.intercept_error, sqrt(1.5 * (1.0 / 3 + 4.0 / 2)), 1e-14);
    // Through the origin: slope 13/14, remaining squares 14 - 169/14.
    ck_assert_double_eq_tol(growth.origin.slope, 13.0 / 14, 1e-14);
    ck_assert_double_eq_tol(growth.origin.r2, 1 - (14 - 169.0 / 14) / 2, 1e-14);
    ck_assert_double_eq_tol(growth.origin.slope_error, sqrt((14 - 169.0 / 14) / 2 / 14), 1e-14);
    // Refusals.
    EXPECT_OK(kn_autocorr_fit_growth(t, flat, 3, &growth, &err));
    ck_assert(isnan(growth.line.r2) && growth.line.slope == 0);
    EXPECT_OK(kn_autocorr_fit_growth(t, r, 1, &growth, &err));
    ck_assert(isnan(growth.line.slope) && isnan(growth.line.r2) && isnan(growth.origin.slope_error));
    ck_assert_double_eq(growth.origin.slope, 1);
    EXPECT_OK(kn_autocorr_fit_growth(t, r, 0, &growth, &err));
    ck_assert(isnan(growth.origin.slope) && growth.points == 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sectors,        linear_in_r, by_hand,   known_lengths,
                                  exact_parabola, prominence,  jackknife, growth_by_hand};

    return TEST_RUN("autocorr lengths", CK_FORK_GETENV, tests);
}
