// SPDX-License-Identifier: Apache-2.0
// Reads without a sampler in plain C, for test_images.c: used for formats that a device lacks or gets wrong.
#ifndef KN_TESTS_CONFORMANCE_IMAGE_PLAIN_H
#define KN_TESTS_CONFORMANCE_IMAGE_PLAIN_H

#include <math.h>

#include "image_launches.h"

static double channel_of(const struct launch *launch, const unsigned char *texel, int i)
{
    const int bytes = launch->type->bytes;
    uint32_t bits = 0;
    int32_t whole;
    float real;

    memcpy(&bits, texel + i * bytes, (size_t)bytes);
    whole = (int32_t)(bits << (32 - 8 * bytes)) >> (32 - 8 * bytes);
    switch (launch->given.type) {
    case KN_CHANNEL_FLOAT:
        memcpy(&real, &bits, sizeof real);
        return (double)real;
    case KN_CHANNEL_HALF:
        real = (float)ldexp(bits & 0x7c00 ? (bits & 0x3ff) | 0x400 : bits & 0x3ff,
                            (bits & 0x7c00 ? (int)(bits >> 10 & 31) : 1) - 25);
        return bits & 0x8000 ? -(double)real : (double)real;
    case KN_CHANNEL_SNORM8:
    case KN_CHANNEL_SNORM16:
        return fmax(whole / (bytes == 1 ? 127.0 : 32767.0), -1);
    case KN_CHANNEL_UNORM8:
    case KN_CHANNEL_UNORM16:
        return bits / (bytes == 1 ? 255.0 : 65535.0);
    default:
        return *launch->type->family == 'i' ? (double)whole : (double)bits;
    }
}

// The channel of each component; 4 is zero, 5 one (table of 6.12.14.7).
static const struct {
    kn_channel_order order;
    int channels[4];
} components[] = {
    {KN_ORDER_R, {0, 4, 4, 5}},    {KN_ORDER_A, {4, 4, 4, 0}},         {KN_ORDER_RG, {0, 1, 4, 5}},
    {KN_ORDER_RA, {0, 4, 4, 1}},   {KN_ORDER_RGBA, {0, 1, 2, 3}},      {KN_ORDER_BGRA, {2, 1, 0, 3}},
    {KN_ORDER_ARGB, {1, 2, 3, 0}}, {KN_ORDER_INTENSITY, {0, 0, 0, 0}}, {KN_ORDER_LUMINANCE, {0, 0, 0, 5}},
};

// The texel that work-item n reads or writes, in launches where each is accessed once.
static size_t texel_of(const struct launch *launch, size_t n)
{
    const float *at = launch->given.at[n];
    size_t row = kinds[launch->given.kind].dims > 1 ? (size_t)at[1] : 0;
    size_t slice = kinds[launch->given.kind].dims > 1 ? (size_t)at[2] : (size_t)at[1];

    return (slice * launch->given.height + row) * launch->given.width + (size_t)at[0];
}

static bool is_signed(const struct launch *launch)
{
    return launch->given.type == KN_CHANNEL_SNORM8 || launch->given.type == KN_CHANNEL_SNORM16;
}

// The value that represents 1 in a normalised channel.
static double greatest(const struct launch *launch)
{
    return (1 << (8 * launch->type->bytes - is_signed(launch))) - 1;
}

// The value written there in floats, in units of the channel, before rounding; false if nothing was written.
static inline bool written_to(const struct launch *launch, size_t texel, int channel, double *exact)
{
    double scale = greatest(launch);
    float value;

    for (size_t n = 0; n < ITEMS; n++)
        for (size_t o = 0; o < KI_COUNT(components) && texel_of(launch, n) == texel; o++)
            for (int c = 0; c < 4 && components[o].order == launch->given.order; c++)
                if (components[o].channels[c] == channel) {
                    memcpy(&value, &launch->given.values[n][c], sizeof value);
                    *exact = fmin(fmax((double)value * scale, is_signed(launch) ? -scale - 1 : 0), scale);
                    return true;
                }
    return false;
}

static void read_plainly(const struct launch *launch, struct result *result)
{
    memcpy(result->texels, launch->given.texels, sizeof result->texels);
    for (size_t n = 0; n < ITEMS; n++) {
        const unsigned char *texel = launch->given.texels + texel_of(launch, n) * launch->given.texel_bytes;
        for (size_t o = 0; o < KI_COUNT(components); o++)
            for (int c = 0; c < 4 && components[o].order == launch->given.order; c++) {
                int channel = components[o].channels[c];
                double value = channel > 3 ? channel - 4 : channel_of(launch, texel, channel);
                float real = (float)value;
                result->values[n][c] = (uint32_t)(int64_t)value;
                if (*launch->type->family == 'f')
                    memcpy(&result->values[n][c], &real, sizeof real);
            }
    }
}

#endif
