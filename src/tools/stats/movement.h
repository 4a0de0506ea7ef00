// SPDX-License-Identifier: Apache-2.0
// Columns of a table made of others: the length of acceleration, and what of it is above one g.
#ifndef KN_TOOLS_STATS_MOVEMENT_H
#define KN_TOOLS_STATS_MOVEMENT_H

#include "io/csv/csv.h"

struct stats_movement {
    bool magnitude, enmo; // which are wanted
    double g;             // one g in the unit of the columns
};

// Appends them, as columns "magnitude" and "enmo". The axes are the table's three columns or, of more, those
// that are called x, y and z, or end so behind something that is no letter or digit ("acc_x", "Accelerometer
// X"), in any case. Errors, with `file`: KN_ERROR_INPUT (there are no such three), KN_ERROR_MEMORY.
kn_status stats_movement_add(const char *file, const struct stats_movement *wanted, struct csv_table *table,
                             kn_error *err);

#endif
