// SPDX-License-Identifier: Apache-2.0
// The scan for kernels and their parameters: every form of both, and parameters that OpenCL C forbids.
#include "source_support.h"

// The parameters in one line, like "global float4 16 const a, value uint 4 n"; the caller frees it.
static char *describe(const kn_source_kernel *kernel)
{
    static const char *const kinds[] = {
        [KN_PARAM_GLOBAL] = "global", [KN_PARAM_CONSTANT] = "constant", [KN_PARAM_LOCAL] = "local",
        [KN_PARAM_VALUE] = "value",   [KN_PARAM_IMAGE] = "image",       [KN_PARAM_SAMPLER] = "sampler"};
    struct ki_text text = KI_TEXT_INIT;
    char *string;

    for (size_t i = 0; i < kernel->param_count; i++) {
        const kn_param *param = &kernel->params[i];
        ki_text_format(&text, "%s%s %s %zu %s%s", i ? ", " : "", kinds[param->kind], param->type, param->size,
                       param->is_const ? "const " : "", param->name);
    }
    string = ki_text_take(&text);
    ck_assert_ptr_nonnull(string);
    return string;
}

// Expects a text to have one kernel, k, with these parameters.
static void expect_kernel(const char *text, const char *expected)
{
    struct src_unit *unit = read_text(text, NULL);
    char *found;

    ck_assert_msg(unit->kernel_count == 1, "%zu kernels in %s", unit->kernel_count, text);
    ck_assert_str_eq(unit->kernels[0].name, "k");
    found = describe(&unit->kernels[0]);
    ck_assert_msg(strcmp(found, expected) == 0, "of\n%s\ncame     %s\nexpected %s", text, found, expected);
    free(found);
    ki_src_free(unit);
}

static void expect_params(const char *params, const char *expected)
{
    char text[1000];

    snprintf(text, sizeof text, "struct s { int i; }; enum e { E };\n__kernel void k(%s) {}", params);
    expect_kernel(text, expected);
}

START_TEST(pointers)
{
    expect_params("__global float *a", "global float 4 a");
    expect_params("global const float4 * restrict a", "global float4 16 const a");
    expect_params("const __global float *const a", "global float 4 const a");
    expect_params("float const volatile __global * __restrict__ const a", "global float 4 const a");
    expect_params("__constant double *a", "constant double 8 const a");
    expect_params("__local int3 *a, local uchar16 *restrict b", "local int3 16 a, local uchar16 16 b");
    expect_params("__global void *a", "global void 0 a");
    expect_params("__global struct s *a, __global const enum e *b",
                  "global struct s 0 a, global enum e 4 const b");
    expect_params("__global size_t *a, __global half *b, __global bool *c",
                  "global size_t 8 a, global half 2 b, global bool 1 c");
    expect_params("__global float a[]", "global float 4 a");
    expect_params("__global const float *, int n, __local int3 *",
                  "global float 4 const unnamed_1, value int 4 n, local int3 16 unnamed_3");
    expect_params("__global float a[16], __local int b[4][8], __global float (*c)[3]",
                  "global float 4 a, local int 32 b, global float 12 c");
    expect_params("__global float a[N][N]", "global float 0 a");
    expect_params("__global float *a __attribute__((aligned(16)))", "global float 4 a");
    expect_params("__attribute__((unused)) __global float *a", "global float 4 a");
}
END_TEST

START_TEST(values)
{
    expect_params(
        "int a, uint b, unsigned c, unsigned int d, signed e",
        "value int 4 a, value uint 4 b, value unsigned 4 c, value unsigned int 4 d, value signed 4 e");
    expect_params("char a, unsigned char b, short c, short unsigned int d, long e, long int f, ulong g",
                  "value char 1 a, value unsigned char 1 b, value short 2 c, value short unsigned int 2 d, "
                  "value long 8 e, value long int 8 f, value ulong 8 g");
    // Reserved in OpenCL C, and not of the same size everywhere.
    expect_params("unsigned long long a", "value unsigned long long 0 a");
    expect_params(
        "float2 a, const float3 b, double8 c, char16 d, __private int e",
        "value float2 8 a, value float3 16 b, value double8 64 c, value char16 16 d, value int 4 e");
    expect_params("struct s a, enum e b, union { int i; } c",
                  "value struct s 0 a, value enum e 4 b, value union 0 c");
    expect_params(
        "read_only image2d_t a, __write_only image3d_t b, image1d_buffer_t c, sampler_t d",
        "image image2d_t 0 const a, image image3d_t 0 b, image image1d_buffer_t 0 const c, sampler sampler_t "
        "0 d");
    expect_kernel("typedef write_only image2d_t target; kernel void k(target a, image2d_array_t b) {}",
                  "image image2d_t 0 a, image image2d_array_t 0 const b");
    expect_params("some_vendor_t a, float5 b", "value some_vendor_t 0 a, value float5 0 b");
    expect_params("", "");
    expect_params("void", "");
    expect_params(" /* void */ ", "");
}
END_TEST

START_TEST(typedefs)
{
    expect_kernel("typedef float real; typedef real real_t; kernel void k(global real_t *a, real b) {}",
                  "global real_t 4 a, value real 4 b");
    expect_kernel(
        "typedef unsigned int u32, *p32, v32[8];\nkernel void k(u32 a, global u32 *b, global v32 *c) {}",
        "value u32 4 a, global u32 4 b, global v32 32 c");
    expect_kernel("typedef const __global float4 *in_t; kernel void k(in_t a) {}", "global in_t 16 const a");
    expect_kernel("typedef float v4 __attribute__((ext_vector_type(4))); typedef float v3 "
                  "__attribute__((ext_vector_type(3)));"
                  "typedef int w __attribute__((vector_size(32))); kernel void k(v4 a, v3 b, w c) {}",
                  "value v4 16 a, value v3 16 b, value w 32 c");
    expect_kernel(
        "typedef struct body { float4 p; struct { int x; } in; } body; typedef enum { A, B } mode;\n"
        "kernel void k(global body *a, body b, mode c, struct body d) {}",
        "global body 0 a, value body 0 b, value mode 4 c, value struct body 0 d");
    expect_kernel(
        "typedef int (*unused)(int, float); typedef struct { int a[3]; } t[2]; kernel void k(int a) {}",
        "value int 4 a");
    // Typedefs that define OpenCL's own names again.
    expect_kernel(
        "typedef unsigned long ulong; typedef float float4[4]; kernel void k(ulong a, global float4 *b) {}",
        "value ulong 8 a, global float4 16 b");
}
END_TEST

static void expect_number(const char *params, const char *name, unsigned lanes)
{
    char text[1000];
    struct src_unit *unit;
    const kn_source_number *found;

    snprintf(text, sizeof text,
             "struct s { int i; }; enum e { E }; typedef float real; typedef real real_t, pair "
             "__attribute__((ext_vector_type(2))); typedef short w __attribute__((vector_size(16)));"
             "typedef int w5 __attribute__((ext_vector_type(5)));\n__kernel void k(%s) {}",
             params);
    unit = read_text(text, NULL);
    found = &unit->kernels[0].numbers[0];
    ck_assert_msg(name ? found->name && strcmp(found->name, name) == 0 && found->lanes == lanes
                       : !found->name,
                  "%s: %u of %s", params, found->lanes, found->name ? found->name : "none");
    ki_src_free(unit);
}

// The scalar type and the lanes of a parameter's numbers, also through typedefs.
START_TEST(numbers)
{
    expect_number("int a", "int", 1);
    expect_number("const unsigned a", "uint", 1);
    expect_number("short unsigned int a", "ushort", 1);
    expect_number("signed char a", "char", 1);
    expect_number("unsigned char a", "uchar", 1);
    expect_number("long int a", "long", 1);
    expect_number("unsigned long a", "ulong", 1);
    expect_number("double a", "double", 1);
    expect_number("ulong16 a", "ulong", 16);
    expect_number("float3 a", "float", 3);
    expect_number("real_t a", "float", 1);
    expect_number("pair a", "float", 2);
    expect_number("w a", "short", 8);
    expect_number("enum e a", "int", 1);
    expect_number("__global const real *a", "float", 1);
    expect_number("w5 a", NULL, 0);
    expect_number("long long a", NULL, 0);
    expect_number("struct s a", NULL, 0);
    expect_number("some_vendor_t a", NULL, 0);
    expect_number("__global void *a", NULL, 0);
    expect_number("image2d_t a", NULL, 0);
}
END_TEST

START_TEST(shapes)
{
    expect_kernel("void kernel k(int a) {}", "value int 4 a");
    expect_kernel("__kernel __attribute__((vec_type_hint(float4))) void k(int a) __attribute__((unused)) {}",
                  "value int 4 a");
    expect_kernel("__attribute__((x(1, (2)))) kernel void k(int a);\nkernel void k(int a) { { } }",
                  "value int 4 a");
    expect_kernel("static inline kernel void k(int a) {}", "value int 4 a");
    expect_kernel("#define KERNEL(n, ...) __kernel void n(__VA_ARGS__)\n#define G __global\nKERNEL(k, G "
                  "float *a, int n) {}",
                  "global float 4 a, value int 4 n");
    expect_kernel(
        "#if 0\nkernel void no(bool b) {}\n#endif\n// kernel void c1() {}\n/* kernel void c2() {} */\n"
        "__constant char s[] = \"kernel void c3() {}\";\nkernel void k(int a) {}",
        "value int 4 a");
    expect_kernel("kernel void p(global float **bad);\nint f(bool b, int *p) { return b; }\n"
                  "__constant int t[2][2] = {{1, 2}, {3, 4}};\n__constant struct { int a; } u = {1};\n"
                  "struct s { int a; } f2(void) { struct s x; return x; }\nstruct s f3(void) { struct s x; "
                  "return x; }\n"
                  "struct __attribute__((packed)) q { int a; };\nenum e { A = 1 };\n;;\n#pragma unroll\n"
                  "kernel void k(int a) { int kernel_count = 0; if (a) { } }\nint g(void) <% return 1; %>",
                  "value int 4 a");
    expect_kernel("kernel void k(global int a<::>) <% %>", "global int 4 a");
}
END_TEST

START_TEST(several)
{
    struct src_unit *unit =
        read_text("kernel void first() {}\n\n#line 40 \"other.cl\"\n__kernel\nvoid\nsecond(int a)\n{}\n"
                  "__attribute__((reqd_work_group_size(8 * 2, 4u, 1))) kernel void third() {}\n"
                  "kernel void fourth() __attribute__((reqd_work_group_size(64, 1, 1)));\n"
                  "kernel void fourth() {}\n",
                  NULL);

    ck_assert_uint_eq(unit->kernel_count, 4);
    ck_assert_str_eq(unit->kernels[0].file, "main.cl");
    ck_assert_int_eq(unit->kernels[0].line, 1);
    ck_assert_uint_eq(unit->kernels[0].required_group[0], 0);
    ck_assert_str_eq(unit->kernels[1].name, "second");
    ck_assert_str_eq(unit->kernels[1].file, "other.cl");
    ck_assert_int_eq(unit->kernels[1].line, 42);
    ck_assert_uint_eq(unit->kernels[2].required_group[0], 16);
    ck_assert_uint_eq(unit->kernels[2].required_group[1], 4);
    ck_assert_uint_eq(unit->kernels[2].required_group[2], 1);
    ck_assert_uint_eq(unit->kernels[3].required_group[0], 64);
    ki_src_free(unit);
}
END_TEST

// The parameter is on line 3, where it must be refused.
static void expect_forbidden(const char *param, const char *what)
{
    char text[400];

    snprintf(text, sizeof text, "typedef float *pf; typedef bool flag;\nkernel void k(int first,\n%s) {}",
             param);
    expect_error(text, 3, what);
    expect_error(text, 3, "kernel k: argument 2");
}

START_TEST(forbidden)
{
    expect_forbidden("float *a", "(\"a\"): a kernel's pointer must point to __global");
    expect_forbidden("__private float *a", "must point to __global");
    expect_forbidden("float a[4]", "must point to __global");
    expect_forbidden("pf a", "must point to __global");
    expect_forbidden("float * __global a", "must point to __global");
    expect_forbidden("__global float **a", "pointer to a pointer");
    expect_forbidden("__global float *a[4]", "pointer to a pointer");
    expect_forbidden("__global pf *a", "pointer to a pointer");
    expect_forbidden("bool a", "bool has no fixed size");
    expect_forbidden("const flag a", "bool has no fixed size");
    expect_forbidden("size_t a", "its size differs");
    expect_forbidden("uintptr_t a", "its size differs");
    expect_forbidden("ptrdiff_t a", "its size differs");
    expect_forbidden("event_t a", "event");
    expect_forbidden("void a", "void is not a type");
    expect_forbidden("void", "void is not a type");
    expect_forbidden("float *", "must point to __global");
    expect_forbidden("__global float a", "by value is private");
    expect_forbidden("__local float a", "by value is private");
    expect_forbidden("__global image2d_t *a", "images and samplers are passed by value");
    expect_forbidden("void (*a)(int)", "function pointers");
    expect_forbidden("const", "has no type");
    expect_forbidden("", "is empty");
    expect_forbidden("int a b", "cannot be read from \"b\" on");
    expect_forbidden("int a = 3", "cannot be read from \"=\" on");
}
END_TEST

START_TEST(unreadable)
{
    expect_error("\nkernel int k(int a) {}", 2, "kernel k must return void");
    expect_error("\nkernel void *k(int a) {}", 2, "kernel k must return void");
    expect_error("\nkernel k(int a) {}", 2, "kernel k must return void");
    expect_error("\nkernel void;", 2, "this kernel cannot be read");
    expect_error("\nkernel void k() {}\nkernel void k() {}", 3,
                 "kernel k is defined twice; first at main.cl:2");
    expect_error("int a;\n}\n", 2, "closes nothing");
    expect_error("int f()\n{\nif (x) {\n}\n", 2, "\"{\" is never closed");
    expect_error("kernel void k(int a\n", 1, "\"(\" is never closed");
    expect_error("int a[3\n", 1, "\"[\" is never closed");
    expect_error("kernel void k()\n__attribute__((reqd_work_group_size(1, 2))) {}", 2,
                 "three positive integers");
    expect_error("kernel void k()\n__attribute__((reqd_work_group_size(1, 2, 0))) {}", 2,
                 "three positive integers");
    expect_error("kernel void k()\n__attribute__((reqd_work_group_size(1, 2, 3, 4))) {}", 2,
                 "three positive integers");
    expect_error("kernel void k()\n__attribute__((reqd_work_group_size(N, 2, 3))) {}", 2,
                 "\"N\" is not a number");
}
END_TEST

START_TEST(doubles)
{
    static const struct {
        const char *text;
        long line;
    } cases[] = {
        {"float a;", 0},
        {"// double\n\"double\"\n#if 0\ndouble\n#endif\n#define REAL double\nfloat doubles, mydouble, "
         "double5;",
         0},
        {"float a;\ndouble b;\ndouble c;", 2},
        {"\n\nvoid f(double4 *a) {}", 3},
        {"#define REAL double\n\nREAL x;", 3},
        {"typedef\ndouble real;", 2},
        {"\nint f() { return convert_int(convert_double2_rte(1)); }", 2},
        {"\n\nlong f() { return as_double(1L); }", 3},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct src_unit *unit = read_text(cases[i].text, NULL);
        ck_assert_msg(unit->double_line == cases[i].line, "line %ld, for %s", unit->double_line,
                      cases[i].text);
        ck_assert_int_eq(unit->double_file != NULL, cases[i].line != 0);
        ki_src_free(unit);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {pointers,  values,     typedefs, shapes, several,
                                  forbidden, unreadable, doubles,  numbers};

    return TEST_RUN("source: signature", CK_FORK, tests);
}
