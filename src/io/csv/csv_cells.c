// SPDX-License-Identifier: Apache-2.0
#include "csv_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_blank(char c, struct csv_marks marks)
{
    return (c == ' ' || c == '\t') && c != marks.separator;
}

static void trim(struct csv_cell *cell, struct csv_marks marks)
{
    while (cell->length && is_blank(*cell->text, marks)) {
        cell->text++;
        cell->length--;
    }
    while (cell->length && is_blank(cell->text[cell->length - 1], marks))
        cell->length--;
}

// The last of the separating blanks from `p` on, or `end` if nothing follows them.
static const char *last_separator(const char *p, const char *end, struct csv_marks marks)
{
    if (marks.separator != ' ' || p == end || *p != ' ')
        return p;
    while (p + 1 < end && p[1] == ' ')
        p++;
    return p + 1 == end ? end : p;
}

bool csv_cell_at(const char *from, const char *end, struct csv_marks marks, struct csv_cell *cell,
                 const char **next)
{
    const char *p = from, *close;

    while (p < end && (is_blank(*p, marks) || (*p == ' ' && marks.separator == ' ')))
        p++;
    cell->quoted = p < end && *p == '"';
    if (!cell->quoted) {
        const char *separator = memchr(p, marks.separator, (size_t)(end - p));

        *next = separator ? separator : end;
        cell->text = p;
        cell->length = (size_t)(*next - p);
        trim(cell, marks);
        *next = last_separator(*next, end, marks);
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
    while (close < end && is_blank(*close, marks))
        close++;
    *next = last_separator(close, end, marks);
    trim(cell, marks);
    return close == end || *close == marks.separator;
}

static bool is_word(const struct csv_cell *cell, const char *word)
{
    return cell->length == strlen(word) && strncasecmp(cell->text, word, cell->length) == 0;
}

enum csv_kind csv_cell_kind(const struct csv_cell *cell, struct csv_marks marks, locale_t c, double *value)
{
    struct csv_cell word = *cell;
    const char *end;
    bool negative;

    if (cell->length == 0 || (cell->length == 2 && memcmp(cell->text, "NA", 2) == 0))
        return CSV_MISSING;
    end = csv_marked_number_at(cell->text, marks, c, value);
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
