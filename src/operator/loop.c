// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include "base/error.h"

// Iterations between two looks of the host's where they are launched one by one.
enum { LOOK = 8 };

kn_status ki_loop_record(kn_queue *queue, const struct operator_loop *loop, kn_recording_way way,
                         kn_recording **recording, kn_error *err)
{
    kn_status status = kn_recording_begin(queue, way, err);

    if (status)
        return status;
    for (size_t k = 0; k < LOOP_BLOCK && !status; k++)
        status = loop->iterate(loop->data, queue, k, false, err);
    if (!status)
        return kn_recording_end(queue, recording, err);
    (void)kn_recording_end(queue, NULL, NULL);
    return status;
}

static bool is_block(const struct operator_loop *loop, size_t left)
{
    return loop->recording && (left >= LOOP_BLOCK || (loop->goes_beyond && left > LOOP_BLOCK / 4));
}

kn_status ki_loop_run(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err)
{
    size_t all = loop->count, k = 0, look = loop->recording ? LOOP_BLOCK : LOOK;
    double ended = 0;
    kn_status status = KN_OK;

    while (k < all && ended == 0 && !status) {
        if (loop->progress && k + 1 < all && !loop->progress(loop->progress_data, k))
            return ki_fail(err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", k);
        if (is_block(loop, all - k)) {
            status = kn_recording_replay(queue, loop->recording, err);
            k += all - k < LOOP_BLOCK ? all - k : LOOP_BLOCK;
        } else {
            status = loop->iterate(loop->data, queue, k, k + 1 == all, err);
            k++;
        }
        if (!status && loop->state && k % look == 0)
            status = kn_buffer_read(queue, loop->state, loop->first + (k - 1) * loop->stride, &ended,
                                    sizeof ended, err);
    }
    *launched = k;
    return status ? status : kn_queue_finish(queue, err);
}
