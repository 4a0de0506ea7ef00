// SPDX-License-Identifier: Apache-2.0
// What koine compare --explain reads from PTX and from ptxas's report: on texts written by hand, and on
// Koine's own kernels as NVRTC compiles them. Occupancy is compared with values of NVIDIA's calculator.
#include "support/require.h"
#include "support/run.h"

#include <koine/experimental.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cuda_compile.h"
#include "base/text/ptx.h"
#include "tools/compare/explain/occupancy.h"
#include "tools/compare/explain/ptx_mix.h"

static const char by_hand[] =
    "// .entry comment() { add.s32 %r1, %r1, 1; }\n"
    ".version 7.5\n.target sm_86, texmode_independent\n.address_size 64\n"
    "/* .entry g() { } */ .file 1 \"a;b.cl\"\n"
    ".shared .align 4 .b8 buffer[128];\n"
    ".visible .func (.param .b32 out) helper(.param .b32 in)\n{\n ret;\n}\n"
    ".entry f_more() { ret; }\n"
    ".entry f(\n .param .u64 .ptr .global .align 4 f_param_0,\n .param .u64 .ptr .shared .align 4 "
    "f_param_1\n)\n"
    ".reqntid 64, 1, 1\n{\n"
    ".reg .pred %p<2>; .reg .f32 %f<9>;\n"
    ".loc 1 7 3 // no semicolon ends this\n"
    "ld.param.u64 %rd1, [f_param_0];\n"
    "$L_1: mov.u32 %r1, %tid.x;\n"
    "cvta.to.global.u64 %rd2, %rd1;\n"
    "ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd2];\n"
    "ld.global.u8 %r2, [%rd2+4]; // ld.global.f32 in a comment;\n"
    "ld.global.v2.f64 {%fd1, %fd2}, [%rd2];\n"
    "ld.volatile.shared.f32 %f5, [buffer];\n"
    "ld.shared::cta.f32 %f5, [buffer];\n"
    "st.local.v2.b32 [%rd3], {%r1, %r2};\n"
    "ld.const.f32 %f6, [table];\n"
    "ld.f32 %f7, [%rd3];\n"
    "fma.rn.f32 %f1, %f2, %f3, %f4;\n"
    "mad.lo.s32 %r1, %r2, %r3, %r4;\n"
    "mad.f32 %f1, %f2, %f3, %f4;\n"
    "add.f32 %f1, %f2, %f3;\n"
    "mul.f64 %fd1, %fd2, %fd3;\n"
    "add.f16 %h1, %h1, %h2;\n"
    "fma.rn.bf16 %h1, %h1, %h2, %h3;\n"
    "sub.bf16 %h1, %h1, %h2;\n"
    "sin.approx.ftz.f32 %f1, %f2;\n"
    "and.b32 %r1, %r2, 3;\n"
    "{\n .param .b32 param0;\n st.param.b32 [param0+0], %r1;\n call.uni (retval0), helper, (param0);\n}\n"
    "bar.sync 0; fence.sc.gpu;\n"
    "shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;\n"
    "atom.global.add.f32 %f1, [%rd2], %f2;\n"
    "@!%p1 bra $L_1;\n"
    "@%p1 st.global.v4.b32 [%rd2], {%r1, %r2, %r3, %r4};\n"
    ".pragma \"nounroll;}\";\n"
    "ret;\n}\n";

START_TEST(test_by_hand)
{
    static const size_t expected[PTX_CLASSES] = {
        [PTX_GLOBAL_LOAD] = 3,   [PTX_GLOBAL_STORE] = 1, [PTX_SHARED_LOAD] = 2, [PTX_LOCAL_STORE] = 1,
        [PTX_CONSTANT_LOAD] = 1, [PTX_GENERIC_LOAD] = 1, [PTX_PARAM_LOAD] = 1,  [PTX_ATOMIC] = 1,
        [PTX_FMA] = 3,           [PTX_FP16] = 2,         [PTX_FP32] = 1,        [PTX_FP64] = 1,
        [PTX_SPECIAL] = 1,       [PTX_INTEGER] = 2,      [PTX_CONVERSION] = 1,  [PTX_BRANCH] = 1,
        [PTX_BARRIER] = 2,       [PTX_WARP] = 1,         [PTX_CALL] = 1,        [PTX_OTHER] = 3};
    struct ptx_mix mix;
    size_t total = 0;

    ck_assert(ptx_mix_read(by_hand, "f", &mix));
    for (size_t i = 0; i < PTX_CLASSES; i++) {
        ck_assert_msg(mix.counts[i] == expected[i], "%s: %zu instead of %zu", ptx_class_names[i],
                      mix.counts[i], expected[i]);
        total += expected[i];
    }
    ck_assert_uint_eq(mix.total, total);
    ck_assert_int_eq(mix.target, 86);
    ck_assert_uint_eq(mix.load_widths[0], 1);
    ck_assert_uint_eq(mix.load_widths[4], 2);
    ck_assert_uint_eq(mix.store_widths[4], 1);
    ck_assert(ptx_mix_read(by_hand, "f_more", &mix));
    ck_assert_uint_eq(mix.total, 1);
}
END_TEST

START_TEST(test_what_is_none)
{
    struct ptx_mix mix;
    char *cut = strdup(by_hand);

    ck_assert(!ptx_mix_read(by_hand, "g", &mix));
    ck_assert(!ptx_mix_read(by_hand, "comment", &mix));
    ck_assert(!ptx_mix_read(by_hand, "helper", &mix));
    ck_assert(!ptx_mix_read("", "f", &mix));
    // A truncated text is not taken for a whole kernel.
    for (size_t length = strlen(cut) - 2; length > 0; length--) {
        cut[length] = '\0';
        ck_assert(!ptx_mix_read(cut, "f", &mix));
    }
    free(cut);
}
END_TEST

START_TEST(test_report)
{
    static const char report[] =
        "ptxas info    : 159 bytes gmem\n"
        "ptxas info    : Compiling entry function 'koine_f' for 'sm_90'\n"
        "ptxas info    : Function properties for koine_f\n"
        "ptxas         .     184 bytes stack frame, 180 bytes spill stores, 176 bytes spill loads\n"
        "ptxas info    : Used 64 registers, used 1 barriers, 256 bytes smem\n"
        "ptxas info    : Compiling entry function 'koine_f_two' for 'sm_90'\n"
        "ptxas info    : Function properties for koine_f_two\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
        "ptxas info    : Used 9 registers, 352 bytes cmem[0]\n";
    struct ki_ptxas_report found;

    ck_assert(ki_ptxas_read(report, "f", &found));
    ck_assert_int_eq(found.registers, 64);
    ck_assert_int_eq(found.stack_bytes, 184);
    ck_assert_int_eq(found.spill_bytes, 180);
    ck_assert_int_eq(found.shared_bytes, 256);
    ck_assert(ki_ptxas_read(report, "f_two", &found));
    ck_assert_int_eq(found.registers, 9);
    ck_assert_int_eq(found.stack_bytes, 0);
    ck_assert_int_eq(found.spill_bytes, 0);
    ck_assert_int_eq(found.shared_bytes, 0);
    ck_assert(!ki_ptxas_read(report, "two", &found));
    ck_assert(!ki_ptxas_read("", "f", &found));
}
END_TEST

START_TEST(test_occupancy)
{
    static const struct {
        int arch;
        size_t registers, shared, items;
        unsigned groups, warps;
        const char *limited_by;
    } rows[] = {
        {90, 32, 0, 256, 8, 64, "work-items"},          {90, 64, 0, 256, 4, 32, "registers"},
        {90, 33, 0, 256, 6, 48, "registers"},           {90, 16, 0, 32, 32, 32, "work-groups"},
        {90, 16, 48 << 10, 128, 4, 16, "local memory"}, {80, 168, 0, 384, 1, 12, "registers"},
        {75, 32, 0, 1024, 1, 32, "work-items"},         {86, 40, 0, 256, 6, 48, "work-items"},
        {90, 255, 0, 1024, 0, 0, "registers"},          {90, 32, 0, 33, 32, 64, "work-groups"},
    };
    struct occupancy found;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert(occupancy_of(rows[i].arch, rows[i].registers, rows[i].shared, rows[i].items, &found));
        ck_assert_msg(found.groups == rows[i].groups && found.warps == rows[i].warps, "row %zu: %u, %u", i,
                      found.groups, found.warps);
        ck_assert_str_eq(found.limited_by, rows[i].limited_by);
    }
    ck_assert(!occupancy_of(35, 32, 0, 256, &found));
}
END_TEST

// Koine's own kernels as NVRTC compiles them: each is found in the PTX and in the report, and has the
// instructions that no kernel can do without.
static void check_program(const struct cuda_nvrtc *nvrtc, const char *file)
{
    kn_source *source = NULL;
    kn_error err = KN_ERROR_INIT;
    const kn_define language[] = {{"__OPENCL_VERSION__", "120"}, {"cl_khr_fp64", "1"}};
    kn_source_options options = KN_INIT(kn_source_options, .predefined = language, .predefined_count = 2);
    struct cuda_cubin cubin = {NULL, 0};
    char *log = NULL, *ptx = NULL;

    ck_assert_msg(kn_source_from_builtin(file, &options, &source, &err) == KN_OK, "%s", err.text);
    ck_assert_msg(kn_source_make_cuda(source, &err) == KN_OK, "%s", err.text);
    ck_assert_msg(ki_cuda_compile(nvrtc, kn_source_get_cuda_text(source, NULL), "--ptxas-options=-v", 90,
                                  &cubin, &log, &err) == KN_OK,
                  "%s: %s", err.text, log ? log : "");
    ck_assert_msg(ki_cuda_compile_ptx(nvrtc, kn_source_get_cuda_text(source, NULL), "", 90, &ptx, &err) ==
                      KN_OK,
                  "%s", err.text);
    for (size_t i = 0; i < kn_source_get_kernel_count(source); i++) {
        const char *name = kn_source_get_kernel(source, i)->name;
        struct ki_ptxas_report report;
        struct ptx_mix mix;
        size_t total = 0;

        ck_assert_msg(ptx_mix_read(ptx, name, &mix), "%s: %s", file, name);
        ck_assert_int_eq(mix.target, 90);
        for (size_t c = 0; c < PTX_CLASSES; c++)
            total += mix.counts[c];
        ck_assert_uint_eq(total, mix.total);
        ck_assert_msg(mix.counts[PTX_PARAM_LOAD] > 0 && mix.counts[PTX_OTHER] > 0, "%s", name);
        ck_assert_msg(mix.counts[PTX_GLOBAL_STORE] + mix.counts[PTX_ATOMIC] > 0, "%s", name);
        ck_assert_msg(ki_ptxas_read(log, name, &report) && report.registers > 7, "%s", name);
    }
    free(ptx);
    free(log);
    free(cubin.data);
    kn_source_free(source);
}

START_TEST(test_own_kernels)
{
    static const char *const files[] = {"algo/reduce.cl", "algo/scan.cl", "algo/gemm/gemm.cl"};
    char why[CUDA_WHY_BYTES];
    struct cuda_nvrtc nvrtc;

    if (!ki_cuda_nvrtc_load(&nvrtc, INT_MAX, why)) {
        ck_assert_msg(!test_require("nvrtc"), "nvrtc is needed (KOINE_REQUIRE lists nvrtc): %s", why);
        fprintf(stderr, "skipped: PTX of Koine's own kernels: %s\n", why);
        return;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        check_program(&nvrtc, files[i]);
    ki_cuda_nvrtc_unload(&nvrtc);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_by_hand, test_what_is_none, test_report, test_occupancy,
                                  test_own_kernels};

    return TEST_RUN("ptx", CK_FORK, tests);
}
