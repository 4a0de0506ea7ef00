// SPDX-License-Identifier: Apache-2.0
// The command `koine`: finds the subcommand, reads its options, runs it, and turns the outcome into a message
// and an exit status. setlocale is never called, so that numbers are written and read in the same way
// everywhere.
#include <config.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "commands.h"
#include "cli/framework/crash.h"
#include "cli/framework/help.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/nearest.h"
#include "cli/framework/status.h"
#include "cli/ranks/launcher.h"

// Replaces standard files that the caller closed by ones whose use fails: otherwise the next file opened,
// perhaps a data file, would become standard output.
static void occupy_standard_files(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
            _exit(EXIT_FILE);
}

// Makes sure that the output has arrived: a full disk or a closed file is an error like any other.
static kn_status close_standard_output(kn_error *err)
{
    int failed_before = ferror(stdout);

    if (fflush(stdout) != 0)
        return ki_fail_errno(err, KN_ERROR_OUTPUT, NULL, errno, "cannot write to standard output");
    if (failed_before)
        return ki_fail(err, KN_ERROR_OUTPUT, "cannot write to standard output");
    return KN_OK;
}

// As one of several processes of a launcher: all fail alike, also at what one of them finds.
static kn_status run_ranked(const struct command *command, struct common_arguments *common,
                            struct ranks *ranks, kn_status status, kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    const kn_status opened = launcher_open(ranks, &why);

    if (opened && !status) {
        *err = why;
        return opened;
    }
    common->ranks = ranks->communicator ? ranks : NULL;
    common->quiet = common->quiet || !ranks_writes(common->ranks);
    if (!status && common->ranks)
        status = ranks_check(common, err);
    if (!status)
        status = command->run(common, err);
    return ranks_agree(common->ranks, status, err);
}

static kn_status run_command(const struct command *command, int argc, char **argv, struct ranks *ranks,
                             bool *check_failed, kn_error *err)
{
    struct common_arguments *common = calloc(1, command->arguments_size);
    char name[32];
    kn_status status;

    if (!common)
        return ki_fail_memory(err, command->arguments_size, "reading the options");
    snprintf(name, sizeof name, "koine %s", command->name);
    common->command = name;
    common->definition = command;
    common->word_count = argc;
    common->words = argv;
    status = options_parse(command, argc, argv, common, err);
    if (!status && common->help)
        help_command(command, stdout);
    else if (command->common & COMMON_RANKS)
        status = run_ranked(command, common, ranks, status, err);
    else if (!status)
        status = command->run(common, err);
    *check_failed = common->check_failed;
    options_free(command, common);
    free(common);
    return status;
}

static kn_status unknown_command(const char *word, kn_error *err)
{
    struct nearest nearest = {word, NULL, 0};

    for (const struct command *const *command = koine_commands; *command; command++)
        nearest_offer(&nearest, (*command)->name);
    nearest_offer(&nearest, "help");
    nearest_offer(&nearest, "--help");
    nearest_offer(&nearest, "--version");
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s '%s'%s%s%s try 'koine --help'",
                   *word == '-' ? "unknown option" : "unknown command", word,
                   nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "",
                   nearest.best ? "'? Or" : ";");
}

static kn_status show_help(const char *word, kn_error *err)
{
    const struct command *command = word ? command_named(word) : NULL;

    if (word && !command)
        return unknown_command(word, err);
    if (command)
        help_command(command, stdout);
    else
        help_overview(koine_commands, stdout);
    return KN_OK;
}

// Handles words other than commands: help, the version, a man page, a shell's completion.
static kn_status run_word(int argc, char **argv, kn_error *err)
{
    const char *word = argc > 1 ? argv[1] : "", *next = argc > 2 ? argv[2] : NULL;

    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return show_help(NULL, err);
    if (strcmp(word, "help") == 0)
        return show_help(next, err);
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts("koine " PACKAGE_VERSION);
        return KN_OK;
    }
    if (strcmp(word, "--man") == 0 && next && man_print(next, stdout))
        return KN_OK;
    if (strcmp(word, "--man") == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--man: there is no page '%s'", next ? next : "");
    if (strcmp(word, "--completion") == 0 && next && completion_print(next, stdout))
        return KN_OK;
    if (strcmp(word, "--completion") == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--completion: '%s' is not one of bash, zsh, fish",
                       next ? next : "");
    if (!*word)
        return ki_fail(err, KN_ERROR_ARGUMENT, "no command given; try 'koine --help'");
    return unknown_command(word, err);
}

int main(int argc, char **argv)
{
    const struct command *command = argc > 1 ? command_named(argv[1]) : NULL;
    kn_error err = KN_ERROR_INIT, output_err = KN_ERROR_INIT;
    struct ranks ranks = {.communicator = NULL};
    bool check_failed = false;
    char name[64];
    kn_status status;

    snprintf(name, sizeof name, "koine%s%s", command ? " " : "", command ? command->name : "");
    occupy_standard_files();
    interrupt_install();
    crash_install(name);
    status = command ? run_command(command, argc - 1, argv + 1, &ranks, &check_failed, &err)
                     : run_word(argc, argv, &err);
    if (close_standard_output(&output_err) && !status) {
        status = output_err.code;
        err = output_err;
    }
    if (status && ranks_writes(ranks.communicator ? &ranks : NULL)) {
        interrupt_broken_pipe(&err);
        fprintf(stderr, "koine%s%s: %s\n", command ? " " : "", command ? command->name : "", err.text);
    }
    launcher_close(&ranks);
    return !status && check_failed ? EXIT_CHECK_FAILED : (int)exit_status_of(status);
}
