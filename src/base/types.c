// SPDX-License-Identifier: Apache-2.0
#include <koine/types.h>

#include <stdlib.h>

static const struct {
    size_t size;
    const char *name;
} types[] = {
    [KN_I8] = {1, "char"},   [KN_U8] = {1, "uchar"},   [KN_I16] = {2, "short"}, [KN_U16] = {2, "ushort"},
    [KN_I32] = {4, "int"},   [KN_U32] = {4, "uint"},   [KN_I64] = {8, "long"},  [KN_U64] = {8, "ulong"},
    [KN_F32] = {4, "float"}, [KN_F64] = {8, "double"},
};

size_t kn_type_size(kn_type type)
{
    size_t i = (size_t)type;
    return i < sizeof types / sizeof *types ? types[i].size : 0;
}

const char *kn_type_name(kn_type type)
{
    size_t i = (size_t)type;
    return i < sizeof types / sizeof *types ? types[i].name : "unknown type";
}

void kn_free(void *pointer)
{
    free(pointer);
}
