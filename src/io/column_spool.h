// SPDX-License-Identifier: Apache-2.0
// Numbers that do not fit into memory, in a file of the folder TMPDIR, or /var/tmp, whose disk must have room
// for them. It has no name, so that nothing is left of it whatever ends the process.
#ifndef KN_IO_COLUMN_SPOOL_H
#define KN_IO_COLUMN_SPOOL_H

#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

struct spool;

// Errors: KN_ERROR_OUTPUT (the folder cannot be written into), KN_ERROR_MEMORY.
kn_status spool_open(struct spool **spool, kn_error *err);
void spool_close(struct spool *spool); // NULL is fine

// `count` numbers, from number `position` on. Threads may write at once where they do not overlap. Errors:
// KN_ERROR_OUTPUT (the disk is full, among others), with the folder.
kn_status spool_write(struct spool *spool, size_t position, const double *values, size_t count,
                      kn_error *err);
// What was written, by any number of threads at once. Errors: KN_ERROR_OUTPUT.
kn_status spool_read(const struct spool *spool, size_t position, double *values, size_t count, kn_error *err);

// ---- numbers one by one, in memory or in a spool ----

// What reads them, mostly in ascending order: of a spool a piece is in memory.
struct spool_view {
    const double *values; // NULL: they are in the spool
    const struct spool *spool;
    size_t count;
    double *piece; // `held` of them, from number `first` on
    size_t first, held;
    kn_status status; // of reading and of memory for the piece: what failed first; NaN is read then
    kn_error *err;
};

// Without a spool numbers are in `values`. `err` is filled when reading fails.
void spool_view_open(struct spool_view *view, const double *values, const struct spool *spool, size_t count,
                     kn_error *err);
double spool_view_move(struct spool_view *view, size_t i); // spool_view_at beyond the piece
// Returns the view's status.
kn_status spool_view_close(struct spool_view *view);

static inline double spool_view_at(struct spool_view *view, size_t i)
{
    if (view->values)
        return view->values[i];
    return i - view->first < view->held ? view->piece[i - view->first] : spool_view_move(view, i);
}

// What writes them in ascending order, to an array or to a spool.
struct spool_pen {
    double *values; // NULL: they go to the spool
    struct spool *spool;
    size_t count, held; // that were written; those of them that are in `piece`
    double *piece;
    kn_status status;
    kn_error *err;
};

void spool_pen_open(struct spool_pen *pen, double *values, struct spool *spool, kn_error *err);
void spool_pen_add(struct spool_pen *pen, double value);
// Writes what is held, and returns the pen's status.
kn_status spool_pen_close(struct spool_pen *pen);

#endif
