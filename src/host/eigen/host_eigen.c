// SPDX-License-Identifier: Apache-2.0
#include "host_eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"

// A = H D T D^H H^H: H is a product of reflections 1 - 2 v v^H, D is diagonal with entries of modulus 1, T is
// real and tridiagonal. The rows of z are T's eigenvectors.
struct eigen {
    size_t n;
    double complex *a;        // below its diagonal, column k holds the k-th v
    double *diagonal, *below; // of T; below[i] is beside diagonal[i] and diagonal[i + 1]
    double complex *unit;     // D
    double *real, *imaginary; // the parts of v, and of w
    double *to_real, *to_imaginary;
    double *z;
};

// ---- to a tridiagonal matrix ----

static double square_of(double complex number)
{
    return creal(number) * creal(number) + cimag(number) * cimag(number);
}

// Computes v, of length 1 or 0, from what is below the diagonal of column k, and what the reflection leaves
// there.
static double complex reflect(struct eigen *e, size_t k)
{
    size_t n = e->n;
    double complex first = e->a[(k + 1) * n + k], left;
    double squares = 0, length = 0;

    for (size_t i = k + 1; i < n; i++)
        squares += square_of(e->a[i * n + k]);
    left = cabs(first) > 0 ? -first / cabs(first) * sqrt(squares) : -sqrt(squares);
    e->a[(k + 1) * n + k] -= left;
    for (size_t i = k + 1; i < n; i++)
        length += square_of(e->a[i * n + k]);
    for (size_t i = k + 1; i < n; i++)
        e->a[i * n + k] = length > 0 ? e->a[i * n + k] / sqrt(length) : 0;
    return left;
}

// Copies the v of column k to contiguous arrays, from element k + 1 on.
static void take_vector(const struct eigen *e, size_t k)
{
    size_t n = e->n;

    for (size_t i = k + 1; i < n; i++) {
        e->real[i] = creal(e->a[i * n + k]);
        e->imaginary[i] = cimag(e->a[i * n + k]);
    }
}

// Partial sums are kept in as many lanes, so that the compiler can use vectors without reordering additions.
enum { LANES = 8 };

static double sum_of(const double lanes[LANES])
{
    double sum = 0;

    for (size_t l = 0; l < LANES; l++)
        sum += lanes[l];
    return sum;
}

// Partial sums of an element of A v.
struct row_sums {
    double re[LANES], im[LANES];
};

// Adds column j of a row to its sums, and the conjugate element above the diagonal to element j of w.
static inline void multiply_element(const struct eigen *e, const double *row, double vr, double vi, size_t j,
                                    size_t lane, struct row_sums *sums)
{
    double re = row[2 * j], im = row[2 * j + 1];

    sums->re[lane] += re * e->real[j] - im * e->imaginary[j];
    sums->im[lane] += re * e->imaginary[j] + im * e->real[j];
    e->to_real[j] += re * vr + im * vi;
    e->to_imaginary[j] += re * vi - im * vr;
}

// Row i's part of w += A v, of which only the lower triangle is stored.
static void multiply_row(const struct eigen *e, size_t k, size_t i)
{
    const double *row = (const double *)(e->a + i * e->n);
    double vr = e->real[i], vi = e->imaginary[i];
    struct row_sums sums = {{row[2 * i] * vr}, {row[2 * i] * vi}};
    size_t j = k + 1;

    for (; j + LANES <= i; j += LANES) {
        KI_SIMD
        for (size_t l = 0; l < LANES; l++)
            multiply_element(e, row, vr, vi, j + l, l, &sums);
    }
    for (; j < i; j++)
        multiply_element(e, row, vr, vi, j, 0, &sums);
    e->to_real[i] += sum_of(sums.re);
    e->to_imaginary[i] += sum_of(sums.im);
}

// A - v w^H - w v^H of the part right of column k and below its row, where w = 2 (A v - (v^H A v) v); only
// its lower triangle.
static void apply_reflection(struct eigen *e, size_t k)
{
    size_t n = e->n;
    const double *vr = e->real, *vi = e->imaginary;
    double *wr = e->to_real, *wi = e->to_imaginary, product = 0;

    take_vector(e, k);
    for (size_t i = k + 1; i < n; i++)
        wr[i] = wi[i] = 0;
    for (size_t i = k + 1; i < n; i++)
        multiply_row(e, k, i);
    for (size_t i = k + 1; i < n; i++)
        product += vr[i] * wr[i] + vi[i] * wi[i];
    for (size_t i = k + 1; i < n; i++) {
        wr[i] = 2 * (wr[i] - product * vr[i]);
        wi[i] = 2 * (wi[i] - product * vi[i]);
    }
    for (size_t i = k + 1; i < n; i++) {
        double *row = (double *)(e->a + i * n), ar = vr[i], ai = vi[i], br = wr[i], bi = wi[i];

        KI_SIMD
        for (size_t j = k + 1; j <= i; j++) {
            row[2 * j] -= ar * wr[j] + ai * wi[j] + br * vr[j] + bi * vi[j];
            row[2 * j + 1] -= ai * wr[j] - ar * wi[j] + bi * vr[j] - br * vi[j];
        }
    }
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
    KI_SIMD
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

// Applies the reflection of column k to a vector, whose real and imaginary parts are two arrays.
static void reflect_vector(const struct eigen *e, size_t k, double *real, double *imaginary)
{
    const double *vr = e->real, *vi = e->imaginary;
    double lanes_re[LANES] = {0}, lanes_im[LANES] = {0}, re, im;
    size_t first = k + 1;

    for (; first + LANES <= e->n; first += LANES) {
        KI_SIMD
        for (size_t l = 0; l < LANES; l++) {
            lanes_re[l] += vr[first + l] * real[first + l] + vi[first + l] * imaginary[first + l];
            lanes_im[l] += vr[first + l] * imaginary[first + l] - vi[first + l] * real[first + l];
        }
    }
    for (; first < e->n; first++) {
        lanes_re[0] += vr[first] * real[first] + vi[first] * imaginary[first];
        lanes_im[0] += vr[first] * imaginary[first] - vi[first] * real[first];
    }
    re = 2 * sum_of(lanes_re);
    im = 2 * sum_of(lanes_im);
    KI_SIMD
    for (size_t i = k + 1; i < e->n; i++) {
        real[i] -= re * vr[i] - im * vi[i];
        imaginary[i] -= re * vi[i] + im * vr[i];
    }
}

// Transforms T's eigenvectors to the matrix's; real and imaginary parts of each follow one another.
static void restore(const struct eigen *e, size_t count, double *parts)
{
    size_t n = e->n;

    for (size_t k = n > 2 ? n - 2 : 0; k-- > 0;) {
        take_vector(e, k);
        for (size_t v = 0; v < count; v++)
            reflect_vector(e, k, parts + 2 * v * n, parts + (2 * v + 1) * n);
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
    double *parts;

    if (!ranked)
        return ki_fail_memory(err, n * sizeof *ranked, "eigenvalues");
    for (size_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){e->diagonal[i], i};
    qsort(ranked, n, sizeof *ranked, by_value);
    for (size_t i = 0; i < n; i++) {
        values[i] = ranked[i].value;
        kept += values[i] > part * values[0];
    }
    parts = malloc(2 * (kept + 1) * n * sizeof *parts);
    for (size_t v = 0; v < kept && parts; v++)
        for (size_t i = 0; i < n; i++) {
            double z = e->z[ranked[v].row * n + i];

            parts[2 * v * n + i] = z * creal(e->unit[i]);
            parts[(2 * v + 1) * n + i] = z * cimag(e->unit[i]);
        }
    if (parts)
        restore(e, kept, parts);
    for (size_t i = 0; i < kept * n && parts; i++) {
        const double *at = parts + 2 * (i / n) * n + i % n, number[2] = {at[0], at[n]};

        memcpy(&e->a[i], number, sizeof number);
    }
    *count = kept;
    free(ranked);
    free(parts);
    return parts ? KN_OK : ki_fail_memory(err, kept * n * sizeof *e->a, "eigenvectors");
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
                      .real = malloc((n + 1) * 4 * sizeof *e.real),
                      .z = calloc(n * n + 1, sizeof *e.z)};
    bool room = e.diagonal && e.below && e.unit && e.real && e.z;
    kn_status status = room ? KN_OK : ki_fail_memory(err, n * n * sizeof *e.z, "eigenvalues");

    *count = 0;
    if (!status) {
        e.imaginary = e.real + n;
        e.to_real = e.imaginary + n;
        e.to_imaginary = e.to_real + n;
    }
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
    free(e.real);
    free(e.z);
    return status;
}
