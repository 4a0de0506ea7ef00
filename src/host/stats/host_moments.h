// SPDX-License-Identifier: Apache-2.0
// What other files use of the host's moments.
#ifndef KN_HOST_STATS_HOST_MOMENTS_H
#define KN_HOST_STATS_HOST_MOMENTS_H

#include <stddef.h>

#include <koine/host.h>

// The shift that cl/algo/moments.cl chooses for a column of KN_F32 or KN_F64.
double ki_host_moments_shift(const void *x, kn_type type, size_t n, kn_host_level level);

#endif
