// SPDX-License-Identifier: Apache-2.0
// From sums to moments: the arithmetic that the device's results and the host's have in common, so that they
// have the same bits.
#ifndef KN_HOST_STATS_MOMENTS_FINISH_H
#define KN_HOST_STATS_MOMENTS_FINISH_H

#include <stdint.h>

#include <koine/reduce.h>

// Of a column of integers: sums of the keys (encode_key in cl/lib/key.clh) and, by 32-bit digits, of the
// squares of their distances from the shift's key; the least and the greatest key.
struct moments_exact {
    unsigned __int128 keys, squares[4];
    uint64_t least, greatest;
};

// What is not a number is NaN.
kn_moments ki_moments_of_nothing(void);

// Floats: mean and variance from n > 0, the shift and the sums.
void ki_moments_from_sums(kn_moments *m);

// Integers: everything, of n > 0. Mean, variance and squares are the doubles nearest to the exact ones.
void ki_moments_from_exact(kn_type type, size_t n, uint64_t shift_key, const struct moments_exact *sums,
                           kn_moments *m);

#endif
