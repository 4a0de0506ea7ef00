// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: copies and fills.
#include "cuda.h"

#include <string.h>

kn_status ki_cuda_copy_to_device(struct be_queue *queue, struct be_memory *to, const void *from,
                                 const struct be_copy *copy, struct be_event **event, kn_error *err)
{
    struct cuda_work work;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    ki_cuda_memory_written(to);
    outcome = CUDA_DO(&queue->context->cu, cuMemcpyHtoDAsync_v2, to->pointer + copy->offset, from,
                      copy->bytes, queue->stream);
    return ki_cuda_work_end(&work, outcome, copy->blocking, "copying to the device", event, err);
}

kn_status ki_cuda_copy_to_host(struct be_queue *queue, struct be_memory *from, void *to,
                               const struct be_copy *copy, struct be_event **event, kn_error *err)
{
    struct cuda_work work;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    outcome = CUDA_DO(&queue->context->cu, cuMemcpyDtoHAsync_v2, to, from->pointer + copy->offset,
                      copy->bytes, queue->stream);
    return ki_cuda_work_end(&work, outcome, copy->blocking, "copying from the device", event, err);
}

kn_status ki_cuda_copy_on_device(struct be_queue *queue, struct be_memory *from, size_t from_offset,
                                 struct be_memory *to, size_t to_offset, size_t bytes,
                                 struct be_event **event, kn_error *err)
{
    struct cuda_work work;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    ki_cuda_memory_written(to);
    outcome = CUDA_DO(&queue->context->cu, cuMemcpyDtoDAsync_v2, to->pointer + to_offset,
                      from->pointer + from_offset, bytes, queue->stream);
    return ki_cuda_work_end(&work, outcome, false, "copying on the device", event, err);
}

// ---- fills ----

// The shortest pattern that repeats to this one: 16 zero bytes are one zero byte.
static size_t shortest(const unsigned char *pattern, size_t size)
{
    while (size > 1 && memcmp(pattern, pattern + size / 2, size / 2) == 0)
        size /= 2;
    return size;
}

// Patterns for which the driver has no memset: a first piece comes from the host and is then doubled. The
// piece is ordinary memory, which the driver has copied when the call returns.
static struct cuda_outcome fill_by_doubling(struct be_queue *queue, CUdeviceptr to, const void *pattern,
                                            size_t size, size_t bytes)
{
    const struct cuda_driver *cu = &queue->context->cu;
    unsigned char piece[4096] = {0};
    size_t done = bytes < sizeof piece ? bytes : sizeof piece;
    struct cuda_outcome outcome;

    for (size_t at = 0; at < done; at += size)
        memcpy(piece + at, pattern, size);
    outcome = CUDA_DO(cu, cuMemcpyHtoDAsync_v2, to, piece, done, queue->stream);
    while (done < bytes && !outcome.code) {
        size_t more = done < bytes - done ? done : bytes - done;
        outcome = CUDA_DO(cu, cuMemcpyDtoDAsync_v2, to + done, to, more, queue->stream);
        done += more;
    }
    return outcome;
}

kn_status ki_cuda_fill(struct be_queue *queue, struct be_memory *memory, const void *pattern,
                       size_t pattern_size, size_t offset, size_t bytes, struct be_event **event,
                       kn_error *err)
{
    const struct cuda_driver *cu = &queue->context->cu;
    CUdeviceptr to = memory->pointer + offset;
    size_t size = shortest(pattern, pattern_size);
    unsigned char byte;
    unsigned short two;
    unsigned four;
    struct cuda_work work;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_work_begin(&work, queue, event != NULL, err);

    if (status)
        return status;
    ki_cuda_memory_written(memory);
    switch (size) {
    case 1:
        memcpy(&byte, pattern, size);
        outcome = CUDA_DO(cu, cuMemsetD8Async, to, byte, bytes, queue->stream);
        break;
    case 2:
        memcpy(&two, pattern, size);
        outcome = CUDA_DO(cu, cuMemsetD16Async, to, two, bytes / 2, queue->stream);
        break;
    case 4:
        memcpy(&four, pattern, size);
        outcome = CUDA_DO(cu, cuMemsetD32Async, to, four, bytes / 4, queue->stream);
        break;
    default:
        outcome = fill_by_doubling(queue, to, pattern, size, bytes);
    }
    return ki_cuda_work_end(&work, outcome, false, "filling device memory", event, err);
}
