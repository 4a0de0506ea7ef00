// SPDX-License-Identifier: Apache-2.0
// A queue that asks whether to go on, between its launches. What was launched cannot be taken back: while it
// asks, the host is never far ahead of the device.
#ifndef KN_ENGINE_WATCH_ASKING_H
#define KN_ENGINE_WATCH_ASKING_H

#include <koine/context.h>

#include "base/ask.h"

struct be_event;

struct engine_asking {
    struct ki_ask *ask;    // NULL: nobody is asked
    struct be_event *mark; // of the launch that is waited for next; NULL: none
    unsigned stride;       // launches between two questions
    unsigned launched;     // since the last one
};

// From now on the queue asks `ask`, which must stay, or nobody if it is NULL, as often as the times of
// launches say. A launch at which it is to stop fails with KN_ERROR_INTERRUPTED. Returns whom it has asked
// until now.
struct ki_ask *ki_queue_ask(kn_queue *queue, struct ki_ask *ask);

// Launches that come now may take long: the queue asks before the next one.
void ki_queue_ask_next(kn_queue *queue);
// The same; `part` of the stage is done.
void ki_queue_ask_at(kn_queue *queue, double part);

// Before a launch: waits and asks if it is time to. `*due`: the launch is to be marked.
kn_status ki_asking_before(kn_queue *queue, bool *due, kn_error *err);
// `done`, which it takes over, is the event of a launch that was due.
void ki_asking_mark(kn_queue *queue, struct be_event *done);
void ki_asking_forget(kn_queue *queue);

#endif
