// SPDX-License-Identifier: Apache-2.0
// Iterations on a device whose scalars stay there: how many are launched before the host looks whether they
// have ended, and which are recorded in blocks.
#ifndef KN_OPERATOR_LOOP_H
#define KN_OPERATOR_LOOP_H

#include <koine/launch.h>

// Iterations that are recorded together: even, as some take turns between two places.
enum { LOOP_BLOCK = 32 };

struct operator_loop {
    // Launches iteration k; `last`: nothing comes after it. Once the device has stopped they do nothing.
    kn_status (*iterate)(const void *data, kn_queue *queue, size_t k, bool last, kn_error *err);
    const void *data;
    size_t count;            // of iterations
    kn_recording *recording; // of LOOP_BLOCK iterations; NULL: each is launched
    bool goes_beyond;        // a block may go beyond the last iteration, where that costs little
    // Where iteration k leaves a double that is not 0 once the iterations have ended: `first` + k `stride`
    // bytes into the state. NULL: nobody looks, and all are launched.
    const kn_buffer *state;
    size_t first, stride;
    // As kn_solve_progress; NULL: none. With one the device is a few iterations behind at most.
    bool (*progress)(void *data, size_t iteration);
    void *progress_data;
};

// Puts a number into the state, `at` bytes from its start, in order with what else is in the queue, and
// returns.
kn_status ki_loop_put(kn_queue *queue, kn_buffer *state, size_t at, double number, kn_error *err);

// Records a block of iterations.
kn_status ki_loop_record(kn_queue *queue, const struct operator_loop *loop, kn_recording_way way,
                         kn_recording **recording, kn_error *err);

// Launches them; *launched: how many were. Without `state` and `progress` nobody waits. KN_ERROR_INTERRUPTED
// by `progress`.
kn_status ki_loop_launch(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err);
// The same, and waits for all of them.
kn_status ki_loop_run(kn_queue *queue, const struct operator_loop *loop, size_t *launched, kn_error *err);

#endif
