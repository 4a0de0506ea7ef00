// SPDX-License-Identifier: Apache-2.0
// The launches of cl/algo/sort/sort_radix_once.cl: all digits are counted at once, and a pass reads the
// elements once.
#include "sort_radix.h"

#include "base/array.h"

size_t ki_radix_chain_args(const struct radix *r, unsigned pass, kn_arg *args)
{
    size_t n = 0;

    args[n++] = KN_BUFFER(r->key_chain[pass]);
    args[n++] = KN_BUFFER(r->key_chain[pass + 1]);
    if (r->job->values) {
        args[n++] = KN_BUFFER(r->value_chain[pass]);
        args[n++] = KN_BUFFER(r->value_chain[pass + 1]);
    }
    return n;
}

// Bytes of the words for masks, tickets and totals.
static size_t state_bytes(const struct radix *r)
{
    return (ONCE_TOTALS + kn_type_size(r->job->type) * DIGITS) * sizeof(uint32_t);
}

kn_status ki_radix_once_get_tables(struct radix *r, kn_error *err)
{
    kn_status status = ki_engine_scratch_get(
        &r->scratch, COUNTS, (size_t)2 * r->tiles * DIGITS * sizeof(uint32_t), &r->slots[COUNTS], err);

    return status ? status : ki_engine_scratch_get(&r->scratch, STATE, state_bytes(r), &r->slots[STATE], err);
}

kn_status ki_radix_once_count(struct radix *r, unsigned flags, kn_error *err)
{
    const kn_range range = {1, {(size_t)r->groups * r->group}, {r->group}, {0}};
    const uint32_t zero = 0, what = flags | FIRST, tiles = r->tiles;
    uint64_t shifts = 0;
    kn_status status =
        kn_buffer_fill(r->queue, r->slots[STATE], &zero, sizeof zero, 0, state_bytes(r), NO_EVENT, err);

    for (unsigned place = 0; place < kn_type_size(r->job->type); place++)
        shifts |= (uint64_t)r->shifts[place] << 8 * place;
    const kn_arg args[] = {
        KN_BUFFER(r->job->keys), KN_VALUE(r->n),  KN_VALUE(r->chunk),         KN_VALUE(shifts),
        KN_VALUE(what),          KN_VALUE(tiles), KN_BUFFER(r->slots[STATE]), KN_BUFFER(r->slots[COUNTS])};

    return status ? status : kn_launch(r->queue, r->count, &range, args, KI_COUNT(args), NO_EVENT, err);
}

kn_status ki_radix_once_scatter(const struct radix *r, unsigned pass, unsigned flags, kn_error *err)
{
    const kn_range range = {1, {(size_t)r->tiles * r->group}, {r->group}, {0}};
    uint32_t bits = r->shifts[pass], what = flags, turn = pass, place = r->places[pass], tiles = r->tiles;
    kn_arg args[14];
    size_t n = ki_radix_chain_args(r, pass, args);

    args[n++] = KN_VALUE(r->n);
    args[n++] = KN_VALUE(bits);
    args[n++] = KN_VALUE(what);
    args[n++] = KN_VALUE(turn);
    args[n++] = KN_VALUE(place);
    args[n++] = KN_VALUE(tiles);
    args[n++] = KN_BUFFER(r->slots[STATE]);
    args[n++] = KN_BUFFER(r->slots[COUNTS]);
    args[n++] = KN_LOCAL(r->arena);
    return kn_launch(r->queue, r->scatter, &range, args, n, NO_EVENT, err);
}
