// SPDX-License-Identifier: Apache-2.0
#include "copies.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/engine.h"

enum { SHARE = 8 }; // of the device's memory: a part in so many

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

kn_status ki_autocorr_copies_begin(const kn_queue *queue, const struct autocorr_task *like, size_t wanted,
                                   size_t most, struct autocorr_copies *copies, kn_error *err)
{
    const size_t bytes = like->first.width * like->first.height * kn_type_size(like->first.type);
    kn_status status;
    size_t count;

    *copies = (struct autocorr_copies){.count = 0};
    if (!queue)
        return KN_OK;
    count = least(least(wanted, most), (size_t)(queue->context->device.info.global_memory / SHARE / bytes));
    if (!count)
        return KN_OK;
    copies->all = calloc(count, sizeof *copies->all);
    if (!copies->all)
        return ki_fail_memory(err, count * sizeof *copies->all, "the frames on a device");
    status = kn_buffer_create(queue->context, count * bytes, &copies->buffer, NULL);
    if (status)
        return KN_OK; // without copies
    copies->count = count;
    for (size_t i = 0; i < count; i++)
        copies->all[i] = (struct autocorr_copy){.buffer = copies->buffer, .at = i * bytes};
    return KN_OK;
}

kn_status ki_autocorr_copies_of(const kn_buffer *buffer, const struct autocorr_task *like, size_t count,
                                struct autocorr_copies *copies, kn_error *err)
{
    const size_t bytes = like->first.width * like->first.height * kn_type_size(like->first.type);

    *copies = (struct autocorr_copies){.all = calloc(count, sizeof *copies->all), .count = count};
    if (!copies->all)
        return ki_fail_memory(err, count * sizeof *copies->all, "the frames on a device");
    for (size_t i = 0; i < count; i++)
        copies->all[i] = (struct autocorr_copy){
            .buffer = (kn_buffer *)buffer, .at = i * bytes, .is_taken = true, .is_there = true};
    return KN_OK;
}

void ki_autocorr_copies_end(struct autocorr_copies *copies)
{
    kn_buffer_free(copies->buffer);
    free(copies->all);
    *copies = (struct autocorr_copies){.count = 0};
}

struct autocorr_copy *ki_autocorr_copies_take(struct autocorr_copies *copies)
{
    for (size_t i = 0; i < copies->count; i++) {
        struct autocorr_copy *copy = &copies->all[(copies->next + i) % copies->count];

        if (copy->is_taken)
            continue;
        *copy = (struct autocorr_copy){.buffer = copy->buffer, .at = copy->at, .is_taken = true};
        copies->next = (copies->next + i + 1) % copies->count;
        return copy;
    }
    return NULL;
}

void ki_autocorr_copies_give(struct autocorr_copy *copy)
{
    if (copy)
        copy->is_taken = false;
}
