// SPDX-License-Identifier: Apache-2.0
// koine autocorr: what happens with a finished frame.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cmd_autocorr.h"

// A message about a colour image, or one of real numbers, is printed once.
static void remark(struct autocorr_run *run, const kn_autocorr_analysis *frame)
{
    const char *file = run->frames.sources[frame->index].file;
    const char *command = run->arguments->common.command;

    if (frame->colour && !run->said_colour && !run->arguments->prepare.grey)
        fprintf(stderr, "%s: %s is in colour: its grey is 0.299 red + 0.587 green + 0.114 blue\n", command,
                file);
    if (frame->stretched && !run->said_stretched)
        fprintf(stderr,
                "%s: %s has numbers other than integers from 0 to 65535: each such frame is scaled, its "
                "least number to 0 and its greatest to 65535\n",
                command, file);
    run->said_colour = run->said_colour || frame->colour;
    run->said_stretched = run->said_stretched || frame->stretched;
}

// What is kept of a frame.
static kn_status keep(const struct autocorr_run *run, const kn_autocorr_analysis *frame,
                      struct autocorr_row *row, kn_error *err)
{
    size_t rings = (frame->max_offset + 1) * sizeof *row->rings,
           sums = autocorr_offsets(run, frame->max_offset) * sizeof *row->sums;

    row->width = frame->width;
    row->height = frame->height;
    row->max_offset = frame->max_offset;
    row->lengths = frame->lengths;
    autocorr_scale(&row->lengths, run->pixel);
    row->method = frame->method;
    row->bound = frame->bound;
    if (frame->verified)
        row->verified = *frame->verified;
    row->seconds = frame->seconds;
    row->prepared = *frame->prepared;
    memset(row->prepared.pictures, 0, sizeof row->prepared.pictures);
    row->rings = malloc(rings);
    row->sums = frame->sums ? malloc(sums) : NULL;
    if (!row->rings || (frame->sums && !row->sums))
        return ki_fail_memory(err, rings + sums, "a frame's sums");
    memcpy(row->rings, frame->rings, rings);
    if (frame->sums)
        memcpy(row->sums, frame->sums, sums);
    return KN_OK;
}

kn_status autocorr_take(void *context, const kn_autocorr_analysis *frame, kn_error *err)
{
    struct autocorr_run *run = context;
    struct autocorr_row *row = &run->rows[frame->index];
    kn_status status;

    row->source = run->frames.sources[frame->index];
    row->index = frame->index;
    run->row_count = frame->index + 1;
    if (!ranks_writes(run->arguments->common.ranks)) { // the first frame, by which the others go
        row->max_offset = frame->max_offset;
        return KN_OK;
    }
    progress_step(&run->progress, (double)run->row_count / (double)run->frames.count);
    if (frame->error) {
        row->error = strdup(frame->error->text);
        if (!row->error)
            return ki_fail_memory(err, 0, "a frame's error");
        if (run->frames.count == 1) { // it is the command's own
            *err = *frame->error;
            return frame->error->code;
        }
        progress_end(&run->progress);
        fprintf(stderr, "%s: %s\n", run->arguments->common.command, row->error);
        return KN_OK;
    }
    remark(run, frame);
    run->bound = fmax(run->bound, frame->bound);
    status = keep(run, frame, row, err);
    if (!status && run->arguments->common.report)
        status = autocorr_add_up(run, frame, err);
    return status ? status : autocorr_write_frame(run, row, frame, err);
}
