// SPDX-License-Identifier: Apache-2.0
// A driver with a call that fails when a test says so: allocations for lack of memory, copies and launches
// with other errors.
#ifndef KN_TESTS_SUPPORT_FAILING_BACKEND_H
#define KN_TESTS_SUPPORT_FAILING_BACKEND_H

#include "buffers.h"
#include "run.h"

static const struct ki_backend *failing_real;
static struct ki_backend failing_backend;
static long failing_left;        // calls until the one that fails
static kn_status failing_status; // its status; KN_OK: it has not failed yet

static inline bool fails(kn_status with, kn_error *why)
{
    kn_error failure = {with, -5, "CL_OUT_OF_RESOURCES", "", 0, "made to fail"};

    if (failing_left-- != 0)
        return false;
    failing_status = with;
    if (why)
        *why = failure;
    return true;
}

static inline kn_status failing_alloc(struct be_context *native, size_t bytes, struct be_memory **memory,
                                      kn_error *why)
{
    return fails(KN_ERROR_MEMORY, why) ? KN_ERROR_MEMORY
                                       : failing_real->memory_alloc(native, bytes, memory, why);
}

static inline kn_status failing_launch(struct be_queue *native, struct be_kernel *kernel,
                                       const struct be_range *range, const struct be_arg *args, size_t count,
                                       struct be_event **event, kn_error *why)
{
    return fails(KN_ERROR_DEVICE, why) ? KN_ERROR_DEVICE
                                       : failing_real->launch(native, kernel, range, args, count, event, why);
}

static inline kn_status failing_write(struct be_queue *native, struct be_memory *to, const void *from,
                                      const struct be_copy *copy, struct be_event **event, kn_error *why)
{
    return fails(KN_ERROR_DEVICE, why) ? KN_ERROR_DEVICE
                                       : failing_real->copy_to_device(native, to, from, copy, event, why);
}

static inline kn_status failing_read(struct be_queue *native, struct be_memory *from, void *to,
                                     const struct be_copy *copy, struct be_event **event, kn_error *why)
{
    return fails(KN_ERROR_DEVICE, why) ? KN_ERROR_DEVICE
                                       : failing_real->copy_to_host(native, from, to, copy, event, why);
}

static inline kn_status failing_copy(struct be_queue *native, struct be_memory *from, size_t from_offset,
                                     struct be_memory *to, size_t to_offset, size_t bytes,
                                     struct be_event **event, kn_error *why)
{
    return fails(KN_ERROR_DEVICE, why)
               ? KN_ERROR_DEVICE
               : failing_real->copy_on_device(native, from, from_offset, to, to_offset, bytes, event, why);
}

static inline kn_status failing_fill(struct be_queue *native, struct be_memory *memory, const void *pattern,
                                     size_t pattern_size, size_t offset, size_t bytes,
                                     struct be_event **event, kn_error *why)
{
    return fails(KN_ERROR_DEVICE, why)
               ? KN_ERROR_DEVICE
               : failing_real->fill(native, memory, pattern, pattern_size, offset, bytes, event, why);
}

// From now on the context's first `calls` calls succeed, and only the one after them fails: code that does
// not check its status goes on.
static inline void failing_begin(long calls)
{
    failing_real = context->backend;
    failing_backend = *failing_real;
    failing_backend.memory_alloc = failing_alloc;
    failing_backend.launch = failing_launch;
    failing_backend.copy_to_device = failing_write;
    failing_backend.copy_to_host = failing_read;
    failing_backend.copy_on_device = failing_copy;
    failing_backend.fill = failing_fill;
    failing_left = calls;
    failing_status = KN_OK;
    context->backend = &failing_backend;
}

// All calls succeed again. `status` and `err` are the results meanwhile: they must be the driver's.
static inline void failing_end(kn_status status)
{
    context->backend = failing_real;
    ck_assert_msg(status == failing_status, "status %d where the driver's was %d: %s", (int)status,
                  (int)failing_status, err.text);
    if (status)
        ck_assert_msg(strstr(err.text, "made to fail") != NULL, "%s", err.text);
}

#endif
