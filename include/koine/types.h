// SPDX-License-Identifier: Apache-2.0
// The element types that libkoine's algorithms work on, and how the structs of this interface are made.
#ifndef KOINE_TYPES_H
#define KOINE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

// What a caller tells a function stands in a struct whose first member is its own size, so that a program
// compiled with an older header goes on working when later versions add members at the end. KN_INIT makes
// one, with 0 in every member that is not named; 0 is the default of each:
//
//     kn_sort_options options = KN_INIT(kn_sort_options);                       // C and C++
//     options.algorithm = KN_SORT_RADIX;
//     kn_sort(queue, keys, KN_F32, n, &KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX), &err); // C
//
// Where C asks for a constant, as for a static variable: {.struct_size = sizeof(kn_sort_options), ...}. A
// struct_size of 0, or members that this version of the library does not know with another value than 0, are
// KN_ERROR_ARGUMENT. Structs without a struct_size keep their members for good, but for those that the
// library hands out by pointer, which may gain some at their ends.
#ifdef __cplusplus
template <class T> inline T kn_init_()
{
    T made = T();

    made.struct_size = sizeof(T);
    return made;
}
#define KN_INIT(type) kn_init_<type>()
#else
#define KN_INIT(...)         KN_INIT_(__VA_ARGS__, .struct_size = sizeof(KN_FIRST_(__VA_ARGS__, 0)))
#define KN_INIT_(type, ...)  ((type){__VA_ARGS__})
#define KN_FIRST_(type, ...) type
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kn_type { KN_I8, KN_U8, KN_I16, KN_U16, KN_I32, KN_U32, KN_I64, KN_U64, KN_F32, KN_F64 } kn_type;

// Bytes of one element; 0 for a number that is no type.
KN_API size_t kn_type_size(kn_type type);

// OpenCL C's word for it: "char", "uchar", ... "float", "double". Never NULL.
KN_API const char *kn_type_name(kn_type type);

// The numeric policy a program is compiled with, the same on every path.
typedef enum kn_policy {
    KN_POLICY_DEFAULT, // contraction allowed; OpenCL's bounds for division and square root
    KN_POLICY_STRICT,  // no contraction; IEEE division and square root
    KN_POLICY_FAST     // relaxed maths
} kn_policy;

#ifdef __cplusplus
}
#endif
#endif
