// SPDX-License-Identifier: Apache-2.0
#include "movement.h"

#include <koine/stats.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { AXES = 3 };

static bool is_axis(const char *name, char axis)
{
    const size_t length = strlen(name);

    return length && tolower((unsigned char)name[length - 1]) == axis &&
           (length == 1 || !isalnum((unsigned char)name[length - 2]));
}

static bool find_axes(const struct csv_table *table, const void *axes[AXES])
{
    for (size_t k = 0; k < AXES; k++) {
        size_t found = 0;

        for (size_t i = 0; i < table->column_count; i++)
            if (table->column_count == AXES ? i == k : is_axis(table->columns[i].name, "xyz"[k])) {
                axes[k] = table->columns[i].values;
                found++;
            }
        if (found != 1)
            return false;
    }
    return true;
}

static kn_status add(const char *name, const void *const axes[AXES], const double *g, struct csv_table *table,
                     kn_error *err)
{
    const size_t n = table->rows;
    struct csv_column *grown = realloc(table->columns, (table->column_count + 1) * sizeof *grown);
    struct csv_column column = {
        .name = strdup(name), .values = malloc((n ? n : 1) * sizeof(double)), .count = n};
    kn_status status;

    table->columns = grown ? grown : table->columns;
    if (!grown || !column.name || !column.values)
        status = ki_fail_memory(err, n * sizeof(double), "a column of lengths");
    else
        status = ki_error_unname(g ? kn_stats_enmo(axes, KN_F64, n, *g, column.values, err)
                                   : kn_stats_magnitude(axes, KN_F64, n, column.values, err),
                                 err);
    if (status) {
        free(column.name);
        free(column.values);
        return status;
    }
    table->columns[table->column_count++] = column;
    return KN_OK;
}

kn_status stats_movement_add(const char *file, const struct stats_movement *wanted, struct csv_table *table,
                             kn_error *err)
{
    const void *axes[AXES];
    kn_status status = KN_OK;

    if (!wanted->magnitude && !wanted->enmo)
        return KN_OK;
    if (!find_axes(table, axes))
        return ki_fail_at(
            err, KN_ERROR_INPUT, file, 0,
            "--%s needs three axes, but of the file's %zu columns not one each is called x, y and z, or "
            "ends so; choose three with --column",
            wanted->magnitude ? "magnitude" : "enmo", table->column_count);
    if (wanted->magnitude)
        status = add("magnitude", axes, NULL, table, err);
    if (!status && wanted->enmo)
        status = add("enmo", axes, &wanted->g, table, err);
    return status;
}
