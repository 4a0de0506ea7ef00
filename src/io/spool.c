// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/error.h"

struct spool {
    int fd;
    char folder[PATH_MAX];
};

kn_status spool_open(struct spool **spool, kn_error *err)
{
    const char *root = getenv("TMPDIR");
    struct spool *made = calloc(1, sizeof *made);
    char name[PATH_MAX];
    int length;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a temporary file");
    root = root && *root ? root : "/var/tmp";
    length = snprintf(made->folder, sizeof made->folder, "%s", root);
    if (length >= 0 && length < PATH_MAX)
        length = snprintf(name, sizeof name, "%s/koine-XXXXXX", root);
    if (length < 0 || length >= PATH_MAX) {
        free(made);
        return ki_fail(err, KN_ERROR_OUTPUT, "TMPDIR is longer than any path may be");
    }
    made->fd = mkstemp(name);
    if (made->fd < 0) {
        const int number = errno;

        free(made);
        return ki_fail_errno(err, KN_ERROR_OUTPUT, root, number,
                             "a temporary file for what does not fit into memory cannot be made; TMPDIR may "
                             "name another folder");
    }
    unlink(name);
    *spool = made;
    return KN_OK;
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    close(spool->fd);
    free(spool);
}

static kn_status fail(const struct spool *spool, const char *what, int number, kn_error *err)
{
    return ki_fail_errno(err, KN_ERROR_OUTPUT, spool->folder, number,
                         "a temporary file for what does not fit into memory cannot be %s; TMPDIR may name a "
                         "folder on another disk",
                         what);
}

kn_status spool_write(struct spool *spool, size_t position, const double *values, size_t count, kn_error *err)
{
    const char *bytes = (const char *)values;
    size_t left = count * sizeof *values;
    off_t at = (off_t)(position * sizeof *values);

    while (left) {
        const ssize_t done = pwrite(spool->fd, bytes, left, at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(spool, "written", done ? errno : ENOSPC, err);
        bytes += done;
        at += done;
        left -= (size_t)done;
    }
    return KN_OK;
}

kn_status spool_read(const struct spool *spool, size_t position, double *values, size_t count, kn_error *err)
{
    char *bytes = (char *)values;
    size_t left = count * sizeof *values;
    off_t at = (off_t)(position * sizeof *values);

    while (left) {
        const ssize_t done = pread(spool->fd, bytes, left, at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(spool, "read", done ? errno : EIO, err);
        bytes += done;
        at += done;
        left -= (size_t)done;
    }
    return KN_OK;
}

// ---- one by one ----

enum { PIECE = 32768, BEFORE = 16 }; // numbers in memory; and of them those before one that is asked for

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
