// SPDX-License-Identifier: Apache-2.0
// Tests the source's ladder of correlations on a device against the reference, integer by integer: 8 and 16
// bits, auto and cross, several frames, sizes that the source's kernels did not support (wide rows, many
// offsets); which kernels ran; refusals.
#include "autocorr_device_support.h"

#include "base/array.h"

static const kn_autocorr_method methods[] = {KN_AUTOCORR_TEXTURE_STYLE, KN_AUTOCORR_TWO_LINE,
                                             KN_AUTOCORR_TWO_KERNEL};

static void check(const struct frames *frames)
{
    for (size_t i = 0; i < KI_COUNT(methods); i++) {
        kn_buffer *products = poisoned_products(frames);

        EXPECT_OK(ki_autocorr_ladder_device(queue, &frames->on_device, methods[i], products, &err));
        expect_sums(frames, products, ki_autocorr_method_names[methods[i]]);
    }
}

// Width, height, R, frames.
static const size_t shapes[][4] = {
    {1, 1, 0, 1},   {1, 1, 0, 3},   {1, 9, 8, 2},    {9, 1, 8, 1},   {2, 3, 2, 5},   {3, 2, 1, 1},
    {31, 33, 7, 2}, {33, 7, 20, 1}, {17, 16, 16, 2}, {5, 40, 39, 1}, {65, 3, 63, 1}, {127, 5, 3, 1},
};

START_TEST(random_frames)
{
    uint64_t state = test_seed("random_frames");

    for (size_t i = 0; i < KI_COUNT(shapes); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            if (!test_is_quick(shapes[i][0], shapes[i][1], shapes[i][3], shapes[i][2], 1))
                continue;
            struct frames frames = make_frames(shapes[i][0], shapes[i][1], shapes[i][3],
                                               kind & 1 ? KN_U16 : KN_U8, kind & 2, shapes[i][2], &state);

            check(&frames);
            free_frames(&frames);
        }
}
END_TEST

// More than the source's 800 pixels and 256 offsets, and more than a group has work-items.
START_TEST(past_the_source)
{
    uint64_t state = test_seed("past_the_source");
    size_t group = (size_t)kn_context_get_device(context)->max_work_group,
           most = (group < 1024 ? group : 1024) / 2 + 3;

    for (unsigned kind = 0; kind < (test_is_slow() ? 0 : 2); kind++) {
        struct frames wide = make_frames(1203, 3, 1, kind ? KN_U16 : KN_U8, true, 2, &state);
        struct frames many = make_frames(most + 1, 2, 1, kind ? KN_U16 : KN_U8, false, most, &state);

        check(&wide);
        check(&many);
        free_frames(&wide);
        free_frames(&many);
    }
}
END_TEST

// A row in segments limited by local memory, and sums above 32 bits in a row and in total.
START_TEST(greatest_sums)
{
    bool limited = kn_context_get_device(context)->loop_limit > 0; // rows this long are refused on such
                                                                   // devices
    size_t width = limited ? 20000 : 70001;

    for (unsigned kind = 0; kind < (test_is_slow() ? 0 : 2); kind++) {
        kn_type type = kind ? KN_U16 : KN_U8;
        size_t bytes = width * 4 * kn_type_size(type);
        struct frames frames = {.first = malloc(bytes)};

        ck_assert_ptr_nonnull(frames.first);
        memset(frames.first, 255, bytes);
        frames.on_device = (struct autocorr_frames){width, 4, 1, type, NULL, NULL, 2};
        frames.on_device.first = test_upload_with_room(frames.first, bytes, 0);
        check(&frames);
        free_frames(&frames);
    }
}
END_TEST

// More sums of rows than are kept at once.
START_TEST(many_lines)
{
    uint64_t state = test_seed("many_lines");
    struct frames frames = make_frames(3, 1200, 1, KN_U8, true, 70, &state);

    if (!test_is_slow())
        check(&frames);
    free_frames(&frames);
}
END_TEST

START_TEST(what_ran)
{
    static const char *const ran[][3] = {{"autocorr_offset", NULL},
                                         {"autocorr_two_line", NULL},
                                         {"autocorr_line_sums", "autocorr_add_lines", NULL}};
    uint64_t state = test_seed("what_ran");
    struct frames frames = make_frames(40, 30, 2, KN_U8, true, 9, &state);

    for (size_t i = 0; i < KI_COUNT(methods); i++) {
        kn_buffer *products = poisoned_products(&frames);
        kn_profile_entry *entries;
        size_t count, kernels = 0;

        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(ki_autocorr_ladder_device(queue, &frames.on_device, methods[i], products, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        for (size_t entry = 0; entry < count; entry++)
            if (strncmp(entries[entry].kernel, "autocorr", 8) == 0) {
                ck_assert_ptr_nonnull(ran[i][kernels]);
                ck_assert_str_eq(entries[entry].kernel, ran[i][kernels++]);
            }
        ck_assert_ptr_null(ran[i][kernels]);
        kn_free(entries);
        expect_sums(&frames, products, "what ran");
    }
    free_frames(&frames);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = 1;
    struct frames frames = make_frames(10, 8, 2, KN_U8, false, 9, &state);
    struct autocorr_frames none = frames.on_device;
    kn_buffer *products = poisoned_products(&frames), *small = test_upload_with_room("", 0, 100);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "method direct; expected texture-style",
                   ki_autocorr_ladder_device(queue, &frames.on_device, KN_AUTOCORR_DIRECT, products, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "of no name",
                   ki_autocorr_ladder_device(queue, &frames.on_device, AUTOCORR_METHODS, products, &err));
    for (size_t i = 0; i < KI_COUNT(methods); i++) {
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sums holds 100",
                       ki_autocorr_ladder_device(queue, &frames.on_device, methods[i], small, &err));
        none.count = 0;
        EXPECT_OK(ki_autocorr_ladder_device(queue, &none, methods[i], small, &err));
    }
    kn_buffer_free(small);
    kn_buffer_free(products);
    free_frames(&frames);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_frames, past_the_source, greatest_sums,
                                  many_lines,    what_ran,        refused};

    return test_run("autocorr ladder", tests, KI_COUNT(tests), test_open, test_close);
}
