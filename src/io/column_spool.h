// SPDX-License-Identifier: Apache-2.0
// Numbers that do not fit into memory, in a file in the folder TMPDIR, or /var/tmp, whose disk must have room
// for them. It has no name, so that nothing is left of it however the process ends.
#ifndef KN_IO_COLUMN_SPOOL_H
#define KN_IO_COLUMN_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

struct spool;

// Errors: KN_ERROR_OUTPUT (the folder cannot be written into), KN_ERROR_MEMORY.
kn_status spool_open(struct spool **spool, kn_error *err);
void spool_close(struct spool *spool); // NULL is fine

// Writes `count` numbers, from number `position` on. Threads may write at the same time if their ranges do
// not overlap. Errors: KN_ERROR_OUTPUT (for one, the disk is full), with the folder.
kn_status spool_write(struct spool *spool, size_t position, const double *values, size_t count,
                      kn_error *err);
// Reads what was written, with any number of threads at once. Errors: KN_ERROR_OUTPUT.
kn_status spool_read(const struct spool *spool, size_t position, double *values, size_t count, kn_error *err);

// ---- single numbers, in memory or in a spool ----

// Reads them, mostly in ascending order: one piece of a spool is in memory.
struct spool_view {
    const double *values; // NULL: they are in the spool
    const struct spool *spool;
    size_t count;
    double *piece; // `held` of them, from number `first` on
    size_t first, held;
    kn_status status; // of reading and of memory for the piece: the first failure; numbers then read as NaN
    kn_error *err;
};

// Without a spool the numbers are in `values`. `err` is filled in when reading fails.
void spool_view_open(struct spool_view *view, const double *values, const struct spool *spool, size_t count,
                     kn_error *err);
double spool_view_move(struct spool_view *view, size_t i); // spool_view_at outside the piece
// Returns the view's status.
kn_status spool_view_close(struct spool_view *view);

static inline double spool_view_at(struct spool_view *view, size_t i)
{
    if (view->values)
        return view->values[i];
    return i - view->first < view->held ? view->piece[i - view->first] : spool_view_move(view, i);
}

// Writes them in ascending order, to an array or to a spool.
struct spool_pen {
    double *values; // NULL: they go to the spool
    struct spool *spool;
    size_t count, held; // numbers written; those of them that are still in `piece`
    double *piece;
    kn_status status;
    kn_error *err;
};

void spool_pen_open(struct spool_pen *pen, double *values, struct spool *spool, kn_error *err);
void spool_pen_add(struct spool_pen *pen, double value);
// Writes what is in the piece, and returns the pen's status.
kn_status spool_pen_close(struct spool_pen *pen);

#endif
