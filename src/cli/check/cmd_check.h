// SPDX-License-Identifier: Apache-2.0
// koine check: the targets (check_target.c), the result of each file on each (cmd_check.c), and the output
// (check_print.c).
#ifndef KN_CLI_CHECK_CMD_CHECK_H
#define KN_CLI_CHECK_CMD_CHECK_H

#include <koine/context.h>
#include <koine/experimental/offline.h>

#include "cli/defines.h"
#include "cli/framework/options.h"

struct check_arguments {
    struct common_arguments common;
    struct build_options build;
    struct string_list targets;
};

// A target with an installed compiler.
struct check_target {
    char name[64];
    kn_device_info device;      // if it is a present device; otherwise `spec` is ""
    kn_offline_target *offline; // otherwise
};

struct check_skipped {
    char name[64];
    char why[512];
    bool named; // on the command line
};

struct check_targets {
    struct check_target *items;
    size_t count, capacity;
    struct check_skipped *skipped;
    size_t skipped_count, skipped_capacity;
};

// The targets that were named, or all available ones. Missing ones become `skipped`. KN_ERROR_ARGUMENT for a
// name that is not a target.
kn_status check_targets_find(const struct string_list *names, struct check_targets *targets, kn_error *err);
void check_targets_free(struct check_targets *targets);

struct check_kernel {
    char *name;
    long registers, local_bytes, spill_bytes; // KN_OFFLINE_UNKNOWN if the compiler does not report it
    long work_group;                          // the most work-items in a group
};

// One file on one target.
struct check_row {
    const char *file;
    const char *text; // NULL: the file is read
    const struct check_target *target;
    kn_offline_outcome outcome;
    char *log;
    struct check_kernel *kernels;
    size_t kernel_count;
};

struct check_run {
    const struct check_arguments *arguments;
    struct build_defines defines;
    struct check_targets targets;
    struct check_row *rows; // all targets of the first file, all of the second, ...
    size_t file_count;
    char *text; // of the file that came through standard input, if one is called "-"
    double seconds;
};

// The tables; false if memory ran out.
bool check_print(const struct check_run *run);
kn_status check_write_json(const struct check_run *run, kn_error *err);

#endif
