// SPDX-License-Identifier: Apache-2.0
// The matrix of the benchmarks of sparse systems: segments of rays through an image.
#ifndef KN_BENCH_SEGMENTS_H
#define KN_BENCH_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "app/sparse/matrix.h"

// From 0 to 1.
double bench_uniform(uint64_t *seed);

// 64 x 48 pixels (81,545 x 3,072, about 860,000 nonzeros), or `large`, of 60 x 50 (320,000 x 3,000, about
// 1,700,000); columns scaled by 1 to 1/100, so that solvers have 400 iterations to do. Exits on errors.
void bench_segments(bool large, struct sparse_matrix *matrix);

#endif
