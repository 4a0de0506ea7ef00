// SPDX-License-Identifier: Apache-2.0
// What the parts of the Matrix Market reader share: matrix_market.c reads the head and mirrors symmetric
// matrices, matrix_market_lines.c reads the lines of entries, with several threads.
#ifndef KN_IO_ARRAY_MATRIX_MARKET_INTERNAL_H
#define KN_IO_ARRAY_MATRIX_MARKET_INTERNAL_H

#include "matrix_market.h"

#include <locale.h>

struct matrix_market_body {
    const char *name;
    const char *begin, *end; // the lines after the sizes; *end is 0
    long line;               // the number of the first one
    long sizes_line;         // of the line with the sizes
    bool is_unsigned;
    size_t declared; // entries
    locale_t c;
};

// Reads `declared` entries into `matrix`, whose head is known. The caller frees the matrix, also on failure.
kn_status matrix_market_read_lines(const struct matrix_market_body *body,
                                   const struct matrix_market_options *options, struct matrix_market *matrix,
                                   kn_error *err);

// The integer at `p`, after any blanks, or UINT64_MAX for a larger one; NULL if there is none.
static inline const char *matrix_market_whole(const char *p, uint64_t *value)
{
    uint64_t v = 0;
    const char *digits;

    while (*p == ' ' || *p == '\t')
        p++;
    for (digits = p; *p >= '0' && *p <= '9'; p++)
        v = v <= (UINT64_MAX - 9) / 10 ? v * 10 + (uint64_t)(*p - '0') : UINT64_MAX;
    *value = v;
    return p > digits ? p : NULL;
}

// Turns each carriage return in `text` that is not followed by a newline (old Macintosh files) into a
// newline, so that lines and their numbers are those of an editor. One pass by all threads; nothing else is
// written.
kn_status matrix_market_end_lines(const char *name, char *text, size_t count,
                                  const struct matrix_market_options *options, kn_error *err);

// Skips blanks, and a carriage return before the line's end.
static inline const char *matrix_market_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || (*p == '\r' && p[1] == '\n'))
        p++;
    return p;
}

#endif
