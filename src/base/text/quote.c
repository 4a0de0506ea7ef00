// SPDX-License-Identifier: Apache-2.0
#include "quote.h"

#include <stdio.h>
#include <string.h>

// What a first byte announces: the number of bytes, and the range of the second one (which excludes overlong
// forms, surrogates and anything beyond U+10FFFF).
static const struct {
    unsigned char first, last, length, second_first, second_last;
} utf8_forms[] = {
    {0x00, 0x7f, 1, 0x00, 0x00}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

size_t ki_utf8_length(const char *bytes, size_t count)
{
    const unsigned char *b = (const unsigned char *)bytes;

    for (size_t i = 0; i < sizeof utf8_forms / sizeof *utf8_forms; i++) {
        size_t length = utf8_forms[i].length;

        if (b[0] < utf8_forms[i].first || b[0] > utf8_forms[i].last)
            continue;
        if (length > count)
            return 0;
        if (length > 1 && (b[1] < utf8_forms[i].second_first || b[1] > utf8_forms[i].second_last))
            return 0;
        for (size_t k = 2; k < length; k++)
            if ((b[k] & 0xc0) != 0x80)
                return 0;
        return length;
    }
    return 0;
}

// The character at `bytes` as a message shows it, in `shown`; returns the number of input bytes it covers.
static size_t show(const char *bytes, size_t count, char shown[5])
{
    static const char escapes[][2] = {{'\n', 'n'}, {'\r', 'r'}, {'\t', 't'}, {'"', '"'}, {'\\', '\\'}};
    const unsigned char *b = (const unsigned char *)bytes;
    size_t length = ki_utf8_length(bytes, count);
    int control = b[0] < 0x20 || b[0] == 0x7f || (b[0] == 0xc2 && length == 2 && b[1] < 0xa0);

    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (bytes[0] == escapes[i][0]) {
            snprintf(shown, 5, "\\%c", escapes[i][1]);
            return 1;
        }
    if (length == 0 || control) {
        snprintf(shown, 5, "\\x%02x", (unsigned)b[0]);
        return 1;
    }
    memcpy(shown, bytes, length);
    shown[length] = '\0';
    return length;
}

const char *ki_quote(char *out, size_t size, const char *bytes, size_t count)
{
    size_t used = 1, last_fit = 1, taken = 0;
    char shown[5];

    out[0] = '"';
    while (taken < count) {
        size_t step = show(bytes + taken, count - taken, shown);
        size_t length = strlen(shown), i;

        // `last_fit` is the last place where the closing quote and the three dots still fit.
        if (used + 5 <= size)
            last_fit = used;
        if (used + length + 2 > size)
            break;
        for (i = 0; i < length; ++i)
            out[used++] = shown[i];
        taken += step;
    }
    if (taken < count)
        snprintf(out + last_fit, size - last_fit, "...\"");
    else
        snprintf(out + used, size - used, "\"");
    return out;
}
