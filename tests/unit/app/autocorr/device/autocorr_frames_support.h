// SPDX-License-Identifier: Apache-2.0
// Frames on the device for tests of correlations: random ones, each also available as a task for the host.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_FRAMES_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_FRAMES_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"
#include "unit/app/autocorr/autocorr_support.h"

#include "app/autocorr/device/device_windows.h"

struct test_frames {
    struct autocorr_frames device;
    void *first, *second; // the same on the host
};

// Random pixels from `base` to below base + range; a second image if `cross`.
static inline struct test_frames random_frames(const size_t size[3], size_t count, kn_type type, bool cross,
                                               uint64_t base, uint64_t range, uint64_t *state)
{
    struct autocorr_image image = make_image(size[0], size[1] * count, size[0], type);
    size_t bytes = size[0] * size[1] * count * kn_type_size(type);
    struct test_frames frames = {.device = {size[0], size[1], count, type, NULL, NULL, size[2]}};

    for (int i = 0; i < 1 + cross; i++) {
        void *copy = malloc(bytes);

        ck_assert_ptr_nonnull(copy);
        fill_random(&image, base, range, state);
        memcpy(copy, image.pixels, bytes);
        *(i ? &frames.second : &frames.first) = copy;
        *(i ? &frames.device.second : &frames.device.first) = test_upload_with_room(copy, bytes, 0);
    }
    free_image(&image);
    return frames;
}

static inline struct autocorr_image frame_image(const struct autocorr_frames *frames, const void *pixels,
                                                size_t frame)
{
    size_t bytes = frames->width * frames->height * kn_type_size(frames->type);

    return (struct autocorr_image){frames->width, frames->height, frames->width, frames->type,
                                   pixels ? (const char *)pixels + frame * bytes : NULL};
}

static inline struct autocorr_task frame_task(const struct test_frames *frames, size_t frame)
{
    return (struct autocorr_task){.first = frame_image(&frames->device, frames->first, frame),
                                  .second = frame_image(&frames->device, frames->second, frame),
                                  .max_offset = frames->device.max_offset};
}

static inline void free_frames(struct test_frames *frames)
{
    kn_buffer_free((kn_buffer *)frames->device.first);
    kn_buffer_free((kn_buffer *)frames->device.second);
    free(frames->first);
    free(frames->second);
}

// Sizes and offsets: single pixels and lines, primes, sizes near those of groups and strips, offsets longer
// than a side.
static const size_t frame_sizes[][3] = {{1, 1, 0},     {1, 9, 8},     {9, 1, 8},    {2, 3, 2},
                                        {31, 33, 7},   {33, 7, 20},   {17, 16, 16}, {5, 40, 39},
                                        {64, 20, 8},   {127, 31, 31}, {129, 32, 3}, {128, 65, 5},
                                        {67, 101, 33}, {300, 3, 299}, {811, 9, 270}};
enum { FRAME_SIZES = sizeof frame_sizes / sizeof *frame_sizes };

static inline size_t frame_size_count(void)
{
    return test_is_slow() ? 7 : FRAME_SIZES;
}

#endif
