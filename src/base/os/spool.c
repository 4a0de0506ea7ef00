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

// The folder of a result, if it is one that is renamed into place there.
static void add_folder(struct ki_text *path, const char *beside)
{
    const char *temporary = getenv("TMPDIR");
    struct stat info;
    char *copy;

    if (!beside || strcmp(beside, "-") == 0 || (stat(beside, &info) == 0 && !S_ISREG(info.st_mode))) {
        ki_text_add(path, temporary && *temporary ? temporary : "/var/tmp");
        return;
    }
    copy = strdup(beside);
    if (copy)
        ki_text_add(path, dirname(copy));
    else
        path->failed = true;
    free(copy);
}

kn_status ki_spool_open(const char *beside, FILE **file, kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    kn_status status = KN_OK;
    size_t folder;
    char *path;
    int fd;

    *file = NULL;
    add_folder(&text, beside);
    folder = text.length;
    ki_text_add(&text, "/.koine-spool-XXXXXX");
    path = ki_text_take(&text);
    if (!path)
        return ki_fail_memory(err, 0, "a temporary file");
    fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        *file = fdopen(fd, "w+b");
        if (!*file) {
            close(fd);
            status = ki_fail_memory(err, 0, "a temporary file");
        }
    } else {
        path[folder] = '\0';
        status =
            ki_fail_errno(err, KN_ERROR_OUTPUT, path, errno, "no temporary file can be made in this folder");
    }
    free(path);
    return status;
}

kn_status ki_spool_write(FILE *file, size_t at, const void *bytes, size_t count, const char *what,
                         kn_error *err)
{
    errno = 0;
    if (fseeko(file, (off_t)at, SEEK_SET) == 0 && fwrite(bytes, 1, count, file) == count && fflush(file) == 0)
        return KN_OK;
    return ki_fail_errno(err, KN_ERROR_OUTPUT, what, errno, "could not be written to a temporary file");
}

kn_status ki_spool_read(FILE *file, size_t at, void *bytes, size_t count, const char *what, kn_error *err)
{
    errno = 0;
    if (fseeko(file, (off_t)at, SEEK_SET) == 0 && fread(bytes, 1, count, file) == count)
        return KN_OK;
    return ki_fail_errno(err, KN_ERROR_OUTPUT, what, errno, "could not be read from a temporary file");
}

kn_status ki_spool_stream(FILE *stream, const char *name, const char *beside, FILE **file, kn_error *err)
{
    kn_status status = ki_spool_open(beside, file, err);
    char piece[PIECE];

    for (size_t have, at = 0; !status && (have = fread(piece, 1, sizeof piece, stream)) > 0; at += have)
        status = ki_spool_write(*file, at, piece, have, name, err);
    if (!status && ferror(stream))
        status = ki_fail_errno(err, KN_ERROR_INPUT, name, errno, "cannot be read");
    if (!status) {
        rewind(*file);
        return KN_OK;
    }
    if (*file)
        fclose(*file);
    *file = NULL;
    return status;
}
