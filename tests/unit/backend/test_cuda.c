// SPDX-License-Identifier: Apache-2.0
// Tests the CUDA backend with the fake driver: properties of a device, copies and fills, programs, times,
// faults, and objects of the application. test_cuda_launch tests launches.
#include "cuda_open.h"

#include <koine/cuda.h>

#include "base/array.h"
#include "engine/engine.h"

START_TEST(description)
{
    const kn_device_info *info = &devices[0].info;

    ck_assert_str_eq(info->spec, "cuda:0");
    ck_assert_str_eq(info->name, "Fake H200");
    ck_assert_str_eq(info->backend, "cuda");
    ck_assert_str_eq(info->version, "CUDA 13.0, compute capability 9.0");
    ck_assert_str_eq(info->language, "NVRTC 13.2");
    ck_assert_str_eq(info->uuid, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    ck_assert_str_eq(info->pci, "0000:8f:00.0");
    ck_assert_int_eq(info->type, KN_DEVICE_GPU);
    ck_assert_uint_eq(info->compute_units, 132);
    ck_assert_uint_eq(info->global_memory, (uint64_t)1 << 30);
    ck_assert_uint_eq(info->local_memory, 232448);
    ck_assert_uint_eq(info->max_work_group, 1024);
    ck_assert_uint_eq(info->max_work_item_sizes[2], 1024);
    ck_assert(info->fp64 && info->subgroup);
    ck_assert_ptr_nonnull(strstr(devices[0].extensions, "cl_khr_fp64"));
}
END_TEST

START_TEST(copies)
{
    struct be_memory *a = memory_of(256), *b = memory_of(256);
    struct be_copy copy = {16, 100, true};
    unsigned char sent[100], got[100];
    struct be_host host;

    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)(i * 7 + 1);
    expect_ok(cuda->copy_to_device(queue, a, sent, &copy, NULL, &err));
    expect_ok(cuda->copy_on_device(queue, a, 16, b, 50, sizeof sent, NULL, &err));
    copy.offset = 50;
    expect_ok(cuda->copy_to_host(queue, b, got, &copy, NULL, &err));
    ck_assert_mem_eq(sent, got, sizeof sent);
    expect_ok(cuda->host_alloc(queue, 100, &host, &err));
    expect_ok(cuda->copy_to_host(queue, b, host.data, &copy, NULL, &err));
    ck_assert_mem_eq(sent, host.data, sizeof sent);
    cuda->host_free(queue, &host);
    cuda->memory_free(a);
    cuda->memory_free(b);
}
END_TEST

// Every pattern size, at an offset, short and long enough to be doubled; memory outside is unchanged.
START_TEST(fills)
{
    static const unsigned char patterns[][16] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                                                 {0},
                                                 {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6}};
    static const size_t lengths[] = {16, 48, 4096, 4112, 65536 + 16};
    struct be_memory *memory = memory_of(70000);
    unsigned char *device = (unsigned char *)(uintptr_t)memory->pointer;

    for (size_t p = 0; p < KI_COUNT(patterns); p++)
        for (size_t size = 1; size <= 16; size *= 2)
            for (size_t l = 0; l < KI_COUNT(lengths); l++) {
                memset(device, 0xee, 70000);
                expect_ok(cuda->fill(queue, memory, patterns[p], size, 32, lengths[l], NULL, &err));
                size_t right = 0;
                while (right < lengths[l] && device[32 + right] == patterns[p][right % size])
                    right++;
                ck_assert_msg(right == lengths[l], "pattern %zu of %zu bytes, at %zu", p, size, right);
                ck_assert_uint_eq(device[31], 0xee);
                ck_assert_uint_eq(device[32 + lengths[l]], 0xee);
            }
    cuda->memory_free(memory);
}
END_TEST

// ---- programs ----

// Compiler options besides those of the policy; --minimal unless the text has images.
static const char always[] =
    "--gpu-architecture=sm_90 --std=c++17 --device-as-default-execution-space "
    "-diag-suppress=111,128,177,546,550,2464 --fmad=false --prec-div=true --prec-sqrt=true ";

START_TEST(compiler_options)
{
    struct be_program *program = NULL;
    char *log = NULL;
    const char *strict = cuda->policy_options(context, KN_POLICY_STRICT, false);
    char options[128], expected[256];

    expect_ok(cuda->program_build(context, "// ::tex2D\n", strict, &program, &log, &err));
    ck_assert_str_eq(compiler->options, always);
    free(log);
    cuda->program_free(program);
    program = NULL;
    log = NULL;
    snprintf(options, sizeof options, "%s --maxrregcount=64", strict);
    snprintf(expected, sizeof expected, "%s--maxrregcount=64 --minimal ", always);
    expect_ok(cuda->program_build(context, "//warning\n", options, &program, &log, &err));
    ck_assert_str_eq(compiler->options, expected);
    ck_assert_ptr_nonnull(strstr(log, "a fake warning"));
    free(log);
    cuda->program_free(program);
    ck_assert_str_eq(cuda->policy_options(context, KN_POLICY_DEFAULT, false),
                     "--fmad=true --prec-div=false --prec-sqrt=false");
    ck_assert_str_eq(cuda->policy_options(context, KN_POLICY_FAST, false), "--use_fast_math");
}
END_TEST

START_TEST(does_not_compile)
{
    struct be_program *program = NULL;
    char *log = NULL;

    expect_failure(cuda->program_build(context, "//error\n", "", &program, &log, &err), KN_ERROR_BUILD, &err,
                   "nvrtcCompileProgram|NVRTC 13.2|NVRTC_ERROR_COMPILATION");
    ck_assert_str_eq(log, "a.cl(2): error: a fake error\n");
    free(log);
}
END_TEST

START_TEST(binaries)
{
    struct be_program *program = program_of("//kernel koine_plain 64\n"), *again = NULL;
    struct be_kernel *kernel = NULL;
    static const kn_source_kernel absent = {"absent", NULL, 0, NULL, {0, 0, 0}, "a.cl", 1, {0, false}};
    void *binary = NULL;
    size_t bytes = 0;

    expect_ok(cuda->program_binary(program, &binary, &bytes, &err));
    expect_ok(cuda->program_load(context, binary, bytes, "", &again, &err));
    expect_failure(cuda->kernel_get(again, &absent, &kernel, &err), KN_ERROR_DEVICE, &err,
                   "kernel absent|cuModuleGetFunction");
    cuda->program_free(again);
    expect_failure(cuda->program_load(context, "no cubin", 8, "", &again, &err), KN_ERROR_INPUT, &err,
                   "not a cubin");
    expect_failure(cuda->program_load(context, "", 0, "", &again, &err), KN_ERROR_INPUT, &err, "not a cubin");
    free(binary);
    cuda->program_free(program);
}
END_TEST

// ---- time ----

START_TEST(times)
{
    struct be_memory *memory = memory_of(64);
    const unsigned char zero = 0;
    struct be_event *events[3] = {NULL, NULL, NULL}, *shared = NULL;
    uint64_t queued, start[3], end[3];

    expect_ok(cuda->fill(queue, memory, &zero, 1, 0, 64, &events[0], &err));
    driver->now_ms += 5e6; // 83 minutes later a float in milliseconds is exact to half a millisecond
    for (int i = 1; i < 3; i++)
        expect_ok(cuda->fill(queue, memory, &zero, 1, 0, 64, &events[i], &err));
    for (int i = 0; i < 3; i++) {
        expect_ok(cuda->event_wait(events[i], &err));
        expect_ok(cuda->event_times(events[i], &queued, &start[i], &end[i], &err));
        ck_assert_uint_eq(end[i] - start[i], 1000); // the fake's clock advances with each record
        ck_assert_uint_le(queued, start[i]);
    }
    ck_assert_uint_ge(start[1] - start[0], 4999999000000);
    ck_assert_uint_eq(start[2] - start[1], 2000);
    expect_ok(cuda->event_share(events[0], &shared, &err));
    for (int i = 0; i < 3; i++)
        cuda->event_free(events[i]);
    expect_ok(cuda->event_wait(shared, &err));
    cuda->event_free(shared);
    cuda->memory_free(memory);
}
END_TEST

// An unfinished event is not a failure of the driver.
START_TEST(done)
{
    struct be_memory *memory = memory_of(64);
    const unsigned char zero = 0;
    struct be_event *event = NULL;
    bool is_done = true;

    expect_ok(cuda->fill(queue, memory, &zero, 1, 0, 64, &event, &err));
    setenv("FAKE_CUDA_FAIL", "cuEventQuery:600:1", 1);
    expect_ok(cuda->event_done(event, &is_done, &err));
    ck_assert(!is_done);
    unsetenv("FAKE_CUDA_FAIL");
    expect_ok(cuda->event_done(event, &is_done, &err));
    ck_assert(is_done);
    cuda->event_free(event);
    cuda->memory_free(memory);
}
END_TEST

// ---- faults ----

// The engine names the kernel if it waits after each launch (KOINE_LOG=sync).
START_TEST(a_kernel_that_traps)
{
    struct be_program *program = program_of("//kernel koine_plain 64\n//trap koine_plain\n");
    kn_context_options options = KN_INIT(kn_context_options, .debug_sync = 1, .cache_dir = "");
    kn_context *opened = NULL;
    kn_queue *opened_queue = NULL;
    struct engine_clone clone = {NULL, kernel_of(program, &no_arguments)};
    kn_program holder;
    kn_kernel kernel;
    kn_range range = {1, {64}, {64}, {0}};
    const struct be_range native_range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};

    expect_ok(
        cuda->launch(queue, clone.native, &native_range, NULL, 0, NULL, &err)); // the fault is not known yet
    expect_failure(
        cuda->queue_finish(queue, &err), KN_ERROR_DEVICE, &err,
        "cuda:0|waiting for the queue|cuStreamSynchronize|CUDA_ERROR_ILLEGAL_ADDRESS (700)|KOINE_LOG=sync");

    *(int *)(void *)context->context = 0; // as in a new process
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    expect_ok(kn_context_open("cuda:0", &options, &opened, &err));
    expect_ok(kn_queue_open(opened, &opened_queue, &err));
    memset(&holder, 0, sizeof holder);
    memset(&kernel, 0, sizeof kernel);
    holder.context = opened;
    kernel.program = &holder;
    kernel.source = &no_arguments;
    kernel.serial = 1;
    kernel.limits.work_group = 1024;
    kernel.clones = &clone;
    kernel.clone_count = kernel.clone_capacity = 1;
    expect_failure(kn_launch(opened_queue, &kernel, &range, NULL, 0, NULL, &err), KN_ERROR_DEVICE, &err,
                   "kernel plain|CUDA_ERROR_ILLEGAL_ADDRESS");
    kn_queue_close(opened_queue);
    kn_context_close(opened);
    cuda->kernel_free(clone.native);
    cuda->program_free(program);
}
END_TEST

// ---- the application's own objects ----

START_TEST(wrapping)
{
    struct CUctx_st *native = context->context;
    static int other_context[16];
    struct {
        void *context;
    } other_stream = {other_context};
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = "");
    kn_context *wrapped = NULL;
    kn_queue *wrapped_queue = NULL;
    kn_buffer *buffer = NULL;
    CUdeviceptr pointer = 0;
    char back[8] = "";

    context->cu.cuCtxPushCurrent_v2(native); // the application's own context, before and after
    ck_assert_int_eq(context->cu.cuMemAlloc_v2(&pointer, 8), CUDA_SUCCESS);
    expect_ok(kn_context_wrap_cuda(native, &options, &wrapped, &err));
    ck_assert_str_eq(kn_context_get_device(wrapped)->spec, "cuda:0");
    ck_assert_ptr_eq(kn_context_get_cuda(wrapped), native);
    expect_failure(kn_queue_wrap_cuda(wrapped, (void *)&other_stream, &wrapped_queue, &err),
                   KN_ERROR_ARGUMENT, &err, "another CUcontext");
    expect_ok(kn_queue_wrap_cuda(wrapped, queue->stream, &wrapped_queue, &err));
    ck_assert_ptr_eq(kn_queue_get_cuda(wrapped_queue), queue->stream);
    expect_ok(kn_buffer_wrap_cuda(wrapped, pointer, 8, &buffer, &err));
    ck_assert_uint_eq(kn_buffer_get_cuda(buffer), pointer);
    expect_ok(kn_buffer_write(wrapped_queue, buffer, 0, "abcdefg", 8, &err));
    ck_assert_mem_eq((void *)(uintptr_t)pointer, "abcdefg", 8);
    expect_ok(kn_buffer_read(wrapped_queue, buffer, 0, back, 8, &err));
    ck_assert_str_eq(back, "abcdefg");
    kn_buffer_free(buffer);
    kn_queue_close(wrapped_queue);
    kn_context_close(wrapped);
    ck_assert_int_eq(context->cu.cuStreamSynchronize(queue->stream), CUDA_SUCCESS); // all objects still exist
    ck_assert_int_eq(context->cu.cuMemFree_v2(pointer), CUDA_SUCCESS);
    ck_assert_int_eq(context->cu.cuCtxPopCurrent_v2(&native), CUDA_SUCCESS);
    ck_assert_ptr_eq(native, context->context);
    expect_failure(kn_context_wrap_cuda(NULL, NULL, &wrapped, &err), KN_ERROR_ARGUMENT, &err, "NULL");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {description, copies, fills, compiler_options,    does_not_compile,
                                  binaries,    times,  done,  a_kernel_that_traps, wrapping};

    return TEST_RUN_WITH("cuda", CK_FORK, set_up, tear_down, tests);
}
