// SPDX-License-Identifier: Apache-2.0
// half, 16 bits, to and from float and double with every rounding: denormals exact, a NaN stays a (quiet) NaN
// with the same leading bits.

namespace kn
{

KN_FN float kn_half_to_float(ushort h)
{
#if KN_ON_DEVICE
    float r;
    asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
#else
    uint sign = (uint)(h & 0x8000) << 16;
    uint rest = (uint)(h & 0x7fff) << 13;
    if (rest >= 0x0f800000) // infinity, NaN
        return kn_bits<float>(sign | 0x70000000 | rest | ((h & 0x3ff) ? 0x400000 : 0));
    float magnitude = kn_bits<float>(rest) * 0x1.0p112f; // exact, also for denormals
    return kn_bits<float>(sign | kn_bits<uint>(magnitude));
#endif
}

// The significand (with its hidden bit, `bits` wide) times 2^exponent, cut to a half's 11 bits or fewer.
template <class R> KN_FN ushort kn_half_round(bool negative, ulong significand, int bits, int exponent)
{
    int lowest = exponent + bits - 11; // of the half's last bit
    if (lowest < -24)
        lowest = -24;
    int drop = lowest - exponent; // positive: float and double have more bits than half
    if (drop > 62) {
        significand = significand != 0;
        drop = 2;
    }
    ulong kept = significand >> drop;
    ulong rest = significand & (((ulong)1 << drop) - 1);
    ulong middle = (ulong)1 << (drop - 1);
    bool up;
    if (kn_same<R, kn_rtz>)
        up = false;
    else if (kn_same<R, kn_rtp>)
        up = rest && !negative;
    else if (kn_same<R, kn_rtn>)
        up = rest && negative;
    else
        up = rest > middle || (rest == middle && (kept & 1));
    kept += up;
    ulong h =
        kept < 1024 ? kept : kept + ((ulong)(lowest + 24) << 10); // a carry moves into the exponent by itself
    if (h > 0x7c00)
        h = 0x7c00;
    if (h == 0x7c00 &&
        (kn_same<R, kn_rtz> || (kn_same<R, kn_rtp> && negative) || (kn_same<R, kn_rtn> && !negative)))
        h = 0x7bff;
    return (ushort)(h | (negative ? 0x8000 : 0));
}

template <class R> KN_FN ushort kn_half_from_double(double x)
{
    ulong bits = kn_bits<ulong>(x);
    bool negative = bits >> 63;
    int exponent = (int)(bits >> 52) & 0x7ff;
    ulong fraction = bits & 0xfffffffffffffUL;
    if (exponent == 0x7ff)
        return (ushort)((negative ? 0x8000 : 0) | 0x7c00 | (fraction ? 0x200 | fraction >> 42 : 0));
    if (exponent == 0)
        return kn_half_round<R>(negative, fraction, 53, -1074);
    if (exponent > 1023 + 16)
        return kn_half_round<R>(negative, (ulong)1 << 52, 53, 16 - 52);
    return kn_half_round<R>(negative, fraction | (ulong)1 << 52, 53, exponent - 1075);
}

template <class R> KN_FN ushort kn_half_from_float(float x)
{
#if KN_ON_DEVICE
    ushort h;
    if (kn_same<R, kn_rtz>)
        asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    else if (kn_same<R, kn_rtp>)
        asm("cvt.rp.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    else if (kn_same<R, kn_rtn>)
        asm("cvt.rm.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    else
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
#else
    return kn_half_from_double<R>(x); // exact
#endif
}

template <class R> KN_FN ushort kn_half_from(float x)
{
    return kn_half_from_float<R>(x);
}
template <class R> KN_FN ushort kn_half_from(double x)
{
    return kn_half_from_double<R>(x);
}

} // namespace kn
