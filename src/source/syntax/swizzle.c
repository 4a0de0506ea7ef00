// SPDX-License-Identifier: Apache-2.0
#include "swizzle.h"

#include <string.h>

static int half(const char *text, size_t length, int lanes, int components[16])
{
    static const struct {
        const char *name;
        int first, step; // first: 0, 1, or 2 for the middle
    } halves[] = {{"lo", 0, 1}, {"hi", 2, 1}, {"even", 0, 2}, {"odd", 1, 2}};
    int width = lanes == 3 ? 4 : lanes, count = 0;

    for (size_t i = 0; i < 4; i++)
        if (strlen(halves[i].name) == length && memcmp(text, halves[i].name, length) == 0)
            for (int at = halves[i].first == 2 ? width / 2 : halves[i].first; count < width / 2;
                 at += halves[i].step)
                components[count++] = at;
    return count;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int ki_syn_selector(const char *text, size_t length, int lanes, int components[16])
{
    static const char positions[] = "xyzw", colours[] = "rgba";
    const char *letters = length && strchr(colours, text[0]) ? colours : positions;
    bool numbered = length > 1 && (text[0] == 's' || text[0] == 'S');
    int count = lanes ? half(text, length, lanes, components) : 0;

    if (count)
        return count;
    for (size_t i = numbered; i < length; i++) {
        const char *letter = strchr(letters, text[i]);
        int component = numbered ? digit(text[i]) : letter && text[i] ? (int)(letter - letters) : -1;
        if (component < 0 || component >= (lanes ? lanes : 16) || count == 16)
            return 0;
        components[count++] = component;
    }
    return count <= 4 || count == 8 || count == 16 ? count : 0;
}

void ki_syn_selector_name(int lanes, const int *components, int count, char name[20])
{
    bool letters = count <= 4 && lanes <= 4;
    int at = 0;

    for (int i = 0; i < count; i++)
        letters = letters && components[i] < 4;
    if (!letters)
        name[at++] = 's';
    for (int i = 0; i < count; i++)
        name[at++] = (letters ? "xyzw" : "0123456789abcdef")[components[i]];
    name[at] = '\0';
}
