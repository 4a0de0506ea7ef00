// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: events, and work in a queue that is timed by a pair of them.
#include "cuda.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

// cuEventElapsedTime returns float milliseconds: exact to 60 ns after one second, to 0.25 ms after an hour.
// So times are counted from an event that is never far away: beyond this distance another one becomes the
// base.
#define REBASE_AFTER_MS 1000.0f
#define FIRST_BASE_NS   (INT64_C(1) << 60)

static void destroy(struct be_event *event)
{
    const struct cuda_driver *cu = &event->context->cu;

    if (event->start)
        (void)cu->cuEventDestroy_v2(event->start);
    if (event->end)
        (void)cu->cuEventDestroy_v2(event->end);
    ki_kept_give(&event->context->kept, event);
}

// An event whose start is recorded in the queue; the context is current.
static kn_status start_event(struct be_queue *queue, struct be_event **event, kn_error *err)
{
    struct be_context *context = queue->context;
    struct be_event *made = ki_kept_take(&context->kept, sizeof *made);
    struct cuda_outcome outcome;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a CUDA event");
    memset(made, 0, sizeof *made);
    made->context = context;
    atomic_init(&made->handles, 1);
    outcome = CUDA_DO(&context->cu, cuEventCreate, &made->start, CU_EVENT_DEFAULT);
    if (!outcome.code)
        outcome = CUDA_DO(&context->cu, cuEventCreate, &made->end, CU_EVENT_DEFAULT);
    if (!outcome.code)
        outcome = CUDA_DO(&context->cu, cuEventRecord, made->start, queue->stream);
    if (outcome.code) {
        destroy(made);
        return ki_cuda_fail(err, &context->cu, context->spec, outcome, "noting when work begins");
    }
    *event = made;
    return KN_OK;
}

static kn_status ensure_base(struct be_queue *queue, kn_error *err)
{
    struct be_context *context = queue->context;
    kn_status status = KN_OK;

    pthread_mutex_lock(&context->lock);
    if (!context->base) {
        status = start_event(queue, &context->base, err);
        context->base_ns = FIRST_BASE_NS;
    }
    pthread_mutex_unlock(&context->lock);
    return status;
}

kn_status ki_cuda_work_begin(struct cuda_work *work, struct be_queue *queue, bool timed, kn_error *err)
{
    kn_status status = ki_cuda_enter(queue->context, err);

    work->queue = queue;
    work->event = NULL;
    if (status || !timed)
        return status;
    status = ensure_base(queue, err);
    if (!status)
        status = start_event(queue, &work->event, err);
    if (status)
        ki_cuda_leave(queue->context);
    return status;
}

kn_status ki_cuda_work_end(struct cuda_work *work, struct cuda_outcome outcome, bool blocking,
                           const char *what, struct be_event **event, kn_error *err)
{
    struct be_context *context = work->queue->context;
    const struct cuda_driver *cu = &context->cu;
    kn_status status = KN_OK;

    if (!outcome.code && work->event)
        outcome = CUDA_DO(cu, cuEventRecord, work->event->end, work->queue->stream);
    if (!outcome.code && blocking)
        outcome = CUDA_DO(cu, cuStreamSynchronize, work->queue->stream);
    if (outcome.code) {
        status = ki_cuda_fail(err, cu, context->spec, outcome, what);
        if (work->event)
            destroy(work->event);
    } else if (event) {
        *event = work->event;
    }
    ki_cuda_leave(context);
    return status;
}

void ki_cuda_work_abandon(struct cuda_work *work)
{
    if (work->event)
        destroy(work->event);
    ki_cuda_leave(work->queue->context);
}

kn_status ki_cuda_event_wait(struct be_event *event, kn_error *err)
{
    struct be_context *context = event->context;
    kn_status status = ki_cuda_enter(context, err);
    struct cuda_outcome outcome;

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuEventSynchronize, event->end);
    if (outcome.code)
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "waiting for an event");
    ki_cuda_leave(context);
    return status;
}

kn_status ki_cuda_event_done(struct be_event *event, bool *done, kn_error *err)
{
    struct be_context *context = event->context;
    kn_status status = ki_cuda_enter(context, err);
    struct cuda_outcome outcome;

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuEventQuery, event->end);
    if (outcome.code && outcome.code != CUDA_ERROR_NOT_READY)
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "looking at an event");
    else
        *done = !outcome.code;
    ki_cuda_leave(context);
    return status;
}

static int64_t nanoseconds(float milliseconds)
{
    return (int64_t)llround((double)milliseconds * 1e6);
}

kn_status ki_cuda_event_times(struct be_event *event, uint64_t *queued, uint64_t *start, uint64_t *end,
                              kn_error *err)
{
    struct be_context *context = event->context;
    struct be_event *old = NULL;
    float since_base = 0, duration = 0;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    pthread_mutex_lock(&context->lock);
    outcome = CUDA_DO(&context->cu, cuEventElapsedTime, &since_base, context->base->start, event->start);
    if (!outcome.code)
        outcome = CUDA_DO(&context->cu, cuEventElapsedTime, &duration, event->start, event->end);
    if (outcome.code) {
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "reading an event's times");
    } else {
        int64_t began = context->base_ns + nanoseconds(since_base);
        if (since_base > REBASE_AFTER_MS) {
            old = context->base;
            context->base_ns = began;
            context->base = event;
            atomic_fetch_add(&event->handles, 1);
        }
        *queued = *start = (uint64_t)began;
        *end = (uint64_t)(began + nanoseconds(duration));
    }
    pthread_mutex_unlock(&context->lock);
    ki_cuda_leave(context);
    if (old)
        ki_cuda_event_free(old);
    return status;
}

kn_status ki_cuda_event_share(struct be_event *event, struct be_event **second, kn_error *err)
{
    (void)err;
    atomic_fetch_add(&event->handles, 1);
    *second = event;
    return KN_OK;
}

void ki_cuda_event_free(struct be_event *event)
{
    struct be_context *context = event->context;
    bool entered;

    if (atomic_fetch_sub(&event->handles, 1) > 1)
        return;
    entered = ki_cuda_enter_to_free(context);
    destroy(event);
    if (entered)
        ki_cuda_leave(context);
}
