// SPDX-License-Identifier: Apache-2.0
// The OpenCL backend: programs, kernels, launches and events.
#include "opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/source.h"

struct be_program {
    cl_program program;
    struct be_context *context;
};

#define KEPT_BYTES 64 // larger values are set for every launch

// The value that an argument was set to, which it keeps from launch to launch. All 0: it was not set.
struct set_arg {
    bool is_set;
    unsigned long long serial; // of the memory; 0 for other arguments
    size_t size;               // of the value, or bytes of local memory
    unsigned char value[KEPT_BYTES];
};

struct be_kernel {
    cl_kernel kernel;
    struct be_context *context;
    struct set_arg *args;
};

static kn_status program_create(struct be_context *context, cl_program native, struct be_program **program,
                                kn_error *err)
{
    struct be_program *made = calloc(1, sizeof *made);

    if (!made)
        return ki_fail_memory(err, sizeof *made, "an OpenCL program");
    made->program = native;
    made->context = context;
    *program = made;
    return KN_OK;
}

// The compiler's output; "" if there was none, NULL if memory ran out.
static char *build_log(cl_program program, cl_device_id device)
{
    size_t size = 0;
    char *log;

    if (cl->GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) != CL_SUCCESS)
        size = 0;
    log = calloc(size + 1, 1);
    if (log && size > 0 &&
        cl->GetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log, NULL) != CL_SUCCESS)
        log[0] = '\0';
    return log;
}

kn_status ki_opencl_program_build(struct be_context *context, const char *source, const char *options,
                                  struct be_program **program, char **log, kn_error *err)
{
    cl_int code;
    cl_program made = cl->CreateProgramWithSource(context->context, 1, &source, NULL, &code);
    kn_status status;

    *log = NULL;
    if (!made)
        return ki_opencl_fail(err, code, context->spec, "creating a program");
    code = cl->BuildProgram(made, 1, &context->device, options, NULL, NULL);
    *log = build_log(made, context->device);
    if (code != CL_SUCCESS) {
        ki_opencl_fail(err, code, context->spec, "compiling");
        status = code == CL_OUT_OF_HOST_MEMORY ? KN_ERROR_MEMORY : KN_ERROR_BUILD;
        if (err)
            err->code = status;
    } else {
        status = program_create(context, made, program, err);
    }
    if (status)
        cl->ReleaseProgram(made);
    return status;
}

kn_status ki_opencl_program_load(struct be_context *context, const void *binary, size_t bytes,
                                 const char *options, struct be_program **program, kn_error *err)
{
    const unsigned char *data = binary;
    cl_int loaded = CL_SUCCESS;
    cl_int code;
    cl_program made =
        cl->CreateProgramWithBinary(context->context, 1, &context->device, &bytes, &data, &loaded, &code);
    kn_status status;

    if (!made)
        return ki_opencl_fail(err, code, context->spec, "loading a cached program");
    code = loaded != CL_SUCCESS ? loaded : cl->BuildProgram(made, 1, &context->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        status = ki_opencl_fail(err, code, context->spec, "loading a cached program");
    else
        status = program_create(context, made, program, err);
    if (status)
        cl->ReleaseProgram(made);
    return status;
}

kn_status ki_opencl_program_binary(struct be_program *program, void **binary, size_t *bytes, kn_error *err)
{
    const char *spec = program->context->spec;
    cl_device_id devices[OPENCL_MAX_DEVICES];
    size_t sizes[OPENCL_MAX_DEVICES] = {0};
    unsigned char *binaries[OPENCL_MAX_DEVICES] = {NULL}; // NULL: not requested
    size_t found = 0, i = 0, size;
    unsigned char *data;
    cl_int code = cl->GetProgramInfo(program->program, CL_PROGRAM_DEVICES, sizeof devices, devices, &found);

    if (code == CL_SUCCESS)
        code = cl->GetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, spec, "asking for a program's binary");
    while (i < found / sizeof *devices && devices[i] != program->context->device)
        i++;
    size = i < found / sizeof *devices ? sizes[i] : 0;
    if (size == 0)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: the driver keeps no binary of a program", spec);
    data = malloc(size + 1);
    if (!data)
        return ki_fail_memory(err, size, "a program's binary");
    data[size] = 0; // NVIDIA's is text
    binaries[i] = data;
    code = cl->GetProgramInfo(program->program, CL_PROGRAM_BINARIES, found / sizeof *devices * sizeof data,
                              binaries, NULL);
    if (code != CL_SUCCESS) {
        free(data);
        return ki_opencl_fail(err, code, spec, "reading a program's binary");
    }
    *binary = data;
    *bytes = size;
    return KN_OK;
}

kn_status ki_opencl_program_ptx(struct be_program *program, const char *source, const char *options,
                                char **ptx, kn_error *err)
{
    void *binary = NULL;
    size_t bytes;
    kn_status status = ki_opencl_program_binary(program, &binary, &bytes, err);

    (void)source;
    (void)options;
    if (status)
        return status;
    // NVIDIA's binary of a program is PTX text.
    if (!binary || !strstr(binary, ".version") || !strstr(binary, ".target")) {
        free(binary);
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: the driver's binary of the program is no PTX",
                       program->context->spec);
    }
    *ptx = binary;
    return KN_OK;
}

void ki_opencl_program_free(struct be_program *program)
{
    cl->ReleaseProgram(program->program);
    free(program);
}

// ---- kernels ----

kn_status ki_opencl_kernel_get(struct be_program *program, const kn_source_kernel *source,
                               struct be_kernel **kernel, kn_error *err)
{
    struct be_kernel *made = calloc(1, sizeof *made);
    char what[160];
    cl_int code;

    if (made)
        made->args = calloc(source->param_count + 1, sizeof *made->args);
    if (!made || !made->args) {
        free(made);
        return ki_fail_memory(err, sizeof *made, "an OpenCL kernel");
    }
    made->context = program->context;
    made->kernel = cl->CreateKernel(program->program, source->name, &code);
    if (!made->kernel) {
        free(made->args);
        free(made);
        snprintf(what, sizeof what, "getting kernel %s", source->name);
        return ki_opencl_fail(err, code, program->context->spec, what);
    }
    *kernel = made;
    return KN_OK;
}

kn_status ki_opencl_kernel_limits(struct be_kernel *kernel, struct be_kernel_limits *limits, kn_error *err)
{
    cl_device_id device = kernel->context->device;
    cl_ulong local = 0;
    cl_int code = cl->GetKernelWorkGroupInfo(kernel->kernel, device, CL_KERNEL_WORK_GROUP_SIZE,
                                             sizeof limits->work_group, &limits->work_group, NULL);

    if (code == CL_SUCCESS)
        code =
            cl->GetKernelWorkGroupInfo(kernel->kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                       sizeof limits->preferred_multiple, &limits->preferred_multiple, NULL);
    if (code == CL_SUCCESS)
        code = cl->GetKernelWorkGroupInfo(kernel->kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                          &local, NULL);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, kernel->context->spec, "asking for a kernel's limits");
    limits->local_bytes = (size_t)local;
    return KN_OK;
}

kn_status ki_opencl_kernel_resources(struct be_kernel *kernel, struct be_kernel_resources *resources,
                                     kn_error *err)
{
    cl_ulong private = 0;
    cl_int code = cl->GetKernelWorkGroupInfo(kernel->kernel, kernel->context->device,
                                             CL_KERNEL_PRIVATE_MEM_SIZE, sizeof private, &private, NULL);

    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, kernel->context->spec, "asking what a kernel takes");
    resources->private_bytes = (long)private;
    return KN_OK;
}

void ki_opencl_kernel_free(struct be_kernel *kernel)
{
    cl->ReleaseKernel(kernel->kernel);
    free(kernel->args);
    free(kernel);
}

// ---- launches ----

static bool is_kept(const struct set_arg *kept, const struct be_arg *arg)
{
    if (!kept->is_set)
        return false;
    if (arg->kind == BE_ARG_MEMORY)
        return kept->serial == arg->memory->serial;
    return !kept->serial && kept->size == arg->size &&
           (arg->kind == BE_ARG_LOCAL || memcmp(kept->value, arg->value, arg->size) == 0);
}

static cl_int set_image(struct be_kernel *kernel, size_t i, const struct be_arg *arg)
{
    return cl->SetKernelArg(kernel->kernel, (cl_uint)i, sizeof(cl_mem), &arg->image->image);
}

static cl_int set_sampler(struct be_kernel *kernel, size_t i, const struct be_arg *arg)
{
    cl_sampler sampler;
    cl_int code = ki_opencl_sampler(kernel->context, arg->sampler, &sampler);

    return code == CL_SUCCESS ? cl->SetKernelArg(kernel->kernel, (cl_uint)i, sizeof sampler, &sampler) : code;
}

// Sets an argument, unless the kernel still has the same value.
static cl_int set_arg(struct be_kernel *kernel, size_t i, const struct be_arg *arg)
{
    struct set_arg *kept = &kernel->args[i];
    cl_int code;

    if (arg->kind == BE_ARG_IMAGE)
        return set_image(kernel, i, arg);
    if (arg->kind == BE_ARG_SAMPLER)
        return set_sampler(kernel, i, arg);
    if (is_kept(kept, arg))
        return CL_SUCCESS;
    kept->is_set = false;
    if (arg->kind == BE_ARG_MEMORY)
        code = cl->SetKernelArg(kernel->kernel, (cl_uint)i, sizeof(cl_mem), &arg->memory->memory);
    else
        code = cl->SetKernelArg(kernel->kernel, (cl_uint)i, arg->size,
                                arg->kind == BE_ARG_VALUE ? arg->value : NULL);
    if (code != CL_SUCCESS || (arg->kind == BE_ARG_VALUE && arg->size > sizeof kept->value))
        return code;
    kept->is_set = true;
    kept->serial = arg->kind == BE_ARG_MEMORY ? arg->memory->serial : 0;
    kept->size = arg->size;
    if (arg->kind == BE_ARG_VALUE)
        memcpy(kept->value, arg->value, arg->size);
    return CL_SUCCESS;
}

kn_status ki_opencl_kernel_set(struct be_kernel *kernel, const struct be_arg *args, size_t arg_count,
                               cl_kernel *native, kn_error *err)
{
    char what[64];

    for (size_t i = 0; i < arg_count; i++) {
        cl_int code = set_arg(kernel, i, &args[i]);
        if (code != CL_SUCCESS) {
            snprintf(what, sizeof what, "setting argument %zu", i);
            return ki_opencl_fail(err, code, kernel->context->spec, what);
        }
    }
    *native = kernel->kernel;
    return KN_OK;
}

const size_t *ki_opencl_range_local(const struct be_range *range)
{
    static const size_t no_local[3] = {0, 0, 0};

    return memcmp(range->local, no_local, sizeof no_local) != 0 ? range->local : NULL;
}

kn_status ki_opencl_launch(struct be_queue *queue, struct be_kernel *kernel, const struct be_range *range,
                           const struct be_arg *args, size_t arg_count, struct be_event **event,
                           kn_error *err)
{
    cl_kernel ready;
    cl_event native = NULL;
    cl_int code;
    kn_status status = ki_opencl_kernel_set(kernel, args, arg_count, &ready, err);

    if (status)
        return status;
    code = cl->EnqueueNDRangeKernel(queue->queue, ready, range->dims, range->offset, range->global,
                                    ki_opencl_range_local(range), 0, NULL, event ? &native : NULL);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, queue->context->spec, "launching");
    return ki_opencl_event_give(queue->context, native, event, err);
}

// ---- events ----

kn_status ki_opencl_event_give(struct be_context *context, cl_event native, struct be_event **event,
                               kn_error *err)
{
    struct be_event *made;

    if (!event)
        return KN_OK;
    made = ki_kept_take(&context->kept, sizeof *made);
    if (!made) {
        cl->ReleaseEvent(native);
        return ki_fail_memory(err, sizeof *made, "an OpenCL event");
    }
    *made = (struct be_event){context, native, NULL};
    *event = made;
    return KN_OK;
}

kn_status ki_opencl_work_begin(struct opencl_work *work, struct be_queue *queue, bool timed, kn_error *err)
{
    cl_int code = CL_SUCCESS;

    *work = (struct opencl_work){queue->context, NULL, NULL};
    if (timed)
        code = cl->EnqueueMarkerWithWaitList(queue->queue, 0, NULL, &work->begin);
    return code == CL_SUCCESS ? KN_OK
                              : ki_opencl_fail(err, code, queue->context->spec, "noting when work begins");
}

cl_event *ki_opencl_work_last(struct opencl_work *work)
{
    return work->begin ? &work->last : NULL;
}

kn_status ki_opencl_work_end(struct opencl_work *work, struct be_event **event, kn_error *err)
{
    kn_status status = ki_opencl_event_give(work->context, work->last, event, err);

    if (!status && event)
        (*event)->begin = work->begin;
    else if (work->begin)
        cl->ReleaseEvent(work->begin);
    return status;
}

void ki_opencl_work_abandon(struct opencl_work *work)
{
    if (work->begin)
        cl->ReleaseEvent(work->begin);
}

kn_status ki_opencl_event_wait(struct be_event *event, kn_error *err)
{
    cl_int code = cl->WaitForEvents(1, &event->event);

    return code == CL_SUCCESS ? KN_OK : ki_opencl_fail(err, code, "opencl", "waiting for an event");
}

// A failed command has its error in place of a status, which is below 0.
kn_status ki_opencl_event_done(struct be_event *event, bool *done, kn_error *err)
{
    cl_int reached = CL_QUEUED, code = cl->GetEventInfo(event->event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                        sizeof reached, &reached, NULL);

    if (code == CL_SUCCESS && reached < 0)
        code = reached;
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, "opencl", "looking at an event");
    *done = reached == CL_COMPLETE;
    return KN_OK;
}

kn_status ki_opencl_event_times(struct be_event *event, uint64_t *queued, uint64_t *start, uint64_t *end,
                                kn_error *err)
{
    cl_ulong times[3] = {0, 0, 0};
    cl_event first = event->begin ? event->begin : event->event;
    cl_int code =
        cl->GetEventProfilingInfo(first, CL_PROFILING_COMMAND_QUEUED, sizeof times[0], &times[0], NULL);

    if (code == CL_SUCCESS)
        code = cl->GetEventProfilingInfo(first,
                                         event->begin ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START,
                                         sizeof times[1], &times[1], NULL);
    if (code == CL_SUCCESS)
        code = cl->GetEventProfilingInfo(event->event, CL_PROFILING_COMMAND_END, sizeof times[2], &times[2],
                                         NULL);
    if (code != CL_SUCCESS)
        return ki_opencl_fail(err, code, "opencl", "reading an event's times");
    *queued = times[0];
    *start = times[1];
    *end = times[2];
    return KN_OK;
}

kn_status ki_opencl_event_share(struct be_event *event, struct be_event **second, kn_error *err)
{
    struct opencl_work work = {event->context, event->begin, event->event};
    cl_int code = cl->RetainEvent(work.last);

    if (code == CL_SUCCESS && work.begin) {
        code = cl->RetainEvent(work.begin);
        if (code != CL_SUCCESS)
            cl->ReleaseEvent(work.last);
    }
    return code == CL_SUCCESS ? ki_opencl_work_end(&work, second, err)
                              : ki_opencl_fail(err, code, "opencl", "sharing an event");
}

void ki_opencl_event_free(struct be_event *event)
{
    if (event->begin)
        cl->ReleaseEvent(event->begin);
    cl->ReleaseEvent(event->event);
    ki_kept_give(&event->context->kept, event);
}
