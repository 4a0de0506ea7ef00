// SPDX-License-Identifier: Apache-2.0
// Tests every row of src/engine/device/quirks.c: through Koine the result must be right on every device, and
// where a row applies, the driver itself must still behave as the row says. A driver that no longer does so
// is reported on a line. test_quirk_answers tests the rows about answers that drivers give about themselves.
#include "quirks_support.h"

#include <koine/experimental/cache.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/text/text.h"

// ---- loops ----

static const char count_loop[] = "__kernel void count(__global uint *out, uint rounds)\n"
                                 "{\n"
                                 "    uint done = 0;\n"
                                 "    for (uint i = 0; i < rounds; i++) {\n"
                                 "        out[1] = i;\n" // so that no compiler replaces the loop
                                 "        done++;\n"
                                 "    }\n"
                                 "    out[0] = done;\n"
                                 "}\n";

static uint32_t count_to(kn_program *program, uint32_t rounds)
{
    kn_buffer *out = make_buffer(context, 8);
    kn_arg args[] = {KN_BUFFER(out), KN_VALUE(rounds)};
    uint32_t found[2] = {0, 0};

    run(kernel_of(program, "count"), 1, 1, args, 2);
    expect_ok(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    kn_buffer_free(out);
    return found[0];
}

START_TEST(loop_limit)
{
    kn_program *program = build_text(context, count_loop);
    uint32_t limit = quirks.loop_limit, found;

    ck_assert_uint_eq(count_to(program, 65000), 65000);
    found = count_to(program, 70000);
    if (!limit)
        ck_assert_uint_eq(found, 70000);
    else if (found == 70000)
        report_gone("loops stop after 65,535 iterations");
    else
        ck_assert_uint_le(found, limit + 1);
    kn_program_free(program);
}
END_TEST

// A single work-item whose first loop ends when the value that it loads is 200; it then counts the iterations
// of the second loop.
static const char loaded_loop[] = "__kernel void follow(__global const uint *steps, __global uint *out)\n"
                                  "{\n"
                                  "    uint at = 0, rounds = 0;\n"
                                  "    for (uint i = 0; at != 200; i++)\n"
                                  "        at = steps[i];\n"
                                  "    for (uint i = 0; i < 1000; i++) {\n"
                                  "        out[1] = i;\n"
                                  "        rounds++;\n"
                                  "    }\n"
                                  "    out[0] = rounds;\n"
                                  "}\n";

START_TEST(loaded_ends)
{
    const uint32_t steps[] = {10, 77, 200};
    kn_program *program = build_text(context, loaded_loop);
    kn_buffer *in = make_buffer(context, sizeof steps), *out = make_buffer(context, 8);
    kn_arg args[] = {KN_BUFFER(in), KN_BUFFER(out)};
    uint32_t found[2] = {0, 0};

    expect_ok(kn_buffer_write(queue, in, 0, steps, sizeof steps, &err));
    run(kernel_of(program, "follow"), 1, 1, args, 2);
    expect_ok(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    if (!quirks.loop_limit)
        ck_assert_uint_eq(found[0], 1000);
    else if (found[0] == 1000)
        report_gone("work-items behind a group's end use up a loop's iterations");
    kn_buffer_free(in);
    kn_buffer_free(out);
    kn_program_free(program);
}
END_TEST

static const char struct_copies[] = "typedef struct { uchar c[3]; } triple;\n"
                                    "__kernel void pass(__global const triple *in, __global triple *out)\n"
                                    "{\n"
                                    "    __local triple held[8];\n"
                                    "    for (uint i = 0; i < 8; i++)\n"
                                    "        held[i] = in[i];\n"
                                    "    for (uint i = 0; i < 8; i++)\n"
                                    "        out[i] = held[i];\n"
                                    "}\n";

START_TEST(odd_structs)
{
    kn_program *program = build_text(context, struct_copies);
    kn_buffer *in = make_buffer(context, 24), *out = make_buffer(context, 24);
    kn_arg args[] = {KN_BUFFER(in), KN_BUFFER(out)};
    char given[24], found[24];

    for (size_t i = 0; i < sizeof given; i++)
        given[i] = (char)(i + 1);
    expect_ok(kn_buffer_write(queue, in, 0, given, sizeof given, &err));
    run(kernel_of(program, "pass"), 1, 1, args, 2);
    expect_ok(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    if (!quirks.odd_structs_wrong)
        ck_assert_mem_eq(found, given, sizeof given);
    else if (memcmp(found, given, sizeof given) == 0)
        report_gone("structs of 3 bytes are copied wrong in local memory");
    kn_buffer_free(in);
    kn_buffer_free(out);
    kn_program_free(program);
}
END_TEST

// ---- function calls ----

// The barrier is two calls below the kernel, the function between them has more than a few instructions, and
// its call is not the last operation of the kernel.
static const char nested_barrier[] =
    "static void meet(const uint *own, __local uint *all)\n"
    "{\n"
    "    all[get_local_id(0)] = own[0] + own[1];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "}\n"
    "static void gather(__global const uint *in, ulong count, __local uint *all)\n"
    "{\n"
    "    uint own[2] = {0, 0};\n"
    "    if (get_local_id(0) % 3 == 0)\n"
    "        for (ulong i = get_local_id(0); i < count; i += get_local_size(0))\n"
    "            own[i / 7 % 2] += in[i];\n"
    "    meet(own, all);\n"
    "}\n"
    "__kernel void sum_thirds(__global const uint *in, ulong count, __global uint *out)\n"
    "{\n"
    "    __local uint all[64];\n"
    "    for (uint round = 0; round < 2; round++) {\n"
    "        gather(in, count >> round, all);\n"
    "        out[64 * round + get_local_id(0)] = all[63 - get_local_id(0)];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "}\n";

// Without Koine, Mesa 25.0 ends the process, so the driver itself is not called.
START_TEST(nested_calls)
{
    enum { ITEMS = 64, COUNT = 1000 };
    uint32_t given[COUNT], found[2 * ITEMS];
    uint64_t count = COUNT;
    kn_program *program = build_text(context, nested_barrier);
    kn_buffer *in = make_buffer(context, sizeof given), *out = make_buffer(context, sizeof found);
    kn_arg args[] = {KN_BUFFER(in), KN_VALUE(count), KN_BUFFER(out)};

    for (uint32_t i = 0; i < COUNT; i++)
        given[i] = i * i;
    expect_ok(kn_buffer_write(queue, in, 0, given, sizeof given, &err));
    run(kernel_of(program, "sum_thirds"), ITEMS, ITEMS, args, KI_COUNT(args));
    expect_ok(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    for (uint32_t at = 0; at < 2 * ITEMS; at++) {
        uint32_t item = ITEMS - 1 - at % ITEMS, expected = 0;
        for (uint32_t i = item; i < (uint32_t)COUNT >> at / ITEMS && item % 3 == 0; i += ITEMS)
            expected += given[i];
        ck_assert_msg(found[at] == expected, "place %u: %u, not %u", at, found[at], expected);
    }
    kn_buffer_free(in);
    kn_buffer_free(out);
    kn_program_free(program);
}
END_TEST

// ---- double precision ----

// 6.12.2: fma returns "the correctly rounded floating-point representation of the sum of c with the
// infinitely precise product of a and b". tests/unit/algo/test_reduce tests sums of squares, which have the
// promised bits even on such a driver.
static const char fused[] = "__kernel void fuse(__global double *x)\n"
                            "{\n"
                            "    x[3] = fma(x[0], x[1], x[2]);\n"
                            "}\n";

START_TEST(double_fma)
{
    double found[4] = {1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29, 7}; // only the last bit of the product
                                                                   // remains: 2^-60
    kn_program *program;
    kn_buffer *numbers;

    if (!kn_context_get_device(context)->fp64) {
        fprintf(stderr, "skipped: %s has no double precision\n", kn_context_get_device(context)->name);
        return;
    }
    program = build_text(context, fused);
    numbers = make_buffer(context, sizeof found);
    expect_ok(kn_buffer_write(queue, numbers, 0, found, sizeof found, &err));
    run(kernel_of(program, "fuse"), 1, 1, (kn_arg[]){KN_BUFFER(numbers)}, 1);
    expect_ok(kn_buffer_read(queue, numbers, 0, found, sizeof found, &err));
    if (!quirks.double_fma_wrong)
        ck_assert_msg(found[3] == 0x1p-60, "%a", found[3]);
    else if (found[3] == 0x1p-60)
        report_gone("fma of doubles rounds twice");
    kn_buffer_free(numbers);
    kn_program_free(program);
}
END_TEST

// ---- compilers ----

START_TEST(narrowed_switch)
{
    static const char text[] = "__kernel void pick(__global uint *out)\n"
                               "{\n"
                               "    uint x = get_global_id(0) * 7 + 3, y;\n"
                               "    switch (x & 3) {\n"
                               "    case 0: y = 10; break;\n"
                               "    case 1: y = 21; break;\n"
                               "    case 2: y = 5; break;\n"
                               "    default: y = 77; break;\n"
                               "    }\n"
                               "    out[get_global_id(0)] = y;\n"
                               "}\n";
    static const uint32_t expected[] = {10, 21, 5, 77};
    kn_program *program = build_text(context, text);
    kn_buffer *out = make_buffer(context, 4 * 64);
    kn_arg args[] = {KN_BUFFER(out)};
    uint32_t found[64];

    run(kernel_of(program, "pick"), 64, 0, args, 1);
    expect_ok(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_uint_eq(found[i], expected[(i * 7 + 3) & 3]);
    kn_buffer_free(out);
    kn_program_free(program);
}
END_TEST

// The result of the driver for the switch without our option; Oclgrind may report an invalid access.
START_TEST(narrowed_switch_beneath)
{
    static const char text[] = "__kernel void pick(__global uint *out, uint x)\n"
                               "{ switch (x & 3) { case 0: *out = 10; break; case 1: *out = 21; break;\n"
                               "                   case 2: *out = 5; break; default: *out = 77; } }\n";
    static const uint32_t expected[] = {10, 21, 5, 77};
    cl_program beneath = NULL;
    cl_kernel native;
    kn_buffer *out;
    cl_mem memory;
    size_t one = 1;
    int wrong = 0;

    if (!*quirks.build_options)
        return;
    if (getenv("OCLGRIND_BUILD_OPTIONS")) {
        fprintf(stderr, "skipped: OCLGRIND_BUILD_OPTIONS hides what it does by itself\n");
        return;
    }
    native = native_kernel(text, "", "pick", &beneath);
    out = make_buffer(context, 4);
    memory = kn_buffer_get_opencl(out);
    clSetKernelArg(native, 0, sizeof memory, &memory);
    for (uint32_t x = 0; x < 8; x++) {
        uint32_t found = 0;

        expect_ok(kn_buffer_write(queue, out, 0, &found, 4, &err));
        clSetKernelArg(native, 1, sizeof x, &x);
        clEnqueueNDRangeKernel(kn_queue_get_opencl(queue), native, 1, NULL, &one, NULL, 0, NULL, NULL);
        expect_ok(kn_buffer_read(queue, out, 0, &found, 4, &err));
        wrong += found != expected[x & 3];
    }
    if (!wrong)
        report_gone("optimised code that narrows integers is miscompiled");
    kn_buffer_free(out);
    clReleaseKernel(native);
    clReleaseProgram(beneath);
}
END_TEST

// The location in a message where #line names another one.
START_TEST(line_directives)
{
    if (!asks_opencl())
        return;

    static const char text[] =
        "#line 40 \"elsewhere.cl\"\n__kernel void k(__global int *x) { x[0] = no_such_name; }\n";
    const char *source = text;
    bool reported = begin_refusals();
    cl_device_id device = native_device();
    cl_int code;
    char log[4096] = "";
    cl_program program = clCreateProgramWithSource(kn_context_get_opencl(context), 1, &source, NULL, &code);

    ck_assert_int_eq(code, CL_SUCCESS);
    ck_assert_int_ne(clBuildProgram(program, 1, &device, "", NULL, NULL), CL_SUCCESS);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
    end_refusals(reported);
    ck_assert_ptr_nonnull(strstr(log, "no_such_name"));
    if (!quirks.flat_name)
        ck_assert_ptr_nonnull(strstr(log, "elsewhere.cl"));
    else if (!strstr(log, quirks.flat_name))
        report_gone("#line is ignored in messages");
    clReleaseProgram(program);
}
END_TEST

// ---- devices ----

START_TEST(excluded)
{
    kn_device_info clover = {.platform = "Clover", .name = "AMD Radeon"},
                   llvmpipe = {.platform = "rusticl", .name = "llvmpipe (x)", .driver = "22.3.6"},
                   newer = {.platform = "rusticl", .name = "llvmpipe (x)", .driver = "25.0.7-2+deb13u1"};
    kn_device_info radeon = {.platform = "rusticl", .name = "AMD Radeon"},
                   pocl = {.platform = "Portable Computing Language"};
    kn_device_info nvidia = {.platform = "NVIDIA CUDA", .name = "NVIDIA H200"};
    kn_device_info broken = {.platform = "Clover", .why_not = "the driver says it is not available"};
    struct engine_quirks found = ki_engine_quirks_of(&clover);

    ck_assert_ptr_nonnull(found.why_not);
    ck_assert_str_eq(clover.why_not, found.why_not);
    ck_assert_str_eq(found.build_options, "");
    ki_engine_quirks_of(&broken);
    ck_assert_str_eq(broken.why_not, "the driver says it is not available");
    found = ki_engine_quirks_of(&llvmpipe);
    ck_assert_uint_eq(found.loop_limit, 65535);
    ck_assert_uint_eq(llvmpipe.loop_limit, 65535);
    ck_assert_str_eq(llvmpipe.why_not, "");
    ck_assert(found.calls_wrong && found.local_answer_doubled);
    found = ki_engine_quirks_of(&newer);
    ck_assert_uint_eq(newer.loop_limit, 0);
    ck_assert(found.calls_wrong && found.double_fma_wrong && !found.local_answer_doubled);
    found = ki_engine_quirks_of(&radeon); // which has a different compiler and different limits
    ck_assert_uint_eq(found.loop_limit, 0);
    ck_assert(!found.group_answer_wrong);
    found = ki_engine_quirks_of(&nvidia);
    ck_assert_uint_eq(found.range_limit, INT32_MAX);
    found = ki_engine_quirks_of(&pocl);
    ck_assert_uint_eq(found.range_limit, 0);
    ck_assert_ptr_null(found.why_not);
    ck_assert_str_eq(found.build_options, "");
    ck_assert_uint_eq(pocl.loop_limit, 0);
}
END_TEST

// Where the driver does not keep binaries, there are none; where it keeps what it compiles, there are
// binaries only if they are requested.
static void expect_binaries(bool kept)
{
    char *folder = test_folder();
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = folder);

    for (int i = 0; i < 2; i++) {
        kn_context *own = open_with(&options);
        kn_program *program = build_text(own, "__kernel void nothing(void) { }\n");

        ck_assert_int_eq(kn_program_get_cached(program), i == 1 && kept);
        kn_program_free(program);
        kn_context_close(own);
    }
    test_remove(folder);
}

START_TEST(binaries)
{
    const kn_device_info *device = kn_context_get_device(context);

    ck_assert_int_eq(kn_cache_keeps(device), !quirks.no_binaries && !quirks.keeps_programs);
    expect_binaries(!quirks.no_binaries && !quirks.keeps_programs);
    setenv("KOINE_KEEP_PROGRAMS", "yes", 1);
    ck_assert_int_eq(kn_cache_keeps(device), !quirks.no_binaries);
    expect_binaries(!quirks.no_binaries);
    setenv("KOINE_KEEP_PROGRAMS", "no", 1);
    ck_assert(!kn_cache_keeps(device));
    expect_binaries(false);
    unsetenv("KOINE_KEEP_PROGRAMS");
}
END_TEST

// Without Koine: when asked for a binary, the driver compiles the kernels again, although it has run them.
START_TEST(binaries_take_long)
{
    enum { KERNELS = 24 };
    struct ki_text text = KI_TEXT_INIT;
    double start, first, binary;
    kn_program *program;
    void *data = NULL;
    size_t bytes = 0;

    if (!quirks.keeps_programs)
        return;
    for (int i = 0; i < KERNELS; i++)
        ki_text_format(&text,
                       "__kernel void k%d(__global float *x, uint seed)\n"
                       "{\n"
                       "    for (uint i = 0; i < %d + seed; i++)\n"
                       "        x[get_global_id(0)] = sincos(x[i], &x[i + 1]) + pow(x[i + 2], x[i + 3]);\n"
                       "}\n",
                       i, i + (int)(ki_clock_seconds() * 1e6) % 1000000);
    start = ki_clock_seconds();
    program = build_text(context, ki_text_string(&text));
    first = ki_clock_seconds() - start;
    start = ki_clock_seconds();
    expect_ok(context->backend->program_binary(program->native, &data, &bytes, &err));
    binary = ki_clock_seconds() - start;
    if (binary < 0.1 * first)
        report_gone("binaries take kernels that are compiled anew");
    free(data);
    kn_program_free(program);
    ki_text_free(&text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {loop_limit,
                                  loaded_ends,
                                  odd_structs,
                                  nested_calls,
                                  double_fma,
                                  narrowed_switch,
                                  narrowed_switch_beneath,
                                  line_directives,
                                  excluded,
                                  binaries,
                                  binaries_take_long};

    unsetenv("KOINE_KEEP_PROGRAMS");
    return RUN_ON_DEVICE_WITH("quirks", set_up, tear_down, tests);
}
