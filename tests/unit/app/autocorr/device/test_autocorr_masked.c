// SPDX-License-Identifier: Apache-2.0
// Tests the sums over the overlaps of a mask on any device against the reference, integer by integer: 8 and
// 16 bits, one image and two, masks with holes, with one pixel and with none, sums that need one prime and
// two; the rings computed from them; which kernels ran; and where the sums are computed.
#include "autocorr_rings_support.h"

#include <inttypes.h>

#include "app/autocorr/device/choose.h"
#include "app/autocorr/device/device_masked.h"
#include "app/autocorr/device/device_radial.h"

enum { FRAMES = 4, POISON = 0xa5 };

// ---- masks ----

enum mask_kind { SCATTERED, DISK_WITH_HOLE, ONE_PIXEL, TWO_FAR_PIXELS, ALL, NOTHING, MASK_KINDS };

// A dense mask with values other than 1.
static uint8_t *make_mask(size_t width, size_t height, enum mask_kind kind, uint64_t *state)
{
    uint8_t *mask = calloc(width * height, 1);

    ck_assert_ptr_nonnull(mask);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double dx = (double)x - (double)width / 2, dy = (double)y - (double)height / 2,
                   r = 2 * sqrt(dx * dx + dy * dy) / (double)(width < height ? width : height);
            bool in = kind == ALL || (kind == SCATTERED && test_random(state) % 3) ||
                      (kind == DISK_WITH_HOLE && r < 0.9 && r > 0.3);

            mask[y * width + x] = in ? (uint8_t)(1 + test_random(state) % 255) : 0;
        }
    if (kind == ONE_PIXEL)
        mask[test_random(state) % (width * height)] = 7;
    if (kind == TWO_FAR_PIXELS)
        mask[0] = mask[width * height - 1] = 255;
    return mask;
}

static void blacken(void *pixels, kn_type type, const uint8_t *mask, size_t image, size_t count)
{
    for (size_t i = 0; i < image * count; i++)
        if (!mask[i % image]) {
            if (type == KN_U8)
                ((uint8_t *)pixels)[i] = 0;
            else
                ((uint16_t *)pixels)[i] = 0;
        }
}

// Random frames that are black outside the mask.
static struct test_frames masked_frames(const size_t size[3], kn_type type, bool cross, uint64_t base,
                                        const uint8_t *mask, uint64_t *state)
{
    struct test_frames frames =
        random_frames(size, FRAMES, type, cross, base, (type == KN_U8 ? 256 : 65536) - base, state);
    size_t image = size[0] * size[1], bytes = FRAMES * image * kn_type_size(type);

    for (int i = 0; i < 1 + cross; i++) {
        void *pixels = i ? frames.second : frames.first;
        kn_buffer *buffer = (kn_buffer *)(i ? frames.device.second : frames.device.first);

        blacken(pixels, type, mask, image, FRAMES);
        EXPECT_OK(kn_buffer_write(queue, buffer, 0, pixels, bytes, &err));
    }
    return frames;
}

static struct autocorr_task masked_task(const struct test_frames *frames, size_t frame, const uint8_t *mask)
{
    struct autocorr_task task = frame_task(frames, frame);

    task.mask = mask;
    task.mask_stride = frames->device.width;
    return task;
}

// ---- windows ----

static void poison_tables(const struct autocorr_masked *masked)
{
    const struct autocorr_tables *tables = ki_autocorr_masked_tables(masked);
    const unsigned char poison = POISON;

    EXPECT_OK(
        kn_buffer_fill(queue, tables->sums, &poison, 1, 0, kn_buffer_get_size(tables->sums), NO_EVENT, &err));
}

static void expect_windows(const struct test_frames *frames, const struct autocorr_masked *masked,
                           size_t first, size_t count, const uint8_t *mask, int kind)
{
    size_t offsets = autocorr_offsets(frames->device.max_offset);
    struct autocorr_window *wanted = malloc(offsets * sizeof *wanted),
                           *found = malloc(offsets * sizeof *found);

    ck_assert(wanted && found);
    for (size_t f = 0; f < count; f++) {
        const struct autocorr_task task = masked_task(frames, first + f, mask);

        EXPECT_OK(ki_autocorr_reference_windows(&task, wanted, &err));
        memset(found, POISON, offsets * sizeof *found);
        EXPECT_OK(ki_autocorr_masked_read(queue, masked, f, found, &err));
        for (size_t i = 0; i < offsets; i++)
            ck_assert_msg(memcmp(&found[i], &wanted[i], sizeof *found) == 0,
                          "%zu x %zu of %zu bytes, R %zu, mask %d, frame %zu, offset %zu: n %" PRIu64
                          ", s %" PRIu64 " %" PRIu64 ", q %" PRIu64 " %" PRIu64 " instead of %" PRIu64
                          ", %" PRIu64 " %" PRIu64 ", %" PRIu64 " %" PRIu64,
                          frames->device.width, frames->device.height, kn_type_size(frames->device.type),
                          task.max_offset, kind, first + f, i, found[i].n, found[i].s1, found[i].s2,
                          found[i].q1, found[i].q2, wanted[i].n, wanted[i].s1, wanted[i].s2, wanted[i].q1,
                          wanted[i].q2);
    }
    free(wanted);
    free(found);
}

// Computes frames 1 and 2 of four, in tables for three: the last frame's table must be unchanged at offsets
// with overlaps.
static void try_windows(const size_t size[3], kn_type type, bool cross, uint64_t base,
                        const enum mask_kind *kinds, size_t kind_count, uint64_t *state)
{
    struct autocorr_masked *masked = NULL;
    struct autocorr_frames like = {size[0], size[1], 3, type, NULL, NULL, size[2]};
    size_t table = 2 * (2 * size[2] + 1) * (2 * size[2] + 1) * sizeof(uint64_t);
    unsigned char *last = malloc(table);

    ck_assert_ptr_nonnull(last);
    for (size_t k = 0; k < kind_count; k++) {
        uint8_t *mask = make_mask(size[0], size[1], kinds[k], state);
        struct test_frames frames = masked_frames(size, type, cross, base, mask, state);

        if (!masked) {
            like.second = frames.device.second;
            EXPECT_OK(ki_autocorr_masked_create(queue, &like, &masked, &err));
            ck_assert_uint_eq(ki_autocorr_masked_tables(masked)->count, 3);
        }
        poison_tables(masked);
        EXPECT_OK(ki_autocorr_masked_set(queue, masked, mask, size[0], &err));
        EXPECT_OK(ki_autocorr_masked_windows_device(queue, masked, &frames.device, 1, 2, &err));
        expect_windows(&frames, masked, 1, 2, mask, (int)kinds[k]);
        EXPECT_OK(
            kn_buffer_read(queue, ki_autocorr_masked_tables(masked)->sums, 2 * table, last, table, &err));
        for (size_t i = 0; i < table && size[2] < size[0] && size[2] < size[1]; i++)
            ck_assert_uint_eq(last[i], POISON);
        free_frames(&frames);
        free(mask);
    }
    ki_autocorr_masked_free(masked);
    free(last);
}

// Few line lengths, so that few programs serve all; the third has offsets longer than its height, and the
// last is for interpreters.
static const size_t sizes[][3] = {{33, 31, 9}, {29, 36, 28}, {40, 7, 12}, {1, 1, 0}, {17, 13, 5}};
enum { SIZES = sizeof sizes / sizeof *sizes };

// The size for tests that only need one.
static const size_t *usual_size(void)
{
    return test_is_slow() ? sizes[SIZES - 1] : sizes[0];
}

START_TEST(all_masks)
{
    static const enum mask_kind kinds[] = {SCATTERED, DISK_WITH_HOLE, ONE_PIXEL, TWO_FAR_PIXELS,
                                           ALL,       NOTHING};
    uint64_t state = test_seed("all_masks");

    for (size_t i = test_is_slow() ? SIZES - 1 : 0; i < SIZES; i++)
        for (unsigned kind = 0; kind < (i < 3 ? 4 : 1); kind++)
            try_windows(sizes[i], kind & 1 ? KN_U16 : KN_U8, (kind & 2) != 0, 0, kinds,
                        i == 0 ? MASK_KINDS : 2, &state);
    if (test_is_slow())
        try_windows(usual_size(), KN_U16, true, 0, kinds, 1, &state);
}
END_TEST

// White images: sums of levels and of squares that exceed one prime, for 8 and 16 bits.
START_TEST(greatest_sums)
{
    static const size_t size[3] = {120, 300, 2};
    static const enum mask_kind kinds[] = {ALL, SCATTERED};
    uint64_t state = test_seed("greatest_sums");

    if (test_is_slow())
        return;
    try_windows(size, KN_U8, false, 255, kinds, 2, &state);
    try_windows(size, KN_U16, true, 65535, kinds, 2, &state);
}
END_TEST

// ---- kernels ----

// The number of launches of a kernel since the profile began; ends the profile.
static size_t launches_of(const char *name)
{
    kn_profile_entry *entries = NULL;
    size_t count = 0, found = 0;

    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        found += strcmp(entries[i].kernel, name) == 0;
    kn_free(entries);
    return found;
}

// A mask is transformed when it changes, modulo both primes; levels of 8 bits need one prime, and so do their
// squares in a small image; levels of 16 bits need both.
START_TEST(kernels)
{
    const size_t *size = usual_size();
    uint64_t state = test_seed("kernels");

    for (unsigned bits = 8; bits <= 16; bits += 8) {
        kn_type type = bits == 8 ? KN_U8 : KN_U16;
        uint8_t *masks[] = {make_mask(size[0], size[1], SCATTERED, &state),
                            make_mask(size[0], size[1], SCATTERED, &state)};
        struct test_frames frames = masked_frames(size, type, false, 0, masks[1], &state);
        struct autocorr_masked *masked = NULL;

        EXPECT_OK(ki_autocorr_masked_create(queue, &frames.device, &masked, &err));
        for (unsigned turn = 0; turn < 3; turn++) {
            EXPECT_OK(kn_profile_start(queue, &err));
            EXPECT_OK(ki_autocorr_masked_set(queue, masked, masks[turn > 0], size[0], &err));
            ck_assert_uint_eq(launches_of("autocorr_masked_spectrum"), turn < 2 ? 2 : 0);
        }
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(ki_autocorr_masked_windows_device(queue, masked, &frames.device, 0, FRAMES, &err));
        ck_assert_uint_eq(launches_of("autocorr_masked_columns"), bits == 8 ? 2 : 3);
        expect_windows(&frames, masked, 0, FRAMES, masks[1], SCATTERED);
        ki_autocorr_masked_free(masked);
        free_frames(&frames);
        free(masks[0]);
        free(masks[1]);
    }
}
END_TEST

// ---- rings ----

static void try_rings(const size_t size[3], kn_type type, bool cross, enum mask_kind kind, bool all,
                      uint64_t *state)
{
    size_t offsets = autocorr_offsets(size[2]), rings = size[2] + 1;
    uint8_t *mask = make_mask(size[0], size[1], kind, state);
    struct test_frames frames = masked_frames(size, type, cross, 0, mask, state);
    uint64_t *products = malloc(FRAMES * offsets * sizeof *products);
    struct autocorr_ring *wanted = malloc(rings * sizeof *wanted), *found = malloc(2 * rings * sizeof *found);
    struct autocorr_device_radial *radial = NULL;
    struct autocorr_masked *masked = NULL;
    kn_buffer *sums, *to;

    ck_assert(products && wanted && found);
    for (size_t f = 0; f < FRAMES; f++) {
        const struct autocorr_task task = masked_task(&frames, f, mask);

        EXPECT_OK(ki_autocorr_reference(&task, products + f * offsets, &err));
    }
    sums = test_upload_with_room(products, FRAMES * offsets * sizeof *products, 0);
    EXPECT_OK(ki_autocorr_masked_create(queue, &frames.device, &masked, &err));
    EXPECT_OK(ki_autocorr_masked_set(queue, masked, mask, size[0], &err));
    EXPECT_OK(ki_autocorr_masked_windows_device(queue, masked, &frames.device, 1, 2, &err));
    EXPECT_OK(ki_autocorr_device_radial_create(queue, size[0], size[1], size[2], &radial, &err));
    to = test_upload_with_room("", 0, ki_autocorr_device_radial_bytes(radial, 2) + 64);
    // Each normalization uses a different subset of the sums.
    for (int n = 0; n < (all ? AUTOCORR_NORMALIZATIONS : 1); n += 2) {
        EXPECT_OK(ki_autocorr_radial_device(queue, radial, sums, 1, 2, ki_autocorr_masked_tables(masked),
                                            (kn_autocorr_normalization)n, to, &err));
        EXPECT_OK(ki_autocorr_radial_read(queue, radial, to, 0, 2, found, &err));
        for (size_t f = 0; f < 2; f++) {
            const struct autocorr_task task = masked_task(&frames, 1 + f, mask);

            host_rings(&task, products + (1 + f) * offsets, (kn_autocorr_normalization)n, wanted);
            expect_rings(found + f * rings, wanted, size[2], ki_autocorr_normalization_names[n]);
        }
        test_expect_poison(to, ki_autocorr_device_radial_bytes(radial, 2));
    }
    kn_buffer_free(sums);
    kn_buffer_free(to);
    ki_autocorr_device_radial_free(radial);
    ki_autocorr_masked_free(masked);
    free_frames(&frames);
    free(products);
    free(wanted);
    free(found);
    free(mask);
}

START_TEST(rings)
{
    const size_t *size = usual_size();
    uint64_t state = test_seed("rings");

    try_rings(size, KN_U8, false, DISK_WITH_HOLE, !test_is_slow(), &state);
    try_rings(size, KN_U16, true, SCATTERED, !test_is_slow(), &state);
    if (test_is_slow())
        return;
    try_rings(sizes[1], KN_U8, false, TWO_FAR_PIXELS, false, &state);
    try_rings(size, KN_U8, false, NOTHING, false, &state);
}
END_TEST

// ---- the engine ----

static bool has_rings(struct autocorr_engine *engine, enum autocorr_masked_place place,
                      const struct autocorr_task *task, const char **why)
{
    engine->masked = place;
    return ki_autocorr_engine_has_rings(engine, task, why);
}

// On GPUs, and on CPUs if requested, otherwise on the host; with a reason if not on the device.
START_TEST(places)
{
    static const uint8_t pixels[64 * 64] = {1}, mask[64 * 64] = {1};
    struct autocorr_task task = {
        .first = {64, 64, 64, KN_U8, pixels}, .mask = mask, .mask_stride = 64, .max_offset = 16};
    bool is_cpu = kn_context_get_device(context)->type == KN_DEVICE_CPU;
    struct autocorr_engine engine;
    const char *why = "";

    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_AUTO, false, &engine, &err));
    ck_assert(has_rings(&engine, AUTOCORR_MASKED_AUTO, &task, &why) == !is_cpu);
    ck_assert(is_cpu ? strstr(why, "a CPU device") != NULL : !why);
    ck_assert(!has_rings(&engine, AUTOCORR_MASKED_HOST, &task, &why) && why);
    ck_assert(has_rings(&engine, AUTOCORR_MASKED_DEVICE, &task, &why) && !why);
    task.first.width = task.first.stride = (size_t)1 << 27; // the pixels are not read
    task.first.height = 1;
    ck_assert(!has_rings(&engine, AUTOCORR_MASKED_DEVICE, &task, &why));
    ck_assert_str_eq(why, "the device's local memory does not hold the frames' lines");
    task.first.width = task.first.stride = 40000;
    task.first.height = 40000;
    ck_assert(!has_rings(&engine, AUTOCORR_MASKED_DEVICE, &task, &why));
    ck_assert_str_eq(why, "the frames have more pixels than two primes hold the sums of");
    ki_autocorr_engine_end(&engine);
}
END_TEST

// From images with gaps to rings, in batches with the same mask, another mask and none.
START_TEST(batches)
{
    enum { TOGETHER = 3, WIDTH = 17, HEIGHT = 13, R = 5 };
    uint64_t state = test_seed("batches");
    struct autocorr_ring found[TOGETHER * (R + 1)], wanted[R + 1];
    uint64_t products[(2 * R + 1) * (R + 1)];
    struct autocorr_engine engine;
    uint8_t *masks[2];
    struct autocorr_task tasks[TOGETHER];

    for (size_t i = 0; i < TOGETHER; i++)
        tasks[i] =
            (struct autocorr_task){.first = random_image(WIDTH, HEIGHT, KN_U8, &state), .max_offset = R};
    for (size_t m = 0; m < 2; m++)
        masks[m] = make_mask(WIDTH, HEIGHT, SCATTERED, &state);
    EXPECT_OK(ki_autocorr_engine_begin(queue, KN_AUTOCORR_DIRECT, false, &engine, &err));
    engine.masked = AUTOCORR_MASKED_DEVICE;
    for (size_t turn = 0; turn < 4; turn++) {
        const struct autocorr_results results = {.rings = found, .normalization = KN_AUTOCORR_PEARSON};
        size_t count = turn == 1 ? 1 : TOGETHER;

        for (size_t i = 0; i < TOGETHER; i++) {
            tasks[i].mask = turn == 2 ? NULL : masks[turn == 3];
            tasks[i].mask_stride = WIDTH;
        }
        memset(found, POISON, sizeof found);
        EXPECT_OK(ki_autocorr_engine_start(&engine, tasks, count, &results, &err));
        EXPECT_OK(ki_autocorr_engine_finish(&engine, &err));
        for (size_t i = 0; i < count; i++) {
            EXPECT_OK(ki_autocorr_reference(&tasks[i], products, &err));
            host_rings(&tasks[i], products, KN_AUTOCORR_PEARSON, wanted);
            expect_rings(found + i * (R + 1), wanted, R, turn == 2 ? "without a mask" : "with a mask");
        }
        if (turn == 3) {
            tasks[1].mask = masks[0];
            EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the rings of frames 0 and 1, which have other masks",
                           ki_autocorr_engine_start(&engine, tasks, count, &results, &err));
        }
    }
    ki_autocorr_engine_end(&engine);
    for (size_t i = 0; i < TOGETHER; i++)
        free_image(&tasks[i].first);
    free(masks[0]);
    free(masks[1]);
}
END_TEST

// ---- errors ----

START_TEST(refused)
{
    const size_t *size = usual_size();
    static const struct autocorr_frames many = {40000, 40000, 1, KN_U8, NULL, NULL, 3},
                                        far = {10, 9, 1, KN_U8, NULL, NULL, 10},
                                        odd = {10, 9, 1, KN_F32, NULL, NULL, 3};
    uint64_t state = test_seed("refused");
    uint8_t *mask = make_mask(size[0], size[1], ALL, &state);
    struct test_frames frames = masked_frames(size, KN_U8, false, 0, mask, &state);
    struct autocorr_frames other = frames.device;
    struct autocorr_masked *masked = NULL;

    EXPECT_REFUSED(KN_ERROR_LIMIT, "more pixels than two primes hold",
                   ki_autocorr_masked_create(queue, &many, &masked, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 9",
                   ki_autocorr_masked_create(queue, &far, &masked, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "", ki_autocorr_masked_create(queue, &odd, &masked, &err));
    ck_assert_ptr_null(masked);
    EXPECT_OK(ki_autocorr_masked_create(queue, &frames.device, &masked, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "none was set",
                   ki_autocorr_masked_windows_device(queue, masked, &frames.device, 0, 1, &err));
    EXPECT_OK(ki_autocorr_masked_set(queue, masked, mask, size[0], &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "2 frames from frame 3 on, of 4",
                   ki_autocorr_masked_windows_device(queue, masked, &frames.device, 3, 2, &err));
    other.max_offset--;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "are not those that were prepared",
                   ki_autocorr_masked_windows_device(queue, masked, &other, 0, 1, &err));
    EXPECT_OK(ki_autocorr_masked_windows_device(queue, masked, &frames.device, 4, 0, &err));
    ki_autocorr_masked_free(masked);
    free_frames(&frames);
    free(mask);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_masks, greatest_sums, kernels, rings, places, batches, refused};

    return test_run("autocorr masked", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
