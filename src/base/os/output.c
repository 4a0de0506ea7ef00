// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // renameat2
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

struct ki_output {
    FILE *stream;
    char *name;                   // as the user wrote it, for messages
    char *path;                   // where the file goes: `name` with symbolic links followed
    char *folder;                 // the folder of `path`
    char *temporary;              // NULL if the stream writes directly to the file
    struct ki_output_name *noted; // its place in the record of the command
    bool force;
};

// The command's record. It is the one thing that is not an argument, because a signal handler has none.
static struct ki_output_names *record;

void ki_output_watch(struct ki_output_names *names)
{
    record = names;
}

static struct ki_output_name *note(const char *path)
{
    for (size_t i = 0; record && i < KI_OUTPUT_NAMES && strlen(path) < KI_OUTPUT_NAME; i++) {
        struct ki_output_name *name = &record->items[i];

        if (!atomic_exchange(&name->used, true)) {
            strcpy(name->path, path);
            return name;
        }
    }
    return NULL;
}

static void strike_out(struct ki_output *out)
{
    if (!out->noted)
        return;
    out->noted->path[0] = '\0';
    atomic_store(&out->noted->used, false);
    out->noted = NULL;
}

// Memory may be corrupt: only files whose names look like ours are removed.
void ki_output_remove(struct ki_output_names *names)
{
    for (size_t i = 0; i < KI_OUTPUT_NAMES; i++) {
        char *path = names->items[i].path, *slash;

        path[KI_OUTPUT_NAME - 1] = '\0';
        slash = strrchr(path, '/');
        if (slash && strncmp(slash, "/.koine-", strlen("/.koine-")) == 0)
            (void)unlink(path);
    }
}

static kn_status fail_open(const char *path, int number, kn_error *err)
{
    return ki_fail_errno(err, KN_ERROR_OUTPUT, path, number, "cannot be written");
}

static kn_status fail_exists(const char *path, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_OUTPUT, path, 0,
                      "already exists and is not overwritten; use --force, or choose another name");
}

// `number` is negative if a write failed earlier and its reason is no longer known.
static kn_status fail_write(const struct ki_output *out, int number, kn_error *err)
{
    const char *kept = out->temporary ? ", and was not kept" : "";

    if (number < 0)
        return ki_fail_at(err, KN_ERROR_OUTPUT, out->name, 0,
                          "could not be written whole%s (is the disk full?)", kept);
    return ki_fail_errno(err, KN_ERROR_OUTPUT, out->name, number, "could not be written whole%s", kept);
}

static void free_output(struct ki_output *out)
{
    strike_out(out);
    free(out->name);
    free(out->path);
    free(out->folder);
    free(out->temporary);
    free(out);
}

// A new file in the folder, with the mode that the user's umask gives, or that of the file it will replace.
static kn_status open_temporary(struct ki_output *out, const struct stat *replaced, kn_error *err)
{
    size_t size = strlen(out->folder) + 64;
    int fd = -1;

    out->temporary = malloc(size);
    if (!out->temporary)
        return ki_fail_memory(err, size, out->name);
    for (int attempt = 0; attempt < 1000; attempt++) {
        snprintf(out->temporary, size, "%s/.koine-%ld-%d.tmp", out->folder, (long)getpid(), attempt);
        fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    if (fd < 0) {
        int number = errno;

        free(out->temporary);
        out->temporary = NULL;
        if (number == ENOENT)
            return ki_fail_at(err, KN_ERROR_OUTPUT, out->name, 0,
                              "cannot be written: there is no folder %s; create it first", out->folder);
        if (number == EACCES || number == EROFS)
            return ki_fail_errno(err, KN_ERROR_OUTPUT, out->name, number,
                                 "cannot be written: no file can be made in the folder %s", out->folder);
        return fail_open(out->name, number, err);
    }
    // Best effort: for another owner's file the mode may not be allowed.
    if (replaced && fchmod(fd, replaced->st_mode & 07777) != 0)
        errno = 0;
    out->noted = note(out->temporary);
    out->stream = fdopen(fd, "w");
    if (out->stream)
        return KN_OK;
    close(fd);
    unlink(out->temporary);
    return ki_fail_memory(err, 0, out->name);
}

static kn_status open_direct(struct ki_output *out, kn_error *err)
{
    int fd = open(out->path, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return fail_open(out->name, errno, err);
    out->stream = fdopen(fd, "w");
    if (out->stream)
        return KN_OK;
    close(fd);
    return ki_fail_memory(err, 0, out->name);
}

// Fills in `path` and `folder`. Links are followed, so that a link to a result stays a link.
static kn_status resolve(struct ki_output *out, bool exists, kn_error *err)
{
    char *copy;

    out->path = exists ? realpath(out->name, NULL) : strdup(out->name);
    if (!out->path)
        return errno == ENOMEM ? ki_fail_memory(err, 0, out->name) : fail_open(out->name, errno, err);
    copy = strdup(out->path);
    if (!copy)
        return ki_fail_memory(err, 0, out->name);
    out->folder = strdup(dirname(copy));
    free(copy);
    return out->folder ? KN_OK : ki_fail_memory(err, 0, out->name);
}

static kn_status open_path(struct ki_output *out, kn_error *err)
{
    struct stat info;
    size_t length = strlen(out->name);
    bool exists = stat(out->name, &info) == 0;
    kn_status status;

    if (length == 0)
        return ki_fail(err, KN_ERROR_OUTPUT, "the name of the file to write is empty");
    if (exists && S_ISDIR(info.st_mode))
        return ki_fail_at(err, KN_ERROR_OUTPUT, out->name, 0,
                          "cannot be written: it is a directory; name a file");
    if (!exists && (out->name[length - 1] == '/'))
        return ki_fail_at(err, KN_ERROR_OUTPUT, out->name, 0,
                          "cannot be written: the name ends in '/'; name a file");
    if (exists && S_ISREG(info.st_mode) && !out->force)
        return fail_exists(out->name, err);
    if ((status = resolve(out, exists, err)))
        return status;
    if (exists && !S_ISREG(info.st_mode))
        return open_direct(out, err);
    return open_temporary(out, exists ? &info : NULL, err);
}

kn_status ki_output_open(const char *path, bool force, struct ki_output **out, kn_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct ki_output *made = calloc(1, sizeof *made);
    kn_status status = KN_OK;

    if (!made)
        return ki_fail_memory(err, sizeof *made, path);
    made->force = force;
    made->name = strdup(standard ? "standard output" : path);
    if (!made->name)
        status = ki_fail_memory(err, 0, path);
    else if (standard)
        made->stream = stdout;
    else
        status = open_path(made, err);
    if (status) {
        free_output(made);
        return status;
    }
    *out = made;
    return KN_OK;
}

kn_status ki_output_try(const char *path, bool force, kn_error *err)
{
    struct ki_output *out = NULL;
    struct stat info;
    kn_status status;

    // Opening a pipe and closing it again would be noticed at its other end.
    if (strcmp(path, "-") == 0 ||
        (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return KN_OK;
    status = ki_output_open(path, force, &out, err);
    if (!status)
        ki_output_discard(out);
    return status;
}

FILE *ki_output_stream(struct ki_output *out)
{
    return out->stream;
}

// Renames the temporary file. Without force, the name must be free at that very moment.
static int put_in_place(const struct ki_output *out)
{
    if (out->force)
        return rename(out->temporary, out->path);
    if (renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_NOREPLACE) == 0)
        return 0;
    // Some file systems lack this rename; a hard link refuses a taken name, too.
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(out->temporary, out->path) == 0 ? unlink(out->temporary) : -1;
}

// So that the new name survives a power cut. Not every file system can do this, and the data are safe
// without.
static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

// Writes out what is buffered; returns errno's number for any failure, now or earlier, or 0.
static int finish_stream(struct ki_output *out)
{
    // The flush usually runs into an earlier failure again, and then knows its reason.
    int number = ferror(out->stream) ? -1 : 0;

    errno = 0;
    if (fflush(out->stream) != 0 && errno)
        number = errno;
    if (!number && out->temporary && fsync(fileno(out->stream)) != 0)
        number = errno;
    if (out->stream != stdout && fclose(out->stream) != 0 && !number)
        number = errno;
    return number;
}

kn_status ki_output_close(struct ki_output *out, kn_error *err)
{
    kn_status status = KN_OK;
    int number;

    if (!out)
        return KN_OK;
    number = finish_stream(out);
    if (number) {
        status = fail_write(out, number, err);
    } else if (out->temporary && put_in_place(out) != 0) {
        status = errno == EEXIST ? fail_exists(out->name, err) : fail_open(out->name, errno, err);
    } else if (out->temporary) {
        sync_folder(out->folder);
        free(out->temporary);
        out->temporary = NULL;
    }
    if (out->temporary)
        unlink(out->temporary);
    free_output(out);
    return status;
}

void ki_output_discard(struct ki_output *out)
{
    if (!out)
        return;
    if (out->stream != stdout)
        fclose(out->stream);
    if (out->temporary)
        unlink(out->temporary);
    free_output(out);
}

kn_status ki_output_write(const char *path, const void *bytes, size_t count, bool force, kn_error *err)
{
    struct ki_output *out = NULL;
    kn_status status = ki_output_open(path, force, &out, err);

    if (status)
        return status;
    errno = 0;
    if (count && fwrite(bytes, 1, count, out->stream) != count) {
        status = fail_write(out, errno ? errno : -1, err);
        ki_output_discard(out);
        return status;
    }
    return ki_output_close(out, err);
}

// Creates one folder; an existing one is fine.
static kn_status make_folder(const char *path, kn_error *err)
{
    struct stat info;
    int number;

    if (mkdir(path, 0777) == 0)
        return KN_OK;
    number = errno;
    if (stat(path, &info) != 0)
        return ki_fail_errno(err, KN_ERROR_OUTPUT, path, number, "the folder cannot be created");
    if (!S_ISDIR(info.st_mode))
        return ki_fail_at(
            err, KN_ERROR_OUTPUT, path, 0,
            "a file of this name exists where a folder is needed; remove it or choose another name");
    return KN_OK;
}

kn_status ki_output_folder(const char *path, kn_error *err)
{
    char *part;
    kn_status status = KN_OK;

    if (!*path)
        return ki_fail(err, KN_ERROR_OUTPUT, "the name of the output folder is empty");
    part = strdup(path);
    if (!part)
        return ki_fail_memory(err, 0, path);
    for (char *slash = strchr(part + 1, '/'); slash && !status; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_folder(part, err);
        *slash = '/';
    }
    if (!status)
        status = make_folder(part, err);
    free(part);
    if (!status && access(path, W_OK | X_OK) != 0)
        return ki_fail_errno(err, KN_ERROR_OUTPUT, path, errno, "the folder cannot be written into");
    return status;
}

// The parent of this folder; false for a name without a parent.
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || slash == path)
        return false;
    *slash = '\0';
    return true;
}

size_t ki_output_folder_there(const char *path)
{
    char *part = strdup(path);
    size_t there = part ? 0 : strlen(path);

    do {
        if (part && access(part, F_OK) == 0)
            there = strlen(part);
    } while (part && there == 0 && cut_last(part));
    free(part);
    return there;
}

void ki_output_folder_undo(const char *path, size_t there)
{
    char *part = strdup(path);

    while (part && strlen(part) > there && rmdir(part) == 0 && cut_last(part))
        continue;
    free(part);
}
