// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // vasprintf
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void table_begin(struct table *table, const char *layout)
{
    memset(table, 0, sizeof *table);
    for (; layout[table->columns] && table->columns < TABLE_COLUMNS_MAX; table->columns++)
        table->right[table->columns] = layout[table->columns] == 'r';
}

void table_add(struct table *table, const char *format, ...)
{
    va_list args;
    char *cell = NULL;
    int length;

    va_start(args, format);
    length = vasprintf(&cell, format, args);
    va_end(args);
    if (length < 0) {
        table->failed = true;
        return;
    }
    for (unsigned char *c = (unsigned char *)cell; *c; c++)
        *c = *c < ' ' || *c == 127 ? '?' : *c;
    if (!KI_ARRAY_PUSH(table->cells, table->count, table->capacity, cell)) {
        free(cell);
        table->failed = true;
    }
}

// The number of characters in UTF-8 text: the bytes that do not continue one.
static size_t width_of(const char *cell)
{
    size_t width = 0;

    for (; *cell; cell++)
        width += (*cell & 0xC0) != 0x80;
    return width;
}

static void print_spaces(size_t count, FILE *out)
{
    while (count--)
        fputc(' ', out);
}

// No blanks at the end of a line: pending ones are printed before the next cell that is not empty.
static void print_row(const struct table *table, char *const *cells, const size_t *widths, FILE *out)
{
    size_t due = 0;

    for (size_t column = 0; column < table->columns; column++) {
        size_t padding = widths[column] - width_of(cells[column]);

        if (table->right[column])
            due += padding;
        if (*cells[column]) {
            print_spaces(due, out);
            due = 0;
        }
        fputs(cells[column], out);
        due += table->right[column] ? 2 : padding + 2;
    }
    fputc('\n', out);
}

bool table_print(const struct table *table, FILE *out)
{
    size_t widths[TABLE_COLUMNS_MAX] = {0};

    if (table->failed)
        return false;
    for (size_t i = 0; i < table->count; i++) {
        size_t width = width_of(table->cells[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
    for (size_t i = 0; i < table->count; i += table->columns)
        print_row(table, table->cells + i, widths, out);
    return true;
}

void table_free(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
}

void table_add_all(struct table *table, const char *const *texts)
{
    for (; *texts; texts++)
        table_add(table, "%s", *texts);
}

bool table_finish(struct table *table)
{
    bool printed = table_print(table, stdout);

    table_free(table);
    return printed;
}
