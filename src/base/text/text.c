// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Makes room for `more` bytes and the '\0'.
static bool reserve(struct ki_text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    size_t capacity = text->capacity ? text->capacity : 64;
    char *data;

    if (!text->failed && needed > more && needed <= text->capacity)
        return true;
    while (capacity < needed)
        capacity = capacity > (size_t)-1 / 2 ? needed : capacity * 2;
    data = text->failed || needed <= more ? NULL : realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void ki_text_add_bytes(struct ki_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void ki_text_add(struct ki_text *text, const char *string)
{
    ki_text_add_bytes(text, string, strlen(string));
}

void ki_text_add_char(struct ki_text *text, char c)
{
    ki_text_add_bytes(text, &c, 1);
}

void ki_text_format(struct ki_text *text, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)length))
        return;
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

const char *ki_text_string(const struct ki_text *text)
{
    return text->data ? text->data : "";
}

char *ki_text_take(struct ki_text *text)
{
    char *data;

    if (!text->data)
        ki_text_add_bytes(text, "", 0);
    data = text->failed ? NULL : text->data;
    if (text->failed)
        free(text->data);
    *text = (struct ki_text)KI_TEXT_INIT;
    return data;
}

void ki_text_clear(struct ki_text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->data)
        text->data[0] = '\0';
}

void ki_text_free(struct ki_text *text)
{
    free(text->data);
    *text = (struct ki_text)KI_TEXT_INIT;
}
