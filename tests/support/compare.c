// SPDX-License-Identifier: Apache-2.0
#include "support/compare.h"

#include <math.h>
#include <string.h>

bool test_same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

int test_by_value(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

int test_by_bits(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
}

float test_float_of(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

uint32_t test_bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double test_double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t test_double_bits_of(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

double test_rounded(double value, kn_type type)
{
    return type == KN_F32 ? (double)(float)value : value;
}

double test_norm(const double complex *x, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    return sqrt(sum);
}

double test_relative_distance(const double *x, const double *wanted, size_t count)
{
    double square = 0, norm = 0;

    for (size_t i = 0; i < count; i++) {
        square += (x[i] - wanted[i]) * (x[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    return sqrt(square / (norm > 0 ? norm : 1));
}

double test_relative_distance_of_floats(const float *x, const double *wanted, size_t count)
{
    double square = 0, norm = 0;

    for (size_t i = 0; i < count; i++) {
        square += ((double)x[i] - wanted[i]) * ((double)x[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    return sqrt(square / (norm > 0 ? norm : 1));
}
