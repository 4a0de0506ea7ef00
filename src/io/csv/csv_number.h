// SPDX-License-Identifier: Apache-2.0
// Decimal text to double: correctly rounded (to nearest, ties to even), whatever the locale says.
#ifndef KN_IO_CSV_CSV_NUMBER_H
#define KN_IO_CSV_CSV_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Reads the decimal number that begins at `from`, after any blanks; returns where it ends, or NULL if there
// is none. The text must end in a character that cannot be part of a number, such as ',' or '\0'. `c` is the
// "C" locale. Up to 19 significant digits times 10^-19 to 10^19 are converted here, everything else by
// strtod.
const char *csv_number_at(const char *from, locale_t c, double *value);
// The same, faster for many digits: it handles eight at once, and for that reads up to 8 bytes past the
// number, whatever they are.
const char *csv_long_number_at(const char *from, locale_t c, double *value);

// The marks of a file: the separator of its cells, and the decimal mark of its numbers, '.' or ','. They
// differ.
struct csv_marks {
    char separator, point;
};

static const struct csv_marks csv_usual_marks = {',', '.'};

static inline bool csv_marks_are_usual(struct csv_marks marks)
{
    return marks.separator == ',' && marks.point == '.';
}

// csv_number_at in a file with these marks: a separator is not a blank, and ends the number. If the decimal
// mark is a comma, more than 2,000 characters are not a number.
const char *csv_marked_number_at(const char *from, struct csv_marks marks, locale_t c, double *value);

// 10^0 to 10^22: those that doubles hold exactly.
extern const double csv_powers_of_ten[23];

#define CSV_EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

// Eight characters, the first one lowest.
static inline uint64_t csv_load_8(const char *from)
{
    uint64_t bytes;

    memcpy(&bytes, from, sizeof bytes);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    return bytes;
}

// 0x80 in each byte that is not a digit; `values` holds the characters minus '0'.
static inline uint64_t csv_no_digits(uint64_t values)
{
    return (((values & CSV_EACH_BYTE(0x7f)) + CSV_EACH_BYTE(0x76)) | values) & CSV_EACH_BYTE(0x80);
}

// 0x80 in each byte that is 0.
static inline uint64_t csv_zero_bytes(uint64_t bytes)
{
    return ~(((bytes & CSV_EACH_BYTE(0x7f)) + CSV_EACH_BYTE(0x7f)) | bytes) & CSV_EACH_BYTE(0x80);
}

// The number of eight digits (each byte 0 to 9, the first digit lowest), combined by pairs, fours, eights.
static inline uint64_t csv_join_8(uint64_t digits)
{
    const uint64_t two = UINT64_C(0x000000ff000000ff);

    digits = digits * 10 + (digits >> 8);
    return ((digits & two) * (100 + (UINT64_C(1000000) << 32)) +
            (digits >> 16 & two) * (1 + (UINT64_C(10000) << 32))) >>
           32;
}

// The number of `length` characters: '-' or nothing, then 1 to 8 characters that are digits and at most one
// `mark`, its decimal mark; false for anything else (which may still be a number). It reads nine bytes,
// whatever they are. It branches only on the decimal mark, because a processor cannot predict lengths and
// signs. An integer below 10^8 divided by a power of ten is correctly rounded (Clinger 1990).
static inline bool csv_short_number(const char *from, size_t length, char mark, double *value)
{
    uint64_t negative = *from == '-', digits, others;
    unsigned decimals = 0;
    union {
        double value;
        uint64_t bits;
    } result;

    length -= negative;
    if (length - 1 >= 8)
        return false;
    // The last character highest, zeros before the first one.
    digits = (csv_load_8(from + negative) ^ CSV_EACH_BYTE('0')) << (64 - 8 * length);
    others = csv_no_digits(digits);
    if (others) {
        uint64_t point = others >> 7; // 1 in its byte, if it is alone

        if ((others & (others - 1)) || (digits & point * 0xff) != point * (uint64_t)(mark ^ '0') ||
            length == 1)
            return false;
        decimals = (unsigned)__builtin_clzll(others) / 8;
        digits = (digits & (point - 1)) << 8 | (digits & -(point << 8));
    }
    result.value = (double)(int64_t)csv_join_8(digits) / csv_powers_of_ten[decimals];
    result.bits |= negative << 63;
    *value = result.value;
    return true;
}

#endif
