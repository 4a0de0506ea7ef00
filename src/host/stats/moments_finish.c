// SPDX-License-Identifier: Apache-2.0
#include "moments_finish.h"

#include <math.h>

#include "base/element.h"

kn_moments ki_moments_of_nothing(void)
{
    return (kn_moments){.mean = NAN, .variance = NAN, .min = NAN, .max = NAN};
}

void ki_moments_from_sums(kn_moments *m)
{
    double offset = m->sum / (double)m->n; // the mean, seen from the shift
    double variance = fma(-offset, m->sum, m->squares) / (double)m->n;

    m->mean = m->shift + offset + 0.0;
    m->variance = variance < 0 ? 0 : variance + 0.0;
}

void ki_moments_from_exact(kn_type type, size_t n, uint64_t shift_key, const struct moments_exact *sums,
                           kn_moments *m)
{
    uint64_t above = ki_element_kind(type) == 1 ? (uint64_t)1 << (ki_element_bits(type) - 1) : 0;
    __int128 keys = (__int128)sums->keys, sum = keys - (__int128)n * shift_key;
    long double count = (long double)n, squares = 0, variance;

    for (int i = 3; i >= 0; i--)
        squares = squares * 0x1p32L + (long double)sums->squares[i];
    variance = (squares - (long double)sum * ((long double)sum / count)) / count;
    m->n = n;
    m->nan_count = 0;
    m->shift = ki_element_value(ki_element_of_key(shift_key, type), type);
    m->sum = (double)sum;
    m->squares = (double)squares;
    // A key is its integer, or so much above it.
    m->mean = (double)((long double)(keys - (__int128)n * above) / count) + 0.0;
    m->variance = variance < 0 ? 0 : (double)variance;
    m->min = ki_element_value(ki_element_of_key(sums->least, type), type);
    m->max = ki_element_value(ki_element_of_key(sums->greatest, type), type);
}
