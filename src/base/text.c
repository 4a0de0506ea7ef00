// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Makes room for `more` bytes and the '\0'.
static bool reserve(struct kn_text *text, size_t more)
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

void kn_text_add_bytes(struct kn_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    if (count)
        memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

void kn_text_add(struct kn_text *text, const char *string)
{
    kn_text_add_bytes(text, string, strlen(string));
}

void kn_text_add_char(struct kn_text *text, char c)
{
    kn_text_add_bytes(text, &c, 1);
}

void kn_text_format(struct kn_text *text, const char *format, ...)
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

const char *kn_text_string(const struct kn_text *text)
{
    return text->data ? text->data : "";
}

char *kn_text_take(struct kn_text *text)
{
    char *data;

    if (!text->data)
        kn_text_add_bytes(text, "", 0);
    data = text->failed ? NULL : text->data;
    if (text->failed)
        free(text->data);
    *text = (struct kn_text)KN_TEXT_INIT;
    return data;
}

void kn_text_free(struct kn_text *text)
{
    free(text->data);
    *text = (struct kn_text)KN_TEXT_INIT;
}
