// SPDX-License-Identifier: Apache-2.0
// 6.2.3 Explicit conversions between integers: to and from every type, plain and saturated, with and without a
// rounding mode (which changes nothing), on all widths. Where a plain one does not fit, C99's rules hold, with
// the low bits for signed types.
#include "widths.clh"

#define CONVERT(W, N, D, mode) PUT(W, N, convert_##D##W##mode(X(W)))
#define PAIR(D, S)                                                                                           \
    __kernel void D##_from_##S(__global const uint *in, __global uint *out)                                  \
    {                                                                                                        \
        BEGIN(S, D);                                                                                         \
        EACH_WIDTH(CONVERT, D, )                                                                             \
        EACH_WIDTH(CONVERT, D, _sat)                                                                         \
        CONVERT(, 1, D, _rte)                                                                                \
        CONVERT(2, 2, D, _rtz)                                                                               \
        CONVERT(3, 3, D, _rtp)                                                                               \
        CONVERT(4, 4, D, _rtn)                                                                               \
        CONVERT(8, 8, D, _sat_rte)                                                                           \
        CONVERT(16, 16, D, _sat_rtz)                                                                         \
        CONVERT(, 1, D, _sat_rtp)                                                                            \
        CONVERT(2, 2, D, _sat_rtn)                                                                           \
    }
#define FROM_ALL(D)                                                                                          \
    PAIR(D, char)                                                                                            \
    PAIR(D, uchar)                                                                                           \
    PAIR(D, short)                                                                                           \
    PAIR(D, ushort)                                                                                          \
    PAIR(D, int)                                                                                             \
    PAIR(D, uint)                                                                                            \
    PAIR(D, long)                                                                                            \
    PAIR(D, ulong)
FROM_ALL(char)
FROM_ALL(uchar)
FROM_ALL(short)
FROM_ALL(ushort)
FROM_ALL(int)
FROM_ALL(uint)
FROM_ALL(long)
FROM_ALL(ulong)
