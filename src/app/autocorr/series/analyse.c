// SPDX-License-Identifier: Apache-2.0
#include "analyse.h"

#include <stdlib.h>

#include "base/error.h"

void ki_autocorr_workspace_free(struct autocorr_workspace *workspace)
{
    ki_autocorr_fourier_free(workspace->fourier);
    free(workspace->windows);
    *workspace = (struct autocorr_workspace){.offsets = 0};
}

static kn_status make_room(struct autocorr_workspace *workspace, size_t offsets, kn_error *err)
{
    if (workspace->offsets >= offsets)
        return KN_OK;
    free(workspace->windows);
    workspace->windows = malloc(offsets * sizeof *workspace->windows);
    workspace->offsets = workspace->windows ? offsets : 0;
    return workspace->windows ? KN_OK
                              : ki_fail_memory(err, offsets * sizeof *workspace->windows, "a correlation");
}

static kn_status find_windows(struct autocorr_workspace *workspace, const kn_host_options *options,
                              const struct autocorr_task *task, kn_error *err)
{
    kn_status status = make_room(workspace, autocorr_offsets(task->max_offset), err);

    if (status || !task->mask)
        return status ? status : ki_autocorr_windows(task, workspace->windows, err);
    if (!workspace->fourier)
        status = ki_autocorr_fourier_create(options, &workspace->fourier, err);
    return status ? status : ki_autocorr_masked_windows(workspace->fourier, task, workspace->windows, err);
}

kn_status ki_autocorr_conclude(const kn_autocorr_series_options *settings, size_t max_offset,
                               const struct autocorr_window *windows, struct autocorr_frame *frame,
                               kn_error *err)
{
    size_t bytes = autocorr_offsets(max_offset) * sizeof *frame->values;

    if (autocorr_makes_values(settings, frame)) {
        frame->values = ki_kept_take(frame->kept, bytes);
        if (!frame->values)
            return ki_fail_memory(err, bytes, "a correlation");
        ki_autocorr_normalize(settings->normalization, max_offset, frame->products, windows, frame->values);
    }
    if (!frame->rings_on_device)
        ki_autocorr_radial(frame->values, max_offset, AUTOCORR_LINEAR, frame->rings);
    ki_autocorr_find_lengths(frame->rings, max_offset, AUTOCORR_PROMINENCE, &frame->lengths);
    return KN_OK;
}

kn_status ki_autocorr_analyse(struct autocorr_workspace *workspace,
                              const kn_autocorr_series_options *settings, const kn_host_options *options,
                              const struct autocorr_task *task, struct autocorr_frame *frame, kn_error *err)
{
    kn_status status =
        autocorr_makes_values(settings, frame) ? find_windows(workspace, options, task, err) : KN_OK;

    return status ? status : ki_autocorr_conclude(settings, task->max_offset, workspace->windows, frame, err);
}
