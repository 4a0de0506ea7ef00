// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include "base/error.h"
#include "base/os/clock.h"
#include "engine/engine.h"

// Iterations between two checks by the host, if they are launched one by one.
enum { LOOK = 8 };

// ---- the pace of the host, with a progress callback ----

// Every `stride` iterations the host marks the queue, and waits for the previous mark: so the device always
// has work, and the host is at most two strides ahead.
struct pace {
    kn_event *marks[2];
    size_t stride, launched; // iterations since the last mark
};

static const double soon = 2e-3, late = 50e-3;

static void adjust(struct pace *pace, double waited)
{
    if (waited < soon && pace->stride < LOOK)
        pace->stride *= 2;
    else if (waited > late && pace->stride > 1)
        pace->stride /= 2;
}

static kn_status keep_pace(kn_queue *queue, struct pace *pace, kn_error *err)
{
    double began = ki_clock_seconds();
    kn_status status = KN_OK;

    if (pace->launched < pace->stride)
        return KN_OK;
    pace->launched = 0;
    if (pace->marks[0]) {
        status = kn_event_wait(pace->marks[0], err);
        adjust(pace, ki_clock_seconds() - began);
        kn_event_free(pace->marks[0]);
    }
    pace->marks[0] = pace->marks[1];
    pace->marks[1] = NULL;
    return status ? status : kn_queue_record(queue, &pace->marks[1], err);
}

static void forget(struct pace *pace)
{
    kn_event_free(pace->marks[0]);
    kn_event_free(pace->marks[1]);
}

// ---- iterations ----

// A copied number would have to last until the queue reads it; a fill pattern need not.
kn_status ki_loop_put(kn_queue *queue, kn_buffer *state, size_t at, double number, kn_error *err)
{
    return kn_buffer_fill(queue, state, &number, sizeof number, at, sizeof number, NO_EVENT, err);
}

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

// Calls the progress callback before iteration k, once the device is near it.
static kn_status ask(kn_queue *queue, const struct operator_loop *loop, struct pace *pace, size_t k,
                     kn_error *err)
{
    kn_status status = keep_pace(queue, pace, err);

    pace->launched++;
    if (status || k + 1 >= loop->count || loop->progress(loop->progress_data, k))
        return status;
    return ki_fail(err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", k);
}

kn_status ki_loop_launch(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err)
{
    size_t all = loop->count, k = 0, look = loop->recording ? LOOP_BLOCK : LOOK;
    struct pace pace = {.stride = 1};
    double ended = 0;
    kn_status status = KN_OK;

    while (k < all && ended == 0 && !status) {
        status = loop->progress ? ask(queue, loop, &pace, k, err) : KN_OK;
        if (status)
            break;
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
    forget(&pace);
    *launched = k;
    return status;
}

kn_status ki_loop_run(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err)
{
    kn_status status = ki_loop_launch(queue, loop, launched, err);

    return status ? status : kn_queue_finish(queue, err);
}
