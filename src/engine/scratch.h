// SPDX-License-Identifier: Apache-2.0
// Scratch memory of algorithms: buffers that the queue keeps, so that a repeated call allocates nothing.
//
// An algorithm opens as many slots as it has buffers, gets a buffer for each slot that it needs, and closes
// the slots before it returns, whether it succeeded or not. While they are open they belong to it alone: an
// algorithm that it calls gets other slots. Once they are closed, the next algorithm reuses them, even while
// launches of the previous one are still running, since a queue runs its launches in order.
#ifndef KN_ENGINE_SCRATCH_H
#define KN_ENGINE_SCRATCH_H

#include <koine/koine.h>

// A caller and the algorithms that it calls take slots from different levels, so that each finds the buffers
// of its last call, whoever the caller is, and none has to grow. Within a level a nested call takes the slots
// after those of its caller.
enum engine_scratch_level {
    ENGINE_SCRATCH_ALGORITHM, // usually calls nothing that uses scratch memory
    ENGINE_SCRATCH_OPERATOR,  // calls algorithms, such as transforms
    ENGINE_SCRATCH_SOLVER,    // calls operators
    ENGINE_SCRATCH_LEVELS
};

// A queue's slots of a level.
struct engine_scratch_pool {
    kn_buffer **slots; // NULL: nothing has been allocated yet
    size_t count, capacity;
    size_t open; // the first `open` of them are in use
};

// Open slots. All zero: none; closing none is fine.
struct engine_scratch {
    kn_queue *queue;
    enum engine_scratch_level level;
    size_t first, slots;
    const char *function; // for messages
};

struct engine_scratch ki_engine_scratch_open(kn_queue *queue, enum engine_scratch_level level, size_t slots,
                                             const char *function);

// A buffer in one piece, of at least `bytes`, which the caller must not free. Its contents last until the
// slots are closed, or until a larger buffer is requested for the same slot. Errors: KN_ERROR_ARGUMENT while
// the queue records launches, KN_ERROR_LIMIT for more than one allocation of the device can hold, those of an
// allocation.
kn_status ki_engine_scratch_get(const struct engine_scratch *scratch, size_t slot, size_t bytes,
                                kn_buffer **buffer, kn_error *err);

// The same with exactly `bytes`: for __constant arguments, whose size a device limits.
kn_status ki_engine_scratch_get_exact(const struct engine_scratch *scratch, size_t slot, size_t bytes,
                                      kn_buffer **buffer, kn_error *err);

// Slots of a level are closed in the reverse order of opening.
void ki_engine_scratch_close(struct engine_scratch *scratch);

// Bytes of all scratch buffers that the queue keeps.
size_t ki_engine_scratch_kept(const kn_queue *queue);
// Open slots on all levels.
size_t ki_engine_scratch_in_use(const kn_queue *queue);

// For kn_queue_close.
void ki_engine_scratch_free(kn_queue *queue);

#endif
