// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // pipe2, nftw
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "clock.h"
#include "base/error.h"
#include "base/text/text.h"

enum { OUTPUT_MAX = 4 << 20, REMOVE_FILES = 16 };

static bool sets(const char *entry, const char *variable)
{
    size_t length = strcspn(variable, "=") + 1;

    return strncmp(entry, variable, length) == 0;
}

// The caller's environment with `variables` replacing those of the same name. NULL: out of memory.
static char **environment_with(const char *const variables[])
{
    size_t count = 0, added = 0;
    char **all;

    while (environ[count])
        count++;
    while (variables && variables[added])
        added++;
    all = calloc(count + added + 1, sizeof *all);
    if (!all)
        return NULL;
    count = 0;
    for (char **entry = environ; *entry; entry++) {
        bool replaced = false;

        for (size_t i = 0; i < added; i++)
            replaced = replaced || sets(*entry, variables[i]);
        if (!replaced)
            all[count++] = *entry;
    }
    for (size_t i = 0; i < added; i++)
        memcpy(&all[count++], &variables[i], sizeof *all); // posix_spawn takes them without const
    return all;
}

// Starts the program; its output goes into `output`. Returns an errno, or 0 if it runs.
static int start(const char *const argv[], char **environment, int output, pid_t *child)
{
    static const int defaults[] = {SIGPIPE, SIGXFSZ, SIGINT};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    char **arguments;
    int number;

    memcpy(&arguments, &argv, sizeof arguments); // likewise
    sigemptyset(&none);
    sigemptyset(&usual);
    for (size_t i = 0; i < KI_COUNT(defaults); i++)
        sigaddset(&usual, defaults[i]);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    number = posix_spawn(child, argv[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

// Reads until the other end is closed; false if that did not happen in time.
static bool read_all(int from, double deadline, struct ki_text *output)
{
    char bytes[4096];

    for (;;) {
        double left = deadline - ki_clock_seconds();
        struct pollfd wait = {from, POLLIN, 0};
        int ready = left > 0 ? poll(&wait, 1, (int)(left * 1000) + 1) : 0;
        ssize_t count;

        if (ready == 0)
            return false;
        if (ready < 0 && errno == EINTR)
            continue;
        count = read(from, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return true;
        if (output->length < OUTPUT_MAX)
            ki_text_add_bytes(output, bytes, (size_t)count);
    }
}

static void wait_for(pid_t child, struct process_result *result)
{
    int status = 0;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result->status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// A log may contain a NUL byte, which would end it as a string.
static void replace_nuls(struct ki_text *text)
{
    for (size_t i = 0; i < text->length; i++)
        if (!text->data[i])
            text->data[i] = '?';
}

kn_status ki_process_run(const char *const argv[], const char *const variables[], double seconds,
                         struct process_result *result, kn_error *err)
{
    struct ki_text output = KI_TEXT_INIT;
    int ends[2], number;
    char **environment;
    pid_t child = 0;

    *result = (struct process_result){NULL, 0, 0, false};
    if (pipe2(ends, O_CLOEXEC))
        return ki_fail_errno(err, KN_ERROR_DEVICE, argv[0], errno, "cannot be started");
    environment = environment_with(variables);
    number = environment ? start(argv, environment, ends[1], &child) : ENOMEM;
    free(environment);
    close(ends[1]);
    if (number) {
        close(ends[0]);
        return ki_fail_errno(err, number == ENOMEM ? KN_ERROR_MEMORY : KN_ERROR_DEVICE, argv[0], number,
                             "cannot be started");
    }
    if (!read_all(ends[0], ki_clock_seconds() + seconds, &output)) {
        result->timed_out = true;
        kill(child, SIGKILL);
    }
    close(ends[0]);
    wait_for(child, result);
    replace_nuls(&output);
    ki_text_add(&output, "");
    result->output = ki_text_take(&output);
    return result->output ? KN_OK : ki_fail_memory(err, 0, "keeping another program's words");
}

bool ki_process_find(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");

    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at;) {
        size_t length = strcspn(at, ":");
        int written = snprintf(path, PATH_MAX, "%.*s%s%s", (int)length, at, length ? "/" : "./", name);
        struct stat info;

        if (written > 0 && written < PATH_MAX && access(path, X_OK) == 0 && stat(path, &info) == 0 &&
            S_ISREG(info.st_mode))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

kn_status ki_process_folder(char path[PATH_MAX], kn_error *err)
{
    const char *root = getenv("TMPDIR");
    int written = snprintf(path, PATH_MAX, "%s/koine-XXXXXX", root && *root ? root : "/tmp");

    if (written < 0 || written >= PATH_MAX)
        return ki_fail(err, KN_ERROR_OUTPUT, "TMPDIR is longer than a path may be");
    if (!mkdtemp(path))
        return ki_fail_errno(err, KN_ERROR_OUTPUT, path, errno,
                             "a temporary folder cannot be made; set TMPDIR to another folder");
    return KN_OK;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void ki_process_folder_remove(const char *path)
{
    nftw(path, remove_one, REMOVE_FILES, FTW_DEPTH | FTW_PHYS);
}
