// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error: only on a terminal, and only for work longer than a second.
#ifndef KN_CLI_FRAMEWORK_PROGRESS_H
#define KN_CLI_FRAMEWORK_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    bool allowed;
    bool shown;
    double start; // seconds
    double last;
};

void progress_begin(struct progress *progress, bool quiet);
// How much is done, from 0 to 1; cheap, may be called whenever there is progress.
void progress_step(struct progress *progress, double done);
// Removes the bar from the screen; call it before anything else is printed.
void progress_end(struct progress *progress);

#endif
