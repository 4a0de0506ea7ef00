// SPDX-License-Identifier: Apache-2.0
#include "elements.h"

#define PIECE_MOST ((uint64_t)1 << 31)

void ki_element_define(struct engine_defines *defines, kn_type type)
{
    ki_engine_define(defines, "KEY_BITS", ki_element_bits(type));
    ki_engine_define(defines, "KEY_KIND", ki_element_kind(type));
}

bool ki_element_next_piece(const kn_buffer *x, kn_type type, uint64_t n, struct element_piece *piece)
{
    uint64_t size = kn_type_size(type), room;

    piece->first += piece->count;
    piece->skip += piece->count;
    if (piece->first == n)
        return false;
    room = kn_buffer_get_size(kn_buffer_get_part(x, piece->part)) / size;
    if (piece->skip == room) {
        piece->skip = 0;
        room = kn_buffer_get_size(kn_buffer_get_part(x, ++piece->part)) / size;
    }
    piece->buffer = kn_buffer_get_part(x, piece->part);
    piece->count = room - piece->skip < PIECE_MOST ? room - piece->skip : PIECE_MOST;
    piece->count = piece->count < n - piece->first ? piece->count : n - piece->first;
    return true;
}

struct element_piece ki_element_piece_at(const kn_buffer *x, kn_type type, size_t position)
{
    const size_t size = kn_type_size(type);
    size_t length = kn_buffer_get_size(kn_buffer_get_part(x, 0)) / size, part = position / length;
    kn_buffer *found = kn_buffer_get_part(x, part);
    size_t skip = position % length;

    return (struct element_piece){found, skip, kn_buffer_get_size(found) / size - skip, position, part};
}

uint64_t ki_element_pieces(const kn_buffer *x, kn_type type, uint64_t n)
{
    struct element_piece piece = {.buffer = NULL};
    uint64_t pieces = 0;

    while (ki_element_next_piece(x, type, n, &piece))
        pieces++;
    return pieces;
}

void ki_tile_choose(const kn_queue *queue, kn_type type, uint64_t n, size_t unit, struct tile_shape *shape)
{
    const kn_device_info *info = &queue->context->device.info;
    size_t size = kn_type_size(type), tiles;
    const struct engine_sizes *sizes = ki_engine_sizes(info, size <= 2 ? SHAPE_TILE_NARROW : SHAPE_TILE);

    if (shape->group == 0)
        shape->group = sizes->group;
    if (shape->loads == 0)
        shape->loads = sizes->items;
    // A GPU's work-item marks its elements in a word of 32 bits.
    while (shape->group > 1 && shape->loads > 1 && shape->loads * 16 / size > 32)
        shape->loads /= 2;
    while (shape->group > 1 && shape->group > info->max_work_group)
        shape->group /= 2;
    tiles = (size_t)(n / (shape->group * shape->loads * 16 / size));
    unit = unit && !engine_is_serial(info) ? unit : sizes->per_unit;
    shape->groups = unit * (info->compute_units ? info->compute_units : 1);
    // A device with limited loops gets many small groups.
    if (info->loop_limit && shape->groups < tiles / 64 + 1)
        shape->groups = tiles / 64 + 1;
    if (shape->groups > tiles)
        shape->groups = tiles ? tiles : 1;
}
