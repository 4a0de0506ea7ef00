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

static bool find_axes(const struct csv_table *table, size_t axes[AXES])
{
    for (size_t k = 0; k < AXES; k++) {
        size_t found = 0;

        for (size_t i = 0; i < table->column_count; i++)
            if (table->column_count == AXES ? i == k : is_axis(table->columns[i].name, "xyz"[k])) {
                axes[k] = i;
                found++;
            }
        if (found != 1)
            return false;
    }
    return true;
}

static kn_status lengths(const void *const axes[AXES], size_t n, const double *g, double *out, kn_error *err)
{
    return ki_error_unname(g ? kn_stats_enmo(axes, KN_F64, n, *g, out, err)
                             : kn_stats_magnitude(axes, KN_F64, n, out, err),
                           err);
}

// Axes in files, and a result in one, piece by piece.
static kn_status lengths_of_pieces(const struct csv_table *table, const size_t axes[AXES], const double *g,
                                   struct csv_column *to, kn_error *err)
{
    enum { PIECE = 32768 };
    double *pieces = malloc((size_t)(AXES + 1) * PIECE * sizeof *pieces);
    kn_status status =
        pieces ? spool_open(&to->spool, err)
               : ki_fail_memory(err, (size_t)(AXES + 1) * PIECE * sizeof *pieces, "a column of lengths");

    for (size_t first = 0; first < to->count && !status; first += PIECE) {
        const size_t left = to->count - first, count = left < PIECE ? left : PIECE;
        const void *parts[AXES];

        for (size_t k = 0; k < AXES && !status; k++) {
            parts[k] = pieces + k * (size_t)PIECE;
            status = spool_read(table->columns[axes[k]].spool, first, pieces + k * (size_t)PIECE, count, err);
        }
        if (!status)
            status = lengths(parts, count, g, pieces + (size_t)AXES * PIECE, err);
        if (!status)
            status = spool_write(to->spool, first, pieces + (size_t)AXES * PIECE, count, err);
    }
    free(pieces);
    return status;
}

static kn_status add(const char *name, const size_t axes[AXES], const double *g, struct csv_table *table,
                     kn_error *err)
{
    const size_t n = table->rows;
    const bool spools = table->columns->spool != NULL;
    struct csv_column *grown = realloc(table->columns, (table->column_count + 1) * sizeof *grown);
    struct csv_column column = {.name = strdup(name), .count = n};
    kn_status status = KN_OK;

    table->columns = grown ? grown : table->columns;
    if (!spools)
        column.values = malloc((n ? n : 1) * sizeof(double));
    if (!grown || !column.name || (!spools && !column.values)) {
        status = ki_fail_memory(err, n * sizeof(double), "a column of lengths");
    } else if (spools) {
        status = lengths_of_pieces(table, axes, g, &column, err);
    } else {
        const void *const values[AXES] = {grown[axes[0]].values, grown[axes[1]].values,
                                          grown[axes[2]].values};

        status = lengths(values, n, g, column.values, err);
    }
    if (status) {
        free(column.name);
        free(column.values);
        spool_close(column.spool);
        return status;
    }
    table->columns[table->column_count++] = column;
    return KN_OK;
}

kn_status stats_movement_add(const char *file, const struct stats_movement *wanted, struct csv_table *table,
                             kn_error *err)
{
    size_t axes[AXES];
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
