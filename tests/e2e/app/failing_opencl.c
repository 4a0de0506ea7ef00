// SPDX-License-Identifier: Apache-2.0
// An OpenCL library whose devices fail, for tests with several devices: it is linked with the real one, and refuses launches on
// the devices whose numbers stand in FAILING_DEVICES ("1", or "01"), after as many as FAILING_AFTER says, and contexts
// of those in FAILING_CONTEXTS.
#define _GNU_SOURCE // RTLD_NEXT
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long launches;

// Whether the device's number, among the devices of its platform, stands in an environment variable.
static int is_named(const char *variable, cl_device_id device)
{
    const char *numbers = getenv(variable);
    cl_device_id all[8];
    cl_platform_id platform = NULL;
    cl_uint count = 0;

    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, sizeof all / sizeof *all, all, &count);
    for (cl_uint i = 0; numbers && i < count && i < sizeof all / sizeof *all; i++)
        if (all[i] == device)
            return strchr(numbers, (int)('0' + i)) != NULL;
    return 0;
}

cl_context clCreateContext(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
                           void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data,
                           cl_int *code)
{
    cl_context (*real)(const cl_context_properties *, cl_uint, const cl_device_id *,
                       void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *);

    if (is_named("FAILING_CONTEXTS", devices[0])) {
        *code = CL_OUT_OF_RESOURCES;
        return NULL;
    }
    *(void **)&real = dlsym(RTLD_NEXT, "clCreateContext");
    return real(properties, count, devices, notify, data, code);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *wait,
                              cl_event *event)
{
    cl_int (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *);
    const char *after = getenv("FAILING_AFTER");
    cl_device_id device = NULL;

    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (is_named("FAILING_DEVICES", device) && atomic_fetch_add(&launches, 1) >= (after ? atol(after) : 0))
        return CL_OUT_OF_RESOURCES;
    *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    return real(queue, kernel, dims, offset, global, local, wait_count, wait, event);
}
