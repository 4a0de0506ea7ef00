// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/os/clock.h"

enum { BAR_WIDTH = 40 };

static const double silent_seconds = 1.0, step_seconds = 0.1;

void progress_begin(struct progress *progress, bool quiet)
{
    progress->allowed = !quiet && isatty(STDERR_FILENO) == 1;
    progress->shown = false;
    progress->start = progress->last = ki_clock_seconds();
}

void progress_step(struct progress *progress, double done)
{
    double now = progress->allowed ? ki_clock_seconds() : 0;
    char bar[BAR_WIDTH + 1];

    if (!progress->allowed || now - progress->start < silent_seconds || now - progress->last < step_seconds)
        return;
    for (int i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < done * BAR_WIDTH ? '#' : '.';
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%", bar, 100 * done);
    progress->shown = true;
    progress->last = now;
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
