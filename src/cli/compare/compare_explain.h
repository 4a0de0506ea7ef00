// SPDX-License-Identifier: Apache-2.0
// koine compare --explain.
#ifndef KN_CLI_COMPARE_COMPARE_EXPLAIN_H
#define KN_CLI_COMPARE_COMPARE_EXPLAIN_H

#include "cmd_compare.h"
#include "tools/compare/explain/explain.h"

enum { EXPLAIN_ROWS = 16 };

struct explain_session {
    const struct compare_arguments *arguments;
    bool is_file;               // FILE.cl, with the arguments of koine run
    const char *kernel;         // its name
    char name[128];             // of a file's only kernel, which need not be named
    struct explain_found found; // of a built-in kernel
    char *loaded;               // --load-ptx: the text, else NULL
    struct explain_row rows[EXPLAIN_ROWS];
    kn_device_info devices[EXPLAIN_ROWS];
    char *files[EXPLAIN_ROWS]; // --dump-ptx: what a row's PTX was written to, else NULL
    size_t row_count;
    unsigned char **made; // of a file: what the first row's kernel left in each argument
    size_t made_count;
    struct ki_text words;
    double total, build; // seconds
};

// Does all of it; the arguments are those of koine compare.
kn_status compare_explain(struct compare_arguments *arguments, kn_error *err);

// A row of a kernel file (explain_file.c): at an open place of a context that explains itself, whose limits
// are in `run`. Sets session->kernel.
kn_status explain_file(struct explain_session *session, const struct place *place,
                       const struct compare_run *run, struct explain_row *row, kn_error *err);
// Whether the arguments of koine run make sense, before devices are opened.
kn_status explain_file_check(const struct compare_arguments *arguments, kn_error *err);

// The tables and the sentences (explain_print.c). False: memory ran out.
bool explain_print(const struct explain_session *session);
kn_status explain_write_json(const struct explain_session *session, kn_error *err);

#endif
