// SPDX-License-Identifier: Apache-2.0
// NumPy's array files (NPY format 1.0 and 2.0): numbers of one type in C order, little-endian.
#ifndef KN_IO_NPY_H
#define KN_IO_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/types.h>

enum { NPY_DIMS_MAX = 32 }; // NumPy's own limit

struct npy {
    kn_type type;
    bool is_bool; // NumPy's bool; `type` is then KN_U8
    size_t dims;  // 0 for a single number
    size_t shape[NPY_DIMS_MAX];
    size_t count; // elements: the product of the shape
    void *data;   // count times kn_type_size(type) bytes; never NULL
};

// Reads a whole file; "-" is standard input. Errors, with the file and the offset: KN_ERROR_INPUT for a file
// that is missing, unreadable, no .npy, of another version, of a type or order that is not read (named), or
// shorter or longer than its header says; KN_ERROR_MEMORY. On failure `array` is empty.
kn_status npy_read(const char *path, struct npy *array, kn_error *err);

// Writes format 1.0, so that the file is there whole or not at all (output.h). `count` is not looked at.
kn_status npy_write(const char *path, const struct npy *array, bool force, kn_error *err);

void npy_free(struct npy *array);

// NumPy's word for the type: "float32", "bool".
const char *npy_type_name(const struct npy *array);

#endif
