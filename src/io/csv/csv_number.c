// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // strtod_l
#include "csv_number.h"

#include <float.h>
#include <stddef.h>
#include <stdlib.h>

const double csv_powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Reads "e-12" at `p`, if it is there, into `exponent`; returns what follows.
static const char *exponent_at(const char *p, int *exponent)
{
    const char *digits = p + 1;
    bool negative;

    *exponent = 0;
    if (*p != 'e' && *p != 'E')
        return p;
    negative = *digits == '-';
    digits += *digits == '-' || *digits == '+';
    if (!is_digit(*digits))
        return p;
    for (; is_digit(*digits); digits++)
        if (*exponent < 100000)
            *exponent = *exponent * 10 + (*digits - '0');
    if (negative)
        *exponent = -*exponent;
    return digits;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 uint128;

enum { MOST_SCALE = 19 }; // 10^19 < 2^64

static uint64_t integer_power_of_ten(unsigned exponent)
{
    static const uint64_t powers[MOST_SCALE + 1] = {UINT64_C(1),
                                                    UINT64_C(10),
                                                    UINT64_C(100),
                                                    UINT64_C(1000),
                                                    UINT64_C(10000),
                                                    UINT64_C(100000),
                                                    UINT64_C(1000000),
                                                    UINT64_C(10000000),
                                                    UINT64_C(100000000),
                                                    UINT64_C(1000000000),
                                                    UINT64_C(10000000000),
                                                    UINT64_C(100000000000),
                                                    UINT64_C(1000000000000),
                                                    UINT64_C(10000000000000),
                                                    UINT64_C(100000000000000),
                                                    UINT64_C(1000000000000000),
                                                    UINT64_C(10000000000000000),
                                                    UINT64_C(100000000000000000),
                                                    UINT64_C(1000000000000000000),
                                                    UINT64_C(10000000000000000000)};

    return powers[exponent];
}

// bits * 2^exponent, plus a fraction of a bit if `rest` is set: rounded to nearest, ties to even. `bits` is
// at least 2^54, and the result is a normal number.
static double rounded(uint64_t bits, bool rest, int exponent)
{
    int above = 11 - __builtin_clzll(bits); // bits below the 53 that are kept
    uint64_t kept = bits >> above, half = UINT64_C(1) << (above - 1), left = bits & (2 * half - 1);
    union {
        uint64_t bits;
        double value;
    } result;

    kept += left > half || (left == half && (rest || (kept & 1)));
    // A carry out of the 53 bits moves into the exponent, as it should.
    result.bits = ((uint64_t)(exponent + above + 1075 - 1) << 52) + kept;
    return result.value;
}

// mantissa * 10^scale, exactly rounded, by one division or multiplication of integers.
static double scaled(uint64_t mantissa, int scale)
{
    uint64_t power = integer_power_of_ten((unsigned)(scale < 0 ? -scale : scale));
    int up, up_power, up_product;

    if (mantissa == 0)
        return 0;
    up = __builtin_clzll(mantissa);
    if (scale < 0) {
        uint128 dividend = (uint128)(mantissa << up) << 63;
        uint64_t divisor, quotient;

        up_power = __builtin_clzll(power);
        divisor = power << up_power;
        quotient = (uint64_t)(dividend / divisor); // 2^62 to 2^64
        return rounded(quotient, quotient * (uint128)divisor != dividend, up_power - up - 63);
    }
    uint128 product = (uint128)mantissa * power;
    if (product >> 64 == 0)
        return (double)(uint64_t)product;
    up_product = __builtin_clzll((uint64_t)(product >> 64));
    product <<= up_product;
    return rounded((uint64_t)(product >> 64), (uint64_t)product != 0, 64 - up_product);
}

#else

enum { MOST_SCALE = -1 }; // strtod does everything

static double scaled(uint64_t mantissa, int scale)
{
    (void)scale;
    return (double)mantissa;
}

#endif

#define INLINE static inline __attribute__((always_inline))

// Appends the digits at `p` to `mantissa`, modulo 2^64; returns what follows.
INLINE const char *digits_at(const char *p, uint64_t *mantissa, const bool has_margin)
{
    uint64_t m = *mantissa;

    while (has_margin) {
        uint64_t digits = csv_load_8(p) ^ CSV_EACH_BYTE('0');

        if (csv_no_digits(digits))
            break;
        m = m * 100000000 + csv_join_8(digits);
        p += 8;
    }
    for (; is_digit(*p); p++)
        m = m * 10 + (uint64_t)(*p - '0');
    *mantissa = m;
    return p;
}

// strtod of a number with a decimal comma: it converts a copy with a point; NULL if that is too long.
static const char *decimal_comma_number(const char *start, const char *end, locale_t c, double *value)
{
    char copy[2001], *comma;
    size_t length = (size_t)(end - start);

    if (length >= sizeof copy)
        return NULL;
    memcpy(copy, start, length);
    copy[length] = '\0';
    comma = memchr(copy, ',', length);
    if (comma)
        *comma = '.';
    *value = strtod_l(copy, NULL, c);
    return end;
}

INLINE const char *number_at(const char *from, const struct csv_marks marks, locale_t c, double *value,
                             const bool has_margin)
{
    const char *start, *digits, *p, *first;
    ptrdiff_t decimals = 0, significant;
    uint64_t mantissa = 0;
    int exponent = 0;
    double result;

    while ((*from == ' ' || *from == '\t') && *from != marks.separator)
        from++;
    start = from;
    digits = from + (*from == '-' || *from == '+');
    p = digits_at(digits, &mantissa, has_margin);
    significant = p - digits;
    if (*p == marks.point) {
        const char *point = p;

        p = digits_at(point + 1, &mantissa, has_margin);
        decimals = p - point - 1;
        significant += decimals;
    }
    if (significant == 0)
        return NULL;
    // Zeros in front are not significant.
    if (significant > 19)
        for (first = digits; *first == '0' || *first == marks.point; first++)
            significant -= *first == '0';
    p = exponent_at(p, &exponent);
    if (significant <= 19 && decimals <= 100 && exponent >= -100 && exponent <= 100) {
        int scale = exponent - (int)decimals;

        // Clinger (1990): an integer below 2^53, multiplied or divided by a power of ten that a double holds
        // exactly, needs one correctly rounded operation. This does not hold for x87 arithmetic.
        if (FLT_EVAL_METHOD == 0 && mantissa <= UINT64_C(1) << 53 && scale >= -22 && scale <= 22) {
            result = (double)mantissa;
            result = scale < 0 ? result / csv_powers_of_ten[-scale] : result * csv_powers_of_ten[scale];
            *value = *start == '-' ? -result : result;
            return p;
        }
        if (scale >= -MOST_SCALE && scale <= MOST_SCALE) {
            result = scaled(mantissa, scale);
            *value = *start == '-' ? -result : result;
            return p;
        }
    }
    if (marks.point != '.')
        return decimal_comma_number(start, p, c, value);
    *value = strtod_l(start, NULL, c);
    return p;
}

const char *csv_number_at(const char *from, locale_t c, double *value)
{
    return number_at(from, csv_usual_marks, c, value, false);
}

const char *csv_long_number_at(const char *from, locale_t c, double *value)
{
    return number_at(from, csv_usual_marks, c, value, true);
}

const char *csv_marked_number_at(const char *from, struct csv_marks marks, locale_t c, double *value)
{
    return number_at(from, marks, c, value, false);
}
