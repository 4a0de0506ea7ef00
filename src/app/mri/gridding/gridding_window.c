// SPDX-License-Identifier: Apache-2.0
// The Kaiser-Bessel window, its transform, and the polynomial that devices evaluate.
#include "gridding_internal.h"

#include <math.h>

// An error of the polynomial below this part of the window's maximum does not show in floats.
#define FIT_ERROR 1e-8

// I0 by its series, whose terms are positive: sum over n of (x^2/4)^n / n!^2.
static double bessel(double x)
{
    double sum = 1, term = 1;

    for (int n = 1; term > sum * 1e-17; n++) {
        term *= x * x / 4 / n / n;
        sum += term;
    }
    return sum;
}

// kb as a function of s = 1 - (2x/J)^2.
static double shape_at(const void *context, double s)
{
    const struct gridding_window *window = context;

    return bessel(window->beta * sqrt(s)) / window->peak;
}

// By Chebyshev's series, with the polynomials T(a x + b) by their recurrence.
void ki_gridding_fit(gridding_function *f, const void *context, double low, unsigned terms, double *powers)
{
    double before[GRIDDING_TERMS_MAX] = {0}, now[GRIDDING_TERMS_MAX] = {1}, values[GRIDDING_TERMS_MAX];
    double a = 2 / (1 - low), b = 1 - a;

    for (unsigned i = 0; i < terms; i++) {
        values[i] = f(context, (cos(M_PI * (i + 0.5) / terms) - b) / a);
        powers[i] = 0;
    }
    for (unsigned n = 0; n < terms; n++) {
        double sum = 0, next[GRIDDING_TERMS_MAX];

        for (unsigned j = 0; j < terms; j++)
            sum += values[j] * cos(n * M_PI * (j + 0.5) / terms);
        sum *= (n ? 2.0 : 1.0) / terms;
        for (unsigned i = 0; i < terms; i++) {
            double risen = a * (i ? now[i - 1] : 0) + b * now[i];
            powers[i] += sum * now[i];
            next[i] = n ? 2 * risen - before[i] : risen;
        }
        for (unsigned i = 0; i < terms; i++) {
            before[i] = now[i];
            now[i] = next[i];
        }
    }
}

static void interpolate(struct gridding_window *window, unsigned terms)
{
    double powers[GRIDDING_TERMS_MAX];

    ki_gridding_fit(shape_at, window, 0, terms, powers);
    window->terms = terms;
    for (unsigned i = 0; i < terms; i++)
        window->coefficients[i] = (float)powers[i];
}

// The greatest difference between the polynomial and the window, in double precision except for the
// coefficients.
static double fit_error(const struct gridding_window *window)
{
    enum { POINTS = 256 };
    double worst = 0;

    for (int p = 0; p <= POINTS; p++) {
        double s = (double)p / POINTS, value = 0;

        for (unsigned i = window->terms; i-- > 0;)
            value = value * s + (double)window->coefficients[i];
        worst = fmax(worst, fabs(value - shape_at(window, s)));
    }
    return worst;
}

struct gridding_window ki_gridding_kaiser(unsigned width, double oversampling)
{
    double ratio = width / oversampling * (oversampling - 0.5);
    struct gridding_window window = {.width = width, .beta = M_PI * sqrt(ratio * ratio - 0.8)};

    window.peak = bessel(window.beta);
    return window;
}

struct gridding_window ki_gridding_window(unsigned width, double oversampling)
{
    struct gridding_window window = ki_gridding_kaiser(width, oversampling);
    double least = INFINITY;
    unsigned best = 0;

    // Stops when more terms do not improve it, because coefficients are floats.
    for (unsigned terms = 4; terms <= GRIDDING_TERMS_MAX && least > FIT_ERROR; terms++) {
        double error;

        interpolate(&window, terms);
        error = fit_error(&window);
        if (error < least) {
            least = error;
            best = terms;
        }
    }
    interpolate(&window, best);
    return window;
}

double ki_gridding_window_at(const struct gridding_window *window, double x)
{
    double s = 1 - 4 * x * x / window->width / window->width;

    return s > 0 ? shape_at(window, s) : 0;
}

double ki_gridding_window_transform(const struct gridding_window *window, double n, double cells)
{
    double at = M_PI * window->width * n / cells, square = window->beta * window->beta - at * at;
    double s = sqrt(fabs(square)), scale = window->width / window->peak;

    if (s < 1e-6)
        return scale;
    return scale * (square > 0 ? sinh(s) : sin(s)) / s;
}

// The error falls as exp(-pi width sqrt(1 - 1/oversampling)), about tenfold per cell for 2; the factor of 12
// is what was measured for white noise, with a margin.
unsigned ki_gridding_width(double tolerance, double oversampling)
{
    return (unsigned)ceil(log(12 / tolerance) / (M_PI * sqrt(1 - 1 / oversampling)));
}
