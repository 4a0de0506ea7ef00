// SPDX-License-Identifier: Apache-2.0
// Cells of a comma-separated record, and the numbers in them: correctly rounded, whatever the locale says.
#ifndef KN_IO_CSV_CELLS_H
#define KN_IO_CSV_CELLS_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

struct csv_cell {
    const char *text; // without blanks, tabs and quotes around it; doubled quotes still doubled
    size_t length;
    bool quoted;
};

enum csv_kind { CSV_NUMBER, CSV_MISSING, CSV_TEXT };

// The cell that begins at `from`; `next` is the ',' behind it or `end`. False if text follows a closing
// quote.
bool csv_cell_at(const char *from, const char *end, struct csv_cell *cell, const char **next);

// The decimal number that begins at `from`, blanks before it skipped; returns where it ends, or NULL if there
// is none. The text must end in a character that no number holds, such as ',' or '\0'. `c` is the "C" locale.
const char *csv_number_at(const char *from, locale_t c, double *value);

// What a cell holds. A number: digits with or without sign, point and exponent, or inf, infinity (in any
// case). Missing: nothing, nan (in any case, with or without sign), NA.
enum csv_kind csv_cell_kind(const struct csv_cell *cell, locale_t c, double *value);

// A copy with doubled quotes made single; the caller frees it. NULL: out of memory.
char *csv_cell_copy(const struct csv_cell *cell);

#endif
