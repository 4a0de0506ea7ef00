// SPDX-License-Identifier: Apache-2.0
// Columns of integers that fit 8 bits.
#ifndef KN_APP_STATS_BYTES_H
#define KN_APP_STATS_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/types.h>

// Whether all n values are integers of -128..127 (KN_I8) or of 0..255 (KN_U8); -0 counts as 0. `bytes` has
// room for n, and is written as far as values fit.
bool ki_stats_to_bytes(const double *values, size_t n, uint8_t *bytes, kn_type *type);

#endif
