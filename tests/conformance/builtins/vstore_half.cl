// SPDX-License-Identifier: Apache-2.0
// 6.12.7 vstore_half and vstorea_half: of floats and doubles, in every rounding mode (none is to nearest even), on
// every width, to every address space.
#include "widths.clh"
#ifdef POCL_DEVICE_ADDRESS_BITS // PoCL has no vstorea_half of one, and dies where 8 halves are not 16-byte aligned
#undef vstorea_half
#undef vstorea_half_rte
#undef vstorea_half_rtz
#undef vstorea_half_rtp
#undef vstorea_half_rtn
#define vstorea_half     vstore_half
#define vstorea_half_rte vstore_half_rte
#define vstorea_half_rtz vstore_half_rtz
#define vstorea_half_rtp vstore_half_rtp
#define vstorea_half_rtn vstore_half_rtn
#define AT               16
#else
#define AT 17
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// Any number; the middle of two halves and its neighbours; the same of halves too small for a full mantissa; what
// is around the greatest half. For doubles also a little more than these. No NaN: of it any bits would be right.
#define NUMBERS(T)                                                                                           \
    T numbers[16];                                                                                           \
    for (int i = 0; i < 16; i++) {                                                                           \
        uint chance = in[item * 16 + i / 4];                                                                 \
        float number = as_float(chance);                                                                     \
        if (i % 4 == 1)                                                                                      \
            number = as_float((chance & 0x8fffe000) + 0x38000000 + 0x1000 + (int)(chance % 3) - 1);          \
        else if (i % 4 == 2)                                                                                 \
            number = as_float(as_uint((int)(chance % 8192 - 4096) * 0x1p-26f) + (int)(chance >> 13) % 3);    \
        else if (i % 4 == 3)                                                                                 \
            number = as_float(as_uint(65520.0f) + (int)(chance % 8192) - 4096) * (chance >> 31 ? 1 : -1);    \
        numbers[i] = isnan(number) ? 0 : number;                                                             \
        if (sizeof(T) == 8 && chance >> 30 == 0)                                                             \
            numbers[i] *= 1 + (T)0x1p-45f;                                                                   \
    }

// The stored halves and the one behind them; vstorea_half3 may write four.
#define TAKE(from, n)                                                                                        \
    for (int i = from; i < from + n; i++)                                                                    \
        *to++ = bits[i];
#define STORE(W, N, mode)                                                                                    \
    vstore_half##W##mode(vload##W(0, numbers), 1, room + AT - N);                                            \
    TAKE(AT - 1, N + 2)
#define STORE_A(W, N, mode)                                                                                  \
    vstorea_half##W##mode(vload##W(0, numbers), 0, room);                                                    \
    TAKE(0, N)
#define STORES(T, name, space, room_of)                                                                      \
    __kernel void T##_to_##name(__global const uint *in, __global uint *out)                                 \
    {                                                                                                        \
        __local ushort16 pool[64 * 3];                                                                       \
        ushort16 own[3];                                                                                     \
        BEGIN(uint, ushort);                                                                                 \
        NUMBERS(T);                                                                                          \
        space ushort *bits = room_of;                                                                        \
        space half *room = (space half *)bits;                                                               \
        for (int i = 0; i < 48; i++)                                                                         \
            bits[i] = 99;                                                                                    \
        EACH_WIDTH(STORE, )                                                                                  \
        EACH_WIDTH(STORE, _rte)                                                                              \
        EACH_WIDTH(STORE, _rtz)                                                                              \
        EACH_WIDTH(STORE, _rtp)                                                                              \
        EACH_WIDTH(STORE, _rtn)                                                                              \
        EACH_WIDTH(STORE_A, )                                                                                \
        EACH_WIDTH(STORE_A, _rte)                                                                            \
        EACH_WIDTH(STORE_A, _rtz)                                                                            \
        EACH_WIDTH(STORE_A, _rtp)                                                                            \
        EACH_WIDTH(STORE_A, _rtn)                                                                            \
        for (int i = 0; i < 48; i++)                                                                         \
            bits[i] = 0;                                                                                     \
    }
#define TO_ALL(T)                                                                                            \
    STORES(T, global, __global, to + 976)                                                                    \
    STORES(T, local, __local, (__local ushort *)(pool + get_local_id(0) * 3))                                \
    STORES(T, private, __private, (ushort *)own)
TO_ALL(float)
#ifdef cl_khr_fp64
TO_ALL(double)
#endif
