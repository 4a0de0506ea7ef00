// SPDX-License-Identifier: Apache-2.0
// Tests the preparation of photographs, with pictures whose result is known: a shifted copy is aligned, added
// illumination is removed, and dust on a slope is replaced by the slope.
#include "support/expect.h"

#include <math.h>

#include "app/autocorr/prepare/filters.h"
#include "app/autocorr/prepare/register.h"
#include "cli/inputs/frames.h"
#include "io/image/png.h"
#include "support/run.h"

enum { WAVES = 60, WIDTH = 150, HEIGHT = 110 };

// A picture of waves of 5 pixels and longer, which can be sampled at any position.
struct waves {
    double kx[WAVES], ky[WAVES], phase[WAVES];
};

static struct waves make_waves(uint64_t *state)
{
    struct waves waves;

    for (size_t i = 0; i < WAVES; i++) {
        double angle = 2 * M_PI * test_uniform(state), k = 2 * M_PI / (5 + 40 * test_uniform(state));

        waves.kx[i] = k * cos(angle);
        waves.ky[i] = k * sin(angle);
        waves.phase[i] = 2 * M_PI * test_uniform(state);
    }
    return waves;
}

static double wave_at(const struct waves *waves, double x, double y)
{
    double sum = 120;

    for (size_t i = 0; i < WAVES; i++)
        sum += 5 * cos(waves->kx[i] * x + waves->ky[i] * y + waves->phase[i]);
    return sum;
}

static float *sample(const struct waves *waves, double x0, double y0)
{
    float *picture = malloc(WIDTH * HEIGHT * sizeof *picture);

    ck_assert_ptr_nonnull(picture);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            picture[y * WIDTH + x] = (float)wave_at(waves, (double)x + x0, (double)y + y0);
    return picture;
}

// ---- registration ----

// Shifts by whole pixels are found, and the picture is restored exactly, except at the edges.
START_TEST(whole_pixels)
{
    static const int shifts[][2] = {{0, 0}, {1, 0}, {0, -1}, {7, -5}, {-18, 13}, {18, -13}};
    uint64_t state = test_seed("whole_pixels");
    float *moved = malloc(WIDTH * HEIGHT * sizeof *moved);

    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        struct waves waves = make_waves(&state);
        float *reference = sample(&waves, 0, 0), *frame = sample(&waves, -shifts[i][0], -shifts[i][1]);
        struct autocorr_shift shift = {NAN, NAN};
        double certainty = NAN;

        EXPECT_OK(ki_autocorr_register(reference, frame, WIDTH, HEIGHT, &shift, &certainty, &err));
        ck_assert_msg(shift.x == shifts[i][0] && shift.y == shifts[i][1], "found (%g, %g) for (%d, %d)",
                      shift.x, shift.y, shifts[i][0], shifts[i][1]);
        ck_assert_double_ge(certainty, AUTOCORR_LEAST_CERTAINTY);
        ki_autocorr_move(frame, WIDTH, HEIGHT, shift, moved);
        for (size_t y = 20; y < HEIGHT - 20; y++)
            for (size_t x = 30; x < WIDTH - 30; x++)
                ck_assert_float_eq_tol(moved[y * WIDTH + x], reference[y * WIDTH + x], 1e-4F);
        free(reference);
        free(frame);
    }
    free(moved);
}
END_TEST

// Shifts by fractions of a pixel: content that enters and leaves at the edges, where the window is dim,
// shifts the maximum by about a hundredth of a pixel.
START_TEST(parts_of_pixels)
{
    uint64_t state = test_seed("parts_of_pixels");
    float *moved = malloc(WIDTH * HEIGHT * sizeof *moved);
    double most = 0;

    for (size_t i = 0; i < 12; i++) {
        struct waves waves = make_waves(&state);
        double x0 = 10 * (test_uniform(&state) - 0.5), y0 = 10 * (test_uniform(&state) - 0.5), squares = 0,
               before = 0;
        float *reference = sample(&waves, 0, 0), *frame = sample(&waves, -x0, -y0);
        struct autocorr_shift shift = {NAN, NAN};
        double certainty = NAN;

        EXPECT_OK(ki_autocorr_register(reference, frame, WIDTH, HEIGHT, &shift, &certainty, &err));
        most = fmax(most, fmax(fabs(shift.x - x0), fabs(shift.y - y0)));
        ck_assert_double_ge(certainty, AUTOCORR_LEAST_CERTAINTY);
        ki_autocorr_move(frame, WIDTH, HEIGHT, shift, moved);
        for (size_t y = 10; y < HEIGHT - 10; y++)
            for (size_t x = 10; x < WIDTH - 10; x++) {
                squares += pow((double)moved[y * WIDTH + x] - (double)reference[y * WIDTH + x], 2);
                before += pow((double)frame[y * WIDTH + x] - (double)reference[y * WIDTH + x], 2);
            }
        ck_assert_msg(squares < before / 100, "(%g, %g): found (%g, %g), left %g of %g", x0, y0, shift.x,
                      shift.y, squares, before);
        free(reference);
        free(frame);
    }
    fprintf(stderr, "greatest error of a shift: %.4f pixels\n", most);
    ck_assert_double_lt(most, 0.05);
    free(moved);
}
END_TEST

// A uniform picture, and a picture with itself.
START_TEST(nothing_to_register)
{
    float *picture = calloc(WIDTH * HEIGHT, sizeof *picture), one = 7;
    struct autocorr_shift shift = {NAN, NAN};
    double certainty = NAN;

    EXPECT_OK(ki_autocorr_register(picture, picture, WIDTH, HEIGHT, &shift, &certainty, &err));
    ck_assert(shift.x == 0 && shift.y == 0 && certainty == 0);
    EXPECT_OK(ki_autocorr_register(&one, &one, 1, 1, &shift, &certainty, &err));
    ck_assert(shift.x == 0 && shift.y == 0 && certainty == 0);
    ki_autocorr_move(&one, 1, 1, (struct autocorr_shift){0.3, -2.5}, picture);
    ck_assert_float_eq_tol(picture[0], 7, 1e-6F);
    free(picture);
}
END_TEST

// Cases reported to fail in other implementations of phase correlation: a smooth picture (scikit-image's
// issue 6456), in which few frequencies are strong, and a trench on a narrow strip beside a step (its issue
// 5460), shifted by up to a fifth.
enum { SPOTS = 300, SPOT_SIDE = 236, STRIP_WIDTH = 10, STRIP_LENGTH = 100 };

static float *spots_at(const double (*spots)[2], double radius, double x0, double y0)
{
    float *picture = malloc(SPOT_SIDE * SPOT_SIDE * sizeof *picture);

    ck_assert_ptr_nonnull(picture);
    for (size_t i = 0; i < SPOT_SIDE * SPOT_SIDE; i++) {
        double sum = 0;

        for (size_t k = 0; k < SPOTS; k++) {
            double x = (double)(i % SPOT_SIDE) + x0 - spots[k][0],
                   y = (double)(i / SPOT_SIDE) + y0 - spots[k][1];

            if (x * x + y * y < 40 * radius * radius)
                sum += exp(-(x * x + y * y) / (2 * radius * radius));
        }
        picture[i] = (float)sum;
    }
    return picture;
}

START_TEST(smooth_pictures)
{
    uint64_t state = test_seed("smooth_pictures");
    static double spots[SPOTS][2];

    for (size_t i = 0; i < 2; i++) {
        struct autocorr_shift shift = {NAN, NAN};
        double certainty = NAN;
        float *reference, *frame;

        for (size_t k = 0; k < SPOTS; k++) {
            spots[k][0] = 256 * test_uniform(&state);
            spots[k][1] = 256 * test_uniform(&state);
        }
        reference = spots_at(spots, i ? 6 : 3, 10, 10);
        frame = spots_at(spots, i ? 6 : 3, 10 - 3, 10 - 5);
        EXPECT_OK(ki_autocorr_register(reference, frame, SPOT_SIDE, SPOT_SIDE, &shift, &certainty, &err));
        ck_assert_double_eq_tol(shift.x, 3, 0.05);
        ck_assert_double_eq_tol(shift.y, 5, 0.05);
        ck_assert_double_ge(certainty, 2 * AUTOCORR_LEAST_CERTAINTY);
        free(reference);
        free(frame);
    }
}
END_TEST

static void fill_strip(float *strip, size_t trench, size_t by)
{
    for (size_t y = 0; y < STRIP_LENGTH; y++)
        for (size_t x = 0; x < STRIP_WIDTH; x++)
            strip[y * STRIP_WIDTH + x] = y < 40 + by || (y >= 50 + by && y < 50 + trench + by) ? 0.5F : 1;
}

START_TEST(trenches)
{
    static float reference[STRIP_WIDTH * STRIP_LENGTH], frame[STRIP_WIDTH * STRIP_LENGTH];

    for (size_t trench = 10; trench <= 20; trench += 10)
        for (size_t by = 0; by <= 20; by += 5) {
            struct autocorr_shift shift = {NAN, NAN};
            double certainty = NAN;

            fill_strip(reference, trench, 0);
            fill_strip(frame, trench, by);
            EXPECT_OK(
                ki_autocorr_register(reference, frame, STRIP_WIDTH, STRIP_LENGTH, &shift, &certainty, &err));
            ck_assert_msg(fabs(shift.x) < 0.05 && fabs(shift.y - (double)by) < 0.05,
                          "a trench of %zu moved by %zu: found (%g, %g)", trench, by, shift.x, shift.y);
            ck_assert_double_ge(certainty, AUTOCORR_LEAST_CERTAINTY);
        }
}
END_TEST

// Noise in each pixel, smoothed `times` times over 5 x 5 pixels, wrapping around the edges.
static void fill_noise(float *picture, size_t times, uint64_t *state)
{
    static float rows[WIDTH * HEIGHT];

    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        picture[i] = (float)test_uniform(state);
    for (; times; times--) {
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            rows[i] = 0;
            for (size_t k = 0; k < 5; k++)
                rows[i] += picture[i / WIDTH * WIDTH + (i + k) % WIDTH] / 5;
        }
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            picture[i] = 0;
            for (size_t k = 0; k < 5; k++)
                picture[i] += rows[(i + k * WIDTH) % (WIDTH * HEIGHT)] / 5;
        }
    }
}

// Pictures that have nothing in common are never registered as certain, whatever the size of their structure;
// each picture with itself is.
START_TEST(unrelated_pictures)
{
    uint64_t state = test_seed("unrelated_pictures");
    static float reference[WIDTH * HEIGHT], frame[WIDTH * HEIGHT];
    double most = 0, least = INFINITY;

    for (size_t pair = 0; pair < 60; pair++) {
        struct autocorr_shift shift = {NAN, NAN};
        double certainty = NAN;

        fill_noise(reference, pair % 6, &state);
        fill_noise(frame, pair % 6, &state);
        EXPECT_OK(ki_autocorr_register(reference, frame, WIDTH, HEIGHT, &shift, &certainty, &err));
        most = fmax(most, certainty);
        EXPECT_OK(ki_autocorr_register(frame, frame, WIDTH, HEIGHT, &shift, &certainty, &err));
        least = fmin(least, certainty);
    }
    fprintf(stderr, "certainty of unrelated pictures: at most %.2f; of each with itself: %.2f and more\n",
            most, least);
    ck_assert_double_lt(most, AUTOCORR_LEAST_CERTAINTY);
    ck_assert_double_ge(least, 2 * AUTOCORR_LEAST_CERTAINTY);
}
END_TEST

// ---- light, dust, contrast ----

// Illumination from one side, from 1 to 3: after flattening, the picture equals the flattened picture without
// it, up to a factor, to within a hundredth, because the illumination changes by at most that much within the
// radius of the blur.
START_TEST(light)
{
    uint64_t state = test_seed("light");
    struct waves waves = make_waves(&state);
    float *plain = sample(&waves, 0, 0), *lit = sample(&waves, 0, 0);
    double ratio, before = 0;

    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            lit[y * WIDTH + x] *= (float)(1 + 2 * (double)x / WIDTH);
    EXPECT_OK(ki_autocorr_flatten(plain, WIDTH, HEIGHT, 12, &err));
    before = (double)lit[50 * WIDTH + 120] / (double)lit[50 * WIDTH + 30] * (double)plain[50 * WIDTH + 30] /
             (double)plain[50 * WIDTH + 120];
    ck_assert_double_gt(before, 1.3);
    EXPECT_OK(ki_autocorr_flatten(lit, WIDTH, HEIGHT, 12, &err));
    ratio = (double)lit[50 * WIDTH + 75] / (double)plain[50 * WIDTH + 75];
    for (size_t y = 36; y < HEIGHT - 36; y++)
        for (size_t x = 36; x < WIDTH - 36; x++)
            ck_assert_double_eq_tol((double)lit[y * WIDTH + x] / (double)plain[y * WIDTH + x] / ratio, 1,
                                    0.02);
    free(plain);
    free(lit);
}
END_TEST

// A uniform picture stays uniform, also a black one; a blur that covers the whole picture gives its mean.
START_TEST(flat)
{
    float *picture = malloc(WIDTH * HEIGHT * sizeof *picture);

    for (int level = 0; level < 200; level += 99) {
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            picture[i] = (float)level;
        EXPECT_OK(ki_autocorr_flatten(picture, WIDTH, HEIGHT, 300, &err));
        for (size_t i = 0; i < WIDTH * HEIGHT; i++)
            ck_assert_float_eq_tol(picture[i], (float)level, 1e-3F);
    }
    free(picture);
}
END_TEST

static float slope_at(size_t x, size_t y)
{
    return (float)(40 + 0.5 * (double)x + 0.25 * (double)y);
}

// Black and white specks on a slope: they are found, nothing else is, and the slope continues in their place.
START_TEST(dust)
{
    uint64_t state = test_seed("dust");
    float *picture = malloc(WIDTH * HEIGHT * sizeof *picture);
    uint8_t *found = malloc(WIDTH * HEIGHT), *truth = calloc(WIDTH * HEIGHT, 1);
    size_t changed = 0, marked = 0;

    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            picture[y * WIDTH + x] = slope_at(x, y) + (float)(test_uniform(&state) - 0.5);
    for (size_t speck = 0; speck < 6; speck++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 5; x++) {
                size_t at = (20 + 10 * speck + y) * WIDTH + 15 + 20 * speck + x;

                picture[at] = speck % 2 ? 0 : 255;
                truth[at] = 1;
            }
    EXPECT_OK(ki_autocorr_find_dust(picture, WIDTH, HEIGHT, found, &err));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        ck_assert(!truth[i] || found[i] == 1);
        marked += found[i];
    }
    ck_assert_uint_le(marked, 6 * 8 * 9); // each with a margin of 2 pixels
    EXPECT_OK(ki_autocorr_mend(picture, WIDTH, HEIGHT, found, &changed, &err));
    ck_assert_uint_eq(changed, marked);
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        if (found[i])
            ck_assert_float_eq_tol(picture[i], slope_at(i % WIDTH, i / WIDTH), 0.75F);
    // Without noise the slope is harmonic, and is restored.
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        picture[i] = truth[i] ? -99 : slope_at(i % WIDTH, i / WIDTH);
    EXPECT_OK(ki_autocorr_mend(picture, WIDTH, HEIGHT, truth, &changed, &err));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        ck_assert_float_eq_tol(picture[i], slope_at(i % WIDTH, i / WIDTH), 0.05F);
    memset(truth, 1, WIDTH * HEIGHT);
    EXPECT_OK(ki_autocorr_mend(picture, WIDTH, HEIGHT, truth, &changed, &err));
    ck_assert_uint_eq(changed, 0);
    free(picture);
    free(found);
    free(truth);
}
END_TEST

START_TEST(contrast)
{
    float picture[2001];
    double low = NAN, high = NAN;

    for (size_t i = 0; i < 2001; i++)
        picture[i] = (float)i;
    EXPECT_OK(ki_autocorr_levels(picture, 2001, 1, 2001, &low, &high, &err));
    ck_assert_double_eq_tol(low, 2, 1e-9);
    ck_assert_double_eq_tol(high, 1998, 1e-9);
    EXPECT_OK(ki_autocorr_stretch(picture, 2001, 500, 1500, 255, &err));
    ck_assert(picture[0] == 0 && picture[500] == 0 && picture[1500] == 255 && picture[2000] == 255);
    ck_assert_float_eq_tol(picture[1000], 127.5F, 1e-4F);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "contrast from 3 to 3",
                   ki_autocorr_stretch(picture, 1, 3, 3, 255, &err));
}
END_TEST

// ---- all of it ----

static void write_frame(const char *folder, const char *name, const struct waves *waves, double x0,
                        char *path)
{
    float *picture = sample(waves, x0, 0);
    uint8_t pixels[WIDTH * HEIGHT];
    const struct ki_picture png = {WIDTH, HEIGHT, 8, pixels};

    for (size_t i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)fminf(255, fmaxf(0, picture[i] + 0.5F));
    snprintf(path, 4200, "%s/%s", folder, name);
    EXPECT_OK(ki_png_write(path, &png, false, &err));
    free(picture);
}

START_TEST(steps)
{
    uint64_t state = test_seed("steps");
    struct waves waves = make_waves(&state);
    char *folder = test_folder(), paths[2][4200];
    const kn_autocorr_region region = {30, 20, 80, 60};
    kn_autocorr_preparation_options options =
        KN_INIT(kn_autocorr_preparation_options, .stabilise = true, .flatten = 30, .find_dust = true,
                .contrast = true, .contrast_auto = true, .crop = &region, .show = true);
    char *files[3] = {"/nonexistent.png", paths[0], paths[1]};
    struct frames frames;
    kn_autocorr_source source;
    kn_autocorr_preparation *preparation;
    kn_autocorr_prepared prepared[2];
    kn_autocorr_grey greys[2], small = {.width = 9, .height = 9, .type = KN_U8, .pixels = calloc(81, 1)},
                               black = {.width = WIDTH, .height = HEIGHT, .type = KN_U8};
    size_t different = 0;

    black.pixels = test_zeros(WIDTH, HEIGHT);
    write_frame(folder, "a.png", &waves, 0, paths[0]);
    write_frame(folder, "b.png", &waves, 6, paths[1]);
    EXPECT_OK(frames_list(files, 3, NULL, &frames, &err));
    source = frames_source(&frames);
    EXPECT_OK(kn_autocorr_preparation_create(&source, &options, &preparation, &err));
    for (size_t i = 0; i < 2; i++) {
        EXPECT_OK(frames_fetch(&frames, i + 1, &greys[i], &err));
        EXPECT_OK(kn_autocorr_prepare(preparation, "x", &greys[i], &prepared[i], &err));
        ck_assert_uint_eq(greys[i].width, 80);
        ck_assert_uint_eq(greys[i].height, 60);
        ck_assert(prepared[i].y == 0 && prepared[i].x == (i ? -6 : 0));
        ck_assert_double_ge(prepared[i].certainty, AUTOCORR_LEAST_CERTAINTY);
        for (size_t step = 0; step < KN_AUTOCORR_STEPS; step++) {
            ck_assert_ptr_nonnull(prepared[i].pictures[step].pixels);
            ck_assert_uint_eq(prepared[i].pictures[step].width,
                              step == KN_AUTOCORR_STEP_CROPPED ? 80 : WIDTH);
        }
    }
    // Both pictures are now equal, except for the effect of the blur at the edges.
    for (size_t i = 0; i < 80 * 60; i++)
        different += abs(((uint8_t *)greys[0].pixels)[i] - ((uint8_t *)greys[1].pixels)[i]) > 6;
    ck_assert_uint_le(different, 80 * 60 / 100);
    ck_assert(prepared[0].low < prepared[0].high && prepared[0].low == prepared[1].low);
    kn_autocorr_prepared_free(&prepared[0]);
    EXPECT_REFUSED(KN_ERROR_INPUT, "y.png: is of 9 x 9 pixels, but ",
                   kn_autocorr_prepare(preparation, "y.png", &small, &prepared[0], &err));
    EXPECT_REFUSED(KN_ERROR_INPUT, "z.png: cannot be stabilised against ",
                   kn_autocorr_prepare(preparation, "z.png", &black, &prepared[0], &err));
    free(black.pixels);
    kn_autocorr_preparation_free(preparation);
    // If nothing is requested, nothing changes. A region outside the picture is refused.
    options = KN_INIT(kn_autocorr_preparation_options);
    EXPECT_OK(kn_autocorr_preparation_create(&source, &options, &preparation, &err));
    ((uint8_t *)small.pixels)[40] = 99;
    EXPECT_OK(kn_autocorr_prepare(preparation, "y.png", &small, &prepared[0], &err));
    ck_assert_uint_eq(((uint8_t *)small.pixels)[40], 99);
    kn_autocorr_preparation_free(preparation);
    options.crop = &region;
    EXPECT_OK(kn_autocorr_preparation_create(&source, &options, &preparation, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT,
                   "y.png: cannot be cropped to 80 x 60 pixels at (30, 20): it is of 9 x 9",
                   kn_autocorr_prepare(preparation, "y.png", &small, &prepared[0], &err));
    kn_autocorr_preparation_free(preparation);
    free(small.pixels);
    kn_autocorr_prepared_free(&prepared[1]);
    free(greys[0].pixels);
    free(greys[1].pixels);
    frames_free(&frames);
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {whole_pixels,
                                  parts_of_pixels,
                                  nothing_to_register,
                                  smooth_pictures,
                                  trenches,
                                  unrelated_pictures,
                                  light,
                                  flat,
                                  dust,
                                  contrast,
                                  steps};

    return TEST_RUN("autocorr prepare", CK_FORK_GETENV, tests);
}
