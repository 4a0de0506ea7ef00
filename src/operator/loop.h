// SPDX-License-Identifier: Apache-2.0
// Iterations on a device whose scalars stay there: how many are launched before the host checks whether they
// have ended, and which are recorded in blocks.
#ifndef KN_OPERATOR_LOOP_H
#define KN_OPERATOR_LOOP_H

#include <koine/launch.h>

// Iterations that are recorded together: an even number, because some alternate between two buffers.
enum { LOOP_BLOCK = 32 };

struct operator_loop {
    // Launches iteration k; `last`: no iteration follows. Launches do nothing once the device has stopped.
    kn_status (*iterate)(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);
    const void *data;
    size_t count;            // number of iterations
    kn_recording *recording; // a block of LOOP_BLOCK iterations; NULL: they are launched one by one
    bool goes_beyond;        // a block may go beyond the last iteration, if that costs little
    // Iteration k stores a double, `first` + k `stride` bytes into the state, that is not 0 once the
    // iterations have ended. NULL: the host does not check, and all iterations are launched.
    const kn_buffer *state;
    size_t first, stride;
    // As kn_solve_progress; NULL: none. With a callback, the device is at most a few iterations behind.
    bool (*progress)(void *data, size_t iteration);
    void *progress_data;
};

// Stores a number in the state, `at` bytes from its start, in the order of the queue, and returns without
// waiting.
kn_status ki_loop_put(kn_queue *queue, kn_buffer *state, size_t at, double number, kn_error *err);

// Records a block of iterations.
kn_status ki_loop_record(kn_queue *queue, const struct operator_loop *loop, kn_recording_way way,
                         kn_recording **recording, kn_error *err);

// Launches the iterations; *launched: how many. Does not wait if there is neither `state` nor `progress`.
// KN_ERROR_INTERRUPTED if `progress` returns false.
kn_status ki_loop_launch(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err);
// The same, and waits until all are done.
kn_status ki_loop_run(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err);

#endif
