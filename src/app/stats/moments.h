// SPDX-License-Identifier: Apache-2.0
// From sums to moments: the one function with which host and device variants convert two sums to mean,
// deviation and CV.
//
// The sums are those of d = x - shift and d*d, in double, in a tree that depends only on the element's index:
// - a leaf is 4,096 consecutive elements; element i belongs to lane i mod 64 of its leaf;
// - a lane adds its elements in order, starting from +0: s = s + d, q = fma(d, d, q); no element past n is
//   added;
// - lanes are folded by halves: lane[l] += lane[l + 32], then 16, 8, 4, 2, 1;
// - leaves are folded in adjacent pairs, (0,1), (2,3)..., then pairs of pairs; a missing partner is +0.
// Only additions, one subtraction and explicit fma: compile with -ffp-contract=off, and the bits are the same
// everywhere.
#ifndef KN_APP_STATS_MOMENTS_H
#define KN_APP_STATS_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "shared/tree.h"
#include "stats.h"

struct stats_sums {
    double sum, squares;
};

bool ki_stats_holds_nan(const double *x, size_t n);

// A typical element (rounded to float first, if `single`): the median of up to 15 finite ones, evenly spaced
// over the column; 0 if all 15 are infinite. Sums relative to it keep their digits if the mean is far from 0
// and the deviation small, also if the first element is a start-up value; and sums of integers stay exact.
double ki_stats_shift(const double *x, size_t n, bool single);

// The same in two steps, for a column that is not an array of doubles: first the positions of the elements to
// sample, of n > 0, in ascending order; then the shift, from these elements. The first returns the number of
// positions.
enum { STATS_SHIFT_SAMPLES = 15 };
size_t ki_stats_shift_positions(size_t n, size_t positions[STATS_SHIFT_SAMPLES]);
double ki_stats_shift_of(const double *elements, size_t count);

// Folds the leaves' sums in place; returns the total. Without leaves: zero.
struct stats_sums ki_stats_fold_leaves(struct stats_sums *leaves, size_t count);

// Fills in n, mean, std and cv.
void ki_stats_moments(struct stats_sums sums, double shift, size_t n, kn_stats *result);

#endif
