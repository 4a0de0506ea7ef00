// SPDX-License-Identifier: Apache-2.0
// The operation `transpose_reals` on LANES vectors, with the shuffles that AVX2 and AVX-512 share: first
// within the 128 bits of a lane, and then by transpose_lanes, which each defines itself.

#if KEY_BITS == 64
enum { WITHIN = 2 }; // numbers in 128 bits

VECTOR_OPERATION void transpose_within(reals *v)
{
    const reals low = DOUBLES(unpacklo)(v[0], v[1]);

    v[1] = DOUBLES(unpackhi)(v[0], v[1]);
    v[0] = low;
}
#else
enum { WITHIN = 4 };

VECTOR_OPERATION void transpose_within(reals *v)
{
    const reals low = REALS(unpacklo)(v[0], v[1]), high = REALS(unpackhi)(v[0], v[1]);
    const reals low2 = REALS(unpacklo)(v[2], v[3]), high2 = REALS(unpackhi)(v[2], v[3]);

    v[0] = FROM_DOUBLES(DOUBLES(unpacklo)(AS_DOUBLES(low), AS_DOUBLES(low2)));
    v[1] = FROM_DOUBLES(DOUBLES(unpackhi)(AS_DOUBLES(low), AS_DOUBLES(low2)));
    v[2] = FROM_DOUBLES(DOUBLES(unpacklo)(AS_DOUBLES(high), AS_DOUBLES(high2)));
    v[3] = FROM_DOUBLES(DOUBLES(unpackhi)(AS_DOUBLES(high), AS_DOUBLES(high2)));
}
#endif

VECTOR_OPERATION void transpose_reals(reals tile[LANES])
{
    _Pragma("GCC unroll 4") for (size_t i = 0; i < LANES; i += WITHIN) transpose_within(tile + i);
    _Pragma("GCC unroll 4") for (size_t i = 0; i < WITHIN; i++) transpose_lanes(tile + i, WITHIN);
}
