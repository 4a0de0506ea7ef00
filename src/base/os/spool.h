// SPDX-License-Identifier: Apache-2.0
// Files without a name, for what does not fit into memory: nothing of them is left, however the process ends.
#ifndef KN_BASE_SPOOL_H
#define KN_BASE_SPOOL_H

#include <stdio.h>

#include <koine/error.h>

// An empty file, to be written and read, in the folder of `beside`; where that is NULL or no regular file's
// name ("-", a device, a pipe), in TMPDIR, or /var/tmp. The caller closes it. KN_ERROR_OUTPUT, with the
// folder.
kn_status ki_spool_open(const char *beside, FILE **file, kn_error *err);

// Writes or reads at a position. `what` is what the bytes are, for messages. KN_ERROR_OUTPUT.
kn_status ki_spool_write(FILE *file, size_t at, const void *bytes, size_t count, const char *what,
                         kn_error *err);
kn_status ki_spool_read(FILE *file, size_t at, void *bytes, size_t count, const char *what, kn_error *err);

// A file with all that is left of a stream, which stands at its beginning. `name` is the stream's, for
// messages. KN_ERROR_INPUT, KN_ERROR_OUTPUT.
kn_status ki_spool_stream(FILE *stream, const char *name, const char *beside, FILE **file, kn_error *err);

#endif
