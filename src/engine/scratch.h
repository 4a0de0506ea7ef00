// SPDX-License-Identifier: Apache-2.0
// Scratch memory of algorithms: buffers that the queue keeps, so that a repeated call allocates nothing.
//
// An algorithm opens as many slots as it has buffers, gets a buffer for each that it needs, and closes them
// before it returns, whether it succeeded or not. While they are open nobody else is given them: an algorithm
// that is called meanwhile has slots of its own. After that the next algorithm has the same slots. Its
// launches may be enqueued while the ones before still run: a queue does one thing after the other.
#ifndef KN_ENGINE_SCRATCH_H
#define KN_ENGINE_SCRATCH_H

#include <koine/koine.h>

// A caller and what it calls take from different levels. So the buffers of one are not where another's were,
// which would have to grow, whoever the caller is. Within a level a nested call has the slots behind.
enum engine_scratch_level {
    ENGINE_SCRATCH_ALGORITHM, // calls nothing that takes scratch memory, as a rule
    ENGINE_SCRATCH_OPERATOR,  // calls algorithms, such as transforms
    ENGINE_SCRATCH_SOLVER,    // calls operators
    ENGINE_SCRATCH_LEVELS
};

// A queue's slots of a level.
struct engine_scratch_pool {
    kn_buffer **slots; // NULL: nothing was allocated yet
    size_t count, capacity;
    size_t open; // the first so many
};

// Places that are open. All zero: none, which may be closed, too.
struct engine_scratch {
    kn_queue *queue;
    enum engine_scratch_level level;
    size_t first, slots;
    const char *function; // for messages
};

struct engine_scratch ki_engine_scratch_open(kn_queue *queue, enum engine_scratch_level level, size_t slots,
                                             const char *function);

// A buffer in one piece, of at least `bytes`, which is never freed by the caller. What is in it lasts until
// the slots are closed, or a larger one is asked for the same slot. Errors: KN_ERROR_ARGUMENT while the
// queue records launches, KN_ERROR_LIMIT for more than one allocation of the device, those of an allocation.
kn_status ki_engine_scratch_get(const struct engine_scratch *scratch, size_t slot, size_t bytes,
                                kn_buffer **buffer, kn_error *err);

// The same of exactly `bytes`: for arguments that are __constant, of which a device takes so many bytes only.
kn_status ki_engine_scratch_get_exact(const struct engine_scratch *scratch, size_t slot, size_t bytes,
                                      kn_buffer **buffer, kn_error *err);

// The last ones opened of a level are the first ones closed.
void ki_engine_scratch_close(struct engine_scratch *scratch);

// All that the queue keeps, in bytes.
size_t ki_engine_scratch_kept(const kn_queue *queue);
// Places that are open, of all levels.
size_t ki_engine_scratch_in_use(const kn_queue *queue);

// For kn_queue_close.
void ki_engine_scratch_free(kn_queue *queue);

#endif
