// SPDX-License-Identifier: Apache-2.0
// The numbers that a file's header promises: nothing is allocated for them that has not come.
#ifndef KN_BASE_INPUT_H
#define KN_BASE_INPUT_H

#include <stddef.h>
#include <stdio.h>

#include <koine/error.h>

// Reads `bytes` from where the stream stands into memory of its own, `*data` (never NULL on success; the
// caller frees it). `*have` tells how many there were: less than `bytes` means that the file ends before,
// which is for the caller to refuse, in its words; of a regular file that is too short nothing is read.
// Errors: KN_ERROR_INPUT, where reading failed; KN_ERROR_MEMORY. On failure `*data` is NULL.
kn_status ki_input_read(FILE *file, const char *path, size_t bytes, void **data, size_t *have, kn_error *err);

#endif
