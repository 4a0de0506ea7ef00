// SPDX-License-Identifier: Apache-2.0
// Host memory that is kept between calls: a call takes what an earlier one gave back, so that a repeated call
// allocates nothing. A plan or a queue owns it.
#ifndef KN_BASE_KEPT_H
#define KN_BASE_KEPT_H

#include <pthread.h>
#include <stddef.h>

struct ki_kept_block;

// Several threads may take and give at the same time.
struct ki_kept {
    pthread_mutex_t lock;
    struct ki_kept_block *spare; // blocks that are not in use
};

#define KI_KEPT_ALIGNMENT 64

void ki_kept_init(struct ki_kept *kept);

// At least `bytes` (which may be 0), aligned to KI_KEPT_ALIGNMENT, with arbitrary contents; NULL if memory
// ran out. The smallest spare block that is large enough is used; if there is none, the largest one is
// replaced by a new one. `kept` may be NULL: the memory is then allocated here and freed when it is given
// back.
void *ki_kept_take(struct ki_kept *kept, size_t bytes);

// The same for `count` elements of `size` bytes; also NULL if their product exceeds a size_t.
void *ki_kept_take_array(struct ki_kept *kept, size_t count, size_t size);

// The same, with all bytes 0.
void *ki_kept_take_zeros(struct ki_kept *kept, size_t count, size_t size);

// Memory with at least `bytes` and the contents of `memory`, which was taken from the same `kept` and is
// given back; or NULL, and `memory` is kept. It is `memory` itself if that is large enough; `memory` may be
// NULL.
void *ki_kept_grow(struct ki_kept *kept, void *memory, size_t bytes);

// `memory` was taken from the same `kept`; NULL is fine.
void ki_kept_give(struct ki_kept *kept, void *memory);

// Frees the spare blocks; all others must have been given back.
void ki_kept_free(struct ki_kept *kept);

#endif
