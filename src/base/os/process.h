// SPDX-License-Identifier: Apache-2.0
// Running another program: without a shell, with its output captured and a time limit. Also folders for files
// that such programs leave behind.
#ifndef KN_BASE_PROCESS_H
#define KN_BASE_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <koine/error.h>

struct process_result {
    char *output; // standard output and error together, freed by the caller; never NULL after success
    int status;   // the exit status; not 0 if a signal ended it
    int signal;   // that signal, else 0
    bool timed_out;
};

// Runs argv[0] (a path) with empty standard input and these variables ("NAME=VALUE", the list ends in NULL;
// may be NULL) added to the environment, waits for at most `seconds`, and then kills it. Signals that the
// caller blocks or ignores are not blocked or ignored in it. Output past 4 MiB is dropped. Errors:
// KN_ERROR_DEVICE if it cannot be started; KN_ERROR_MEMORY.
kn_status ki_process_run(const char *const argv[], const char *const variables[], double seconds,
                         struct process_result *result, kn_error *err);

// The path of a program in PATH; false if it is not there.
bool ki_process_find(const char *name, char path[PATH_MAX]);

// A new folder in TMPDIR or /tmp, which the caller removes with its contents.
kn_status ki_process_folder(char path[PATH_MAX], kn_error *err);
void ki_process_folder_remove(const char *path);

#endif
