// SPDX-License-Identifier: Apache-2.0
// Azimuthal averages on the device against the host's, from the same sums: all normalizations, one image and
// two, rings without values, some frames of a batch.
#include "autocorr_frames_support.h"

#include <math.h>

#include "../../../src/app/autocorr/device_radial.h"

// Of a number that is `scale` in size at most. A value and its weight have some ten roundings each, four of
// them of 3 units (square roots, divisions), and up to 2 pi R / 12 terms of a sector are added in turn where
// a lane has them all: 150 roundings of e at R = 300, 2^-24 or 2^-53 each.
static void expect_near(double found, double wanted, double scale, const char *what, const char *name,
                        size_t ring)
{
    double e = kn_context_device(context)->fp64 ? 1e-13 : 1e-5;

    ck_assert_msg(isnan(wanted) ? isnan(found) : fabs(found - wanted) <= e * scale,
                  "%s, ring %zu, %s: %.17g instead of %.17g", name, ring, what, found, wanted);
}

// The error is the root of a difference of squares of values.
static void expect_rings(const struct autocorr_ring *found, const struct autocorr_ring *wanted,
                         size_t max_offset, const char *name)
{
    double most = 1;

    for (size_t k = 0; k <= max_offset; k++)
        most = fmax(most, fabs(wanted[k].value));
    for (size_t k = 0; k <= max_offset; k++) {
        const struct autocorr_ring *a = &found[k], *b = &wanted[k];

        ck_assert_msg(a->count == b->count, "%s, ring %zu: %zu offsets instead of %zu", name, k, a->count,
                      b->count);
        expect_near(a->radius, b->radius, b->radius + 1, "radius", name, k);
        expect_near(a->value, b->value, most, "value", name, k);
        expect_near(a->weight, b->weight, b->weight + 1, "weight", name, k);
        if (!isnan(b->error))
            expect_near(a->error * a->error, b->error * b->error, 4 * most * most, "squared error", name, k);
        for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
            expect_near(a->sums[s], b->sums[s], most * (b->weight + 1), "sum", name, k);
            expect_near(a->weights[s], b->weights[s], b->weight + 1, "sector's weight", name, k);
        }
    }
}

// Frames 1 and 2 of three.
static void try_frames(const struct test_frames *frames)
{
    size_t max_offset = frames->device.max_offset, offsets = autocorr_offsets(max_offset);
    uint64_t *products = malloc(3 * offsets * sizeof *products);
    struct autocorr_window *windows = malloc(offsets * sizeof *windows);
    double *values = malloc(offsets * sizeof *values);
    struct autocorr_ring *wanted = malloc((max_offset + 1) * sizeof *wanted),
                         *found = malloc(2 * (max_offset + 1) * sizeof *found);
    struct autocorr_device_radial *radial = NULL;
    struct autocorr_tables tables;
    kn_buffer *sums, *rings;

    ck_assert(products && windows && values && wanted && found);
    for (size_t f = 0; f < 3; f++) {
        const struct autocorr_task task = frame_task(frames, f);

        EXPECT_OK(autocorr_reference(&task, products + f * offsets, &err));
    }
    sums = test_upload_with_room(products, 3 * offsets * sizeof *products, 0);
    EXPECT_OK(autocorr_tables_create(context, max_offset, 2, &tables, &err));
    EXPECT_OK(autocorr_windows_device(queue, &frames->device, 1, 2, &tables, &err));
    EXPECT_OK(autocorr_device_radial_create(queue, frames->device.width, frames->device.height, max_offset,
                                            &radial, &err));
    rings = test_upload_with_room("", 0, autocorr_device_radial_bytes(radial, 2) + 64);
    for (int n = 0; n < AUTOCORR_NORMALIZATIONS; n++) {
        EXPECT_OK(autocorr_radial_device(queue, radial, sums, 1, 2, &tables, (enum autocorr_normalization)n,
                                         rings, &err));
        EXPECT_OK(autocorr_radial_read(queue, radial, rings, 1, 1, found + max_offset + 1, &err));
        EXPECT_OK(autocorr_radial_read(queue, radial, rings, 0, 1, found, &err));
        for (size_t f = 0; f < 2; f++) {
            const struct autocorr_task task = frame_task(frames, 1 + f);

            EXPECT_OK(autocorr_windows(&task, windows, &err));
            autocorr_normalize((enum autocorr_normalization)n, max_offset, products + (1 + f) * offsets,
                               windows, values);
            autocorr_radial(values, max_offset, AUTOCORR_LINEAR, wanted);
            expect_rings(found + f * (max_offset + 1), wanted, max_offset, autocorr_normalization_names[n]);
        }
        test_expect_poison(rings, autocorr_device_radial_bytes(radial, 2));
    }
    kn_buffer_free(sums);
    kn_buffer_free(rings);
    autocorr_device_radial_free(radial);
    autocorr_tables_free(&tables);
    free(products);
    free(windows);
    free(values);
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

// Bright with little contrast, where differences of large numbers count; of one level; black; nothing but one
// bright pixel: windows without one are of one level.
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
            kn_buffer_free(frames.device.first);
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
                   autocorr_device_radial_create(queue, 10, 9, 10, &radial, &err));
    EXPECT_OK(autocorr_device_radial_create(queue, 10, 9, 3, &radial, &err));
    rings = test_upload_with_room("", 0, autocorr_device_radial_bytes(radial, 2) - 1);
    EXPECT_OK(autocorr_tables_create(context, 3, 2, &tables, &err));
    EXPECT_OK(autocorr_tables_create(context, 4, 2, &others, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the rings of 2 frames take",
                   autocorr_radial_device(queue, radial, sums, 0, 2, &tables, AUTOCORR_PEARSON, rings, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the sums of 3 frames take",
                   autocorr_radial_device(queue, radial, sums, 2, 1, &tables, AUTOCORR_PEARSON, rings, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "with R = 4 for",
                   autocorr_radial_device(queue, radial, sums, 0, 1, &others, AUTOCORR_PEARSON, rings, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "no normalization",
        autocorr_radial_device(queue, radial, sums, 0, 1, &tables, AUTOCORR_NORMALIZATIONS, rings, &err));
    autocorr_tables_free(&tables);
    autocorr_tables_free(&others);
    autocorr_device_radial_free(radial);
    kn_buffer_free(sums);
    kn_buffer_free(rings);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_images, levels, refused};

    return test_run("autocorr device radial", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
