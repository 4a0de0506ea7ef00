// SPDX-License-Identifier: Apache-2.0
// koine compare: what was asked for, what came out, and the forms it is written in (compare_write.c,
// compare_plot.c).
#ifndef KN_CLI_COMPARE_CMD_COMPARE_H
#define KN_CLI_COMPARE_CMD_COMPARE_H

#include "tools/compare/compare.h"
#include "io/json.h"
#include "cli/choose.h"
#include "cli/framework/options.h"
#include "cli/framework/progress.h"
#include "cli/run/cmd_run.h"

struct compare_arguments {
    struct common_arguments common;
    bool quick;
    size_t repetitions;       // 0: as many as --quick or its absence wants
    struct string_list merge; // more of them are operands
    const char *baseline;
    const char *explain;
    const char *dump_ptx;
    const char *load_ptx;
    struct run_arguments run; // with --explain FILE.cl; its `common` is not used
};

struct compare_session {
    const struct compare_arguments *arguments;
    const struct compare_job **jobs; // those to be done, in order
    size_t job_count;
    struct place *opened; // a place's queue and context
    struct compare_place *places;
    size_t place_count;
    struct compare_run run;
    double total, build; // seconds
    struct progress bar;
    double jobs_before; // share of the jobs that are done
    json_t *baseline;   // the report of --baseline; NULL: none
};

// The rows of a job, from `first` on, as a table. False if memory ran out.
bool compare_print(const struct compare_session *session, const struct compare_job *job, size_t first);
// One line a place: which device it is.
void compare_print_places(const struct compare_session *session);

// The report. NULL: memory ran out.
json_t *compare_json(const struct compare_session *session);
// A device in it.
json_t *compare_device_json(const kn_device_info *device);

// --output (compare_plot.c): makes the folder and tries whether its files can be written; writes them.
// Without gnuplot a line says that there will be no plots.
kn_status compare_try_files(const struct compare_session *session, kn_error *err);
kn_status compare_write_files(const struct compare_session *session, json_t *root, kn_error *err);

#endif
