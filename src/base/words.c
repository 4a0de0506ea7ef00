// SPDX-License-Identifier: Apache-2.0
#include "words.h"

#include <string.h>

bool ki_words_have(const char *list, const char *word)
{
    size_t length = strlen(word);

    if (length == 0)
        return false;
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}
