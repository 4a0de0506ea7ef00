// SPDX-License-Identifier: Apache-2.0
// The parts of a radix sort: the shape of its launches (sort_radix_shape.c) and its passes (sort_radix.c).
#ifndef KN_ALGO_SORT_SORT_RADIX_H
#define KN_ALGO_SORT_SORT_RADIX_H

#include "shared/sort_radix.h"
#include "sort.h"

enum { RADIX_MOST_PASSES = 8 };

// Slots of scratch memory.
enum { COUNTS, OFFSETS, TOTALS, STATE, KEYS_A, KEYS_B, VALUES_A, VALUES_B, RADIX_SLOTS };

// How work-items with the same digit find each other.
struct radix_rung {
    unsigned subgroup, match; // KN_SUBGROUP, KN_MATCH
    unsigned least;           // lanes of a sub-group
};

struct radix {
    const struct sort_job *job;
    kn_queue *queue;
    uint64_t n, chunk; // elements a group: a multiple of the tile
    const struct radix_rung *rung;
    unsigned lanes, group, keys, registers, prefetch, groups, position_bits, flags;
    size_t arena;                       // bytes of local memory
    bool once;                          // KN_SORT_COUNTING_ONCE
    unsigned tiles;                     // number of tiles, with `once`
    unsigned places[RADIX_MOST_PASSES]; // with `once`: which of the counted digits a pass sorts by
    kn_kernel *count, *scan, *scatter;
    struct engine_scratch scratch;
    kn_buffer *slots[RADIX_SLOTS];
    unsigned shifts[RADIX_MOST_PASSES + 1], passes, tables; // tables of counts: 1, or one a pass
    // Where each pass reads, and the next one: passes + 1 of them.
    kn_buffer *key_chain[RADIX_MOST_PASSES + 1], *value_chain[RADIX_MOST_PASSES + 1];
};

// Chooses the method, and the width of positions.
kn_status ki_radix_choose_form(struct radix *r, kn_error *err);
// For that method, the groups, their chunks, and how digits are counted.
kn_status ki_radix_choose_shape(struct radix *r, kn_error *err);

// Sets the arguments of a pass that say what it reads and writes; returns how many there are.
size_t ki_radix_chain_args(const struct radix *r, unsigned pass, kn_arg *args);

// The launches of cl/algo/sort/sort_radix_once.cl (sort_radix_once.c): the digits of all places, and a pass.
kn_status ki_radix_once_get_tables(struct radix *r, kn_error *err);
kn_status ki_radix_once_count(struct radix *r, unsigned flags, kn_error *err);
kn_status ki_radix_once_scatter(const struct radix *r, unsigned pass, unsigned flags, kn_error *err);

#endif
