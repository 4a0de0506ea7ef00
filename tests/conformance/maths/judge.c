// SPDX-License-Identifier: Apache-2.0
#include "judge.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

// ---- the rows

#define EXACT                        MATHS_EXACT
#define FREE                         MATHS_FREE
#define ROW(f, single, twice, takes) {#f, #f, reference_##f, single, twice, takes, false, false},
#define STORED(f, where, single, twice, takes, whole)                                                        \
    {#f, #f where, reference_##f, single, twice, takes, false, false},                                       \
        {#f, #f " stored" where, reference_##f##_stored, single, twice, takes, true, whole},
#define SPACES(...)                                                                                          \
    STORED_IN(" (__private)", __VA_ARGS__)                                                                   \
    STORED_IN(" (__local)", __VA_ARGS__) STORED_IN(" (__global)", __VA_ARGS__)
#define STORED_IN(where, f, single, twice, takes, whole) STORED(f, where, single, twice, takes, whole)
#define F1(f, single, twice)                             ROW(f, single, twice, MATHS_X)
#define F2(f, single, twice)                             ROW(f, single, twice, MATHS_XY)
#define F3(f, single, twice)                             ROW(f, single, twice, MATHS_XYZ)
#define FI(f, single, twice)                             ROW(f, single, twice, MATHS_XK)
#define FQ(f)                                            {#f, #f, reference_##f, EXACT, EXACT, MATHS_X, false, true},
#define FN(f)                                            ROW(f, EXACT, EXACT, MATHS_X)
#define P1(f, single, twice)                             SPACES(f, single, twice, MATHS_X, false)
#define PQ(f, single, twice)                             SPACES(f, single, twice, MATHS_X, true)
#define P2(f, single, twice)                             SPACES(f, single, twice, MATHS_XY, true)

const struct maths_row maths_rows[] = {
#define SINGLE
#include "functions.h"
#undef SINGLE
};
_Static_assert(KI_COUNT(maths_rows) <= MATHS_MOST_ROWS, "MATHS_MOST_ROWS is too small");

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

// The rows that are only for float come last.
size_t maths_row_count(bool single)
{
    size_t count = 0;

    while (count < KI_COUNT(maths_rows) && (single || !begins(maths_rows[count].function, "half_")))
        count++;
    return count;
}

double maths_bound(size_t row, bool single)
{
    return single ? maths_rows[row].single : maths_rows[row].twice;
}

static bool is(size_t row, const char *function)
{
    return strcmp(maths_rows[row].function, function) == 0;
}

// ---- known errors of devices

static bool always(const struct maths_question *q, long double got, long double expected)
{
    (void)q, (void)got, (void)expected;
    return true;
}

static bool sign_of_zero(const struct maths_question *q, long double got, long double expected)
{
    (void)q;
    return got == 0 && expected == 0;
}

static bool at_infinity(const struct maths_question *q, long double got, long double expected)
{
    (void)got, (void)expected;
    return isinf(q->args->x);
}

static bool at_poles(const struct maths_question *q, long double got, long double expected)
{
    (void)got, (void)expected;
    return q->args->x <= 0 && q->args->x == floorl(q->args->x);
}

// FP_ILOGBNAN may be INT_MAX or INT_MIN; the reference uses ours.
static bool of_nan(const struct maths_question *q, long double got, long double expected)
{
    (void)expected;
    return isnan(q->args->x) && got == INT_MIN;
}

// 0 for 1 and 1 for -1, like C's signbit.
static bool as_sign_bit(const struct maths_question *q, long double got, long double expected)
{
    return maths_rows[q->row].stored && expected != 0 && got == (expected < 0);
}

// The lower seven bits of the quotient are right, but higher bits are set too.
static bool above_seven_bits(const struct maths_question *q, long double got, long double expected)
{
    return maths_rows[q->row].stored && fabsl(got) > 127 && fmodl(got, 128) == expected;
}

// Where the result of tgamma exceeds the range of the type.
static bool far_below_zero(const struct maths_question *q, long double got, long double expected)
{
    (void)got, (void)expected;
    return q->args->x < (q->args->single ? -33 : -169);
}

static bool in_vectors(const struct maths_question *q, long double got, long double expected)
{
    (void)got, (void)expected;
    return q->width > 1;
}

static bool in_wide_vectors(const struct maths_question *q, long double got, long double expected)
{
    (void)got, (void)expected;
    return q->width >= 8;
}

static bool in_vectors_if_denormal(const struct maths_question *q, long double got, long double expected)
{
    (void)got;
    return q->width > 1 && fabsl(expected) < (q->args->single ? FLT_MIN : DBL_MIN);
}

enum { FLOAT = 1, DOUBLE = 2, BOTH = 3 };

static const struct {
    const char *platform, *driver; // the start of its name and version
    const char *function;
    int types;
    bool (*where)(const struct maths_question *q, long double got, long double expected);
    const char *reason;
} known[] = {
#define POCL_3            "Portable Computing Language", "3."
#define POCL_5            "Portable Computing Language", "5."
#define POCL_6            "Portable Computing Language", "6."
#define ONE_FOR_ALL       "PoCL 3.1 reduces all angles of a vector as if they were large when one is"
#define MIXED_UP          "PoCL 3.1 gives a double8's components exponents of others (seen with AVX-512)"
#define ODD_ZEROS         "PoCL 3.1 gives the zeros at odd integers the wrong sign"
#define ENDLESS           "PoCL 3.1's never ends for some arguments of a double8 or double16: it is left out"
#define LOST_SIGN         "PoCL 3.1 loses the sign of zero"
#define STILL_ONE_FOR_ALL "PoCL 5.0 reduces all angles of a vector as if they were large when one is"
#define STILL_MIXED_UP    "PoCL 5.0 gives a double8's components exponents of others (seen with AVX-512)"
#define STILL_ODD_ZEROS   "PoCL 5.0 gives the zeros at odd integers the wrong sign"
#define YET_ONE_FOR_ALL   "PoCL 6.0 reduces all angles of a vector as if they were large when one is"
#define YET_MIXED_UP      "PoCL 6.0 gives a double8's components exponents of others (seen with AVX-512)"
#define YET_ODD_ZEROS     "PoCL 6.0 gives the zeros at odd integers the wrong sign"
    {POCL_3, "atanpi", DOUBLE, sign_of_zero, LOST_SIGN},
    {POCL_3, "cos", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "cospi", BOTH, sign_of_zero, "PoCL 3.1 gives -0 at n + 0.5"},
    {POCL_3, "fmod", DOUBLE, in_vectors, ENDLESS},
    {POCL_3, "fract", BOTH, sign_of_zero, LOST_SIGN},
    {POCL_3, "frexp", DOUBLE, in_wide_vectors, MIXED_UP},
    {POCL_3, "half_cos", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "half_sin", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "half_tan", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "ldexp", BOTH, in_vectors_if_denormal, "PoCL 3.1 rounds a vector's denormal results twice"},
    {POCL_3, "lgamma_r", BOTH, at_poles, "PoCL 3.1 stores a sign where Gamma has none"},
    {POCL_3, "nan", BOTH, always, "PoCL 3.1 puts the code over the bit that makes a NaN quiet"},
    {POCL_3, "pow", DOUBLE, in_wide_vectors, MIXED_UP},
    {POCL_3, "pown", DOUBLE, in_wide_vectors, MIXED_UP},
    {POCL_3, "powr", DOUBLE, in_wide_vectors, MIXED_UP},
    {POCL_3, "remainder", DOUBLE, in_vectors, ENDLESS},
    {POCL_3, "remquo", DOUBLE, in_vectors, ENDLESS},
    {POCL_3, "rootn", DOUBLE, in_wide_vectors, MIXED_UP},
    {POCL_3, "sin", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "sincos", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "sinpi", BOTH, sign_of_zero, ODD_ZEROS},
    {POCL_3, "tan", FLOAT, in_vectors, ONE_FOR_ALL},
    {POCL_3, "tanh", FLOAT, at_infinity, "PoCL 3.1 stays below 1"},
    {POCL_3, "tanpi", BOTH, sign_of_zero, ODD_ZEROS},
    {POCL_3, "tgamma", BOTH, far_below_zero, "PoCL 3.1 divides by what overflows before the result vanishes"},
    // PoCL 5.0 of Ubuntu 24.04 (LLVM 17, AVX-512).
    {POCL_5, "atanpi", DOUBLE, sign_of_zero, "PoCL 5.0 loses the sign of zero"},
    {POCL_5, "cos", FLOAT, in_vectors, STILL_ONE_FOR_ALL},
    {POCL_5, "cospi", BOTH, sign_of_zero, "PoCL 5.0 gives -0 at n + 0.5"},
    {POCL_5, "fmod", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "fract", BOTH, sign_of_zero, "PoCL 5.0 loses the sign of zero"},
    {POCL_5, "frexp", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "half_sin", FLOAT, in_vectors, STILL_ONE_FOR_ALL},
    {POCL_5, "half_tan", FLOAT, in_vectors, STILL_ONE_FOR_ALL},
    {POCL_5, "ldexp", FLOAT, in_vectors_if_denormal, "PoCL 5.0 rounds a vector's denormal results twice"},
    {POCL_5, "lgamma_r", BOTH, at_poles, "PoCL 5.0 stores a sign where Gamma has none"},
    {POCL_5, "nan", BOTH, always, "PoCL 5.0 puts the code over the bit that makes a NaN quiet"},
    {POCL_5, "pow", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "pown", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "powr", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "remainder", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "remquo", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "rootn", DOUBLE, in_wide_vectors, STILL_MIXED_UP},
    {POCL_5, "sin", FLOAT, in_vectors, STILL_ONE_FOR_ALL},
    {POCL_5, "sincos", FLOAT, in_vectors, STILL_ONE_FOR_ALL},
    {POCL_5, "sinpi", BOTH, sign_of_zero, STILL_ODD_ZEROS},
    {POCL_5, "tan", FLOAT, in_vectors, STILL_ONE_FOR_ALL},
    {POCL_5, "tanh", FLOAT, at_infinity, "PoCL 5.0 stays below 1"},
    {POCL_5, "tanpi", BOTH, sign_of_zero, STILL_ODD_ZEROS},
    {POCL_5, "tgamma", BOTH, far_below_zero, "PoCL 5.0 divides by what overflows before the result vanishes"},
    // PoCL 6.0 of Debian 13 (LLVM 18, AVX-512).
    {POCL_6, "atanpi", DOUBLE, sign_of_zero, "PoCL 6.0 loses the sign of zero"},
    {POCL_6, "cos", FLOAT, in_vectors, YET_ONE_FOR_ALL},
    {POCL_6, "cospi", BOTH, sign_of_zero, "PoCL 6.0 gives -0 at n + 0.5"},
    {POCL_6, "fmod", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "fract", BOTH, sign_of_zero, "PoCL 6.0 loses the sign of zero"},
    {POCL_6, "frexp", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "half_sin", FLOAT, in_vectors, YET_ONE_FOR_ALL},
    {POCL_6, "half_tan", FLOAT, in_vectors, YET_ONE_FOR_ALL},
    {POCL_6, "ldexp", FLOAT, in_vectors_if_denormal, "PoCL 6.0 rounds a vector's denormal results twice"},
    {POCL_6, "lgamma_r", BOTH, at_poles, "PoCL 6.0 stores a sign where Gamma has none"},
    {POCL_6, "nan", BOTH, always, "PoCL 6.0 puts the code over the bit that makes a NaN quiet"},
    {POCL_6, "pow", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "pown", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "powr", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "remainder", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "remquo", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "rootn", DOUBLE, in_wide_vectors, YET_MIXED_UP},
    {POCL_6, "sin", FLOAT, in_vectors, YET_ONE_FOR_ALL},
    {POCL_6, "sincos", FLOAT, in_vectors, YET_ONE_FOR_ALL},
    {POCL_6, "sinpi", BOTH, sign_of_zero, YET_ODD_ZEROS},
    {POCL_6, "tan", FLOAT, in_vectors, YET_ONE_FOR_ALL},
    {POCL_6, "tanh", FLOAT, at_infinity, "PoCL 6.0 stays below 1"},
    {POCL_6, "tanpi", BOTH, sign_of_zero, YET_ODD_ZEROS},
    {POCL_6, "tgamma", BOTH, far_below_zero, "PoCL 6.0 divides by what overflows before the result vanishes"},
    {"NVIDIA CUDA", "", "lgamma_r", BOTH, as_sign_bit,
     "NVIDIA's OpenCL stores 0 and 1 for the signs 1 and -1"},
    {"NVIDIA CUDA", "", "lgamma_r", BOTH, at_poles, "NVIDIA's OpenCL stores a sign where Gamma has none"},
    {"NVIDIA CUDA", "", "fract", BOTH, sign_of_zero, "NVIDIA's OpenCL loses the sign of zero"},
    {"NVIDIA CUDA", "", "tanpi", BOTH, sign_of_zero, "NVIDIA's OpenCL loses the sign of zero"},
    {"NVIDIA CUDA", "", "ilogb", BOTH, of_nan, "NVIDIA's FP_ILOGBNAN is INT_MIN, as it may be"},
#define INTEL_CPU "Intel(R) OpenCL", "2026."
    {INTEL_CPU, "lgamma_r", BOTH, at_poles,
     "7.5.1: lgamma_r stores 0 if x is zero or a negative integer; Intel's CPU runtime stores 1 or -1"},
    {INTEL_CPU, "remquo", BOTH, above_seven_bits,
     "6.12.2: remquo stores the lower seven bits of the quotient; Intel's CPU runtime stores more of them"},
    {"host", "", "cbrt", DOUBLE, always, "the C library's is within 4 units; CUDA's, on a GPU, within 1"},
};

static const char *known_reason(const struct maths_question *q, long double got, long double expected)
{
    for (size_t i = 0; i < KI_COUNT(known); i++)
        if (begins(q->device->platform, known[i].platform) && begins(q->device->driver, known[i].driver) &&
            is(q->row, known[i].function) && known[i].types & (q->args->single ? FLOAT : DOUBLE) &&
            known[i].where(q, got, expected))
            return known[i].reason;
    return NULL;
}

// ---- units in the last place

static long double least_normal(bool single)
{
    return single ? FLT_MIN : DBL_MIN;
}

static long double largest(bool single)
{
    return single ? FLT_MAX : DBL_MAX;
}

// The unit in the last place of a real number: the distance between the two numbers of the type that are
// nearest to it.
static long double ulp(long double x, bool single)
{
    const int mantissa = single ? FLT_MANT_DIG : DBL_MANT_DIG;
    int exponent;
    long double fraction = frexpl(fmaxl(fminl(fabsl(x), largest(single)), least_normal(single)), &exponent);

    if (fraction == 0.5L && fabsl(x) > least_normal(single)) // the power of two and the number below it
        exponent--;
    return ldexpl(1, exponent - mantissa);
}

// Infinity counts as the number that would follow the largest one.
static double error_of(long double got, long double expected, bool single)
{
    const long double beyond = largest(single) + ulp(largest(single), single);

    if (isinf(got) && fabsl(expected) >= beyond)
        return signbit(got) == signbit(expected) ? 0 : INFINITY;
    if (isinf(got))
        got = copysignl(beyond, got);
    if (isinf(expected))
        return INFINITY;
    return (double)(fabsl(got - expected) / ulp(expected, single));
}

// ---- the judgement

static bool is_special(long double x)
{
    return x == 0 || isinf(x) || isnan(x);
}

static bool any_argument(size_t row, const struct maths_args *args, bool (*has)(long double))
{
    const unsigned takes = maths_rows[row].takes;

    return has(args->x) || ((takes == MATHS_XY || takes == MATHS_XYZ) && has(args->y)) ||
           (takes == MATHS_XYZ && has(args->z));
}

static bool is_special_or_one(long double x)
{
    return is_special(x) || fabsl(x) == 1;
}

// Whether F.9 of C99 prescribes the result: zeros, infinities and +-1 for arguments that are zero, infinite,
// at a zero or pole of the function, 1 or -1. (F.9 does not have exp10; for it, 7.5.1 only prescribes
// infinities.)
static bool is_prescribed(size_t row, const struct maths_args *args, long double expected)
{
    if (maths_rows[row].single == MATHS_FREE && !begins(maths_rows[row].function, "lgamma"))
        return false;
    if (expected == 0 || isinf(expected))
        return any_argument(row, args, is_special_or_one);
    return fabsl(expected) == 1 && any_argument(row, args, is_special) && !is(row, "exp10") &&
           !is(row, "half_exp10");
}

// Results whose sign is unspecified: the sign of a zero, or rsqrt(-0).
static bool any_sign(size_t row, const struct maths_args *args)
{
    if (args->x == 0 && (is(row, "rsqrt") || is(row, "half_rsqrt")))
        return true;
    return args->x == 0 && args->y == 0 &&
           (is(row, "fmin") || is(row, "fmax") || is(row, "minmag") || is(row, "maxmag"));
}

// The range of half_ angles ends at 2^16. The ranges of native_ functions are implementation-defined: only
// arguments that any implementation must handle are measured.
static bool is_beyond_range(size_t row, const struct maths_args *args)
{
    const long double x = fabsl(args->x), y = fabsl(args->y);

    if (is(row, "half_sin") || is(row, "half_cos") || is(row, "half_tan"))
        return x > 0x1p16L;
    if (!begins(maths_rows[row].function, "native_"))
        return false;
    if (is(row, "native_sin") || is(row, "native_cos") || is(row, "native_tan"))
        return !(x > 0x1p-10L && x < 3.125L);
    if (begins(maths_rows[row].function, "native_exp"))
        return !(x < 32);
    if (is(row, "native_divide"))
        return !(x > 0x1p-40L && x < 0x1p40L && y > 0x1p-40L && y < 0x1p40L);
    if (is(row, "native_powr"))
        return !(args->x > 0x1p-10L && x < 0x1p10L && y < 8);
    return !(args->x > 0x1p-40L && x < 0x1p40L) ||
           (begins(maths_rows[row].function, "native_log") && x > 0.5L && x < 2);
}

static bool same(long double a, long double b)
{
    return a == b || (isnan(a) && isnan(b));
}

// The result of the CUDA path, with one rounding or two, although the specification allows any value.
static bool is_mad(const struct maths_args *args, long double got)
{
    const double x = (double)args->x, y = (double)args->y, z = (double)args->z;

    if (args->single)
        return same(got, fmaf((float)x, (float)y, (float)z)) || same(got, (float)x * (float)y + (float)z);
    return same(got, fma(x, y, z)) || same(got, x * y + z);
}

static struct maths_verdict judge_plain(size_t row, const struct maths_args *args, long double got)
{
    const double bound = maths_bound(row, args->single);
    struct maths_verdict verdict = {.expected = maths_rows[row].reference(args)};

    if (maths_rows[row].whole) {
        verdict.good = verdict.expected == ANY_INT || got == verdict.expected;
        verdict.why = "exactly";
    } else if (isnan(verdict.expected)) {
        verdict.good = isnan(got) || bound == MATHS_FREE;
        verdict.why = "NaN";
    } else if (isnan(got)) {
        verdict.good = bound == MATHS_FREE && !is_prescribed(row, args, verdict.expected);
        verdict.why = "a number";
    } else if (bound == MATHS_EXACT || is_prescribed(row, args, verdict.expected)) {
        if (any_sign(row, args))
            verdict.good = fabsl(got) == fabsl(verdict.expected);
        else
            verdict.good = got == verdict.expected && !signbit(got) == !signbit(verdict.expected);
        verdict.why = "exactly";
    } else {
        verdict.ulps = error_of(got, verdict.expected, args->single);
        verdict.good =
            verdict.ulps <=
            bound + ldexp(REFERENCE_ERROR, (args->single ? FLT_MANT_DIG : DBL_MANT_DIG) - LDBL_MANT_DIG);
    }
    return verdict;
}

static long double flushed(long double x, bool negative, bool single)
{
    return fabsl(x) >= least_normal(single) || isnan(x) ? x : negative ? -0.0L : 0;
}

// Whether the result is denormal before rounding.
static bool is_denormal(size_t row, const struct maths_args *args)
{
    const long double x = is(row, "ldexp") ? ldexpl(args->x, args->k) : maths_rows[row].reference(args);

    return fabsl(x) < least_normal(args->single);
}

// 7.5.3: a denormal result may become zero of either sign, and so may denormal arguments before the function
// is applied. nextafter may skip the denormals.
static bool is_good_flushed(size_t row, const struct maths_args *args, long double got)
{
    if (is(row, "nextafter") && args->x == 0)
        return got == copysignl(least_normal(args->single), args->y);
    for (int which = 0; which < 32; which++) {
        struct maths_args changed = *args;

        if (which & 1)
            changed.x = flushed(args->x, which & 8, args->single);
        if (which & 2)
            changed.y = flushed(args->y, which & 16, args->single);
        if (which & 4)
            changed.z = flushed(args->z, false, args->single);
        if ((got == 0 && is_denormal(row, &changed)) || judge_plain(row, &changed, got).good)
            return true;
    }
    return false;
}

static bool may_flush(const struct maths_question *q)
{
    return q->args->single && (q->device->flushes || begins(maths_rows[q->row].function, "half_"));
}

struct maths_verdict maths_judge(const struct maths_question *q, long double got, bool signals)
{
    struct maths_verdict verdict;

    if (is_beyond_range(q->row, q->args))
        return (struct maths_verdict){.good = true};
    verdict = judge_plain(q->row, q->args, got);
    if (is(q->row, "mad")) {
        verdict.good = !q->device->is_cuda || is_mad(q->args, got);
        verdict.why = "with one rounding or two";
        verdict.ulps = 0;
    }
    if (!verdict.good && may_flush(q) && is_good_flushed(q->row, q->args, got))
        return (struct maths_verdict){.good = true};
    if (verdict.good && signals)
        verdict = (struct maths_verdict){.expected = NAN, .why = "a quiet one"};
    if (!verdict.good)
        verdict.reason = known_reason(q, got, verdict.expected);
    return verdict;
}

struct maths_verdict maths_judge_edge(const struct maths_question *q, const struct maths_edge *edge,
                                      long double got)
{
    struct maths_verdict verdict = {.expected = edge->result, .why = "exactly, by 7.5.1"};

    if (isnan(edge->result))
        verdict.good = isnan(got);
    else
        verdict.good = got == verdict.expected && !signbit(got) == !signbit(edge->result);
    if (!verdict.good && may_flush(q) && is_good_flushed(q->row, q->args, got))
        verdict.good = true;
    if (!verdict.good)
        verdict.reason = known_reason(q, got, verdict.expected);
    return verdict;
}

size_t maths_left_out(const struct maths_device *device, bool single, bool scalar, const char **names)
{
    const struct maths_args args = {.single = single};
    size_t count = 0;

    for (size_t row = 0; row < maths_row_count(single); row++) {
        struct maths_question q = {device, row, scalar ? 1 : 16, &args};
        const char *reason = known_reason(&q, 0, 1);
        if (reason && strcmp(reason, ENDLESS) == 0)
            names[count++] = maths_rows[row].function;
    }
    return count;
}

bool maths_any_sign(const struct maths_question *q)
{
    return any_sign(q->row, q->args);
}

// ---- words

static int describe_number(char *text, size_t size, long double x, bool whole)
{
    return whole ? snprintf(text, size, "%.0Lf", x) : snprintf(text, size, "%a (%.9g)", (double)x, (double)x);
}

void maths_describe(char *text, size_t size, const struct maths_question *q, long double got,
                    const struct maths_verdict *verdict)
{
    const struct maths_row *described = &maths_rows[q->row];
    const struct maths_args *args = q->args;
    char x[64], y[64] = "", z[64] = "", came[64], expected[64];

    describe_number(x, sizeof x, args->x, false);
    if (described->takes == MATHS_XY || described->takes == MATHS_XYZ)
        describe_number(y, sizeof y, args->y, false);
    if (described->takes == MATHS_XK)
        describe_number(y, sizeof y, args->k, true);
    if (described->takes == MATHS_XYZ)
        describe_number(z, sizeof z, args->z, false);
    describe_number(came, sizeof came, got, described->whole);
    describe_number(expected, sizeof expected, verdict->expected, described->whole);
    snprintf(text, size, "%s %s of %s%s%s%s%s: got %s, expected %s", args->single ? "float" : "double",
             described->name, x, *y ? ", " : "", y, *z ? ", " : "", z, came, expected);
    if (verdict->why)
        snprintf(text + strlen(text), size - strlen(text), ", %s", verdict->why);
    else
        snprintf(text + strlen(text), size - strlen(text), ", %.3g ulp (%g allowed)", verdict->ulps,
                 maths_bound(q->row, args->single));
}

bool maths_can_judge(bool single)
{
    if (LDBL_MANT_DIG >= (single ? FLT_MANT_DIG : DBL_MANT_DIG) + 11)
        return true;
    fprintf(stderr, "skipped: %s, of which long double is too narrow a judge here\n",
            single ? "float" : "double");
    return false;
}
