// SPDX-License-Identifier: Apache-2.0
// Tables of roots of unity, computed in double precision.
#include "fft.h"

#include <math.h>
#include <stdlib.h>

static bool push(struct fft_roots *roots, const double value[2])
{
    if (roots->count == roots->capacity) {
        size_t capacity = roots->capacity ? 2 * roots->capacity : 256;
        double *values = realloc(roots->values, capacity * 2 * sizeof *values);
        if (!values)
            return false;
        roots->values = values;
        roots->capacity = capacity;
    }
    roots->values[2 * roots->count] = value[0];
    roots->values[2 * roots->count + 1] = value[1];
    roots->count++;
    return true;
}

static bool push_root(struct fft_roots *roots, uint64_t k, uint64_t n)
{
    double value[2];

    ki_fft_root_of_unity(k, n, value);
    return push(roots, value);
}

// Stage after stage, [r - 1][k] of exp(-2 pi i r k / (span * radix)).
bool ki_fft_roots_of_cut(struct fft_roots *roots, const struct fft_cut *cut, uint32_t *at)
{
    unsigned span = cut->radices[0];
    bool fine = true;

    *at = (uint32_t)roots->count;
    for (unsigned s = 1; s < cut->stages; s++) {
        for (unsigned r = 1; r < cut->radices[s]; r++)
            for (unsigned k = 0; k < span; k++)
                fine = fine && push_root(roots, (uint64_t)r * k, (uint64_t)span * cut->radices[s]);
        span *= cut->radices[s];
    }
    return fine;
}

// exp(-2 pi i m / n) is low[m mod 2^log2_low] times high[m >> log2_low].
bool ki_fft_roots_of_long(struct fft_roots *roots, size_t n, uint32_t *at, uint32_t *log2_low)
{
    bool fine = true;

    *at = (uint32_t)roots->count;
    *log2_low = 0;
    while (((size_t)1 << 2 * *log2_low) < n)
        ++*log2_low;
    for (size_t m = 0; m < (size_t)1 << *log2_low; m++)
        fine = fine && push_root(roots, m, n);
    for (size_t m = 0; m <= n >> *log2_low; m++)
        fine = fine && push_root(roots, m << *log2_low, n);
    return fine;
}

// Plain recursive transform of a smooth length, for the filter: x with a stride to y.
static void transform(const double *x, double *y, size_t n, size_t stride)
{
    size_t radix = 2;

    if (n == 1) {
        y[0] = x[0];
        y[1] = x[1];
        return;
    }
    while (n % radix)
        radix++;
    size_t m = n / radix;
    for (size_t r = 0; r < radix; r++)
        transform(x + 2 * r * stride, y + 2 * r * m, m, stride * radix);
    for (size_t k = 0; k < m; k++) {
        double part[13][2];
        for (size_t r = 0; r < radix; r++) {
            double w[2], *from = y + 2 * (r * m + k);
            ki_fft_root_of_unity(r * k, n, w);
            part[r][0] = from[0] * w[0] - from[1] * w[1];
            part[r][1] = from[0] * w[1] + from[1] * w[0];
        }
        for (size_t q = 0; q < radix; q++) {
            double sum[2] = {0, 0}, w[2];
            for (size_t r = 0; r < radix; r++) {
                ki_fft_root_of_unity(r * q, radix, w);
                sum[0] += part[r][0] * w[0] - part[r][1] * w[1];
                sum[1] += part[r][0] * w[1] + part[r][1] * w[0];
            }
            y[2 * (q * m + k)] = sum[0];
            y[2 * (q * m + k) + 1] = sum[1];
        }
    }
}

bool ki_fft_roots_of_chirp(struct fft_roots *roots, size_t n, size_t length, uint32_t *down, uint32_t *up,
                           uint32_t *filter)
{
    double *circle = calloc(length, 2 * sizeof *circle), *spectrum = calloc(length, 2 * sizeof *spectrum);
    bool fine = circle && spectrum;

    *down = (uint32_t)roots->count;
    for (uint64_t j = 0; j < n && fine; j++) {
        double w[2];
        ki_fft_root_of_unity(j * j % (2 * n), 2 * n, w);
        fine = push(roots, w);
        w[1] = -w[1];
        for (size_t part = 0; part < 2; part++)
            circle[2 * j + part] = circle[2 * ((length - j) % length) + part] = w[part];
    }
    *up = (uint32_t)roots->count;
    for (uint64_t j = 0; j < n && fine; j++) {
        const double *w = &roots->values[2 * (*down + j)];
        const double conjugate[2] = {w[0], -w[1]};
        fine = push(roots, conjugate);
    }
    *filter = (uint32_t)roots->count;
    if (fine)
        transform(circle, spectrum, length, 1);
    for (size_t k = 0; k < length && fine; k++) {
        const double value[2] = {spectrum[2 * k] / (double)length, spectrum[2 * k + 1] / (double)length};
        fine = push(roots, value);
    }
    free(circle);
    free(spectrum);
    return fine;
}
