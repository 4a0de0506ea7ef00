// SPDX-License-Identifier: Apache-2.0
#include "spool.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text/text.h"

// Bytes copied at a time.
enum { PIECE = 1 << 16 };

struct ki_spool {
    int fd;
    char *folder;
    const char *hint; // in messages
};

// The folder of a result, if the result will be renamed into place there.
static char *folder_of(const char *beside, const char **hint)
{
    const char *temporary = getenv("TMPDIR");
    struct stat info;
    char *copy, *folder;

    *hint = "; set TMPDIR to a folder on another disk";
    if (!beside || strcmp(beside, "-") == 0 || (stat(beside, &info) == 0 && !S_ISREG(info.st_mode)))
        return strdup(temporary && *temporary ? temporary : "/var/tmp");
    *hint = "";
    copy = strdup(beside);
    folder = copy ? strdup(dirname(copy)) : NULL;
    free(copy);
    return folder;
}

static kn_status make_file(struct ki_spool *spool, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    char *path;
    int number;

    ki_text_format(&text, "%s/.koine-spool-XXXXXX", spool->folder);
    path = ki_text_take(&text);
    if (!path)
        return ki_fail_memory(err, 0, "a temporary file");
    spool->fd = mkstemp(path);
    number = errno;
    if (spool->fd >= 0)
        unlink(path);
    free(path);
    return spool->fd >= 0
               ? KN_OK
               : ki_fail_errno(err, KN_ERROR_OUTPUT, spool->folder, number,
                               "a temporary file for data that do not fit in memory cannot be made%s",
                               spool->hint);
}

kn_status ki_spool_open(const char *beside, struct ki_spool **spool, kn_error *err)
{
    struct ki_spool *made = calloc(1, sizeof *made);
    kn_status status;

    *spool = NULL;
    if (made) {
        made->fd = -1;
        made->folder = folder_of(beside, &made->hint);
    }
    status = made && made->folder ? make_file(made, err) : ki_fail_memory(err, 0, "a temporary file");
    if (status)
        ki_spool_close(made);
    else
        *spool = made;
    return status;
}

void ki_spool_close(struct ki_spool *spool)
{
    if (!spool)
        return;
    if (spool->fd >= 0)
        close(spool->fd);
    free(spool->folder);
    free(spool);
}

static kn_status fail(const struct ki_spool *spool, const char *what, int number, kn_error *err)
{
    return ki_fail_errno(err, KN_ERROR_OUTPUT, spool->folder, number,
                         "a temporary file for data that do not fit in memory cannot be %s%s", what,
                         spool->hint);
}

kn_status ki_spool_write(struct ki_spool *spool, size_t at, const void *bytes, size_t count, kn_error *err)
{
    while (count) {
        const ssize_t done = pwrite(spool->fd, bytes, count, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(spool, "written", done ? errno : ENOSPC, err);
        bytes = (const char *)bytes + done;
        at += (size_t)done;
        count -= (size_t)done;
    }
    return KN_OK;
}

kn_status ki_spool_read(const struct ki_spool *spool, size_t at, void *bytes, size_t count, kn_error *err)
{
    while (count) {
        const ssize_t done = pread(spool->fd, bytes, count, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(spool, "read", done ? errno : EIO, err);
        bytes = (char *)bytes + done;
        at += (size_t)done;
        count -= (size_t)done;
    }
    return KN_OK;
}

kn_status ki_spool_stream(FILE *from, const char *name, const char *beside, FILE **stream, kn_error *err)
{
    struct ki_spool *spool;
    kn_status status = ki_spool_open(beside, &spool, err);
    char piece[PIECE];

    *stream = NULL;
    if (status)
        return status;
    for (size_t have, at = 0; !status && (have = fread(piece, 1, sizeof piece, from)) > 0; at += have)
        status = ki_spool_write(spool, at, piece, have, err);
    if (!status && ferror(from))
        status = ki_fail_errno(err, KN_ERROR_INPUT, name, errno, "cannot be read");
    if (!status) {
        *stream = fdopen(spool->fd, "r+b"); // nothing was read or written by position yet
        if (*stream)
            spool->fd = -1;
        else
            status = ki_fail_memory(err, 0, name);
    }
    ki_spool_close(spool);
    return status;
}
