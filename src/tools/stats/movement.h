// SPDX-License-Identifier: Apache-2.0
// Columns computed from others: the magnitude of acceleration, and its excess over one g.
#ifndef KN_TOOLS_STATS_MOVEMENT_H
#define KN_TOOLS_STATS_MOVEMENT_H

#include "io/csv/csv.h"

struct stats_movement {
    bool magnitude, enmo; // the columns to add
    double g;             // one g in the unit of the columns
};

// Appends them as columns "magnitude" and "enmo". The axes are the table's three columns; if there are more,
// those named x, y and z, or whose names end in these letters after something other than a letter or digit
// ("acc_x", "Accelerometer X"), ignoring case. Errors, with `file`: KN_ERROR_INPUT (there are no such three
// columns), KN_ERROR_MEMORY.
kn_status stats_movement_add(const char *file, const struct stats_movement *wanted, struct csv_table *table,
                             kn_error *err);

#endif
