// SPDX-License-Identifier: Apache-2.0
// The overhead of an algorithm's call beyond its launches: kn_sort, kn_reduce, kn_scan and the like on small
// arrays, compared with the same launches, copies and fills through OpenCL's own functions.
//
//     bench/overhead [--device SPEC]...          (without --device: every usable OpenCL device)
//
// A call's commands are written down once: each launch gets a kernel object of its own, whose arguments are
// set before, so that the bare loop is clEnqueueNDRangeKernel and nothing else for it, and
// clEnqueueReadBuffer and its like for copies. The two take turns, CALLS times after a warm-up; a call is
// timed until the queue is done. Microseconds: the median (the least); what Koine takes more, of the medians
// and of the least; and "own", what of Koine's call is spent outside of the driver and the backend, median
// (least). The target is 5 us, the aim 2.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120 // as the backend has it
#include <koine/opencl.h>

#include "backend/opencl/opencl.h"
#include "base/array.h"
#include "bench/bench.h"
#include "engine/engine.h"

enum { CALLS = 400, WARM_UP = 20, MOST_COMMANDS = 256 };

// ---- what a call enqueues ----

enum kind { LAUNCH, WRITE, READ, COPY, FILL };

struct command {
    enum kind kind;
    cl_kernel kernel;
    struct be_range range;
    cl_mem memory, to;
    size_t offset, to_offset, bytes;
    cl_bool blocking;
    void *data; // of the host: what is written, or room for what is read
    unsigned char pattern[16];
    size_t pattern_size;
};

static const struct ki_backend *real;
static struct ki_backend observed;
static bool writes_down;
static struct command commands[MOST_COMMANDS];
static size_t command_count;
static double in_backend; // seconds

static void cl_try(cl_int code, const char *call)
{
    if (code != CL_SUCCESS) {
        fprintf(stderr, "bench: %s: error %d\n", call, (int)code);
        exit(4);
    }
}

static struct command *next_command(enum kind kind)
{
    if (command_count == MOST_COMMANDS) {
        fprintf(stderr, "bench: a call of more than %d commands\n", MOST_COMMANDS);
        exit(5);
    }
    commands[command_count] = (struct command){.kind = kind};
    return &commands[command_count++];
}

// A kernel object of the launch's own, with its arguments.
static cl_kernel own_kernel(struct be_kernel *kernel, const struct be_arg *args, size_t count)
{
    cl_kernel koines, own;
    cl_program program;
    char name[256];
    cl_int code;
    kn_error err = KN_ERROR_INIT;

    bench_try(ki_opencl_kernel_set(kernel, args, count, &koines, &err), &err);
    cl_try(clGetKernelInfo(koines, CL_KERNEL_PROGRAM, sizeof(program), &program, NULL), "clGetKernelInfo");
    cl_try(clGetKernelInfo(koines, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL), "clGetKernelInfo");
    own = clCreateKernel(program, name, &code);
    cl_try(code, "clCreateKernel");
    for (size_t i = 0; i < count; i++) {
        const struct be_arg *arg = &args[i];
        cl_mem memory = arg->kind == BE_ARG_MEMORY ? real->memory_native(arg->memory) : NULL;
        size_t size = arg->kind == BE_ARG_MEMORY ? sizeof(cl_mem) : arg->size;
        const void *value = arg->kind == BE_ARG_MEMORY  ? &memory
                            : arg->kind == BE_ARG_VALUE ? arg->value
                                                        : NULL;

        cl_try(clSetKernelArg(own, (cl_uint)i, size, value), "clSetKernelArg");
    }
    return own;
}

static kn_status leave(double start, kn_status status)
{
    in_backend += bench_seconds() - start;
    return status;
}

static kn_status launch(struct be_queue *queue, struct be_kernel *kernel, const struct be_range *range,
                        const struct be_arg *args, size_t count, struct be_event **event, kn_error *err)
{
    double start = bench_seconds();

    if (writes_down) {
        struct command *command = next_command(LAUNCH);
        command->kernel = own_kernel(kernel, args, count);
        command->range = *range;
    }
    return leave(start, real->launch(queue, kernel, range, args, count, event, err));
}

static kn_status write_there(struct be_queue *queue, struct be_memory *to, const void *from,
                             const struct be_copy *copy, struct be_event **event, kn_error *err)
{
    double start = bench_seconds();

    if (writes_down) {
        struct command *command = next_command(WRITE);
        command->memory = real->memory_native(to);
        command->offset = copy->offset;
        command->bytes = copy->bytes;
        command->blocking = copy->blocking;
        command->data = memcpy(bench_allocate(copy->bytes), from, copy->bytes);
    }
    return leave(start, real->copy_to_device(queue, to, from, copy, event, err));
}

static kn_status read_there(struct be_queue *queue, struct be_memory *from, void *to,
                            const struct be_copy *copy, struct be_event **event, kn_error *err)
{
    double start = bench_seconds();

    if (writes_down) {
        struct command *command = next_command(READ);
        command->memory = real->memory_native(from);
        command->offset = copy->offset;
        command->bytes = copy->bytes;
        command->blocking = copy->blocking;
        command->data = bench_allocate(copy->bytes);
    }
    return leave(start, real->copy_to_host(queue, from, to, copy, event, err));
}

static kn_status copy_there(struct be_queue *queue, struct be_memory *from, size_t from_offset,
                            struct be_memory *to, size_t to_offset, size_t bytes, struct be_event **event,
                            kn_error *err)
{
    double start = bench_seconds();

    if (writes_down) {
        struct command *command = next_command(COPY);
        command->memory = real->memory_native(from);
        command->to = real->memory_native(to);
        command->offset = from_offset;
        command->to_offset = to_offset;
        command->bytes = bytes;
    }
    return leave(start, real->copy_on_device(queue, from, from_offset, to, to_offset, bytes, event, err));
}

static kn_status fill_there(struct be_queue *queue, struct be_memory *memory, const void *pattern,
                            size_t pattern_size, size_t offset, size_t bytes, struct be_event **event,
                            kn_error *err)
{
    double start = bench_seconds();

    if (writes_down) {
        struct command *command = next_command(FILL);
        command->memory = real->memory_native(memory);
        command->offset = offset;
        command->bytes = bytes;
        command->pattern_size = pattern_size;
        memcpy(command->pattern, pattern, pattern_size);
    }
    return leave(start, real->fill(queue, memory, pattern, pattern_size, offset, bytes, event, err));
}

// ---- the bare loop ----

static cl_int enqueue(cl_command_queue queue, const struct command *c)
{
    switch (c->kind) {
    case LAUNCH:
        return clEnqueueNDRangeKernel(queue, c->kernel, c->range.dims, c->range.offset, c->range.global,
                                      ki_opencl_range_local(&c->range), 0, NULL, NULL);
    case WRITE:
        return clEnqueueWriteBuffer(queue, c->memory, c->blocking, c->offset, c->bytes, c->data, 0, NULL,
                                    NULL);
    case READ:
        return clEnqueueReadBuffer(queue, c->memory, c->blocking, c->offset, c->bytes, c->data, 0, NULL,
                                   NULL);
    case COPY:
        return clEnqueueCopyBuffer(queue, c->memory, c->to, c->offset, c->to_offset, c->bytes, 0, NULL, NULL);
    case FILL:
        break;
    }
    return clEnqueueFillBuffer(queue, c->memory, c->pattern, c->pattern_size, c->offset, c->bytes, 0, NULL,
                               NULL);
}

static void enqueue_all(cl_command_queue queue)
{
    for (size_t i = 0; i < command_count; i++)
        cl_try(enqueue(queue, &commands[i]), "a command");
}

static void forget_commands(void)
{
    for (size_t i = 0; i < command_count; i++) {
        if (commands[i].kernel)
            clReleaseKernel(commands[i].kernel);
        free(commands[i].data);
    }
    command_count = 0;
}

// ---- the algorithms ----

struct work {
    kn_context *context;
    kn_queue *queue;
    cl_command_queue native;
    kn_buffer *keys, *out;
    size_t n;
};

static kn_status sort(const struct work *w, kn_error *err)
{
    return kn_sort(w->queue, w->keys, KN_F32, w->n, NULL, err);
}

static kn_status reduce(const struct work *w, kn_error *err)
{
    kn_number found;

    return kn_reduce(w->queue, w->keys, KN_F32, w->n, KN_REDUCE_MAX, &found, err);
}

static kn_status moments(const struct work *w, kn_error *err)
{
    kn_moments found;

    return kn_reduce_moments(w->queue, w->keys, KN_F32, w->n, NULL, &found, err);
}

static kn_status scan(const struct work *w, kn_error *err)
{
    return kn_scan(w->queue, w->keys, KN_F32, w->n, KN_REDUCE_SUM, KN_SCAN_INCLUSIVE, w->out, err);
}

static kn_status median(const struct work *w, kn_error *err)
{
    double found;

    return kn_median(w->queue, w->keys, KN_F32, w->n, &found, NULL, err);
}

static const struct algorithm {
    const char *name;
    kn_status (*call)(const struct work *work, kn_error *err);
} algorithms[] = {{"kn_sort", sort},
                  {"kn_reduce", reduce},
                  {"kn_reduce_moments", moments},
                  {"kn_scan", scan},
                  {"kn_median", median}};

static void print_row(const struct algorithm *algorithm, const struct work *work)
{
    static double koine[CALLS], bare[CALLS], own[CALLS];
    cl_command_queue queue = work->native;
    size_t launches = 0;
    kn_error err = KN_ERROR_INIT;

    for (int i = -WARM_UP; i < CALLS; i++) {
        double start, done;

        writes_down = i == -1;
        in_backend = 0;
        start = bench_seconds();
        bench_try(algorithm->call(work, &err), &err);
        own[i < 0 ? 0 : i] = bench_seconds() - start - in_backend;
        cl_try(clFinish(queue), "clFinish");
        done = bench_seconds();
        koine[i < 0 ? 0 : i] = done - start;
        writes_down = false;
        start = bench_seconds();
        enqueue_all(queue);
        cl_try(clFinish(queue), "clFinish");
        bare[i < 0 ? 0 : i] = bench_seconds() - start;
    }
    for (size_t i = 0; i < command_count; i++)
        launches += commands[i].kind == LAUNCH;
    const struct bench_times all = bench_times_of(koine, CALLS), raw = bench_times_of(bare, CALLS),
                             self = bench_times_of(own, CALLS);
    printf("%-18s %7zu %4zu %4zu  %8.1f (%.1f)  %8.1f (%.1f)  %+6.1f (%+.1f)  %6.1f (%.1f)\n",
           algorithm->name, work->n, launches, command_count - launches, all.median * 1e6, all.least * 1e6,
           raw.median * 1e6, raw.least * 1e6, (all.median - raw.median) * 1e6, (all.least - raw.least) * 1e6,
           self.median * 1e6, self.least * 1e6);
    fflush(stdout);
    forget_commands();
}

static void bench_device(const char *spec)
{
    static const size_t sizes[] = {1000, 16384, 65536};
    struct work work = {.n = 0};
    float *keys = bench_allocate(sizes[KI_COUNT(sizes) - 1] * sizeof *keys);
    size_t bytes = sizes[KI_COUNT(sizes) - 1] * sizeof *keys;
    kn_error err = KN_ERROR_INIT;

    bench_try(kn_context_open(spec, NULL, &work.context, &err), &err);
    if (kn_context_get_opencl(work.context)) {
        const kn_device_info *info = kn_context_get_device(work.context);

        bench_try(kn_queue_open(work.context, &work.queue, &err), &err);
        work.native = kn_queue_get_opencl(work.queue);
        bench_try(kn_buffer_create(work.context, bytes, &work.keys, &err), &err);
        bench_try(kn_buffer_create(work.context, bytes, &work.out, &err), &err);
        real = work.context->backend;
        observed = *real;
        observed.launch = launch;
        observed.copy_to_device = write_there;
        observed.copy_to_host = read_there;
        observed.copy_on_device = copy_there;
        observed.fill = fill_there;
        printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
        printf("%-18s %7s %4s %4s  %8s us      %8s us        %6s           %6s\n", "call", "n", "runs",
               "else", "Koine", "bare", "more", "own");
        for (size_t s = 0; s < KI_COUNT(sizes); s++)
            for (size_t i = 0; i < KI_COUNT(algorithms); i++) {
                work.n = sizes[s];
                bench_fill(keys, KN_F32, work.n, 1);
                bench_try(kn_buffer_write(work.queue, work.keys, 0, keys, work.n * sizeof *keys, &err), &err);
                work.context->backend = &observed;
                print_row(&algorithms[i], &work);
                work.context->backend = real;
            }
    } else {
        printf("%s: left out, as it is no OpenCL device; bench/launch has a launch's cost there\n", spec);
    }
    kn_buffer_free(work.keys);
    kn_buffer_free(work.out);
    kn_queue_close(work.queue);
    kn_context_close(work.context);
    free(keys);
}

int main(int argc, char **argv)
{
    kn_device_list *list = NULL;
    kn_error err = KN_ERROR_INIT;

    for (int i = 1; i < argc; i += 2)
        if (i + 1 >= argc || strcmp(argv[i], "--device") != 0)
            return fprintf(stderr, "usage: %s [--device SPEC]...\n", argv[0]), 2;
    for (int i = 1; i < argc; i += 2)
        bench_device(argv[i + 1]);
    if (argc > 1)
        return 0;
    bench_try(kn_device_list_create(&list, &err), &err);
    for (size_t i = 0; i < kn_device_list_get_count(list); i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);
        if (!device->why_not[0])
            bench_device(device->spec);
    }
    kn_device_list_free(list);
    return 0;
}
