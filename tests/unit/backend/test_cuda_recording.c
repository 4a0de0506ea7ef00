// SPDX-License-Identifier: Apache-2.0
// Recordings on CUDA, over the fake driver: graphs hold every launch with its arguments as they were, banks
// are filled at each replay, writes are noted, drivers without graphs say so, and the engine then launches
// one by one.
#include "cuda_open.h"

#include "base/array.h"
#include "engine/recording.h"

static const kn_param params[] = {{KN_PARAM_GLOBAL, "uchar", 1, "out", 0},
                                  {KN_PARAM_VALUE, "int", 4, "n", 0}};
static const kn_source_kernel adder = {"adder", params, KI_COUNT(params), NULL, {0, 0, 0},
                                       "a.cl",  1,      {0, false}};
static const kn_param bank_params[] = {{KN_PARAM_GLOBAL, "uchar", 1, "out", 0},
                                       {KN_PARAM_CONSTANT, "uchar", 1, "table", 1}};
static const kn_source_kernel banked = {"banked", bank_params, KI_COUNT(bank_params), NULL, {0, 0, 0}, "a.cl",
                                        1,        {0, false}};
static const struct be_range range = {1, {0, 0, 0}, {64, 1, 1}, {64, 1, 1}};

START_TEST(nothing_runs_before_it_is_replayed)
{
    struct be_program *program = program_of("//kernel koine_adder 8 4 64\n");
    struct be_kernel *kernels[] = {kernel_of(program, &adder), kernel_of(program, &adder)};
    struct be_memory *out = memory_of(64);
    int values[] = {5, 7};
    struct be_arg args[][2] = {
        {{BE_ARG_MEMORY, out, NULL, 0, NULL, 0}, {BE_ARG_VALUE, NULL, &values[0], 4, NULL, 0}},
        {{BE_ARG_MEMORY, out, NULL, 0, NULL, 0}, {BE_ARG_VALUE, NULL, &values[1], 4, NULL, 0}}};
    // The second one needs two grids.
    const struct be_launch launches[] = {{kernels[0], range, args[0], 2},
                                         {kernels[1], {2, {0}, {8, 65536, 1}, {8, 1, 1}}, args[1], 2}};
    struct be_recording *recording = NULL;
    struct be_queue *other = NULL;
    const int seven = 7;
    unsigned long before = driver->launches;
    unsigned long long written;

    expect_ok(cuda->queue_open(context, &other, &err));
    expect_ok(cuda->recording_create(queue, launches, 2, &recording, &err));
    ck_assert_uint_eq(driver->launches, before);
    values[1] = 9; // too late for the recording
    for (unsigned i = 1; i <= 3; i++) {
        struct be_queue *at = i == 2 ? other : queue;
        written = atomic_load(&out->last_write);
        expect_ok(cuda->recording_replay(at, recording, &err));
        ck_assert_uint_eq(driver->launches, before + 3 * i);
        ck_assert_ptr_eq(driver->last.stream, at->stream);
        ck_assert_mem_eq(driver->last.params[0], &out->pointer, 8);
        ck_assert_mem_eq(driver->last.params[1], &seven, 4);
        ck_assert_uint_ne(atomic_load(&out->last_write), written);
    }
    cuda->recording_free(recording);
    cuda->queue_close(other);
    cuda->memory_free(out);
    for (size_t i = 0; i < 2; i++)
        cuda->kernel_free(kernels[i]);
    cuda->program_free(program);
}
END_TEST

static unsigned char bank_after(struct be_recording *recording, const struct be_kernel *kernel,
                                unsigned long copies)
{
    unsigned long before = driver->copies_on_device;

    expect_ok(cuda->recording_replay(queue, recording, &err));
    ck_assert_uint_eq(driver->copies_on_device - before, copies);
    return ((const unsigned char *)(uintptr_t)kernel->bank)[63];
}

// A replay passes the buffer's contents at that time to its kernels, copied once until a launch writes to the
// buffer; and so does a plain launch after it.
START_TEST(banks_are_filled_at_each_replay)
{
    struct be_program *program =
        program_of("//kernel koine_banked 8 4 64\n//kernel koine_adder 8 4 64\n//bank 256\n");
    struct be_kernel *kernel = kernel_of(program, &banked), *writer = kernel_of(program, &adder);
    struct be_memory *out = memory_of(64), *table = memory_of(64);
    const int n = 1;
    struct be_arg args[] = {{BE_ARG_MEMORY, out, NULL, 0, NULL, 0}, {BE_ARG_MEMORY, table, NULL, 0, NULL, 0}};
    struct be_arg writes[] = {{BE_ARG_MEMORY, table, NULL, 0, NULL, 0}, {BE_ARG_VALUE, NULL, &n, 4, NULL, 0}};
    const struct be_launch launches[] = {{kernel, range, args, 2},
                                         {kernel, range, args, 2},
                                         {writer, range, writes, 2},
                                         {kernel, range, args, 2}};
    unsigned char *bank = (unsigned char *)(uintptr_t)kernel->bank, value = 10;
    struct be_recording *two = NULL, *four = NULL;

    expect_ok(cuda->fill(queue, table, &value, 1, 0, 64, NULL, &err));
    expect_ok(
        cuda->launch(queue, kernel, &range, args, 2, NULL, &err)); // the bank has these contents already
    bank[63] = 0;
    expect_ok(cuda->recording_create(queue, launches, 2, &two, &err));
    expect_ok(cuda->recording_create(queue, launches, 4, &four, &err));
    ck_assert_uint_eq(bank[63], 0); // copied by a replay, not before
    ck_assert_uint_eq(bank_after(two, kernel, 1), 10);
    value = 20;
    expect_ok(cuda->fill(queue, table, &value, 1, 0, 64, NULL, &err));
    ck_assert_uint_eq(bank_after(two, kernel, 1), 20);
    value = 30;
    expect_ok(cuda->fill(queue, table, &value, 1, 0, 64, NULL, &err));
    ck_assert_uint_eq(bank_after(four, kernel, 2), 30);
    bank[63] = 0;
    expect_ok(cuda->launch(queue, kernel, &range, args, 2, NULL, &err));
    ck_assert_uint_eq(bank[63], 30);
    cuda->recording_free(two);
    cuda->recording_free(four);
    cuda->memory_free(table);
    cuda->memory_free(out);
    cuda->kernel_free(kernel);
    cuda->kernel_free(writer);
    cuda->program_free(program);
}
END_TEST

// Two kernel objects of the same function do not affect each other's local memory.
START_TEST(local_memory_of_two_kernels)
{
    static const kn_param locals[] = {{KN_PARAM_LOCAL, "uchar", 1, "near", 0}};
    static const kn_source_kernel source = {"holder", locals, 1, NULL, {0, 0, 0}, "a.cl", 1, {0, false}};
    struct be_program *program = program_of("//kernel koine_holder 4 64\n//shared koine_holder 1000\n");
    struct be_kernel *recorded = kernel_of(program, &source), *plain = kernel_of(program, &source);
    struct be_arg most = {BE_ARG_LOCAL, NULL, NULL, 100000, NULL, 0},
                  less = {BE_ARG_LOCAL, NULL, NULL, 60000, NULL, 0};
    const struct be_launch launch = {recorded, range, &most, 1};
    struct be_recording *recording = NULL;

    expect_ok(cuda->recording_create(queue, &launch, 1, &recording, &err));
    expect_ok(cuda->launch(queue, plain, &range, &less, 1, NULL, &err));
    expect_ok(cuda->recording_replay(queue, recording, &err));
    ck_assert_uint_eq(driver->last.shared, 100000);
    expect_ok(cuda->launch(queue, recorded, &range, &most, 1, NULL, &err)); // as while it is profiled
    cuda->recording_free(recording);
    cuda->kernel_free(recorded);
    cuda->kernel_free(plain);
    cuda->program_free(program);
}
END_TEST

START_TEST(a_launch_that_cannot_be_recorded)
{
    struct be_program *program = program_of("//kernel koine_adder 8 4 64\n");
    struct be_kernel *kernel = kernel_of(program, &adder);
    struct be_memory *out = memory_of(64);
    int value = 1;
    struct be_arg args[] = {{BE_ARG_MEMORY, out, NULL, 0, NULL, 0}, {BE_ARG_VALUE, NULL, &value, 4, NULL, 0}};
    const struct be_launch launches[] = {{kernel, range, args, 2},
                                         {kernel, {1, {0}, {1ull << 40, 1, 1}, {1, 1, 1}}, args, 2}};
    struct be_recording *recording = NULL;

    expect_failure(cuda->recording_create(queue, launches, 2, &recording, &err), KN_ERROR_LIMIT, &err,
                   "1099511627776|work-groups");
    ck_assert_ptr_null(recording);
    setenv("FAKE_CUDA_FAIL", "cuGraphInstantiateWithFlags:2:1", 1);
    expect_failure(cuda->recording_create(queue, launches, 1, &recording, &err), KN_ERROR_MEMORY, &err,
                   "making a graph|cuGraphInstantiateWithFlags");
    unsetenv("FAKE_CUDA_FAIL");
    cuda->memory_free(out);
    cuda->kernel_free(kernel);
    cuda->program_free(program);
}
END_TEST

// ---- through the engine ----

struct opened {
    kn_context *context;
    kn_queue *queue;
    kn_program *program;
    kn_kernel *kernel;
};

static struct opened open_engine(void)
{
    static const char text[] = "__kernel void nothing(int n) { }\n";
    const kn_context_options options = KN_INIT(kn_context_options, .cache_dir = "");
    struct opened o = {.context = NULL};

    setenv("OCL_ICD_VENDORS", "/nonexistent", 1); // only one device
    expect_ok(kn_context_open("cuda:0", &options, &o.context, &err));
    expect_ok(kn_queue_open(o.context, &o.queue, &err));
    expect_ok(kn_program_from_text(o.context, text, "a.cl", NULL, &o.program, &err));
    expect_ok(kn_program_get_kernel(o.program, "nothing", &o.kernel, &err));
    return o;
}

static void close_engine(struct opened *o)
{
    kn_program_free(o->program);
    kn_queue_close(o->queue);
    kn_context_close(o->context);
}

static kn_status record(struct opened *o, kn_recording_way way, kn_recording **recording)
{
    const kn_range all = {1, {64}, {64}, {0}};
    const int n = 1;
    const kn_arg args[] = {KN_VALUE(n)};

    expect_ok(kn_recording_begin(o->queue, way, &err));
    for (int i = 0; i < 5; i++)
        expect_ok(kn_launch(o->queue, o->kernel, &all, args, 1, NULL, &err));
    return kn_recording_end(o->queue, recording, &err);
}

START_TEST(the_engine_takes_graphs)
{
    struct opened o = open_engine();
    kn_recording *graph = NULL, *launches = NULL;
    unsigned long before = driver->launches;

    expect_ok(record(&o, KN_RECORDING_AUTO, &graph));
    expect_ok(record(&o, KN_RECORDING_LAUNCHES, &launches));
    ck_assert_uint_eq(driver->launches, before);
    ck_assert_int_eq(kn_recording_get_way(graph), KN_RECORDING_GRAPH);
    ck_assert_str_eq(kn_recording_get_why(graph), "");
    ck_assert_int_eq(kn_recording_get_way(launches), KN_RECORDING_LAUNCHES);
    // Only one of them launches kernels, and only the other uses graphs.
    setenv("FAKE_CUDA_FAIL", "cuLaunchKernel:999:1", 1);
    expect_ok(kn_recording_replay(o.queue, graph, &err));
    expect_failure(kn_recording_replay(o.queue, launches, &err), KN_ERROR_DEVICE, &err,
                   "nothing|cuLaunchKernel");
    setenv("FAKE_CUDA_FAIL", "cuGraphLaunch:999:1", 1);
    expect_ok(kn_recording_replay(o.queue, launches, &err));
    expect_failure(kn_recording_replay(o.queue, graph, &err), KN_ERROR_DEVICE, &err,
                   "replaying|cuGraphLaunch");
    unsetenv("FAKE_CUDA_FAIL");
    ck_assert_uint_eq(driver->launches, before + 10);
    expect_failure(kn_recording_begin(o.queue, KN_RECORDING_COMMAND_BUFFER, &err), KN_ERROR_UNSUPPORTED, &err,
                   "cuda:0|\"command-buffer\"|\"graph\"");
    kn_recording_free(graph);
    kn_recording_free(launches);
    close_engine(&o);
}
END_TEST

static void use_an_older_driver(void)
{
    use_libraries("no_graphs/libcuda.so.1 libnvrtc.so.13");
    memset(&err, 0, sizeof err);
}

START_TEST(a_driver_without_graphs)
{
    struct opened o = open_engine();
    kn_recording *recording = NULL;

    expect_failure(record(&o, KN_RECORDING_GRAPH, &recording), KN_ERROR_UNSUPPORTED, &err,
                   "cuda:0|cuGraphInstantiateWithFlags|CUDA 11.4");
    expect_ok(record(&o, KN_RECORDING_AUTO, &recording));
    ck_assert_int_eq(kn_recording_get_way(recording), KN_RECORDING_LAUNCHES);
    ck_assert_ptr_nonnull(strstr(kn_recording_get_why(recording), "cuGraphInstantiateWithFlags"));
    expect_ok(kn_recording_replay(o.queue, recording, &err));
    kn_recording_free(recording);
    close_engine(&o);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nothing_runs_before_it_is_replayed, banks_are_filled_at_each_replay,
                                  local_memory_of_two_kernels, a_launch_that_cannot_be_recorded,
                                  the_engine_takes_graphs};
    const TTest *const older[] = {a_driver_without_graphs};

    return TEST_RUN_WITH("cuda_recording", CK_FORK, set_up, tear_down, tests) |
           TEST_RUN_WITH("cuda_recording", CK_FORK, use_an_older_driver, forget_fakes, older);
}
