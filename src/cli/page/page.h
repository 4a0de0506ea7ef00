// SPDX-License-Identifier: Apache-2.0
// Pages that one can send: a single HTML file with its charts in it, which loads nothing. A command writes
// the body into a ki_text with these functions; page.html is what stands around it, embedded in the program.
//
// What comes from outside (names of files and devices, headers, messages, reports) goes through page_text or
// a function that says so: nothing else escapes.
#ifndef KN_CLI_PAGE_PAGE_H
#define KN_CLI_PAGE_PAGE_H

#include <stdbool.h>

#include "base/text/text.h"

// page.html, in which {{title}} and {{body}} are replaced.
extern const char page_template[];

// Any bytes as text, escaped: for elements and for attributes in quotes. Control characters and what is not
// UTF-8 become U+FFFD; lines stay.
void page_text(struct ki_text *page, const char *string);

// <NAME>, the escaped string, </NAME>. `tag` may have attributes, of the program's own: "p class=quiet".
void page_element(struct ki_text *page, const char *tag, const char *string);

// The head of a table of such columns, and its end; a name that begins with '#' is of numbers. A `sortable`
// one has a button in each column, which sorts by it.
void page_table(struct ki_text *page, const char *const *columns, size_t count, bool sortable);
void page_table_end(struct ki_text *page);

// A cell of text, escaped, and one of a number, empty if it is not finite. `class` may be NULL.
void page_cell(struct ki_text *page, const char *class, const char *string);
void page_number(struct ki_text *page, double value, int digits);

// The whole page, which the caller frees; `title` is escaped, `body` is emptied. NULL: memory ran out, here
// or while the body was written.
char *page_finish(const char *title, struct ki_text *body);

#endif
