// SPDX-License-Identifier: Apache-2.0
// What the CUDA rewriter refuses, with the file and the line; hostile texts; and the time that a large file
// takes.
#include "cuda_support.h"

#include <math.h>

struct refusal {
    const char *source, *message;
    kn_status status;
};

static void expect_refusals(const struct refusal *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kn_error err = KN_ERROR_INIT;
        struct src_cuda *cuda;

        ck_assert_msg(rewrite(cases[i].source, &cuda, &err) == cases[i].status, "%s: %s", cases[i].source,
                      err.text);
        ck_assert_msg(strstr(err.text, cases[i].message) != NULL, "%s: %s", cases[i].source, err.text);
        ck_assert_str_eq(err.file, "t.cl");
        ck_assert_int_gt(err.line, 0);
    }
}

START_TEST(refusals)
{
    static const struct refusal cases[] = {
        {"\nvoid f(pipe int p) {}", "t.cl:2: \"pipe\": pipes", KN_ERROR_UNSUPPORTED},
        {"void f(void) {\n enqueue_kernel(); }", "t.cl:2: \"enqueue_kernel\": device-side enqueue",
         KN_ERROR_UNSUPPORTED},
        {"int f(int n)\n{\n return n ? f(n - 1) : 0; }", "t.cl:3: \"f\" comes to call itself",
         KN_ERROR_UNSUPPORTED},
        {"int g(int); int f(int n) { return g(n); }\nint g(int n) { return f(n); }", "comes to call itself",
         KN_ERROR_UNSUPPORTED},
        {"void f(void)\n{ int (*p)(int); }", "t.cl:2: function pointers", KN_ERROR_UNSUPPORTED},
        {"int g(int);\nvoid f(void)\n{ int x = g == 0; }", "t.cl:3: \"g\" is used without calling it",
         KN_ERROR_UNSUPPORTED},
        {"int g(int);\nint f(int n)\n{ return g(n); }\n__kernel void k(__global int *p) { *p = f(1); }",
         "t.cl:3: \"g\" is declared and nowhere defined", KN_ERROR_BUILD},
        {"void f(int n)\n{ n = n +; }", "t.cl:2: \";\" stands where an expression is expected",
         KN_ERROR_BUILD},
        {"void f(int n)\n{ n = 1 }", "t.cl:2: \"}\" stands where \";\" at the end of a statement is expected",
         KN_ERROR_BUILD},
        {"void f(float4 v)\n{ v.x = v.y << 1; }", "t.cl:2: a shift takes integers; its left operand",
         KN_ERROR_BUILD},
        {"void f(int4 v, double4 w)\n{ v >>= w; }", "t.cl:2: a shift takes integers; its right operand",
         KN_ERROR_BUILD},
        {"void f(float4 v)\n{ v.xq = 1; }", "t.cl:2: \"xq\" names no components of a float4", KN_ERROR_BUILD},
        {"struct s { int a; };\nvoid f(struct s v)\n{ v.b = 1; }", "t.cl:3: there is no member \"b\"",
         KN_ERROR_BUILD},
        {"__constant int a[2] = { 1,\n 2, 3 };", "t.cl:2: there are more initialisers", KN_ERROR_BUILD},
        {"union u { int a; float b; };\n__constant union u t = {\n .b = 1 };",
         "t.cl:3: a __constant union whose first member", KN_ERROR_UNSUPPORTED},
        {"struct s { int a;\n struct s inside[2]; };", "t.cl:2: this member's struct is not defined yet",
         KN_ERROR_BUILD},
        {"struct inner { float4 v; };\nstruct __attribute__((packed)) s { char c; struct inner i[2]; };",
         "t.cl:2: a vector stands unaligned in this packed struct", KN_ERROR_UNSUPPORTED},
        {"void f(void)\n{ ^(int x) { return x; }; }", "t.cl:2: blocks", KN_ERROR_UNSUPPORTED},
        {"int f(int n)\n{ return ({ if (n) return 1; 2; }); }", "t.cl:2: \"return\" out of ({ ... })",
         KN_ERROR_UNSUPPORTED},
        {"void f(int n)\n{ for (;;)\n n = ({ break; n; }); }", "t.cl:3: \"break\" out of ({ ... })",
         KN_ERROR_UNSUPPORTED},
        {"int f(int n)\n{ return __builtin_ffs(n); }", "t.cl:2: \"__builtin_ffs\"", KN_ERROR_UNSUPPORTED},
        {"_Static_assert(sizeof(int) == 4, \"\");\n_Static_assert(sizeof(int3) == 12, \"\");",
         "t.cl:2: this _Static_assert", KN_ERROR_BUILD},
        {"void f(int n)\n{ switch (n) { case 1 ... 5000: ; } }", "t.cl:2: this range of cases",
         KN_ERROR_UNSUPPORTED},
        {"__constant int a[3] = {[1 ... 3] = 1};", "t.cl:1: this designator", KN_ERROR_BUILD},
        {"struct s { int n;\n int a[0]; };", "t.cl:2: an array without elements", KN_ERROR_UNSUPPORTED},
        {"struct s { int n; int a[]; };", "t.cl:1: an array without elements", KN_ERROR_UNSUPPORTED},
        {"void f(void)\n{ half2 h; }", "t.cl:2: \"half2\": arithmetic in half precision",
         KN_ERROR_UNSUPPORTED},
        {"void f(__global half *h)\n{ h[0] = h[1] * h[2]; }", "t.cl:2: arithmetic in half precision",
         KN_ERROR_UNSUPPORTED},
        {"unknown_t f(void) { return 0; }", "t.cl:1: \"unknown_t\" stands where a type is expected",
         KN_ERROR_BUILD},
        {"struct e { };\nstruct e a[2000000000] = {1};", "t.cl:2: the elements of this array have no parts",
         KN_ERROR_BUILD},
        {"void f(int n)\n{ asm(n); }", "t.cl:2: \"n\" stands where a string of asm is expected",
         KN_ERROR_BUILD},
        {"void f(int n)\n{ asm(\"a\" : \"=r\" n); }",
         "t.cl:2: \"n\" stands where \"(\" before an operand of asm", KN_ERROR_BUILD},
        {"void f(int n)\n{ asm(\"a\" : [b] \"=r\"(n)); }", "t.cl:2: operands of asm with names",
         KN_ERROR_UNSUPPORTED},
        {"void f(int n)\n{ asm(\"a\") }", "t.cl:2: \"}\" stands where \";\" behind asm", KN_ERROR_BUILD},
        {"asm(\"a\");", "t.cl:1: \"asm\"", KN_ERROR_BUILD},
        {"int f(a)\nint b; { return a; }", "t.cl:2: \"b\" is not one of this function's parameters",
         KN_ERROR_BUILD},
        {"int f(a)\nint; { return a; }", "t.cl:2: \";\" stands where the name of a parameter",
         KN_ERROR_BUILD},
        {"int g,\n f(int n) {}", "t.cl:2: \"{\" stands where \",\" or \";\"", KN_ERROR_BUILD},
    };

    expect_refusals(cases, sizeof cases / sizeof *cases);
}
END_TEST

START_TEST(images)
{
    static const struct refusal cases[] = {
        {"__kernel void k(\nread_write image2d_t i) {}", "t.cl:2: \"read_write\": OpenCL C 1.2 has no images",
         KN_ERROR_UNSUPPORTED},
        {"void f(read_only\nint i) {}", "t.cl:1: \"read_only\" stands before what is no image",
         KN_ERROR_BUILD},
        {"void f(image2d_t i) {\n image2d_t j; }", "t.cl:2: an image (\"image2d_t\") can only be a parameter",
         KN_ERROR_BUILD},
        {"void f(write_only image3d_t *i) {}", "an image (\"image3d_t\") can only be", KN_ERROR_BUILD},
        {"void f(image1d_t i[2]) {}", "an image (\"image1d_t\") can only be", KN_ERROR_BUILD},
        {"image2d_t f(void);", "an image (\"image2d_t\") can only be", KN_ERROR_BUILD},
        {"struct s {\n image2d_t i; };", "t.cl:2: an image (\"image2d_t\") can only be", KN_ERROR_BUILD},
        {"int f(image2d_t i) { return sizeof(image2d_t); }", "an image (\"image2d_t\") can only be",
         KN_ERROR_BUILD},
        {"int f(image2d_t i)\n{ return i == 0; }", "t.cl:2: \"i\" is an image: it can only be handed",
         KN_ERROR_BUILD},
        {"void f(image2d_t i, image2d_t j)\n{ i = j; }", "t.cl:2: \"i\" is an image", KN_ERROR_BUILD},
        {"int f(image2d_t i) { return sizeof(i); }", "\"i\" is an image", KN_ERROR_BUILD},
        {"float4 f(write_only image2d_t i)\n{ return read_imagef(i, (int2)(0)); }",
         "t.cl:2: read_imagef: the image is write_only; its parameter has to say read_only", KN_ERROR_BUILD},
        {"void f(image2d_t i)\n{ write_imagei(i, (int2)(0), (int4)(0)); }",
         "t.cl:2: write_imagei: the image is read_only", KN_ERROR_BUILD},
        {"float4 f(int i)\n{ return read_imagef(i, (int2)(0)); }", "t.cl:2: read_imagef: the first argument",
         KN_ERROR_BUILD},
        {"void f(void) {\n sampler_t s; }", "t.cl:2: a sampler (\"sampler_t\") can only be", KN_ERROR_BUILD},
        {"void f(void) {\n const sampler_t s[1] = {0}; }", "t.cl:2: a sampler", KN_ERROR_BUILD},
        {"struct s { sampler_t s; };", "t.cl:1: a sampler", KN_ERROR_BUILD},
        {"void f(image2d_msaa_t i) {}", "\"image2d_msaa_t\": multi-sample images", KN_ERROR_UNSUPPORTED},
        {"void f(image2d_depth_t i) {}", "\"image2d_depth_t\": depth images", KN_ERROR_UNSUPPORTED},
    };

    expect_refusals(cases, sizeof cases / sizeof *cases);
}
END_TEST

// `before`, then `part` `count` times, then `after`; the caller frees it.
static char *repeated(const char *before, const char *part, size_t count, const char *after)
{
    size_t length = strlen(part);
    char *text = malloc(strlen(before) + count * length + strlen(after) + 1), *at;

    ck_assert_ptr_nonnull(text);
    at = stpcpy(text, before);
    for (size_t i = 0; i < count; i++)
        at = stpcpy(at, part);
    strcpy(at, after);
    return text;
}

// A part that is repeated 20,000 times is refused or read, and never crashes the rewriter.
START_TEST(nesting)
{
    static const struct {
        const char *before, *part, *after;
        bool refused;
    } cases[] = {
        {"void f(int n) { n = ", "(", ";}", true},
        {"void f(int n) { n = ", "-", "1;}", true},
        {"void f(int n) { n = ", "(int)", "1;}", true},
        {"void f(int n) { ", "{", "}", true},
        {"void f(int n) { ", "if (n) ", ";}", true},
        {"void f(int n) { n = 1", "+ n", ";}", true},
        {"void f(int n) { n ", "= n ", ";}", true},
        {"void f(int n) { n = ", "n ? ", "1;}", true},
        {"__constant int a[] = ", "{", "1};", true},
        {"", "struct {", "", true},
        {"int ", "*", "f(void);", true},
        {"int ", "(", "f;", true},
        {"int a", "[2]", ";", true},
        {"void f(int n) { n = n", "[0]", ";}", true},
        {"void f(int n) { n = sizeof ", "sizeof ", "n;}", true},
        {"void f(int n) { ", "n++;", "}", false},
        {"void f(int n) { ", "x: ", ";}", true},
        {"void f(int n) { switch (n) { ", "case 1: ", "n++; } }", false},
        {"void f(int n) { switch (n) ", "default: ", "n++; }", true},
        {"void f(int n) { ", "else ", "}", true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *source = repeated(cases[i].before, cases[i].part, 20000, cases[i].after);
        kn_error err = KN_ERROR_INIT;
        struct src_cuda *cuda;
        kn_status status = rewrite(source, &cuda, &err);

        ck_assert_msg((status != KN_OK) == cases[i].refused, "%s: %s", cases[i].part, err.text);
        ki_src_cuda_free(cuda);
        free(source);
    }
}
END_TEST

// Every truncation of a program that uses much of the language is refused or read. Each is an allocation of
// its own, so that sanitizers find reads beyond its end.
START_TEST(truncation)
{
    static const char source[] =
        "typedef struct { int a[2]; union { float f; uint u : 3; }; } s; enum e { A, B = 2 };\n"
        "__constant s t[2] = { [1].a[0] = 1, { { 2, 3 } } }; int g(float4 v, __local int *p);\n"
        "float4 h(v, n, m) float4 v; uint n[2], m; { return v * n[1]; }\n"
        "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k(__global float4 *a, __local int *l) "
        "{\n"
        "__local float tile[4]; for (int i = 0, n = 3; i < n; i++) { switch (i) { case A: default: break; } "
        "}\n"
        "do { a[0].xy = (float2)(1, 2) * a[1].hi; } while (0); goto end; s x = { { 1 } }; end:\n"
        "if (l[0] << 2 ? 1 : sizeof(s)) { printf(\"%v4f\", a[0]); } else return; int *q = (int[]){ 1 }; }\n";

    for (size_t length = 0; length < sizeof source; length++) {
        char *cut = strndup(source, length);
        kn_error err = KN_ERROR_INIT;
        struct src_cuda *cuda;

        if (rewrite(cut, &cuda, &err) == KN_OK)
            ki_src_cuda_free(cuda);
        else
            ck_assert_uint_gt(strlen(err.text), 0);
        free(cut);
    }
}
END_TEST

// Rewriting the same source twice gives the same bytes.
START_TEST(determinism)
{
    char *source = repeated(
        "typedef struct { int a; } s;\n",
        "void f(__global float4 *v) { s x = { .a = 1 }; v[x.a].xy = v[0].wz * (float2)(x.a << x.a); }\n", 1,
        "");
    struct src_cuda *first, *second;

    ck_assert_int_eq(rewrite(source, &first, NULL), KN_OK);
    ck_assert_int_eq(rewrite(source, &second, NULL), KN_OK);
    ck_assert_str_eq(first->text, second->text);
    ki_src_cuda_free(first);
    ki_src_cuda_free(second);
    free(source);
}
END_TEST

// 5,000 lines take less than 50 ms of processor time; with AddressSanitizer or under an emulator, 1 s.
START_TEST(speed)
{
    static const char kernel[] =
        "__kernel void NAME(__global float4 *out, __global const float4 *in, __local float *tile, int n)\n{\n"
        "    size_t i = get_global_id(0), l = get_local_id(0);\n    float4 sum = (float4)(0.0f), v = in[i];\n"
        "    for (int k = 0; k < n; k++) {\n        tile[l] = v.x * k + (n << k);\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n        sum.xy += (float2)(tile[l], tile[(l + 2) & 63]) * "
        "v.zw;\n"
        "        sum = n > 3 ? sum : v.wzyx + clamp(v, 0.0f, 1.0f);\n    }\n    out[i] = sum;\n}\n\n"
        "#define PASTE_(a, b) a##b\n#define PASTE(a, b) PASTE_(a, b)\n#undef NAME\n#define NAME PASTE(k, "
        "__LINE__)\n";
    char *source = repeated("#define NAME first\n", kernel, 300, "");
    struct src_cuda_options wanted = {.constant_bank = false};
    struct src_cuda *cuda = NULL;
    struct src_unit *unit = NULL;
    double best = 1e9, limit = test_is_emulated() ? 1.0 : 0.05;

#ifdef __SANITIZE_ADDRESS__
    limit = 1.0;
#endif
    ck_assert_int_eq(ki_src_read("t.cl", source, NULL, &unit, NULL), KN_OK);
    for (int i = 0; i < 5; i++) {
        clock_t start = clock();

        ck_assert_int_eq(ki_src_cuda(unit, NULL, &wanted, &cuda, NULL), KN_OK);
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC);
        ki_src_cuda_free(cuda);
    }
    ck_assert_double_lt(best, limit);
    ki_src_free(unit);
    free(source);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {refusals, images, nesting, truncation, determinism, speed};

    return TEST_RUN("cuda_refused", CK_FORK_GETENV, tests);
}
