// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz: a .zip of .npy arrays, stored or deflated.
#ifndef KN_IO_ARRAY_NPZ_H
#define KN_IO_ARRAY_NPZ_H

#include "io/gzip.h"
#include "npy.h"

struct npz_member {
    const char *name; // `length` characters of the file's name, without ".npy"
    size_t length;
    uint64_t bytes, packed_bytes;
    uint64_t at; // of its local header in the file
    uint32_t crc;
    unsigned method;
};

struct npz {
    struct gzip_file file;
    struct npz_member *members;
    size_t count;
};

// Reads a file into memory, and its directory; "-" is standard input. KN_ERROR_INPUT: not a .zip, damaged,
// truncated, in several volumes or encrypted; KN_ERROR_MEMORY. On failure `npz` is empty.
kn_status npz_open(const char *path, struct npz *npz, kn_error *err);

bool npz_has(const struct npz *npz, const char *name);

// An array by its name, which the caller frees with npy_free. KN_ERROR_INPUT: no array of this name, damaged
// bytes (the CRC is checked), and the errors of npy_read.
kn_status npz_array(const struct npz *npz, const char *name, struct npy *array, kn_error *err);

// A text, '|S3' or '<U3', into `text` of `size` bytes, as ASCII ('?' for other characters); longer text is
// cut. Errors as above.
kn_status npz_text(const struct npz *npz, const char *name, char *text, size_t size, kn_error *err);

void npz_close(struct npz *npz);

#endif
