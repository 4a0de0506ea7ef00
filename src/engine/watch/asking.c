// SPDX-License-Identifier: Apache-2.0
#include "asking.h"

#include "base/os/clock.h"
#include "engine/engine.h"

// The host is at most this many launches ahead, and if possible no more than this time.
enum { STRIDE_MOST = 16 };
static const double soon = 2e-3, late = 50e-3;

void ki_asking_forget(kn_queue *queue)
{
    if (queue->asking.mark)
        queue->context->backend->event_free(queue->asking.mark);
    queue->asking.mark = NULL;
}

struct ki_ask *ki_queue_ask(kn_queue *queue, struct ki_ask *ask)
{
    struct ki_ask *before = queue->asking.ask;

    queue->asking.ask = ask;
    return before;
}

void ki_queue_ask_next(kn_queue *queue)
{
    queue->asking.stride = 1;
}

void ki_queue_ask_at(kn_queue *queue, double part)
{
    ki_ask_at(queue->asking.ask, part);
    ki_queue_ask_next(queue);
}

// Waits until the marked launch is done.
static kn_status catch_up(kn_queue *queue, kn_error *err)
{
    struct engine_asking *asking = &queue->asking;
    double began = ki_clock_seconds(), took;
    kn_status status = queue->context->backend->event_wait(asking->mark, err);

    took = ki_clock_seconds() - began;
    if (took < soon && asking->stride < STRIDE_MOST)
        asking->stride *= 2;
    else if (took > late && asking->stride > 1)
        asking->stride /= 2;
    ki_asking_forget(queue);
    return status;
}

kn_status ki_asking_before(kn_queue *queue, bool *due, kn_error *err)
{
    struct engine_asking *asking = &queue->asking;
    kn_status status;

    *due = asking->ask && ++asking->launched >= asking->stride;
    if (!*due)
        return KN_OK;
    asking->launched = 0;
    status = asking->mark ? catch_up(queue, err) : KN_OK;
    return status ? status : ki_ask(asking->ask, err);
}

void ki_asking_mark(kn_queue *queue, struct be_event *done)
{
    ki_asking_forget(queue);
    queue->asking.mark = done;
}
