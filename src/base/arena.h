// SPDX-License-Identifier: Apache-2.0
// Memory for many small things that are freed together.
#ifndef KN_BASE_ARENA_H
#define KN_BASE_ARENA_H

#include <stddef.h>

struct ki_arena_block;

struct ki_arena {
    struct ki_arena_block *blocks; // the newest first
    char *next;
    size_t left;
    size_t total; // bytes requested from the system
};

#define KI_ARENA_INIT                                                                                        \
    {                                                                                                        \
        NULL, NULL, 0, 0                                                                                     \
    }

// Zeroed memory, aligned for any type; NULL if memory ran out.
void *ki_arena_take(struct ki_arena *arena, size_t size);

// A copy of `count` bytes with a '\0' after them; NULL if there is no memory.
char *ki_arena_copy(struct ki_arena *arena, const char *bytes, size_t count);

void ki_arena_free(struct ki_arena *arena);

#endif
