// SPDX-License-Identifier: Apache-2.0
// koine/recon.h: noise whitening of coils, and compression of many coils to fewer.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/mri/mri.h"
#include "base/error.h"
#include "host/eigen/host_eigen.h"

static kn_status check(const void *from, const char *what, const void *to, const char *made, size_t coils,
                       size_t numbers, kn_error *err)
{
    if (!from || !to)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s is NULL", from ? made : what);
    if (coils == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no coils");
    if (numbers && coils > SIZE_MAX / sizeof(double complex) / numbers)
        return ki_fail(err, KN_ERROR_LIMIT, "%zu coils of %zu numbers are more than memory has addresses for",
                       coils, numbers);
    return KN_OK;
}

static bool is_finite(double complex value)
{
    return isfinite(creal(value)) && isfinite(cimag(value));
}

// ---- covariances ----

static kn_status find_covariance(const double complex *data, size_t samples, size_t coils,
                                 double complex *covariance, kn_error *err)
{
    kn_status status = check(data, "data", covariance, "covariance", coils, samples, err);

    if (!status && samples == 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "there are no samples");
    if (!status)
        status = check(data, "data", covariance, "covariance", coils, coils, err);
    for (size_t i = 0; i < coils * samples && !status; i++)
        if (!is_finite(data[i]))
            status = ki_fail(err, KN_ERROR_ARGUMENT, "sample %zu of coil %zu is %g%+gi; expected numbers",
                             i % samples, i / samples, creal(data[i]), cimag(data[i]));
    for (size_t c = 0; c < coils && !status; c++)
        for (size_t other = 0; other <= c; other++) {
            double complex sum = 0;

            for (size_t m = 0; m < samples; m++)
                sum += data[c * samples + m] * conj(data[other * samples + m]);
            covariance[c * coils + other] = sum / (double)samples;
            covariance[other * coils + c] = conj(covariance[c * coils + other]);
        }
    return status;
}

kn_status kn_recon_coils_covariance(const double *data, size_t samples, size_t coils, double *covariance,
                                    kn_error *err)
{
    return ki_error_name(
        __func__,
        find_covariance((const double complex *)data, samples, coils, (double complex *)covariance, err),
        err);
}

static kn_status check_covariance(const double complex *covariance, size_t coils, kn_error *err)
{
    double most = 0;

    for (size_t i = 0; i < coils * coils; i++)
        most = fmax(most, cabs(covariance[i]));
    for (size_t i = 0; i < coils * coils; i++) {
        size_t c = i / coils, other = i % coils;
        double complex here = covariance[i], there = covariance[other * coils + c];

        if (!is_finite(here))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "the covariance of coils %zu and %zu is %g%+gi; expected finite numbers", c, other,
                           creal(here), cimag(here));
        if (cabs(here - conj(there)) > 1e-5 * most) // a tolerance for numbers stored in single precision
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "the covariance of coils %zu and %zu is %g%+gi, and of %zu and %zu %g%+gi; expected a "
                "Hermitian matrix",
                c, other, creal(here), cimag(here), other, c, creal(there), cimag(there));
    }
    return KN_OK;
}

// ---- whitening ----

// Computes the lower triangle of L, where Psi = L L^H; `l` must be 0.
static kn_status factor(const double complex *covariance, size_t coils, double complex *l, kn_error *err)
{
    const double singular = 1e-12; // the least part of a coil's noise that previous coils do not have

    for (size_t c = 0; c < coils; c++)
        for (size_t other = 0; other <= c; other++) {
            double complex rest = covariance[c * coils + other];

            for (size_t i = 0; i < other; i++)
                rest -= l[c * coils + i] * conj(l[other * coils + i]);
            if (other < c) {
                l[c * coils + other] = rest / l[other * coils + other];
                continue;
            }
            if (!(creal(rest) > singular * creal(covariance[c * coils + c])))
                return ki_fail(
                    err, KN_ERROR_ARGUMENT,
                    "the noise covariance is singular: the noise of coil %zu is %s; leave the coil "
                    "out, or take a longer noise scan",
                    c, covariance[c * coils + c] == 0 ? "0" : "made of that of the coils before it");
            l[c * coils + c] = sqrt(creal(rest));
        }
    return KN_OK;
}

static kn_status find_whitener(const double complex *covariance, size_t coils, double complex *matrix,
                               kn_error *err)
{
    kn_status status = check(covariance, "covariance", matrix, "matrix", coils, coils, err);
    double complex *l;

    if (!status)
        status = check_covariance(covariance, coils, err);
    if (status)
        return status;
    l = calloc(coils * coils, sizeof *l);
    status = l ? factor(covariance, coils, l, err)
               : ki_fail_memory(err, coils * coils * sizeof *l, "the noise covariance");
    // L^-1, column by column, from the diagonal down.
    for (size_t column = 0; column < coils && !status; column++)
        for (size_t row = 0; row < coils; row++) {
            double complex sum = row == column;

            for (size_t i = column; i < row; i++)
                sum -= l[row * coils + i] * matrix[i * coils + column];
            matrix[row * coils + column] = row < column ? 0 : sum / l[row * coils + row];
        }
    free(l);
    return status;
}

kn_status kn_recon_coils_whiten(const double *covariance, size_t coils, double *matrix, kn_error *err)
{
    return ki_error_name(
        __func__, find_whitener((const double complex *)covariance, coils, (double complex *)matrix, err),
        err);
}

// ---- compression ----

static kn_status find_compression(const double complex *covariance, size_t coils, size_t kept,
                                  double complex *matrix, double *energy, kn_error *err)
{
    kn_status status = check(covariance, "covariance", matrix, "matrix", coils, coils, err);
    double complex *vectors;
    double *values, sum = 0, all = 0;
    size_t count;

    if (!status && (kept == 0 || kept > coils))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%zu coils cannot become %zu", coils, kept);
    if (!status)
        status = check_covariance(covariance, coils, err);
    if (status)
        return status;
    vectors = malloc(coils * coils * sizeof *vectors);
    values = malloc(coils * sizeof *values);
    if (!vectors || !values) {
        status = ki_fail_memory(err, coils * coils * sizeof *vectors, "the coils' covariance");
    } else {
        memcpy(vectors, covariance, coils * coils * sizeof *vectors);
        status = ki_host_eigen(coils, vectors, -1, values, &count, err); // all vectors
    }
    for (size_t i = 0; i < kept * coils && !status; i++)
        matrix[i] = conj(vectors[i]);
    for (size_t i = 0; i < coils && !status; i++) {
        sum += i < kept ? fmax(values[i], 0) : 0;
        all += fmax(values[i], 0);
    }
    if (!status && energy)
        *energy = all > 0 ? sum / all : 1;
    free(vectors);
    free(values);
    return status;
}

kn_status kn_recon_coils_compress(const double *covariance, size_t coils, size_t kept, double *matrix,
                                  double *energy, kn_error *err)
{
    return ki_error_name(__func__,
                         find_compression((const double complex *)covariance, coils, kept,
                                          (double complex *)matrix, energy, err),
                         err);
}

// ---- public functions ----

static kn_status mix(const double complex *matrix, size_t rows, size_t coils, const double complex *data,
                     size_t numbers, double complex *mixed, kn_error *err)
{
    kn_status status = check(data, "data", mixed, "mixed", coils, numbers, err);

    if (!status)
        status = check(matrix, "matrix", mixed, "mixed", rows, numbers, err);
    if (!status && data == mixed)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "data and mixed are one array");
    for (size_t row = 0; row < rows && !status; row++) {
        double complex *to = mixed + row * numbers;

        memset(to, 0, numbers * sizeof *to);
        for (size_t c = 0; c < coils; c++)
            for (size_t m = 0; m < numbers; m++)
                to[m] += matrix[row * coils + c] * data[c * numbers + m];
    }
    return status;
}

kn_status kn_recon_coils_mix(const double *matrix, size_t rows, size_t coils, const double *data,
                             size_t numbers, double *mixed, kn_error *err)
{
    return ki_error_name(__func__,
                         mix((const double complex *)matrix, rows, coils, (const double complex *)data,
                             numbers, (double complex *)mixed, err),
                         err);
}
