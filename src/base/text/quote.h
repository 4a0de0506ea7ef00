// SPDX-License-Identifier: Apache-2.0
// Bytes out of somebody's file, made fit to stand in a message.
#ifndef KN_BASE_TEXT_QUOTE_H
#define KN_BASE_TEXT_QUOTE_H

#include <stddef.h>

// Writes `count` bytes into `out` between double quotes: control characters and what is not UTF-8 as \n, \t,
// \x1b...; what does not fit is cut at a character and followed by "...". `size` is at least 8. Returns
// `out`.
const char *ki_quote(char *out, size_t size, const char *bytes, size_t count);

// The length of the UTF-8 character at `bytes` (1 to 4), or 0 if there is none (also for overlong forms,
// surrogates and an incomplete one). `count` is at least 1.
size_t ki_utf8_length(const char *bytes, size_t count);

#endif
