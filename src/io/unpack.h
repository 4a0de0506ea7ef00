// SPDX-License-Identifier: Apache-2.0
// Decompresses gzip or zstd data as a stream of bytes: in memory that does not depend on its length, and, if
// there is a second thread, ahead of the reader.
#ifndef KN_IO_UNPACK_H
#define KN_IO_UNPACK_H

#include <stddef.h>

#include <koine/error.h>

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

enum { PACKING_BYTES = 4 }; // with which packing_of recognises it

// The compression of a file that begins with these bytes.
enum packing packing_of(const char *bytes, size_t count);

struct unpack;

// Decompresses the data of `fd`, after the `count` bytes at `begun`, which were read from it; several
// compressed parts one after the other are one. `fd` stays open, and `name`, which is for messages, stays
// valid as long as it reads. Errors: KN_ERROR_UNSUPPORTED (zstd, in a build without it), KN_ERROR_MEMORY.
kn_status unpack_open(const char *name, int fd, enum packing packing, const char *begun, size_t count,
                      struct unpack **unpack, kn_error *err);

// The next bytes, as many as there are, at most `room`; 0 only at the end. Errors: KN_ERROR_INPUT (the
// compressed data cannot be read, are damaged or end early), KN_ERROR_MEMORY.
kn_status unpack_read(struct unpack *unpack, char *to, size_t room, size_t *got, kn_error *err);

// In another thread, decompresses ahead of unpack_read until everything is decompressed, or until unpack_stop
// is called: a round of ki_parallel after the one that reads. unpack_read decompresses by itself as long as
// this has not begun.
void unpack_ahead(struct unpack *unpack);
void unpack_stop(struct unpack *unpack);

// NULL is fine.
void unpack_close(struct unpack *unpack);

#endif
