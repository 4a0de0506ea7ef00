// SPDX-License-Identifier: Apache-2.0
// For tests of the CUDA backend: a context and a queue on the fake device, set up for each test; programs and
// kernels.
#ifndef KN_TESTS_UNIT_BACKEND_CUDA_OPEN_H
#define KN_TESTS_UNIT_BACKEND_CUDA_OPEN_H

#include "cuda_support.h"

static struct be_device *devices;
static size_t device_count;
static struct be_context *context;
static struct be_queue *queue;
static kn_error err;

#define expect_ok(call) ck_assert_msg((call) == KN_OK, #call ": %s", err.text)

static inline void set_up(void)
{
    char why[256];

    use_fakes();
    memset(&err, 0, sizeof err);
    expect_ok(cuda->devices(&devices, &device_count, why, &err));
    ck_assert_uint_eq(device_count, 1);
    ck_assert_str_eq(devices[0].info.why_not, "");
    expect_ok(cuda->context_open(&devices[0], &context, &err));
    expect_ok(cuda->queue_open(context, &queue, &err));
}

static inline void tear_down(void)
{
    cuda->queue_close(queue);
    cuda->context_close(context);
    ki_be_devices_free(devices, device_count);
    ck_assert_int_eq(driver->objects, 0);
    ck_assert_int_eq(driver->without, 0);
    forget_fakes();
}

static inline struct be_program *program_of(const char *text)
{
    struct be_program *program = NULL;
    char *log = NULL;

    expect_ok(cuda->program_build(context, text, "", &program, &log, &err));
    free(log);
    return program;
}

static inline struct be_kernel *kernel_of(struct be_program *program, const kn_source_kernel *source)
{
    struct be_kernel *kernel = NULL;

    expect_ok(cuda->kernel_get(program, source, &kernel, &err));
    return kernel;
}

// A kernel without arguments.
static const kn_source_kernel no_arguments = {"plain", NULL, 0, NULL, {0, 0, 0}, "a.cl", 1, {0, false}};

static inline struct be_memory *memory_of(size_t bytes)
{
    struct be_memory *memory = NULL;

    expect_ok(cuda->memory_alloc(context, bytes, &memory, &err));
    return memory;
}

#endif
