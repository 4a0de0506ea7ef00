// SPDX-License-Identifier: Apache-2.0
// Lists of words separated by blanks, as drivers tell their extensions.
#ifndef KN_BASE_WORDS_H
#define KN_BASE_WORDS_H

#include <stdbool.h>

// Whether `word` is one of `list`: a part of a longer word is not.
bool ki_words_have(const char *list, const char *word);

#endif
