// SPDX-License-Identifier: Apache-2.0
// Reading the numbers that a file's header announces: no memory is allocated for numbers that have not
// arrived.
#ifndef KN_BASE_INPUT_H
#define KN_BASE_INPUT_H

#include <stddef.h>
#include <stdio.h>

#include <koine/error.h>

// Reads `bytes` from the stream's position into newly allocated memory, `*data` (never NULL on success; the
// caller frees it). `*have` is the number of bytes read: fewer than `bytes` means that the file ends early,
// which the caller must refuse in its own words; if a regular file is too short, nothing is read. Errors:
// KN_ERROR_INPUT if reading failed; KN_ERROR_MEMORY. On failure `*data` is NULL.
kn_status ki_input_read(FILE *file, const char *path, size_t bytes, void **data, size_t *have, kn_error *err);

#endif
