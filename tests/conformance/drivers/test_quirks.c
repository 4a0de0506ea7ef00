// SPDX-License-Identifier: Apache-2.0
// Every line of src/engine/device/quirks.c: through Koine the right thing happens on every device, and
// beneath it, where the line applies, the driver still does what the line says. A driver that no longer does
// is named on a line of its own.
#define CL_TARGET_OPENCL_VERSION 120
#include "unit/engine/engine_support.h"

#include <koine/opencl.h>

#include "base/array.h"
#include "engine/engine.h"

static kn_context *context;
static kn_queue *queue;
static struct engine_quirks quirks;

static void set_up(void)
{
    kn_device_info info;

    context = open_context();
    queue = open_queue(context);
    info = *kn_context_device(context);
    quirks = engine_quirks_of(&info);
    ck_assert_uint_eq(kn_context_device(context)->loop_limit, quirks.loop_limit);
}

static void tear_down(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
}

// The line may go: this driver has no longer what it says.
static void report_gone(const char *what)
{
    const kn_device_info *info = kn_context_device(context);

    fprintf(stderr, "no longer a quirk of %s, driver %s: %s\n", info->platform, info->driver, what);
}

static cl_device_id native_device(void)
{
    cl_device_id device = NULL;

    clGetContextInfo(kn_opencl_context(context), CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
    return device;
}

// Whether the device is one of OpenCL's: the quirks are those of OpenCL drivers. Says so if it is not.
static bool asks_opencl(void)
{
    if (kn_opencl_context(context))
        return true;
    fprintf(stderr, "skipped: %s is not reached through OpenCL\n", kn_context_device(context)->spec);
    return false;
}

// A kernel as the driver gives it to anybody, without Koine.
static cl_kernel native_kernel(const char *text, const char *options, const char *name, cl_program *program)
{
    cl_device_id device = native_device();
    cl_int code;
    cl_kernel kernel;

    *program = clCreateProgramWithSource(kn_opencl_context(context), 1, &text, NULL, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    ck_assert_int_eq(clBuildProgram(*program, 1, &device, options, NULL, NULL), CL_SUCCESS);
    kernel = clCreateKernel(*program, name, &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return kernel;
}

static void run(kn_kernel *kernel, size_t global, size_t local, const kn_arg *args, size_t count)
{
    kn_range range = {1, {global}, {local}, {0}};

    expect_ok(kn_launch(queue, kernel, &range, args, count, NULL, &err));
    expect_ok(kn_queue_finish(queue, &err));
}

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

// A work-item alone in its group, whose first loop ends when what it loads is 200; then how often the second
// goes round.
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

// ---- calls ----

// The barrier is two calls below the kernel, the function between is more than a few instructions, and its
// call is not the last thing that the kernel does.
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

// Beneath, Mesa 25.0 ends the process: so the driver alone is not asked.
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
    run(kernel_of(program, "sum_thirds"), ITEMS, ITEMS, args, KN_COUNT(args));
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

// Of 6.12.2: fma returns "the correctly rounded floating-point representation of the sum of c with the
// infinitely precise product of a and b". Sums of squares, which have the promised bits all the same:
// tests/unit/algo/test_reduce.
static const char fused[] = "__kernel void fuse(__global double *x)\n"
                            "{\n"
                            "    x[3] = fma(x[0], x[1], x[2]);\n"
                            "}\n";

START_TEST(double_fma)
{
    double found[4] = {1 + 0x1p-30, 1 + 0x1p-30, -1 - 0x1p-29, 7}; // the product's last bit is left: 2^-60
    kn_program *program;
    kn_buffer *numbers;

    if (!kn_context_device(context)->fp64) {
        fprintf(stderr, "skipped: %s has no double precision\n", kn_context_device(context)->name);
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

// ---- what the driver answers ----

// Does a work-group of that many do its work, whatever the driver said before?
static bool runs_natively(cl_kernel kernel, size_t n)
{
    kn_buffer *out = make_buffer(context, 4 * n);
    cl_mem memory = kn_opencl_buffer(out);
    uint32_t *found = calloc(n, 4);
    bool runs;

    ck_assert_ptr_nonnull(found);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    runs = clEnqueueNDRangeKernel(kn_opencl_queue(queue), kernel, 1, NULL, &n, &n, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clFinish(kn_opencl_queue(queue)) == CL_SUCCESS;
    if (runs)
        expect_ok(kn_buffer_read(queue, out, 0, found, 4 * n, &err));
    for (size_t i = 0; i < n && runs; i++)
        runs = found[i] == i;
    free(found);
    kn_buffer_free(out);
    return runs;
}

START_TEST(largest_group)
{
    if (!asks_opencl())
        return;

    static const char text[] =
        "__kernel void where(__global uint *out) { out[get_global_id(0)] = get_local_id(0); }\n";
    kn_program *program = build_text(context, text);
    kn_kernel *kernel = kernel_of(program, "where");
    kn_kernel_limits limits = {0};
    cl_program beneath = NULL;
    cl_kernel native = native_kernel(text, "", "where", &beneath);
    size_t answer = 0;

    expect_ok(kn_kernel_get_limits(kernel, &limits, &err));
    ck_assert_int_eq(clGetKernelWorkGroupInfo(native, native_device(), CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof answer, &answer, NULL),
                     CL_SUCCESS);
    if (!quirks.group_answer_wrong)
        ck_assert_uint_eq(limits.work_group, answer);
    else if (answer >= kn_context_device(context)->max_work_group)
        report_gone("the answer to a kernel's largest work-group is too small");
    else
        ck_assert_uint_gt(limits.work_group, answer);

    // An answer that is too small without the table's knowing?
    if (!quirks.group_answer_wrong && answer < kn_context_device(context)->max_work_group)
        ck_assert_msg(!runs_natively(native, 2 * answer),
                      "a work-group of %zu runs, though the driver says %zu", 2 * answer, answer);

    // What the limits say does run, and every work-item did its part.
    size_t n = 2 * limits.work_group;
    kn_buffer *out = make_buffer(context, 4 * n);
    kn_arg args[] = {KN_BUFFER(out)};
    uint32_t *found = malloc(4 * n);
    ck_assert_ptr_nonnull(found);
    run(kernel, n, limits.work_group, args, 1);
    expect_ok(kn_buffer_read(queue, out, 0, found, 4 * n, &err));
    for (size_t i = 0; i < n; i++)
        ck_assert_uint_eq(found[i], i % limits.work_group);
    free(found);
    kn_buffer_free(out);
    clReleaseKernel(native);
    clReleaseProgram(beneath);
    kn_program_free(program);
}
END_TEST

// What the driver by itself tells the last of `size` work-items of its place: {offset, size, id}; false if it
// refuses.
static bool asks_natively(cl_kernel native, kn_buffer *out, size_t offset, size_t size, uint64_t told[3])
{
    const uint64_t nothing[3] = {0};
    cl_mem memory = kn_opencl_buffer(out);

    expect_ok(kn_buffer_write(queue, out, 0, nothing, sizeof nothing, &err));
    clSetKernelArg(native, 0, sizeof memory, &memory);
    if (clEnqueueNDRangeKernel(kn_opencl_queue(queue), native, 1, &offset, &size, NULL, 0, NULL, NULL) !=
            CL_SUCCESS ||
        clFinish(kn_opencl_queue(queue)) != CL_SUCCESS)
        return false;
    expect_ok(kn_buffer_read(queue, out, 0, told, 3 * sizeof *told, &err));
    return true;
}

// Whether the table says that the driver tells kernels of such a range wrong.
static bool is_told_wrong(size_t offset, size_t size)
{
    return (quirks.range_limit && (offset > quirks.range_limit || size > quirks.range_limit)) ||
           (quirks.id_limit && offset + size - 1 > quirks.id_limit);
}

// Through Koine, as if this driver had limits.
static void expect_limits(kn_kernel *kernel, const kn_arg *args)
{
    context->quirks.range_limit = 100, context->quirks.id_limit = 0;
    for (size_t d = 0; d < 2; d++) {
        kn_range within = {2, {100, 100}, {0}, {100, 100}}, large = within, moved = within;

        large.global[d] = moved.offset[d] = 101;
        expect_ok(kn_launch(queue, kernel, &within, args, 1, NULL, &err));
        expect_refused(kn_launch(queue, kernel, &large, args, 1, NULL, &err), KN_ERROR_LIMIT,
                       d ? "told|size 101|dimension 1" : "told|size 101|dimension 0");
        expect_refused(kn_launch(queue, kernel, &moved, args, 1, NULL, &err), KN_ERROR_LIMIT,
                       d ? "told|offset 101|dimension 1" : "told|offset 101|dimension 0");
    }
    context->quirks.range_limit = 0, context->quirks.id_limit = 100;
    for (size_t d = 0; d < 2; d++) {
        kn_range within = {2, {41, 41}, {0}, {60, 60}}, large = within, beyond = within;

        large.global[d]++;
        beyond.offset[d] = SIZE_MAX - 3;
        expect_ok(kn_launch(queue, kernel, &within, args, 1, NULL, &err));
        expect_refused(kn_launch(queue, kernel, &large, args, 1, NULL, &err), KN_ERROR_LIMIT,
                       d ? "told|offset 60 and size 42|dimension 1"
                         : "told|offset 60 and size 42|dimension 0");
        expect_refused(kn_launch(queue, kernel, &beyond, args, 1, NULL, &err), KN_ERROR_LIMIT,
                       "told|and size 41|more than 100|split the range");
    }
    context->quirks = quirks;
}

// Offsets and sizes beyond 31 bits; such sizes on GPUs only, others would take minutes.
START_TEST(far_ranges)
{
    static const char text[] =
        "__kernel void told(__global ulong *out)\n"
        "{\n"
        "    if (get_group_id(0) + 1 == get_num_groups(0) && get_local_id(0) + 1 == get_local_size(0))\n"
        "        out[0] = get_global_offset(0), out[1] = get_global_size(0), out[2] = get_global_id(0);\n"
        "}\n";
    const struct {
        size_t offset, size;
    } cases[] = {{INT32_MAX, 64}, {(size_t)1 << 31, 64}, {(size_t)1 << 40, 64}, {0, (size_t)1 << 31}};
    bool gpu = kn_context_device(context)->type == KN_DEVICE_GPU, wrong = false;
    kn_program *program = build_text(context, text);
    kn_buffer *out = make_buffer(context, 24);
    kn_arg args[] = {KN_BUFFER(out)};
    cl_program beneath = NULL;
    cl_kernel native = kn_opencl_context(context) ? native_kernel(text, "", "told", &beneath) : NULL;
    bool reported = begin_refusals();

    for (size_t i = 0; i < sizeof cases / sizeof *cases - !gpu; i++) {
        uint64_t told[3] = {0},
                 right[] = {cases[i].offset, cases[i].size, cases[i].offset + cases[i].size - 1};
        kn_range range = {1, {cases[i].size}, {0}, {cases[i].offset}};
        bool far = is_told_wrong(cases[i].offset, cases[i].size);

        if (far) {
            expect_refused(kn_launch(queue, kernel_of(program, "told"), &range, args, 1, NULL, &err),
                           KN_ERROR_LIMIT, "told|dimension 0|split the range");
        } else {
            expect_ok(kn_launch(queue, kernel_of(program, "told"), &range, args, 1, NULL, &err));
            expect_ok(kn_buffer_read(queue, out, 0, told, sizeof told, &err));
            ck_assert_mem_eq(told, right, sizeof told);
        }
        if (far && native && asks_natively(native, out, cases[i].offset, cases[i].size, told)) {
            fprintf(stderr, "offset %zu, size %zu: the driver says offset %lld, size %lld, id %lld\n",
                    cases[i].offset, cases[i].size, (long long)told[0], (long long)told[1],
                    (long long)told[2]);
            wrong = wrong || memcmp(told, right, sizeof told) != 0;
        }
    }
    end_refusals(reported);
    expect_limits(kernel_of(program, "told"), args);
    if ((quirks.range_limit || quirks.id_limit) && !wrong)
        report_gone("offsets, sizes or ids of 32 bits and more are told wrong");
    kn_buffer_free(out);
    if (native) {
        clReleaseKernel(native);
        clReleaseProgram(beneath);
    }
    kn_program_free(program);
}
END_TEST

START_TEST(own_local_memory)
{
    if (!asks_opencl())
        return;

    static const char text[] =
        "__kernel void turn(__global uint *out)\n"
        "{\n"
        "    __local uint own[1024];\n"
        "    for (uint i = get_local_id(0); i < 1024; i += get_local_size(0)) own[i] = i;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (uint i = get_local_id(0); i < 1024; i += get_local_size(0)) out[i] = own[1023 - i];\n"
        "}\n";
    kn_program *program = build_text(context, text);
    kn_kernel_limits limits = {0};
    cl_program beneath = NULL;
    cl_kernel native = native_kernel(text, "", "turn", &beneath);
    cl_ulong answer = 0;
    kn_buffer *out = make_buffer(context, 4096);
    kn_arg args[] = {KN_BUFFER(out)};
    uint32_t found[1024];

    expect_ok(kn_kernel_get_limits(kernel_of(program, "turn"), &limits, &err));
    run(kernel_of(program, "turn"), 8, 8, args, 1);
    ck_assert_int_eq(clGetKernelWorkGroupInfo(native, native_device(), CL_KERNEL_LOCAL_MEM_SIZE,
                                              sizeof answer, &answer, NULL),
                     CL_SUCCESS);
    if (quirks.local_answer_doubled && answer < 8192)
        report_gone("the answer to a kernel's own local memory is doubled");
    else
        ck_assert_uint_lt(limits.local_bytes, 4096 + 1024);
    if (quirks.local_answer_missing && answer)
        report_gone("the answer to a kernel's own local memory is 0");
    else if (quirks.local_answer_missing)
        fprintf(stderr, "not asked: limits.local_bytes, for which the driver of %s answers 0 (4096 here)\n",
                kn_context_device(context)->name);
    // Oclgrind leaves out what no launch has shown.
    if (!is_interpreted(context) && !quirks.local_answer_doubled && (!quirks.local_answer_missing || answer))
        ck_assert_uint_ge(limits.local_bytes, 4096);
    expect_ok(kn_buffer_read(queue, out, 0, found, sizeof found, &err));
    for (uint32_t i = 0; i < 1024; i++)
        ck_assert_uint_eq(found[i], 1023 - i);
    kn_buffer_free(out);
    clReleaseKernel(native);
    clReleaseProgram(beneath);
    kn_program_free(program);
}
END_TEST

// PoCL aborts the process on a local argument larger than there is: if that got through, there were no next
// test.
START_TEST(too_much_local_memory)
{
    static const char text[] = "__kernel void take(__local uint *near) { near[get_local_id(0)] = 1; }\n";
    kn_program *program = build_text(context, text);
    size_t much = (size_t)kn_context_device(context)->local_memory;
    const size_t sizes[] = {much + 1, 2 * much, 1024 * much, SIZE_MAX};
    kn_range range = {1, {8}, {8}, {0}};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kn_arg args[] = {KN_LOCAL(sizes[i])};

        expect_refused(kn_launch(queue, kernel_of(program, "take"), &range, args, 1, NULL, &err),
                       KN_ERROR_LIMIT, "take|local");
    }
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

// What the driver makes of the switch without our option; Oclgrind may call it an invalid access.
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
    memory = kn_opencl_buffer(out);
    clSetKernelArg(native, 0, sizeof memory, &memory);
    for (uint32_t x = 0; x < 8; x++) {
        uint32_t found = 0;

        expect_ok(kn_buffer_write(queue, out, 0, &found, 4, &err));
        clSetKernelArg(native, 1, sizeof x, &x);
        clEnqueueNDRangeKernel(kn_opencl_queue(queue), native, 1, NULL, &one, NULL, 0, NULL, NULL);
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

// A message's place, where #line points elsewhere.
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
    cl_program program = clCreateProgramWithSource(kn_opencl_context(context), 1, &source, NULL, &code);

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
    struct engine_quirks found = engine_quirks_of(&clover);

    ck_assert_ptr_nonnull(found.why_not);
    ck_assert_str_eq(clover.why_not, found.why_not);
    ck_assert_str_eq(found.build_options, "");
    engine_quirks_of(&broken);
    ck_assert_str_eq(broken.why_not, "the driver says it is not available");
    found = engine_quirks_of(&llvmpipe);
    ck_assert_uint_eq(found.loop_limit, 65535);
    ck_assert_uint_eq(llvmpipe.loop_limit, 65535);
    ck_assert_str_eq(llvmpipe.why_not, "");
    ck_assert(found.calls_wrong && found.local_answer_doubled);
    found = engine_quirks_of(&newer);
    ck_assert_uint_eq(newer.loop_limit, 0);
    ck_assert(found.calls_wrong && found.double_fma_wrong && !found.local_answer_doubled);
    found = engine_quirks_of(&radeon); // its own compiler, its own limits
    ck_assert_uint_eq(found.loop_limit, 0);
    ck_assert(!found.group_answer_wrong);
    found = engine_quirks_of(&nvidia);
    ck_assert_uint_eq(found.range_limit, INT32_MAX);
    found = engine_quirks_of(&pocl);
    ck_assert_uint_eq(found.range_limit, 0);
    ck_assert_ptr_null(found.why_not);
    ck_assert_str_eq(found.build_options, "");
    ck_assert_uint_eq(pocl.loop_limit, 0);
}
END_TEST

// Where binaries are not kept, none is.
START_TEST(binaries)
{
    char *folder = test_folder();
    kn_context_options options = {.cache_dir = folder};

    for (int i = 0; i < 2; i++) {
        kn_context *own = open_with(&options);
        kn_program *program = build_text(own, "__kernel void nothing(void) { }\n");

        ck_assert_int_eq(kn_program_was_cached(program), i == 1 && !quirks.no_binaries);
        kn_program_free(program);
        kn_context_close(own);
    }
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {loop_limit,
                                  loaded_ends,
                                  odd_structs,
                                  nested_calls,
                                  double_fma,
                                  largest_group,
                                  own_local_memory,
                                  too_much_local_memory,
                                  far_ranges,
                                  narrowed_switch,
                                  narrowed_switch_beneath,
                                  line_directives,
                                  excluded,
                                  binaries};

    unsetenv("KOINE_KEEP_PROGRAMS");
    return RUN_ON_DEVICE_WITH("quirks", set_up, tear_down, tests);
}
