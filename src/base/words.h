// SPDX-License-Identifier: Apache-2.0
// Lists of words separated by blanks, as drivers tell their extensions.
#ifndef KN_BASE_WORDS_H
#define KN_BASE_WORDS_H

#include <stdbool.h>
#include <string.h>

// Whether `word` is one of `list`: a part of a longer word is not.
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
