// SPDX-License-Identifier: Apache-2.0
// Tests sums over overlaps with results known by hand; summed areas of the windows against sums term by term;
// and the normalisations against their formulas in long double, pixel by pixel.
#include "autocorr_support.h"

#include <math.h>

#include "app/autocorr/normalize.h"
#include "support/run.h"

static uint64_t *reference(const struct autocorr_task *task)
{
    uint64_t *products = malloc(autocorr_offsets(task->max_offset) * sizeof *products);

    ck_assert_ptr_nonnull(products);
    memset(products, 0xab, autocorr_offsets(task->max_offset) * sizeof *products);
    EXPECT_OK(ki_autocorr_reference(task, products, &err));
    return products;
}

// Two bright pixels, 3 columns and 2 rows apart, and one in a corner that does not affect the others.
START_TEST(bright_pixels)
{
    struct autocorr_image image = make_image(9, 8, 11, KN_U8);
    struct autocorr_task task = {.first = image, .max_offset = 4};
    uint64_t *products;

    fill_random(&image, 0, 1, &(uint64_t){0});
    set_pixel(&image, 4, 1, 200);
    set_pixel(&image, 7, 3, 30);
    products = reference(&task);
    for (size_t y0 = 0; y0 <= 4; y0++)
        for (ptrdiff_t x0 = -4; x0 <= 4; x0++)
            ck_assert_uint_eq(products[autocorr_at(4, x0, y0)], x0 == 0 && y0 == 0   ? 40900
                                                                : x0 == 3 && y0 == 2 ? 6000
                                                                                     : 0);
    free(products);
    free_image(&image);
}
END_TEST

START_TEST(energies)
{
    uint64_t state = test_seed("energies");

    for (size_t round = 0; round < 40; round++) {
        size_t width = 1 + test_random(&state) % 200, height = 1 + test_random(&state) % 20;
        struct autocorr_image image = random_image(width, height, round % 2 ? KN_U16 : KN_U8, &state);
        uint8_t *mask = random_mask(&image, &state);
        double masked = ki_autocorr_energy(&image, mask, image.stride);

        ck_assert_double_eq(ki_autocorr_energy(&image, NULL, 0), reference_energy(&image));
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++)
                set_pixel(&image, x, y, mask[y * image.stride + x] ? get_pixel(&image, x, y) : 0);
        ck_assert_double_eq(masked, reference_energy(&image));
        free_image(&image);
        free(mask);
    }
}
END_TEST

// A checkerboard of 1 and 0: half of the overlap where x0 + y0 is even, 0 where it is odd.
START_TEST(checkerboard)
{
    struct autocorr_image image = make_image(12, 10, 12, KN_U16);
    struct autocorr_task task = {.first = image, .max_offset = 9};
    uint64_t *products;

    for (size_t y = 0; y < 10; y++)
        for (size_t x = 0; x < 12; x++)
            set_pixel(&image, x, y, (x + y) % 2);
    products = reference(&task);
    for (size_t y0 = 0; y0 <= 9; y0++)
        for (ptrdiff_t x0 = -9; x0 <= 9; x0++) {
            size_t pairs = (12 - (size_t)labs(x0)) * (10 - y0);
            uint64_t found = products[autocorr_at(9, x0, y0)];

            if ((x0 + (ptrdiff_t)y0) % 2)
                ck_assert_uint_eq(found, 0);
            else
                ck_assert(2 * found >= pairs - 1 && 2 * found <= pairs + 1);
        }
    free(products);
    free_image(&image);
}
END_TEST

// The second image is the first one, shifted: only at that shift is the Pearson correlation 1.
START_TEST(moved_copy)
{
    uint64_t state = test_seed("moved_copy");
    struct autocorr_image first = random_image(40, 30, KN_U8, &state),
                          second = random_image(40, 30, KN_U8, &state);
    struct autocorr_task task = {.first = first, .second = second, .max_offset = 8};
    size_t offsets = autocorr_offsets(8);
    struct autocorr_window *windows = malloc(offsets * sizeof *windows);
    double *values = malloc(offsets * sizeof *values);
    uint64_t *products;

    for (size_t y = 0; y + 3 < 30; y++)
        for (size_t x = 5; x < 40; x++)
            set_pixel(&second, x - 5, y + 3, get_pixel(&first, x, y));
    products = reference(&task);
    EXPECT_OK(ki_autocorr_windows(&task, windows, &err));
    ki_autocorr_normalize(KN_AUTOCORR_PEARSON, 8, products, windows, values);
    for (size_t i = 0; i < offsets; i++)
        if (i == autocorr_at(8, -5, 3))
            ck_assert_double_eq_tol(values[i], 1, 1e-15);
        else
            ck_assert_double_lt(values[i], 0.5);
    free(products);
    free(windows);
    free(values);
    free_image(&first);
    free_image(&second);
}
END_TEST

static const size_t sizes[][3] = {{1, 1, 0},   {1, 9, 8},    {9, 1, 8},   {2, 3, 2},     {31, 33, 12},
                                  {33, 7, 20}, {16, 17, 16}, {5, 40, 39}, {70000, 1, 2}, {64, 65, 5}};

START_TEST(windows_of_all_sizes)
{
    uint64_t state = test_seed("windows_of_all_sizes");

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind % 2 ? KN_U16 : KN_U8;
            struct autocorr_image first = random_image(sizes[i][0], sizes[i][1], type, &state);
            struct autocorr_image second = random_image(sizes[i][0], sizes[i][1], type, &state);
            struct autocorr_task task = {.first = first, .max_offset = sizes[i][2]};
            size_t bytes = autocorr_offsets(sizes[i][2]) * sizeof(struct autocorr_window);
            struct autocorr_window *found = malloc(bytes), *expected = malloc(bytes);

            if (kind >= 2)
                task.second = second;
            if (sizes[i][0] == 70000) // all bits set: the greatest possible sums
                fill_random(&first, type == KN_U8 ? 255 : 65535, 1, &state);
            memset(found, 0xab, bytes);
            EXPECT_OK(ki_autocorr_windows(&task, found, &err));
            EXPECT_OK(ki_autocorr_reference_windows(&task, expected, &err));
            ck_assert_mem_eq(found, expected, bytes);
            free(found);
            free(expected);
            free_image(&first);
            free_image(&second);
        }
}
END_TEST

// 65535 everywhere: n 65535^2, without overflow.
START_TEST(full_range)
{
    struct autocorr_image image = make_image(300, 70, 300, KN_U16);
    struct autocorr_task task = {.first = image, .max_offset = 3};
    uint64_t *products = reference(&task);

    for (size_t y0 = 0; y0 <= 3; y0++)
        for (ptrdiff_t x0 = -3; x0 <= 3; x0++)
            ck_assert_uint_eq(products[autocorr_at(3, x0, y0)],
                              (300 - (size_t)labs(x0)) * (70 - y0) * UINT64_C(65535) * 65535);
    free(products);
    free_image(&image);
}
END_TEST

// A region equals the image cropped to it, and pixels outside the mask may have any value.
START_TEST(region_and_mask)
{
    uint64_t state = test_seed("region_and_mask");
    struct autocorr_image image = random_image(30, 25, KN_U16, &state), cut = make_image(17, 11, 17, KN_U16);
    uint8_t *mask = random_mask(&image, &state);
    struct autocorr_task task = {.first = image,
                                 .second = image,
                                 .mask = mask,
                                 .mask_stride = image.stride,
                                 .max_offset = 6},
                         small = {.first = cut, .max_offset = 6};
    const kn_autocorr_region region = {4, 9, 17, 11};
    struct autocorr_window windows[13 * 7], expected[13 * 7];
    uint64_t *products, *masked;

    for (size_t y = 0; y < 11; y++)
        for (size_t x = 0; x < 17; x++)
            set_pixel(&cut, x, y, mask[(y + 9) * image.stride + x + 4] ? get_pixel(&image, x + 4, y + 9) : 0);
    EXPECT_OK(ki_autocorr_crop(&task, &region, &err));
    masked = reference(&task);
    products = reference(&small);
    ck_assert_mem_eq(masked, products, 13 * 7 * sizeof *products);
    EXPECT_OK(ki_autocorr_windows(&task, windows, &err));
    EXPECT_OK(ki_autocorr_reference_windows(&small, expected, &err));
    ck_assert_uint_eq(windows[autocorr_at(6, 0, 0)].s1, expected[autocorr_at(6, 0, 0)].s1);
    ck_assert_uint_eq(windows[autocorr_at(6, 0, 0)].q2, expected[autocorr_at(6, 0, 0)].q2);
    ck_assert_uint_lt(windows[autocorr_at(6, 0, 0)].n, 17 * 11);
    free(masked);
    free(products);
    free(mask);
    free_image(&image);
    free_image(&cut);
}
END_TEST

START_TEST(refused)
{
    struct autocorr_image image = make_image(30, 20, 30, KN_U8), wide = make_image(31, 20, 31, KN_U8),
                          deep = make_image(30, 20, 30, KN_U16);
    struct autocorr_task task = {.first = image, .max_offset = 30};
    const kn_autocorr_region region = {20, 0, 11, 5}, none = {0, 0, 5, 0};
    uint64_t product;

    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT,
        "a largest offset of 30 leaves no overlap in an image of 30 x 20 pixels; expected at most 29",
        ki_autocorr_reference(&task, &product, &err));
    task.max_offset = SIZE_MAX;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 29", ki_autocorr_windows(&task, NULL, &err));
    task.max_offset = 5;
    task.second = wide;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "30 x 20 and of 31 x 20 pixels; expected two of the same size",
                   ki_autocorr_check(&task, &err));
    task.second = deep;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "one image is of 8 bits", ki_autocorr_check(&task, &err));
    task.second.pixels = NULL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the region of 11 x 5 pixels at (20, 0) is not in the image of 30 x 20",
                   ki_autocorr_crop(&task, &region, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the region of 5 x 0", ki_autocorr_crop(&task, &none, &err));
    task.first.type = KN_F32;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected unsigned numbers of 8 or 16 bits",
                   ki_autocorr_check(&task, &err));
    task.first.type = KN_U8;
    task.first.width = (size_t)1 << 31;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "at most 2^31", ki_autocorr_check(&task, &err));
    free_image(&image);
    free_image(&wide);
    free_image(&deep);
}
END_TEST

// ---- normalisations ----

// Sums over the pairs of the overlap, and over the whole images, in long double.
struct pairs {
    long double n, m1, m2;       // and the means
    long double product, e1, e2; // sums of I I', I^2, I'^2
    long double c12, c11, c22;   // the same, relative to the means of the overlap
    long double g12, g11, g22;   // and relative to the means of the whole
};

static bool in_mask(const struct autocorr_task *task, ptrdiff_t x, size_t y)
{
    return x >= 0 && (size_t)x < task->first.width && y < task->first.height &&
           (!task->mask || task->mask[y * task->mask_stride + (size_t)x]);
}

static struct pairs overlap(const struct autocorr_task *task, ptrdiff_t x0, size_t y0,
                            const struct pairs *whole)
{
    struct pairs p = {0};

    for (int pass = 0; pass < 2; pass++) {
        for (size_t y = 0; y < task->first.height; y++)
            for (ptrdiff_t x = 0; x < (ptrdiff_t)task->first.width; x++) {
                long double a, b;

                if (!in_mask(task, x, y) || !in_mask(task, x + x0, y + y0))
                    continue;
                a = get_pixel(&task->first, (size_t)x, y);
                b = get_pixel(autocorr_second(task), (size_t)(x + x0), y + y0);
                if (pass == 0) {
                    p.n++;
                    p.m1 += a;
                    p.m2 += b;
                    p.product += a * b;
                    p.e1 += a * a;
                    p.e2 += b * b;
                } else {
                    p.c12 += (a - p.m1) * (b - p.m2);
                    p.c11 += (a - p.m1) * (a - p.m1);
                    p.c22 += (b - p.m2) * (b - p.m2);
                    p.g12 += whole ? (a - whole->m1) * (b - whole->m2) : 0;
                }
            }
        if (pass == 0 && p.n > 0) {
            p.m1 /= p.n;
            p.m2 /= p.n;
        }
    }
    return p;
}

static double expected_value(kn_autocorr_normalization normalization, const struct pairs *p,
                             const struct pairs *whole)
{
    switch (normalization) {
    case KN_AUTOCORR_PEARSON:
        return (double)(p->c12 / sqrtl(p->c11 * p->c22));
    case KN_AUTOCORR_ENERGY:
        return (double)(p->product / sqrtl(whole->e1 * whole->e2));
    case KN_AUTOCORR_LU2009:
        return (double)(p->product / p->e2);
    case KN_AUTOCORR_GEO:
        return (double)(p->product / sqrtl(p->e1 * p->e2));
    case KN_AUTOCORR_ZERO:
        return (double)(p->g12 / sqrtl(whole->c11 * whole->c22));
    case KN_AUTOCORR_UNBIASED:
        return (double)(p->g12 / sqrtl(whole->c11 * whole->c22) * whole->n / p->n);
    default:
        return (double)(p->product / p->n / (p->m1 * p->m2));
    }
}

// Compares where the formula has values. Its own error in long double is some 1e-19 of the sums that it
// subtracts, which are up to 1e6 times the difference.
static void expect_values(const struct autocorr_task *task)
{
    size_t offsets = autocorr_offsets(task->max_offset);
    struct autocorr_window *windows = malloc(offsets * sizeof *windows);
    double *values = malloc(offsets * sizeof *values);
    uint64_t *products = reference(task);
    struct pairs whole = overlap(task, 0, 0, NULL);

    EXPECT_OK(ki_autocorr_windows(task, windows, &err));
    for (kn_autocorr_normalization normalization = 0; normalization < AUTOCORR_NORMALIZATIONS;
         normalization++) {
        ki_autocorr_normalize(normalization, task->max_offset, products, windows, values);
        for (size_t y0 = 0; y0 <= task->max_offset; y0++)
            for (ptrdiff_t x0 = -(ptrdiff_t)task->max_offset; x0 <= (ptrdiff_t)task->max_offset; x0++) {
                struct pairs p = overlap(task, x0, y0, &whole);
                double found = values[autocorr_at(task->max_offset, x0, y0)];
                double expected = expected_value(normalization, &p, &whole);

                if (isnan(expected))
                    ck_assert_msg(isnan(found), "%s (%td, %zu): %g",
                                  ki_autocorr_normalization_names[normalization], x0, y0, found);
                else
                    ck_assert_msg(fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected)),
                                  "%s (%td, %zu): %.17g instead of %.17g",
                                  ki_autocorr_normalization_names[normalization], x0, y0, found, expected);
            }
    }
    free(products);
    free(windows);
    free(values);
}

START_TEST(formulas)
{
    uint64_t state = test_seed("formulas");

    for (unsigned kind = 0; kind < 8; kind++) {
        kn_type type = kind % 2 ? KN_U16 : KN_U8;
        struct autocorr_image first = random_image(21, 18, type, &state),
                              second = random_image(21, 18, type, &state);
        uint8_t *mask = random_mask(&first, &state);
        struct autocorr_task task = {.first = first, .max_offset = 10};

        if (kind & 2)
            task.second = second;
        if (kind & 4) {
            task.mask = mask;
            task.mask_stride = first.stride;
        }
        expect_values(&task);
        if (type == KN_U16 && !task.mask) { // nearly uniform: 128 bits lose nothing
            fill_random(&first, 65530, 6, &state);
            expect_values(&task);
        }
        free(mask);
        free_image(&first);
        free_image(&second);
    }
}
END_TEST

START_TEST(names)
{
    static const char *const cli[] = {"pearson", "energy", "lu2009", "geo", "zero", "unbiased", "symavg"};

    for (size_t i = 0; i < sizeof cli / sizeof *cli; i++)
        ck_assert_str_eq(ki_autocorr_normalization_names[i], cli[i]);
    ck_assert_ptr_null(ki_autocorr_normalization_names[AUTOCORR_NORMALIZATIONS]);
}
END_TEST

// A uniform image, a black one, and offsets without overlap.
START_TEST(defined_answers)
{
    const double nan = NAN;
    const struct {
        kn_autocorr_normalization normalization;
        double one_level, black, empty; // at (0, 0); at (0, 3) of an image 3 high
    } rows[] = {
        {KN_AUTOCORR_PEARSON, nan, nan, nan}, {KN_AUTOCORR_ENERGY, 1, nan, 0},
        {KN_AUTOCORR_LU2009, 1, nan, nan},    {KN_AUTOCORR_GEO, 1, nan, nan},
        {KN_AUTOCORR_ZERO, nan, nan, 0},      {KN_AUTOCORR_UNBIASED, nan, nan, nan},
        {KN_AUTOCORR_SYMAVG, 1, nan, nan},
    };
    uint64_t state = test_seed("defined_answers");
    struct autocorr_image image = make_image(5, 3, 5, KN_U8);
    struct autocorr_task task = {.first = image, .max_offset = 4};
    struct autocorr_window windows[9 * 5];
    double values[9 * 5];

    ck_assert_uint_eq(sizeof rows / sizeof *rows, AUTOCORR_NORMALIZATIONS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int level = 0; level < 3; level++) {
            double expected = level == 0 ? rows[i].black : level == 1 ? rows[i].one_level : 1;
            uint64_t *products;

            fill_random(&image, level == 1 ? 77 : 0, level < 2 ? 1 : 256, &state);
            products = reference(&task);
            EXPECT_OK(ki_autocorr_windows(&task, windows, &err));
            ki_autocorr_normalize(rows[i].normalization, 4, products, windows, values);
            if (level < 2)
                ck_assert_msg(isnan(expected) ? isnan(values[4]) : values[4] == expected, "%s, level %d: %g",
                              ki_autocorr_normalization_names[i], level, values[4]);
            else if (rows[i].normalization != KN_AUTOCORR_SYMAVG)
                ck_assert_double_eq(values[4], 1);
            if (level == 2)
                ck_assert(test_same(values[autocorr_at(4, 0, 3)], rows[i].empty) ||
                          (isnan(rows[i].empty) && isnan(values[autocorr_at(4, 0, 3)])));
            free(products);
        }
    free_image(&image);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        bright_pixels,   energies, checkerboard, moved_copy, windows_of_all_sizes, full_range,
        region_and_mask, refused,  formulas,     names,      defined_answers};

    return TEST_RUN("autocorr", CK_FORK_GETENV, tests);
}
