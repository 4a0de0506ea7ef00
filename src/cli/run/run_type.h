// SPDX-License-Identifier: Apache-2.0
// OpenCL C's number types as koine run accepts them, such as "float4", and numbers of these types.
#ifndef KN_CLI_RUN_RUN_TYPE_H
#define KN_CLI_RUN_RUN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/types.h>

enum run_class { RUN_SIGNED, RUN_UNSIGNED, RUN_FLOAT };

struct run_type {
    const char *base; // "float"
    enum run_class class;
    size_t size;    // bytes of a component
    unsigned width; // components: 1, 2, 3, 4, 8, 16
    kn_type npy;    // the same type in a .npy file
    bool has_npy;   // half has no such type
};

// Words like "uint" and "float4"; also "unsigned int". False if it is not a number type.
bool run_type_read(const char *word, size_t length, struct run_type *type);
// A scalar type of that kind; false if there is none.
bool run_type_of_npy(kn_type npy, struct run_type *type);

// Bytes of an element in memory: three components have the size of four.
size_t run_type_bytes(const struct run_type *type);
size_t run_type_stride(const struct run_type *type); // the same in components

enum { RUN_TYPE_NAME = 24, RUN_NUMBER_TEXT = 40 };
void run_type_name(const struct run_type *type, char name[RUN_TYPE_NAME]);

// A component: as text that reads back to the same value, as a double, and converted from these. `text` ends
// at `length`.
void run_number_print(const struct run_type *type, const void *component, char text[RUN_NUMBER_TEXT]);
double run_number_get(const struct run_type *type, const void *component);
void run_number_set(const struct run_type *type, void *component, double value); // of a float type
void run_integer_set(const struct run_type *type, void *component,
                     uint64_t bits); // of an integer type, cut off
bool run_number_read(const struct run_type *type, const char *text, size_t length, void *component);

// How many representable numbers lie between two of a float type; UINT64_MAX if only one of them is NaN.
uint64_t run_number_ulps(const struct run_type *type, const void *a, const void *b);

#endif
