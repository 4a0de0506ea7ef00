// SPDX-License-Identifier: Apache-2.0
// bench/launch: the loop over clEnqueueNDRangeKernel, with the same kernel compiled once more by the
// application.
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <koine/opencl.h>

enum { MAX_ARGS = 16 };

struct launch_loop {
    cl_program program;
    cl_kernel kernel;
    cl_command_queue queue;
    kn_range range;
    size_t arg_count;
    struct {
        size_t size;
        const void *value;
    } args[MAX_ARGS];
    cl_mem buffers[MAX_ARGS];
};

static void cl_try(cl_int code, const char *call)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "bench: %s: error %d\n", call, (int)code);
        exit(4);
    }
}

static void set_args(struct launch_loop *loop)
{
    for (size_t i = 0; i < loop->arg_count; i++)
        cl_try(clSetKernelArg(loop->kernel, (cl_uint)i, loop->args[i].size, loop->args[i].value),
               "clSetKernelArg");
}

static struct launch_loop *opencl_loop_open(const struct launch_case *of)
{
    static const char *text = "#include \"launch.cl\"\n";
    struct launch_loop *loop = calloc(1, sizeof *loop);
    char options[4400];
    cl_int code;

    if (!loop || of->arg_count > MAX_ARGS)
        exit(5);
    snprintf(options, sizeof options, "-cl-std=CL1.2 -I%s", of->folder);
    loop->program = clCreateProgramWithSource(kn_context_get_opencl(of->context), 1, &text, NULL, &code);
    cl_try(code, "clCreateProgramWithSource");
    cl_try(clBuildProgram(loop->program, 0, NULL, options, NULL, NULL), "clBuildProgram");
    loop->kernel = clCreateKernel(loop->program, of->name, &code);
    cl_try(code, "clCreateKernel");
    loop->queue = kn_queue_get_opencl(of->queue);
    loop->range = of->range;
    loop->arg_count = of->arg_count;
    for (size_t i = 0; i < of->arg_count; i++) {
        const kn_arg *arg = &of->args[i];
        loop->args[i].size = arg->size;
        loop->args[i].value = arg->kind == KN_ARG_INLINE ? arg->bytes : arg->value;
        if (arg->kind == KN_ARG_BUFFER) {
            loop->buffers[i] = kn_buffer_get_opencl(arg->buffer);
            loop->args[i].size = sizeof(cl_mem);
            loop->args[i].value = &loop->buffers[i];
        }
    }
    set_args(loop);
    return loop;
}

static void opencl_loop_run(struct launch_loop *loop, int count, bool set)
{
    for (int i = 0; i < count; i++) {
        if (set)
            set_args(loop);
        cl_try(clEnqueueNDRangeKernel(loop->queue, loop->kernel, loop->range.dims, NULL, loop->range.global,
                                      loop->range.local, 0, NULL, NULL),
               "clEnqueueNDRangeKernel");
    }
}

static void opencl_loop_close(struct launch_loop *loop)
{
    clReleaseKernel(loop->kernel);
    clReleaseProgram(loop->program);
    free(loop);
}

const struct launch_native launch_opencl = {"clEnqueueNDRangeKernel", "clSetKernelArg", opencl_loop_open,
                                            opencl_loop_run, opencl_loop_close};
