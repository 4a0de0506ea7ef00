// SPDX-License-Identifier: Apache-2.0
// 6.2.4.2 as_type: between every two types of one size the bits stay (elements of other sizes as they lie in
// memory), also between types of 3 elements; of 4 elements taken as 3, the first 3 stay.
#include "widths.clh"
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define DOUBLE(F, ...) F(__VA_ARGS__)
#else
#define DOUBLE(F, ...)
#endif

// F for every type of so many bytes, and for every element of so many.
#define TYPES_1(F, ...) ELEMENTS_1(F, __VA_ARGS__)
#define TYPES_2(F, ...)   F(char2, __VA_ARGS__) F(uchar2, __VA_ARGS__) ELEMENTS_2(F, __VA_ARGS__)
#define TYPES_4(F, ...)                                                                                      \
    F(char4, __VA_ARGS__) F(uchar4, __VA_ARGS__) F(short2, __VA_ARGS__) F(ushort2, __VA_ARGS__)              \
    ELEMENTS_4(F, __VA_ARGS__)
#define TYPES_8(F, ...)                                                                                      \
    F(char8, __VA_ARGS__) F(uchar8, __VA_ARGS__) F(short4, __VA_ARGS__) F(ushort4, __VA_ARGS__)              \
    F(int2, __VA_ARGS__) F(uint2, __VA_ARGS__) F(float2, __VA_ARGS__) ELEMENTS_8(F, __VA_ARGS__)
#define TYPES_16(F, ...)                                                                                     \
    F(char16, __VA_ARGS__) F(uchar16, __VA_ARGS__) F(short8, __VA_ARGS__) F(ushort8, __VA_ARGS__)            \
    F(int4, __VA_ARGS__) F(uint4, __VA_ARGS__) F(float4, __VA_ARGS__)                                        \
    F(long2, __VA_ARGS__) F(ulong2, __VA_ARGS__) DOUBLE(F, double2, __VA_ARGS__)
#define TYPES_32(F, ...)                                                                                     \
    F(short16, __VA_ARGS__) F(ushort16, __VA_ARGS__)                                                         \
    F(int8, __VA_ARGS__) F(uint8, __VA_ARGS__) F(float8, __VA_ARGS__)                                        \
    F(long4, __VA_ARGS__) F(ulong4, __VA_ARGS__) DOUBLE(F, double4, __VA_ARGS__)
#define TYPES_64(F, ...) INTS_64(F, __VA_ARGS__) LONGS_64(F, __VA_ARGS__)
#define INTS_64(F, ...)  F(int16, __VA_ARGS__) F(uint16, __VA_ARGS__) F(float16, __VA_ARGS__)
#define LONGS_64(F, ...) F(long8, __VA_ARGS__) F(ulong8, __VA_ARGS__) DOUBLE(F, double8, __VA_ARGS__)
#define TYPES_128(F, ...) F(long16, __VA_ARGS__) F(ulong16, __VA_ARGS__) DOUBLE(F, double16, __VA_ARGS__)

#define ELEMENTS_1(F, ...) F(char, __VA_ARGS__) F(uchar, __VA_ARGS__)
#define ELEMENTS_2(F, ...) F(short, __VA_ARGS__) F(ushort, __VA_ARGS__)
#define ELEMENTS_4(F, ...) F(int, __VA_ARGS__) F(uint, __VA_ARGS__) F(float, __VA_ARGS__)
#define ELEMENTS_8(F, ...) F(long, __VA_ARGS__) F(ulong, __VA_ARGS__) DOUBLE(F, double, __VA_ARGS__)

// A list is not expanded within itself: the inner one appears when what the outer one gave is scanned again.
#define NOTHING()
#define AGAIN(...)     __VA_ARGS__
#define INNER_TYPES(n) TYPES_##n
#define FROM(S, n, ...) INNER_TYPES NOTHING()(n)(AS, S, __VA_ARGS__)

// Out as unsigned integers, in whose registers a NaN keeps its bits.
#define AS(D, S, U, W, N) PUT(W, N, as_##U##W(as_##D(as_##S(X(W)))))
#define EVERY_TWO(name, list, n, U, W, N)                                                                    \
    __kernel void name(__global const uint *in, __global uint *out)                                          \
    {                                                                                                        \
        BEGIN(U, U);                                                                                         \
        AGAIN(list(FROM, n, U, W, N))                                                                        \
    }
EVERY_TWO(bytes_1, TYPES_1, 1, uchar, , 1)
EVERY_TWO(bytes_2, TYPES_2, 2, ushort, , 1)
EVERY_TWO(bytes_4, TYPES_4, 4, uint, , 1)
EVERY_TWO(bytes_8, TYPES_8, 8, ulong, , 1)
EVERY_TWO(bytes_16, TYPES_16, 16, ulong, 2, 2)
EVERY_TWO(bytes_32, TYPES_32, 32, ulong, 4, 4)
EVERY_TWO(bytes_64_of_ints, INTS_64, 64, ulong, 8, 8)
EVERY_TWO(bytes_64_of_longs, LONGS_64, 64, ulong, 8, 8)
EVERY_TWO(bytes_128, TYPES_128, 128, ulong, 16, 16)

#define INNER_ELEMENTS(n)     ELEMENTS_##n
#define FROM_THREE(S, n, U)   INNER_ELEMENTS NOTHING()(n)(AS_THREE, S, U)
#define AS_THREE(D, S, U)                                                                                    \
    PUT(3, 3, as_##U##3(as_##D##3(as_##S##3(X(3)))))                                                         \
    PUT(3, 3, as_##U##3(as_##D##3(as_##S##4(Y(4)))))
#define THREES(n, U)                                                                                         \
    __kernel void threes_##U(__global const uint *in, __global uint *out)                                    \
    {                                                                                                        \
        BEGIN(U, U);                                                                                         \
        AGAIN(ELEMENTS_##n(FROM_THREE, n, U))                                                                \
    }
THREES(1, uchar)
THREES(2, ushort)
THREES(4, uint)
THREES(8, ulong)
