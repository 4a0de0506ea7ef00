// SPDX-License-Identifier: Apache-2.0
// Checks of a task, regions of it, and an image's energy.
#include "autocorr.h"

#include "base/error.h"

#define PIXELS_MAX (UINT64_C(1) << 31)

enum {
    BLOCK = 64, // pixels, a length that compilers know
    DEFAULT_OFFSET_MAX = 250,
    DEFAULT_REACH_MAX = 64 // of volumes, whose offsets are so many
};

size_t ki_autocorr_default_offset(size_t width, size_t height)
{
    size_t shorter = width < height ? width : height, longer = width < height ? height : width;
    size_t quarter = shorter / 4 < DEFAULT_OFFSET_MAX ? shorter / 4 : DEFAULT_OFFSET_MAX;

    return quarter ? quarter : longer > 1;
}

size_t ki_autocorr_default_reach(size_t width, size_t height, size_t depth)
{
    size_t shorter = width < height ? width : height, quarter;

    if (depth < shorter)
        shorter = depth;
    quarter = shorter / 4 < DEFAULT_REACH_MAX ? shorter / 4 : DEFAULT_REACH_MAX;
    return quarter ? quarter : width > 1 || height > 1 || depth > 1;
}

static const void *pixel_at(const struct autocorr_image *image, size_t x, size_t y)
{
    return (const unsigned char *)image->pixels + (y * image->stride + x) * kn_type_size(image->type);
}

static void crop_image(struct autocorr_image *image, const kn_autocorr_region *region)
{
    if (image->pixels)
        image->pixels = pixel_at(image, region->x, region->y);
    image->width = region->width;
    image->height = region->height;
}

kn_status ki_autocorr_crop(struct autocorr_task *task, const kn_autocorr_region *region, kn_error *err)
{
    size_t width = task->first.width, height = task->first.height;

    if (!region->width || !region->height || region->x >= width || region->y >= height ||
        region->width > width - region->x || region->height > height - region->y)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the region of %zu x %zu pixels at (%zu, %zu) is not in the image of %zu x %zu",
                       region->width, region->height, region->x, region->y, width, height);
    crop_image(&task->first, region);
    crop_image(&task->second, region);
    task->energy = 0;
    if (task->mask)
        task->mask += region->y * task->mask_stride + region->x;
    return KN_OK;
}

static kn_status check_image(const struct autocorr_image *image, kn_error *err)
{
    if (image->type != KN_U8 && image->type != KN_U16)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "an image of %zu-byte pixels of another kind; expected unsigned numbers of 8 or 16 bits",
            kn_type_size(image->type));
    if (!image->pixels || !image->width || !image->height || image->width > PIXELS_MAX / image->height)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "an image of %zu x %zu pixels; expected at least 1 and at most 2^31", image->width,
                       image->height);
    return KN_OK;
}

kn_status ki_autocorr_check(const struct autocorr_task *task, kn_error *err)
{
    const struct autocorr_image *first = &task->first, *second = autocorr_second(task);
    size_t longest = first->width > first->height ? first->width : first->height;
    kn_status status = check_image(first, err);

    if (!status)
        status = check_image(second, err);
    if (status)
        return status;
    if (first->width != second->width || first->height != second->height)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the images are of %zu x %zu and of %zu x %zu pixels; expected two of the same size, or a region "
            "that both have",
            first->width, first->height, second->width, second->height);
    if (first->type != second->type)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "one image is of 8 bits, the other one of 16; expected both of the same");
    if (task->max_offset >= longest)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "a largest offset of %zu leaves no overlap in an image of %zu x %zu pixels; expected at most %zu",
            task->max_offset, first->width, first->height, longest - 1);
    return KN_OK;
}

// ---- energy ----

static uint64_t level_at(const void *row, kn_type type, size_t x)
{
    return type == KN_U8 ? ((const uint8_t *)row)[x] : ((const uint16_t *)row)[x];
}

// Sums of levels and of their squares; of those in the mask, where there is one.
struct moments {
    uint64_t sum, squares;
};

static inline uint32_t byte_at(const uint8_t *row, const uint8_t *mask, size_t x)
{
    return mask && !mask[x] ? 0 : row[x];
}

static void add_row(struct moments *of, const struct autocorr_image *image, const uint8_t *row,
                    const uint8_t *mask)
{
    size_t x = 0;

    for (; image->type == KN_U8 && x + BLOCK <= image->width; x += BLOCK) {
        uint32_t some = 0, some_squares = 0;

        for (size_t i = x; i < x + BLOCK; i++) {
            some += byte_at(row, mask, i);
            some_squares += byte_at(row, mask, i) * byte_at(row, mask, i);
        }
        of->sum += some;
        of->squares += some_squares;
    }
    for (; x < image->width; x++) {
        uint64_t level = mask && !mask[x] ? 0 : level_at(row, image->type, x);

        of->sum += level;
        of->squares += level * level;
    }
}

// In integers below 2^63: no cancellation.
double ki_autocorr_energy(const struct autocorr_image *image, const uint8_t *mask, size_t mask_stride)
{
    uint64_t count = (uint64_t)image->width * image->height, mean;
    struct moments of = {0, 0};

    for (size_t y = 0; y < image->height; y++)
        if (mask)
            add_row(&of, image, pixel_at(image, 0, y), mask + y * mask_stride);
        else
            add_row(&of, image, pixel_at(image, 0, y), NULL);
    mean = of.sum / count;
    return (double)(of.squares + mean * mean * count - 2 * mean * of.sum);
}
