// SPDX-License-Identifier: Apache-2.0
// What gzip or zstd packed, unpacked as a stream of bytes: in memory that does not depend on its length, and,
// where a second thread is there, ahead of who reads it.
#ifndef KN_IO_UNPACK_H
#define KN_IO_UNPACK_H

#include <stddef.h>

#include <koine/error.h>

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD };

enum { PACKING_BYTES = 4 }; // with which packing_of tells it

// Of a file that begins with these bytes.
enum packing packing_of(const char *bytes, size_t count);

struct unpack;

// Unpacks what `fd` gives, behind the `count` bytes at `begun`, which were read from it; several packed parts
// one after the other are one. `fd` stays open and `name`, which is for messages, valid as long as it reads.
// Errors: KN_ERROR_UNSUPPORTED (zstd, in a build without it), KN_ERROR_MEMORY.
kn_status unpack_open(const char *name, int fd, enum packing packing, const char *begun, size_t count,
                      struct unpack **unpack, kn_error *err);

// The next bytes, as many as are there and `room` at most; 0 only at the end. Errors: KN_ERROR_INPUT (what is
// packed cannot be read, is damaged or ends early), KN_ERROR_MEMORY.
kn_status unpack_read(struct unpack *unpack, char *to, size_t room, size_t *got, kn_error *err);

// In another thread, unpacks ahead of unpack_read until all is unpacked, or until unpack_stop is called: a
// round of ki_parallel behind the one that reads. unpack_read unpacks itself as long as this has not begun.
void unpack_ahead(struct unpack *unpack);
void unpack_stop(struct unpack *unpack);

// NULL is fine.
void unpack_close(struct unpack *unpack);

#endif
