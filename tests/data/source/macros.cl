// SPDX-License-Identifier: Apache-2.0
// Macros as kernels use them: types, vector names, whole signatures, unrolled loops, variadic printing.
#ifndef REAL
#define REAL float
#endif
#define WIDTH 4
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define REALV CAT(REAL, WIDTH)
#define STR_(x) #x
#define STR(x) STR_(x)
#define GLOBAL __global
#define IN(T, name) GLOBAL const T *restrict name
#define OUT(T, name) GLOBAL T *restrict name
#define KERNEL(name, ...) __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void name(__VA_ARGS__)
#define GROUP (WIDTH * 16)
#define LOG(format, ...) printf(format "\n", ##__VA_ARGS__)
#define REPEAT_1(f) f(0)
#define REPEAT_2(f) REPEAT_1(f) f(1)
#define REPEAT_4(f) REPEAT_2(f) f(2) f(3)
#define STEP(i) acc += in[gid + i].s##i;
#define EMPTY
#define DEFER(x) x EMPTY
#define SELF SELF + 1

constant char name[] = STR(REALV) STR(a "b\n" 'c' EMPTY d);
constant int self = SELF;

KERNEL(sum, IN(REALV, in), OUT(REAL, out), __local REALV *scratch, uint n)
{
    size_t gid = get_global_id(0);
    REAL acc = 0;
    REPEAT_4(STEP)
    LOG("start");
    LOG("sum %f of %u", acc, n);
    out[gid] DEFER(CAT)(+, =) acc;
}
