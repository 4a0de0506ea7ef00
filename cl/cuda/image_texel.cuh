// SPDX-License-Identifier: Apache-2.0
// A texel in memory: which components it has by channel order, and how each is written by data type (OpenCL
// 1.2, 8.3). Textures decode most images themselves; this is what surfaces and image buffers need.

namespace kn
{

// ---- components and channels: T is float, int or uint

KN_FN int kn_channels(int order)
{
    switch (order) {
    case CLK_R:
    case CLK_A:
    case CLK_INTENSITY:
    case CLK_LUMINANCE:
        return 1;
    case CLK_RG:
    case CLK_RA:
        return 2;
    default:
        return 4;
    }
}

// Red, green, blue and alpha from the channels in memory (table 6.9.2 of 5.3.1.1: missing channels are 0, alpha 1).
template <class T> KN_FN vec<T, 4> kn_components(int order, vec<T, 4> m)
{
    typedef vec<T, 4> V;
    const T zero = 0, one = 1;
    switch (order) {
    case CLK_R:
        return V(kn_lanes(), m.x, zero, zero, one);
    case CLK_A:
        return V(kn_lanes(), zero, zero, zero, m.x);
    case CLK_RG:
        return V(kn_lanes(), m.x, m.y, zero, one);
    case CLK_RA:
        return V(kn_lanes(), m.x, zero, zero, m.y);
    case CLK_BGRA:
        return V(kn_lanes(), m.z, m.y, m.x, m.w);
    case CLK_ARGB:
        return V(kn_lanes(), m.y, m.z, m.w, m.x);
    case CLK_INTENSITY:
        return V(kn_lanes(), m.x, m.x, m.x, m.x);
    case CLK_LUMINANCE:
        return V(kn_lanes(), m.x, m.x, m.x, one);
    default:
        return m;
    }
}

// The reverse: the channels in memory, first channel first.
template <class T> KN_FN vec<T, 4> kn_in_memory(int order, vec<T, 4> c)
{
    typedef vec<T, 4> V;
    switch (order) {
    case CLK_A:
        return V(kn_lanes(), c.w, c.w, c.w, c.w);
    case CLK_RA:
        return V(kn_lanes(), c.x, c.w, c.x, c.w);
    case CLK_BGRA:
        return V(kn_lanes(), c.z, c.y, c.x, c.w);
    case CLK_ARGB:
        return V(kn_lanes(), c.w, c.x, c.y, c.z);
    default:
        return c;
    }
}

// ---- one channel

// Channel i of the texel at p.
template <class T> KN_FN T kn_channel(int type, const void *p, int i)
{
    switch (type) {
    case CLK_SNORM_INT8:
        return (T)::fmaxf(((const signed char *)p)[i] / 127.0f, -1.0f);
    case CLK_SNORM_INT16:
        return (T)::fmaxf(((const short *)p)[i] / 32767.0f, -1.0f);
    case CLK_UNORM_INT8:
        return (T)(((const uchar *)p)[i] / 255.0f);
    case CLK_UNORM_INT16:
        return (T)(((const ushort *)p)[i] / 65535.0f);
    case CLK_SIGNED_INT8:
        return (T)((const signed char *)p)[i];
    case CLK_SIGNED_INT16:
        return (T)((const short *)p)[i];
    case CLK_SIGNED_INT32:
        return (T)((const int *)p)[i];
    case CLK_UNSIGNED_INT8:
        return (T)((const uchar *)p)[i];
    case CLK_UNSIGNED_INT16:
        return (T)((const ushort *)p)[i];
    case CLK_UNSIGNED_INT32:
        return (T)((const uint *)p)[i];
    case CLK_HALF_FLOAT:
        return (T)kn_half_to_float(((const ushort *)p)[i]);
    default:
        return (T)((const float *)p)[i];
    }
}

template <class T> KN_FN vec<T, 4> kn_load_texel(int order, int type, const void *p)
{
    vec<T, 4> m = (T)0;
    for (int i = 0; i < kn_channels(order); i++)
        m.kn_s[i] = kn_channel<T>(type, p, i);
    return m;
}

// The bits that a component becomes: rounded to nearest even and saturated (8.3.1.1, 8.3.4).
template <class I, class T> KN_FN uint kn_normalised(T x, float largest)
{
    return (kn_unsigned<I>)kn_convert_one<I, true, kn_rte>((float)x * largest);
}
template <class I, class T> KN_FN uint kn_saturated(T x)
{
    return (kn_unsigned<I>)kn_convert_one<I, true, kn_default>(x);
}
template <class T> KN_FN uint kn_channel_bits(int type, T x)
{
    switch (type) {
    case CLK_SNORM_INT8:
        return kn_normalised<char>(x, 127.0f);
    case CLK_SNORM_INT16:
        return kn_normalised<short>(x, 32767.0f);
    case CLK_UNORM_INT8:
        return kn_normalised<uchar>(x, 255.0f);
    case CLK_UNORM_INT16:
        return kn_normalised<ushort>(x, 65535.0f);
    case CLK_SIGNED_INT8:
        return kn_saturated<char>(x);
    case CLK_SIGNED_INT16:
        return kn_saturated<short>(x);
    case CLK_SIGNED_INT32:
        return kn_saturated<int>(x);
    case CLK_UNSIGNED_INT8:
        return kn_saturated<uchar>(x);
    case CLK_UNSIGNED_INT16:
        return kn_saturated<ushort>(x);
    case CLK_UNSIGNED_INT32:
        return kn_saturated<uint>(x);
    case CLK_HALF_FLOAT:
        return kn_half_from<kn_rte>((float)x);
    default:
        return kn_bits<uint>((float)x);
    }
}

// A texel of 1, 2, 4, 8 or 16 bytes, in the low bytes of the words.
template <class T> KN_FN uint4 kn_texel_bits(int order, int type, vec<T, 4> components)
{
    vec<T, 4> m = kn_in_memory(order, components);
    uint4 bits;
    for (int i = 0; i < 4; i++)
        bits.kn_s[i] = kn_channel_bits<T>(type, m.kn_s[i]);
    switch (type) {
    case CLK_SNORM_INT8:
    case CLK_UNORM_INT8:
    case CLK_SIGNED_INT8:
    case CLK_UNSIGNED_INT8:
        return uint4(bits.x | bits.y << 8 | bits.z << 16 | bits.w << 24, 0, 0, 0);
    case CLK_SIGNED_INT32:
    case CLK_UNSIGNED_INT32:
    case CLK_FLOAT:
        return bits;
    default:
        return uint4(bits.x | bits.y << 16, bits.z | bits.w << 16, 0, 0);
    }
}

} // namespace kn
