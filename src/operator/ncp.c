// SPDX-License-Identifier: Apache-2.0
#include "ncp.h"

#include <math.h>

enum { SEGMENT = 512 };

// exp(-i 2 pi k / length) for k below length / 2.
static void make_turns(size_t length, double *re, double *im)
{
    for (size_t k = 0; k < length / 2; k++) {
        double angle = 2 * acos(-1) * (double)k / (double)length;

        re[k] = cos(angle);
        im[k] = -sin(angle);
    }
}

static size_t reversed(size_t i, size_t length)
{
    size_t result = 0;

    for (size_t bit = 1; bit < length; bit *= 2, i /= 2)
        result = 2 * result + i % 2;
    return result;
}

// The fast Fourier transform (Cooley and Tukey 1965) of a power of two numbers, given in bit-reversed order.
static void transform(size_t length, const double *turn_re, const double *turn_im, double *re, double *im)
{
    for (size_t half = 1; half < length; half *= 2)
        for (size_t begin = 0; begin < length; begin += 2 * half)
            for (size_t k = 0; k < half; k++) {
                size_t a = begin + k, b = a + half, turn = k * (length / (2 * half));
                double x = re[b] * turn_re[turn] - im[b] * turn_im[turn];
                double y = re[b] * turn_im[turn] + im[b] * turn_re[turn];

                re[b] = re[a] - x;
                im[b] = im[a] - y;
                re[a] += x;
                im[a] += y;
            }
}

size_t ki_ncp_segment(size_t count)
{
    size_t length = SEGMENT;

    while (length > count)
        length /= 2;
    return length;
}

double ki_ncp_of_noise(size_t count)
{
    size_t length = ki_ncp_segment(count);

    return length < NCP_SHORTEST ? 0 : 1 / sqrt(6 * (double)(count / length * (length / 2)));
}

double ki_ncp_distance(const double *residual, size_t count)
{
    double turn_re[SEGMENT / 2], turn_im[SEGMENT / 2], re[SEGMENT], im[SEGMENT], power[SEGMENT / 2] = {0};
    double all = 0, sum = 0, squares = 0;
    size_t length = ki_ncp_segment(count), half;

    if (length < NCP_SHORTEST)
        return 0;
    half = length / 2;
    make_turns(length, turn_re, turn_im);
    for (size_t begin = 0; begin + length <= count; begin += length) {
        for (size_t i = 0; i < length; i++) {
            re[i] = residual[begin + reversed(i, length)];
            im[i] = 0;
        }
        transform(length, turn_re, turn_im, re, im);
        for (size_t k = 1; k <= half; k++)
            power[k - 1] += re[k] * re[k] + im[k] * im[k];
    }
    for (size_t k = 0; k < half; k++)
        all += power[k];
    for (size_t k = 0; k < half && all > 0; k++) {
        double difference;

        sum += power[k];
        difference = sum / all - (double)(k + 1) / (double)half;
        squares += difference * difference;
    }
    return sqrt(squares / (double)half);
}
