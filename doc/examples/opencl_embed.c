// SPDX-License-Identifier: Apache-2.0
// An image pipeline inside an OpenCL application, which has its own context, in-order queue, buffers and kernels:
// its kernel exposes a frame with bright spots, Koine takes the frame's median and MAD, the application's next kernel
// marks what is brighter by six MADs, and Koine counts the marks. The frame never leaves the device. Wrapping takes no
// ownership: the application releases what it made, as always.
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>

#include <koine/opencl.h>
#include <koine/reduce.h>
#include <koine/robust.h>

enum { SIDE = 64, PIXELS = SIDE * SIDE };

static const char source[] =
    "__kernel void expose(__global float *frame)\n"
    "{\n"
    "    uint x = get_global_id(0), y = get_global_id(1), i = y * get_global_size(0) + x;\n"
    "    uint noise = (i * 2654435761u >> 16) % 7;\n"
    "    frame[i] = 100 + noise + (x % 20 < 3 && y % 30 < 3 ? 50 : 0);\n"
    "}\n"
    "__kernel void mark(__global const float *frame, float threshold, __global int *marks)\n"
    "{\n"
    "    uint i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
    "    marks[i] = frame[i] > threshold;\n"
    "}\n";

struct application {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel expose, mark;
    cl_mem frame, marks;
};

// The same memory, context and queue, as Koine sees them.
struct wrapped {
    kn_context *context;
    kn_queue *queue;
    kn_buffer *frame, *marks;
};

static kn_status wrap(const struct application *app, struct wrapped *w, kn_error *err)
{
    kn_status status = kn_context_wrap_opencl(app->context, NULL, NULL, &w->context, err);

    if (!status)
        status = kn_queue_wrap_opencl(w->context, app->queue, &w->queue, err);
    if (!status)
        status = kn_buffer_wrap_opencl(w->context, app->frame, &w->frame, err);
    if (!status)
        status = kn_buffer_wrap_opencl(w->context, app->marks, &w->marks, err);
    return status;
}

static void unwrap(struct wrapped *w)
{
    kn_buffer_free(w->marks);
    kn_buffer_free(w->frame);
    kn_queue_close(w->queue);
    kn_context_close(w->context);
}

// Over all pixels, in order with what is in the queue already.
static cl_int run(const struct application *app, cl_kernel kernel)
{
    return clEnqueueNDRangeKernel(app->queue, kernel, 2, NULL, (size_t[]){SIDE, SIDE}, NULL, 0, NULL, NULL);
}

// Of OpenCL's errors the first is returned, of Koine's *err tells.
static cl_int process(const struct application *app, const struct wrapped *w, kn_error *err)
{
    kn_robust robust;
    kn_number marked;
    cl_int failed = clSetKernelArg(app->expose, 0, sizeof app->frame, &app->frame);
    float threshold;

    if (!failed)
        failed = run(app, app->expose);
    if (failed || kn_robust_stats(w->queue, w->frame, KN_F32, PIXELS, &robust, NULL, err))
        return failed;
    threshold = (float)(robust.median + 6 * robust.mad);
    failed = clSetKernelArg(app->mark, 0, sizeof app->frame, &app->frame);
    if (!failed)
        failed = clSetKernelArg(app->mark, 1, sizeof threshold, &threshold);
    if (!failed)
        failed = clSetKernelArg(app->mark, 2, sizeof app->marks, &app->marks);
    if (!failed)
        failed = run(app, app->mark);
    if (failed || kn_reduce(w->queue, w->marks, KN_I32, PIXELS, KN_REDUCE_SUM, &marked, err))
        return failed;
    printf("median %g, MAD %g, %lld pixels brighter than %g\n", robust.median, robust.mad, (long long)marked.i64,
           (double)threshold);
    return CL_SUCCESS;
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

static cl_int set_up(struct application *app)
{
    const char *text = source;
    cl_device_id device = find_device();
    cl_int failed = device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;

    if (!failed)
        app->context = clCreateContext(NULL, 1, &device, NULL, NULL, &failed);
    if (!failed)
        app->queue = clCreateCommandQueue(app->context, device, 0, &failed);
    if (!failed)
        app->program = clCreateProgramWithSource(app->context, 1, &text, NULL, &failed);
    if (!failed)
        failed = clBuildProgram(app->program, 1, &device, "", NULL, NULL);
    if (!failed)
        app->expose = clCreateKernel(app->program, "expose", &failed);
    if (!failed)
        app->mark = clCreateKernel(app->program, "mark", &failed);
    if (!failed)
        app->frame = clCreateBuffer(app->context, CL_MEM_READ_WRITE, PIXELS * sizeof(cl_float), NULL, &failed);
    if (!failed)
        app->marks = clCreateBuffer(app->context, CL_MEM_READ_WRITE, PIXELS * sizeof(cl_int), NULL, &failed);
    return failed;
}

static void take_down(struct application *app)
{
    if (app->marks)
        clReleaseMemObject(app->marks);
    if (app->frame)
        clReleaseMemObject(app->frame);
    if (app->mark)
        clReleaseKernel(app->mark);
    if (app->expose)
        clReleaseKernel(app->expose);
    if (app->program)
        clReleaseProgram(app->program);
    if (app->queue)
        clReleaseCommandQueue(app->queue);
    if (app->context)
        clReleaseContext(app->context);
}

int main(void)
{
    struct application app = {0};
    struct wrapped w = {0};
    kn_error err = KN_ERROR_INIT;
    cl_int failed = set_up(&app);

    if (!failed && wrap(&app, &w, &err) == KN_OK)
        failed = process(&app, &w, &err);
    if (err.code)
        fprintf(stderr, "opencl_embed: %s\n", err.text);
    else if (failed)
        fprintf(stderr, "opencl_embed: OpenCL error %d\n", (int)failed);
    unwrap(&w);
    take_down(&app);
    return err.code || failed;
}
