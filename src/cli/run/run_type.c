// SPDX-License-Identifier: Apache-2.0
#include "run_type.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const struct run_type scalars[] = {
    {"char", RUN_SIGNED, 1, 1, KN_I8, true},   {"uchar", RUN_UNSIGNED, 1, 1, KN_U8, true},
    {"short", RUN_SIGNED, 2, 1, KN_I16, true}, {"ushort", RUN_UNSIGNED, 2, 1, KN_U16, true},
    {"int", RUN_SIGNED, 4, 1, KN_I32, true},   {"uint", RUN_UNSIGNED, 4, 1, KN_U32, true},
    {"long", RUN_SIGNED, 8, 1, KN_I64, true},  {"ulong", RUN_UNSIGNED, 8, 1, KN_U64, true},
    {"half", RUN_FLOAT, 2, 1, KN_F32, false},  {"float", RUN_FLOAT, 4, 1, KN_F32, true},
    {"double", RUN_FLOAT, 8, 1, KN_F64, true},
};

static const struct {
    const char *word, *base;
} spellings[] = {
    {"signed char", "char"},  {"unsigned char", "uchar"}, {"unsigned short", "ushort"},
    {"unsigned int", "uint"}, {"unsigned long", "ulong"}, {"unsigned", "uint"},
    {"signed int", "int"},    {"signed", "int"},
};

static const struct run_type *scalar_named(const char *word, size_t length)
{
    for (size_t i = 0; i < KI_COUNT(spellings); i++)
        if (strlen(spellings[i].word) == length && memcmp(spellings[i].word, word, length) == 0)
            return scalar_named(spellings[i].base, strlen(spellings[i].base));
    for (size_t i = 0; i < KI_COUNT(scalars); i++)
        if (strlen(scalars[i].base) == length && memcmp(scalars[i].base, word, length) == 0)
            return &scalars[i];
    return NULL;
}

bool run_type_read(const char *word, size_t length, struct run_type *type)
{
    static const unsigned widths[] = {2, 3, 4, 8, 16};
    const struct run_type *scalar;
    size_t letters = length;
    unsigned width = 0;

    while (letters && isdigit((unsigned char)word[letters - 1]))
        letters--;
    scalar = scalar_named(word, letters);
    if (!scalar || length - letters > 2)
        return false;
    *type = *scalar;
    if (letters == length)
        return true;
    for (size_t i = letters; i < length; i++)
        width = 10 * width + (unsigned)(word[i] - '0');
    type->width = width;
    for (size_t i = 0; i < KI_COUNT(widths); i++)
        if (widths[i] == width && word[letters] != '0')
            return true;
    return false;
}

bool run_type_of_npy(kn_type npy, struct run_type *type)
{
    for (size_t i = 0; i < KI_COUNT(scalars); i++)
        if (scalars[i].has_npy && scalars[i].npy == npy) {
            *type = scalars[i];
            return true;
        }
    return false;
}

size_t run_type_stride(const struct run_type *type)
{
    return type->width == 3 ? 4 : type->width;
}

size_t run_type_bytes(const struct run_type *type)
{
    return type->size * run_type_stride(type);
}

void run_type_name(const struct run_type *type, char name[RUN_TYPE_NAME])
{
    if (type->width == 1)
        snprintf(name, RUN_TYPE_NAME, "%s", type->base);
    else
        snprintf(name, RUN_TYPE_NAME, "%s%u", type->base, type->width);
}

// ---- half ----

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = exponent == 0    ? ldexp(fraction, -24)
                   : exponent == 31 ? (fraction ? NAN : INFINITY)
                                    : ldexp(1024 + fraction, exponent - 25);

    return bits & 0x8000 ? -value : value;
}

// Rounded to the nearest, ties to even.
static uint16_t half_bits(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    int exponent;
    double steps;

    if (isnan(value))
        return 0x7e00;
    if (size >= 65520) // halfway from the largest number to the next power
        return sign | 0x7c00;
    frexp(size, &exponent);
    if (size == 0 || exponent < -13)
        exponent = -13;                            // that of the numbers below the least normal one
    steps = nearbyint(ldexp(size, 11 - exponent)); // at most 2048, which carries into the exponent by itself
    return (uint16_t)(sign | (uint16_t)(((exponent + 13) << 10) + (int)steps));
}

// ---- numbers ----

// The bits of a component, the sign extended.
static uint64_t bits_of(const struct run_type *type, const void *component)
{
    uint64_t bits = 0;
    unsigned unused = 64 - 8 * (unsigned)type->size;

    memcpy(&bits, component, type->size);
    return type->class == RUN_SIGNED ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits;
}

void run_integer_set(const struct run_type *type, void *component, uint64_t bits)
{
    memcpy(component, &bits, type->size);
}

static double float_value(const struct run_type *type, const void *component)
{
    uint16_t half;
    float single;
    double value;

    if (type->size == sizeof half) {
        memcpy(&half, component, sizeof half);
        return half_value(half);
    }
    if (type->size == sizeof single) {
        memcpy(&single, component, sizeof single);
        return single;
    }
    memcpy(&value, component, sizeof value);
    return value;
}

void run_number_set(const struct run_type *type, void *component, double value)
{
    uint16_t half = half_bits(value);
    float single = (float)value;

    memcpy(component,
           type->size == sizeof half     ? (const void *)&half
           : type->size == sizeof single ? (const void *)&single
                                         : (const void *)&value,
           type->size);
}

double run_number_get(const struct run_type *type, const void *component)
{
    if (type->class == RUN_FLOAT)
        return float_value(type, component);
    return type->class == RUN_SIGNED ? (double)(int64_t)bits_of(type, component)
                                     : (double)bits_of(type, component);
}

void run_number_print(const struct run_type *type, const void *component, char text[RUN_NUMBER_TEXT])
{
    if (type->class == RUN_FLOAT)
        snprintf(text, RUN_NUMBER_TEXT, "%.*g",
                 type->size == 8   ? 17
                 : type->size == 4 ? 9
                                   : 5,
                 float_value(type, component));
    else if (type->class == RUN_SIGNED)
        snprintf(text, RUN_NUMBER_TEXT, "%" PRId64, (int64_t)bits_of(type, component));
    else
        snprintf(text, RUN_NUMBER_TEXT, "%" PRIu64, bits_of(type, component));
}

static bool read_integer(const struct run_type *type, const char *text, void *component)
{
    unsigned bits = 8 * (unsigned)type->size;
    uint64_t most = UINT64_MAX >> (64 - bits);
    bool negative = *text == '-';
    uintmax_t value;
    char *end;

    text += negative || *text == '+';
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    value = strtoumax(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    if (errno || *end)
        return false;
    if (type->class == RUN_SIGNED)
        most = (most >> 1) + negative;
    else if (negative && value)
        return false;
    if (value > most)
        return false;
    run_integer_set(type, component, negative ? 0 - value : value);
    return true;
}

bool run_number_read(const struct run_type *type, const char *text, size_t length, void *component)
{
    char word[64], *end;
    double value;

    if (length == 0 || length >= sizeof word)
        return false;
    memcpy(word, text, length);
    word[length] = '\0';
    if (type->class != RUN_FLOAT)
        return read_integer(type, word, component);
    if (isspace((unsigned char)*word))
        return false;
    if (type->size == sizeof(float)) { // not through double, which would round twice
        float single = strtof(word, &end);

        memcpy(component, &single, sizeof single);
        return *end == '\0';
    }
    value = strtod(word, &end);
    run_number_set(type, component, value);
    return *end == '\0';
}

uint64_t run_number_ulps(const struct run_type *type, const void *a, const void *b)
{
    const unsigned bits = 8 * (unsigned)type->size;
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    bool a_nan = isnan(float_value(type, a)), b_nan = isnan(float_value(type, b));
    uint64_t x = bits_of(type, a), y = bits_of(type, b);

    if (a_nan || b_nan)
        return a_nan && b_nan ? 0 : UINT64_MAX;
    // On one line of numbers: negative ones downwards from zero.
    x = x & sign ? sign - (x - sign) : sign + x;
    y = y & sign ? sign - (y - sign) : sign + y;
    return x > y ? x - y : y - x;
}
