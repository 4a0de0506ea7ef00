// SPDX-License-Identifier: Apache-2.0
// OpenCL C rewritten as CUDA: each rule on a line or two of source, with the expected text.
#include "cuda_support.h"

#include "base/text/text.h"

struct rule {
    const char *opencl, *cuda;
};

static void check_rules(const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        kn_error err = KN_ERROR_INIT;
        struct src_cuda *cuda;
        char *program;

        ck_assert_msg(rewrite(rules[i].opencl, &cuda, &err) == KN_OK, "%s\n%s", rules[i].opencl, err.text);
        program = program_of(cuda);
        ck_assert_str_eq(program, rules[i].cuda);
        free(program);
        ki_src_cuda_free(cuda);
    }
}

// Checks rules for statements inside `float f(int i, float4 v, int4 m, __global int *p)`.
static void check_statements(const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char source[1000], expected[1000];
        struct rule rule = {source, expected};

        snprintf(source, sizeof source, "float f(int i, float4 v, int4 m, __global int *p) { %s }",
                 rules[i].opencl);
        snprintf(expected, sizeof expected,
                 "KN_FN float f(const kn_item &kn_me, int i, float4 v, int4 m, int *p) { %s }",
                 rules[i].cuda);
        check_rules(&rule, 1);
    }
}

#define CHECK_RULES(rules)      check_rules(rules, sizeof(rules) / sizeof *(rules))
#define CHECK_STATEMENTS(rules) check_statements(rules, sizeof(rules) / sizeof *(rules))

START_TEST(vectors)
{
    static const struct rule rules[] = {
        {"v = (float4)(1, 2, v.xy);", "v = kn_make<float4>(1, 2, v.xy);"},
        {"v = (float4)((float2)(1), (float2)(2, 3));",
         "v = kn_make<float4>(kn_make<float2>(1), kn_make<float2>(2, 3));"},
        {"m = (int4)-1;", "m = kn_cast<int4>(-1);"},
        {"i = (float2)(1, 2).y + (float2)(i).x;", "i = kn_make<float2>(1, 2).y + kn_make<float2>(i).x;"},
        {"v = (float4)i;", "v = kn_cast<float4>(i);"},
        {"v.wz = v.hi.yx;", "v.wz = kn_rvalue(v.wz);"},
        {"v.xy = v.zw = (float2)(i); v.xy += v.zw; (v.hi) = 1;",
         "v.xy = kn_rvalue(v.zw = kn_rvalue(kn_make<float2>(i))); v.xy += v.zw; (v.zw) = 1;"},
        {"v.S3 = v.lo.y;", "v.w = v.y;"},
        {"m = v < 1 ? m : ~m;", "m = kn_ternary(v < 1, [&] { return m; }, [&] { return ~m; });"},
        {"v = i ? v : -v;", "v = i ? v : -v;"},
        {"v = i ? v.wzyx : v;", "v = kn_ternary(i, [&]() -> float4 { return v.wzyx; }, [&] { return v; });"},
        {"i = vec_step(float3) + vec_step(i);", "i = 4 + 1;"},
        {"m = convert_int4_sat_rte(v) + as_int4(v);",
         "m = kn_convert<int4, kn_sat, kn_rte>(v) + kn_as<int4>(v);"},
        {"m = vload4(i, p); vstore3(m.xyz, 0, p);", "m = kn_vload<4>(i, p); kn_vstore<3>(m.xyz, 0, p);"},
        {"float4 a = { 1, 2, 3, 4 };", "float4 a = kn_make<float4>(1, 2, 3, 4);"},
        {"float2 a[] = { 1, { 2, 3 } };", "float2 a[2] = { kn_cast<float2>(1), kn_make<float2>(2, 3) };"},
    };

    CHECK_STATEMENTS(rules);
}
END_TEST

START_TEST(scalars)
{
    static const struct rule rules[] = {
        {"i = i << i;", "i = kn_shl(i, i);"},
        {"i = i << 31;", "i = i << 31;"},
        {"i = i >> 32;", "i = kn_shr(i, 32);"},
        {"i <<= i + 1;", "kn_shl_assign(i, i + 1);"},
        {"m >>= 3;", "kn_shr_assign(m, 3);"},
        {"struct { uint f : 3, g; } s, *t = &s; s.f <<= i; t++->f >>= 40; s.f <<= 1; s.g <<= i;",
         "struct kn_type_1 { uint f : 3; uint g; }; struct kn_type_1 s; struct kn_type_1 *t = &s; "
         "[&](auto &kn_s) { return kn_s.f = kn_shl(kn_s.f, i); }(s); "
         "[&](auto &kn_s) { return kn_s.f = kn_shr(kn_s.f, 40); }(*(t++)); s.f <<= 1; "
         "kn_shl_assign(s.g, i);"},
        {"wait_group_events(0, 0); event_t e = async_work_group_copy(p, p, 1, 0);",
         "wait_group_events(kn_me, 0, 0); event_t e = async_work_group_copy(kn_me, p, p, 1, 0);"},
        {"i = 'a' + sizeof('a') + sizeof(i < 3);", "i = ((int)'a') + sizeof(int) + sizeof(int);"},
        {"uchar a[2] = { i, 300 };", "uchar a[2] = { kn_init(i), kn_init(300) };"},
        {"unsigned a; long unsigned int b; short signed c;", "unsigned int a; unsigned long b; short c;"},
        {"char a = 1; i = i ? a : a;", "char a = 1; i = (int)(i ? a : a);"},
        {"i = get_global_id(0) + max(i, 2);", "i = get_global_id(kn_me, 0) + max(i, 2);"},
        {"i = p == NULL;", "i = p == nullptr;"},
        {"i = - -i - --i;", "i = - -i - --i;"},
        {"char c = 1; short *q; uchar u; --c, ++*q; i = c++ + (*q)-- + u-- + i++;",
         "char c = 1; short *q; uchar u; (c -= 1), (*q += 1); "
         "i = kn_before(c += 1, 1) + kn_before((*q) -= 1, -1) + u-- + i++;"},
        {"struct { short f : 3, s; } s, *t = &s; s.f++, --t->f, t->s--;",
         "struct kn_type_1 { short f : 3; short s; }; struct kn_type_1 s; struct kn_type_1 *t = &s; "
         "s.f++, --t->f, kn_before(t->s -= 1, -1);"},
        {"p = i ? p : 0, i = (i, 2);", "p = i ? p : 0, i = (i, 2);"},
        {"int class = 1, kn_x = class;", "int kn_id_class = 1; int kn_id_kn_x = kn_id_class;"},
        {"enum { A = -1, B = 5, C } e = A; e = C;", "int e = (-1 /* A */); e = 6 /* C */;"},
    };

    CHECK_STATEMENTS(rules);
}
END_TEST

START_TEST(pointers)
{
    static const struct rule rules[] = {
        {"void *q = &i; int *r = q; const int *s = r; r = s;",
         "void *q = &i; int *r = (int *)(q); const int *s = r; r = (int *)(s);"},
        {"__global uchar *b = (__global uchar *)p; i = b == p;",
         "uchar *b = (uchar *)p; i = (const void *)(b) == (const void *)(p);"},
        {"i = (int)p;", "i = (int)(size_t)p;"},
        {"int *r = (int[]){ 1, 2 };",
         "kn_array<int, 2> kn_literal_1; int *r = (kn_literal_1 = kn_array<int, 2>{{ 1, 2 }}).kn_v;"},
        {"volatile __global float4 *a; volatile __local int *b;", "float4 *a; volatile int *b;"},
        {"int (*a)[4], *b[3], **c; const int *const d = *c;",
         "int (*a)[4]; int *b[3]; int **c; const int *const d = *c;"},
    };

    CHECK_STATEMENTS(rules);
}
END_TEST

START_TEST(initialisers)
{
    static const struct rule rules[] = {
        {"struct s { int a; float b[2]; union { int c; float d; } e; };"
         "__constant struct s t[3] = { [1] = { .b[1] = 2, .a = 1 }, { 3, 4, 5, { 6 } } };",
         "union kn_type_2 { int c; float d; }; struct s { int a; float b[2]; union kn_type_2 e; }; "
         "KN_CONSTANT_VAR struct s t[3] = { {}, { 1, { {}, 2 } }, { 3, { 4, 5 }, { 6 } } };"},
        {"typedef struct { int x, y; } p; __constant p a = { .y = 1 }, b = { 1 }, c[] = { 1, 2, 3 };",
         "struct kn_type_1 { int x; int y; }; typedef struct kn_type_1 p; KN_CONSTANT_VAR p a = { {}, 1 }; "
         "KN_CONSTANT_VAR p b = { 1 }; KN_CONSTANT_VAR p c[2] = { { 1, 2 }, { 3 } };"},
        {"extern __constant int a[2]; __constant int b = 1; __constant int a[2] = { 1, 2 };",
         "KN_CONSTANT_VAR int a[2] = { 1, 2 }; KN_CONSTANT_VAR int b = 1;"},
        {"__constant char a[] = \"ab\\n\", b[2] = \"a\\x41\";",
         "KN_CONSTANT_VAR char a[4] = \"ab\\n\"; KN_CONSTANT_VAR char b[2] = { kn_init('a'), "
         "kn_init('\\x41') };"},
    };

    CHECK_RULES(rules);
}
END_TEST

START_TEST(kernels)
{
    static const struct rule rules[] = {
        {"__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k(__global const float *restrict a, "
         "__constant int *b, __local float4 *c, float4 d) { __local int t[4]; __constant int u[1] = { 1 }; "
         "t[0] = u[0]; }",
         "KN_CONSTANT_VAR int kn_constant_1_u[1] = { 1 }; KN_BODY void k(const kn_item &kn_me, const float "
         "*__restrict__ a, "
         "const int *b, float4 *c, float4 d) { KN_LOCAL_VAR int t[4]; t[0] = kn_constant_1_u[0]; } "
         "KN_KERNEL_SIZED(k, 8, 4, 1)(const float *__restrict__ a, KN_CONSTANT_PARAM(int, b), "
         "KN_LOCAL_PARAM(float4, c), "
         "float4 d, KN_ITEM_PARAM) { kn::program::k(kn_me, a, KN_CONSTANT_BIND(int, b), "
         "KN_LOCAL_BIND(float4, c), d); }"},
        {"__constant char *__constant names[2] = { \"a\", \"b\" };",
         "typedef const char *kn_pointer_names; KN_CONSTANT_VAR kn_pointer_names names[2] = { \"a\", \"b\" "
         "};"},
        {"float g(float x); float f(float x) { return g(x); } float g(float x) { return x; }",
         "KN_FN float g(const kn_item &kn_me, float x); KN_FN float f(const kn_item &kn_me, float x) { "
         "return g(kn_me, x); } "
         "KN_FN float g(const kn_item &kn_me, float x) { return x; }"},
        {"void f(void) { } __kernel void k(void) { f(); }",
         "KN_FN void f(const kn_item &kn_me) { } KN_BODY void k(const kn_item &kn_me) { f(kn_me); } "
         "KN_KERNEL(k)(KN_ITEM_PARAM) { kn::program::k(kn_me); }"},
        // A part of a larger program, in which no kernel reaches g: a function that is only declared is not
        // inline, since an inline function that is used must be defined.
        {"float g(float x); float f(float x) { return g(x); }",
         "KN_DECLARED float g(const kn_item &kn_me, float x); KN_FN float f(const kn_item &kn_me, float x) { "
         "return g(kn_me, x); }"},
        {"typedef struct box { int x; } crate; struct crate { struct box b; };",
         "struct box { int x; }; typedef struct box crate; struct kn_tag_crate { struct box b; };"},
    };

    CHECK_RULES(rules);
}
END_TEST

START_TEST(jumps)
{
    static const struct rule rules[] = {
        {"switch (i) { case 0:; int a = 1; case 1: a = 2; int b = 3; }",
         "switch (i) { case 0: ; int a; a = 1; case 1: a = 2; int b = 3; }"},
        {"goto end; const int a[2] = { 1, 2 }; end: i = 1;",
         "goto end; int a[2]; { const int kn_value[2] = { 1, 2 }; kn_copy(a, kn_value); } end: i = 1;"},
        {"for (int k = 0; k < i; k++) { inside: int k = 1; }",
         "{ int k; k = 0; for (; k < i; k++) { inside: int k = 1; } }"},
    };

    CHECK_STATEMENTS(rules);
}
END_TEST

START_TEST(locations)
{
    static const struct rule rule = {
        "#define CALL(x) \\\n    x\nint f(void)\n{\n    return CALL(1);\n}\n#line 70 \"a\\\\b.h\"\nint "
        "g(void) { return 2; }\n",
        "\n#line 3 \"t.cl\"\nKN_FN int f(const kn_item &kn_me)\n{\n    return 1;\n}\n"
        "#line 70 \"a\\\\b.h\"\nKN_FN int g(const kn_item &kn_me) { return 2; }"};

    check_rules(&rule, 1);
}
END_TEST

START_TEST(unrolling)
{
    static const struct rule rule = {"#pragma once_upon\nvoid f(int n)\n{\n#pragma unroll 4\n    for (int i "
                                     "= 0, k = 1; i < n; i++)\n        k += i;\n}",
                                     "\n#line 2 \"t.cl\"\nKN_FN void f(const kn_item &kn_me, int "
                                     "n)\n{\n#pragma unroll 4\n#line 5 \"t.cl\"\n"
                                     "    for (int i = 0, k = 1; i < n; i++)\n        k += i;\n}"};

    check_rules(&rule, 1);
}
END_TEST

typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

// A __constant table of sixteen records, and the size of a record in C.
#define LAID_OUT(...)                                                                                        \
    {                                                                                                        \
        "typedef " #__VA_ARGS__ " record; __constant record t[16] = { { 1 } };", sizeof(__VA_ARGS__)         \
    }

START_TEST(bit_fields)
{
    static const struct {
        const char *text;
        size_t size;
    } records[] = {
        LAID_OUT(struct { uint a : 3, b : 12, c : 17; }),
        LAID_OUT(struct { uint a : 3, b : 12, c : 18; }),
        LAID_OUT(struct {
            uint a : 3, b : 30;
            uchar c;
        }),
        LAID_OUT(struct {
            int a : 1;
            int : 2;
            uchar b;
            int : 0;
            uchar c;
        }),
#ifndef __aarch64__ // where C also aligns structs to unnamed bit-fields; CUDA lays them out as on x86-64
        LAID_OUT(struct {
            uchar a;
        uint:
            20;
            uchar b;
        }),
#endif
        LAID_OUT(struct {
            uchar a : 7;
            ushort b : 9;
            uint c : 16;
            uchar d : 1;
        }),
        LAID_OUT(struct {
            uchar a;
            struct {
                ushort b : 4, c : 13;
            } d;
            uchar e : 8;
        }),
        LAID_OUT(struct __attribute__((packed)) {
            uchar a : 3;
            uint b : 31;
            uchar c;
        }),
        LAID_OUT(union {
            uint a : 9;
            uchar b;
        }),
        LAID_OUT(union {
            uint a : 9;
            ushort b : 16;
            struct {
                uchar c[5];
            } d;
        }),
    };

    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        kn_error err = KN_ERROR_INIT;
        struct src_cuda *cuda;
        ck_assert_msg(rewrite(records[i].text, &cuda, &err) == KN_OK, "%s: %s", records[i].text, err.text);
        ck_assert_msg(cuda->table_bytes == 16 * records[i].size, "%s: %zu bytes, not %zu", records[i].text,
                      cuda->table_bytes / 16, records[i].size);
        ki_src_cuda_free(cuda);
    }
}
END_TEST

// Only the vector selections that the program uses are defined before it; then the other results of the
// rewriting.
START_TEST(surroundings)
{
    kn_error err = KN_ERROR_INIT;
    struct src_cuda *cuda;

    ck_assert_int_eq(rewrite("#pragma OPENCL FP_CONTRACT OFF\n__constant float4 t[3] = { { 1 } };"
                             "__kernel void k(__global float8 *v, __constant int *c)"
                             "{ v[0].lo.wx = v[1].s70; v[0].s3 = v[1].odd.yz.x; }",
                             &cuda, &err),
                     KN_OK);
    ck_assert_ptr_nonnull(
        strstr(cuda->text, "#define KN_SWIZZLES_8 KN_SWIZZLE(8, s30, 3, 0) KN_SWIZZLE(8, s70, 7, 0)\n"));
    ck_assert_ptr_nonnull(strstr(cuda->text, "#define KN_SWIZZLES_4\n"));
    ck_assert_ptr_nonnull(strstr(cuda->text, "v[0].s3 = v[1].s3;"));
    ck_assert_uint_eq(cuda->table_bytes, 48);
    ck_assert(cuda->uses_constant_args);
    ck_assert(cuda->contract_off);
    ck_assert_uint_eq(cuda->length, strlen(cuda->text));
    ki_src_cuda_free(cuda);
}
END_TEST

START_TEST(formats)
{
    static const struct rule rules[] = {
        {"printf(\"%v4f %5d%%\\n\", v, i);", "kn_printed(printf(\"%f,%f,%f,%f %5d%%\\n\", kn_component(v, "
                                             "0), kn_component(v, 1), kn_component(v, 2), "
                                             "kn_component(v, 3), i));"},
        {"printf(\"%.2v2hlf|\" \"%hhx\", v.xy, i);",
         "kn_printed(printf(\"%.2f,%.2f|\" \"%x\", kn_component(v.xy, 0), kn_component(v.xy, 1), (unsigned "
         "char)(i)));"},
    };

    CHECK_STATEMENTS(rules);
}
END_TEST

// The prelude, with its includes resolved, is before the program; the bank's size is before both.
START_TEST(prelude)
{
    static const struct src_embedded table[] = {{"cuda/prelude.cuh", "first\n#include \"types.cuh\"\nlast\n"},
                                                {"cuda/types.cuh", "types\n"},
                                                {NULL, NULL}};
    struct src_cuda_options wanted = {.constant_bank = true, .bank_bytes = 4096, .embedded = table};
    kn_error err = KN_ERROR_INIT;
    struct src_unit *unit;
    struct src_cuda *cuda;

    ck_assert_int_eq(ki_src_read("t.cl", "", NULL, &unit, &err), KN_OK);
    ck_assert_int_eq(ki_src_cuda(unit, NULL, &wanted, &cuda, &err), KN_OK);
    ck_assert_ptr_eq(strstr(cuda->text, "#define KN_CONSTANT_BANK 1\n#define KN_BANK_BYTES 4096\n"),
                     cuda->text);
    ck_assert_ptr_nonnull(strstr(cuda->text, "\nfirst\ntypes\nlast\n\nnamespace kn {"));
    ck_assert_ptr_nonnull(strstr(cuda->text, "#define KN_WITHOUT_ATOMICS\n"));
    ki_src_cuda_free(cuda);
    ki_src_free(unit);
    ck_assert_int_eq(
        ki_src_read("t.cl", "kernel void k(global int *x) { atomic_inc(x); }", NULL, &unit, &err), KN_OK);
    ck_assert_int_eq(ki_src_cuda(unit, NULL, &wanted, &cuda, &err), KN_OK);
    ck_assert_ptr_null(strstr(cuda->text, "KN_WITHOUT_ATOMICS"));
    ki_src_cuda_free(cuda);
    wanted.embedded = table + 1;
    ck_assert_int_eq(ki_src_cuda(unit, NULL, &wanted, &cuda, &err), KN_ERROR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "cuda/prelude.cuh"));
    ki_src_free(unit);
}
END_TEST

// The files in tests/data/cuda, one for each rule, are rewritten, to the same bytes each time.
START_TEST(files)
{
    static const char *const names[] = {"calls",    "initialisers", "jumps",  "literals", "names",
                                        "pointers", "shifts",       "spaces", "ternary"};
    struct src_cuda_options wanted = {.constant_bank = false};
    const char *folder = getenv("srcdir");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        kn_error err = KN_ERROR_INIT;
        struct src_unit *unit;
        struct src_cuda *first, *second;
        char path[4096];

        snprintf(path, sizeof path, "%s/tests/data/cuda/%s.cl", folder ? folder : ".", names[i]);
        ck_assert_msg(ki_src_read(path, NULL, NULL, &unit, &err) == KN_OK, "%s", err.text);
        ck_assert_msg(ki_src_cuda(unit, NULL, &wanted, &first, &err) == KN_OK, "%s", err.text);
        ck_assert_int_eq(ki_src_cuda(unit, NULL, &wanted, &second, &err), KN_OK);
        ck_assert_str_eq(first->text, second->text);
        ck_assert_ptr_nonnull(strstr(first->text, "KN_KERNEL"));
        ki_src_cuda_free(first);
        ki_src_cuda_free(second);
        ki_src_free(unit);
    }
}
END_TEST

START_TEST(images)
{
    static const struct rule rules[] = {
        {"__constant sampler_t s = CLK_FILTER_NEAREST;",
         "static constexpr sampler_t s = kn_sampler(CLK_FILTER_NEAREST);"},
        {"const sampler_t s = 1;", "static constexpr sampler_t s = kn_sampler(1);"},
        {"typedef write_only image2d_t t; void f(t i, int2 c) { write_imagei(i, c, (int4)(1)); }",
         "typedef kn_written_image2d_t t; KN_FN void f(const kn_item &kn_me, t i, int2 c) { write_imagei(i, "
         "c, "
         "kn_make<int4>(1)); }"},
        {"float f(const image2d_t i, sampler_t s) { return read_imagef(i, s, (float2)(0)).x; }",
         "KN_FN float f(const kn_item &kn_me, image2d_t i, sampler_t s) { return read_imagef(i, s, "
         "kn_make<float2>(0)).x; }"},
        {"int f(image3d_t i, sampler_t s); int g(image3d_t i) { return f(i, 1 | 2) + get_image_dim(i).w; }",
         "KN_DECLARED int f(const kn_item &kn_me, image3d_t i, sampler_t s); KN_FN int g(const kn_item "
         "&kn_me, "
         "image3d_t i) { return f(kn_me, i, kn_sampler(1 | 2)) + get_image_dim(i).w; }"},
        {"void f(void) { const sampler_t s = 3, t = s; }",
         "KN_FN void f(const kn_item &kn_me) { const sampler_t s = kn_sampler(3); const sampler_t t = s; }"},
        {"kernel void k(image1d_t i, sampler_t s) { int n = get_image_width(i); }",
         "KN_BODY void k(const kn_item &kn_me, image1d_t i, sampler_t s) { int n = get_image_width(i); } "
         "KN_KERNEL(k)(KN_IMAGE_PARAM(image1d_t, i), sampler_t s, KN_ITEM_PARAM) { kn::program::k(kn_me, i, "
         "s); }"},
    };
    CHECK_RULES(rules);
}
END_TEST

// __local variables beyond 48 KiB are in the arena, those of a called kernel next to its caller's.
START_TEST(large_local_memory)
{
    static const char source[] =
        "__kernel void last(__global uint *o, __local uint *u);\n"
        "__kernel void inner(__global uint *o) { __local uint4 v[1000]; o[0] = v[1].x; }\n"
        "__kernel void outer(__global uint *o) { __local uchar a[40001]; __local uint b; inner(o); o[1] = "
        "a[2] + b; }\n"
        "__kernel void fits(__global uint *o) { __local uchar a[49136], b; o[1] = a[2] + b; }\n"
        "__kernel void last(__global uint *o, __local uint *u)\n"
        "{ __local uint a[12289] __attribute__((aligned(64))); o[1] = a[2] + sizeof a; }\n";
    // In the order in which the kernels are first declared.
    static const size_t bytes[] = {49168, 16000, 16000 + 40016 + 16, 0};
    struct src_cuda *cuda;
    kn_error err = KN_ERROR_INIT;
    char *text;

    ck_assert_msg(rewrite(source, &cuda, &err) == KN_OK, "%s", err.text);
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        ck_assert_uint_eq(cuda->kernels[i].arena_bytes, bytes[i]);
    text = program_of(cuda);
    ck_assert_ptr_nonnull(strstr(text, "kn_in_arena<kn_local_1>(0)[1].x"));
    ck_assert_ptr_nonnull(strstr(text, "typedef uchar kn_local_2[40001];"));
    ck_assert_ptr_nonnull(strstr(text, "kn_in_arena<kn_local_2>(16000)[2] + kn_in_arena<kn_local_3>(56016)"));
    ck_assert_ptr_nonnull(strstr(text, "KN_LOCAL_VAR uchar a[49136];"));
    free(text);
    ki_src_cuda_free(cuda);
}
END_TEST

// 31 images by value, a buffer and the work-item take 4,040 of the 4,096 bytes that a kernel's arguments may
// have; a kernel that needs more takes the images' addresses.
START_TEST(image_addresses)
{
    static const struct {
        int images;
        const char *rest;
        bool addresses;
    } cases[] = {{31, ", __global uint *o", false}, {31, ", float16 f", false},
                 {31, ", float16 f, char c", true}, {32, "", true},
                 {1, ", float16 f", false},         {0, "float16 f", false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ki_text source = KI_TEXT_INIT;
        struct src_cuda *cuda;
        kn_error err = KN_ERROR_INIT;

        ki_text_add(&source, "__kernel void f(");
        for (int n = 0; n < cases[i].images; n++)
            ki_text_format(&source, "%sread_only image2d_t i%d", n ? ", " : "", n);
        ki_text_format(&source, "%s) {}\n", cases[i].rest);
        ck_assert_msg(rewrite(ki_text_string(&source), &cuda, &err) == KN_OK, "%s", err.text);
        ck_assert_msg(cuda->kernels[0].image_addresses == cases[i].addresses, "case %zu", i);
        ck_assert_msg((strstr(cuda->text, "KN_IMAGE_ADDRESS_PARAM(") != NULL) == cases[i].addresses,
                      "case %zu", i);
        ki_src_cuda_free(cuda);
        ki_text_free(&source);
    }
}
END_TEST

START_TEST(assembly)
{
    static const struct rule rules[] = {
        {"asm(\"nop;\");", "asm(\"nop;\");"},
        {"__asm__ volatile(\"a %0, %1;\" \"b;\" : \"=r\"(i) : \"r\"(i + 1), \"n\"(3) : \"memory\", \"cc\");",
         "asm volatile(\"a %0, %1;\" \"b;\" : \"=r\"(i) : \"r\"(i + 1), \"n\"(3) : \"memory\", \"cc\");"},
        {"__asm __volatile__(\"bar;\" ::: \"memory\");", "asm volatile(\"bar;\" :  :  : \"memory\");"},
        {"if (i) asm(\"a %0, %1;\" : \"+r\"(p[i]) : \"f\"(v.lo.y)); else i = 1;",
         "if (i) asm(\"a %0, %1;\" : \"+r\"(p[i]) : \"f\"(v.y)); else i = 1;"},
    };

    CHECK_STATEMENTS(rules);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {assembly,           images,         vectors, scalars,   pointers,
                                  initialisers,       kernels,        jumps,   locations, unrolling,
                                  bit_fields,         surroundings,   formats, prelude,   files,
                                  large_local_memory, image_addresses};

    return TEST_RUN("cuda", CK_FORK_GETENV, tests);
}
