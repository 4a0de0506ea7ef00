// SPDX-License-Identifier: Apache-2.0
#include "host_eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// A = H D T D^H H^H: H is a product of reflections 1 - 2 v v^H, D is diagonal with entries of modulus 1, T is
// real and tridiagonal. The rows of z are T's eigenvectors.
struct eigen {
    size_t n;
    double complex *a;          // below its diagonal, column k holds the k-th v
    double *diagonal, *below;   // of T; below[i] is beside diagonal[i] and diagonal[i + 1]
    double complex *unit, *row; // D; and room for a vector
    double *z;
};

// ---- to a tridiagonal matrix ----

// Computes v, of length 1 or 0, from what is below the diagonal of column k, and what the reflection leaves
// there.
static double complex reflect(struct eigen *e, size_t k)
{
    size_t n = e->n;
    double complex first = e->a[(k + 1) * n + k], left;
    double squares = 0, length = 0;

    for (size_t i = k + 1; i < n; i++)
        squares += creal(e->a[i * n + k] * conj(e->a[i * n + k]));
    left = cabs(first) > 0 ? -first / cabs(first) * sqrt(squares) : -sqrt(squares);
    e->a[(k + 1) * n + k] -= left;
    for (size_t i = k + 1; i < n; i++)
        length += creal(e->a[i * n + k] * conj(e->a[i * n + k]));
    for (size_t i = k + 1; i < n; i++)
        e->a[i * n + k] = length > 0 ? e->a[i * n + k] / sqrt(length) : 0;
    return left;
}

// A - v w^H - w v^H of the part right of column k and below its row, where w = 2 (A v - (v^H A v) v); only
// its lower triangle.
static void apply_reflection(struct eigen *e, size_t k)
{
    size_t n = e->n;
    double complex *w = e->row, *a = e->a;
    double product = 0;

    for (size_t i = k + 1; i < n; i++)
        w[i] = 0;
    for (size_t i = k + 1; i < n; i++) {
        double complex v = a[i * n + k], sum = 0;

        for (size_t j = k + 1; j < i; j++) {
            sum += a[i * n + j] * a[j * n + k];
            w[j] += conj(a[i * n + j]) * v;
        }
        w[i] += sum + creal(a[i * n + i]) * v;
    }
    for (size_t i = k + 1; i < n; i++)
        product += creal(conj(a[i * n + k]) * w[i]);
    for (size_t i = k + 1; i < n; i++)
        w[i] = 2 * (w[i] - product * a[i * n + k]);
    for (size_t i = k + 1; i < n; i++)
        for (size_t j = k + 1; j <= i; j++)
            a[i * n + j] -= a[i * n + k] * conj(w[j]) + w[i] * conj(a[j * n + k]);
}

static void tridiagonalize(struct eigen *e)
{
    size_t n = e->n;

    e->unit[0] = 1;
    for (size_t k = 0; k < n; k++) {
        double complex left = 0;

        e->diagonal[k] = creal(e->a[k * n + k]);
        e->below[k] = 0;
        if (k + 1 == n)
            break;
        if (k + 2 < n) {
            left = reflect(e, k);
            apply_reflection(e, k);
        } else {
            left = e->a[(k + 1) * n + k];
        }
        e->below[k] = cabs(left);
        e->unit[k + 1] = e->unit[k] * (cabs(left) > 0 ? left / cabs(left) : 1);
    }
}

// ---- implicit QL ----

static void rotate_rows(double *upper, double *lower, double c, double s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double f = lower[i];

        lower[i] = s * upper[i] + c * f;
        upper[i] = c * upper[i] - s * f;
    }
}

// One sweep of rotations, from row `last` up to row `first`, of a block that does not split.
static void sweep(struct eigen *e, size_t first, size_t last)
{
    double *d = e->diagonal, *b = e->below;
    double g = (d[first + 1] - d[first]) / (2 * b[first]), r = hypot(g, 1), s = 1, c = 1, p = 0;

    g = d[last] - d[first] + b[first] / (g + copysign(r, g));
    for (size_t i = last; i-- > first;) {
        double f = s * b[i], h = c * b[i];

        r = hypot(f, g);
        b[i + 1] = r;
        if (r == 0) { // it splits there
            d[i + 1] -= p;
            b[last] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * h;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - h;
        rotate_rows(e->z + i * e->n, e->z + (i + 1) * e->n, c, s, e->n);
    }
    d[first] -= p;
    b[first] = g;
    b[last] = 0;
}

static bool find_values(struct eigen *e)
{
    enum { SWEEPS = 60 }; // for one eigenvalue; about two are usual
    size_t n = e->n;
    double small = 0; // rounding of the largest value: all that remains if the rank is less than n

    for (size_t i = 0; i < n; i++)
        small = fmax(small, 0x1p-53 * (fabs(e->diagonal[i]) + e->below[i]));
    for (size_t first = 0; first < n; first++)
        for (unsigned sweeps = 0;; sweeps++) {
            size_t last = first;

            while (last + 1 < n && fabs(e->below[last]) > small)
                last++;
            if (last == first)
                break;
            if (sweeps == SWEEPS)
                return false;
            sweep(e, first, last);
        }
    return true;
}

// ---- vectors ----

// Transforms T's eigenvector to the matrix's.
static void restore(const struct eigen *e, const double *z, double complex *vector)
{
    size_t n = e->n;

    for (size_t i = 0; i < n; i++)
        vector[i] = e->unit[i] * z[i];
    for (size_t k = n > 2 ? n - 2 : 0; k-- > 0;) {
        double complex product = 0;

        for (size_t i = k + 1; i < n; i++)
            product += conj(e->a[i * n + k]) * vector[i];
        for (size_t i = k + 1; i < n; i++)
            vector[i] -= 2 * product * e->a[i * n + k];
    }
}

struct ranked {
    double value;
    size_t row;
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

    return (x < y) - (x > y);
}

static kn_status take(struct eigen *e, double part, double *values, size_t *count, kn_error *err)
{
    size_t n = e->n, kept = 0;
    struct ranked *ranked = malloc(n * sizeof *ranked);
    double complex *vectors;

    if (!ranked)
        return ki_fail_memory(err, n * sizeof *ranked, "eigenvalues");
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){e->diagonal[i], i};
    qsort(ranked, n, sizeof *ranked, by_value);
    for (size_t i = 0; i < n; i++) {
        values[i] = ranked[i].value;
        kept += values[i] > part * values[0];
    }
    vectors = malloc((kept + 1) * n * sizeof *vectors);
    for (size_t i = 0; i < kept && vectors; i++)
        restore(e, e->z + ranked[i].row * n, vectors + i * n);
    if (vectors)
        memcpy(e->a, vectors, kept * n * sizeof *vectors);
    *count = kept;
    free(ranked);
    free(vectors);
    return vectors ? KN_OK : ki_fail_memory(err, kept * n * sizeof *vectors, "eigenvectors");
}

static bool is_finite(size_t n, const double complex *a)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            sum += fabs(creal(a[i * n + j])) + fabs(cimag(a[i * n + j]));
    return isfinite(sum);
}

kn_status ki_host_eigen(size_t n, double complex *a, double part, double *values, size_t *count,
                        kn_error *err)
{
    struct eigen e = {.n = n,
                      .a = a,
                      .diagonal = malloc((n + 1) * sizeof *e.diagonal),
                      .below = malloc((n + 1) * sizeof *e.below),
                      .unit = malloc((n + 1) * sizeof *e.unit),
                      .row = malloc((n + 1) * sizeof *e.row),
                      .z = calloc(n * n + 1, sizeof *e.z)};
    bool room = e.diagonal && e.below && e.unit && e.row && e.z;
    kn_status status = room ? KN_OK : ki_fail_memory(err, n * n * sizeof *e.z, "eigenvalues");

    *count = 0;
    if (!status && !is_finite(n, a))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "eigenvalues of a matrix that is not finite");
    if (!status && n > 0) {
        for (size_t i = 0; i < n; i++)
            e.z[i * n + i] = 1;
        tridiagonalize(&e);
        status = find_values(&e)
                     ? take(&e, part, values, count, err)
                     : ki_fail(err, KN_ERROR_ARGUMENT, "a matrix whose eigenvalues are not found");
    }
    free(e.diagonal);
    free(e.below);
    free(e.unit);
    free(e.row);
    free(e.z);
    return status;
}
