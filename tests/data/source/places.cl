// SPDX-License-Identifier: Apache-2.0
// __LINE__, __FILE__, #line, joined lines and comments: every line must keep its number.
constant int a = __LINE__; /* a comment
over three
lines */ constant int b = __LINE__;
#define JOIN(x, y) x##y
#define NAME(x) JOIN(x, __LINE__)
constant int NAME(n) = 1, \
    NAME(m) = 2;
#line 100
constant int c = __LINE__;
#include "lib/relined.clh"
constant int d = __LINE__;
#line 50 "elsewhere/with \"quotes\" and \\.cl"
constant int e = __LINE__;
#include "lib/relined.clh"
constant int f = __LINE__;
constant char name[] = __FILE__;
#define CALL(x, y) x + y + __LINE__
constant int g = CALL(
    __LINE__,
    1);
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define N 4
kernel void k(global float *x)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] += 'a' + "no // comment"[0] /**/ + .5f;
}
