// SPDX-License-Identifier: Apache-2.0
// Images for tests of correlations: random, with 8 or 16 bits, and with a stride longer than a row.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_SUPPORT_H

#include "support/expect.h"

#include <math.h>

#include "app/autocorr/autocorr.h"

// width x height pixels in rows of `stride`; the caller frees `pixels`. The padding between rows is 255.
static inline struct autocorr_image make_image(size_t width, size_t height, size_t stride, kn_type type)
{
    struct autocorr_image image = {width, height, stride, type, NULL};
    unsigned char *pixels = malloc(stride * height * kn_type_size(type));

    ck_assert_ptr_nonnull(pixels);
    memset(pixels, 255, stride * height * kn_type_size(type));
    image.pixels = pixels;
    return image;
}

static inline void set_pixel(const struct autocorr_image *image, size_t x, size_t y, uint64_t value)
{
    void *pixels = (void *)(uintptr_t)image->pixels;

    if (image->type == KN_U8)
        ((uint8_t *)pixels)[y * image->stride + x] = (uint8_t)value;
    else
        ((uint16_t *)pixels)[y * image->stride + x] = (uint16_t)value;
}

static inline uint64_t get_pixel(const struct autocorr_image *image, size_t x, size_t y)
{
    size_t at = y * image->stride + x;

    return image->type == KN_U8 ? ((const uint8_t *)image->pixels)[at]
                                : ((const uint16_t *)image->pixels)[at];
}

// The sum of (I - m)^2 with the mean rounded down, in double precision, which is exact for small images.
static inline double reference_energy(const struct autocorr_image *image)
{
    double pixels = (double)image->width * (double)image->height, sum = 0, squares = 0;

    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++)
            sum += (double)get_pixel(image, x, y);
    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++) {
            double d = (double)get_pixel(image, x, y) - floor(sum / pixels);

            squares += d * d;
        }
    return squares;
}

// Each pixel is `base` plus a random number below `range`.
static inline void fill_random(const struct autocorr_image *image, uint64_t base, uint64_t range,
                               uint64_t *state)
{
    for (size_t y = 0; y < image->height; y++)
        for (size_t x = 0; x < image->width; x++)
            set_pixel(image, x, y, base + test_random(state) % range);
}

static inline struct autocorr_image random_image(size_t width, size_t height, kn_type type, uint64_t *state)
{
    struct autocorr_image image = make_image(width, height, width + (size_t)(test_random(state) % 7), type);

    fill_random(&image, 0, type == KN_U8 ? 256 : 65536, state);
    return image;
}

// A mask of three quarters of the pixels, with the layout of the image; the caller frees it.
static inline uint8_t *random_mask(const struct autocorr_image *image, uint64_t *state)
{
    uint8_t *mask = malloc(image->stride * image->height);

    ck_assert_ptr_nonnull(mask);
    for (size_t i = 0; i < image->stride * image->height; i++)
        mask[i] = (uint8_t)(test_random(state) % 4 * 85);
    return mask;
}

static inline void free_image(struct autocorr_image *image)
{
    free((void *)(uintptr_t)image->pixels);
}

#endif
