// SPDX-License-Identifier: Apache-2.0
// Several columns of one length that a device computes together.
#ifndef KN_APP_STATS_COLUMNS_H
#define KN_APP_STATS_COLUMNS_H

#include "column.h"

struct stats_columns;

// How many columns of n elements can be held and computed together as `like` computes one: as many as one
// allocation of the device has room for. 0 where that is not STATS_GPU with KN_STATS_FUSED.
size_t ki_stats_columns_most(const struct stats_column *like, size_t n);

// `count` columns of n elements each, converted as `like` wants them and copied to its device. *columns is
// NULL at first, and its memory is used again. `like` outlives it and holds none of the columns. Errors:
// those of ki_stats_column_load.
kn_status ki_stats_columns_load(struct stats_column *like, const void *const *values, size_t n, size_t count,
                                struct stats_columns **columns, kn_error *err);
void ki_stats_columns_free(struct stats_columns *all); // NULL is fine

// Their results, as ki_stats_column_compute has them, to the bit.
kn_status ki_stats_columns_compute(struct stats_columns *all, kn_stats *results, kn_error *err);

// Whether column i is held in bytes; the device's memory that all take.
bool ki_stats_columns_in_bytes(const struct stats_columns *all, size_t i);
size_t ki_stats_columns_hold(const struct stats_columns *all);

#endif
