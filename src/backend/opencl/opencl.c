// SPDX-License-Identifier: Apache-2.0
// The OpenCL backend: contexts, queues, memory and copies, and the table of its functions.
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "opencl_drivers.h"

void ki_be_devices_free(struct be_device *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(list[i].extensions);
    free(list);
}

// ---- contexts ----

static kn_status context_create(cl_context native, const struct be_device *device,
                                struct be_context **context, kn_error *err)
{
    struct be_context *made = calloc(1, sizeof *made);
    cl_device_fp_config config = 0;

    if (!made)
        return ki_fail_memory(err, sizeof *made, "an OpenCL context");
    if (pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        return ki_fail_memory(err, 0, "an OpenCL context");
    }
    ki_kept_init(&made->kept);
    made->context = native;
    made->device = device->device;
    snprintf(made->spec, sizeof made->spec, "%s", device->info.spec);
    (void)cl->GetDeviceInfo(made->device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof config, &config, NULL);
    made->correctly_rounded = config & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    *context = made;
    return KN_OK;
}

static kn_status context_open(const struct be_device *device, struct be_context **context, kn_error *err)
{
    cl_device_id native = device->device;
    cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform, 0};
    cl_int code;
    cl_context opened = cl->CreateContext(properties, 1, &native, NULL, NULL, &code);
    kn_status status;

    if (!opened)
        return ki_opencl_fail(err, code, device->info.spec, "opening the device");
    status = context_create(opened, device, context, err);
    if (status)
        cl->ReleaseContext(opened);
    return status;
}

static kn_status context_wrap(void *native, void *native_device, struct be_context **context,
                              struct be_device *device, kn_error *err)
{
    cl_context given = native;
    size_t size = 0, i = 0;
    cl_device_id devices[OPENCL_MAX_DEVICES];
    char why[OPENCL_WHY_BYTES];
    cl_int code;
    kn_status status;

    if (!ki_opencl_load(why))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "OpenCL cannot be used: %s", why);
    code = cl->GetContextInfo(given, CL_CONTEXT_DEVICES, sizeof devices, devices, &size);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, "opencl", "reading the devices of a wrapped cl_context");
    while (native_device && i < size / sizeof *devices && devices[i] != native_device)
        i++;
    if (i == size / sizeof *devices)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the device is not one of the wrapped cl_context's %zu", i);
    status = ki_opencl_device_describe(devices[i], device, err);
    if (status)
        return status;
    if (!device->info.spec[0])
        snprintf(device->info.spec, sizeof device->info.spec, "opencl:wrapped");
    code = cl->RetainContext(given);
    if (code != CL_SUCCESS)
        status = ki_opencl_fail(err, code, device->info.spec, "keeping a wrapped cl_context");
    else if ((status = context_create(given, device, context, err)))
        cl->ReleaseContext(given);
    if (status)
        free(device->extensions);
    return status;
}

static void *context_native(const struct be_context *context)
{
    return context->context;
}

static void context_close(struct be_context *context)
{
    for (size_t i = 0; i < OPENCL_SAMPLERS; i++)
        if (context->samplers[i])
            cl->ReleaseSampler(context->samplers[i]);
    ki_kept_free(&context->kept);
    pthread_mutex_destroy(&context->lock);
    cl->ReleaseContext(context->context);
    free(context);
}

// ---- queues ----

static kn_status queue_create(struct be_context *context, cl_command_queue native, struct be_queue **queue,
                              kn_error *err)
{
    struct be_queue *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "an OpenCL queue");
    made->queue = native;
    made->context = context;
    *queue = made;
    return KN_OK;
}

static kn_status queue_open(struct be_context *context, struct be_queue **queue, kn_error *err)
{
    cl_int code;
    cl_command_queue opened =
        cl->CreateCommandQueue(context->context, context->device, CL_QUEUE_PROFILING_ENABLE, &code);
    kn_status status;

    if (!opened)
        return ki_opencl_fail(err, code, context->spec, "opening a command queue");
    status = queue_create(context, opened, queue, err);
    if (status)
        cl->ReleaseCommandQueue(opened);
    return status;
}

static kn_status queue_wrap(struct be_context *context, void *native, struct be_queue **queue, kn_error *err)
{
    cl_command_queue given = native;
    cl_context owner = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code = cl->GetCommandQueueInfo(given, CL_QUEUE_CONTEXT, sizeof owner, &owner, NULL);
    kn_status status;

    if (code == CL_SUCCESS)
        code = cl->GetCommandQueueInfo(given, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (code == CL_SUCCESS)
        code = cl->GetCommandQueueInfo(given, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, context->spec, "reading a wrapped cl_command_queue");
    if (owner != context->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: the wrapped cl_command_queue belongs to another cl_context", context->spec);
    if (device != context->device)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: the wrapped cl_command_queue is of another device of its cl_context than the wrapped one",
            context->spec);
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: the wrapped cl_command_queue is out of order; Koine needs an in-order queue",
                       context->spec);
    code = cl->RetainCommandQueue(given);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, context->spec, "keeping a wrapped cl_command_queue");
    status = queue_create(context, given, queue, err);
    if (status)
        cl->ReleaseCommandQueue(given);
    return status;
}

static void *queue_native(const struct be_queue *queue)
{
    return queue->queue;
}

static kn_status queue_flush(struct be_queue *queue, kn_error *err)
{
    cl_int code = cl->Flush(queue->queue);

    return code == CL_SUCCESS ? KN_OK : ki_opencl_fail(err, code, queue->context->spec, "flushing the queue");
}

static kn_status queue_finish(struct be_queue *queue, kn_error *err)
{
    cl_int code = cl->Finish(queue->queue);

    return code == CL_SUCCESS ? KN_OK
                              : ki_opencl_fail(err, code, queue->context->spec, "waiting for the queue");
}

static kn_status queue_wait(struct be_queue *queue, struct be_event *event, kn_error *err)
{
    cl_int code = cl->EnqueueBarrierWithWaitList(queue->queue, 1, &event->event, NULL);

    return code == CL_SUCCESS ? KN_OK
                              : ki_opencl_fail(err, code, queue->context->spec, "waiting for an event");
}

static kn_status queue_record(struct be_queue *queue, struct be_event **event, kn_error *err)
{
    cl_event native = NULL;
    cl_int code = cl->EnqueueMarkerWithWaitList(queue->queue, 0, NULL, &native);

    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, queue->context->spec, "marking the queue");
    return ki_opencl_event_give(queue->context, native, event, err);
}

static void queue_close(struct be_queue *queue)
{
    cl->Finish(queue->queue);
    cl->ReleaseCommandQueue(queue->queue);
    free(queue);
}

// ---- memory ----

static kn_status memory_create(struct be_context *context, cl_mem native, struct be_memory **memory,
                               kn_error *err)
{
    struct be_memory *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "an OpenCL buffer");
    made->memory = native;
    made->serial = atomic_fetch_add(&context->serials, 1) + 1;
    *memory = made;
    return KN_OK;
}

static kn_status memory_alloc(struct be_context *context, size_t bytes, struct be_memory **memory,
                              kn_error *err)
{
    cl_int code;
    cl_mem allocated = cl->CreateBuffer(context->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    char what[64];
    kn_status status;

    if (!allocated) {
        snprintf(what, sizeof what, "allocating %zu bytes", bytes);
        return ki_opencl_fail(err, code, context->spec, what);
    }
    status = memory_create(context, allocated, memory, err);
    if (status)
        cl->ReleaseMemObject(allocated);
    return status;
}

static kn_status memory_wrap(struct be_context *context, void *native, struct be_memory **memory,
                             size_t *bytes, kn_error *err)
{
    cl_mem given = native;
    cl_context owner = NULL;
    cl_mem_object_type type = CL_MEM_OBJECT_BUFFER;
    cl_int code = cl->GetMemObjectInfo(given, CL_MEM_SIZE, sizeof *bytes, bytes, NULL);
    kn_status status;

    if (code == CL_SUCCESS)
        code = cl->GetMemObjectInfo(given, CL_MEM_TYPE, sizeof type, &type, NULL);
    if (code == CL_SUCCESS && type != CL_MEM_OBJECT_BUFFER)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the wrapped cl_mem is not a buffer", context->spec);
    if (code == CL_SUCCESS)
        code = cl->GetMemObjectInfo(given, CL_MEM_CONTEXT, sizeof owner, &owner, NULL);
    if (code == CL_SUCCESS && owner != context->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the wrapped cl_mem belongs to another cl_context",
                       context->spec);
    if (code == CL_SUCCESS)
        code = cl->RetainMemObject(given);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, context->spec, "wrapping a cl_mem");
    status = memory_create(context, given, memory, err);
    if (status)
        cl->ReleaseMemObject(given);
    return status;
}

static void *memory_native(struct be_memory *memory)
{
    return memory->memory;
}

static bool memory_aligned(const struct be_memory *memory, size_t bytes)
{
    (void)memory; // CL_DEVICE_MEM_BASE_ADDR_ALIGN is that of the largest type, for sub-buffers too
    (void)bytes;
    return true;
}

static void memory_free(struct be_memory *memory)
{
    cl->ReleaseMemObject(memory->memory);
    free(memory);
}

static kn_status host_alloc(struct be_queue *queue, size_t bytes, struct be_host *host, kn_error *err)
{
    cl_int code;
    cl_mem pinned = cl->CreateBuffer(queue->context->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                     bytes, NULL, &code);
    void *data = NULL;
    kn_status status;

    if (pinned)
        data = cl->EnqueueMapBuffer(queue->queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                    NULL, NULL, &code);
    if (!data) {
        if (pinned)
            cl->ReleaseMemObject(pinned);
        return ki_opencl_fail(err, code, queue->context->spec, "allocating pinned host memory");
    }
    status = memory_create(queue->context, pinned, &host->holder, err);
    if (status) {
        cl->ReleaseMemObject(pinned);
        return status;
    }
    host->data = data;
    return KN_OK;
}

static void host_free(struct be_queue *queue, struct be_host *host)
{
    cl->EnqueueUnmapMemObject(queue->queue, host->holder->memory, host->data, 0, NULL, NULL);
    cl->Finish(queue->queue);
    memory_free(host->holder);
}

// ---- copies ----

static kn_status copy_to_device(struct be_queue *queue, struct be_memory *to, const void *from,
                                const struct be_copy *copy, struct be_event **event, kn_error *err)
{
    cl_event native = NULL;
    cl_int code = cl->EnqueueWriteBuffer(queue->queue, to->memory, copy->blocking, copy->offset, copy->bytes,
                                         from, 0, NULL, event ? &native : NULL);

    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, queue->context->spec, "copying to the device");
    return ki_opencl_event_give(queue->context, native, event, err);
}

static kn_status copy_to_host(struct be_queue *queue, struct be_memory *from, void *to,
                              const struct be_copy *copy, struct be_event **event, kn_error *err)
{
    cl_event native = NULL;
    cl_int code = cl->EnqueueReadBuffer(queue->queue, from->memory, copy->blocking, copy->offset, copy->bytes,
                                        to, 0, NULL, event ? &native : NULL);

    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, queue->context->spec, "copying from the device");
    return ki_opencl_event_give(queue->context, native, event, err);
}

static kn_status copy_on_device(struct be_queue *queue, struct be_memory *from, size_t from_offset,
                                struct be_memory *to, size_t to_offset, size_t bytes, struct be_event **event,
                                kn_error *err)
{
    cl_event native = NULL;
    cl_int code = cl->EnqueueCopyBuffer(queue->queue, from->memory, to->memory, from_offset, to_offset, bytes,
                                        0, NULL, event ? &native : NULL);

    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, queue->context->spec, "copying on the device");
    return ki_opencl_event_give(queue->context, native, event, err);
}

enum { FILL_WIDTH = 16 };

// One command of a fill: it handles the next part of the `left` bytes from `at` on, and returns its length.
// Nearly all parts are patterns of 16 bytes: NVIDIA's OpenCL (580.159) takes seven times as long with a
// pattern of one byte.
static size_t next_fill(size_t at, size_t left, size_t pattern_size, size_t *width)
{
    size_t to_boundary = FILL_WIDTH - at % FILL_WIDTH;

    if (at % FILL_WIDTH == 0 && left >= FILL_WIDTH) {
        *width = FILL_WIDTH;
        return left / FILL_WIDTH * FILL_WIDTH;
    }
    *width = pattern_size;
    return left < to_boundary ? left : to_boundary;
}

// `bytes` of the repeated pattern, in commands of `width` bytes. NVIDIA's OpenCL breaks the queue if a
// pattern of one byte goes beyond the first 2^31 bytes: these bytes, 15 at most, are written, and waited for.
static cl_int fill_once(struct be_queue *queue, cl_mem memory, const unsigned char *repeated, size_t width,
                        size_t at, size_t bytes, cl_event *event)
{
    if (width == 1 && at >= (size_t)1 << 31)
        return cl->EnqueueWriteBuffer(queue->queue, memory, CL_TRUE, at, bytes, repeated, 0, NULL, event);
    return cl->EnqueueFillBuffer(queue->queue, memory, repeated, width, at, bytes, 0, NULL, event);
}

static kn_status fill(struct be_queue *queue, struct be_memory *memory, const void *pattern,
                      size_t pattern_size, size_t offset, size_t bytes, struct be_event **event,
                      kn_error *err)
{
    unsigned char repeated[FILL_WIDTH];
    struct opencl_work work;
    size_t width, piece;
    kn_status status = ki_opencl_work_begin(&work, queue, event != NULL, err);
    cl_int code = CL_SUCCESS;

    if (status)
        return status;
    for (size_t i = 0; i < FILL_WIDTH; i += pattern_size)
        memcpy(repeated + i, pattern, pattern_size);
    for (size_t done = 0; done < bytes && code == CL_SUCCESS; done += piece) {
        piece = next_fill(offset + done, bytes - done, pattern_size, &width);
        code = fill_once(queue, memory->memory, repeated, width, offset + done, piece,
                         done + piece < bytes ? NULL : ki_opencl_work_last(&work));
    }
    if (code == CL_SUCCESS)
        return ki_opencl_work_end(&work, event, err);
    ki_opencl_work_abandon(&work);
    return ki_opencl_fail(err, code, queue->context->spec, "filling device memory");
}

static const char *policy_options(const struct be_context *context, kn_policy policy, bool contract_off)
{
    (void)contract_off; // the compiler reads the pragma itself
    switch (policy) {
    case KN_POLICY_STRICT:
        return context->correctly_rounded ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                                          : "-cl-std=CL1.2";
    case KN_POLICY_FAST:
        return "-cl-std=CL1.2 -cl-fast-relaxed-math";
    default:
        return "-cl-std=CL1.2";
    }
}

const struct ki_backend ki_backend_opencl = {
    .name = "opencl",
    .title = "OpenCL",
    .language = BE_LANGUAGE_OPENCL,
    .image_bytes = sizeof(cl_mem),
    .drivers = ki_opencl_drivers,
    .driver_alone = ki_opencl_driver_alone,
    .drivers_open = ki_opencl_drivers_open,
    .devices = ki_opencl_devices,
    .context_open = context_open,
    .context_wrap = context_wrap,
    .context_native = context_native,
    .context_close = context_close,
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
    .image_create = ki_opencl_image_create,
    .image_free = ki_opencl_image_free,
    .host_alloc = host_alloc,
    .host_free = host_free,
    .copy_to_device = copy_to_device,
    .copy_to_host = copy_to_host,
    .copy_on_device = copy_on_device,
    .fill = fill,
    .image_write = ki_opencl_image_write,
    .image_read = ki_opencl_image_read,
    .image_copy = ki_opencl_image_copy,
    .policy_options = policy_options,
    .program_build = ki_opencl_program_build,
    .program_load = ki_opencl_program_load,
    .program_binary = ki_opencl_program_binary,
    .program_ptx = ki_opencl_program_ptx,
    .program_free = ki_opencl_program_free,
    .kernel_get = ki_opencl_kernel_get,
    .kernel_limits = ki_opencl_kernel_limits,
    .kernel_resources = ki_opencl_kernel_resources,
    .kernel_free = ki_opencl_kernel_free,
    .launch = ki_opencl_launch,
    .recording_way = KN_RECORDING_COMMAND_BUFFER,
    .recording_create = ki_opencl_recording_create,
    .recording_replay = ki_opencl_recording_replay,
    .recording_free = ki_opencl_recording_free,
    .event_wait = ki_opencl_event_wait,
    .event_done = ki_opencl_event_done,
    .event_times = ki_opencl_event_times,
    .event_share = ki_opencl_event_share,
    .event_free = ki_opencl_event_free,
};
