// SPDX-License-Identifier: Apache-2.0
// How a column is held on the host.
#include <stdlib.h>

#include "base/error.h"
#include "column_internal.h"

kn_status ki_stats_column_take_room(struct stats_column *column, kn_error *err)
{
    size_t bytes = column->n * kn_type_size(column->type);

    if (!column->sorted)
        column->sorted = malloc(bytes);
    if (!column->scratch)
        column->scratch = malloc(column->n * sizeof(double));
    if (column->n > 0 && (!column->sorted || !column->scratch))
        return ki_fail_memory(err, bytes + column->n * sizeof(double), "sorting or selecting in a column");
    return KN_OK;
}

bool ki_stats_column_in_bytes(const struct stats_column *column)
{
    return column->type == KN_I8 || column->type == KN_U8;
}
