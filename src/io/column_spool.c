// SPDX-License-Identifier: Apache-2.0
#include "column_spool.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/os/spool.h"

struct spool {
    struct ki_spool *file;
};

kn_status spool_open(struct spool **spool, kn_error *err)
{
    struct spool *made = calloc(1, sizeof *made);
    kn_status status =
        made ? ki_spool_open(NULL, &made->file, err) : ki_fail_memory(err, sizeof *made, "a temporary file");

    if (status)
        free(made);
    else
        *spool = made;
    return status;
}

void spool_close(struct spool *spool)
{
    if (spool)
        ki_spool_close(spool->file);
    free(spool);
}

kn_status spool_write(struct spool *spool, size_t position, const double *values, size_t count, kn_error *err)
{
    return ki_spool_write(spool->file, position * sizeof *values, values, count * sizeof *values, err);
}

kn_status spool_read(const struct spool *spool, size_t position, double *values, size_t count, kn_error *err)
{
    return ki_spool_read(spool->file, position * sizeof *values, values, count * sizeof *values, err);
}

// ---- single numbers ----

enum { PIECE = 32768, BEFORE = 16 }; // numbers in memory; and how many of them come before the requested one

void spool_view_open(struct spool_view *view, const double *values, const struct spool *spool, size_t count,
                     kn_error *err)
{
    *view = (struct spool_view){.values = spool ? NULL : values, .spool = spool, .count = count, .err = err};
    if (!spool)
        return;
    view->piece = malloc(PIECE * sizeof *view->piece);
    if (!view->piece)
        view->status = ki_fail_memory(err, PIECE * sizeof *view->piece, "reading a temporary file");
}

double spool_view_move(struct spool_view *view, size_t i)
{
    const size_t first = i - (i < BEFORE ? i : BEFORE), left = view->count - first;
    const size_t held = left < PIECE ? left : PIECE;

    if (!view->status)
        view->status = spool_read(view->spool, first, view->piece, held, view->err);
    view->first = first;
    view->held = view->status ? 0 : held;
    return view->status ? NAN : view->piece[i - first];
}

kn_status spool_view_close(struct spool_view *view)
{
    free(view->piece);
    view->piece = NULL;
    view->held = 0;
    return view->status;
}

void spool_pen_open(struct spool_pen *pen, double *values, struct spool *spool, kn_error *err)
{
    *pen = (struct spool_pen){.values = spool ? NULL : values, .spool = spool, .err = err};
    if (!spool)
        return;
    pen->piece = malloc(PIECE * sizeof *pen->piece);
    if (!pen->piece)
        pen->status = ki_fail_memory(err, PIECE * sizeof *pen->piece, "writing a temporary file");
}

static void write_held(struct spool_pen *pen)
{
    if (!pen->status)
        pen->status = spool_write(pen->spool, pen->count - pen->held, pen->piece, pen->held, pen->err);
    pen->held = 0;
}

void spool_pen_add(struct spool_pen *pen, double value)
{
    if (pen->values)
        pen->values[pen->count] = value;
    else if (!pen->status)
        pen->piece[pen->held++] = value;
    pen->count++;
    if (pen->held == PIECE)
        write_held(pen);
}

kn_status spool_pen_close(struct spool_pen *pen)
{
    if (pen->held > 0)
        write_held(pen);
    free(pen->piece);
    pen->piece = NULL;
    return pen->status;
}
