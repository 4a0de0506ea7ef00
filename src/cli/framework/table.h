// SPDX-License-Identifier: Apache-2.0
// A table of text for people: columns as wide as their widest cell, numbers aligned to the right.
#ifndef KN_CLI_FRAMEWORK_TABLE_H
#define KN_CLI_FRAMEWORK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_COLUMNS_MAX = 12 };

struct table {
    size_t columns;
    bool right[TABLE_COLUMNS_MAX]; // numbers
    char **cells;                  // row by row; `count` is a multiple of `columns` when a row is complete
    size_t count;
    size_t capacity;
    bool failed; // memory ran out
};

// `layout` has one letter a column: 'l' or 'r', the alignment of its cells.
void table_begin(struct table *table, const char *layout);
// The next cell, from left to right and down. Control characters become '?': names come from files and
// drivers.
void table_add(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
// One cell for each text up to NULL.
void table_add_all(struct table *table, const char *const *texts);
// False if memory ran out.
bool table_print(const struct table *table, FILE *out);
void table_free(struct table *table);
// Both, to standard output.
bool table_finish(struct table *table);

#endif
