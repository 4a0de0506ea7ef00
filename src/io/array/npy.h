// SPDX-License-Identifier: Apache-2.0
// NumPy's array files (NPY format 1.0 to 3.0): numbers of one type, in memory in C order and the machine's
// byte order, however the file has them.
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
// that is missing, unreadable, no .npy, of another version, of a type that is not read (named), or
// shorter or longer than its header says; KN_ERROR_MEMORY. On failure `array` is empty. Big-endian numbers
// are turned round, an array in Fortran's order is transposed (which takes the array's memory once more for a
// while).
kn_status npy_read(const char *path, struct npy *array, kn_error *err);

// The same of a file's bytes in memory; `name` is for messages.
kn_status npy_read_bytes(const char *name, const void *bytes, size_t count, struct npy *array, kn_error *err);

// Where a file has its numbers, and how.
struct npy_layout {
    size_t offset; // of the first number
    bool is_swapped, is_fortran;
};

// Reads a file's head alone, for those who want parts of an array: everything of `array` but its data. The
// stream stands at the first number then. Errors: npy_read's.
kn_status npy_read_head(FILE *file, const char *name, struct npy *array, struct npy_layout *layout,
                        kn_error *err);

// An array's file of which parts are read.
struct npy_file {
    FILE *stream;
    const char *name;
    struct npy array; // without data
    struct npy_layout layout;
};

// Takes the stream (NULL: one that could not be opened, as errno has it), which can be sought in and stands
// at its beginning; npy_close closes it, whether this failed or not. `name` is for messages, and stays the
// caller's. Errors: npy_read's, and KN_ERROR_INPUT for an array of several dimensions in Fortran's order,
// whose parts are scattered.
kn_status npy_open(FILE *stream, const char *name, struct npy_file *file, kn_error *err);
// Elements from `first` on, in the machine's byte order.
kn_status npy_read_part(const struct npy_file *file, size_t first, size_t count, void *elements,
                        kn_error *err);
void npy_close(struct npy_file *file);

// Turns the bytes of each of `count` numbers of `size` bytes round.
void npy_swap_bytes(void *numbers, size_t size, size_t count);

// Writes format 1.0, so that the file is there whole or not at all (output.h). `count` is not looked at.
kn_status npy_write(const char *path, const struct npy *array, bool force, kn_error *err);

// The same up to the first number, to a stream, in which errors stick. False if memory ran out.
bool npy_write_head(FILE *stream, const struct npy *array);

void npy_free(struct npy *array);

// NumPy's word for the type: "float32", "bool", "complex64".
const char *npy_type_name(const struct npy *array);

#endif
