// SPDX-License-Identifier: Apache-2.0
// Writing a result file so that it appears whole or not at all: to a temporary name in the same folder,
// synced, then renamed.
//
//     struct ki_output *out = NULL;
//     if (ki_output_open("x.npy", force, &out, err)) return ...;
//     fwrite(..., ki_output_stream(out));                  // errors stick in the stream
//     return ki_output_close(out, err);                    // or ki_output_discard(out)
//
// "-" is standard output. Anything but a regular file (/dev/null, a pipe) is written to directly. A program
// that calls this ignores SIGPIPE and SIGXFSZ, so that a closed pipe and a file-size limit come back as
// errors.
#ifndef KN_BASE_OUTPUT_H
#define KN_BASE_OUTPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <koine/error.h>

struct ki_output;

// Every failure is KN_ERROR_OUTPUT: the file exists already (unless `force`), a directory is in the way, a
// folder is missing, there is no permission.
kn_status ki_output_open(const char *path, bool force, struct ki_output **out, kn_error *err);

// Whether the file could be opened, checked before doing the work that would fill it. Leaves nothing behind.
kn_status ki_output_try(const char *path, bool force, kn_error *err);

FILE *ki_output_stream(struct ki_output *out);

// Makes the file appear under its name and frees `out`. On failure (the disk is full; the name was taken
// meanwhile) nothing is left behind. NULL is fine.
kn_status ki_output_close(struct ki_output *out, kn_error *err);

// Drops what was written, and frees `out`. NULL is fine.
void ki_output_discard(struct ki_output *out);

// The names of the files being written, for the signal handler of the record's owner: a process that crashes
// leaves none of them behind. Without a record, names are not noted.
enum { KI_OUTPUT_NAMES = 8, KI_OUTPUT_NAME = 4096 };
struct ki_output_names {
    struct ki_output_name {
        atomic_bool used;
        char path[KI_OUTPUT_NAME];
    } items[KI_OUTPUT_NAMES];
};
// From now on names are stored in `names`, which has to last as long as the process. Call it once, before any
// file is opened.
void ki_output_watch(struct ki_output_names *names);
// Removes those files. May be called in a signal handler.
void ki_output_remove(struct ki_output_names *names);

// A whole file at once.
kn_status ki_output_write(const char *path, const void *bytes, size_t count, bool force, kn_error *err);

// Makes sure that a folder exists and is writable, creating it and those above it.
kn_status ki_output_folder(const char *path, kn_error *err);
// The length in bytes of the part of the path that exists before that; and, if the work failed, the removal
// of the folders made since, as long as they are empty.
size_t ki_output_folder_there(const char *path);
void ki_output_folder_undo(const char *path, size_t there);

#endif
