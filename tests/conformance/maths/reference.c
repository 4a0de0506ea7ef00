// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <limits.h>
#include <math.h>

static const long double one_over_pi = 0.318309886183790671537767526745028724L;
static const long double pi = 3.141592653589793238462643383279502884L;

// name(x) = what, for the arguments x, y, z, k.
#define REFERENCE(name, what)                                                                                \
    long double reference_##name(const struct maths_args *a)                                                 \
    {                                                                                                        \
        const long double x = a->x, y = a->y, z = a->z;                                                      \
        const int k = a->k;                                                                                  \
        (void)x, (void)y, (void)z, (void)k;                                                                  \
        return what;                                                                                         \
    }

// A function of the C library that rounds its result once, in the type of the arguments.
#define TYPED_1(function) (a->single ? (long double)function##f((float)x) : function((double)x))
#define TYPED_2(function)                                                                                    \
    (a->single ? (long double)function##f((float)x, (float)y) : function((double)x, (double)y))

static bool is_integer(long double x)
{
    return isfinite(x) && x == floorl(x);
}

static bool is_odd(long double x)
{
    return is_integer(x) && fmodl(x, 2) != 0;
}

// ---- one argument

REFERENCE(acos, acosl(x))
REFERENCE(acosh, acoshl(x))
REFERENCE(acospi, acosl(x) * one_over_pi)
REFERENCE(asin, asinl(x))
REFERENCE(asinh, asinhl(x))
REFERENCE(asinpi, asinl(x) * one_over_pi)
REFERENCE(atan, atanl(x))
REFERENCE(atanh, atanhl(x))
REFERENCE(atanpi, isinf(x) ? copysignl(0.5L, x) : atanl(x) * one_over_pi)
REFERENCE(cbrt, cbrtl(x))
REFERENCE(ceil, ceill(x))
REFERENCE(cos, cosl(x))
REFERENCE(cosh, coshl(x))
REFERENCE(erf, erfl(x))
REFERENCE(erfc, erfcl(x))
REFERENCE(exp, expl(x))
REFERENCE(exp2, exp2l(x))
REFERENCE(exp10, powl(10, x))
REFERENCE(expm1, expm1l(x))
REFERENCE(fabs, fabsl(x))
REFERENCE(floor, floorl(x))
REFERENCE(lgamma, lgammal(x))
REFERENCE(log, logl(x))
REFERENCE(log2, log2l(x))
REFERENCE(log10, log10l(x))
REFERENCE(log1p, log1pl(x))
REFERENCE(logb, logbl(x))
REFERENCE(rint, rintl(x))
REFERENCE(round, roundl(x))
REFERENCE(rsqrt, 1 / sqrtl(x))
REFERENCE(sin, sinl(x))
REFERENCE(sinh, sinhl(x))
REFERENCE(sqrt, TYPED_1(sqrt))
REFERENCE(tan, tanl(x))
REFERENCE(tanh, tanhl(x))
REFERENCE(tgamma, tgammal(x))
REFERENCE(trunc, truncl(x))
REFERENCE(ilogb, x == 0 ? INT_MIN : isfinite(x) ? ilogbl(x) : INT_MAX)
REFERENCE(nan, NAN)

// The argument is reduced exactly, so pi enters only once: r in quarter turns from the nearest axis.
static long double sine_of_turns(long double x, int axis)
{
    long double turn = fmodl(fabsl(x), 2), nearest = rintl(2 * turn), r = turn - nearest / 2;

    switch (((int)nearest + axis) % 4) {
    case 0:
        return sinl(pi * r);
    case 1:
        return cosl(pi * r);
    case 2:
        return -sinl(pi * r);
    default:
        return -cosl(pi * r);
    }
}

static long double sinpil(long double x)
{
    if (!isfinite(x))
        return NAN;
    return is_integer(x) ? copysignl(0, x) : copysignl(1, x) * sine_of_turns(x, 0);
}

static long double cospil(long double x)
{
    if (!isfinite(x))
        return NAN;
    return is_odd(2 * x) ? 0 : sine_of_turns(x, 1);
}

REFERENCE(sinpi, sinpil(x))
REFERENCE(cospi, cospil(x))
REFERENCE(tanpi, sinpil(x) / cospil(x))

// ---- two and three arguments

REFERENCE(atan2, atan2l(x, y))
REFERENCE(copysign, copysignl(x, y))
REFERENCE(fdim, TYPED_2(fdim))
REFERENCE(fmax, fmaxl(x, y))
REFERENCE(fmin, fminl(x, y))
REFERENCE(fmod, fmodl(x, y))
REFERENCE(hypot, hypotl(x, y))
REFERENCE(maxmag, fabsl(x) > fabsl(y) ? x : fabsl(y) > fabsl(x) ? y : fmaxl(x, y))
REFERENCE(minmag, fabsl(x) < fabsl(y) ? x : fabsl(y) < fabsl(x) ? y : fminl(x, y))
REFERENCE(nextafter, TYPED_2(nextafter))
REFERENCE(pow, powl(x, y))
REFERENCE(remainder, remainderl(x, y))
REFERENCE(fma,
          a->single ? (long double)fmaf((float)x, (float)y, (float)z) : fma((double)x, (double)y, (double)z))
REFERENCE(mad, fmal(x, y, z))

// If the result is an exact simple fraction, it is returned as such.
long double reference_atan2pi(const struct maths_args *a)
{
    if (isinf(a->x) || isinf(a->y) || a->x == 0 || a->y == 0)
        return rintl(4 * atan2l(a->x, a->y) * one_over_pi) / 4;
    return atan2l(a->x, a->y) * one_over_pi;
}

// exp2(y * log2(x)), for x >= 0.
long double reference_powr(const struct maths_args *a)
{
    const long double x = a->x, y = a->y;

    if (isnan(x) || isnan(y) || x < 0 || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
        return NAN;
    return powl(fabsl(x), y);
}

// ---- with an int argument

REFERENCE(ldexp, a->single ? (long double)ldexpf((float)x, k) : ldexp((double)x, k))
REFERENCE(pown, powl(x, k))

// The exponent 1/k is rounded; the difference is corrected to first order, because a large x would magnify
// it.
long double reference_rootn(const struct maths_args *a)
{
    long double magnitude = fabsl(a->x), power = 1 / (long double)a->k, root;

    if (a->k == 0 || (a->x < 0 && a->k % 2 == 0) || isnan(a->x))
        return NAN;
    root = powl(magnitude, power);
    if (root > 0 && isfinite(root) && isfinite(magnitude))
        root += root * logl(magnitude) * (fmal(-power, a->k, 1) / a->k);
    return a->k % 2 ? copysignl(root, a->x) : root;
}

// ---- with a second result

long double reference_fract(const struct maths_args *a)
{
    if (a->x == 0 || isinf(a->x))
        return copysignl(0, a->x);
    if (a->single)
        return fminf((float)a->x - floorf((float)a->x), 0x1.fffffep-1f) + (isnan(a->x) ? NAN : 0);
    return fmin((double)a->x - floor((double)a->x), 0x1.fffffffffffffp-1) + (isnan(a->x) ? NAN : 0);
}
REFERENCE(fract_stored, floorl(x))
REFERENCE(modf, copysignl(isinf(x) ? 0 : x - truncl(x), x))
REFERENCE(modf_stored, truncl(x))
REFERENCE(sincos, sinl(x))
REFERENCE(sincos_stored, cosl(x))
REFERENCE(lgamma_r, lgammal(x))
REFERENCE(remquo, remainderl(x, y))

long double reference_frexp(const struct maths_args *a)
{
    int exponent;

    return frexpl(a->x, &exponent);
}

long double reference_frexp_stored(const struct maths_args *a)
{
    int exponent = 0;

    (void)frexpl(a->x, &exponent);
    return isfinite(a->x) ? exponent : 0;
}

// Gamma is negative between an odd negative integer and the even one below it. The stored value is
// unspecified for infinities and NaN.
long double reference_lgamma_r_stored(const struct maths_args *a)
{
    if (!isfinite(a->x))
        return ANY_INT;
    if (a->x == 0 || (a->x < 0 && is_integer(a->x)))
        return 0;
    return a->x < 0 && is_odd(floorl(a->x)) ? -1 : 1;
}

// The lower seven bits of the quotient nearest to x/y, with the sign of x/y.
long double reference_remquo_stored(const struct maths_args *a)
{
    long double y = fabsl(a->y), rest, quotient;

    if (!isfinite(a->x) || isnan(a->y) || y == 0 || isinf(y))
        return 0;
    rest = fmodl(fabsl(a->x), 128 * y); // exact, and so are the next steps
    quotient = fmodl((rest - remainderl(rest, y)) / y, 128);
    return signbit(a->x) != signbit(a->y) ? -quotient : quotient;
}

// ---- half_ and native_: the values of their namesakes

#define LIKE(prefix, name)                                                                                   \
    long double reference_##prefix##_##name(const struct maths_args *a)                                      \
    {                                                                                                        \
        return reference_##name(a);                                                                          \
    }
#define LIKES(prefix)                                                                                        \
    LIKE(prefix, cos)                                                                                        \
    LIKE(prefix, exp)                                                                                        \
    LIKE(prefix, exp2)                                                                                       \
    LIKE(prefix, exp10)                                                                                      \
    LIKE(prefix, log)                                                                                        \
    LIKE(prefix, log2)                                                                                       \
    LIKE(prefix, log10)                                                                                      \
    LIKE(prefix, powr)                                                                                       \
    LIKE(prefix, rsqrt)                                                                                      \
    LIKE(prefix, sin)                                                                                        \
    LIKE(prefix, sqrt)                                                                                       \
    LIKE(prefix, tan)                                                                                        \
    REFERENCE(prefix##_recip, 1 / x)                                                                         \
    REFERENCE(prefix##_divide, x / y)

LIKES(half)
LIKES(native)
