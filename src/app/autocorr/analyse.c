// SPDX-License-Identifier: Apache-2.0
#include "analyse.h"

#include <stdlib.h>

#include "../../base/error.h"

void autocorr_analyst_free(struct autocorr_analyst *analyst)
{
    autocorr_fourier_free(analyst->fourier);
    free(analyst->windows);
    *analyst = (struct autocorr_analyst){.offsets = 0};
}

static kn_status make_room(struct autocorr_analyst *analyst, size_t offsets, kn_error *err)
{
    if (analyst->offsets >= offsets)
        return KN_OK;
    free(analyst->windows);
    analyst->windows = malloc(offsets * sizeof *analyst->windows);
    analyst->offsets = analyst->windows ? offsets : 0;
    return analyst->windows ? KN_OK
                            : kn_fail_memory(err, offsets * sizeof *analyst->windows, "a correlation");
}

static kn_status find_windows(struct autocorr_analyst *analyst, const kn_host_options *options,
                              const struct autocorr_task *task, kn_error *err)
{
    kn_status status = make_room(analyst, autocorr_offsets(task->max_offset), err);

    if (status || !task->mask)
        return status ? status : autocorr_windows(task, analyst->windows, err);
    if (!analyst->fourier)
        status = autocorr_fourier_create(options, &analyst->fourier, err);
    return status ? status : autocorr_masked_windows(analyst->fourier, task, analyst->windows, err);
}

kn_status autocorr_analyse(struct autocorr_analyst *analyst, const struct autocorr_settings *settings,
                           const kn_host_options *options, const struct autocorr_task *task,
                           struct autocorr_frame *frame, kn_error *err)
{
    size_t bytes = autocorr_offsets(task->max_offset) * sizeof *frame->values;
    kn_status status = KN_OK;

    if (settings->values || !frame->rings_on_device) {
        frame->values = malloc(bytes);
        status = frame->values ? find_windows(analyst, options, task, err)
                               : kn_fail_memory(err, bytes, "a correlation");
        if (status)
            return status;
        autocorr_normalize(settings->normalization, task->max_offset, frame->products, analyst->windows,
                           frame->values);
    }
    if (!frame->rings_on_device)
        autocorr_radial(frame->values, task->max_offset, AUTOCORR_LINEAR, frame->rings);
    autocorr_find_lengths(frame->rings, task->max_offset, AUTOCORR_PROMINENCE, &frame->lengths);
    return KN_OK;
}
