// SPDX-License-Identifier: Apache-2.0
// Tests machines without NVIDIA's libraries, with some of them, with the wrong ones: there must always be a
// reason in words, and the second compiler is used if it helps. Also tests the real NVRTC, if it is
// installed: it needs no GPU.
#include "cuda_support.h"

#include <koine/koine.h>

#include "backend/offline/offline.h"
#include "base/array.h"

static kn_error err;

// The reason why the only device is unusable; or, without a device, why the backend is. The caller need not
// free it.
static const char *reason(void)
{
    static char why[256];
    struct be_device *list = NULL;
    size_t count = 0;

    ck_assert_int_eq(cuda->devices(&list, &count, why, &err), KN_OK);
    if (count > 0)
        snprintf(why, sizeof why, "%s", list[0].info.why_not);
    ki_be_devices_free(list, count);
    return why;
}

static void expect_reason(const char *arguments)
{
    char list[256], *rest = NULL;
    const char *why = reason();

    ck_assert_str_ne(why, "");
    snprintf(list, sizeof list, "%s", arguments);
    for (char *argument = strtok_r(list, "|", &rest); argument; argument = strtok_r(NULL, "|", &rest))
        ck_assert_msg(strstr(why, argument) != NULL, "'%s' is not in: %s", argument, why);
}

START_TEST(no_driver)
{
    use_libraries("libnvrtc.so.13");
    expect_reason("no NVIDIA driver|libcuda.so.1 not found");
}
END_TEST

START_TEST(an_old_driver)
{
    use_libraries("old/libcuda.so.1 libnvrtc.so.13");
    expect_reason("too old|libcuda.so.1|cuMemAlloc_v2");
}
END_TEST

START_TEST(drivers_that_do_not_start)
{
    use_libraries("libcuda.so.1 libnvrtc.so.13");
    setenv("FAKE_CUDA_FAIL", "cuInit:34:1", 1);
    expect_reason("stub");
    setenv("FAKE_CUDA_FAIL", "cuInit:100:1", 1);
    expect_reason("finds no GPU");
    setenv("FAKE_CUDA_FAIL", "cuInit:803:1", 1);
    expect_reason("cuInit|(803)|reboot");
    setenv("FAKE_CUDA_FAIL", "cuInit:999:1", 1);
    expect_reason("cuInit|(999)");
}
END_TEST

START_TEST(no_compiler)
{
    use_libraries("libcuda.so.1");
    expect_reason("libnvrtc.so.13 not found|KOINE_CUDA_LIBRARIES");
    setenv("FAKE_CUDA_DRIVER", "12040", 1);
    expect_reason("libnvrtc.so.12 not found");
}
END_TEST

START_TEST(a_compiler_newer_than_the_driver)
{
    use_libraries("libcuda.so.1 libnvrtc.so.13");
    setenv("FAKE_CUDA_DRIVER", "12040", 1);
    expect_reason("libnvrtc.so.13|CUDA 12|install libnvrtc.so.12|newer driver");
}
END_TEST

START_TEST(a_compiler_older_than_the_driver)
{
    struct cuda_nvrtc nvrtc;
    char why[CUDA_WHY_BYTES];

    use_libraries("libcuda.so.1 libnvrtc.so.11.2");
    ck_assert_str_eq(reason(), "");
    ck_assert(ki_cuda_nvrtc_load(&nvrtc, 13, why));
    ck_assert_int_eq(nvrtc.major, 11);
    ki_cuda_nvrtc_unload(&nvrtc);
    setenv("FAKE_CUDA_DRIVER", "15000", 1); // a future driver accepts what is available
    ck_assert_str_eq(reason(), "");
}
END_TEST

START_TEST(unknown_architecture)
{
    use_libraries("libcuda.so.1 libnvrtc.so.13");
    setenv("FAKE_CUDA_ARCH", "70", 1);
    expect_reason("NVRTC 13.2 knows no sm_70|OpenCL serves it");
    setenv("FAKE_CUDA_ARCH", "89", 1); // runs code for 8.6
    ck_assert_str_eq(reason(), "");
}
END_TEST

START_TEST(forbidden_device)
{
    use_libraries("libcuda.so.1 libnvrtc.so.13");
    setenv("FAKE_CUDA_MODE", "2", 1);
    expect_reason("administrator|nvidia-smi");
}
END_TEST

// Builds a program on the device; the message is left in `err`.
static kn_status build(void)
{
    struct be_device *list = NULL;
    struct be_context *context = NULL;
    struct be_program *program = NULL;
    size_t count = 0;
    char why[256], *log = NULL;
    kn_status status;

    ck_assert_int_eq(cuda->devices(&list, &count, why, &err), KN_OK);
    ck_assert_int_eq(cuda->context_open(&list[0], &context, &err), KN_OK);
    status = cuda->program_build(context, "//kernel koine_a 64\n", "", &program, &log, &err);
    if (!status)
        cuda->program_free(program);
    free(log);
    cuda->context_close(context);
    ki_be_devices_free(list, count);
    return status;
}

START_TEST(the_driver_refuses_a_cubin)
{
    use_libraries("libcuda.so.1 libnvrtc.so.13 libnvrtc.so.12 libnvrtc.so.11.2");
    ck_assert_int_eq(build(), KN_OK);
    setenv("FAKE_CUDA_REFUSE", "13", 1); // so NVRTC 12 is used
    ck_assert_msg(build() == KN_OK, "%s", err.text);
    forget_fakes();
    use_libraries("libcuda.so.1 libnvrtc.so.13");
    expect_failure(build(), KN_ERROR_DEVICE, &err, "cuda:0|cuModuleLoadData|(209)|no older NVRTC");
}
END_TEST

START_TEST(the_compiler_vanishes)
{
    struct be_device *list = NULL;
    struct be_context *context = NULL;
    struct be_program *program = NULL;
    size_t count = 0;
    char why[256], *log = NULL;

    use_libraries("libcuda.so.1 libnvrtc.so.13");
    ck_assert_int_eq(cuda->devices(&list, &count, why, &err), KN_OK);
    ck_assert_int_eq(cuda->context_open(&list[0], &context, &err), KN_OK);
    forget_fakes();
    use_libraries("libcuda.so.1");
    expect_failure(cuda->program_build(context, "", "", &program, &log, &err), KN_ERROR_UNSUPPORTED, &err,
                   "cuda:0|libnvrtc.so.13 not found");
    ck_assert_ptr_null(log);
    cuda->context_close(context);
    ki_be_devices_free(list, count);
}
END_TEST

// The engine's list: the reason is in `why`, or in the entry; a usable device is the default.
START_TEST(the_list)
{
    kn_device_list *list = NULL;
    kn_context *context = NULL;

    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    use_libraries("");
    ck_assert_int_eq(kn_device_list_create(&list, &err), KN_OK);
    ck_assert_uint_eq(kn_device_list_get_count(list), 0);
    ck_assert_int_eq(strncmp(kn_device_list_get_why(list),
                             "CUDA: no NVIDIA driver (libcuda.so.1 not found); OpenCL: ", 56),
                     0);
    kn_device_list_free(list);
    expect_failure(kn_context_open("auto", NULL, &context, &err), KN_ERROR_NO_DEVICE, &err,
                   "no device|CUDA: |OpenCL: ");
    forget_fakes();

    use_libraries("libcuda.so.1");
    ck_assert_int_eq(kn_device_list_create(&list, &err), KN_OK);
    ck_assert_uint_eq(kn_device_list_get_count(list), 1);
    ck_assert(!kn_device_list_get_device(list, 0)->is_default);
    ck_assert_ptr_nonnull(strstr(kn_device_list_get_device(list, 0)->why_not, "libnvrtc.so.13 not found"));
    kn_device_list_free(list);
    expect_failure(kn_context_open("cuda:0", NULL, &context, &err), KN_ERROR_UNSUPPORTED, &err,
                   "cuda:0|libnvrtc.so.13 not found");
    forget_fakes();

    use_libraries("libcuda.so.1 libnvrtc.so.13");
    ck_assert_int_eq(kn_device_list_create(&list, &err), KN_OK);
    ck_assert_uint_eq(kn_device_list_get_count(list), 1);
    ck_assert(kn_device_list_get_device(list, 0)->is_default);
    ck_assert_str_eq(kn_device_list_get_device(list, 0)->spec, "cuda:0");
    kn_device_list_free(list);
}
END_TEST

// #pragma OPENCL FP_CONTRACT OFF, at any position and with any other options.
START_TEST(contraction)
{
    static const struct {
        const char *text;
        kn_policy policy;
        bool fused;
    } cases[] = {
        {"float f(float x) { return x * x + 1; }", KN_POLICY_DEFAULT, true},
        {"#pragma OPENCL FP_CONTRACT OFF\nfloat f(float x) { return x * x + 1; }", KN_POLICY_DEFAULT, false},
        {"#pragma OPENCL FP_CONTRACT OFF\nfloat f(float x) { return x * x + 1; }", KN_POLICY_FAST, false},
        {"float f(float x) {\n#pragma OPENCL FP_CONTRACT OFF\nreturn x * x + 1; }", KN_POLICY_DEFAULT, false},
        {"#pragma OPENCL FP_CONTRACT OFF\nfloat f(float x) { return x * x + 1; }\n#pragma OPENCL FP_CONTRACT "
         "ON\n",
         KN_POLICY_DEFAULT, false},
        {"#pragma OPENCL FP_CONTRACT ON\nfloat f(float x) { return x * x + 1; }", KN_POLICY_DEFAULT, true},
        {"#pragma OPENCL FP_CONTRACT DEFAULT\nfloat f(float x) { return x * x + 1; }", KN_POLICY_DEFAULT,
         true},
        {"#if 0\n#pragma OPENCL FP_CONTRACT OFF\n#endif\nfloat f(float x) { return x * x + 1; }",
         KN_POLICY_DEFAULT, true},
        {"_Pragma(\"OPENCL FP_CONTRACT OFF\") float f(float x) { return x * x + 1; }", KN_POLICY_DEFAULT,
         false},
    };
    kn_offline_target *target = NULL;
    kn_context *opened = NULL;

    use_fakes();
    setenv("KOINE_CACHE_DIR", libraries, 1);
    ck_assert_msg(kn_context_open("cuda:0", NULL, &opened, &err) == KN_OK, "%s", err.text);
    ck_assert_msg(kn_offline_open("cuda:sm_90", &target, &err) == KN_OK, "%s", err.text);
    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        const char *refused = cases[i].fused ? "--fmad=false" : "--fmad=true";
        kn_program_options options = KN_INIT(kn_program_options, .policy = cases[i].policy);
        kn_offline_result *result = NULL;
        kn_source *source = NULL;
        kn_program *program = NULL;
        char text[300];

        snprintf(text, sizeof text, "%s\nvoid case_%zu() {}\n", cases[i].text, i); // not yet in the cache
        compiler->options[0] = '\0';
        ck_assert_msg(kn_program_from_text(opened, text, "a.cl", &options, &program, &err) == KN_OK, "%s",
                      err.text);
        ck_assert_msg(strstr(compiler->options, refused) == NULL, "case %zu: %s", i, compiler->options);
        ck_assert_msg(cases[i].fused || strstr(compiler->options, "--fmad=false"), "case %zu: %s", i,
                      compiler->options);
        kn_program_free(program);
        compiler->options[0] = '\0';
        ck_assert_msg(kn_source_from_text(text, "a.cl", NULL, &source, &err) == KN_OK, "%s", err.text);
        ck_assert_msg(kn_offline_compile(target, source, cases[i].policy, &result, &err) == KN_OK, "%s",
                      err.text);
        ck_assert_int_eq(result->outcome, KN_OFFLINE_OK);
        ck_assert_msg(cases[i].fused == !strstr(compiler->options, "--fmad=false"), "case %zu, offline: %s",
                      i, compiler->options);
        kn_offline_result_free(result);
        kn_source_free(source);
    }
    kn_offline_close(target);
    kn_context_close(opened);
}
END_TEST

// A program that does not compile is a valid result, and its log shows the line of the source.
START_TEST(offline_results)
{
    static const char text[] =
        "__constant char words[] = \"//error\";\n__kernel void f(void) { /* here */ }\n";
    kn_offline_target *target = NULL;
    kn_offline_result *result = NULL;
    kn_source *source = NULL;
    int archs[3];
    size_t count = 0;

    use_fakes();
    setenv("FAKE_NVRTC_ARCHS", "75 80 86 90", 1);
    ck_assert_int_eq(kn_offline_get_cuda_archs(archs, KI_COUNT(archs), &count, &err), KN_OK);
    unsetenv("FAKE_NVRTC_ARCHS");
    ck_assert_uint_eq(count, 4);
    ck_assert_int_eq(archs[0], 75);
    ck_assert_int_eq(archs[2], 86);
    ck_assert_int_eq(kn_offline_open("cuda:sm_90", &target, &err), KN_OK);
    ck_assert(!kn_offline_get_uses_folder(target));
    ck_assert_ptr_nonnull(kn_offline_get_predefined(target, &count));
    ck_assert_uint_gt(count, 10);
    ck_assert_msg(kn_source_from_text(text, "a.cl", NULL, &source, &err) == KN_OK, "%s", err.text);
    ck_assert_msg(kn_offline_compile(target, source, KN_POLICY_DEFAULT, &result, &err) == KN_OK, "%s",
                  err.text);
    ck_assert_int_eq(result->outcome, KN_OFFLINE_FAILED);
    ck_assert_uint_eq(result->kernel_count, 0);
    ck_assert_msg(strstr(result->log, "a fake error") && strstr(result->log, "{ /* here */ }"), "%s",
                  result->log);
    kn_offline_result_free(result);
    ck_assert_int_eq(kn_offline_compile(target, source, (kn_policy)9, &result, &err), KN_ERROR_ARGUMENT);
    ck_assert_ptr_null(result);
    kn_source_free(source);
    kn_offline_close(target);
    ck_assert_int_eq(kn_offline_open("riscv", &target, &err), KN_ERROR_ARGUMENT);
    ck_assert_ptr_null(target);
}
END_TEST

// ---- the real one ----

static const char vector_add[] =
    "namespace kn { struct kn_item { unsigned long long offset[3]; unsigned groups[3], local[3], first[2], "
    "fold, dims; }; "
    "}\n"
    "extern \"C\" __global__ void koine_add(float *a, const float *b, const __grid_constant__ kn::kn_item "
    "kn_me)\n"
    "{ size_t i = kn_me.offset[0] + blockIdx.x * blockDim.x + threadIdx.x; a[i] = a[i] / b[i]; }\n"
    "static_assert(sizeof(kn::kn_item) == 64, \"as the backend passes it\");\n";

START_TEST(the_real_compiler)
{
    static const kn_policy policies[] = {KN_POLICY_DEFAULT, KN_POLICY_STRICT, KN_POLICY_FAST};
    struct cuda_nvrtc nvrtc;
    struct cuda_cubin cubin = {NULL, 0};
    char why[CUDA_WHY_BYTES], *log = NULL;

    unsetenv("KOINE_CUDA_LIBRARIES");
    if (!ki_cuda_nvrtc_load(&nvrtc, 99, why)) {
        ck_assert_msg(!test_require("nvrtc"), "%s (KOINE_REQUIRE lists nvrtc)", why);
        fprintf(stderr, "skipped: %s\n", why);
        return;
    }
    for (int i = 0; i < nvrtc.arch_count; i++) // each architecture that it claims to support
        for (size_t p = 0; p < (nvrtc.archs[i] == 90 ? KI_COUNT(policies) : 1); p++) {
            ck_assert_int_eq(ki_cuda_nvrtc_arch(&nvrtc, nvrtc.archs[i]), nvrtc.archs[i]);
            ck_assert_msg(ki_cuda_compile(&nvrtc, vector_add, ki_cuda_policy_options(policies[p], p == 1),
                                          nvrtc.archs[i], &cubin, &log, &err) == KN_OK,
                          "sm_%d: %s\n%s", nvrtc.archs[i], err.text, log);
            ck_assert_uint_gt(cubin.bytes, 500);
            ck_assert_mem_eq(cubin.data, "\177ELF", 4);
            ck_assert_str_eq(log, "");
            free(cubin.data);
            free(log);
        }
    expect_failure(ki_cuda_compile(&nvrtc, "#line 7 \"a.cl\"\nint f() { return undeclared; }\n", "",
                                   nvrtc.archs[0], &cubin, &log, &err),
                   KN_ERROR_BUILD, &err, "nvrtcCompileProgram|NVRTC_ERROR_COMPILATION");
    ck_assert_msg(strstr(log, "a.cl(7): error: identifier \"undeclared\" is undefined") != NULL, "%s", log);
    free(log);
    ki_cuda_nvrtc_unload(&nvrtc);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {no_driver,
                                  an_old_driver,
                                  drivers_that_do_not_start,
                                  no_compiler,
                                  a_compiler_newer_than_the_driver,
                                  a_compiler_older_than_the_driver,
                                  unknown_architecture,
                                  forbidden_device,
                                  the_driver_refuses_a_cubin,
                                  the_compiler_vanishes,
                                  the_list,
                                  contraction,
                                  offline_results,
                                  the_real_compiler};

    return TEST_RUN_WITH("cuda_libraries", CK_FORK, NULL, forget_fakes, tests);
}
