// SPDX-License-Identifier: Apache-2.0
// Runs one kernel of test_rewrite in a separate process, because a driver's compiler may end it.
#ifndef KN_TESTS_CONFORMANCE_LOG_OF_ABORT_H
#define KN_TESTS_CONFORMANCE_LOG_OF_ABORT_H

#include "support/support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

// The log of a separate process that runs one kernel on the device, if the process aborted; NULL if not. The
// caller frees it.
static char *log_of_abort(const char *path, const char *kernel)
{
    char *folder = test_folder(), file[4200], *log = calloc(1, 1 << 16);
    int status = 0;
    pid_t child;

    ck_assert_ptr_nonnull(log);
    snprintf(file, sizeof file, "%s/log", folder);
    child = fork();
    if (child == 0) {
        if (freopen(file, "w", stderr))
            execl("/proc/self/exe", "test_rewrite", "--kernel", path, kernel, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) {
        FILE *stream = fopen(file, "r");
        ck_assert_ptr_nonnull(stream);
        log[fread(log, 1, (1 << 16) - 1, stream)] = '\0';
        fclose(stream);
    } else {
        free(log);
        log = NULL;
    }
    test_remove(folder);
    return log;
}

#endif
