// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include "base/error.h"

kn_status ki_engine_event_give(kn_context *context, struct be_event *native, kn_event **event, kn_error *err)
{
    kn_event *made;

    if (!event)
        return KN_OK;
    made = ki_kept_take(&context->kept, sizeof *made);
    if (!made) {
        context->backend->event_free(native);
        return ki_fail_memory(err, sizeof *made, "an event");
    }
    *made = (kn_event){.context = ki_engine_hold(context), .native = native};
    *event = made;
    return KN_OK;
}

kn_status kn_event_wait(const kn_event *event, kn_error *err)
{
    kn_status status;

    if (!event)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_event_wait: event is NULL");
    status = event->context->backend->event_wait(event->native, err);
    if (!status)
        ki_flight_land(event->flight, event->number);
    return status;
}

kn_status kn_event_get_done(const kn_event *event, bool *done, kn_error *err)
{
    kn_status status;

    if (!event || !done)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_event_get_done: event or done is NULL");
    status = event->context->backend->event_done(event->native, done, err);
    if (!status && *done)
        ki_flight_land(event->flight, event->number);
    return status;
}

kn_status kn_queue_wait_for(kn_queue *queue, const kn_event *event, kn_error *err)
{
    if (!queue || !event)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_wait_for: queue or event is NULL");
    if (queue->context != event->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_wait_for: the event belongs to another context");
    if (ki_engine_check_runs(queue, "kn_queue_wait_for", err))
        return KN_ERROR_ARGUMENT;
    return queue->context->backend->queue_wait(queue->native, event->native, err);
}

kn_status kn_queue_record(kn_queue *queue, kn_event **event, kn_error *err)
{
    struct be_event *native = NULL;
    kn_status status;

    if (!queue || !event)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_queue_record: queue or event is NULL");
    status = ki_engine_check_runs(queue, "kn_queue_record", err);
    if (!status)
        status = queue->context->backend->queue_record(queue->native, &native, err);
    return status ? status : ki_engine_event_give(queue->context, native, event, err);
}

kn_status kn_event_get_span(const kn_event *event, uint64_t *start, uint64_t *end, kn_error *err)
{
    uint64_t queued;
    kn_status status;

    if (!start || !end)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_event_get_span: start or end is NULL");
    status = kn_event_wait(event, err);
    return status ? status : event->context->backend->event_times(event->native, &queued, start, end, err);
}

kn_status kn_event_get_duration(const kn_event *event, uint64_t *nanoseconds, kn_error *err)
{
    uint64_t start, end;
    kn_status status;

    if (!nanoseconds)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_event_get_duration: nanoseconds is NULL");
    status = kn_event_get_span(event, &start, &end, err);
    if (!status)
        *nanoseconds = end > start ? end - start : 0;
    return status;
}

void kn_event_free(kn_event *event)
{
    kn_context *context;

    if (!event)
        return;
    context = event->context;
    context->backend->event_free(event->native);
    ki_kept_give(&context->kept, event);
    ki_engine_release(context);
}
