// SPDX-License-Identifier: Apache-2.0
// A queue that asks between launches whether to continue. Launches cannot be withdrawn, so a queue that asks
// does not let the host run far ahead of the device.
#ifndef KN_ENGINE_WATCH_ASKING_H
#define KN_ENGINE_WATCH_ASKING_H

#include <koine/context.h>

#include "base/ask.h"

struct be_event;

struct engine_asking {
    struct ki_ask *ask;    // NULL: the queue does not ask
    struct be_event *mark; // the event of the launch to wait for next; NULL: none
    unsigned stride;       // launches between two questions
    unsigned launched;     // launches since the last question
};

// From now on the queue asks `ask`, which must remain valid, or does not ask if it is NULL; how often depends
// on how long launches take. A launch fails with KN_ERROR_INTERRUPTED if the answer is to stop. Returns the
// previous `ask`.
struct ki_ask *ki_queue_ask(kn_queue *queue, struct ki_ask *ask);

// The next launches may take long: the queue asks before the next one.
void ki_queue_ask_next(kn_queue *queue);
// The same; the fraction `part` of the stage is done.
void ki_queue_ask_at(kn_queue *queue, double part);

// To be called before a launch: waits and asks, if it is time to. `*due`: the launch has to be marked.
kn_status ki_asking_before(kn_queue *queue, bool *due, kn_error *err);
// `done`, of which it takes ownership, is the event of a launch that was due.
void ki_asking_mark(kn_queue *queue, struct be_event *done);
void ki_asking_forget(kn_queue *queue);

#endif
