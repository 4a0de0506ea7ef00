// SPDX-License-Identifier: Apache-2.0
// What the kernels of total variation (cl/operator/tv.cl) and its hosts agree on.
#ifndef KN_SHARED_TV_H
#define KN_SHARED_TV_H

// With |A| scaled to 1, x takes steps of TV_RATIO / sqrt(2) and what belongs to rows those of 1 / (TV_RATIO sqrt(2)). 10 was
// about the best of 3, 10, 30 and 100 over sinograms with noise, for weights from hardly any variation left to the edges
// alone.
#define TV_RATIO 10.0f
#define TV_ROW_STEP 0.0707106781f // 1 / (TV_RATIO sqrt(2))
// Of each step so much is taken (from 0 to below 2).
#define TV_RELAXATION 1.8f

#endif
