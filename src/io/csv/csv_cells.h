// SPDX-License-Identifier: Apache-2.0
// The cells of a record, and their contents.
#ifndef KN_IO_CSV_CSV_CELLS_H
#define KN_IO_CSV_CSV_CELLS_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>

#include "csv_number.h"

struct csv_cell {
    const char *text; // without blanks, tabs (unless they separate) and quotes around it; doubled quotes stay
                      // doubled
    size_t length;
    bool quoted;
};

enum csv_kind { CSV_NUMBER, CSV_MISSING, CSV_TEXT };

// The cell that begins at `from`; `next` is the separator after it, or `end`. Separating blanks are one
// separator however many there are, and none at the ends of the record. False if text follows a closing
// quote.
bool csv_cell_at(const char *from, const char *end, struct csv_marks marks, struct csv_cell *cell,
                 const char **next);

// The kind of a cell. A number: digits with or without sign, point and exponent, or inf, infinity (in any
// case). Missing: nothing, nan (in any case, with or without sign), NA.
enum csv_kind csv_cell_kind(const struct csv_cell *cell, struct csv_marks marks, locale_t c, double *value);

// A copy with doubled quotes made single; the caller frees it. NULL: out of memory.
char *csv_cell_copy(const struct csv_cell *cell);

#endif
