// SPDX-License-Identifier: Apache-2.0
// A whole file in memory, decompressed if gzip compressed it.
#ifndef KN_IO_GZIP_H
#define KN_IO_GZIP_H

#include <stddef.h>

#include <koine/error.h>

enum { GZIP_MARGIN = 16 }; // bytes of 0 after a file

struct gzip_file {
    const char *name; // the path, or "standard input" for "-"
    char *bytes;      // `count` of them, and GZIP_MARGIN more
    size_t count;
};

// Reads all of a file, or of standard input for "-"; several compressed parts one after the other are one
// file, as for gzip. KN_ERROR_INPUT: it cannot be read, or its compressed data are damaged or end early;
// KN_ERROR_MEMORY. On failure `file` is empty. One pass, and a second one if it is compressed.
kn_status gzip_read(const char *path, struct gzip_file *file, kn_error *err);

// Decompresses deflated bytes (without a header) that must give `count` bytes, as in a .zip. `name` is for
// messages.
kn_status gzip_inflate(const char *name, const void *packed, size_t packed_count, void *bytes, size_t count,
                       kn_error *err);

void gzip_free(struct gzip_file *file);

#endif
