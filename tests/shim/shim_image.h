// SPDX-License-Identifier: Apache-2.0
// What a texture unit does, exactly: addressing and filtering by the formulas of the OpenCL 1.2
// specification, section 8.2. `fetch(i, j, k)` gives a texel of the image; outside it is the border, zeros.
#ifndef KN_SHIM_IMAGE
#define KN_SHIM_IMAGE 1

#include <cmath>

struct kn_shim_axis {
    int first, second; // texels; -1 and the size are the border
    float part;        // of the second
};

enum { kn_shim_none, kn_shim_edge, kn_shim_clamp, kn_shim_repeat, kn_shim_mirror };

inline int kn_shim_between(int i, int low, int high)
{
    return i < low ? low : i > high ? high : i;
}

// Far coordinates are all the same to an int.
inline int kn_shim_floor(float u)
{
    return (int)std::floor(std::fmin(std::fmax(u, -1e6f), 1e6f));
}

inline kn_shim_axis kn_shim_address(float s, int size, unsigned sampler)
{
    const unsigned mode = sampler >> 1 & 7;
    const bool normalised = sampler & 1, linear = sampler & 0x20;
    float u = normalised ? s * (float)size : s;

    if (normalised && mode == kn_shim_repeat)
        u = (s - std::floor(s)) * (float)size;
    if (normalised && mode == kn_shim_mirror)
        u = std::fabs(s - 2 * std::rint(0.5f * s)) * (float)size;
    if (linear)
        u -= 0.5f;

    int i = kn_shim_floor(u), j = i + 1;
    if (normalised && mode == kn_shim_repeat) {
        i = i < 0 ? i + size : i > size - 1 ? i - size : i;
        j = j > size - 1 ? j - size : j;
    } else if (mode == kn_shim_clamp) {
        i = kn_shim_between(i, -1, size);
        j = kn_shim_between(j, -1, size);
    } else {
        i = kn_shim_between(i, 0, size - 1);
        j = kn_shim_between(j, 0, size - 1);
    }
    return {i, j, linear ? u - std::floor(u) : 0};
}

template <class V, bool Filters, class F>
inline V kn_shim_sample(unsigned sampler, int dims, const float at[3], const int sizes[3], F fetch)
{
    kn_shim_axis axes[3] = {};
    V sum = V(0);

    if (!Filters)
        sampler &= ~0x20u;
    for (int d = 0; d < dims; d++)
        axes[d] = kn_shim_address(at[d], sizes[d], sampler);
    for (int corner = 0; corner < (sampler & 0x20 ? 1 << dims : 1); corner++) {
        int i[3] = {};
        bool inside = true;
        float weight = 1;
        for (int d = 0; d < dims; d++) {
            bool second = corner >> d & 1;
            i[d] = second ? axes[d].second : axes[d].first;
            inside = inside && i[d] >= 0 && i[d] < sizes[d];
            weight *= second ? axes[d].part : 1 - axes[d].part;
        }
        V texel = inside ? fetch(i[0], i[1], i[2]) : V(0);
        if constexpr (Filters)
            sum = sum + texel * V(weight);
        else
            sum = texel;
    }
    return sum;
}

#endif
