// SPDX-License-Identifier: Apache-2.0
// Files without a name, for what does not fit into memory: nothing of them is left, however the process ends.
#ifndef KN_BASE_SPOOL_H
#define KN_BASE_SPOOL_H

#include <stdio.h>

#include <koine/error.h>

struct ki_spool;

// An empty file in the folder of `beside`; where that is NULL or no regular file's name ("-", a device, a
// pipe), in TMPDIR, or /var/tmp. Errors: KN_ERROR_OUTPUT, with the folder; KN_ERROR_MEMORY.
kn_status ki_spool_open(const char *beside, struct ki_spool **spool, kn_error *err);
void ki_spool_close(struct ki_spool *spool); // NULL is fine

// So many bytes, from position `at` on. Threads may write at once where they do not overlap, and any number
// may read what was written. Errors: KN_ERROR_OUTPUT (the disk is full, among others), with the folder.
kn_status ki_spool_write(struct ki_spool *spool, size_t at, const void *bytes, size_t count, kn_error *err);
kn_status ki_spool_read(const struct ki_spool *spool, size_t at, void *bytes, size_t count, kn_error *err);

// A stream with all that is left of another, at its beginning; the caller closes it. `name` is the other's,
// for messages. KN_ERROR_INPUT, KN_ERROR_OUTPUT, KN_ERROR_MEMORY.
kn_status ki_spool_stream(FILE *from, const char *name, const char *beside, FILE **stream, kn_error *err);

#endif
