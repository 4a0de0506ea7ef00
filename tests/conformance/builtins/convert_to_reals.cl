// SPDX-License-Identifier: Apache-2.0
// 6.2.3 Explicit conversions of every type to float and double, in every rounding mode (none is to nearest even),
// on all widths. Infinities stay; what is too large gives infinity or the greatest number, as the mode has it.
#include "convert_types.clh"

#define CONVERT(W, N, D, mode) PUT(W, N, convert_##D##W##mode(vload##W(0, from)))
#define ALL_MODES(D)                                                                                         \
    EACH_WIDTH(CONVERT, D, )                                                                                 \
    EACH_WIDTH(CONVERT, D, _rte)                                                                             \
    EACH_WIDTH(CONVERT, D, _rtz)                                                                             \
    EACH_WIDTH(CONVERT, D, _rtp)                                                                             \
    EACH_WIDTH(CONVERT, D, _rtn)

#define FROM_INTEGER(D, S)                                                                                   \
    __kernel void D##_from_##S(__global const uint *in, __global uint *out)                                  \
    {                                                                                                        \
        BEGIN(S, D);                                                                                         \
        __global const S *from = x;                                                                          \
        ALL_MODES(D)                                                                                         \
    }
#define FROM_INTEGERS(D)                                                                                     \
    FROM_INTEGER(D, char)                                                                                    \
    FROM_INTEGER(D, uchar)                                                                                   \
    FROM_INTEGER(D, short)                                                                                   \
    FROM_INTEGER(D, ushort)                                                                                  \
    FROM_INTEGER(D, int)                                                                                     \
    FROM_INTEGER(D, uint)                                                                                    \
    FROM_INTEGER(D, long)                                                                                    \
    FROM_INTEGER(D, ulong)

// A NaN stays one, with any bits (_ulp0).
#define FROM_REAL(D, S)                                                                                      \
    __kernel void D##_from_##S##_ulp0(__global const uint *in, __global D *out)                              \
    {                                                                                                        \
        BEGIN(S, D);                                                                                         \
        REALS(S);                                                                                            \
        S *from = reals;                                                                                     \
        ALL_MODES(D)                                                                                         \
    }
FROM_INTEGERS(float)
FROM_REAL(float, float)
#ifdef cl_khr_fp64
FROM_REAL(float, double)
FROM_INTEGERS(double)
FROM_REAL(double, float)
FROM_REAL(double, double)
#endif
