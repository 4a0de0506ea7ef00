// SPDX-License-Identifier: Apache-2.0
// Decimal text to double: correctly rounded (to nearest, ties to even), whatever the locale says.
#ifndef KN_IO_CSV_CSV_NUMBER_H
#define KN_IO_CSV_CSV_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The decimal number that begins at `from`, blanks before it skipped; returns where it ends, or NULL if there
// is none. The text must end in a character that no number holds, such as ',' or '\0'. `c` is the "C" locale.
// Up to 19 significant digits times 10^-19 to 10^19 are computed here, all else by strtod.
const char *csv_number_at(const char *from, locale_t c, double *value);
// The same, faster where digits are many: eight at once, for which 8 bytes behind the number are read,
// whatever they are.
const char *csv_long_number_at(const char *from, locale_t c, double *value);

// The marks of a file: what separates its cells, and what its numbers have before their decimals, '.' or ','.
// They differ.
struct csv_marks {
    char separator, point;
};

static const struct csv_marks csv_usual_marks = {',', '.'};

static inline bool csv_marks_are_usual(struct csv_marks marks)
{
    return marks.separator == ',' && marks.point == '.';
}

// csv_number_at in a file of these marks: a separator is no blank, and ends the number. Where the point is a
// comma, more than 2,000 characters are no number.
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

// 0x80 in each byte that holds no digit; `values` holds characters less '0'.
static inline uint64_t csv_no_digits(uint64_t values)
{
    return (((values & CSV_EACH_BYTE(0x7f)) + CSV_EACH_BYTE(0x76)) | values) & CSV_EACH_BYTE(0x80);
}

// 0x80 in each byte that is 0.
static inline uint64_t csv_zero_bytes(uint64_t bytes)
{
    return ~(((bytes & CSV_EACH_BYTE(0x7f)) + CSV_EACH_BYTE(0x7f)) | bytes) & CSV_EACH_BYTE(0x80);
}

// The number that eight digits make (each byte 0 to 9, the first digit lowest), by pairs, fours, eights.
static inline uint64_t csv_join_8(uint64_t digits)
{
    const uint64_t two = UINT64_C(0x000000ff000000ff);

    digits = digits * 10 + (digits >> 8);
    return ((digits & two) * (100 + (UINT64_C(1000000) << 32)) +
            (digits >> 16 & two) * (1 + (UINT64_C(10000) << 32))) >>
           32;
}

// The number that `length` characters make: '-' or nothing, then 1 to 8 characters that are digits and at
// most one `mark`, its point; false if they are something else (perhaps a number too). Nine bytes are read,
// whatever they are. No branch but for the point, as lengths and signs are not foreseen by a processor. An
// integer below 10^8 divided by a power of ten is correctly rounded (Clinger 1990).
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
