// SPDX-License-Identifier: Apache-2.0
// A sum's launches and copies on a device, as the lecture's kernels and the tuned one make them.
#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

kn_status ki_sum_launch(struct sum_work *work, kn_kernel *kernel, const kn_range *range, const kn_arg *args,
                        size_t count, kn_error *err)
{
    kn_event *event = NULL;
    kn_status status = kn_launch(work->queue, kernel, range, args, count, work->timed ? &event : NULL, err);

    if (!status && event && !KI_ARRAY_PUSH(work->events, work->event_count, work->event_capacity, event)) {
        kn_event_free(event);
        status = ki_fail_memory(err, 0, "the times of a sum");
    }
    return status;
}

kn_status ki_sum_copy_chunk(struct sum_work *work, size_t begin, size_t count, kn_error *err)
{
    kn_status status = KN_OK;
    bool done[SUM_COMPONENTS] = {false};

    for (unsigned component = 0; component < SUM_COMPONENTS && !status; component++) {
        const struct sum_slot *slot = &work->layout->slots[component];
        size_t bytes = slot->step * sizeof(float);

        if (bytes == 0 || done[slot->buffer])
            continue;
        done[slot->buffer] = true;
        status = kn_buffer_copy(work->queue, work->samples[slot->buffer], begin * bytes,
                                work->chunks[slot->buffer], 0, count * bytes, NULL, err);
    }
    return status;
}
