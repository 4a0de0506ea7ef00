// SPDX-License-Identifier: Apache-2.0
// 6.2.3 Explicit conversions of floats and doubles to every integer type: plain ones of what fits, saturated ones
// of anything (NaN gives 0), in every rounding mode (none is towards zero), on all widths.
#include "convert_types.clh"

#define PLAIN(W, N, D, mode)     PUT(W, N, convert_##D##W##mode(vload##W(0, fitting)))
#define SATURATED(W, N, D, mode) PUT(W, N, convert_##D##W##_sat##mode(vload##W(0, reals)))

// In two kernels, as one has no room for all results.
#define PAIR(D, S)                                                                                           \
    __kernel void D##_from_##S(__global const uint *in, __global uint *out)                                  \
    {                                                                                                        \
        BEGIN(S, D);                                                                                         \
        REALS(S);                                                                                            \
        FITTING(D, S);                                                                                       \
        EACH_WIDTH(PLAIN, D, )                                                                               \
        EACH_WIDTH(PLAIN, D, _rte)                                                                           \
        EACH_WIDTH(PLAIN, D, _rtz)                                                                           \
        EACH_WIDTH(PLAIN, D, _rtp)                                                                           \
        EACH_WIDTH(PLAIN, D, _rtn)                                                                           \
    }                                                                                                        \
    __kernel void D##_sat_from_##S(__global const uint *in, __global uint *out)                              \
    {                                                                                                        \
        BEGIN(S, D);                                                                                         \
        REALS(S);                                                                                            \
        EACH_WIDTH(SATURATED, D, )                                                                           \
        EACH_WIDTH(SATURATED, D, _rte)                                                                       \
        EACH_WIDTH(SATURATED, D, _rtz)                                                                       \
        EACH_WIDTH(SATURATED, D, _rtp)                                                                       \
        EACH_WIDTH(SATURATED, D, _rtn)                                                                       \
    }
#define FROM_ALL(S)                                                                                          \
    PAIR(char, S)                                                                                            \
    PAIR(uchar, S)                                                                                           \
    PAIR(short, S)                                                                                           \
    PAIR(ushort, S)                                                                                          \
    PAIR(int, S)                                                                                             \
    PAIR(uint, S)                                                                                            \
    PAIR(long, S)                                                                                            \
    PAIR(ulong, S)
FROM_ALL(float)
#ifdef cl_khr_fp64
FROM_ALL(double)
#endif
