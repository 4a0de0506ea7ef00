// SPDX-License-Identifier: Apache-2.0
// koine/experimental/source.h: programs from a text, from a file and from the library, what is reported about
// them, and their CUDA text. The text itself is made by ki_src_read, which the other tests in this folder
// check.
#include <koine/experimental.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "support/expect.h"
#include "support/files.h"
#include "support/run.h"

kn_error err = KN_ERROR_INIT;

static const char program[] = "#ifndef N\n#define N 3\n#endif\n"
                              "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
                              "void scale(__global float4 *x, __constant float *by, double d)\n"
                              "{\n    __local int shared[N];\n    shared[0] = 1;\n"
                              "    x[0] *= by[0] + (float)d + shared[0];\n}\n"
                              "__kernel void other(void) {}\n";

static bool has(const char *text, const char *words)
{
    return strstr(text, words) != NULL;
}

START_TEST(what_is_told)
{
    const kn_define five[] = {{"N", "5"}};
    const kn_source_options options = KN_INIT(kn_source_options, .defines = five, .define_count = 1);
    const kn_source_kernel *kernel;
    kn_source *source = NULL;
    size_t length = 77;

    EXPECT_OK(kn_source_from_text(program, "scale.cl", &options, &source, &err));
    ck_assert_uint_eq(strlen(kn_source_get_text(source, &length)), length);
    ck_assert(has(kn_source_get_text(source, NULL), "#define N 5"));
    ck_assert_str_eq(kn_source_get_warnings(source), "");
    ck_assert(kn_source_get_uses_double(source));
    ck_assert_uint_eq(kn_source_get_file_count(source), 1);
    ck_assert_str_eq(kn_source_get_file(source, 0)->name, "scale.cl");
    ck_assert_str_eq(kn_source_get_file(source, 0)->text, program);
    ck_assert_ptr_null(kn_source_get_file(source, 1));

    ck_assert_uint_eq(kn_source_get_kernel_count(source), 2);
    ck_assert_ptr_null(kn_source_get_kernel(source, 2));
    ck_assert_str_eq(kn_source_get_kernel(source, 1)->name, "other");
    kernel = kn_source_get_kernel(source, 0);
    ck_assert_str_eq(kernel->name, "scale");
    ck_assert_uint_eq(kernel->param_count, 3);
    ck_assert_int_eq(kernel->params[1].kind, KN_PARAM_CONSTANT);
    ck_assert_str_eq(kernel->numbers[0].name, "float");
    ck_assert_uint_eq(kernel->numbers[0].lanes, 4);
    ck_assert_uint_eq(kernel->required_group[0], 8);
    ck_assert_uint_eq(kernel->required_group[1], 4);
    ck_assert_int_eq(kernel->line, 5);
    kn_source_free(source);
}
END_TEST

// The options, and what they point to, may change once the source has been read.
START_TEST(as_cuda)
{
    char name[] = "KN_CONSTANT", value[] = "bank";
    kn_define bank[] = {{name, value}};
    kn_source_options options =
        KN_INIT(kn_source_options, .defines = bank, .define_count = 1, .macros = KN_SOURCE_MACROS_CUDA);
    kn_source *source = NULL, *plain = NULL;
    const char *text;
    size_t length;

    EXPECT_OK(kn_source_from_text(program, "scale.cl", &options, &source, &err));
    options.define_count = 0;
    EXPECT_OK(kn_source_from_text(program, "scale.cl", &options, &plain, &err));
    memset(name, 'x', strlen(name));
    memset(value, 'x', strlen(value));

    ck_assert_str_eq(kn_source_get_cuda_text(source, &length), "");
    ck_assert_uint_eq(length, 0);
    EXPECT_OK(kn_source_make_cuda(source, &err));
    EXPECT_OK(kn_source_make_cuda(plain, &err));
    text = kn_source_get_cuda_text(source, &length);
    ck_assert_uint_eq(strlen(text), length);
    ck_assert(has(text, "KN_BODY void scale(const kn_item"));
    ck_assert_uint_gt(kn_source_get_cuda_bank_bytes(source), 0);
    ck_assert_uint_eq(kn_source_get_cuda_bank_bytes(plain), 0);
    ck_assert(!kn_source_get_cuda_contract_off(source));
    ck_assert(!kn_source_get_kernel(source, 0)->cuda.image_addresses);
    EXPECT_OK(kn_source_make_cuda(source, &err));
    ck_assert_ptr_eq(kn_source_get_cuda_text(source, NULL), text);
    kn_source_free(source);
    kn_source_free(plain);

    EXPECT_OK(kn_source_from_text("#pragma OPENCL FP_CONTRACT OFF\n__kernel void f(void) {}\n", "f.cl", NULL,
                                  &source, &err));
    EXPECT_OK(kn_source_make_cuda(source, &err));
    ck_assert(kn_source_get_cuda_contract_off(source));
    kn_source_free(source);
}
END_TEST

// The macros that each set predefines; the caller's own macros replace the set.
START_TEST(macros)
{
    static const char asks[] = "#ifdef cl_khr_3d_image_writes\n__kernel void images(void) {}\n#endif\n"
                               "#ifdef KN_CPU\n__kernel void cpu(void) {}\n#endif\n"
                               "#ifdef cl_khr_fp64\n__kernel void fp64(void) {}\n#endif\n"
                               "#ifdef MINE\n__kernel void mine(void) {}\n#endif\n"
                               "__kernel void any(void) {}\n";
    const kn_define mine[] = {{"MINE", "1"}};
    const struct {
        kn_source_options options;
        const char *first;
        size_t count;
    } cases[] = {
        {KN_INIT(kn_source_options), "fp64", 2},
        {KN_INIT(kn_source_options, .macros = KN_SOURCE_MACROS_CUDA), "images", 4},
        {KN_INIT(kn_source_options, .predefined = mine, .predefined_count = 1), "mine", 2},
    };

    for (size_t i = 0; i < KI_COUNT(cases); i++) {
        kn_source *source = NULL;

        EXPECT_OK(kn_source_from_text(asks, "asks.cl", &cases[i].options, &source, &err));
        ck_assert_uint_eq(kn_source_get_kernel_count(source), cases[i].count);
        ck_assert_str_eq(kn_source_get_kernel(source, 0)->name, cases[i].first);
        kn_source_free(source);
    }
}
END_TEST

START_TEST(files)
{
    char *folder = test_folder(), path[4096];
    const char *const folders[] = {folder};
    kn_source_options options = KN_INIT(kn_source_options, .include_dirs = folders, .include_dir_count = 1);
    kn_source *source = NULL;

    snprintf(path, sizeof path, "%s/k.clh", folder);
    test_write(path, "__kernel void included(void) {}\n", 32);
    EXPECT_OK(kn_source_from_text("#include \"k.clh\"\n", "main.cl", &options, &source, &err));
    ck_assert_str_eq(kn_source_get_kernel(source, 0)->name, "included");
    ck_assert_uint_eq(kn_source_get_file_count(source), 2);
    kn_source_free(source);
    EXPECT_OK(kn_source_from_file(path, NULL, &source, &err));
    ck_assert_str_eq(kn_source_get_file(source, 0)->name, path);
    kn_source_free(source);
    test_remove(folder);

    EXPECT_REFUSED(KN_ERROR_INPUT, path, kn_source_from_file(path, NULL, &source, &err));
    ck_assert_ptr_null(source);
}
END_TEST

// Every kernel file of the library is found by its name, and other names are refused.
START_TEST(builtins)
{
    size_t count = 0, kernels = 0;
    kn_source *source = NULL;

    for (const char *name; (name = kn_source_get_builtin_name(count)); count++) {
        if (strcmp(name + strlen(name) - 3, ".cl") != 0)
            continue;
        EXPECT_OK(kn_source_from_builtin(name, NULL, &source, &err));
        ck_assert_msg(kn_source_get_kernel_count(source) > 0, "%s has no kernels", name);
        kn_source_free(source);
        kernels++;
    }
    ck_assert_uint_gt(kernels, 30);
    ck_assert_uint_gt(count, kernels);
    ck_assert_ptr_null(kn_source_get_builtin_name(count));
    ck_assert_ptr_null(kn_source_get_builtin_name(SIZE_MAX));
    EXPECT_REFUSED(KN_ERROR_INPUT, "no_such.cl", kn_source_from_builtin("no_such.cl", NULL, &source, &err));
}
END_TEST

START_TEST(refusals)
{
    static const char recursive[] = "int g(int n) { return n ? g(n - 1) : 0; }\n"
                                    "__kernel void f(__global int *p) { p[0] = g(3); }\n";
    const kn_define nameless[] = {{NULL, "1"}};
    const kn_source_options wrong[] = {
        KN_INIT(kn_source_options, .define_count = 1),
        KN_INIT(kn_source_options, .include_dir_count = 1),
        KN_INIT(kn_source_options, .predefined_count = 1),
        KN_INIT(kn_source_options, .macros = (kn_source_macros)2),
        KN_INIT(kn_source_options, .defines = nameless, .define_count = 1),
        {.define_count = 0}, // not initialised with KN_INIT
    };
    kn_source *source = NULL;

    for (size_t i = 0; i < KI_COUNT(wrong); i++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT,
                       "kn_source_from_text: ", kn_source_from_text("", "none.cl", &wrong[i], &source, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "there is no source",
                   kn_source_from_text(NULL, "none.cl", NULL, &source, &err));
    EXPECT_REFUSED(KN_ERROR_BUILD, "f.cl:1",
                   kn_source_from_text("__kernel void f(int", "f.cl", NULL, &source, &err));
    ck_assert_ptr_null(source);

    EXPECT_OK(kn_source_from_text(recursive, "recursive.cl", NULL, &source, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "recursive.cl:1", kn_source_make_cuda(source, &err));
    ck_assert_str_eq(kn_source_get_cuda_text(source, NULL), "");
    kn_source_free(source);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_is_told, as_cuda, macros, files, builtins, refusals};

    return TEST_RUN("source_api", CK_FORK_GETENV, tests);
}
