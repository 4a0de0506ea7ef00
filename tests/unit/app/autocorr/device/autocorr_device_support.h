// SPDX-License-Identifier: Apache-2.0
// Frames for tests of correlations on a device, and their sums by the reference.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_DEVICE_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_DEVICE_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"
#include "unit/app/autocorr/autocorr_support.h"

#include "app/autocorr/device/device.h"

// Images of both kinds on the host, and on the device.
struct frames {
    struct autocorr_frames on_device;
    unsigned char *first, *second; // second: NULL in an autocorrelation
};

enum { TEST_ROOM = 64 };

static inline struct autocorr_image frame_image(const struct frames *frames, const unsigned char *pixels,
                                                size_t frame)
{
    const struct autocorr_frames *f = &frames->on_device;

    return (struct autocorr_image){f->width, f->height, f->width, f->type,
                                   pixels + frame * f->width * f->height * kn_type_size(f->type)};
}

static inline unsigned char *random_bytes(size_t bytes, uint64_t *state)
{
    unsigned char *all = malloc(bytes + 1);

    ck_assert_ptr_nonnull(all);
    for (size_t i = 0; i < bytes; i++)
        all[i] = (unsigned char)test_random(state);
    return all;
}

// Whether an interpreter finishes the products of this many offsets, at least `least` of them, in seconds.
static inline bool test_is_quick(size_t width, size_t height, size_t count, size_t max_offset, size_t least)
{
    size_t offsets = autocorr_offsets(max_offset);

    return !test_is_slow() || width * height * count * (offsets > least ? offsets : least) <= 100000;
}

// `count` random frames.
static inline struct frames make_frames(size_t width, size_t height, size_t count, kn_type type, bool cross,
                                        size_t max_offset, uint64_t *state)
{
    size_t bytes = count * width * height * kn_type_size(type);
    struct frames frames = {.on_device = {width, height, count, type, NULL, NULL, max_offset}};

    frames.first = random_bytes(bytes, state);
    frames.on_device.first = test_upload_with_room(frames.first, bytes, 0);
    if (cross) {
        frames.second = random_bytes(bytes, state);
        frames.on_device.second = test_upload_with_room(frames.second, bytes, 0);
    }
    return frames;
}

static inline void free_frames(struct frames *frames)
{
    kn_buffer_free((kn_buffer *)frames->on_device.first);
    kn_buffer_free((kn_buffer *)frames->on_device.second);
    free(frames->first);
    free(frames->second);
}

// A buffer for the sums, poisoned, with room behind.
static inline kn_buffer *poisoned_products(const struct frames *frames)
{
    size_t bytes =
        frames->on_device.count * autocorr_offsets(frames->on_device.max_offset) * sizeof(uint64_t);
    unsigned char *poison = malloc(bytes + 1);
    kn_buffer *products;

    ck_assert_ptr_nonnull(poison);
    memset(poison, 0xa5, bytes);
    products = test_upload_with_room(poison, bytes, TEST_ROOM);
    free(poison);
    return products;
}

// Compares the sums in `products` with the reference's, and checks that nothing after them was written. Frees
// the buffer.
static inline void expect_sums(const struct frames *frames, kn_buffer *products, const char *what)
{
    const struct autocorr_frames *f = &frames->on_device;
    size_t offsets = autocorr_offsets(f->max_offset), bytes = offsets * sizeof(uint64_t);
    uint64_t *found = malloc(bytes), *expected = malloc(bytes);

    ck_assert(found && expected);
    test_expect_poison(products, f->count * bytes);
    for (size_t frame = 0; frame < f->count; frame++) {
        struct autocorr_task task = {.first = frame_image(frames, frames->first, frame),
                                     .max_offset = f->max_offset};

        if (frames->second)
            task.second = frame_image(frames, frames->second, frame);
        EXPECT_OK(ki_autocorr_reference(&task, expected, &err));
        EXPECT_OK(kn_buffer_read(queue, products, frame * bytes, found, bytes, &err));
        for (size_t i = 0; i < offsets; i++)
            ck_assert_msg(
                found[i] == expected[i],
                "%s, %zu x %zu of %zu bytes%s, R %zu, frame %zu of %zu: %llu instead of %llu at (%td, "
                "%zu)",
                what, f->width, f->height, kn_type_size(f->type), frames->second ? " and others" : "",
                f->max_offset, frame, f->count, (unsigned long long)found[i], (unsigned long long)expected[i],
                (ptrdiff_t)(i % (2 * f->max_offset + 1)) - (ptrdiff_t)f->max_offset,
                i / (2 * f->max_offset + 1));
    }
    free(found);
    free(expected);
    kn_buffer_free(products);
}

#endif
