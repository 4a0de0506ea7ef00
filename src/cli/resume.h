// SPDX-License-Identifier: Apache-2.0
// Work in pieces that can continue after an interruption (koine/journal.h): the folder NAME.parts, next to
// the result, holds the finished pieces until the result is complete. --resume continues with them.
#ifndef KN_CLI_RESUME_H
#define KN_CLI_RESUME_H

#include <koine/journal.h>

#include "base/text/text.h"
#include "cli/framework/options.h"

struct resume {
    struct ki_text plan;
    kn_journal *journal; // NULL: no pieces are kept
    char *folder;
    size_t resumed; // number of pieces taken from the journal
    bool asked;     // --resume was given
};

// Records what the results depend on: options, operands, and the files that they name, identified by size and
// time; further files; and words and numbers, such as those that say how the work is divided.
void resume_plan(struct resume *resume, const struct command *command, const void *arguments);
void resume_plan_file(struct resume *resume, const char *path);
void resume_plan_text(struct resume *resume, const char *text);
void resume_plan_number(struct resume *resume, size_t number);

// Whether there is a journal next to `result`, which may be NULL.
bool resume_is_there(const char *result);

// Call before the work. Opens the journal next to `result`, the file or folder of the results, with --resume
// or if this run `keeps` pieces without it. If `result` is NULL or "-" there is no journal, and --resume is
// refused. Reports on standard error how much is taken from the journal; from now on, an interruption says
// how to continue. An existing journal is refused without --resume, and removed with --force. With --dry-run
// it only refuses: nothing is opened or removed.
kn_status resume_open(struct resume *resume, const struct common_arguments *common, const char *result,
                      bool keeps, kn_error *err);
// Call at the end, even if the journal was never opened: `status` is the outcome of the run, and is returned.
// Removes the folder if the run is complete, or if invalid input ended a run without --resume; otherwise the
// message recommends --resume.
kn_status resume_close(struct resume *resume, kn_status status, kn_error *err);

#endif
