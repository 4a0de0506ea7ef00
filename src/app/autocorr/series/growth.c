// SPDX-License-Identifier: Apache-2.0
// koine/autocorr.h: straight lines through lengths at several times.
#include <koine/autocorr.h>

#include <math.h>
#include <stdbool.h>

#include "base/error.h"

// Sums about (t0, r0): squares and products.
struct moments {
    double tt, tr, rr;
};

static bool is_point(double t, double r)
{
    return isfinite(t) && isfinite(r);
}

static struct moments about(const double *t, const double *r, size_t count, double t0, double r0)
{
    struct moments sums = {0, 0, 0};

    for (size_t i = 0; i < count; i++)
        if (is_point(t[i], r[i])) {
            sums.tt += (t[i] - t0) * (t[i] - t0);
            sums.tr += (t[i] - t0) * (r[i] - r0);
            sums.rr += (r[i] - r0) * (r[i] - r0);
        }
    return sums;
}

// `total` is the sum of squares of the lengths about their mean, `free` the points less the parameters.
static void judge(const double *t, const double *r, size_t count, double total, double free, double *variance,
                  kn_autocorr_line *line)
{
    double residuals = 0;

    for (size_t i = 0; i < count; i++)
        if (is_point(t[i], r[i])) {
            double residual = r[i] - line->slope * t[i] - line->intercept;

            residuals += residual * residual;
        }
    line->r2 = total > 0 ? 1 - residuals / total : NAN;
    *variance = free > 0 ? residuals / free : NAN;
}

static void fit(const double *times, const double *lengths, size_t count, kn_autocorr_growth *growth)
{
    struct moments sums, centred;
    double n = 0, t0 = 0, r0 = 0, variance;

    *growth = (kn_autocorr_growth){0, {NAN, NAN, 0, NAN, NAN}, {NAN, NAN, NAN, NAN, NAN}};
    for (size_t i = 0; i < count; i++)
        if (is_point(times[i], lengths[i])) {
            growth->points++;
            t0 += times[i];
            r0 += lengths[i];
        }
    n = (double)growth->points;
    t0 /= n;
    r0 /= n;
    sums = about(times, lengths, count, 0, 0);
    centred = about(times, lengths, count, t0, r0);
    if (sums.tt > 0) {
        growth->origin.slope = sums.tr / sums.tt;
        judge(times, lengths, count, centred.rr, n - 1, &variance, &growth->origin);
        growth->origin.slope_error = sqrt(variance / sums.tt);
    }
    if (centred.tt > 0) {
        growth->line.slope = centred.tr / centred.tt;
        growth->line.intercept = r0 - growth->line.slope * t0;
        judge(times, lengths, count, centred.rr, n - 2, &variance, &growth->line);
        growth->line.slope_error = sqrt(variance / centred.tt);
        growth->line.intercept_error = sqrt(variance * (1 / n + t0 * t0 / centred.tt));
    }
}

kn_status kn_autocorr_fit_growth(const double *times, const double *lengths, size_t count,
                                 kn_autocorr_growth *growth, kn_error *err)
{
    if (!growth || (count && (!times || !lengths)))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__,
                       !growth  ? "growth"
                       : !times ? "times"
                                : "lengths");
    kn_status status = ki_check_elements(__func__, count, sizeof *times, err);
    if (!status)
        fit(times, lengths, count, growth);
    return status;
}
