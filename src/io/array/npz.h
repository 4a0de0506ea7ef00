// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz: a .zip of .npy arrays, stored or deflated.
#ifndef KN_IO_ARRAY_NPZ_H
#define KN_IO_ARRAY_NPZ_H

#include "io/gzip.h"
#include "npy.h"

struct npz_member {
    const char *name; // `length` characters of the file's, without ".npy"
    size_t length;
    uint64_t bytes, packed_bytes;
    uint64_t at; // of its local head in the file
    uint32_t crc;
    unsigned method;
};

struct npz {
    struct gzip_file file;
    struct npz_member *members;
    size_t count;
};

// Reads a file into memory and its directory; "-" is standard input. KN_ERROR_INPUT: no .zip, one that is
// damaged, ends early, has several volumes or is encrypted; KN_ERROR_MEMORY. On failure `npz` is empty.
kn_status npz_open(const char *path, struct npz *npz, kn_error *err);

bool npz_has(const struct npz *npz, const char *name);

// An array by its name, which the caller frees by npy_free. KN_ERROR_INPUT: none of this name, bytes that are
// damaged (their CRC is looked at), and as npy_read.
kn_status npz_array(const struct npz *npz, const char *name, struct npy *array, kn_error *err);

// A text, '|S3' or '<U3', into `text` of `size` bytes, ASCII alone ('?' for all else), what is too long cut
// off. Errors as above.
kn_status npz_text(const struct npz *npz, const char *name, char *text, size_t size, kn_error *err);

void npz_close(struct npz *npz);

#endif
