// SPDX-License-Identifier: Apache-2.0
// The OpenCL backend: recordings of launches, as command buffers (cl_khr_command_buffer). Types, numbers and
// entry points are declared here, as of version 0.9.0: the installed headers may have another version, or
// none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "opencl.h"

#define EXTENSION "cl_khr_command_buffer"

// A provisional extension may change with every 0.x: until 1.0 only the known version is accepted.
enum { TAKEN_MAJOR = 0, TAKEN_MINOR = 9 };
enum {
    EXTENSIONS_WITH_VERSION = 0x1060,
    COMMAND_BUFFER_CAPABILITIES = 0x12A9,
    COMMAND_BUFFER_QUEUE_PROPERTIES = 0x12AA
};
enum { CAN_BE_PENDING_TWICE = 1 << 2 };
enum { COMMAND_BUFFER_FLAGS = 0x1293, MAY_BE_PENDING_TWICE = 1 };
enum { MOST_EXTENSIONS = 256 };

struct named_version {
    cl_uint version; // 10 bits, 10 bits, 12 bits
    char name[64];
};

struct command_buffer;

struct calls {
    struct command_buffer *(*create)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *);
    cl_int (*add)(struct command_buffer *, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint,
                  const size_t *, const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *,
                  void **);
    cl_int (*finalize)(struct command_buffer *);
    cl_int (*enqueue)(cl_uint, cl_command_queue *, struct command_buffer *, cl_uint, const cl_event *,
                      cl_event *);
    cl_int (*release)(struct command_buffer *);
};

struct be_recording {
    struct calls calls;
    struct command_buffer *buffer;
};

// ---- what the device supports ----

// False: the device lacks the extension, or does not report its version.
static bool find_version(cl_device_id device, cl_uint *version)
{
    struct named_version *list = calloc(MOST_EXTENSIONS, sizeof *list);
    size_t bytes = 0, i = 0;

    if (!list || cl->GetDeviceInfo(device, EXTENSIONS_WITH_VERSION, MOST_EXTENSIONS * sizeof *list, list,
                                   &bytes) != CL_SUCCESS)
        bytes = 0;
    while (i < bytes / sizeof *list && strncmp(list[i].name, EXTENSION, sizeof list->name) != 0)
        i++;
    if (i < bytes / sizeof *list)
        *version = list[i].version;
    free(list);
    return i < bytes / sizeof *list;
}

static kn_status check_device(const struct be_queue *queue, kn_error *err)
{
    const char *spec = queue->context->spec;
    cl_device_id device = queue->context->device;
    cl_ulong capabilities = 0;
    cl_command_queue_properties wanted = 0, has = 0;
    cl_uint version = 0;

    if (!find_version(device, &version))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: the device lists no " EXTENSION, spec);
    if (version >> 22 != TAKEN_MAJOR || (version >> 12 & 0x3ff) != TAKEN_MINOR)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: the device has " EXTENSION " %u.%u; Koine takes %d.%d",
                       spec, version >> 22, version >> 12 & 0x3ff, TAKEN_MAJOR, TAKEN_MINOR);
    if (cl->GetDeviceInfo(device, COMMAND_BUFFER_CAPABILITIES, sizeof capabilities, &capabilities, NULL) !=
            CL_SUCCESS ||
        !(capabilities & CAN_BE_PENDING_TWICE))
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: the device takes no command buffer again before it is done", spec);
    if (cl->GetDeviceInfo(device, COMMAND_BUFFER_QUEUE_PROPERTIES, sizeof wanted, &wanted, NULL) !=
            CL_SUCCESS ||
        cl->GetCommandQueueInfo(queue->queue, CL_QUEUE_PROPERTIES, sizeof has, &has, NULL) != CL_SUCCESS ||
        wanted & ~has)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "%s: the device takes command buffers in queues of the properties 0x%llx; this one has 0x%llx",
            spec, (unsigned long long)wanted, (unsigned long long)has);
    return KN_OK;
}

static kn_status find_calls(const struct be_context *context, struct calls *calls, kn_error *err)
{
    const struct {
        const char *name;
        void *to;
    } names[] = {{"clCreateCommandBufferKHR", &calls->create},
                 {"clCommandNDRangeKernelKHR", &calls->add},
                 {"clFinalizeCommandBufferKHR", &calls->finalize},
                 {"clEnqueueCommandBufferKHR", &calls->enqueue},
                 {"clReleaseCommandBufferKHR", &calls->release}};
    cl_platform_id platform = NULL;
    cl_int code = cl->GetDeviceInfo(context->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);

    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, context->spec, "asking for the device's platform");
    for (size_t i = 0; i < KI_COUNT(names); i++) {
        void *address = cl->GetExtensionFunctionAddressForPlatform(platform, names[i].name);
        if (!address)
            return ki_fail(err, KN_ERROR_UNSUPPORTED,
                           "%s: the device lists " EXTENSION ", but its driver has no %s", context->spec,
                           names[i].name);
        memcpy(names[i].to, &address, sizeof address);
    }
    return KN_OK;
}

// ---- recordings ----

// In order, like the queue: no command lists others to wait for.
static kn_status add_all(struct be_recording *recording, const char *spec, const struct be_launch *launches,
                         size_t count, kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const struct be_launch *launch = &launches[i];
        cl_kernel kernel;
        cl_int code;
        kn_status status =
            ki_opencl_kernel_set(launch->kernel, launch->args, launch->arg_count, &kernel, err);
        if (status)
            return status;
        code = recording->calls.add(recording->buffer, NULL, NULL, kernel, launch->range.dims,
                                    launch->range.offset, launch->range.global,
                                    ki_opencl_range_local(&launch->range), 0, NULL, NULL, NULL);
        if (code != CL_SUCCESS)
            return ki_opencl_fail(err, code, spec, "recording a launch");
    }
    return KN_OK;
}

static kn_status make_buffer(struct be_recording *recording, struct be_queue *queue,
                             const struct be_launch *launches, size_t count, kn_error *err)
{
    const cl_ulong properties[] = {COMMAND_BUFFER_FLAGS, MAY_BE_PENDING_TWICE, 0};
    const char *spec = queue->context->spec;
    cl_int code = CL_SUCCESS;
    kn_status status;

    recording->buffer = recording->calls.create(1, &queue->queue, properties, &code);
    if (!recording->buffer)
        return ki_opencl_fail(err, code, spec, "making a command buffer");
    status = add_all(recording, spec, launches, count, err);
    if (!status) {
        code = recording->calls.finalize(recording->buffer);
        if (code != CL_SUCCESS)
            status = ki_opencl_fail(err, code, spec, "making a command buffer");
    }
    if (status)
        (void)recording->calls.release(recording->buffer);
    return status;
}

kn_status ki_opencl_recording_create(struct be_queue *queue, const struct be_launch *launches, size_t count,
                                     struct be_recording **recording, kn_error *err)
{
    struct be_recording *made = calloc(1, sizeof *made);
    kn_status status = made ? check_device(queue, err) : ki_fail_memory(err, sizeof *made, "a recording");

    if (!status)
        status = find_calls(queue->context, &made->calls, err);
    if (!status)
        status = make_buffer(made, queue, launches, count, err);
    if (status)
        free(made);
    else
        *recording = made;
    return status;
}

kn_status ki_opencl_recording_replay(struct be_queue *queue, struct be_recording *recording, kn_error *err)
{
    cl_int code = recording->calls.enqueue(1, &queue->queue, recording->buffer, 0, NULL, NULL);

    return code == CL_SUCCESS ? KN_OK : ki_opencl_fail(err, code, queue->context->spec, "replaying launches");
}

void ki_opencl_recording_free(struct be_recording *recording)
{
    (void)recording->calls.release(recording->buffer);
    free(recording);
}
