// SPDX-License-Identifier: Apache-2.0
// Device memory, and copies to, from and within it.
#ifndef KOINE_BUFFER_H
#define KOINE_BUFFER_H

#include <stddef.h>

#include <koine/context.h>
#include <koine/event.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_buffer kn_buffer;

// Allocates `bytes` of device memory, whose contents are undefined. A buffer larger than the device's largest
// allocation is held in parts of a power of two bytes; copies treat it as one buffer, kernels take its parts.
// bytes may be 0. Errors: KN_ERROR_MEMORY, always for more than the device has. Some drivers allocate lazily
// and report a lack of memory only at the first use.
KN_API kn_status kn_buffer_create(kn_context *context, size_t bytes, kn_buffer **buffer, kn_error *err);
// NULL is fine.
KN_API void kn_buffer_free(kn_buffer *buffer);
KN_API size_t kn_buffer_get_size(const kn_buffer *buffer);

// The parts: 1 for most buffers. Part i belongs to the buffer, and the caller does not free it; its offset is
// i times the size of the first part.
KN_API size_t kn_buffer_get_part_count(const kn_buffer *buffer);
KN_API kn_buffer *kn_buffer_get_part(const kn_buffer *buffer, size_t index); // NULL past the end

// Copies that return when they are done. Host memory that is not pinned is copied through pinned staging
// memory, with two pieces in flight. Errors: KN_ERROR_ARGUMENT for a range outside the buffer;
// KN_ERROR_DEVICE.
KN_API kn_status kn_buffer_write(kn_queue *queue, kn_buffer *buffer, size_t offset, const void *data,
                                 size_t bytes, kn_error *err);
KN_API kn_status kn_buffer_read(kn_queue *queue, const kn_buffer *buffer, size_t offset, void *data,
                                size_t bytes, kn_error *err);

// Copies that return at once: `data` must stay valid until the event is done (or the queue finished). They
// are fast only with memory from kn_pinned_create. `event` may be NULL; otherwise the caller frees it.
KN_API kn_status kn_buffer_write_async(kn_queue *queue, kn_buffer *buffer, size_t offset, const void *data,
                                       size_t bytes, kn_event **event, kn_error *err);
KN_API kn_status kn_buffer_read_async(kn_queue *queue, const kn_buffer *buffer, size_t offset, void *data,
                                      size_t bytes, kn_event **event, kn_error *err);

// Copies on the device, asynchronously. Ranges in one buffer must not overlap.
KN_API kn_status kn_buffer_copy(kn_queue *queue, const kn_buffer *from, size_t from_offset, kn_buffer *to,
                                size_t to_offset, size_t bytes, kn_event **event, kn_error *err);
// Repeats `pattern` (1, 2, 4, 8 or 16 bytes) over the range; offset and bytes are multiples of its size.
KN_API kn_status kn_buffer_fill(kn_queue *queue, kn_buffer *buffer, const void *pattern, size_t pattern_size,
                                size_t offset, size_t bytes, kn_event **event, kn_error *err);

// Page-locked (pinned) host memory for asynchronous copies; it keeps its queue open. Freeing NULL is fine.
typedef struct kn_pinned kn_pinned;
KN_API kn_status kn_pinned_create(kn_queue *queue, size_t bytes, kn_pinned **pinned, kn_error *err);
KN_API void *kn_pinned_get_data(kn_pinned *pinned);
KN_API void kn_pinned_free(kn_pinned *pinned);

#ifdef __cplusplus
}
#endif
#endif
