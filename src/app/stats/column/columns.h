// SPDX-License-Identifier: Apache-2.0
// Several columns of one length that a device computes together.
#ifndef KN_APP_STATS_COLUMNS_H
#define KN_APP_STATS_COLUMNS_H

#include "column.h"

struct stats_columns;

// How many columns of n elements can be held and computed together as `like` computes one: as many as fit in
// one allocation of the device. 0 unless it is STATS_GPU with KN_STATS_FUSED.
size_t ki_stats_columns_most(const struct stats_column *like, size_t n);

// `count` columns of n elements each, converted as `like` needs them and copied to its device. *columns is
// NULL at first; later its memory is reused. `like` outlives it and holds none of the columns. Errors: those
// of ki_stats_column_load.
kn_status ki_stats_columns_load(struct stats_column *like, const void *const *values, size_t n, size_t count,
                                struct stats_columns **columns, kn_error *err);
void ki_stats_columns_free(struct stats_columns *all); // NULL is fine

// Their results, with the bits of ki_stats_column_compute.
kn_status ki_stats_columns_compute(struct stats_columns *all, kn_stats *results, kn_error *err);

// Whether column i is held in bytes; the device memory of all columns.
bool ki_stats_columns_in_bytes(const struct stats_columns *all, size_t i);
size_t ki_stats_columns_hold(const struct stats_columns *all);

#endif
