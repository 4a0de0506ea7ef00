// SPDX-License-Identifier: Apache-2.0
#include "accuracy.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MOST = 2048, MOST_SWEEPS = 60 };

// An eigenvalue, and the last component of its eigenvector.
struct ritz {
    double value, last;
};

// ---- eigenvalues ----

// One sweep of the implicit QL method over rows first to last (EISPACK's imtql2); `off[i]` is the
// off-diagonal element between rows i and i + 1. False if a rotation has vanished; the next sweep continues.
static bool sweep(struct ritz *ritz, double *off, size_t first, size_t last)
{
    double g = (ritz[first + 1].value - ritz[first].value) / (2 * off[first]), r = hypot(g, 1);
    double s = 1, c = 1, p = 0;

    g = ritz[last].value - ritz[first].value + off[first] / (g + copysign(r, g));
    for (size_t i = last; i-- > first;) {
        double f = s * off[i], b = c * off[i], z = ritz[i + 1].last;

        r = hypot(f, g);
        off[i + 1] = r;
        if (r == 0) {
            ritz[i + 1].value -= p;
            off[last] = 0;
            return false;
        }
        s = f / r;
        c = g / r;
        g = ritz[i + 1].value - p;
        r = (ritz[i].value - g) * s + 2 * c * b;
        p = s * r;
        ritz[i + 1].value = g + p;
        g = c * r - b;
        ritz[i + 1].last = s * ritz[i].last + c * z;
        ritz[i].last = c * ritz[i].last - s * z;
    }
    ritz[first].value -= p;
    off[first] = g;
    off[last] = 0;
    return true;
}

// Computes the eigenvalues from the diagonal, in `ritz`, and the off-diagonal elements `off`, `count` numbers
// of which the last one is 0.
static void diagonalise(struct ritz *ritz, double *off, size_t count)
{
    for (size_t first = 0; first < count; first++)
        for (unsigned tries = 0; tries < MOST_SWEEPS; tries++) {
            size_t last = first;

            while (last + 1 < count &&
                   fabs(off[last]) > DBL_EPSILON * (fabs(ritz[last].value) + fabs(ritz[last + 1].value)))
                last++;
            if (last == first)
                break;
            sweep(ritz, off, first, last);
        }
}

static int compare(const void *a, const void *b)
{
    double x = ((const struct ritz *)a)->value, y = ((const struct ritz *)b)->value;

    return (x > y) - (x < y);
}

// Makes T_k from the first `count` iterations; returns the off-diagonal element after its last row.
static double make_tridiagonal(const double *gradients, const double *steps, size_t count, struct ritz *ritz,
                               double *off)
{
    double before = 0;

    for (size_t i = 0; i < count; i++) {
        double ratio = gradients[i] > 0 ? gradients[i + 1] / gradients[i] : 0, step = steps[i + 1];

        ritz[i] = (struct ritz){1 / step + before, 0};
        before = ratio * ratio / step;
        off[i] = ratio / step;
    }
    ritz[count - 1].last = 1;
    before = off[count - 1];
    off[count - 1] = 0;
    return before;
}

// Counts the copies among ascending Ritz values: those no farther than rounding from the previous one. Also
// estimates the share of the next copy in `next`: the loss of orthogonality is epsilon divided by the
// residual of a Ritz value (Paige), which is `beside` times the last component of its eigenvector.
static size_t count_copies(const struct ritz *ritz, size_t count, double beside, double epsilon, double *next)
{
    double greatest = ritz[count - 1].value, residual = INFINITY;
    size_t copies = 0;

    for (size_t i = 0; i < count; i++) {
        copies += i > 0 && ritz[i].value - ritz[i - 1].value < 2 * epsilon * greatest;
        residual = fmin(residual, fabs(beside * ritz[i].last));
    }
    *next = residual > epsilon * greatest ? epsilon * greatest / residual : 1;
    return copies;
}

// ---- the distance ----

// The square of the distance that x moved in iterations first + 1 to count, from |d_i|^2 = |g_i|^4 sum_j<=i 1
// / |g_j|^2 and d_i.d_j = |d_i|^2 |g_j|^2 / |g_i|^2 for i < j. inverse: these sums of 1 / |g|^2.
static double square_of_distance(const double *gradients, const double *steps, const double *inverse,
                                 size_t first, size_t count)
{
    double behind = 0, sum = 0;

    for (size_t i = count; i-- > first;) {
        double fall = steps[i + 1] * gradients[i] * gradients[i];

        sum += fall * inverse[i] * (fall + 2 * behind);
        behind += fall;
    }
    return sum;
}

static void find_distance(const double *gradients, const double *steps, double *inverse, size_t count,
                          struct sparse_lag *lag)
{
    size_t first = count - lag->iterations;

    for (size_t i = 0; i < count; i++)
        inverse[i] = (i > 0 ? inverse[i - 1] : 0) + 1 / (gradients[i] * gradients[i]);
    for (size_t i = first; i < count; i++)
        lag->misfit += steps[i + 1] * gradients[i] * gradients[i];
    lag->distance = sqrt(square_of_distance(gradients, steps, inverse, first, count));
    lag->last_distance =
        count > 0 ? sqrt(square_of_distance(gradients, steps, inverse, count - 1, count)) : 0;
}

// ---- the lag ----

static size_t usable(const double *gradients, const double *steps, size_t count)
{
    size_t k = 0;

    while (k < count && gradients[k] > 0 && isfinite(gradients[k + 1]) && steps[k + 1] > 0 &&
           isfinite(1 / steps[k + 1]))
        k++;
    return k;
}

kn_status ki_sparse_lag_of(const double *gradients, const double *steps, size_t count, double epsilon,
                           struct sparse_lag *lag, kn_error *err)
{
    size_t k = usable(gradients, steps, count), looked = k < MOST ? k : MOST;
    struct ritz *ritz = malloc((looked + 1) * sizeof *ritz);
    double *off = malloc((k + 1) * sizeof *off), beside; // later used by find_distance
    kn_status status = ritz && off ? KN_OK : ki_fail_memory(err, (looked + k) * sizeof *ritz, "the accuracy");

    memset(lag, 0, sizeof *lag);
    if (!status && looked > 0) {
        beside = make_tridiagonal(gradients, steps, looked, ritz, off);
        diagonalise(ritz, off, looked);
        qsort(ritz, looked, sizeof *ritz, compare);
        lag->greatest = ritz[looked - 1].value;
        lag->least = ritz[0].value;
        lag->iterations = count_copies(ritz, looked, beside, epsilon, &lag->next);
        if (lag->iterations > 0)
            lag->iterations += k - looked;
    }
    if (!status)
        find_distance(gradients, steps, off, k, lag);
    free(ritz);
    free(off);
    return status;
}
