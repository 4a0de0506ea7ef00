// SPDX-License-Identifier: Apache-2.0
#include "csv_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "csv_number.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
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
