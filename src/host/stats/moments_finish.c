// SPDX-License-Identifier: Apache-2.0
#include "moments_finish.h"

#include <math.h>
#include <stdbool.h>

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

// Integers of 256 bits, in digits of 32, the least first: what n times a sum of n squares of 64 bits fits in.
enum { DIGITS = 8 };

// The digits of a sum of columns, each of any size and sign; the sum is not negative.
static void carry_over(const __int128 *columns, uint32_t *digits)
{
    __int128 carry = 0;

    for (int i = 0; i < DIGITS; i++) {
        carry += columns[i];
        digits[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

// The double nearest to digits / divisor, to the even one of two: integers alone, for the same bits wherever
// this runs (long double has 64 bits on x86-64, 113 on arm64). Long division until there are 54 bits; a last
// one stands for the rest.
static double quotient(const uint32_t *digits, unsigned __int128 divisor)
{
    unsigned __int128 rest = 0;
    uint64_t bits = 0;
    uint32_t any = 0;
    int place = 32 * DIGITS;

    for (int i = 0; i < DIGITS; i++)
        any |= digits[i];
    if (any == 0)
        return 0;
    while (bits >> 53 == 0) {
        bool carry = rest >> 127 != 0, goes;

        place--;
        rest = rest << 1 | (place >= 0 ? digits[place / 32] >> place % 32 & 1 : 0);
        goes = carry || rest >= divisor;
        rest -= goes ? divisor : 0;
        bits = bits << 1 | (uint64_t)goes;
    }
    for (int i = 0; i < place; i++)
        rest |= digits[i / 32] >> i % 32 & 1;
    return ldexp((double)(bits << 1 | (uint64_t)(rest != 0)), place - 1);
}

static double signed_quotient(__int128 a, uint64_t divisor)
{
    unsigned __int128 magnitude = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    uint32_t digits[DIGITS] = {0};
    double q;

    for (int i = 0; i < 4; i++)
        digits[i] = (uint32_t)(magnitude >> 32 * i);
    q = quotient(digits, divisor);
    return a < 0 ? -q : q;
}

// (n squares - sum^2) / n^2, of the squares' digits.
static double exact_variance(uint64_t n, const uint32_t *squares, __int128 sum)
{
    unsigned __int128 magnitude = sum < 0 ? -(unsigned __int128)sum : (unsigned __int128)sum;
    __int128 columns[DIGITS];
    uint32_t digits[DIGITS];

    for (int i = 0; i < DIGITS; i++)
        columns[i] = (__int128)squares[i] * n;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            columns[i + j] -= (__int128)(uint32_t)(magnitude >> 32 * i) * (uint32_t)(magnitude >> 32 * j);
    carry_over(columns, digits);
    return quotient(digits, (unsigned __int128)n * n);
}

void ki_moments_from_exact(kn_type type, size_t n, uint64_t shift_key, const struct moments_exact *sums,
                           kn_moments *m)
{
    uint64_t above = ki_element_kind(type) == 1 ? (uint64_t)1 << (ki_element_bits(type) - 1) : 0;
    __int128 keys = (__int128)sums->keys, sum = keys - (__int128)n * shift_key, columns[DIGITS] = {0};
    uint32_t squares[DIGITS];

    for (int i = 0; i < 4; i++)
        columns[i] = (__int128)sums->squares[i];
    carry_over(columns, squares);
    m->n = n;
    m->nan_count = 0;
    m->shift = ki_element_value(ki_element_of_key(shift_key, type), type);
    m->sum = (double)sum;
    m->squares = quotient(squares, 1);
    // A key is its integer, or so much above it.
    m->mean = signed_quotient(keys - (__int128)n * above, n);
    m->variance = exact_variance(n, squares, sum);
    m->min = ki_element_value(ki_element_of_key(sums->least, type), type);
    m->max = ki_element_value(ki_element_of_key(sums->greatest, type), type);
}
