// SPDX-License-Identifier: Apache-2.0
// Intervals between heart beats: kn_stats_compute_intervals.
#include <koine/stats.h>

#include <math.h>

#include "base/error.h"

// The times of a pair may be this much farther apart than its later interval, because both are rounded.
#define MOST_APART 0.1
#define NN50       0.05

static kn_status check(const double *intervals, const double *times, size_t n, kn_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!(intervals[i] > 0) || isinf(intervals[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "kn_stats_compute_intervals: interval %zu is %g s; expected one above 0", i,
                           intervals[i]);
        if (times && i && !(times[i] > times[i - 1]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "kn_stats_compute_intervals: time %zu is %g s, not behind %g s before it", i,
                           times[i], times[i - 1]);
    }
    return KN_OK;
}

kn_status kn_stats_compute_intervals(const double *intervals, const double *times, size_t n,
                                     kn_stats_intervals *result, kn_error *err)
{
    kn_stats_intervals found = {.n = n, .sdnn = NAN, .rmssd = NAN, .pnn50 = NAN};
    double sum = 0, squares = 0, differences = 0;
    size_t large = 0;
    kn_status status;

    if (!result || (n && !intervals))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_stats_compute_intervals: intervals or result is NULL");
    if ((status = check(intervals, times, n, err)))
        return status;
    for (size_t i = 0; i < n; i++)
        sum += intervals[i];
    found.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double d = i ? intervals[i] - intervals[i - 1] : 0;

        squares += (intervals[i] - found.mean) * (intervals[i] - found.mean);
        if (i == 0 || (times && times[i] - times[i - 1] > intervals[i] + MOST_APART))
            continue;
        found.pairs++;
        differences += d * d;
        large += fabs(d) > NN50;
    }
    if (n > 1)
        found.sdnn = sqrt(squares / (double)(n - 1));
    if (found.pairs) {
        found.rmssd = sqrt(differences / (double)found.pairs);
        found.pnn50 = 100 * (double)large / (double)found.pairs;
    }
    *result = found;
    return KN_OK;
}
