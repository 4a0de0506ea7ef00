// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: errors, contexts, queues and memory, and the table of its functions.
#include "cuda.h"
#include "cuda_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "cuda_image.h"

#define FAULT                                                                                                \
    "; a kernel before it failed (KOINE_LOG=sync names it), and the device is lost to this process: start "  \
    "again"

// What a code means to Koine's caller; every other code is KN_ERROR_DEVICE without a hint.
static const struct {
    CUresult code;
    kn_status status;
    const char *hint;
    bool is_lost; // the process has lost CUDA
} meanings[] = {
    {CUDA_ERROR_OUT_OF_MEMORY, KN_ERROR_MEMORY, "; the device is out of memory", false},
    {CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, KN_ERROR_LIMIT,
     "; the work-group takes more registers or local memory than the device has", false},
    {CUDA_ERROR_DEVICE_UNAVAILABLE, KN_ERROR_DEVICE, "; another process has it for itself (compute mode)",
     false},
    {CUDA_ERROR_LAUNCH_TIMEOUT, KN_ERROR_DEVICE,
     "; the display's watchdog stopped a kernel that ran too long: launch less at a time", true},
    {CUDA_ERROR_ILLEGAL_ADDRESS, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_ASSERT, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_HARDWARE_STACK_ERROR, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_ILLEGAL_INSTRUCTION, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_MISALIGNED_ADDRESS, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_INVALID_ADDRESS_SPACE, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_INVALID_PC, KN_ERROR_DEVICE, FAULT, true},
    {CUDA_ERROR_LAUNCH_FAILED, KN_ERROR_DEVICE, FAULT, true},
};

// An error of a kernel that the driver returns from every later call, on every device.
static bool poisons(int native)
{
    for (size_t i = 0; i < KI_COUNT(meanings); i++)
        if (meanings[i].code == (CUresult)native)
            return meanings[i].is_lost;
    return false;
}

const char *ki_cuda_error_name(const struct cuda_driver *cu, CUresult code)
{
    const char *name = NULL;

    return cu->cuGetErrorName(code, &name) == CUDA_SUCCESS && name ? name : "CUDA error";
}

kn_status ki_cuda_fail(kn_error *err, const struct cuda_driver *cu, const char *spec,
                       struct cuda_outcome outcome, const char *what)
{
    const char *name = ki_cuda_error_name(cu, outcome.code);
    const char *hint = "";
    kn_status status = KN_ERROR_DEVICE;

    for (size_t i = 0; i < KI_COUNT(meanings); i++)
        if (meanings[i].code == outcome.code) {
            status = meanings[i].status;
            hint = meanings[i].hint;
        }
    ki_fail(err, status, "%s: %s: %s: %s (%d)%s", spec, what, outcome.call, name, outcome.code, hint);
    ki_error_native(err, outcome.code, name);
    return status;
}

// ---- contexts ----

kn_status ki_cuda_enter(struct be_context *context, kn_error *err)
{
    struct cuda_outcome outcome = CUDA_DO(&context->cu, cuCtxPushCurrent_v2, context->context);

    return outcome.code ? ki_cuda_fail(err, &context->cu, context->spec, outcome, "entering its context")
                        : KN_OK;
}

bool ki_cuda_enter_to_free(struct be_context *context)
{
    return context->cu.cuCtxPushCurrent_v2(context->context) == CUDA_SUCCESS;
}

void ki_cuda_leave(struct be_context *context)
{
    CUcontext popped;

    (void)context->cu.cuCtxPopCurrent_v2(&popped);
}

// A context with only its libraries; the reason for a failure becomes an error.
static kn_status context_begin(struct be_context **context, kn_error *err)
{
    char why[CUDA_WHY_BYTES];
    struct be_context *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a CUDA context");
    if (!ki_cuda_driver_load(&made->cu, why)) {
        free(made);
        return ki_fail(err, KN_ERROR_NO_DEVICE, "cuda: %s", why);
    }
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        ki_cuda_driver_unload(&made->cu);
        free(made);
        return ki_fail_memory(err, 0, "a CUDA context");
    }
    ki_kept_init(&made->kept);
    *context = made;
    return KN_OK;
}

static void context_end(struct be_context *context)
{
    if (context->base)
        ki_cuda_event_free(context->base);
    if (context->retained)
        (void)context->cu.cuDevicePrimaryCtxRelease_v2(context->device);
    ki_cuda_ptx_free(context->substitute);
    ki_kept_free(&context->kept);
    pthread_mutex_destroy(&context->lock);
    ki_cuda_driver_unload(&context->cu);
    free(context);
}

// The architecture for which programs have to be compiled.
static kn_status read_target(struct be_context *context, kn_error *err)
{
    const struct cuda_driver *cu = &context->cu;
    int major = 0, minor = 0, version = 0;
    struct cuda_outcome outcome = CUDA_DO(cu, cuDeviceGetAttribute, &major,
                                          CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, context->device);

    if (!outcome.code)
        outcome = CUDA_DO(cu, cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                          context->device);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuDriverGetVersion, &version);
    if (outcome.code)
        return ki_cuda_fail(err, cu, context->spec, outcome, "opening the device");
    context->arch = major * 10 + minor;
    context->cuda_major = version / 1000;
    return KN_OK;
}

static kn_status context_open(const struct be_device *device, struct be_context **context, kn_error *err)
{
    struct be_context *made = NULL;
    struct cuda_outcome outcome;
    kn_status status = context_begin(&made, err);

    if (status)
        return status;
    made->device = (CUdevice)(intptr_t)device->device;
    snprintf(made->spec, sizeof made->spec, "%s", device->info.spec);
    outcome = CUDA_DO(&made->cu, cuDevicePrimaryCtxRetain, &made->context, made->device);
    if (outcome.code) {
        status = ki_cuda_fail(err, &made->cu, made->spec, outcome, "opening the device");
    } else {
        made->retained = true;
        status = read_target(made, err);
    }
    if (status)
        context_end(made);
    else
        *context = made;
    return status;
}

static kn_status context_wrap(void *native, void *native_device, struct be_context **context,
                              struct be_device *device, kn_error *err)
{
    struct be_context *made = NULL;
    struct cuda_outcome outcome;
    kn_status status = context_begin(&made, err);

    (void)native_device; // a CUcontext knows its device
    if (status)
        return status;
    made->context = native;
    snprintf(made->spec, sizeof made->spec, "cuda:wrapped");
    status = ki_cuda_enter(made, err);
    if (status) {
        context_end(made);
        return status;
    }
    outcome = CUDA_DO(&made->cu, cuCtxGetDevice, &made->device);
    ki_cuda_leave(made);
    if (outcome.code)
        status =
            ki_cuda_fail(err, &made->cu, made->spec, outcome, "asking a wrapped CUcontext for its device");
    if (!status)
        status = ki_cuda_device_describe(&made->cu, made->device, device, err);
    if (status) {
        context_end(made);
        return status;
    }
    if (!device->info.spec[0])
        snprintf(device->info.spec, sizeof device->info.spec, "%s", made->spec);
    snprintf(made->spec, sizeof made->spec, "%s", device->info.spec);
    status = device->info.why_not[0] ? ki_fail(err, KN_ERROR_UNSUPPORTED, "%s (%s) cannot be used: %s",
                                               made->spec, device->info.name, device->info.why_not)
                                     : read_target(made, err);
    if (status) {
        free(device->extensions);
        device->extensions = NULL;
        context_end(made);
        return status;
    }
    *context = made;
    return KN_OK;
}

static void *context_native(const struct be_context *context)
{
    return context->context;
}

// ---- queues ----

static kn_status queue_create(struct be_context *context, CUstream stream, bool owned,
                              struct be_queue **queue, kn_error *err)
{
    struct be_queue *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a CUDA stream");
    *made = (struct be_queue){context, stream, owned};
    *queue = made;
    return KN_OK;
}

static kn_status queue_open(struct be_context *context, struct be_queue **queue, kn_error *err)
{
    CUstream stream = NULL;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    // Not ordered after the default stream, in which the application may work.
    outcome = CUDA_DO(&context->cu, cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    if (outcome.code) {
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "opening a stream");
    } else {
        status = queue_create(context, stream, true, queue, err);
        if (status)
            (void)context->cu.cuStreamDestroy_v2(stream);
    }
    ki_cuda_leave(context);
    return status;
}

static kn_status queue_wrap(struct be_context *context, void *native, struct be_queue **queue, kn_error *err)
{
    CUcontext owner = NULL;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuStreamGetCtx, native, &owner);
    ki_cuda_leave(context);
    if (outcome.code)
        return ki_cuda_fail(err, &context->cu, context->spec, outcome, "reading a wrapped CUstream");
    if (owner != context->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the wrapped CUstream belongs to another CUcontext",
                       context->spec);
    return queue_create(context, native, false, queue, err);
}

static void *queue_native(const struct be_queue *queue)
{
    return queue->stream;
}

static kn_status queue_flush(struct be_queue *queue, kn_error *err)
{
    (void)queue; // work in a stream is submitted already
    (void)err;
    return KN_OK;
}

static kn_status queue_finish(struct be_queue *queue, kn_error *err)
{
    struct be_context *context = queue->context;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuStreamSynchronize, queue->stream);
    if (outcome.code)
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "waiting for the queue");
    ki_cuda_leave(context);
    return status;
}

static kn_status queue_wait(struct be_queue *queue, struct be_event *event, kn_error *err)
{
    struct be_context *context = queue->context;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuStreamWaitEvent, queue->stream, event->end, 0);
    if (outcome.code)
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "waiting for an event");
    ki_cuda_leave(context);
    return status;
}

static kn_status queue_record(struct be_queue *queue, struct be_event **event, kn_error *err)
{
    const struct cuda_outcome done = {.code = CUDA_SUCCESS};
    struct cuda_work work;
    kn_status status = ki_cuda_work_begin(&work, queue, true, err);

    return status ? status : ki_cuda_work_end(&work, done, false, "marking the queue", event, err);
}

static void queue_close(struct be_queue *queue)
{
    struct be_context *context = queue->context;
    bool entered = ki_cuda_enter_to_free(context);

    (void)context->cu.cuStreamSynchronize(queue->stream);
    if (queue->owned)
        (void)context->cu.cuStreamDestroy_v2(queue->stream);
    if (entered)
        ki_cuda_leave(context);
    free(queue);
}

// ---- memory ----

static kn_status memory_create(struct be_context *context, CUdeviceptr pointer, size_t bytes, bool owned,
                               struct be_memory **memory, kn_error *err)
{
    struct be_memory *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "a CUDA buffer");
    made->context = context;
    made->pointer = pointer;
    made->bytes = bytes;
    made->owned = owned;
    atomic_init(&made->foreign, !owned);
    ki_cuda_memory_written(made);
    *memory = made;
    return KN_OK;
}

void ki_cuda_memory_written(struct be_memory *memory)
{
    atomic_store(&memory->last_write, atomic_fetch_add(&memory->context->writes, 1) + 1);
}

static kn_status memory_alloc(struct be_context *context, size_t bytes, struct be_memory **memory,
                              kn_error *err)
{
    CUdeviceptr pointer = 0;
    struct cuda_outcome outcome;
    char what[64];
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuMemAlloc_v2, &pointer, bytes);
    if (outcome.code) {
        snprintf(what, sizeof what, "allocating %zu bytes", bytes);
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, what);
    } else {
        status = memory_create(context, pointer, bytes, true, memory, err);
        if (status)
            (void)context->cu.cuMemFree_v2(pointer);
    }
    ki_cuda_leave(context);
    return status;
}

static kn_status memory_wrap(struct be_context *context, void *native, struct be_memory **memory,
                             size_t *bytes, kn_error *err)
{
    return memory_create(context, (CUdeviceptr)(uintptr_t)native, *bytes, false, memory, err);
}

static void *memory_native(struct be_memory *memory)
{
    atomic_store(&memory->foreign, true);
    return (void *)(uintptr_t)memory->pointer;
}

static bool memory_aligned(const struct be_memory *memory, size_t bytes)
{
    return memory->pointer % bytes == 0;
}

static void memory_free(struct be_memory *memory)
{
    struct be_context *context = memory->context;
    bool entered = memory->owned && ki_cuda_enter_to_free(context);

    if (memory->owned)
        (void)context->cu.cuMemFree_v2(memory->pointer);
    if (entered)
        ki_cuda_leave(context);
    free(memory);
}

static kn_status host_alloc(struct be_queue *queue, size_t bytes, struct be_host *host, kn_error *err)
{
    struct be_context *context = queue->context;
    void *data = NULL;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome = CUDA_DO(&context->cu, cuMemHostAlloc, &data, bytes, CU_MEMHOSTALLOC_PORTABLE);
    if (outcome.code)
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, "allocating pinned host memory");
    else // kernels have it at the same address
        status = memory_create(context, (CUdeviceptr)(uintptr_t)data, bytes, false, &host->holder, err);
    if (!status)
        host->data = data;
    else if (data)
        (void)context->cu.cuMemFreeHost(data);
    ki_cuda_leave(context);
    return status;
}

static void host_free(struct be_queue *queue, struct be_host *host)
{
    struct be_context *context = queue->context;
    bool entered = ki_cuda_enter_to_free(context);

    (void)context->cu.cuStreamSynchronize(queue->stream);
    (void)context->cu.cuMemFreeHost(host->data);
    memory_free(host->holder);
    if (entered)
        ki_cuda_leave(context);
}

static const char *policy_options(const struct be_context *context, kn_policy policy, bool contract_off)
{
    (void)context;
    return ki_cuda_policy_options(policy, contract_off);
}

const struct ki_backend ki_backend_cuda = {
    .name = "cuda",
    .title = "CUDA",
    .language = BE_LANGUAGE_CUDA,
    .image_bytes = sizeof(struct cuda_image_data),
    .poisons = poisons,
    .kernels_reach_host = true,
    .devices = ki_cuda_devices,
    .context_open = context_open,
    .context_wrap = context_wrap,
    .context_native = context_native,
    .context_close = context_end,
    .queue_open = queue_open,
    .queue_wrap = queue_wrap,
    .queue_native = queue_native,
    .queue_flush = queue_flush,
    .queue_finish = queue_finish,
    .queue_wait = queue_wait,
    .queue_record = queue_record,
    .queue_close = queue_close,
    .memory_alloc = memory_alloc,
    .memory_wrap = memory_wrap,
    .memory_native = memory_native,
    .memory_aligned = memory_aligned,
    .memory_free = memory_free,
    .image_create = ki_cuda_image_create,
    .image_free = ki_cuda_image_free,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .copy_to_device = ki_cuda_copy_to_device,
    .copy_to_host = ki_cuda_copy_to_host,
    .copy_on_device = ki_cuda_copy_on_device,
    .fill = ki_cuda_fill,
    .image_write = ki_cuda_image_write,
    .image_read = ki_cuda_image_read,
    .image_copy = ki_cuda_image_copy,
    .policy_options = policy_options,
    .program_build = ki_cuda_program_build,
    .program_load = ki_cuda_program_load,
    .program_binary = ki_cuda_program_binary,
    .program_ptx = ki_cuda_program_ptx,
    .program_free = ki_cuda_program_free,
    .kernel_get = ki_cuda_kernel_get,
    .kernel_limits = ki_cuda_kernel_limits,
    .kernel_resources = ki_cuda_kernel_resources,
    .ptx_substitute = ki_cuda_ptx_substitute,
    .kernel_free = ki_cuda_kernel_free,
    .launch = ki_cuda_launch,
    .recording_way = KN_RECORDING_GRAPH,
    .recording_create = ki_cuda_recording_create,
    .recording_replay = ki_cuda_recording_replay,
    .recording_free = ki_cuda_recording_free,
    .event_wait = ki_cuda_event_wait,
    .event_done = ki_cuda_event_done,
    .event_times = ki_cuda_event_times,
    .event_share = ki_cuda_event_share,
    .event_free = ki_cuda_event_free,
};
