// SPDX-License-Identifier: Apache-2.0
// Maps keys to integers in the same order, for merging on the host.
#ifndef KN_TOOLS_SORT_RANK_H
#define KN_TOOLS_SORT_RANK_H

#include <stdint.h>
#include <string.h>

#include "runs.h"

// Corresponds to encode_key and rank_key of cl/lib/key.clh: an integer that sorts like the key.
static inline uint64_t sort_rank(const struct sort_order *order, const char *key)
{
    const bool real = order->type == KN_F32 || order->type == KN_F64;
    const bool is_signed =
        order->type == KN_I8 || order->type == KN_I16 || order->type == KN_I32 || order->type == KN_I64;
    const size_t size = kn_type_size(order->type);
    const unsigned bits = 8 * (unsigned)size;
    const uint64_t most = UINT64_MAX >> (64 - bits), sign = (uint64_t)1 << (bits - 1);
    const uint64_t infinity = order->type == KN_F64 ? UINT64_C(0x7ff0000000000000) : UINT64_C(0x7f800000);
    uint64_t rank = 0;

    memcpy(&rank, key, size); // little-endian, like every machine on which the project runs
    if (!real)
        return (rank ^ (is_signed ? sign : 0)) ^ (order->descending ? most : 0);
    if (order->descending)
        rank ^= sign;
    rank ^= (rank & sign) != 0 ? most : sign;
    rank = (rank - (most ^ sign ^ infinity)) & most;
    if (!order->stable)
        return rank;
    if (rank == infinity) // -0
        return rank + 1;
    return rank > infinity + infinity + 1 ? most : rank; // NaN
}

#endif
