// SPDX-License-Identifier: Apache-2.0
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)

struct ki_arena_block {
    struct ki_arena_block *older;
    alignas(max_align_t) char bytes[];
};

static void *take_block(struct ki_arena *arena, size_t size)
{
    struct ki_arena_block *block;

    if (size > SIZE_MAX - sizeof *block)
        return NULL;
    block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->older = arena->blocks;
    arena->blocks = block;
    arena->total += size;
    return block->bytes;
}

void *ki_arena_take(struct ki_arena *arena, size_t size)
{
    size_t align = alignof(max_align_t);
    char *start;

    if (size > SIZE_MAX - align)
        return NULL;
    size = (size + align - 1) / align * align;
    // A large piece gets its own block, so that the current one is not thrown away half full.
    if (size > BLOCK_BYTES / 4)
        return take_block(arena, size);
    if (size > arena->left) {
        start = take_block(arena, BLOCK_BYTES);
        if (!start)
            return NULL;
        arena->next = start;
        arena->left = BLOCK_BYTES;
    }
    start = arena->next;
    arena->next += size;
    arena->left -= size;
    return start;
}

char *ki_arena_copy(struct ki_arena *arena, const char *bytes, size_t count)
{
    char *copy = count < SIZE_MAX ? ki_arena_take(arena, count + 1) : NULL;

    if (copy && count)
        memcpy(copy, bytes, count);
    return copy;
}

void ki_arena_free(struct ki_arena *arena)
{
    while (arena->blocks) {
        struct ki_arena_block *older = arena->blocks->older;
        free(arena->blocks);
        arena->blocks = older;
    }
    *arena = (struct ki_arena)KI_ARENA_INIT;
}
