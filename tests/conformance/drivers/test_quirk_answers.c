// SPDX-License-Identifier: Apache-2.0
// Tests the rows of src/engine/device/quirks.c about wrong answers from drivers: work-groups, local memory,
// offsets and sizes. As in test_quirks, the result through Koine must be right, and a driver that no longer
// behaves as its row says is reported.
#include "quirks_support.h"

#include "base/array.h"

// ---- answers from the driver ----

// Whether a work-group of `n` work-items runs correctly, whatever the driver's answer was.
static bool runs_natively(cl_kernel kernel, size_t n)
{
    kn_buffer *out = make_buffer(context, 4 * n);
    cl_mem memory = kn_buffer_get_opencl(out);
    uint32_t *found = calloc(n, 4);
    bool runs;

    ck_assert_ptr_nonnull(found);
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    runs = clEnqueueNDRangeKernel(kn_queue_get_opencl(queue), kernel, 1, NULL, &n, &n, 0, NULL, NULL) ==
               CL_SUCCESS &&
           clFinish(kn_queue_get_opencl(queue)) == CL_SUCCESS;
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
    kn_kernel_limits limits;
    cl_program beneath = NULL;
    cl_kernel native = native_kernel(text, "", "where", &beneath);
    size_t answer = 0;

    limits = *kn_kernel_get_limits(kernel);
    ck_assert_int_eq(clGetKernelWorkGroupInfo(native, native_device(), CL_KERNEL_WORK_GROUP_SIZE,
                                              sizeof answer, &answer, NULL),
                     CL_SUCCESS);
    if (!quirks.group_answer_wrong)
        ck_assert_uint_eq(limits.work_group, answer);
    else if (answer >= kn_context_get_device(context)->max_work_group)
        report_gone("the answer to a kernel's largest work-group is too small");
    else
        ck_assert_uint_gt(limits.work_group, answer);

    // Is the answer too small although the table has no row for it?
    if (!quirks.group_answer_wrong && answer < kn_context_get_device(context)->max_work_group)
        ck_assert_msg(!runs_natively(native, 2 * answer),
                      "a work-group of %zu runs, though the driver says %zu", 2 * answer, answer);

    // A launch within the limits runs, and every work-item does its part.
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

// The values that the driver itself gives to the last of `size` work-items: {offset, size, id}; false if it
// refuses the launch.
static bool asks_natively(cl_kernel native, kn_buffer *out, size_t offset, size_t size, uint64_t told[3])
{
    const uint64_t nothing[3] = {0};
    cl_mem memory = kn_buffer_get_opencl(out);

    expect_ok(kn_buffer_write(queue, out, 0, nothing, sizeof nothing, &err));
    clSetKernelArg(native, 0, sizeof memory, &memory);
    if (clEnqueueNDRangeKernel(kn_queue_get_opencl(queue), native, 1, &offset, &size, NULL, 0, NULL, NULL) !=
            CL_SUCCESS ||
        clFinish(kn_queue_get_opencl(queue)) != CL_SUCCESS)
        return false;
    expect_ok(kn_buffer_read(queue, out, 0, told, 3 * sizeof *told, &err));
    return true;
}

// Whether the table says that the driver gives kernels wrong values for such a range.
static bool is_told_wrong(size_t offset, size_t size)
{
    return (quirks.range_limit && (offset > quirks.range_limit || size > quirks.range_limit)) ||
           (quirks.id_limit && offset + size - 1 > quirks.id_limit);
}

// Launches through Koine, as if this driver had limits.
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

// Offsets and sizes beyond 31 bits; such sizes only on GPUs, because others would take minutes.
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
    bool gpu = kn_context_get_device(context)->type == KN_DEVICE_GPU, wrong = false;
    kn_program *program = build_text(context, text);
    kn_buffer *out = make_buffer(context, 24);
    kn_arg args[] = {KN_BUFFER(out)};
    cl_program beneath = NULL;
    cl_kernel native = kn_context_get_opencl(context) ? native_kernel(text, "", "told", &beneath) : NULL;
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
    kn_kernel_limits limits;
    cl_program beneath = NULL;
    cl_kernel native = native_kernel(text, "", "turn", &beneath);
    cl_ulong answer = 0;
    kn_buffer *out = make_buffer(context, 4096);
    kn_arg args[] = {KN_BUFFER(out)};
    uint32_t found[1024];

    limits = *kn_kernel_get_limits(kernel_of(program, "turn"));
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
                kn_context_get_device(context)->name);
    // Oclgrind is excluded because no launch has shown its behaviour.
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

// PoCL aborts the process if a local argument is too large: if such a launch reached it, the next test would
// not run.
START_TEST(too_much_local_memory)
{
    static const char text[] = "__kernel void take(__local uint *near) { near[get_local_id(0)] = 1; }\n";
    kn_program *program = build_text(context, text);
    size_t much = (size_t)kn_context_get_device(context)->local_memory;
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

int main(void)
{
    const TTest *const tests[] = {largest_group, own_local_memory, too_much_local_memory, far_ranges};

    setenv("KOINE_KEEP_PROGRAMS", "yes", 1);
    return RUN_ON_DEVICE_WITH("quirk_answers", set_up, tear_down, tests);
}
