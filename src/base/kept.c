// SPDX-License-Identifier: Apache-2.0
#include "kept.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct ki_kept_block {
    alignas(KI_KEPT_ALIGNMENT) struct ki_kept_block *next; // of the spare blocks
    size_t bytes;
    alignas(KI_KEPT_ALIGNMENT) char memory[];
};

static struct ki_kept_block *block_of(void *memory)
{
    return (struct ki_kept_block *)(void *)((char *)memory - offsetof(struct ki_kept_block, memory));
}

void ki_kept_init(struct ki_kept *kept)
{
    pthread_mutex_init(&kept->lock, NULL);
    kept->spare = NULL;
}

// Takes the best block out of the list: the smallest one with at least `bytes`, or else the largest one.
static struct ki_kept_block *take_spare(struct ki_kept *kept, size_t bytes)
{
    struct ki_kept_block **best = NULL, *found = NULL;

    pthread_mutex_lock(&kept->lock);
    for (struct ki_kept_block **at = &kept->spare; *at; at = &(*at)->next) {
        size_t size = (*at)->bytes, least = best ? (*best)->bytes : 0;
        if (!best || (least < bytes ? size > least : size >= bytes && size < least))
            best = at;
    }
    if (best) {
        found = *best;
        *best = found->next;
    }
    pthread_mutex_unlock(&kept->lock);
    return found;
}

void *ki_kept_take(struct ki_kept *kept, size_t bytes)
{
    struct ki_kept_block *block = kept ? take_spare(kept, bytes) : NULL;

    if (block && block->bytes >= bytes)
        return block->memory;
    free(block);
    if (bytes > SIZE_MAX - 2 * KI_KEPT_ALIGNMENT - sizeof *block)
        return NULL;
    bytes = (bytes + KI_KEPT_ALIGNMENT - 1) / KI_KEPT_ALIGNMENT * KI_KEPT_ALIGNMENT;
    block = aligned_alloc(KI_KEPT_ALIGNMENT, sizeof *block + bytes);
    if (!block)
        return NULL;
    block->bytes = bytes;
    return block->memory;
}

void *ki_kept_take_array(struct ki_kept *kept, size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? NULL : ki_kept_take(kept, count * size);
}

void *ki_kept_take_zeros(struct ki_kept *kept, size_t count, size_t size)
{
    void *memory = ki_kept_take_array(kept, count, size);

    return memory ? memset(memory, 0, count * size) : NULL;
}

void *ki_kept_grow(struct ki_kept *kept, void *memory, size_t bytes)
{
    void *larger;

    if (memory && block_of(memory)->bytes >= bytes)
        return memory;
    larger = ki_kept_take(kept, bytes);
    if (larger && memory) {
        memcpy(larger, memory, block_of(memory)->bytes);
        ki_kept_give(kept, memory);
    }
    return larger;
}

void ki_kept_give(struct ki_kept *kept, void *memory)
{
    struct ki_kept_block *block = memory ? block_of(memory) : NULL;

    if (!block)
        return;
    if (!kept) {
        free(block);
        return;
    }
    pthread_mutex_lock(&kept->lock);
    block->next = kept->spare;
    kept->spare = block;
    pthread_mutex_unlock(&kept->lock);
}

void ki_kept_free(struct ki_kept *kept)
{
    while (kept->spare) {
        struct ki_kept_block *next = kept->spare->next;
        free(kept->spare);
        kept->spare = next;
    }
    pthread_mutex_destroy(&kept->lock);
}
