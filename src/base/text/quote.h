// SPDX-License-Identifier: Apache-2.0
// Bytes from a user's file, made fit for a message.
#ifndef KN_BASE_TEXT_QUOTE_H
#define KN_BASE_TEXT_QUOTE_H

#include <stddef.h>

// Writes `count` bytes into `out` between double quotes: control characters and invalid UTF-8 as \n, \t,
// \x1b...; text that does not fit is cut at a character and followed by "...". `size` is at least 8. Returns
// `out`.
const char *ki_quote(char *out, size_t size, const char *bytes, size_t count);

// The length of the UTF-8 character at `bytes` (1 to 4), or 0 if it is invalid (including overlong forms,
// surrogates and an incomplete one). `count` is at least 1.
size_t ki_utf8_length(const char *bytes, size_t count);

#endif
