// SPDX-License-Identifier: Apache-2.0
// Self-contained pages: a single HTML file with its charts, which loads nothing else. A command writes the
// body into a ki_text with these functions; the text around it is page.html, which is embedded in the
// program.
//
// Text from outside (names of files and devices, headers, messages, reports) must go through page_text or a
// function that says that it escapes its arguments: nothing else escapes them.
#ifndef KN_CLI_PAGE_PAGE_H
#define KN_CLI_PAGE_PAGE_H

#include <stdbool.h>

#include "base/text/text.h"

// page.html, in which {{title}} and {{body}} are replaced.
extern const char page_template[];

// Adds any bytes as escaped text, for elements and for attributes in quotes. Control characters and invalid
// UTF-8 become U+FFFD; line breaks are kept.
void page_text(struct ki_text *page, const char *string);

// Adds <NAME>, the escaped string, </NAME>. `tag` may have attributes, which the program itself must provide:
// "p class=quiet".
void page_element(struct ki_text *page, const char *tag, const char *string);

// The head of a table with these columns, and its end; a name that begins with '#' marks a column of numbers.
// In a `sortable` table, each column has a button that sorts by it.
void page_table(struct ki_text *page, const char *const *columns, size_t count, bool sortable);
void page_table_end(struct ki_text *page);

// A cell with escaped text, and a cell with a number, which is empty if the number is not finite. `class` may
// be NULL.
void page_cell(struct ki_text *page, const char *class, const char *string);
void page_number(struct ki_text *page, double value, int digits);

// Makes the whole page, which the caller frees; `title` is escaped, `body` is emptied. NULL if memory ran
// out, here or while the body was written.
char *page_finish(const char *title, struct ki_text *body);

#endif
