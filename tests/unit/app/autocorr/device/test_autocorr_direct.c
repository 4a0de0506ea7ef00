// SPDX-License-Identifier: Apache-2.0
// Tests the register-tiled correlations on a device against the reference, integer by integer: every inner
// product, 8 and 16 bits, auto and cross, several frames, tunings, the greatest possible sums; which kernels
// ran; refusals.
#include "autocorr_device_support.h"

#include <limits.h>

#include "app/autocorr/device/device_direct.h"
#include "base/array.h"

// Width, height, R, frames.
static const size_t shapes[][4] = {
    {1, 1, 0, 1},   {1, 1, 0, 3},    {1, 9, 8, 2},    {9, 1, 8, 1},   {2, 3, 2, 5},    {3, 2, 1, 1},
    {31, 33, 7, 2}, {33, 7, 20, 1},  {17, 16, 16, 2}, {5, 40, 39, 1}, {64, 20, 8, 1},  {63, 11, 31, 1},
    {65, 3, 63, 1}, {32, 65, 33, 1}, {127, 5, 3, 1},  {129, 4, 5, 2}, {1023, 3, 4, 1}, {1027, 2, 9, 1},
};

enum { BLOCK = 1024 }; // minimum number of offsets that groups compute

static void check(const struct frames *frames, const struct autocorr_direct_tuning *tuning)
{
    kn_buffer *products = poisoned_products(frames);
    char what[120];

    snprintf(what, sizeof what, "%s%s, tiles of %u x %u, chunk %u, %u items, %u rows",
             ki_autocorr_dot_names[tuning->dot], tuning->vectors ? " in vectors" : "", tuning->tile_x,
             tuning->tile_y, tuning->chunk, tuning->items, tuning->rows);
    EXPECT_OK(ki_autocorr_direct_tuned(queue, &frames->on_device, tuning, products, &err));
    expect_sums(frames, products, what);
}

// Each inner product, with the tuning nearest to the device's default.
static struct autocorr_direct_tuning tuning_with(enum autocorr_dot dot)
{
    struct autocorr_direct_tuning tuning = ki_autocorr_direct_tuning_for(queue);

    tuning.dot = dot;
    tuning.vectors = tuning.vectors && dot != AUTOCORR_DOT_BYTES;
    return tuning;
}

START_TEST(random_frames)
{
    uint64_t state = test_seed("random_frames");

    for (size_t i = 0; i < KI_COUNT(shapes); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            if (!test_is_quick(shapes[i][0], shapes[i][1], shapes[i][3], shapes[i][2], BLOCK))
                continue;
            struct frames frames = make_frames(shapes[i][0], shapes[i][1], shapes[i][3],
                                               kind & 1 ? KN_U16 : KN_U8, kind & 2, shapes[i][2], &state);

            for (unsigned dot = 0; dot < AUTOCORR_DOTS; dot++) {
                struct autocorr_direct_tuning tuning = tuning_with((enum autocorr_dot)dot);

                check(&frames, &tuning);
            }
            free_frames(&frames);
        }
}
END_TEST

START_TEST(tunings)
{
    static const struct autocorr_direct_tuning all[] = {
        {AUTOCORR_DOT_BYTES, false, 4, 1, 4, 1, 1},      {AUTOCORR_DOT_BYTES, false, 12, 6, 8, 32, 8},
        {AUTOCORR_DOT_BYTES, false, 16, 8, 64, 256, 16}, {AUTOCORR_DOT_FLOAT, true, 8, 2, 256, 16, 0},
        {AUTOCORR_DOT_FLOAT, false, 16, 3, 12, 7, 5},    {AUTOCORR_DOT_INTEGER, true, 8, 8, 16, 13, 32},
        {AUTOCORR_DOT_INTEGER, false, 16, 1, 32, 40, 3},
    };
    uint64_t state = test_seed("tunings");
    size_t less = test_is_slow() ? 10 : 1; // pixels and offsets

    for (size_t i = 0; i < KI_COUNT(all); i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            struct frames frames =
                make_frames(90 / less + test_random(&state) % 40 / less, 20 / less + test_random(&state) % 20,
                            2, kind & 1 ? KN_U16 : KN_U8, kind & 2, test_random(&state) % 70 / less, &state);

            check(&frames, &all[i]);
            free_frames(&frames);
        }
}
END_TEST

// The greatest possible sums: in a slice, in a row of several segments, and above 32 bits in total.
START_TEST(greatest_sums)
{
    static const size_t white[][3] = {{1024, 130, 1}, {66100, 3, 2}, {70000, 1, 5}};

    for (size_t i = 0; i < (test_is_slow() ? 0 : KI_COUNT(white)); i++)
        for (unsigned dot = 0; dot < AUTOCORR_DOTS; dot++)
            for (unsigned kind = 0; kind < 2; kind++) {
                kn_type type = kind ? KN_U16 : KN_U8;
                size_t bytes = white[i][0] * white[i][1] * kn_type_size(type);
                struct frames frames = {.first = malloc(bytes)};
                struct autocorr_direct_tuning tuning = tuning_with((enum autocorr_dot)dot);

                ck_assert_ptr_nonnull(frames.first);
                memset(frames.first, 255, bytes);
                frames.on_device =
                    (struct autocorr_frames){white[i][0], white[i][1], 1, type, NULL, NULL, white[i][2]};
                frames.on_device.first = test_upload_with_room(frames.first, bytes, 0);
                tuning.items = 1; // one work-item computes a whole slice
                tuning.rows = i == 0 ? 64 : 0;
                tuning.chunk = 16; // 64 rows fit into 32 KB
                check(&frames, &tuning);
                free_frames(&frames);
            }
}
END_TEST

// More partial sums than are kept at once: the slices of a frame are computed one after the other.
START_TEST(many_slices)
{
    uint64_t state = test_seed("many_slices");
    struct frames frames = make_frames(3, 2200, 1, KN_U16, true, 60, &state);
    struct autocorr_direct_tuning tuning = tuning_with(AUTOCORR_DOT_FLOAT);

    tuning.rows = 1;
    if (!test_is_slow())
        check(&frames, &tuning);
    free_frames(&frames);
}
END_TEST

START_TEST(what_ran)
{
    static const char *const order[] = {"autocorr_pack", "autocorr_pack", "autocorr_direct", "autocorr_fold"};
    uint64_t state = test_seed("what_ran");

    for (unsigned cross = 0; cross < 2; cross++) {
        struct frames frames = make_frames(40, 30, 2, KN_U8, cross, 9, &state);
        kn_buffer *products = poisoned_products(&frames);
        kn_profile_entry *entries;
        size_t count;

        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(ki_autocorr_direct_device(queue, &frames.on_device, products, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        ck_assert_uint_eq(count, 3 + cross);
        for (size_t i = 0; i < count; i++)
            ck_assert_str_eq(entries[i].kernel, order[i + 1 - cross]);
        kn_free(entries);
        expect_sums(&frames, products, "the device's own");
        free_frames(&frames);
    }
}
END_TEST

START_TEST(refused)
{
    uint64_t state = 1;
    struct frames frames = make_frames(10, 8, 2, KN_U8, true, 9, &state);
    struct autocorr_frames wrong = frames.on_device;
    struct autocorr_direct_tuning tuning = tuning_with(AUTOCORR_DOT_BYTES);
    kn_buffer *products = poisoned_products(&frames), *small;

    wrong.count = 0;
    EXPECT_OK(ki_autocorr_direct_device(queue, &wrong, products, &err));
    test_expect_poison(products, kn_buffer_get_size(products) - 1000);
    wrong.count = 3;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "images holds 160 bytes; expected at least 240",
                   ki_autocorr_direct_device(queue, &wrong, products, &err));
    wrong = frames.on_device;
    wrong.max_offset = 10;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 9",
                   ki_autocorr_direct_device(queue, &wrong, products, &err));
    wrong = frames.on_device;
    wrong.type = KN_F32;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "8 or 16 bits",
                   ki_autocorr_direct_device(queue, &wrong, products, &err));
    wrong = frames.on_device;
    wrong.first = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", ki_autocorr_direct_device(queue, &wrong, products, &err));
    small = test_upload_with_room("", 0, 100);
    wrong = frames.on_device;
    wrong.second = small;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "second images holds 100",
                   ki_autocorr_direct_device(queue, &wrong, products, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sums holds 100",
                   ki_autocorr_direct_device(queue, &frames.on_device, small, &err));
    tuning.tile_x = 6;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "tiles of 6",
                   ki_autocorr_direct_tuned(queue, &frames.on_device, &tuning, products, &err));
    tuning = tuning_with(AUTOCORR_DOT_BYTES);
    tuning.items = 1u << 20;
    EXPECT_REFUSED(KN_ERROR_LIMIT, "1048576",
                   ki_autocorr_direct_tuned(queue, &frames.on_device, &tuning, products, &err));
    kn_buffer_free(small);
    kn_buffer_free(products);
    free_frames(&frames);
}
END_TEST

// A folder with the kernels as a compiler would build them that gets a tile's vectors wrong.
static char *spoil_vectors(void)
{
    static const char right[] = "row[t] += others *";
    const char *srcdir = getenv("srcdir");
    char *folder = test_folder(), path[PATH_MAX + 64], line[1024];
    bool spoiled = false;
    FILE *from, *to;

    snprintf(path, sizeof path, "%s/cl/app/autocorr/autocorr_direct.cl", srcdir ? srcdir : ".");
    from = fopen(path, "r");
    ck_assert_msg(from != NULL, "%s cannot be read", path);
    snprintf(path, sizeof path, "%s/app/autocorr/autocorr_direct.cl", folder);
    test_make_parents(path);
    to = fopen(path, "w");
    ck_assert_ptr_nonnull(to);
    while (fgets(line, sizeof line, from)) {
        char *found_at = strstr(line, right);

        fprintf(to, "%.*s%s", found_at ? (int)(found_at - line) : (int)strlen(line), line,
                found_at ? "row[t] += 2 * others *" : "");
        fputs(found_at ? found_at + strlen(right) : "", to);
        spoiled |= found_at != NULL;
    }
    ck_assert(spoiled);
    fclose(from);
    fclose(to);
    return folder;
}

// A shape that the device computes wrongly is refused; if it is the default shape, another one is used.
START_TEST(wrong_shapes)
{
    static const struct autocorr_direct_tuning vectors = {AUTOCORR_DOT_FLOAT, true, 8, 2, 256, 16, 0},
                                               scalars = {AUTOCORR_DOT_FLOAT, false, 8, 2, 256, 16, 0};
    uint64_t state = test_seed("wrong_shapes");
    struct frames frames = make_frames(50, 23, 1, KN_U8, false, 9, &state);
    char *folder = spoil_vectors();
    kn_buffer *products;

    ck_assert_int_eq(setenv("KOINE_KERNEL_PATH", folder, 1), 0);
    products = poisoned_products(&frames);
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "wrong numbers with product float in vectors, tiles of 8 x 2",
                   ki_autocorr_direct_tuned(queue, &frames.on_device, &vectors, products, &err));
    kn_buffer_free(products);
    check(&frames, &scalars);
    products = poisoned_products(&frames);
    EXPECT_OK(ki_autocorr_direct_device(queue, &frames.on_device, products, &err));
    expect_sums(&frames, products, "the device's own, or the plainest");
    ck_assert_int_eq(unsetenv("KOINE_KERNEL_PATH"), 0);
    test_remove(folder);
    free_frames(&frames);
}
END_TEST

START_TEST(names)
{
    for (size_t i = 0; i < AUTOCORR_METHODS; i++)
        ck_assert_ptr_nonnull(ki_autocorr_method_names[i]);
    ck_assert_ptr_null(ki_autocorr_method_names[AUTOCORR_METHODS]);
    ck_assert_str_eq(ki_autocorr_method_names[KN_AUTOCORR_TWO_KERNEL], "two-kernel");
    ck_assert_str_eq(ki_autocorr_method_names[KN_AUTOCORR_SIMD], "simd");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_frames, tunings, greatest_sums, many_slices,
                                  what_ran,      refused, wrong_shapes,  names};

    return test_run("autocorr direct", tests, KI_COUNT(tests), test_open, test_close);
}
