// SPDX-License-Identifier: Apache-2.0
// Work in pieces that goes on where it was interrupted (koine/journal.h): NAME.parts, beside the result,
// holds the finished pieces until the result is complete. --resume goes on with them.
#ifndef KN_CLI_RESUME_H
#define KN_CLI_RESUME_H

#include <koine/journal.h>

#include "base/text/text.h"
#include "cli/framework/options.h"

struct resume {
    struct ki_text plan;
    kn_journal *journal; // NULL: nothing is kept
    char *folder;
    size_t resumed; // pieces that were there
    bool asked;     // for --resume
};

// What the results depend on: options, operands, and the files that they name, as they are on disk (size and
// time); further files; words and numbers, as those that say how the work is cut.
void resume_plan(struct resume *resume, const struct command *command, const void *arguments);
void resume_plan_file(struct resume *resume, const char *path);
void resume_plan_text(struct resume *resume, const char *text);
void resume_plan_number(struct resume *resume, size_t number);

// Whether there is a journal beside `result`; NULL is fine.
bool resume_is_there(const char *result);

// Before the work: the journal beside `result`, the file or folder that it is for, with --resume or if this
// run `keeps` pieces without it. NULL or "-": there is none, and --resume is refused. Says on standard error
// what is taken from it; an interruption from now on says how to go on. A journal that is there is refused
// without
// --resume, and removed with --force.
kn_status resume_open(struct resume *resume, const struct common_arguments *common, const char *result,
                      bool keeps, kn_error *err);
// At the end, and also if it was never opened: `status` is how the run ended, and is returned. Removes the
// folder of a run that is complete, or that bad input ended and that was not to be resumed; else the message
// names --resume.
kn_status resume_close(struct resume *resume, kn_status status, kn_error *err);

#endif
