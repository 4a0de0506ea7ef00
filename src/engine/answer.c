// SPDX-License-Identifier: Apache-2.0
#include "answer.h"

#include <string.h>

#include "base/error.h"
#include "engine.h"

static bool is_on_host(const kn_queue *queue)
{
    return queue->context->backend->kernels_reach_host;
}

kn_status ki_engine_answer_get(kn_queue *queue, kn_buffer **buffer, kn_error *err)
{
    struct engine_answer *answer = &queue->answer;
    kn_status status = ki_engine_check_runs(queue, "an algorithm that waits for its answer", err);

    if (!status && !answer->buffer && is_on_host(queue)) {
        status = queue->context->backend->host_alloc(queue->native, ENGINE_ANSWER_BYTES, &answer->host, err);
        answer->reached = (kn_buffer){
            .context = queue->context, .bytes = ENGINE_ANSWER_BYTES, .native = answer->host.holder};
        if (!status)
            answer->buffer = &answer->reached;
    } else if (!status && !answer->buffer) {
        status = kn_buffer_create(queue->context, ENGINE_ANSWER_BYTES, &answer->buffer, err);
    }
    if (!status)
        *buffer = answer->buffer;
    return status;
}

kn_status ki_engine_answer_read(kn_queue *queue, void *data, size_t bytes, kn_error *err)
{
    kn_status status;

    if (!is_on_host(queue))
        return kn_buffer_read(queue, queue->answer.buffer, 0, data, bytes, err);
    status = kn_queue_finish(queue, err);
    if (!status)
        memcpy(data, queue->answer.host.data, bytes);
    return status;
}

void ki_engine_answer_free(kn_queue *queue)
{
    struct engine_answer *answer = &queue->answer;

    if (answer->host.data)
        queue->context->backend->host_free(queue->native, &answer->host);
    else
        kn_buffer_free(answer->buffer);
}
