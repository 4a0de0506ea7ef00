// SPDX-License-Identifier: Apache-2.0
// Tests the host's correlations against the reference, integer by integer: each level, several threads, 8 and
// 16 bits, auto and cross, regions and masks; and the lengths in photographs of a foam.
#include "autocorr_support.h"

#include <math.h>

#include "app/autocorr/host/host.h"
#include "app/autocorr/normalize.h"
#include "app/autocorr/radial.h"
#include "io/image/image.h"
#include "support/run.h"

static bool has_level(kn_host_level level)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = 1, .level = level);
    uint8_t pixel = 1;
    const struct autocorr_task task = {.first = {1, 1, 1, KN_U8, &pixel}};
    uint64_t product;

    return ki_autocorr_simd(&task, &options, &product, NULL) == KN_OK;
}

static void expect_products(const struct autocorr_task *task, unsigned most_threads, const char *what,
                            size_t number)
{
    size_t count = autocorr_offsets(task->max_offset);
    uint64_t *expected = malloc(count * sizeof *expected), *found = malloc(count * sizeof *found);

    ck_assert(expected && found);
    EXPECT_OK(ki_autocorr_reference(task, expected, &err));
    memset(found, 0xab, count * sizeof *found);
    EXPECT_OK(ki_autocorr_naive(task, found, &err));
    ck_assert_msg(memcmp(found, expected, count * sizeof *found) == 0, "naive, %s %zu", what, number);
    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++)
        for (unsigned threads = 1; threads <= most_threads && has_level(level); threads++) {
            const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = level);

            memset(found, 0xab, count * sizeof *found);
            EXPECT_OK(ki_autocorr_simd(task, &options, found, &err));
            for (size_t i = 0; i < count; i++)
                ck_assert_msg(found[i] == expected[i],
                              "%s, %u threads, %s %zu: %llu instead of %llu at (%td, %zu)",
                              ki_autocorr_simd_name(level), threads, what, number,
                              (unsigned long long)found[i], (unsigned long long)expected[i],
                              (ptrdiff_t)(i % (2 * task->max_offset + 1)) - (ptrdiff_t)task->max_offset,
                              i / (2 * task->max_offset + 1));
        }
    free(expected);
    free(found);
}

static const size_t sizes[][3] = {{1, 1, 0},   {1, 9, 8},    {9, 1, 8},    {2, 3, 2},   {31, 33, 7},
                                  {33, 7, 20}, {17, 16, 16}, {5, 40, 39},  {64, 20, 8}, {63, 11, 31},
                                  {65, 3, 63}, {1023, 3, 4}, {1027, 2, 9}, {2500, 3, 2}};

START_TEST(random_images)
{
    uint64_t state = test_seed("random_images");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned kind = 0; kind < 8; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct autocorr_image first = random_image(sizes[i][0], sizes[i][1], type, &state);
            struct autocorr_image second = random_image(sizes[i][0], sizes[i][1], type, &state);
            uint8_t *mask = random_mask(&first, &state);
            struct autocorr_task task = {.first = first, .max_offset = sizes[i][2]};

            if (kind & 2)
                task.second = second;
            if (kind & 4) {
                task.mask = mask;
                task.mask_stride = first.stride;
            }
            expect_products(&task, kind == 7 ? 3 : 1, "size", i);
            free(mask);
            free_image(&first);
            free_image(&second);
        }
}
END_TEST

// The greatest possible sums, with more than 32 bits: in one row, and in many.
START_TEST(greatest_sums)
{
    static const size_t shapes[][2] = {{70000, 1}, {140001, 2}, {1500, 150}};

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct autocorr_image white = make_image(shapes[i][0], shapes[i][1], shapes[i][0], type);
            struct autocorr_image black = make_image(shapes[i][0], shapes[i][1], shapes[i][0], type);
            struct autocorr_task task = {.first = white, .max_offset = 1};

            fill_random(&black, 0, 1, &(uint64_t){0});
            if (kind & 2) { // if the first image is black and the second one white, a signed byte is -128
                task.first = black;
                task.second = white;
            }
            expect_products(&task, 1, "shape", i);
            free_image(&white);
            free_image(&black);
        }
}
END_TEST

START_TEST(part)
{
    uint64_t state = test_seed("part");
    struct autocorr_image image = random_image(60, 50, KN_U8, &state);
    uint8_t *mask = random_mask(&image, &state);
    struct autocorr_task task = {.first = image, .mask = mask, .mask_stride = image.stride, .max_offset = 13};
    const kn_autocorr_region region = {7, 5, 41, 33};

    EXPECT_OK(ki_autocorr_crop(&task, &region, &err));
    expect_products(&task, 3, "region", 0);
    free(mask);
    free_image(&image);
}
END_TEST

START_TEST(levels)
{
    static const char *const names[] = {
        [KN_HOST_SCALAR] = "scalar", [KN_HOST_AVX2] = "AVX2", [KN_HOST_AVX512] = "AVX-512 VNNI"};
    struct autocorr_image image = make_image(30, 20, 30, KN_U8);
    struct autocorr_task task = {.first = image, .max_offset = 30};
    uint64_t product;

    ck_assert_str_eq(ki_autocorr_simd_name(KN_HOST_SCALAR), "scalar");
    ck_assert_ptr_nonnull(ki_autocorr_simd_name(KN_HOST_AUTO));
    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++)
        if (has_level(level))
            fprintf(stderr, "level %d: %s%s\n", (int)level, ki_autocorr_simd_name(level),
                    strcmp(ki_autocorr_simd_name(level), names[level]) ? " (no VNNI here)" : "");
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 29", ki_autocorr_simd(&task, NULL, &product, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 29", ki_autocorr_naive(&task, &product, &err));
    free_image(&image);
}
END_TEST

// R_max of a region of a photograph, with a normalisation.
static kn_autocorr_lengths lengths_of(const struct autocorr_task *task,
                                      kn_autocorr_normalization normalization)
{
    size_t count = autocorr_offsets(task->max_offset);
    uint64_t *products = malloc(count * sizeof *products);
    struct autocorr_window *windows = malloc(count * sizeof *windows);
    double *values = malloc(count * sizeof *values);
    struct autocorr_ring *rings = malloc((task->max_offset + 1) * sizeof *rings);
    kn_autocorr_lengths lengths;

    ck_assert(products && windows && values && rings);
    EXPECT_OK(ki_autocorr_simd(task, NULL, products, &err));
    EXPECT_OK(ki_autocorr_windows(task, windows, &err));
    ki_autocorr_normalize(normalization, task->max_offset, products, windows, values);
    ki_autocorr_radial(values, task->max_offset, AUTOCORR_LINEAR, rings);
    ki_autocorr_find_lengths(rings, task->max_offset, AUTOCORR_PROMINENCE, &lengths);
    free(products);
    free(windows);
    free(values);
    free(rings);
    return lengths;
}

// False if the file is missing, or TIFF is not supported.
static bool read_grey(const char *name, struct image *image)
{
    char path[4096];
    struct image_file *file;
    kn_status status;

    if (!test_data_path(name, path, sizeof path))
        return false;
    status = image_open(path, 0, &file, &err);
    if (status == KN_ERROR_UNSUPPORTED) {
        fprintf(stderr, "skipped: %s\n", err.text);
        return false;
    }
    ck_assert_msg(!status, "%s", err.text);
    EXPECT_OK(image_read(file, 0, image, &err));
    image_close(file);
    ck_assert_uint_eq(image->channels, 1);
    return true;
}

// The results of NumPy and SciPy in these regions, with the same conventions (a parabola through integer
// radii).
START_TEST(real)
{
    static const struct {
        const char *name;
        kn_autocorr_region region;
        double pearson, lu2009; // 0: not compared
    } rows[] = {
        {"images/foam_1.tif", {60, 10, 640, 350}, 25.89, 27.43},
        {"images/foam_3.tif", {60, 10, 640, 350}, 25.94, 27.48},
        {"images/foam_5.tif", {60, 10, 640, 350}, 26.00, 27.59},
        {"images/skimage_gravel.png", {0, 0, 512, 512}, 20.15, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct image image;
        struct autocorr_task task = {.max_offset = 60};
        kn_autocorr_lengths lengths;

        if (!read_grey(rows[i].name, &image))
            continue;
        task.first =
            (struct autocorr_image){image.width, image.height, image.width, image.type, image.samples};
        EXPECT_OK(ki_autocorr_crop(&task, &rows[i].region, &err));
        lengths = lengths_of(&task, KN_AUTOCORR_PEARSON);
        fprintf(stderr, "%s: pearson %.3f +- %.3f, trough %.3f", rows[i].name, lengths.r_max,
                lengths.r_max_error, lengths.r_min);
        ck_assert_double_eq_tol(lengths.r_max, rows[i].pearson, 0.05);
        lengths = lengths_of(&task, KN_AUTOCORR_LU2009);
        fprintf(stderr, "; lu2009 %.3f +- %.3f\n", lengths.r_max, lengths.r_max_error);
        if (rows[i].lu2009 > 0)
            ck_assert_double_eq_tol(lengths.r_max, rows[i].lu2009, 0.05);
        free(image.samples);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_images, greatest_sums, part, levels, real};

    return TEST_RUN("autocorr host", CK_FORK_GETENV, tests);
}
