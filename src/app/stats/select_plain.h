// SPDX-License-Identifier: Apache-2.0
// Quickselect in plain C, with one thread, like std::nth_element.
#ifndef KN_APP_STATS_SELECT_PLAIN_H
#define KN_APP_STATS_SELECT_PLAIN_H

#include <stddef.h>

// The median of n > 0 numbers, which are reordered.
double ki_stats_select_median(double *x, size_t n);

#endif
