// SPDX-License-Identifier: Apache-2.0
// koine compare --explain.
#ifndef KN_CLI_COMPARE_COMPARE_EXPLAIN_H
#define KN_CLI_COMPARE_COMPARE_EXPLAIN_H

#include "cmd_compare.h"
#include "tools/compare/explain/explain.h"

enum { EXPLAIN_ROWS = 16 };

struct explain_session {
    const struct compare_arguments *arguments;
    bool is_file;               // FILE.cl is given, with the arguments of koine run
    const char *kernel;         // its name
    char name[128];             // buffer for the name of a file's only kernel, which need not be given
    struct explain_found found; // for a built-in kernel: the job that launches it
    char *loaded;               // the text of the file of --load-ptx, or NULL
    struct explain_row rows[EXPLAIN_ROWS];
    kn_device_info devices[EXPLAIN_ROWS];
    char *files[EXPLAIN_ROWS]; // --dump-ptx: the file to which the PTX of each row was written, or NULL
    size_t row_count;
    unsigned char **made; // for a file: the contents of each argument after the first row's kernel ran
    size_t made_count;
    struct ki_text words;
    double total, build; // seconds
};

// Runs all of --explain; the arguments are those of koine compare.
kn_status compare_explain(struct compare_arguments *arguments, kn_error *err);

// Fills a row for a kernel file (explain_file.c), at an open place with a context that explains itself and
// whose limits are in `run`. Sets session->kernel.
kn_status explain_file(struct explain_session *session, const struct place *place,
                       const struct compare_run *run, struct explain_row *row, kn_error *err);
// Checks the arguments of koine run before devices are opened.
kn_status explain_file_check(const struct compare_arguments *arguments, kn_error *err);

// Prints the tables and the sentences (explain_print.c). False if memory ran out.
bool explain_print(const struct explain_session *session);
kn_status explain_write_json(const struct explain_session *session, kn_error *err);

#endif
