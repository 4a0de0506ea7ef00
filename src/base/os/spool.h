// SPDX-License-Identifier: Apache-2.0
// Files without a name, for data that do not fit into memory: nothing of them is left, however the process
// ends.
#ifndef KN_BASE_SPOOL_H
#define KN_BASE_SPOOL_H

#include <stdio.h>

#include <koine/error.h>

struct ki_spool;

// An empty file in the folder of `beside`; in TMPDIR or /var/tmp if that is NULL or not the name of a regular
// file ("-", a device, a pipe). Errors: KN_ERROR_OUTPUT, with the folder; KN_ERROR_MEMORY.
kn_status ki_spool_open(const char *beside, struct ki_spool **spool, kn_error *err);
void ki_spool_close(struct ki_spool *spool); // NULL is fine

// Writes or reads `bytes` at position `at`. Threads may write at the same time if their ranges do not
// overlap, and any number of them may read what was written. Errors: KN_ERROR_OUTPUT (for one, the disk is
// full), with the folder.
kn_status ki_spool_write(struct ki_spool *spool, size_t at, const void *bytes, size_t count, kn_error *err);
kn_status ki_spool_read(const struct ki_spool *spool, size_t at, void *bytes, size_t count, kn_error *err);

// Copies the rest of a stream to a new one, which stands at its beginning; the caller closes it. `name` is
// the other stream's name, for messages. KN_ERROR_INPUT, KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
kn_status ki_spool_stream(FILE *from, const char *name, const char *beside, FILE **stream, kn_error *err);

#endif
