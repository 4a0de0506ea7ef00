// SPDX-License-Identifier: Apache-2.0
// Columns of elements of any type, handled as stored bits: what hosts of kernels with cl/lib/key.clh and
// cl/lib/tile.clh share.
#ifndef KN_ALGO_ELEMENTS_H
#define KN_ALGO_ELEMENTS_H

#include "base/element.h"
#include "columns.h"

// KEY_BITS and KEY_KIND (base/element.h).
void ki_element_define(struct engine_defines *defines, kn_type type);

// A stretch of a column, of at most 2^31 elements and in one part of the buffer. If zeroed, it is before the
// first one.
struct element_piece {
    kn_buffer *buffer;
    uint64_t skip, count; // in the buffer
    uint64_t first;       // in the column
    size_t part;
};

// Moves to the next of the first n elements of x; false past the end.
bool ki_element_next_piece(const kn_buffer *x, kn_type type, uint64_t n, struct element_piece *piece);
// The elements from `position` on that are in one part; `first` is the position.
struct element_piece ki_element_piece_at(const kn_buffer *x, kn_type type, size_t position);
uint64_t ki_element_pieces(const kn_buffer *x, kn_type type, uint64_t n);

// How a launch divides a column into tiles. On a CPU a work-item is a group.
struct tile_shape {
    unsigned group, loads;
    size_t groups;
};

// `unit`: groups for each compute unit of a GPU. A unit, group or loads of 0 is chosen here (SHAPE_TILE).
void ki_tile_choose(const kn_queue *queue, kn_type type, uint64_t n, size_t unit, struct tile_shape *shape);

#endif
