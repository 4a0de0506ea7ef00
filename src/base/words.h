// SPDX-License-Identifier: Apache-2.0
// Lists of words separated by blanks, in which drivers report their extensions.
#ifndef KN_BASE_WORDS_H
#define KN_BASE_WORDS_H

#include <stdbool.h>
#include <string.h>

// Whether `word` is in `list` as a whole word.
static inline bool ki_words_have(const char *list, const char *word)
{
    size_t length = strlen(word);

    if (length == 0)
        return false;
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

#endif
