// SPDX-License-Identifier: Apache-2.0
// Tests correlations by the host's Fourier transforms: exact ones against the reference integer by integer,
// at each level and with several threads, with 8 and 16 bits, auto and cross, with masks and their windows;
// those in single precision within the bound that they state.
#include "autocorr_support.h"

#include <math.h>

#include "app/autocorr/host/host.h"
#include "app/autocorr/host/host_fourier.h"
#include "support/run.h"

static bool has_level(kn_host_level level)
{
    return ki_autocorr_fourier_name(level) != NULL;
}

static struct autocorr_fourier *make_fourier(kn_host_level level, unsigned threads)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = level);
    struct autocorr_fourier *fourier;

    EXPECT_OK(ki_autocorr_fourier_create(&options, &fourier, &err));
    return fourier;
}

// The reference's results, and memory for the computed ones.
struct sums {
    size_t count;
    uint64_t *products, *found;
    struct autocorr_window *windows, *found_windows;
};

static struct sums reference_sums(const struct autocorr_task *task)
{
    size_t count = autocorr_offsets(task->max_offset);
    struct sums sums = {count, malloc(count * sizeof(uint64_t)), malloc(count * sizeof(uint64_t)),
                        malloc(count * sizeof(struct autocorr_window)),
                        malloc(count * sizeof(struct autocorr_window))};

    ck_assert(sums.products && sums.found && sums.windows && sums.found_windows);
    EXPECT_OK(ki_autocorr_reference(task, sums.products, &err));
    EXPECT_OK(ki_autocorr_reference_windows(task, sums.windows, &err));
    return sums;
}

static void free_sums(struct sums *sums)
{
    free(sums->products);
    free(sums->found);
    free(sums->windows);
    free(sums->found_windows);
}

static void expect_products(const struct sums *sums, double bound, const char *what, size_t number)
{
    for (size_t i = 0; i < sums->count; i++)
        ck_assert_msg(fabs((double)sums->found[i] - (double)sums->products[i]) <= bound &&
                          (bound >= 0.5 || sums->found[i] == sums->products[i]),
                      "%s %zu: %llu instead of %llu at %zu of %zu, bound %g", what, number,
                      (unsigned long long)sums->found[i], (unsigned long long)sums->products[i], i,
                      sums->count, bound);
}

static void expect_windows(const struct sums *sums, const char *what, size_t number)
{
    for (size_t i = 0; i < sums->count; i++) {
        const struct autocorr_window *w = &sums->found_windows[i], *e = &sums->windows[i];

        ck_assert_msg(w->n == e->n && w->s1 == e->s1 && w->s2 == e->s2 && w->q1 == e->q1 && w->q2 == e->q2,
                      "%s %zu: windows differ at %zu of %zu", what, number, i, sums->count);
    }
}

// Products and windows together, and each alone; exact ones, and those in single precision.
static void check_task(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                       const struct sums *sums, const char *what, size_t number)
{
    double bound = NAN;

    memset(sums->found, 0xab, sums->count * sizeof *sums->found);
    memset(sums->found_windows, 0xab, sums->count * sizeof *sums->found_windows);
    EXPECT_OK(ki_autocorr_fourier_exact(fourier, task, sums->found, sums->found_windows, &bound, &err));
    ck_assert(bound >= 0 && bound < 0.25);
    expect_products(sums, bound, what, number);
    expect_windows(sums, what, number);
    memset(sums->found, 0xab, sums->count * sizeof *sums->found);
    EXPECT_OK(ki_autocorr_fourier_exact(fourier, task, sums->found, NULL, NULL, &err));
    expect_products(sums, 0, what, number);
    memset(sums->found_windows, 0xab, sums->count * sizeof *sums->found_windows);
    EXPECT_OK(ki_autocorr_fourier_exact(fourier, task, NULL, sums->found_windows, NULL, &err));
    expect_windows(sums, what, number);
    memset(sums->found, 0xab, sums->count * sizeof *sums->found);
    EXPECT_OK(ki_autocorr_fourier_single(fourier, task, sums->found, &bound, &err));
    ck_assert(bound >= 0.5);
    expect_products(sums, bound, what, number);
}

// The last sizes have lines of three parts.
static const size_t sizes[][3] = {{1, 1, 0},    {1, 9, 8},    {9, 1, 8},   {2, 3, 2},    {3, 2, 1},
                                  {31, 33, 7},  {32, 32, 0},  {33, 7, 20}, {17, 16, 16}, {5, 40, 39},
                                  {64, 20, 8},  {63, 11, 31}, {65, 3, 63}, {127, 65, 9}, {1027, 2, 9},
                                  {5000, 2, 3}, {2, 4500, 2}};

START_TEST(random_images)
{
    uint64_t state = test_seed("random_images");

    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++) {
        if (!has_level(level))
            continue;
        // a single one for all tasks: its memory is reused
        struct autocorr_fourier *fourier = make_fourier(level, 1);

        fprintf(stderr, "level %d: %s\n", (int)level, ki_autocorr_fourier_name(level));
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (unsigned kind = 0; kind < 8; kind++) {
                kn_type type = kind & 1 ? KN_U16 : KN_U8;
                struct autocorr_image first = random_image(sizes[i][0], sizes[i][1], type, &state);
                struct autocorr_image second = random_image(sizes[i][0], sizes[i][1], type, &state);
                uint8_t *mask = random_mask(&first, &state);
                struct autocorr_task task = {.first = first, .max_offset = sizes[i][2]};
                struct sums sums;

                if (kind & 2)
                    task.second = second;
                if (kind & 4) {
                    task.mask = mask;
                    task.mask_stride = first.stride;
                }
                sums = reference_sums(&task);
                check_task(fourier, &task, &sums, "size", 8 * i + kind);
                free_sums(&sums);
                free(mask);
                free_image(&first);
                free_image(&second);
            }
        ki_autocorr_fourier_free(fourier);
    }
}
END_TEST

// Large enough for threads; the results do not depend on their number, in single precision too.
START_TEST(any_threads)
{
    uint64_t state = test_seed("threads");
    struct autocorr_image image = random_image(500, 301, KN_U8, &state);
    uint8_t *mask = random_mask(&image, &state);
    struct autocorr_task task = {.first = image, .max_offset = 8};
    struct autocorr_fourier *one = make_fourier(KN_HOST_AUTO, 1);
    uint64_t single[2][17 * 9];

    for (unsigned masked = 0; masked < 2; masked++) {
        struct sums sums;

        task.mask = masked ? mask : NULL;
        task.mask_stride = image.stride;
        sums = reference_sums(&task);
        EXPECT_OK(ki_autocorr_fourier_single(one, &task, single[0], NULL, &err));
        for (unsigned threads = 1; threads <= 3; threads++) {
            struct autocorr_fourier *fourier = make_fourier(KN_HOST_AUTO, threads);

            check_task(fourier, &task, &sums, "threads", threads);
            EXPECT_OK(ki_autocorr_fourier_single(fourier, &task, single[1], NULL, &err));
            ck_assert_mem_eq(single[0], single[1], sizeof single[0]);
            ki_autocorr_fourier_free(fourier);
        }
        free_sums(&sums);
    }
    ki_autocorr_fourier_free(one);
    free(mask);
    free_image(&image);
}
END_TEST

// All white, with the greatest sums; black; one bright pixel; and 16 bits dark enough that pixels are not
// split.
START_TEST(extremes)
{
    static const struct {
        uint64_t base, range;
        bool bright;
    } rows[] = {{65535, 1, false}, {0, 1, false}, {0, 1, true}, {0, 16, false}, {65000, 536, false}};
    struct autocorr_fourier *fourier = make_fourier(KN_HOST_AUTO, 2);
    uint64_t state = test_seed("extremes");

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned kind = 0; kind < 4; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct autocorr_image image = random_image(211, 97, type, &state);
            uint8_t *mask = random_mask(&image, &state);
            struct autocorr_task task = {.first = image, .max_offset = 11};
            struct sums sums;

            fill_random(&image, rows[i].base, rows[i].range, &state);
            if (rows[i].bright)
                set_pixel(&image, 100, 50, 65535);
            if (kind & 2) {
                task.mask = mask;
                task.mask_stride = image.stride;
            }
            sums = reference_sums(&task);
            check_task(fourier, &task, &sums, "extreme", 4 * i + kind);
            free_sums(&sums);
            free(mask);
            free_image(&image);
        }
    ki_autocorr_fourier_free(fourier);
}
END_TEST

// The size of a camera's frame, where 16-bit pixels have to be split, and lines have two parts.
START_TEST(frames)
{
    struct autocorr_fourier *fourier = make_fourier(KN_HOST_AUTO, 2);
    uint64_t state = test_seed("frames");

    for (unsigned kind = 0; kind < 8; kind++) {
        struct autocorr_image first = random_image(641, 479, kind & 1 ? KN_U16 : KN_U8, &state);
        struct autocorr_image second = random_image(641, 479, first.type, &state);
        uint8_t *mask = random_mask(&first, &state);
        struct autocorr_task task = {.first = first, .max_offset = 20};
        size_t count = autocorr_offsets(task.max_offset);
        struct sums sums = {count, malloc(count * sizeof(uint64_t)), malloc(count * sizeof(uint64_t)), NULL,
                            NULL};
        double bound;

        ck_assert(sums.products && sums.found);
        if (kind & 2)
            task.second = second;
        if (kind & 4) {
            task.mask = mask;
            task.mask_stride = first.stride;
        }
        EXPECT_OK(ki_autocorr_simd(&task, NULL, sums.products, &err));
        EXPECT_OK(ki_autocorr_fourier_exact(fourier, &task, sums.found, NULL, &bound, &err));
        ck_assert(bound > 0 && bound < 0.25);
        expect_products(&sums, bound, "frame", kind);
        EXPECT_OK(ki_autocorr_fourier_single(fourier, &task, sums.found, &bound, &err));
        expect_products(&sums, bound, "frame in single precision", kind);
        free_sums(&sums);
        free(mask);
        free_image(&first);
        free_image(&second);
    }
    ki_autocorr_fourier_free(fourier);
}
END_TEST

// ki_autocorr_windows with a mask gives the same result.
START_TEST(masked_windows)
{
    uint64_t state = test_seed("masked_windows");
    struct autocorr_image image = random_image(83, 61, KN_U16, &state);
    uint8_t *mask = random_mask(&image, &state);
    struct autocorr_task task = {.first = image, .mask = mask, .mask_stride = image.stride, .max_offset = 19};
    struct sums sums = reference_sums(&task);

    EXPECT_OK(ki_autocorr_windows(&task, sums.found_windows, &err));
    expect_windows(&sums, "mask", 0);
    memset(mask, 0, image.stride * image.height); // no pixel is left
    EXPECT_OK(ki_autocorr_windows(&task, sums.found_windows, &err));
    for (size_t i = 0; i < sums.count; i++)
        ck_assert_uint_eq(sums.found_windows[i].n | sums.found_windows[i].q1, 0);
    free_sums(&sums);
    free(mask);
    free_image(&image);
}
END_TEST

START_TEST(refused)
{
    struct autocorr_image image = make_image(30, 20, 30, KN_U8), other = make_image(30, 21, 30, KN_U8);
    struct autocorr_task task = {.first = image, .max_offset = 30};
    struct autocorr_fourier *fourier = make_fourier(KN_HOST_AUTO, 0);
    const kn_host_options strange = KN_INIT(kn_host_options, .threads = 1, .level = (kn_host_level)9);
    uint64_t product;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 29",
                   ki_autocorr_fourier_exact(fourier, &task, &product, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected at most 29",
                   ki_autocorr_fourier_single(fourier, &task, &product, NULL, &err));
    task.max_offset = 0;
    task.second = other;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "30 x 20 and of 30 x 21",
                   ki_autocorr_fourier_exact(fourier, &task, &product, NULL, NULL, &err));
    ki_autocorr_fourier_free(fourier);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no level 9", ki_autocorr_fourier_create(&strange, &fourier, &err));
    ck_assert_ptr_null(fourier);
    ki_autocorr_fourier_free(NULL);
    free_image(&image);
    free_image(&other);
}
END_TEST

START_TEST(levels)
{
    static const char *const names[] = {
        [KN_HOST_SCALAR] = "scalar", [KN_HOST_AVX2] = "AVX2", [KN_HOST_AVX512] = "AVX-512"};

    ck_assert_ptr_nonnull(ki_autocorr_fourier_name(KN_HOST_AUTO));
    for (kn_host_level level = KN_HOST_SCALAR; level <= KN_HOST_AVX512; level++)
        if (has_level(level))
            ck_assert_str_eq(ki_autocorr_fourier_name(level), names[level]);
    ck_assert(has_level(KN_HOST_SCALAR));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_images,  any_threads, extremes, frames,
                                  masked_windows, refused,     levels};

    return TEST_RUN("autocorr fourier", CK_FORK_GETENV, tests);
}
