// SPDX-License-Identifier: Apache-2.0
// Tests koine/experimental/explain.h on a device: notices of launches, what is kept of a program, and
// refusals.
#include "unit/engine/engine_support.h"

#include <koine/experimental.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static kn_context *context;
static kn_queue *queue;

static void set_up(void)
{
    context = open_context();
    queue = open_queue(context);
}

static void tear_down(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
}

static const char text[] = "__kernel void doubled(__global uint *x, __local uint *a, __local uint *b)\n"
                           "{\n"
                           "    size_t i = get_global_id(0), l = get_local_id(0);\n"
                           "    a[l] = x[i];\n"
                           "    b[l] = a[l];\n"
                           "    x[i] = a[l] + b[l];\n"
                           "}\n";

static struct {
    size_t count;
    kn_launch_notice last;
} seen;

static void see(void *user, const kn_launch_notice *notice)
{
    ck_assert_ptr_eq(user, &seen);
    seen.count++;
    seen.last = *notice;
}

START_TEST(launches_are_told)
{
    enum { N = 64, GROUP = 16 };
    kn_program *program = build_text(context, text);
    kn_kernel *kernel = kernel_of(program, "doubled");
    kn_buffer *x = make_buffer(context, N * sizeof(uint32_t));
    const kn_range range = {1, {N, 0, 0}, {GROUP, 0, 0}, {0, 0, 0}};
    const kn_arg args[] = {KN_BUFFER(x), KN_LOCAL(GROUP * 4), KN_LOCAL(GROUP * 4 + 1)};

    seen.count = 0;
    expect_ok(kn_queue_watch(queue, see, &seen, &err));
    expect_ok(kn_launch(queue, kernel, &range, args, 3, NULL, &err));
    expect_ok(kn_queue_finish(queue, &err));
    ck_assert_uint_eq(seen.count, 1);
    ck_assert_ptr_eq(seen.last.kernel, kernel);
    ck_assert_ptr_eq(seen.last.program, program);
    ck_assert_uint_eq(seen.last.range.dims, 1);
    ck_assert_uint_eq(seen.last.range.global[0], N);
    ck_assert_uint_eq(seen.last.range.local[0], GROUP);
    ck_assert_uint_eq(seen.last.local_bytes, 64 + 80);
    expect_refused(kn_launch(queue, kernel, &range, args, 2, NULL, &err), KN_ERROR_ARGUMENT, "3 arguments");
    ck_assert_uint_eq(seen.count, 1); // none was made
    expect_ok(kn_queue_watch(queue, NULL, NULL, &err));
    expect_ok(kn_launch(queue, kernel, &range, args, 3, NULL, &err));
    ck_assert_uint_eq(seen.count, 1);
    expect_refused(kn_queue_watch(NULL, see, NULL, &err), KN_ERROR_ARGUMENT, "kn_queue_watch");
    kn_buffer_free(x);
    kn_program_free(program);
}
END_TEST

// A context that explains itself takes no program from the cache, and leaves none there.
START_TEST(programs_are_made_anew)
{
    char folder[] = "/tmp/koine-explain-XXXXXX";
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = folder);
    size_t removed = 0;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    // Without, twice; with, after the cache was cleared; without; with, where the cache has the program.
    for (int i = 0; i < 5; i++) {
        const bool explained = i == 2 || i == 4;
        kn_context *own = open_with(&options);
        kn_program *program;
        char *ptx = NULL;
        kn_status status;

        if (explained)
            expect_ok(kn_context_explain(own, &err));
        program = build_text(own, text);
        if (explained)
            ck_assert(!kn_program_get_cached(program));
        ck_assert_ptr_nonnull(kn_program_get_report(program));
        if (!explained)
            ck_assert_str_eq(kn_program_get_report(program), "");
        status = kn_program_get_ptx(program, &ptx, &err);
        if (strcmp(kn_context_get_device(own)->backend, "cuda") == 0 && explained)
            ck_assert_msg(!status && strstr(ptx, ".entry koine_doubled"), "%s", err.text);
        else if (status)
            ck_assert_int_eq(status, KN_ERROR_UNSUPPORTED);
        else
            ck_assert_ptr_nonnull(strstr(ptx, ".entry doubled")); // NVIDIA's OpenCL
        kn_free(ptx);
        kn_program_free(program);
        kn_context_close(own);
        if (i == 1) {
            expect_ok(kn_cache_clear(folder, &removed, &err));
            if (!removed)
                fprintf(stderr, "this driver's programs are not cached: nothing to be left out\n");
        }
        if (i == 2) {
            expect_ok(kn_cache_clear(folder, &removed, &err));
            ck_assert_uint_eq(removed, 0);
        }
    }
    expect_ok(kn_cache_clear(folder, &removed, &err));
    rmdir(folder);
    expect_refused(kn_context_explain(NULL, &err), KN_ERROR_ARGUMENT, "kn_context_explain");
    ck_assert_str_eq(kn_program_get_report(NULL), "");
}
END_TEST

START_TEST(resources)
{
    kn_program *program = build_text(context, text);
    kn_kernel *kernel = kernel_of(program, "doubled");
    bool is_cuda = strcmp(kn_context_get_device(context)->backend, "cuda") == 0;
    kn_kernel_resources found = {-7, -7, -7, -7};

    expect_ok(kn_kernel_get_resources(kernel, 64, 512, &found, &err));
    ck_assert_int_ge(found.private_bytes, 0);
    ck_assert_int_ge(found.local_bytes, 512);
    if (is_cuda) {
        ck_assert_int_gt(found.registers, 0);
        ck_assert_int_gt(found.groups, 0);
    } else {
        ck_assert_int_eq(found.registers, KN_RESOURCE_UNKNOWN);
        ck_assert_int_eq(found.groups, KN_RESOURCE_UNKNOWN);
    }
    expect_refused(kn_kernel_get_resources(kernel, 0, 0, &found, &err), KN_ERROR_ARGUMENT, "no work-items");
    expect_refused(kn_kernel_get_resources(NULL, 1, 0, &found, &err), KN_ERROR_ARGUMENT, "kernel");
    kn_program_free(program);
}
END_TEST

START_TEST(ptx_elsewhere)
{
    if (strcmp(kn_context_get_device(context)->backend, "cuda") == 0)
        expect_refused(kn_context_load_ptx(context, "f", ".entry g() { ret; }", &err), KN_ERROR_INPUT,
                       "no entry f|it has g");
    else
        expect_refused(kn_context_load_ptx(context, "f", ".entry f() { ret; }", &err), KN_ERROR_UNSUPPORTED,
                       "through CUDA only");
    expect_refused(kn_context_load_ptx(context, NULL, "", &err), KN_ERROR_ARGUMENT, "kernel");
}
END_TEST

int main(void)
{
    setenv("KOINE_KEEP_PROGRAMS", "yes", 1);

    const TTest *const tests[] = {launches_are_told, programs_are_made_anew, resources, ptx_elsewhere};

    return RUN_ON_DEVICE_WITH("explain", set_up, tear_down, tests);
}
