// SPDX-License-Identifier: Apache-2.0
// libkoine inside an OpenCL application: the application has its own context, queue and buffer, Koine sorts
// in them. Wrapping takes no ownership: the application releases what it made, as always.
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>

#include <koine/opencl.h>

enum { N = 8 };

// Sorts `mem` in `native_queue`, in order with whatever else the application enqueues there.
static kn_status sort_in_place(cl_context native_context, cl_command_queue native_queue, cl_mem mem,
                               kn_error *err)
{
    kn_context *ctx = NULL;
    kn_queue *q = NULL;
    kn_buffer *buf = NULL;
    kn_status status = kn_context_wrap_opencl(native_context, NULL, NULL, &ctx, err);

    if (!status)
        status = kn_queue_wrap_opencl(ctx, native_queue, &q, err);
    if (!status)
        status = kn_buffer_wrap_opencl(ctx, mem, &buf, err);
    if (!status)
        status = kn_sort(q, buf, KN_F32, N, NULL, err);

    kn_buffer_free(buf);
    kn_queue_close(q);
    kn_context_close(ctx);
    return status;
}

// The first device of the first platform that has one.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device = NULL;

    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        return NULL;
    for (cl_uint i = 0; i < count && i < 16 && !device; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    return device;
}

int main(void)
{
    float keys[N] = {3, -1, 4, 1, -5, 9, 2.5f, 6};
    cl_device_id device = find_device();
    cl_int failed = device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
    cl_context context = device ? clCreateContext(NULL, 1, &device, NULL, NULL, &failed) : NULL;
    cl_command_queue queue = context ? clCreateCommandQueue(context, device, 0, &failed) : NULL;
    cl_mem mem = queue ? clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof keys, keys, &failed) : NULL;
    kn_error err = KN_ERROR_INIT;

    if (mem && sort_in_place(context, queue, mem, &err) == KN_OK)
        failed = clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, sizeof keys, keys, 0, NULL, NULL);
    if (err.code)
        fprintf(stderr, "opencl_embed: %s\n", err.text);
    else if (failed)
        fprintf(stderr, "opencl_embed: OpenCL error %d\n", (int)failed);
    else
        for (size_t i = 0; i < N; i++)
            printf("%g%c", (double)keys[i], i + 1 < N ? ' ' : '\n');

    if (mem)
        clReleaseMemObject(mem);
    if (queue)
        clReleaseCommandQueue(queue);
    if (context)
        clReleaseContext(context);
    return err.code || failed;
}
