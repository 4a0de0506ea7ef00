// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine.h"

// The least size, if the device has it: a few numbers now and a few more in the next call share the same
// memory. (Besides, Oclgrind 21.10 takes what is written to a buffer larger than a freed one to be
// uninitialised.)
enum { LEAST_BYTES = 65536 };

struct engine_scratch ki_engine_scratch_open(kn_queue *queue, enum engine_scratch_level level, size_t slots,
                                             const char *function)
{
    struct engine_scratch_pool *pool = &queue->scratch[level];
    struct engine_scratch scratch = {queue, level, pool->open, slots, function};

    pool->open += slots;
    return scratch;
}

void ki_engine_scratch_close(struct engine_scratch *scratch)
{
    if (scratch->queue)
        scratch->queue->scratch[scratch->level].open = scratch->first;
    *scratch = (struct engine_scratch){.queue = NULL};
}

static kn_status make_slots(struct engine_scratch_pool *pool, size_t count, kn_error *err)
{
    while (pool->count < count)
        if (!KI_ARRAY_PUSH(pool->slots, pool->count, pool->capacity, NULL))
            return ki_fail_memory(err, count * sizeof(kn_buffer *), "scratch memory");
    return KN_OK;
}

static kn_status get(const struct engine_scratch *scratch, size_t slot, size_t bytes, bool exact,
                     kn_buffer **buffer, kn_error *err)
{
    kn_queue *queue = scratch->queue;
    struct engine_scratch_pool *pool = &queue->scratch[scratch->level];
    const kn_device_info *info = &queue->context->device.info;
    kn_buffer **kept;
    kn_status status = ki_engine_check_runs(queue, "an algorithm with memory of the queue's", err);

    assert(slot < scratch->slots);
    if (!status && bytes > info->max_alloc)
        status = ki_fail(err, KN_ERROR_LIMIT,
                         "%s: %zu bytes of scratch memory are more than one allocation of %s holds (%llu)",
                         scratch->function, bytes, info->spec, (unsigned long long)info->max_alloc);
    if (!status)
        status = make_slots(pool, scratch->first + scratch->slots, err);
    if (status)
        return status;
    kept = &pool->slots[scratch->first + slot];
    if (!exact && bytes < LEAST_BYTES && LEAST_BYTES <= info->max_alloc)
        bytes = LEAST_BYTES;
    if (!*kept || (*kept)->bytes < bytes || (exact && (*kept)->bytes != bytes)) {
        kn_buffer_free(*kept); // the driver keeps it until the enqueued work has used it
        *kept = NULL;
        status = kn_buffer_create(queue->context, bytes, kept, err);
    }
    if (!status)
        *buffer = *kept;
    return status;
}

kn_status ki_engine_scratch_get(const struct engine_scratch *scratch, size_t slot, size_t bytes,
                                kn_buffer **buffer, kn_error *err)
{
    return get(scratch, slot, bytes, false, buffer, err);
}

kn_status ki_engine_scratch_get_exact(const struct engine_scratch *scratch, size_t slot, size_t bytes,
                                      kn_buffer **buffer, kn_error *err)
{
    return get(scratch, slot, bytes, true, buffer, err);
}

size_t ki_engine_scratch_kept(const kn_queue *queue)
{
    size_t bytes = 0;

    for (size_t level = 0; level < ENGINE_SCRATCH_LEVELS; level++)
        for (size_t i = 0; i < queue->scratch[level].count; i++)
            bytes += kn_buffer_get_size(queue->scratch[level].slots[i]);
    return bytes;
}

size_t ki_engine_scratch_in_use(const kn_queue *queue)
{
    size_t slots = 0;

    for (size_t level = 0; level < ENGINE_SCRATCH_LEVELS; level++)
        slots += queue->scratch[level].open;
    return slots;
}

void ki_engine_scratch_free(kn_queue *queue)
{
    for (size_t level = 0; level < ENGINE_SCRATCH_LEVELS; level++) {
        struct engine_scratch_pool *pool = &queue->scratch[level];
        for (size_t i = 0; i < pool->count; i++)
            kn_buffer_free(pool->slots[i]);
        free(pool->slots);
    }
}
