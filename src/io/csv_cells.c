// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // strtod_l
#include "csv_cells.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void trim(struct csv_cell *cell)
{
    while (cell->length && is_blank(*cell->text)) {
        cell->text++;
        cell->length--;
    }
    while (cell->length && is_blank(cell->text[cell->length - 1]))
        cell->length--;
}

bool csv_cell_at(const char *from, const char *end, struct csv_cell *cell, const char **next)
{
    const char *p = from, *close;

    while (p < end && is_blank(*p))
        p++;
    cell->quoted = p < end && *p == '"';
    if (!cell->quoted) {
        const char *comma = memchr(p, ',', (size_t)(end - p));

        *next = comma ? comma : end;
        cell->text = p;
        cell->length = (size_t)(*next - p);
        trim(cell);
        return true;
    }
    cell->text = ++p;
    for (close = p; close < end; close++) {
        if (*close != '"')
            continue;
        if (close + 1 == end || close[1] != '"')
            break;
        close++;
    }
    cell->length = (size_t)(close - p);
    close += close < end;
    while (close < end && is_blank(*close))
        close++;
    *next = close;
    trim(cell);
    return close == end || *close == ',';
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Reads "e-12" at `p`, if it stands there, into `exponent`; returns what follows.
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

const char *csv_number_at(const char *from, locale_t c, double *value)
{
    const char *start, *digits, *p;
    ptrdiff_t digit_count, decimals = 0;
    uint64_t mantissa = 0;
    int exponent = 0;
    double result;

    while (is_blank(*from))
        from++;
    start = from;
    digits = from + (*from == '-' || *from == '+');
    for (p = digits; is_digit(*p); p++)
        mantissa = mantissa * 10 + (uint64_t)(*p - '0');
    digit_count = p - digits;
    if (*p == '.') {
        const char *point = p++;

        for (; is_digit(*p); p++)
            mantissa = mantissa * 10 + (uint64_t)(*p - '0');
        decimals = p - point - 1;
        digit_count += decimals;
    }
    if (digit_count == 0)
        return NULL;
    p = exponent_at(p, &exponent);
    // Clinger's fast path: an integer below 2^53 times or divided by a power of ten that is a double itself
    // is one correctly rounded operation. It needs at most 19 digits (else `mantissa` has wrapped round) and
    // no x87 arithmetic.
    if (FLT_EVAL_METHOD == 0 && digit_count <= 19 && mantissa <= (UINT64_C(1) << 53) && exponent >= -100 &&
        exponent <= 100) {
        int scale = exponent - (int)decimals;

        if (scale >= -22 && scale <= 22) {
            result = (double)mantissa;
            result = scale < 0 ? result / powers_of_ten[-scale] : result * powers_of_ten[scale];
            *value = *start == '-' ? -result : result;
            return p;
        }
    }
    *value = strtod_l(start, NULL, c);
    return p;
}

static bool is_word(const struct csv_cell *cell, const char *word)
{
    return cell->length == strlen(word) && strncasecmp(cell->text, word, cell->length) == 0;
}

enum csv_kind csv_cell_kind(const struct csv_cell *cell, locale_t c, double *value)
{
    struct csv_cell word = *cell;
    const char *end;
    bool negative;

    if (cell->length == 0 || (cell->length == 2 && memcmp(cell->text, "NA", 2) == 0))
        return CSV_MISSING;
    end = csv_number_at(cell->text, c, value);
    if (end == cell->text + cell->length)
        return CSV_NUMBER;
    negative = *word.text == '-';
    if (negative || *word.text == '+') {
        word.text++;
        word.length--;
    }
    if (is_word(&word, "nan"))
        return CSV_MISSING;
    if (!is_word(&word, "inf") && !is_word(&word, "infinity"))
        return CSV_TEXT;
    *value = negative ? -INFINITY : INFINITY;
    return CSV_NUMBER;
}

char *csv_cell_copy(const struct csv_cell *cell)
{
    char *copy = malloc(cell->length + 1);
    size_t length = 0;

    if (!copy)
        return NULL;
    for (size_t i = 0; i < cell->length; i++) {
        copy[length++] = cell->text[i];
        if (cell->quoted && cell->text[i] == '"')
            i++;
    }
    copy[length] = '\0';
    return copy;
}
