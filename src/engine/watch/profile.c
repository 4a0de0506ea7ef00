// SPDX-License-Identifier: Apache-2.0
#include "profile.h"

#include <koine/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/engine.h"

kn_status ki_engine_profile_add(struct engine_profile *profile, const struct ki_backend *backend,
                                const char *kernel, struct be_event *event, kn_error *err)
{
    struct engine_record record = {"", event};

    snprintf(record.kernel, sizeof record.kernel, "%s", kernel);
    if (!KI_ARRAY_PUSH(profile->records, profile->count, profile->capacity, record)) {
        backend->event_free(event);
        return ki_fail_memory(err, 0, "recording launches");
    }
    return KN_OK;
}

void ki_engine_profile_clear(struct engine_profile *profile, const struct ki_backend *backend)
{
    for (size_t i = 0; i < profile->count; i++)
        backend->event_free(profile->records[i].event);
    free(profile->records);
    memset(profile, 0, sizeof *profile);
}

kn_status kn_profile_start(kn_queue *queue, kn_error *err)
{
    if (!queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_profile_start: queue is NULL");
    if (ki_engine_check_runs(queue, "kn_profile_start", err))
        return KN_ERROR_ARGUMENT;
    ki_engine_profile_clear(&queue->profile, queue->context->backend);
    queue->profile.on = true;
    return KN_OK;
}

kn_status kn_profile_stop(kn_queue *queue, kn_profile_entry **entries, size_t *count, kn_error *err)
{
    const struct ki_backend *backend;
    kn_profile_entry *list;
    uint64_t queued;
    kn_status status;

    if (!queue || !entries || !count || !queue->profile.on)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_profile_stop: no kn_profile_start before, or a NULL argument");
    backend = queue->context->backend;
    status = kn_queue_finish(queue, err);
    list = calloc(queue->profile.count + 1, sizeof *list);
    if (!list && !status)
        status = ki_fail_memory(err, 0, "a profile");
    for (size_t i = 0; i < queue->profile.count && !status; i++) {
        memcpy(list[i].kernel, queue->profile.records[i].kernel, sizeof list[i].kernel);
        status =
            backend->event_times(queue->profile.records[i].event, &queued, &list[i].start, &list[i].end, err);
    }
    if (status) {
        free(list);
    } else {
        *entries = list;
        *count = queue->profile.count;
    }
    ki_engine_profile_clear(&queue->profile, backend);
    return status;
}

double kn_profile_span(const kn_profile_entry *entries, size_t count)
{
    uint64_t start = UINT64_MAX, end = 0;

    for (size_t i = 0; i < count && entries; i++) {
        start = entries[i].start < start ? entries[i].start : start;
        end = entries[i].end > end ? entries[i].end : end;
    }
    return end > start ? (double)(end - start) * 1e-9 : 0;
}
