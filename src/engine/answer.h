// SPDX-License-Identifier: Apache-2.0
// Memory for the few numbers that a caller waits for. On paths whose kernels can write to pinned host memory
// it is such memory, and no copy is needed; on the others it is device memory, which is copied.
#ifndef KN_ENGINE_ANSWER_H
#define KN_ENGINE_ANSWER_H

#include <koine/koine.h>

#define ENGINE_ANSWER_BYTES 4096

// The queue's memory for an answer, of ENGINE_ANSWER_BYTES; the next answer overwrites it. Errors:
// KN_ERROR_ARGUMENT while the queue records launches, those of an allocation.
kn_status ki_engine_answer_get(kn_queue *queue, kn_buffer **buffer, kn_error *err);

// Waits for all enqueued work, and gets the first `bytes`.
kn_status ki_engine_answer_read(kn_queue *queue, void *data, size_t bytes, kn_error *err);

// For kn_queue_close.
void ki_engine_answer_free(kn_queue *queue);

#endif
