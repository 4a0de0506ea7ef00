// SPDX-License-Identifier: Apache-2.0
// koine compare: the request, the results, and the forms in which they are written (compare_write.c,
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
    size_t repetitions;       // 0: the default, which --quick changes
    struct string_list merge; // further reports follow as operands
    const char *baseline;
    const char *explain;
    const char *dump_ptx;
    const char *load_ptx;
    struct run_arguments run; // with --explain FILE.cl; its `common` is not used
};

struct compare_session {
    const struct compare_arguments *arguments;
    const struct compare_job **jobs; // the jobs to run, in order
    size_t job_count;
    struct place *opened; // the queue and context of each place
    struct compare_place *places;
    size_t place_count;
    struct compare_run run;
    double total, build; // seconds
    struct progress bar;
    double jobs_before; // fraction of the jobs that are done
    json_t *baseline;   // the report of --baseline; NULL: none
};

// Prints the rows of a job, from `first` on, as a table. False if memory ran out.
bool compare_print(const struct compare_session *session, const struct compare_job *job, size_t first);
// Prints a line for each place, with its device.
void compare_print_places(const struct compare_session *session);

// The report. NULL: memory ran out.
json_t *compare_json(const struct compare_session *session);
// The JSON object of a device in the report.
json_t *compare_device_json(const kn_device_info *device);

// --output (compare_plot.c): creates the folder and checks that its files can be written; then writes them.
kn_status compare_try_files(const struct compare_session *session, kn_error *err);
kn_status compare_write_files(const struct compare_session *session, json_t *root, kn_error *err);

#endif
