// SPDX-License-Identifier: Apache-2.0
// Exact sums of integers on the host.
#ifndef KN_HOST_STATS_HOST_DIGITS_H
#define KN_HOST_STATS_HOST_DIGITS_H

#include "host/simd/levels.h"
#include "moments_finish.h"

// The keys of integers of `size` bytes are their stored bits, with `sign` flipped. Adds n keys to the sums
// and, if wanted, the digits of the squares of their distances from `shift`.
struct host_integers {
    const void *x;
    size_t size;
    uint64_t sign, shift;
    bool wants_squares;
};

typedef void host_digits(const struct host_integers *integers, size_t first, size_t n,
                         struct moments_exact *sums);

host_digits ki_host_digits_scalar;
HOST_DECLARE_SET_VECTORS(host_digits, host_digits);

#endif
