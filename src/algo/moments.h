// SPDX-License-Identifier: Apache-2.0
// From sums to moments: the arithmetic that the device's results and the host's have in common, so that they
// have the same bits.
#ifndef KN_ALGO_MOMENTS_H
#define KN_ALGO_MOMENTS_H

#include <stdint.h>

#include <koine/reduce.h>

// Of a column of integers: sums of the keys (encode_key in cl/lib/key.clh) and, by 32-bit digits, of the
// squares of their distances from the shift's key; the least and the greatest key.
struct moments_exact {
    unsigned __int128 keys, squares[4];
    uint64_t least, greatest;
};

// How moments of floats are launched on a GPU: it changes the speed, never the bits. `group` 0: as
// kn_reduce_moments does; other fields 0: as cl/algo/moments.cl has it, one turn, no limit.
struct moments_tuning {
    unsigned group, width;  // as in cl/algo/reduce.cl
    unsigned unroll, ahead; // as in cl/algo/moments.cl
    unsigned turns;         // cells that a group finds, one after the other
    unsigned fold;          // work-items a group that folds the cells
    unsigned registers;     // kn_program_options' max_registers
};

// kn_reduce_moments of a column that has been checked, n > 0.
kn_status moments_tuned(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, const double *shift,
                        const struct moments_tuning *tuning, kn_moments *moments, kn_error *err);

// What is not a number is NaN.
kn_moments moments_of_nothing(void);

// Floats: mean and variance from n > 0, the shift and the sums.
void moments_from_sums(kn_moments *m);

// Integers: everything, of n > 0.
void moments_from_exact(kn_type type, size_t n, uint64_t shift_key, const struct moments_exact *sums,
                        kn_moments *m);

#endif
