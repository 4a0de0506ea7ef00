// SPDX-License-Identifier: Apache-2.0
#include "elements.h"

#include <string.h>

#define PIECE_MOST ((uint64_t)1 << 31)

unsigned element_bits(kn_type type)
{
    return (unsigned)(8 * kn_type_size(type));
}

unsigned element_kind(kn_type type)
{
    return type >= KN_F32 ? 2 : type % 2 == 0;
}

void element_define(struct column_defines *defines, kn_type type)
{
    column_define(defines, "KEY_BITS", element_bits(type));
    column_define(defines, "KEY_KIND", element_kind(type));
}

void element_store(void *to, uint64_t bits, kn_type type)
{
    const uint8_t one = (uint8_t)bits;
    const uint16_t two = (uint16_t)bits;
    const uint32_t four = (uint32_t)bits;
    const void *const from[] = {NULL, &one, &two, NULL, &four, NULL, NULL, NULL, &bits};
    size_t size = kn_type_size(type);

    memcpy(to, from[size], size);
}

double element_value(uint64_t bits, kn_type type)
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

    element_store(&element, bits, type);
    const double values[] = {
        [KN_I8] = element.i8,           [KN_U8] = element.u8,           [KN_I16] = element.i16,
        [KN_U16] = element.u16,         [KN_I32] = element.i32,         [KN_U32] = element.u32,
        [KN_I64] = (double)element.i64, [KN_U64] = (double)element.u64, [KN_F32] = (double)element.f32,
        [KN_F64] = element.f64};
    return values[type];
}

uint64_t element_of_key(uint64_t key, kn_type type)
{
    unsigned bits = element_bits(type);
    uint64_t all = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1, sign = (uint64_t)1 << (bits - 1);

    if (element_kind(type) < 2)
        return element_kind(type) == 1 ? key ^ sign : key;
    key = (key + (all >> (type == KN_F64 ? 12 : 9))) & all;
    return key & sign ? key ^ sign : key ^ all;
}

bool element_next_piece(kn_buffer *x, kn_type type, uint64_t n, struct element_piece *piece)
{
    uint64_t size = kn_type_size(type), room;

    piece->first += piece->count;
    piece->skip += piece->count;
    if (piece->first == n)
        return false;
    room = kn_buffer_size(kn_buffer_part(x, piece->part)) / size;
    if (piece->skip == room) {
        piece->skip = 0;
        room = kn_buffer_size(kn_buffer_part(x, ++piece->part)) / size;
    }
    piece->buffer = kn_buffer_part(x, piece->part);
    piece->count = room - piece->skip < PIECE_MOST ? room - piece->skip : PIECE_MOST;
    piece->count = piece->count < n - piece->first ? piece->count : n - piece->first;
    return true;
}

uint64_t element_pieces(kn_buffer *x, kn_type type, uint64_t n)
{
    struct element_piece piece = {.buffer = NULL};
    uint64_t pieces = 0;

    while (element_next_piece(x, type, n, &piece))
        pieces++;
    return pieces;
}

void tile_choose(const kn_queue *queue, kn_type type, uint64_t n, size_t unit, struct tile_shape *shape)
{
    const kn_device_info *info = &queue->context->device.info;
    // A device whose loops are limited takes many small groups.
    bool cpu = info->type == KN_DEVICE_CPU && !info->loop_limit;
    size_t size = kn_type_size(type), tiles;

    if (shape->group == 0)
        shape->group = cpu ? 1 : 256;
    if (shape->loads == 0)
        shape->loads = cpu ? 16 : size <= 2 ? 2 : 8;
    // A GPU's work-item marks its elements in a word of 32 bits.
    while (shape->group > 1 && shape->loads > 1 && shape->loads * 16 / size > 32)
        shape->loads /= 2;
    while (shape->group > 1 && shape->group > info->max_work_group)
        shape->group /= 2;
    tiles = (size_t)(n / (shape->group * shape->loads * 16 / size));
    shape->groups = (cpu ? 4 : unit) * (info->compute_units ? info->compute_units : 1);
    if (info->loop_limit && shape->groups < tiles / 64 + 1)
        shape->groups = tiles / 64 + 1;
    if (shape->groups > tiles)
        shape->groups = tiles ? tiles : 1;
}
