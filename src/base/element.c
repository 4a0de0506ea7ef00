// SPDX-License-Identifier: Apache-2.0
#include "element.h"

#include <string.h>

unsigned ki_element_bits(kn_type type)
{
    return (unsigned)(8 * kn_type_size(type));
}

unsigned ki_element_kind(kn_type type)
{
    return type >= KN_F32 ? 2 : type % 2 == 0;
}

void ki_element_store(void *to, uint64_t bits, kn_type type)
{
    const uint8_t one = (uint8_t)bits;
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;
    const void *const from[] = {NULL, &one, &two, NULL, &four, NULL, NULL, NULL, &bits};
    size_t size = kn_type_size(type);

    memcpy(to, from[size], size);
}

double ki_element_value(uint64_t bits, kn_type type)
{
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } element = {.u64 = 0};

    ki_element_store(&element, bits, type);
    const double values[] = {
        [KN_I8] = element.i8,           [KN_U8] = element.u8,           [KN_I16] = element.i16,
        [KN_U16] = element.u16,         [KN_I32] = element.i32,         [KN_U32] = element.u32,
        [KN_I64] = (double)element.i64, [KN_U64] = (double)element.u64, [KN_F32] = (double)element.f32,
        [KN_F64] = element.f64};
    return values[type];
}

uint64_t ki_element_of_key(uint64_t key, kn_type type)
{
    unsigned bits = ki_element_bits(type);
    uint64_t all = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1, sign = (uint64_t)1 << (bits - 1);

    if (ki_element_kind(type) < 2)
        return ki_element_kind(type) == 1 ? key ^ sign : key;
    key = (key + (all >> (type == KN_F64 ? 12 : 9))) & all;
    return key & sign ? key ^ sign : key ^ all;
}
