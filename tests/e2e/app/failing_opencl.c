// SPDX-License-Identifier: Apache-2.0
// An OpenCL library whose devices fail, for stats_devices.sh: it is linked with the real one, and refuses launches on
// the devices whose numbers stand in FAILING_DEVICES ("1", or "01"), after as many as FAILING_AFTER says.
#define _GNU_SOURCE // RTLD_NEXT
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long launches;

// Among the devices of its platform.
static unsigned number_of(cl_command_queue queue)
{
    cl_device_id device = NULL, all[8];
    cl_platform_id platform = NULL;
    cl_uint count = 0;

    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, sizeof all / sizeof *all, all, &count);
    for (cl_uint i = 0; i < count && i < sizeof all / sizeof *all; i++)
        if (all[i] == device)
            return i;
    return 9;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint wait_count, const cl_event *wait,
                              cl_event *event)
{
    cl_int (*real)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,
                   const cl_event *, cl_event *);
    const char *devices = getenv("FAILING_DEVICES"), *after = getenv("FAILING_AFTER");

    if (devices && strchr(devices, (int)('0' + number_of(queue))) &&
        atomic_fetch_add(&launches, 1) >= (after ? atol(after) : 0))
        return CL_OUT_OF_RESOURCES;
    *(void **)&real = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    return real(queue, kernel, dims, offset, global, local, wait_count, wait, event);
}
