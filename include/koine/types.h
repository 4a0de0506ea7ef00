// SPDX-License-Identifier: Apache-2.0
// The element types that libkoine's algorithms work on, and how the structs of this interface are
// initialised.
#ifndef KOINE_TYPES_H
#define KOINE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

// Options and tasks are passed in structs whose first member is their own size, so that a program compiled
// with an older header keeps working when later versions add members at the end. KN_INIT makes such a struct,
// with 0 in every member that is not named; 0 is the default of each:
//
//     kn_sort_options options = KN_INIT(kn_sort_options);                       // C and C++
//     options.algorithm = KN_SORT_RADIX;
//     kn_sort(queue, keys, KN_F32, n, &KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX), &err); // C
//
// Where C requires a constant, as for a static variable: {.struct_size = sizeof(kn_sort_options), ...}. A
// struct_size of 0, or a nonzero member that this version of the library does not know, is KN_ERROR_ARGUMENT.
// Structs without a struct_size never change, except that those which the library hands out by pointer may
// gain members at their ends.
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

typedef enum kn_type {
    KN_I8 = 0,
    KN_U8 = 1,
    KN_I16 = 2,
    KN_U16 = 3,
    KN_I32 = 4,
    KN_U32 = 5,
    KN_I64 = 6,
    KN_U64 = 7,
    KN_F32 = 8,
    KN_F64 = 9
} kn_type;

// Bytes of one element; 0 for any other value.
KN_API size_t kn_type_size(kn_type type);

// Its name in OpenCL C: "char", "uchar", ... "float", "double". Never NULL.
KN_API const char *kn_type_name(kn_type type);

// Frees memory that the library allocated for the caller. NULL is fine.
KN_API void kn_free(void *pointer);

// The order of a sort. NaN come last in both.
typedef enum kn_order { KN_ASCENDING = 0, KN_DESCENDING = 1 } kn_order;

// The numeric policy a program is compiled with, the same on every path.
typedef enum kn_policy {
    KN_POLICY_DEFAULT = 0, // contraction allowed; OpenCL's bounds for division and square root
    KN_POLICY_STRICT = 1,  // no contraction; IEEE division and square root
    KN_POLICY_FAST = 2     // relaxed maths
} kn_policy;

#ifdef __cplusplus
}
#endif
#endif
