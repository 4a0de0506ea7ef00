// SPDX-License-Identifier: Apache-2.0
// Support for tests of drivers' quirks: a context and a queue around each test, the device's rows of the
// table, and calls of the driver itself, without Koine.
#ifndef KN_TESTS_CONFORMANCE_DRIVERS_QUIRKS_SUPPORT_H
#define KN_TESTS_CONFORMANCE_DRIVERS_QUIRKS_SUPPORT_H

#define CL_TARGET_OPENCL_VERSION 120
#include "unit/engine/engine_support.h"

#include <koine/opencl.h>

#include "engine/engine.h"

static kn_context *context;
static kn_queue *queue;
static struct engine_quirks quirks;

static inline void set_up(void)
{
    kn_device_info info;

    context = open_context();
    queue = open_queue(context);
    info = *kn_context_get_device(context);
    quirks = ki_engine_quirks_of(&info);
    ck_assert_uint_eq(kn_context_get_device(context)->loop_limit, quirks.loop_limit);
}

static inline void tear_down(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
}

// Reports that a row can be removed: this driver no longer behaves as it says.
static inline void report_gone(const char *what)
{
    const kn_device_info *info = kn_context_get_device(context);

    fprintf(stderr, "no longer a quirk of %s, driver %s: %s\n", info->platform, info->driver, what);
}

static inline cl_device_id native_device(void)
{
    cl_device_id device = NULL;

    clGetContextInfo(kn_context_get_opencl(context), CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
    return device;
}

// Whether the device belongs to OpenCL, because the quirks are those of OpenCL drivers. Prints a line if it
// does not.
static inline bool asks_opencl(void)
{
    if (kn_context_get_opencl(context))
        return true;
    fprintf(stderr, "skipped: %s is not reached through OpenCL\n", kn_context_get_device(context)->spec);
    return false;
}

// A kernel built directly by the driver, without Koine.
static inline cl_kernel native_kernel(const char *text, const char *options, const char *name,
                                      cl_program *program)
{
    cl_device_id device = native_device();
    cl_int code;
    cl_kernel kernel;

    *program = clCreateProgramWithSource(kn_context_get_opencl(context), 1, &text, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    ck_assert_int_eq(clBuildProgram(*program, 1, &device, options, NULL, NULL), CL_SUCCESS);
    kernel = clCreateKernel(*program, name, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return kernel;
}

static inline void run(kn_kernel *kernel, size_t global, size_t local, const kn_arg *args, size_t count)
{
    kn_range range = {1, {global}, {local}, {0}};

    expect_ok(kn_launch(queue, kernel, &range, args, count, NULL, &err));
    expect_ok(kn_queue_finish(queue, &err));
}

#endif
