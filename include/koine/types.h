// SPDX-License-Identifier: Apache-2.0
// The element types that libkoine's algorithms work on.
#ifndef KOINE_TYPES_H
#define KOINE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

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
