// SPDX-License-Identifier: Apache-2.0
// Tests azimuthal averages on the device against the host's, from the same sums: all normalizations, one
// image and two, rings without values, part of a batch.
#include "autocorr_rings_support.h"

#include "app/autocorr/device/device_radial.h"

// Frames 1 and 2 of three are computed.
static void try_frames(const struct test_frames *frames)
{
    size_t max_offset = frames->device.max_offset, offsets = autocorr_offsets(max_offset);
    uint64_t *products = malloc(3 * offsets * sizeof *products);
    struct autocorr_ring *wanted = malloc((max_offset + 1) * sizeof *wanted),
                         *found = malloc(2 * (max_offset + 1) * sizeof *found);
    struct autocorr_device_radial *radial = NULL;
    struct autocorr_tables tables;
    kn_buffer *sums, *rings;

    ck_assert(products && wanted && found);
    for (size_t f = 0; f < 3; f++) {
        const struct autocorr_task task = frame_task(frames, f);

        EXPECT_OK(ki_autocorr_reference(&task, products + f * offsets, &err));
    }
    sums = test_upload_with_room(products, 3 * offsets * sizeof *products, 0);
    EXPECT_OK(ki_autocorr_tables_create(context, max_offset, 2, &tables, &err));
    EXPECT_OK(ki_autocorr_windows_device(queue, &frames->device, 1, 2, &tables, &err));
    EXPECT_OK(ki_autocorr_device_radial_create(queue, frames->device.width, frames->device.height, max_offset,
                                               &radial, &err));
    rings = test_upload_with_room("", 0, ki_autocorr_device_radial_bytes(radial, 2) + 64);
    for (int n = 0; n < AUTOCORR_NORMALIZATIONS; n++) {
        EXPECT_OK(ki_autocorr_radial_device(queue, radial, sums, 1, 2, &tables, (kn_autocorr_normalization)n,
                                            rings, &err));
        EXPECT_OK(ki_autocorr_radial_read(queue, radial, rings, 1, 1, found + max_offset + 1, &err));
        EXPECT_OK(ki_autocorr_radial_read(queue, radial, rings, 0, 1, found, &err));
        for (size_t f = 0; f < 2; f++) {
            const struct autocorr_task task = frame_task(frames, 1 + f);

            host_rings(&task, products + (1 + f) * offsets, (kn_autocorr_normalization)n, wanted);
            expect_rings(found + f * (max_offset + 1), wanted, max_offset,
                         ki_autocorr_normalization_names[n]);
        }
        test_expect_poison(rings, ki_autocorr_device_radial_bytes(radial, 2));
    }
    kn_buffer_free(sums);
    kn_buffer_free(rings);
    ki_autocorr_device_radial_free(radial);
    ki_autocorr_tables_free(&tables);
    free(products);
    free(wanted);
    free(found);
}

START_TEST(random_images)
{
    uint64_t state = test_seed("random_images");

    for (size_t i = 0; i < frame_size_count(); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct test_frames frames = random_frames(frame_sizes[i], 3, type, (kind & 2) != 0, 0,
                                                      type == KN_U8 ? 256 : 65536, &state);

            try_frames(&frames);
            free_frames(&frames);
        }
}
END_TEST

// Bright with little contrast, where differences of large numbers matter; uniform; black; a single bright
// pixel: windows without it are uniform.
START_TEST(levels)
{
    static const size_t size[] = {40, 30, 12};
    static const uint64_t bases[] = {65500, 777, 0}, ranges[] = {3, 1, 1};
    uint64_t state = test_seed("levels");

    for (size_t i = 0; i < 4; i++) {
        struct test_frames frames =
            random_frames(size, 3, KN_U16, false, bases[i < 3 ? i : 2], ranges[i < 3 ? i : 2], &state);

        if (i == 3) {
            ((uint16_t *)frames.first)[2 * 1200 + 7] = 65535;
            kn_buffer_free((kn_buffer *)frames.device.first);
            frames.device.first = test_upload_with_room(frames.first, (size_t)3 * 1200 * 2, 0);
        }
        try_frames(&frames);
        free_frames(&frames);
    }
}
END_TEST

START_TEST(refused)
{
    struct autocorr_device_radial *radial = NULL;
    struct autocorr_tables tables, others;
    kn_buffer *sums = test_upload_with_room("", 0, 2 * 28 * 8), *rings;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 9",
                   ki_autocorr_device_radial_create(queue, 10, 9, 10, &radial, &err));
    EXPECT_OK(ki_autocorr_device_radial_create(queue, 10, 9, 3, &radial, &err));
    rings = test_upload_with_room("", 0, ki_autocorr_device_radial_bytes(radial, 2) - 1);
    EXPECT_OK(ki_autocorr_tables_create(context, 3, 2, &tables, &err));
    EXPECT_OK(ki_autocorr_tables_create(context, 4, 2, &others, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "the rings of 2 frames take",
        ki_autocorr_radial_device(queue, radial, sums, 0, 2, &tables, KN_AUTOCORR_PEARSON, rings, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "the sums of 3 frames take",
        ki_autocorr_radial_device(queue, radial, sums, 2, 1, &tables, KN_AUTOCORR_PEARSON, rings, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "with R = 4 for",
        ki_autocorr_radial_device(queue, radial, sums, 0, 1, &others, KN_AUTOCORR_PEARSON, rings, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "no normalization",
        ki_autocorr_radial_device(queue, radial, sums, 0, 1, &tables, AUTOCORR_NORMALIZATIONS, rings, &err));
    ki_autocorr_tables_free(&tables);
    ki_autocorr_tables_free(&others);
    ki_autocorr_device_radial_free(radial);
    kn_buffer_free(sums);
    kn_buffer_free(rings);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_images, levels, refused};

    return test_run("autocorr device radial", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
