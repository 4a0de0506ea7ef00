// SPDX-License-Identifier: Apache-2.0
// A growing string whose error sticks: append as often as you like, check `failed` once at the end.
#ifndef KN_BASE_TEXT_TEXT_H
#define KN_BASE_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct ki_text {
    char *data;      // always ends in '\0' once something was appended; NULL before that
    size_t length;   // without the '\0'
    size_t capacity; // bytes allocated
    bool failed;     // memory ran out: what was appended since then is lost
};

#define KI_TEXT_INIT                                                                                         \
    {                                                                                                        \
        NULL, 0, 0, false                                                                                    \
    }

void ki_text_add(struct ki_text *text, const char *string);
void ki_text_add_bytes(struct ki_text *text, const char *bytes, size_t count);
void ki_text_add_char(struct ki_text *text, char c);
void ki_text_format(struct ki_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

// The string itself ("" if nothing was appended). Valid until the next append.
const char *ki_text_string(const struct ki_text *text);

// Hands the string over: the caller frees it. NULL if memory ever ran out. `text` is empty afterwards.
char *ki_text_take(struct ki_text *text);

// Makes it empty again, and not failed; the memory is kept for further text.
void ki_text_clear(struct ki_text *text);

void ki_text_free(struct ki_text *text);

#endif
