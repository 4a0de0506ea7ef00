// SPDX-License-Identifier: Apache-2.0
// Makes every entry point of the driver and of NVRTC fail in turn, at each of its calls: nothing may crash or
// leak, and the message must name the call.
#include "cuda_support.h"

#include "base/array.h"
#include "base/error.h"

static const char text[] = "//kernel koine_scale 8 8 4 16 128 4 64\n//shared koine_scale 512\n//bank 4096\n"
                           "//kernel koine_described 8 64\n";

static const kn_param params[] = {
    {KN_PARAM_GLOBAL, "float", 4, "out", 0},      {KN_PARAM_GLOBAL, "float", 4, "in", 1},
    {KN_PARAM_CONSTANT, "float", 4, "table", 1},  {KN_PARAM_VALUE, "float4", 16, "factor", 0},
    {KN_PARAM_IMAGE, "image2d_t", 0, "image", 1}, {KN_PARAM_SAMPLER, "sampler_t", 0, "sampler", 0},
};
static const kn_source_kernel scale = {"scale", params, KI_COUNT(params), NULL, {0, 0, 0},
                                       "a.cl",  1,      {0, false}};

// A kernel that takes its image by address, and has its own local variables in the arena.
static const kn_source_kernel described = {"described", &params[4], 1, NULL,
                                           {0, 0, 0},   "a.cl",     1, {100000, true}};

// Everything that is opened below, so that it can be closed at any point.
struct things {
    struct be_device *devices;
    size_t count;
    struct be_context *context, *wrapped;
    struct be_device described;
    struct be_queue *queues[3];
    struct be_memory *memory[2];
    struct be_image *images[2]; // a 2D array, a buffer
    struct be_host host;
    struct be_program *programs[2];
    struct be_kernel *kernel, *by_address, *of_ptx;
    struct be_recording *recording;
    struct be_event *events[5];
    char *log, *ptx;
    void *binary;
};

static kn_status open_device(struct things *t, kn_error *err)
{
    char why[256];
    kn_status status = cuda->devices(&t->devices, &t->count, why, err);

    if (!status && t->count == 0)
        return ki_fail(err, KN_ERROR_NO_DEVICE, "%s", why);
    if (!status && t->devices[0].info.why_not[0])
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s", t->devices[0].info.why_not);
    if (!status)
        status = cuda->context_open(&t->devices[0], &t->context, err);
    if (!status)
        status = cuda->context_wrap(cuda->context_native(t->context), NULL, &t->wrapped, &t->described, err);
    if (!status)
        status = cuda->queue_open(t->context, &t->queues[0], err);
    if (!status)
        status = cuda->queue_open(t->context, &t->queues[1], err);
    if (!status)
        status = cuda->queue_wrap(t->context, cuda->queue_native(t->queues[0]), &t->queues[2], err);
    return status;
}

static kn_status move_data(struct things *t, kn_error *err)
{
    static const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    struct be_copy copy = {0, 64, true};
    kn_status status = KN_OK;

    for (int i = 0; i < 2 && !status; i++)
        status = cuda->memory_alloc(t->context, 64, &t->memory[i], err);
    if (!status)
        status = cuda->host_alloc(t->queues[0], 64, &t->host, err);
    for (size_t size = 1; size <= 16 && !status; size *= 2)
        status = cuda->fill(t->queues[0], t->memory[0], pattern, size, 0, 64, NULL, err);
    if (!status)
        status = cuda->copy_on_device(t->queues[0], t->memory[0], 0, t->memory[1], 0, 64, NULL, err);
    if (!status)
        status = cuda->copy_to_host(t->queues[0], t->memory[1], t->host.data, &copy, &t->events[0], err);
    if (!status)
        status = cuda->copy_to_device(t->queues[0], t->memory[0], t->host.data, &copy, &t->events[1], err);
    return status;
}

static kn_status move_texels(struct things *t, kn_error *err)
{
    static const struct be_image_shape shapes[] = {
        {KN_IMAGE_2D_ARRAY, {KN_ORDER_RGBA, KN_CHANNEL_UNORM8}, {2, 3, 2}, 4},
        {KN_IMAGE_1D_BUFFER, {KN_ORDER_R, KN_CHANNEL_FLOAT}, {4, 1, 1}, 4}};
    struct be_image_copy copy = {{{0, 0, 0}, {2, 1, 1}}, 8};
    const size_t to[3] = {0, 2, 1};
    unsigned char texels[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {0};
    kn_status status = KN_OK;

    for (int i = 0; i < 2 && !status; i++) {
        status = cuda->image_create(t->context, &shapes[i], &t->images[i], err);
        if (!status)
            status = cuda->image_write(t->queues[0], t->images[i], texels, &copy, err);
    }
    if (!status)
        status =
            cuda->image_copy(t->queues[0], t->images[0], t->images[0], &copy.region, to, &t->events[4], err);
    memcpy(copy.region.origin, to, sizeof to);
    if (!status)
        status = cuda->image_read(t->queues[0], t->images[0], back, &copy, err);
    if (!status)
        ck_assert_mem_eq(texels, back, sizeof texels);
    return status;
}

static kn_status run_by_address(struct things *t, kn_error *err)
{
    struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};
    const struct be_arg image = {BE_ARG_IMAGE, NULL, NULL, 0, t->images[0], 0};
    kn_status status = cuda->kernel_get(t->programs[1], &described, &t->by_address, err);

    return status ? status : cuda->launch(t->queues[0], t->by_address, &range, &image, 1, NULL, err);
}

static kn_status run_ptx(struct things *t, kn_error *err)
{
    static const kn_source_kernel bare = {"bare", NULL, 0, NULL, {0, 0, 0}, "a.cl", 1, {0, false}};
    struct be_kernel_resources resources = {64, 0, -1, -1, -1};
    kn_status status =
        cuda->program_ptx(t->programs[1], "//\n//kernel bare\n.entry bare() { ret; }\n", "", &t->ptx, err);

    if (!status)
        status = cuda->ptx_substitute(t->context, "bare", t->ptx, err);
    if (!status)
        status = cuda->kernel_get(t->programs[1], &bare, &t->of_ptx, err);
    return status ? status : cuda->kernel_resources(t->of_ptx, &resources, err);
}

static kn_status run_program(struct things *t, kn_error *err)
{
    struct be_range range = {1, {0, 0, 0}, {1000, 1, 1}, {0, 0, 0}};
    struct be_kernel_limits limits;
    float factor[4] = {1, 2, 3, 4};
    struct be_arg args[] = {
        {BE_ARG_MEMORY, t->memory[0], NULL, 0, NULL, 0}, {BE_ARG_MEMORY, t->memory[1], NULL, 0, NULL, 0},
        {BE_ARG_MEMORY, t->memory[1], NULL, 0, NULL, 0}, {BE_ARG_VALUE, NULL, factor, sizeof factor, NULL, 0},
        {BE_ARG_IMAGE, NULL, NULL, 0, t->images[0], 0},  {BE_ARG_SAMPLER, NULL, NULL, 0, NULL, 0x12}};
    size_t bytes = 0;
    kn_status status =
        cuda->program_build(t->context, text, cuda->policy_options(t->context, KN_POLICY_STRICT, false),
                            &t->programs[0], &t->log, err);

    if (!status)
        status = cuda->program_binary(t->programs[0], &t->binary, &bytes, err);
    if (!status)
        status = cuda->program_load(t->context, t->binary, bytes, "", &t->programs[1], err);
    if (!status)
        status = cuda->kernel_get(t->programs[1], &scale, &t->kernel, err);
    if (!status)
        status = cuda->kernel_limits(t->kernel, &limits, err);
    if (!status)
        status = cuda->launch(t->queues[0], t->kernel, &range, args, KI_COUNT(args), &t->events[2], err);
    if (!status) { // more shared memory than the default limit
        t->kernel->dynamic_asked = 0;
        args[1] = (struct be_arg){BE_ARG_LOCAL, NULL, NULL, 100000, NULL, 0};
        status = cuda->launch(t->queues[0], t->kernel, &range, args, KI_COUNT(args), NULL, err);
    }
    if (!status) {
        const struct be_launch launches[] = {{t->kernel, range, args, KI_COUNT(args)},
                                             {t->kernel, range, args, KI_COUNT(args)}};
        status = cuda->recording_create(t->queues[0], launches, KI_COUNT(launches), &t->recording, err);
    }
    for (int i = 0; i < 2 && !status; i++)
        status = cuda->recording_replay(t->queues[i], t->recording, err);
    return status;
}

static kn_status wait_for_all(struct things *t, kn_error *err)
{
    uint64_t times[3];
    bool done;
    kn_status status = cuda->queue_wait(t->queues[1], t->events[2], err);

    if (!status)
        status = cuda->event_share(t->events[2], &t->events[3], err);
    if (!status)
        status = cuda->event_done(t->events[3], &done, err);
    if (!status)
        status = cuda->event_wait(t->events[3], err);
    if (!status)
        status = cuda->event_times(t->events[3], &times[0], &times[1], &times[2], err);
    if (!status)
        status = cuda->queue_flush(t->queues[1], err);
    if (!status)
        status = cuda->queue_finish(t->queues[1], err);
    return status;
}

static void close_all(struct things *t)
{
    for (size_t i = 0; i < KI_COUNT(t->events); i++)
        if (t->events[i])
            cuda->event_free(t->events[i]);
    if (t->recording)
        cuda->recording_free(t->recording);
    if (t->kernel)
        cuda->kernel_free(t->kernel);
    if (t->by_address)
        cuda->kernel_free(t->by_address);
    if (t->of_ptx)
        cuda->kernel_free(t->of_ptx);
    for (size_t i = 0; i < KI_COUNT(t->programs); i++)
        if (t->programs[i])
            cuda->program_free(t->programs[i]);
    if (t->host.data)
        cuda->host_free(t->queues[0], &t->host);
    for (size_t i = 0; i < KI_COUNT(t->images); i++)
        if (t->images[i])
            cuda->image_free(t->images[i]);
    for (size_t i = 0; i < KI_COUNT(t->memory); i++)
        if (t->memory[i])
            cuda->memory_free(t->memory[i]);
    for (size_t i = KI_COUNT(t->queues); i-- > 0;)
        if (t->queues[i])
            cuda->queue_close(t->queues[i]);
    if (t->wrapped) {
        cuda->context_close(t->wrapped);
        free(t->described.extensions);
    }
    if (t->context)
        cuda->context_close(t->context);
    ki_be_devices_free(t->devices, t->count);
    free(t->log);
    free(t->ptx);
    free(t->binary);
}

static kn_status everything(kn_error *err)
{
    struct things things = {0};
    kn_status status = open_device(&things, err);

    if (!status)
        status = move_data(&things, err);
    if (!status)
        status = move_texels(&things, err);
    if (!status)
        status = run_program(&things, err);
    if (!status)
        status = run_by_address(&things, err);
    if (!status)
        status = run_ptx(&things, err);
    if (!status)
        status = wait_for_all(&things, err);
    close_all(&things);
    return status;
}

static void expect_nothing_kept(const char *when)
{
    void *library = fake_open("libcuda.so.1");
    struct fake_cuda *(*now)(void);

    *(void **)&now = dlsym(library, "fake_cuda_state");
    now();
    dlclose(library);
    ck_assert_msg(driver->objects == 0, "%s: %ld of the driver's objects are kept", when, driver->objects);
    ck_assert_msg(driver->depth == 0, "%s: %ld contexts are left on the stack", when, driver->depth);
    ck_assert_msg(compiler->objects == 0, "%s: %ld of NVRTC's programs are kept", when, compiler->objects);
}

// Calls whose failure cannot be reported, because they release something.
static bool may_be_quiet(const char *call)
{
    static const char *const calls[] = {
        "cuDevicePrimaryCtxRelease_v2", "cuCtxPopCurrent_v2", "cuCtxSynchronize", "cuStreamDestroy_v2",
        "cuMemFree_v2", "cuMemFreeHost", "cuArrayDestroy", "cuTexObjectDestroy", "cuSurfObjectDestroy",
        "cuModuleUnload", "cuEventDestroy_v2", "nvrtcDestroyProgram", "cuGraphDestroy", "cuGraphExecDestroy",
        // the same, and elsewhere too
        "cuStreamSynchronize", "cuCtxPushCurrent_v2"};

    for (size_t i = 0; i < KI_COUNT(calls); i++)
        if (strcmp(calls[i], call) == 0)
            return true;
    return false;
}

static bool only_when_released(const char *call)
{
    return may_be_quiet(call) && strcmp(call, "cuStreamSynchronize") != 0 &&
           strcmp(call, "cuCtxPushCurrent_v2") != 0;
}

// Makes the call fail at its first, second, ... use, until a run has fewer uses.
static void fail_each(const char *call, int code, kn_status expected)
{
    long reported = 0, uses = 0;

    for (int nth = 1;; nth++) {
        long before = driver->injected + compiler->injected;
        char order[128];
        kn_error err = KN_ERROR_INIT;
        kn_status status;

        snprintf(order, sizeof order, "%s:%d:%d", call, code, nth);
        setenv("FAKE_CUDA_FAIL", order, 1);
        status = everything(&err);
        unsetenv("FAKE_CUDA_FAIL");
        expect_nothing_kept(order);
        if (driver->injected + compiler->injected == before) {
            ck_assert_msg(!status, "%s: %s", order, err.text);
            break;
        }
        uses++;
        if (!status) {
            ck_assert_msg(may_be_quiet(call), "%s: nobody was told", order);
            continue;
        }
        reported++;
        ck_assert_msg(strstr(err.text, call) != NULL, "%s: not named in: %s", order, err.text);
        ck_assert_msg(expected == KN_OK || status == expected, "%s: %s: %s", order, kn_status_name(status),
                      err.text);
    }
    ck_assert_msg(uses > 0, "%s is never called", call);
    ck_assert_msg(reported > 0 || only_when_released(call), "%s: no failure was reported", call);
}

START_TEST(everything_works)
{
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(everything(&err) == KN_OK, "%s", err.text);
    expect_nothing_kept("at the end");
    ck_assert_int_eq(driver->without, 0); // each call had its context
    ck_assert_uint_eq(driver->launches, 3 + 2 * 2);
}
END_TEST

START_TEST(each_driver_call_fails)
{
#define FAIL_EACH(result, name, arguments)                                                                   \
    if (strcmp(#name, "cuGetErrorName") != 0)                                                                \
        fail_each(#name, 999, KN_OK);
    CUDA_DRIVER_CALLS(FAIL_EACH)
    CUDA_GRAPH_CALLS(FAIL_EACH)
}
END_TEST

START_TEST(each_compiler_call_fails)
{
#define FAIL_EACH_NVRTC(result, name, arguments)                                                             \
    if (strcmp(#name, "nvrtcGetErrorString") != 0)                                                           \
        fail_each(#name, 11, KN_OK);
    CUDA_NVRTC_CALLS(FAIL_EACH_NVRTC)
}
END_TEST

START_TEST(memory_runs_out)
{
    static const char *const calls[] = {"cuMemAlloc_v2",     "cuMemHostAlloc", "cuModuleLoadData",
                                        "cuStreamCreate",    "cuEventCreate",  "cuDevicePrimaryCtxRetain",
                                        "cuArray3DCreate_v2"};

    for (size_t i = 0; i < KI_COUNT(calls); i++)
        fail_each(calls[i], CUDA_ERROR_OUT_OF_MEMORY, KN_ERROR_MEMORY);
}
END_TEST

// After an error of a kernel nothing works in this process; after other errors the rest still does.
START_TEST(what_poisons_the_process)
{
    static const CUresult sticky[] = {CUDA_ERROR_ILLEGAL_ADDRESS, CUDA_ERROR_LAUNCH_TIMEOUT,
                                      CUDA_ERROR_ASSERT, CUDA_ERROR_LAUNCH_FAILED};
    static const CUresult others[] = {CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY,
                                      CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, CUDA_ERROR_INVALID_VALUE};

    for (size_t i = 0; i < KI_COUNT(sticky); i++)
        ck_assert_msg(cuda->poisons(sticky[i]), "%d", sticky[i]);
    for (size_t i = 0; i < KI_COUNT(others); i++)
        ck_assert_msg(!cuda->poisons(others[i]), "%d", others[i]);
}
END_TEST

START_TEST(a_nameless_error)
{
    kn_error err = KN_ERROR_INIT;
    struct things things = {0};

    ck_assert_int_eq(open_device(&things, &err), KN_OK);
    expect_failure(cuda->memory_alloc(things.context, (size_t)1 << 40, &things.memory[0], &err),
                   KN_ERROR_MEMORY, &err,
                   "cuda:0|1099511627776 bytes|cuMemAlloc_v2|CUDA_ERROR_OUT_OF_MEMORY (2)");
    ck_assert_int_eq(err.native, 2);
    ck_assert_str_eq(err.native_name, "CUDA_ERROR_OUT_OF_MEMORY");
    setenv("FAKE_CUDA_FAIL", "cuGetErrorName:1:1", 1);
    expect_failure(cuda->memory_alloc(things.context, (size_t)1 << 40, &things.memory[0], &err),
                   KN_ERROR_MEMORY, &err, "cuMemAlloc_v2: CUDA error (2)");
    close_all(&things);
    expect_nothing_kept("at the end");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {everything_works, each_driver_call_fails,   each_compiler_call_fails,
                                  memory_runs_out,  what_poisons_the_process, a_nameless_error};

    return TEST_RUN_WITH("cuda_failures", CK_FORK, use_fakes, forget_fakes, tests);
}
