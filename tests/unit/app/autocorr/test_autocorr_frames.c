// SPDX-License-Identifier: Apache-2.0
// Tests koine/autocorr.h with frames that arrive one by one, on the host. A series has the same results as a
// plan for the same frames; frames that fail are reported in their places; a reader returns all frames in
// order; and refusals.
#include "autocorr_source_support.h"

#include <math.h>

#include <koine/experimental/autocorr.h>

#include "support/expect.h"

enum { FRAMES = 30, WIDTH = 21, HEIGHT = 17, R = 5, OFFSETS = (2 * R + 1) * (R + 1), BAD = 4 };

// ---- a series ----

// What a series reported, and a plan's results.
struct told {
    size_t count;
    size_t failed;
    kn_error why;
    uint64_t sums[FRAMES][OFFSETS];
    double values[FRAMES][OFFSETS];
    kn_autocorr_ring rings[FRAMES][R + 1];
    kn_autocorr_lengths lengths[FRAMES];
};

static kn_status keep(void *data, const kn_autocorr_analysis *analysis, kn_error *why)
{
    struct told *told = data;
    size_t i = analysis->index;

    ck_assert_int_eq(why->code, KN_OK);
    ck_assert_uint_eq(i, told->count++);
    if (analysis->error) {
        told->failed++;
        told->why = *analysis->error;
        ck_assert(!analysis->sums && !analysis->values && !analysis->rings && !analysis->prepared);
        return KN_OK;
    }
    ck_assert(analysis->width == WIDTH && analysis->height == HEIGHT && analysis->max_offset == R);
    ck_assert(!analysis->colour && !analysis->stretched && !analysis->verified && analysis->bound == 0);
    memcpy(told->sums[i], analysis->sums, sizeof told->sums[i]);
    memcpy(told->values[i], analysis->values, sizeof told->values[i]);
    memcpy(told->rings[i], analysis->rings, sizeof told->rings[i]);
    told->lengths[i] = analysis->lengths;
    return KN_OK;
}

// With a second image, which is the first frame, and a mask.
START_TEST(as_a_plan)
{
    uint64_t state = test_seed("as_a_plan");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U16, &state);
    const kn_autocorr_source source = film_source(&film);
    uint8_t mask[WIDTH * HEIGHT];
    const kn_autocorr_grey with = {.width = WIDTH, .height = HEIGHT, .type = KN_U16, .pixels = film.pixels};
    const kn_autocorr_grey mask_grey = {.width = WIDTH, .height = HEIGHT, .type = KN_U8, .pixels = mask};
    struct told *told = test_zeros(1, sizeof *told), *wanted = test_zeros(1, sizeof *wanted);

    for (size_t i = 0; i < sizeof mask; i++)
        mask[i] = test_random(&state) % 4 != 0;
    for (unsigned kind = 0; kind < 4; kind++) {
        const kn_autocorr_series_options options = KN_INIT(
            kn_autocorr_series_options, .normalization = KN_AUTOCORR_GEO, .max_offset = R, .sums = true,
            .values = true, .with = kind & 1 ? &with : NULL, .mask = kind & 2 ? &mask_grey : NULL);
        const kn_autocorr_options same = KN_INIT(kn_autocorr_options, .normalization = KN_AUTOCORR_GEO);
        const kn_autocorr_shape shape =
            KN_INIT(kn_autocorr_shape, .width = WIDTH, .height = HEIGHT, .type = KN_U16, .max_offset = R);
        const kn_autocorr_frames frames =
            KN_INIT(kn_autocorr_frames, .first = film.pixels, .second = kind & 1 ? film.pixels : NULL,
                    .mask = kind & 2 ? mask : NULL);
        const kn_autocorr_results results =
            KN_INIT(kn_autocorr_results, .sums = wanted->sums[0], .values = wanted->values[0],
                    .rings = wanted->rings[0], .lengths = wanted->lengths);
        kn_autocorr_series *series = NULL;
        kn_autocorr_plan *plan = NULL;

        memset(told, 0, sizeof *told);
        EXPECT_OK(kn_autocorr_plan_create(NULL, &shape, &same, &plan, &err));
        EXPECT_OK(kn_autocorr_execute(plan, &frames, FRAMES, &results, &err));
        EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
        ck_assert_int_eq(kn_autocorr_series_get_method(series), KN_AUTOCORR_AUTO);
        EXPECT_OK(kn_autocorr_series_execute(series, &source, keep, told, &err));
        ck_assert(told->count == FRAMES && !told->failed);
        ck_assert_mem_eq(told->sums, wanted->sums, sizeof told->sums);
        ck_assert_mem_eq(told->values, wanted->values, sizeof told->values);
        ck_assert_mem_eq(told->rings, wanted->rings, sizeof told->rings);
        ck_assert_mem_eq(told->lengths, wanted->lengths, sizeof told->lengths);
        ck_assert_int_eq(kn_autocorr_series_get_method(series), kn_autocorr_plan_get_method(plan));
        ck_assert_str_eq(kn_autocorr_series_get_why(series), kn_autocorr_plan_get_why(plan));
        ck_assert_uint_eq(kn_autocorr_series_get_pipeline(series).frames, FRAMES);
        kn_autocorr_series_free(series);
        kn_autocorr_plan_free(plan);
    }
    free(told);
    free(wanted);
    free(film.pixels);
}
END_TEST

// ---- frames that are none ----

static const struct {
    enum fault fault;
    kn_status status;
    const char *words;
} faults[] = {
    {FILM_FAILS, KN_ERROR_INPUT, "the film is torn"},
    {FILM_MUTE, KN_ERROR_DEVICE, "frame 4: the source's fetch returned KN_ERROR_DEVICE"},
    {FILM_NO_PIXELS, KN_ERROR_ARGUMENT, "frame 4 has no pixels"},
    {FILM_FLOATS, KN_ERROR_ARGUMENT, "frame 4 has pixels of the type float; expected KN_U8 or KN_U16"},
    {FILM_LARGER, KN_ERROR_INPUT,
     "frame 4: is of 21 x 18 pixels, but the series begins with 21 x 17 (frame 0)"},
};
enum { FAULTS = sizeof faults / sizeof *faults };

START_TEST(faulty_frames)
{
    uint64_t state = test_seed("faulty_frames");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    const kn_autocorr_series_options options =
        KN_INIT(kn_autocorr_series_options, .max_offset = R, .one_size = true, .sums = true, .values = true);
    struct told *told = test_zeros(1, sizeof *told);
    kn_autocorr_series *series = NULL;

    film.at = BAD;
    EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
    for (size_t i = 0; i < FAULTS; i++) {
        film.fault = faults[i].fault;
        memset(told, 0, sizeof *told);
        EXPECT_OK(kn_autocorr_series_execute(series, &source, keep, told, &err));
        ck_assert(told->count == FRAMES && told->failed == 1);
        ck_assert_int_eq(told->why.code, faults[i].status);
        ck_assert_msg(strstr(told->why.text, faults[i].words), "%s", told->why.text);
        ck_assert_uint_eq(kn_autocorr_series_get_pipeline(series).failed, 1);
    }
    kn_autocorr_series_free(series);
    free(told);
    free(film.pixels);
}
END_TEST

// ---- a reader ----

START_TEST(readers)
{
    const kn_autocorr_region corner = {2, 3, 7, 5};
    const kn_autocorr_preparation_options cut = KN_INIT(kn_autocorr_preparation_options, .crop = &corner);
    uint64_t state = test_seed("readers");
    struct film film = make_film(FRAMES, WIDTH, HEIGHT, KN_U8, &state);
    const kn_autocorr_source source = film_source(&film);
    kn_autocorr_preparation *preparation = NULL;
    kn_autocorr_reader *reader = NULL;

    film.at = BAD;
    film.fault = FILM_FAILS;
    EXPECT_OK(kn_autocorr_preparation_create(NULL, &cut, &preparation, &err));
    for (size_t ahead = 0; ahead < 3; ahead++) {
        const kn_autocorr_reader_options options =
            KN_INIT(kn_autocorr_reader_options, .threads = 3, .ahead = ahead, .preparation = preparation);
        kn_autocorr_grey grey;
        kn_autocorr_prepared prepared;

        EXPECT_OK(kn_autocorr_reader_open(&source, &options, &reader, &err));
        for (size_t i = 0; i < FRAMES; i++) {
            if (i == BAD) {
                EXPECT_REFUSED(KN_ERROR_INPUT, "the film is torn",
                               kn_autocorr_reader_next(reader, &grey, &prepared, &err));
                continue;
            }
            EXPECT_OK(kn_autocorr_reader_next(reader, &grey, i % 2 ? &prepared : NULL, &err));
            ck_assert(grey.width == 7 && grey.height == 5 && grey.type == KN_U8);
            for (size_t y = 0; y < 5; y++)
                ck_assert_mem_eq((uint8_t *)grey.pixels + y * 7, film_frame(&film, i) + (3 + y) * WIDTH + 2,
                                 7);
            kn_free(grey.pixels);
        }
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_reader_next: all of the 30 frames were taken",
                       kn_autocorr_reader_next(reader, &grey, &prepared, &err));
        ck_assert_double_gt(kn_autocorr_reader_get_seconds(reader), 0);
        kn_autocorr_reader_close(reader);
    }
    EXPECT_OK(kn_autocorr_reader_open(&source, NULL, &reader, &err));
    kn_autocorr_reader_close(reader); // with frames that were not taken
    kn_autocorr_preparation_free(preparation);
    free(film.pixels);
}
END_TEST

// ---- what is refused ----

START_TEST(refused_greys)
{
    uint8_t four[4] = {1, 2, 3, 4};
    kn_autocorr_picture picture = {2, 2, 1, KN_U8, four};
    kn_autocorr_grey grey = {.width = 77};

#define REFUSED(words, ...)                                                                                  \
    do {                                                                                                     \
        picture = (kn_autocorr_picture){__VA_ARGS__};                                                        \
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_make_grey: x " words,                                 \
                       kn_autocorr_make_grey("x", &picture, &grey, &err));                                   \
    } while (0)
    REFUSED("has no samples", 2, 2, 1, KN_U8, NULL);
    REFUSED("has 0 channels", 2, 2, 0, KN_U8, four);
    REFUSED("has 5 channels", 2, 2, 5, KN_U8, four);
    REFUSED("has samples of the type double", 2, 2, 1, KN_F64, four);
    REFUSED("is of 0 x 2 pixels", 0, 2, 1, KN_U8, four);
    REFUSED("is of 2 x 0 pixels", 2, 0, 1, KN_U8, four);
    REFUSED("is of 18446744073709551615 x 2 pixels", SIZE_MAX, 2, 1, KN_U8, four);
#undef REFUSED
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "picture is NULL", kn_autocorr_make_grey("x", NULL, &grey, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "grey is NULL", kn_autocorr_make_grey("x", &picture, NULL, &err));
    ck_assert_uint_eq(grey.width, 77);
    ck_assert_ptr_eq(picture.samples, four); // owned by the caller
    ck_assert_int_eq(kn_autocorr_make_grey(NULL, &picture, &grey, NULL), KN_ERROR_ARGUMENT);
}
END_TEST

START_TEST(refused_preparations)
{
    kn_autocorr_preparation *const untouched = (kn_autocorr_preparation *)&err, *made = untouched;
    uint8_t pixels[4] = {0};
    const kn_autocorr_grey dust = {.width = 2, .height = 2, .type = KN_U8, .pixels = pixels}, none = {0};
    const kn_autocorr_region empty = {0, 0, 3, 0};
    const kn_autocorr_preparation_options unsized = {.stabilise = true};
    kn_autocorr_source source = KN_INIT(kn_autocorr_source);
    kn_autocorr_prepared prepared;
    kn_autocorr_grey grey = dust;

#define REFUSED(status, words, source_, ...)                                                                 \
    do {                                                                                                     \
        const kn_autocorr_preparation_options options_ =                                                     \
            KN_INIT(kn_autocorr_preparation_options, __VA_ARGS__);                                           \
        EXPECT_REFUSED(status, words, kn_autocorr_preparation_create(source_, &options_, &made, &err));      \
        ck_assert_ptr_eq(made, untouched);                                                                   \
    } while (0)
    REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_preparation_create: source is NULL", NULL, .stabilise = true);
    REFUSED(KN_ERROR_ARGUMENT, "`flatten` is -1", NULL, .flatten = -1);
    REFUSED(KN_ERROR_ARGUMENT, "`flatten` is nan", NULL, .flatten = NAN);
    REFUSED(KN_ERROR_ARGUMENT, "dust is either found", NULL, .find_dust = true, .dust = &dust);
    REFUSED(KN_ERROR_ARGUMENT, "`dust` has no pixels", NULL, .dust = &none);
    REFUSED(KN_ERROR_ARGUMENT, "a contrast from 7 to 7", NULL, .contrast = true, .low = 7, .high = 7);
    REFUSED(KN_ERROR_ARGUMENT, "a contrast from 0 to inf", NULL, .contrast = true, .high = INFINITY);
    REFUSED(KN_ERROR_ARGUMENT, "`crop` keeps 3 x 0 pixels", NULL, .crop = &empty);
    REFUSED(KN_ERROR_INPUT, "there are no frames", &source, .stabilise = true);
    source.count = 1;
    REFUSED(KN_ERROR_ARGUMENT, "has 1 frames, and its fetch is NULL", &source, .stabilise = true);
    source.struct_size = 0;
    REFUSED(KN_ERROR_ARGUMENT, "the kn_autocorr_source has a struct_size of 0", &source, .stabilise = true);
#undef REFUSED
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the kn_autocorr_preparation_options has a struct_size of 0",
                   kn_autocorr_preparation_create(NULL, &unsized, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "preparation is NULL",
                   kn_autocorr_preparation_create(NULL, NULL, NULL, &err));
    EXPECT_OK(kn_autocorr_preparation_create(NULL, NULL, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_prepare: preparation is NULL",
                   kn_autocorr_prepare(NULL, "x", &grey, &prepared, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "grey is NULL", kn_autocorr_prepare(made, "x", NULL, &prepared, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "prepared is NULL", kn_autocorr_prepare(made, "x", &grey, NULL, &err));
    grey.type = KN_F64;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_prepare: x has pixels of the type double",
                   kn_autocorr_prepare(made, "x", &grey, &prepared, &err));
    ck_assert_ptr_eq(grey.pixels, pixels);
    kn_autocorr_preparation_free(made);
    kn_autocorr_preparation_free(NULL);
    kn_autocorr_prepared_free(NULL);
}
END_TEST

START_TEST(refused_readers)
{
    kn_autocorr_reader *const untouched = (kn_autocorr_reader *)&err, *reader = untouched;
    const kn_autocorr_reader_options unsized = {.threads = 1};
    kn_autocorr_source source = KN_INIT(kn_autocorr_source);
    kn_autocorr_grey grey;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_reader_open: source is NULL",
                   kn_autocorr_reader_open(NULL, NULL, &reader, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_reader_open: reader is NULL",
                   kn_autocorr_reader_open(&source, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the kn_autocorr_reader_options has a struct_size of 0",
                   kn_autocorr_reader_open(&source, &unsized, &reader, &err));
    ck_assert_ptr_eq(reader, untouched);
    EXPECT_OK(kn_autocorr_reader_open(&source, NULL, &reader, &err)); // without frames
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "all of the 0 frames were taken",
                   kn_autocorr_reader_next(reader, &grey, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "grey is NULL", kn_autocorr_reader_next(reader, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "reader is NULL", kn_autocorr_reader_next(NULL, &grey, NULL, &err));
    kn_autocorr_reader_close(reader);
    kn_autocorr_reader_close(NULL);
    ck_assert_double_eq(kn_autocorr_reader_get_seconds(NULL), 0);
}
END_TEST

START_TEST(refused_series)
{
    kn_autocorr_series *const untouched = (kn_autocorr_series *)&err, *series = untouched;
    const kn_autocorr_series_options unsized = {.single = true};
    const kn_autocorr_grey none = {0};
    kn_autocorr_source source = KN_INIT(kn_autocorr_source);
    struct told *told = test_zeros(1, sizeof *told);

#define REFUSED(status, words, ...)                                                                          \
    do {                                                                                                     \
        const kn_autocorr_series_options options_ = KN_INIT(kn_autocorr_series_options, __VA_ARGS__);        \
        EXPECT_REFUSED(status, "kn_autocorr_series_create: " words,                                          \
                       kn_autocorr_series_create(NULL, &options_, &series, &err));                           \
        ck_assert_ptr_eq(series, untouched);                                                                 \
    } while (0)
    REFUSED(KN_ERROR_ARGUMENT, "there is no method 8", .method = (kn_autocorr_method)8);
    REFUSED(KN_ERROR_ARGUMENT, "there is no normalization 7", .normalization = (kn_autocorr_normalization)7);
    REFUSED(KN_ERROR_UNSUPPORTED, "the method direct runs on a device", .method = KN_AUTOCORR_DIRECT);
    REFUSED(KN_ERROR_ARGUMENT, "`mask` has no pixels", .mask = &none);
    REFUSED(KN_ERROR_ARGUMENT, "`with` has no pixels", .with = &none);
#undef REFUSED
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the kn_autocorr_series_options has a struct_size of 0",
                   kn_autocorr_series_create(NULL, &unsized, &series, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "series is NULL", kn_autocorr_series_create(NULL, NULL, NULL, &err));
    EXPECT_OK(kn_autocorr_series_create(NULL, NULL, &series, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_series_execute: series is NULL",
                   kn_autocorr_series_execute(NULL, &source, keep, told, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "take is NULL",
                   kn_autocorr_series_execute(series, &source, NULL, told, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "source is NULL",
                   kn_autocorr_series_execute(series, NULL, keep, told, &err));
    EXPECT_OK(kn_autocorr_series_execute(series, &source, keep, told, &err)); // without frames
    source.count = 2;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "has 2 frames, and its fetch is NULL",
                   kn_autocorr_series_execute(series, &source, keep, told, &err));
    ck_assert_uint_eq(told->count, 0);
    kn_autocorr_series_free(series);
    kn_autocorr_series_free(NULL);
    ck_assert_int_eq(kn_autocorr_series_get_method(NULL), KN_AUTOCORR_AUTO);
    ck_assert_str_eq(kn_autocorr_series_get_why(NULL), "");
    ck_assert_uint_eq(kn_autocorr_series_get_pipeline(NULL).frames, 0);
    free(told);
}
END_TEST

START_TEST(refused_fits)
{
    const double some[] = {1, 2};
    kn_autocorr_growth growth;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_fit_growth: times is NULL",
                   kn_autocorr_fit_growth(NULL, some, 2, &growth, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "lengths is NULL",
                   kn_autocorr_fit_growth(some, NULL, 2, &growth, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "growth is NULL", kn_autocorr_fit_growth(some, some, 2, NULL, &err));
    EXPECT_OK(kn_autocorr_fit_growth(NULL, NULL, 0, &growth, &err));
    ck_assert(growth.points == 0 && isnan(growth.line.slope));
}
END_TEST

// ---- variants ----

static bool count_steps(void *data, double done)
{
    size_t *left = data;

    ck_assert(done > 0 && done <= 1);
    return *left && --*left;
}

START_TEST(variants)
{
    uint64_t state = test_seed("variants");
    struct film film = make_film(1, 45, 40, KN_U8, &state);
    const kn_autocorr_grey grey = {.width = 45, .height = 40, .type = KN_U8, .pixels = film.pixels};
    const kn_autocorr_series_options options = KN_INIT(kn_autocorr_series_options, .max_offset = 20),
                                     large = KN_INIT(kn_autocorr_series_options, .max_offset = 45);
    kn_autocorr_variants found = {.count = 77};
    size_t left = 1;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_autocorr_compare_variants: grey is NULL",
                   kn_autocorr_compare_variants(NULL, "x", NULL, &found, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "variants is NULL",
                   kn_autocorr_compare_variants(NULL, "x", &grey, NULL, NULL, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "x: a largest offset of 45 leaves no overlap",
                   kn_autocorr_compare_variants(NULL, "x", &grey, &found, &large, NULL, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_INTERRUPTED, "after 1 of 2 offsets",
        kn_autocorr_compare_variants(NULL, "x", &grey, &found, &options, count_steps, &left, &err));
    ck_assert_uint_eq(found.count, 77);
    EXPECT_OK(kn_autocorr_compare_variants(NULL, "x", &grey, &found, &options, NULL, NULL, &err));
    ck_assert(found.count == 3 && found.offset_count == 2);
    ck_assert(found.offsets[0] == 16 && found.offsets[1] == 20);
    for (size_t m = 0; m < found.count; m++)
        for (size_t r = 0; r < found.offset_count; r++)
            ck_assert(found.items[m].differ[r] == 0 && found.items[m].seconds[r] > 0);
    free(film.pixels);
}
END_TEST

START_TEST(methods_run)
{
    ck_assert(kn_autocorr_method_runs(KN_AUTOCORR_AUTO, true));
    ck_assert(kn_autocorr_method_runs(KN_AUTOCORR_AUTO, false));
    ck_assert(kn_autocorr_method_runs(KN_AUTOCORR_FFT, true));
    ck_assert(kn_autocorr_method_runs(KN_AUTOCORR_FFT, false));
    ck_assert(kn_autocorr_method_runs(KN_AUTOCORR_DIRECT, true));
    ck_assert(!kn_autocorr_method_runs(KN_AUTOCORR_DIRECT, false));
    ck_assert(!kn_autocorr_method_runs(KN_AUTOCORR_SIMD, true));
    ck_assert(!kn_autocorr_method_runs((kn_autocorr_method)-1, false));
    ck_assert(!kn_autocorr_method_runs((kn_autocorr_method)8, true));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        as_a_plan,       faulty_frames,  readers,      refused_greys, refused_preparations,
        refused_readers, refused_series, refused_fits, variants,      methods_run};

    return TEST_RUN("autocorr frames", CK_FORK_GETENV, tests);
}
