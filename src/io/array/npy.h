// SPDX-License-Identifier: Apache-2.0
// NumPy's array files (NPY format 1.0 to 3.0): numbers of one type, in memory in C order and the machine's
// byte order, whatever order the file has.
#ifndef KN_IO_ARRAY_NPY_H
#define KN_IO_ARRAY_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <koine/types.h>

enum { NPY_DIMS_MAX = 32 }; // NumPy's own limit

struct npy {
    kn_type type;
    bool is_bool;    // NumPy's bool; `type` is then KN_U8
    bool is_complex; // an element is two numbers of `type` (KN_F32 or KN_F64), the real part first
    size_t dims;     // 0 for a single number
    size_t shape[NPY_DIMS_MAX];
    size_t count; // elements: the product of the shape
    void *data;   // count times npy_element_size bytes; never NULL
};

// Bytes of an element.
size_t npy_element_size(const struct npy *array);

// Reads a whole file; "-" is standard input. Errors, with the file and the offset: KN_ERROR_INPUT for a file
// that is missing, unreadable, not a .npy, of another version, of an unsupported type (named), or shorter or
// longer than its header says; KN_ERROR_MEMORY. On failure `array` is empty. Big-endian numbers are
// byte-swapped, and an array in Fortran order is transposed (which takes memory for a copy for a while).
kn_status npy_read(const char *path, struct npy *array, kn_error *err);

// The same for a file's bytes in memory; `name` is for messages.
kn_status npy_read_bytes(const char *name, const void *bytes, size_t count, struct npy *array, kn_error *err);

// Where and how a file stores its numbers.
struct npy_layout {
    size_t offset; // of the first number
    bool is_swapped, is_fortran;
};

// Reads only a file's head, for reading parts of an array: sets everything in `array` except its data. The
// stream is then at the first number. Errors: those of npy_read.
kn_status npy_read_head(FILE *file, const char *name, struct npy *array, struct npy_layout *layout,
                        kn_error *err);

// An array's file that is read in parts.
struct npy_file {
    FILE *stream;
    const char *name;
    struct npy array; // without data
    struct npy_layout layout;
};

// Takes over the stream (NULL: it could not be opened, for the reason in errno), which must be seekable and
// at its beginning; npy_close closes it, whether this failed or not. `name` is for messages, and is borrowed.
// Errors: those of npy_read, and KN_ERROR_INPUT for an array of several dimensions in Fortran order, whose
// parts are scattered.
kn_status npy_open(FILE *stream, const char *name, struct npy_file *file, kn_error *err);
// Elements from `first` on, in the machine's byte order.
kn_status npy_read_part(const struct npy_file *file, size_t first, size_t count, void *elements,
                        kn_error *err);
void npy_close(struct npy_file *file);

// Swaps the bytes of each of `count` numbers of `size` bytes.
void npy_swap_bytes(void *numbers, size_t size, size_t count);

// Writes format 1.0; the file appears whole or not at all (output.h). `count` is ignored.
kn_status npy_write(const char *path, const struct npy *array, bool force, kn_error *err);

// The bytes of the file that npy_write makes, of an array's form alone; 0 if memory ran out.
size_t npy_file_size(const struct npy *array);

// Writes everything before the first number to a stream, in which errors stick. False if memory ran out.
bool npy_write_head(FILE *stream, const struct npy *array);

void npy_free(struct npy *array);

// NumPy's name for the type: "float32", "bool", "complex64".
const char *npy_type_name(const struct npy *array);

#endif
