// SPDX-License-Identifier: Apache-2.0
// Images and samplers (OpenCL C 1.2, 6.12.14) over texture and surface objects: read_image, write_image and
// the queries. Comes after prelude.cuh, and only where a program has images.
//
// A kernel's image is one struct by value, or the address of one in the device's memory. A texture object has
// its coordinates, addressing and filter built in, so the host makes one for each combination that OpenCL
// allows, and a sampler, which is its CLK_ bits, picks one: a constant sampler costs nothing. Writes go
// through a surface, are converted here, and are dropped outside the image. Image buffers are plain memory.

#include "image_texel.cuh"

namespace kn
{

enum kn_image_kind { kn_1d, kn_1d_buffer, kn_1d_array, kn_2d, kn_2d_array, kn_3d };

enum { kn_textures = 12 };

// What the host hands over (src/backend/cuda/cuda_image.h has the same).
struct kn_image_data {
    unsigned long long surface; // the texels' address of a buffer, and of everything on the host
    unsigned long long textures[kn_textures]; // by kn_texture_index
    int width, height, depth;                 // depth: an array's layers
    int order, type;                          // CLK_RGBA, CLK_FLOAT
    int texel_bytes;
};
template <int Kind, bool Written> struct kn_image : kn_image_data {
};

// Functions take images by reference, so that they stay where the launch put them.
#define KN_IMAGE_NAMES(dims)                                                                                 \
    typedef const kn_image<kn_##dims, false> &image##dims##_t;                                               \
    typedef const kn_image<kn_##dims, true> &kn_written_image##dims##_t;
KN_IMAGE_NAMES(1d)
KN_IMAGE_NAMES(1d_buffer)
KN_IMAGE_NAMES(1d_array)
KN_IMAGE_NAMES(2d)
KN_IMAGE_NAMES(2d_array)
KN_IMAGE_NAMES(3d)

#if KN_ON_DEVICE
#define KN_IMAGE_PARAM(type, name) const __grid_constant__ kn::kn_bare<kn::type> name
#else
#define KN_IMAGE_PARAM(type, name) const kn::kn_bare<kn::type> name
#endif
// For more images than a launch passes by value: the address of the struct in the device's memory.
#define KN_IMAGE_ADDRESS_PARAM(type, name) const kn::kn_bare<kn::type> *__restrict__ name

template <int Kind> constexpr int kn_image_dims = Kind == kn_3d ? 3 : Kind >= kn_2d ? 2 : 1;
template <int Kind> constexpr bool kn_has_layers = Kind == kn_1d_array || Kind == kn_2d_array;
// How many components of a coordinate are used, and how many it has.
template <int Kind> constexpr int kn_coordinates = kn_image_dims<Kind> + kn_has_layers<Kind>;
template <int Kind> constexpr int kn_coordinate_width = kn_coordinates<Kind> == 3 ? 4 : kn_coordinates<Kind>;

// ---- samplers

enum sampler_t : uint {};

template <class T> KN_FN constexpr sampler_t kn_sampler(T bits)
{
    return (sampler_t)bits;
}

// Unnormalised: to the edge, to the border; nearest, then linear. Normalised: edge, border, repeat, mirror.
KN_FN constexpr uint kn_texture_index(uint sampler)
{
    uint linear = sampler >> 5 & 1, mode = sampler >> 1 & 7;
    if (!(sampler & CLK_NORMALIZED_COORDS_TRUE))
        return linear * 2 + (mode == CLK_ADDRESS_CLAMP >> 1);
    return 4 + linear * 4 + (mode == 0 ? 0 : mode > 4 ? 3 : mode - 1);
}

static_assert(sizeof(kn_image_data) == 128, "the host's struct has 128 bytes");
static_assert(kn_texture_index(CLK_ADDRESS_NONE | CLK_FILTER_NEAREST) == 0 &&
                  kn_texture_index(CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST) == 0 &&
                  kn_texture_index(CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST) == 1 &&
                  kn_texture_index(CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR) == 3 &&
                  kn_texture_index(CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE) == 4 &&
                  kn_texture_index(CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE) == 4 &&
                  kn_texture_index(CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP) == 5 &&
                  kn_texture_index(CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT) == 6 &&
                  kn_texture_index(CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT) == 7 &&
                  kn_texture_index(CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT |
                                   CLK_FILTER_LINEAR) == 11,
              "the textures' order is the host's");

// Unnormalised integer coordinates address the middle of a texel, without filtering.
KN_FN constexpr uint kn_whole_sampler(uint sampler)
{
    return CLK_FILTER_NEAREST | (sampler >> 1 & 7) << 1;
}

// ---- where a texel is

KN_FN int kn_clamped(int i, int size)
{
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

KN_FN int kn_layer(int coordinate, int layers)
{
    return kn_clamped(coordinate, layers);
}
KN_FN int kn_layer(float coordinate, int layers)
{
    return kn_clamped((int)::rintf(::fminf(::fmaxf(coordinate, 0.0f), (float)layers)), layers);
}

KN_FN uchar *kn_texel_at(const kn_image_data &image, int x, int y, int z)
{
    return (uchar *)image.surface +
           (((size_t)z * (size_t)image.height + (size_t)y) * (size_t)image.width + (size_t)x) *
               (size_t)image.texel_bytes;
}

// ---- reading

#if KN_ON_DEVICE
template <class T> struct kn_fetched_;
template <> struct kn_fetched_<float> {
    typedef ::float4 type;
};
template <> struct kn_fetched_<int> {
    typedef ::int4 type;
};
template <> struct kn_fetched_<uint> {
    typedef ::uint4 type;
};

template <int Kind, class T>
KN_FN vec<T, 4> kn_sample(const kn_image_data &image, uint sampler, float x, float y, float z, int layer)
{
    typedef typename kn_fetched_<T>::type V;
    unsigned long long texture = image.textures[kn_texture_index(sampler)];
    V v;
    if constexpr (Kind == kn_1d)
        v = ::tex1D<V>(texture, x);
    else if constexpr (Kind == kn_1d_array)
        v = ::tex1DLayered<V>(texture, x, layer);
    else if constexpr (Kind == kn_2d)
        v = ::tex2D<V>(texture, x, y);
    else if constexpr (Kind == kn_2d_array)
        v = ::tex2DLayered<V>(texture, x, y, layer);
    else
        v = ::tex3D<V>(texture, x, y, z);
    return vec<T, 4>(kn_lanes(), v.x, v.y, v.z, v.w);
}
#else
template <int Kind, class T>
KN_FN vec<T, 4> kn_sample(const kn_image_data &image, uint sampler, float x, float y, float z, int layer)
{
    const float at[3] = {x, y, z};
    const int sizes[3] = {image.width, image.height, image.depth};
    return ::kn_shim_sample<vec<T, 4>, kn_is_real<T>>(
        sampler, kn_image_dims<Kind>, at, sizes, [&](int i, int j, int k) {
            k = kn_has_layers<Kind> ? layer : k;
            return kn_load_texel<T>(image.order, image.type, kn_texel_at(image, i, j, k));
        });
}
#endif

template <class T, int Kind, class C>
KN_FN vec<T, 4> kn_read_image(const kn_image<Kind, false> &image, uint sampler, const C &coordinates)
{
    constexpr int dims = kn_image_dims<Kind>;
    static_assert(kn_width<C> == kn_coordinate_width<Kind>, "read_image: the coordinates have another width");
    typedef kn_choose<kn_is_real<kn_element<C>>, float, int> S;
    const S x = kn_lane<S, 0>(coordinates);
    if constexpr (Kind == kn_1d_buffer) {
        static_assert(kn_same<S, int>, "read_image: an image buffer is read at whole coordinates");
        vec<T, 4> m = (T)0;
        if ((uint)x < (uint)image.width)
            m = kn_load_texel<T>(image.order, image.type, kn_texel_at(image, x, 0, 0));
        return kn_components(image.order, m);
    } else {
        const S y = kn_lane < S, dims >= 2 ? 1 : 0 > (coordinates), z = kn_lane < S,
                dims == 3 ? 2 : 0 > (coordinates);
        int layer = 0;
        if constexpr (kn_has_layers<Kind>)
            layer = kn_layer(kn_lane<S, dims>(coordinates), image.depth);
        const float middle = kn_same<S, int> ? 0.5f : 0.0f;
        if (kn_same<S, int>)
            sampler = kn_whole_sampler(sampler);
        return kn_components(image.order, kn_sample<Kind, T>(image, sampler, (float)x + middle,
                                                             (float)y + middle, (float)z + middle, layer));
    }
}

#define KN_READ_IMAGE(name, type)                                                                            \
    template <int Kind, class S, class C>                                                                    \
    KN_FN auto name(const kn_image<Kind, false> &image, S sampler, const C &coordinates)                     \
    {                                                                                                        \
        return kn_read_image<type>(image, (uint)kn_sampler(sampler), coordinates);                           \
    }                                                                                                        \
    template <int Kind, class C> KN_FN auto name(const kn_image<Kind, false> &image, const C &coordinates)   \
    {                                                                                                        \
        static_assert(!kn_is_real<kn_element<C>>, #name ": without a sampler the coordinates are whole");    \
        return kn_read_image<type>(image, 0, coordinates);                                                   \
    }
KN_READ_IMAGE(read_imagef, float)
KN_READ_IMAGE(read_imagei, int)
KN_READ_IMAGE(read_imageui, uint)

// ---- writing

#if KN_ON_DEVICE
template <int Kind, class V> KN_FN void kn_store_texel(const kn_image_data &image, int x, int y, int z, V v)
{
    const int at = x * (int)sizeof(V);
    if constexpr (Kind == kn_1d)
        ::surf1Dwrite(v, image.surface, at);
    else if constexpr (Kind == kn_1d_array)
        ::surf1DLayeredwrite(v, image.surface, at, z);
    else if constexpr (Kind == kn_2d)
        ::surf2Dwrite(v, image.surface, at, y);
    else if constexpr (Kind == kn_2d_array)
        ::surf2DLayeredwrite(v, image.surface, at, y, z);
    else if constexpr (Kind == kn_3d)
        ::surf3Dwrite(v, image.surface, at, y, z);
    else
        *(V *)kn_texel_at(image, x, y, z) = v;
}
#else
template <int, class V> KN_FN void kn_store_texel(const kn_image_data &image, int x, int y, int z, V v)
{
    ::memcpy(kn_texel_at(image, x, y, z), &v, sizeof v);
}
struct kn_words2 {
    uint x, y;
};
struct kn_words4 {
    uint x, y, z, w;
};
#endif

template <class T, int Kind, class C, class V>
KN_FN void kn_write_image(const kn_image<Kind, true> &image, const C &coordinates, const V &value)
{
    constexpr int dims = kn_image_dims<Kind>;
    constexpr bool deep = dims == 3 || kn_has_layers<Kind>;
    static_assert(kn_width<C> == kn_coordinate_width<Kind>,
                  "write_image: the coordinates have another width");
    static_assert(!kn_is_real<kn_element<C>>, "write_image: the coordinates are whole");
    static_assert(kn_width<V> == 4 || kn_width<V> == 1, "write_image: the colour has four components");
#if KN_ON_DEVICE
    typedef ::uint2 words2;
    typedef ::uint4 words4;
#else
    typedef kn_words2 words2;
    typedef kn_words4 words4;
#endif
    const int x = kn_lane<int, 0>(coordinates);
    const int y = dims >= 2 ? kn_lane < int, dims >= 2 ? 1 : 0 > (coordinates) : 0;
    const int z = deep ? kn_lane < int, deep ? kn_coordinates<Kind> - 1 : 0 > (coordinates) : 0;
    if ((uint)x >= (uint)image.width || (dims >= 2 && (uint)y >= (uint)image.height) ||
        (deep && (uint)z >= (uint)image.depth))
        return;
    const uint4 bits = kn_texel_bits<T>(image.order, image.type, kn_cast<vec<T, 4>>(value));
    switch (image.texel_bytes) {
    case 1:
        return kn_store_texel<Kind>(image, x, y, z, (uchar)bits.x);
    case 2:
        return kn_store_texel<Kind>(image, x, y, z, (ushort)bits.x);
    case 4:
        return kn_store_texel<Kind>(image, x, y, z, bits.x);
    case 8:
        return kn_store_texel<Kind>(image, x, y, z, words2{bits.x, bits.y});
    default:
        return kn_store_texel<Kind>(image, x, y, z, words4{bits.x, bits.y, bits.z, bits.w});
    }
}

#define KN_WRITE_IMAGE(name, type)                                                                           \
    template <int Kind, class C, class V>                                                                    \
    KN_FN void name(const kn_image<Kind, true> &image, const C &coordinates, const V &value)                 \
    {                                                                                                        \
        kn_write_image<type>(image, coordinates, value);                                                     \
    }
KN_WRITE_IMAGE(write_imagef, float)
KN_WRITE_IMAGE(write_imagei, int)
KN_WRITE_IMAGE(write_imageui, uint)

// ---- queries

#define KN_IMAGE_QUERY(name, result, wanted, ...)                                                            \
    template <int Kind, bool Written> KN_FN result name(const kn_image<Kind, Written> &image)                \
    {                                                                                                        \
        static_assert(wanted, #name ": there is none for this type of image");                               \
        return __VA_ARGS__;                                                                                  \
    }
KN_IMAGE_QUERY(get_image_width, int, true, image.width)
KN_IMAGE_QUERY(get_image_height, int, kn_image_dims<Kind> >= 2, image.height)
KN_IMAGE_QUERY(get_image_depth, int, kn_image_dims<Kind> == 3, image.depth)
KN_IMAGE_QUERY(get_image_array_size, size_t, kn_has_layers<Kind>, (size_t)image.depth)
KN_IMAGE_QUERY(get_image_channel_data_type, int, true, image.type)
KN_IMAGE_QUERY(get_image_channel_order, int, true, image.order)

template <int Kind, bool Written> KN_FN auto get_image_dim(const kn_image<Kind, Written> &image)
{
    static_assert(kn_image_dims<Kind> >= 2, "get_image_dim: there is none for this type of image");
    if constexpr (Kind == kn_3d)
        return int4(image.width, image.height, image.depth, 0);
    else
        return int2(image.width, image.height);
}

} // namespace kn
