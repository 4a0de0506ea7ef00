// SPDX-License-Identifier: Apache-2.0
// Tests series from files to lengths: every method against the reference, alone and in batches; wrong sums
// are detected; frames arrive in order, with unreadable ones in their places; colours and real numbers become
// grey levels.
#include "support/buffers.h"
#include "support/run.h"
#include "autocorr_support.h"

#include <inttypes.h>
#include <math.h>

#include "app/autocorr/series/series.h"
#include "app/autocorr/verify.h"
#include "cli/inputs/frames.h"
#include "io/image/png.h"

// ---- methods ----

enum { TOGETHER = 3 };

static void expect_sums(kn_autocorr_method method, bool on_device, const struct autocorr_task *tasks)
{
    size_t offsets = autocorr_offsets(tasks[0].max_offset), count = TOGETHER * offsets;
    uint64_t *found = malloc((count + 1) * sizeof *found), *expected = malloc(offsets * sizeof *expected);
    struct autocorr_engine engine;

    EXPECT_OK(ki_autocorr_engine_begin(on_device ? queue : NULL, method, true, &engine, &err));
    for (size_t together = 1; together <= TOGETHER; together += 2) {
        memset(found, 0xab, (count + 1) * sizeof *found);
        EXPECT_OK(ki_autocorr_engine_sums(&engine, tasks, together, found, &err));
        ck_assert_int_eq(engine.ran, method);
        for (size_t i = 0; i < together; i++) {
            EXPECT_OK(ki_autocorr_reference(&tasks[i], expected, &err));
            for (size_t o = 0; o < offsets; o++) {
                uint64_t sum = found[i * offsets + o];
                uint64_t difference = sum > expected[o] ? sum - expected[o] : expected[o] - sum;

                ck_assert_msg((double)difference <= engine.bound,
                              "%s, frame %zu of %zu, offset %zu: off by %" PRIu64 ", expected at most %g",
                              ki_autocorr_method_names[method], i, together, o, difference, engine.bound);
            }
            ck_assert_double_eq(engine.bound, 0);
        }
        for (size_t i = together * offsets; i <= count; i++)
            ck_assert_uint_eq(found[i], UINT64_C(0xabababababababab));
    }
    ki_autocorr_engine_end(&engine);
    free(found);
    free(expected);
}

START_TEST(methods)
{
    static const size_t sizes[][3] = {{1, 1, 0}, {33, 31, 9}, {64, 17, 20}, {7, 40, 6}};
    uint64_t state = test_seed("methods");

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (unsigned kind = 0; kind < 8; kind++) {
            kn_type type = kind & 1 ? KN_U16 : KN_U8;
            struct autocorr_task tasks[TOGETHER];
            uint8_t *masks[TOGETHER];

            for (size_t i = 0; i < TOGETHER; i++) {
                tasks[i] = (struct autocorr_task){
                    .first = random_image(sizes[s][0], sizes[s][1], type, &state), .max_offset = sizes[s][2]};
                if (kind & 2)
                    tasks[i].second = random_image(sizes[s][0], sizes[s][1], type, &state);
                masks[i] = random_mask(&tasks[i].first, &state);
                if (kind & 4) {
                    tasks[i].mask = masks[i];
                    tasks[i].mask_stride = tasks[i].first.stride;
                }
            }
            for (kn_autocorr_method method = KN_AUTOCORR_AUTO + 1; method < AUTOCORR_METHODS; method++)
                for (unsigned place = 0; place < 2; place++)
                    if (kn_autocorr_method_runs(method, place))
                        expect_sums(method, place, tasks);
            for (size_t i = 0; i < TOGETHER; i++) {
                free_image(&tasks[i].first);
                free_image(&tasks[i].second);
                free(masks[i]);
            }
        }
}
END_TEST

// In single precision the bound holds, on the host and on a device.
START_TEST(single_precision)
{
    uint64_t state = test_seed("single_precision");
    struct autocorr_task task = {.first = random_image(90, 41, KN_U16, &state), .max_offset = 20};
    size_t offsets = autocorr_offsets(20);
    uint64_t *found = malloc(offsets * sizeof *found), *expected = malloc(offsets * sizeof *expected);

    EXPECT_OK(ki_autocorr_reference(&task, expected, &err));
    for (unsigned place = 0; place < 2; place++) {
        struct autocorr_engine engine;
        double most = 0;

        if (!kn_autocorr_method_runs(KN_AUTOCORR_FFT, place))
            continue;
        EXPECT_OK(ki_autocorr_engine_begin(place ? queue : NULL, KN_AUTOCORR_FFT, false, &engine, &err));
        EXPECT_OK(ki_autocorr_engine_sums(&engine, &task, 1, found, &err));
        for (size_t i = 0; i < offsets; i++)
            most = fmax(most, fabs((double)(int64_t)(found[i] - expected[i])));
        fprintf(stderr, "%s: off by %g at most, bound %g\n", place ? "device" : "host", most, engine.bound);
        ck_assert_double_gt(engine.bound, 0);
        ck_assert_double_le(most, engine.bound);
        ki_autocorr_engine_end(&engine);
    }
    free_image(&task.first);
    free(found);
    free(expected);
}
END_TEST

// Frames that are distributed over threads of the host have the same sums as each frame alone, in single
// precision too; the bound is the greatest of theirs. If one fails, its error is the result.
START_TEST(spread)
{
    enum { FRAMES = 7, R = 11 };
    static const kn_autocorr_method of_host[] = {KN_AUTOCORR_FFT, KN_AUTOCORR_SIMD, KN_AUTOCORR_NAIVE};
    uint64_t state = test_seed("spread");
    size_t offsets = autocorr_offsets(R);
    uint64_t *found = malloc(FRAMES * offsets * sizeof *found), *alone = malloc(offsets * sizeof *alone);
    struct autocorr_task tasks[FRAMES];

    for (size_t i = 0; i < FRAMES; i++)
        tasks[i] = (struct autocorr_task){.first = random_image(50, 40, KN_U16, &state), .max_offset = R};
    for (size_t m = 0; m < sizeof of_host / sizeof *of_host; m++) {
        struct autocorr_engine engine;
        double most = 0, bound;

        EXPECT_OK(ki_autocorr_engine_begin(NULL, of_host[m], false, &engine, &err));
        memset(found, 0xab, FRAMES * offsets * sizeof *found);
        EXPECT_OK(ki_autocorr_engine_sums(&engine, tasks, FRAMES, found, &err));
        bound = engine.bound;
        for (size_t i = 0; i < FRAMES; i++) {
            EXPECT_OK(ki_autocorr_engine_sums(&engine, &tasks[i], 1, alone, &err));
            ck_assert_mem_eq(found + i * offsets, alone, offsets * sizeof *alone);
            most = fmax(most, engine.bound);
        }
        ck_assert_double_eq(bound, most);
        tasks[FRAMES / 2].max_offset = 50;
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "leaves no overlap",
                       ki_autocorr_engine_sums(&engine, tasks, FRAMES, found, &err));
        tasks[FRAMES / 2].max_offset = R;
        ki_autocorr_engine_end(&engine);
    }
    for (size_t i = 0; i < FRAMES; i++)
        free_image(&tasks[i].first);
    free(found);
    free(alone);
}
END_TEST

START_TEST(places)
{
    struct autocorr_engine engine;

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "the method direct runs on a device, and there is none here",
                   ki_autocorr_engine_begin(NULL, KN_AUTOCORR_DIRECT, false, &engine, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the method simd runs on the host, and a device was given",
                   ki_autocorr_engine_begin(queue, KN_AUTOCORR_SIMD, false, &engine, &err));
}
END_TEST

// ---- verification ----

START_TEST(wrong_sums)
{
    uint64_t seed = test_seed("wrong_sums"), state = seed;
    struct autocorr_image image = random_image(40, 21, KN_U16, &state);
    uint8_t *mask = random_mask(&image, &state);
    struct autocorr_task task = {.first = image, .mask = mask, .mask_stride = image.stride, .max_offset = 3};
    size_t offsets = autocorr_offsets(3), bad = autocorr_at(3, -2, 1);
    uint64_t products[28];
    kn_autocorr_verified verified;

    EXPECT_OK(ki_autocorr_reference(&task, products, &err));
    ki_autocorr_verify(&task, products, 0, 300, &state, &verified);
    ck_assert_uint_eq(verified.count, 300);
    ck_assert_uint_eq(verified.wrong, 0);
    products[bad]++; // 300 random checks miss one of 28 sums once in 50,000 runs
    state = 5;
    ki_autocorr_verify(&task, products, 0, 300, &state, &verified);
    ck_assert_uint_gt(verified.wrong, 0);
    ck_assert_uint_lt(verified.wrong, 300);
    ck_assert_int_eq((int)verified.x0, -2);
    ck_assert_uint_eq(verified.y0, 1);
    ck_assert_uint_eq(verified.found, verified.expected + 1);
    ki_autocorr_verify(&task, products, 1, 300, &state, &verified); // within a bound of 1
    ck_assert_uint_eq(verified.wrong, 0);
    ck_assert_uint_eq(verified.most, 1);
    for (size_t i = 0; i < offsets; i++)
        products[i] ^= 1;
    ki_autocorr_verify(&task, products, 0, 10, &state, &verified);
    ck_assert_uint_ge(verified.wrong, 9);
    free(mask);
    free_image(&image);
}
END_TEST

// ---- grey levels ----

START_TEST(greys)
{
    uint8_t bytes[] = {7, 7, 7, 1, 255, 0, 0, 2, 0, 255, 0, 3, 0, 0, 255, 4};
    float whole[] = {0, 65535, 3, 17}, real[] = {-1, 1, 0, 0.5F};
    kn_autocorr_picture image = {4, 1, 4, KN_U8, malloc(sizeof bytes)};
    kn_autocorr_grey grey;

    memcpy(image.samples, bytes, sizeof bytes);
    EXPECT_OK(kn_autocorr_make_grey("x", &image, &grey, &err));
    ck_assert(grey.colour && !grey.stretched && grey.type == KN_U8 && !image.samples);
    ck_assert_mem_eq(grey.pixels, ((const uint8_t[]){7, 76, 150, 29}), 4);
    free(grey.pixels);
    image = (kn_autocorr_picture){4, 1, 1, KN_F32, malloc(sizeof whole)};
    memcpy(image.samples, whole, sizeof whole);
    EXPECT_OK(kn_autocorr_make_grey("x", &image, &grey, &err));
    ck_assert(!grey.colour && !grey.stretched && grey.type == KN_U16);
    ck_assert_mem_eq(grey.pixels, ((const uint16_t[]){0, 65535, 3, 17}), 8);
    free(grey.pixels);
    image = (kn_autocorr_picture){4, 1, 1, KN_F32, malloc(sizeof real)};
    memcpy(image.samples, real, sizeof real);
    EXPECT_OK(kn_autocorr_make_grey("x", &image, &grey, &err));
    ck_assert(grey.stretched);
    ck_assert_mem_eq(grey.pixels, ((const uint16_t[]){0, 65535, 32768, 49151}), 8);
    free(grey.pixels);
    image = (kn_autocorr_picture){4, 1, 1, KN_F32, malloc(sizeof real)};
    real[2] = INFINITY;
    memcpy(image.samples, real, sizeof real);
    EXPECT_REFUSED(KN_ERROR_INPUT, "x: pixel (2, 0) is inf", kn_autocorr_make_grey("x", &image, &grey, &err));
}
END_TEST

// ---- series ----

enum { FRAMES = 40, BAD = 17 };

struct seen {
    size_t count, last_good;
};

// All pixels of frame i have level i, except for one that is white.
static kn_status look(void *data, const kn_autocorr_analysis *analysis, kn_error *error)
{
    struct seen *seen = data;

    (void)error;
    ck_assert_uint_eq(analysis->index, seen->count);
    seen->count++;
    if (analysis->index == BAD) {
        ck_assert_ptr_nonnull(analysis->error);
        ck_assert_int_eq(analysis->error->code, KN_ERROR_INPUT);
        ck_assert_ptr_null(analysis->sums);
        return KN_OK;
    }
    ck_assert_ptr_null(analysis->error);
    ck_assert_uint_eq(analysis->sums[autocorr_at(2, 0, 0)],
                      (12 * 9 - 1) * analysis->index * analysis->index + 65025);
    ck_assert_uint_eq(analysis->verified->wrong, 0);
    ck_assert_uint_eq(analysis->verified->count, 4);
    seen->last_good = analysis->index;
    return KN_OK;
}

static kn_status stop(void *data, const kn_autocorr_analysis *analysis, kn_error *error)
{
    size_t *count = data;

    (void)error;
    return analysis->index == 3 ? KN_ERROR_INTERRUPTED : (++*count, KN_OK);
}

START_TEST(files)
{
    const kn_autocorr_verification four = {.count = 4};
    const kn_autocorr_series_options options =
        KN_INIT(kn_autocorr_series_options, .max_offset = 2, .one_size = true, .sums = true, .threads = 5,
                .verification = &four);
    char *names[FRAMES];
    struct frames film;
    kn_autocorr_source source;
    kn_autocorr_series *series = NULL;
    struct seen seen = {0, 0};
    char *folder = test_folder();
    size_t taken = 0;

    for (size_t i = 0; i < FRAMES; i++) {
        uint8_t pixels[12 * 9];
        const struct ki_picture picture = {12, 9, 8, pixels};
        char path[4200];

        memset(pixels, (int)i, sizeof pixels);
        pixels[50] = 255;
        snprintf(path, sizeof path, "%s/%zu.png", folder, i);
        names[i] = strdup(path);
        if (i != BAD)
            EXPECT_OK(ki_png_write(names[i], &picture, false, &err));
    }
    EXPECT_OK(frames_list(names, FRAMES, NULL, &film, &err));
    ck_assert_uint_eq(film.count, FRAMES);
    source = frames_source(&film);
    for (unsigned device = 0; device < 2; device++) {
        seen = (struct seen){0, 0};
        EXPECT_OK(kn_autocorr_series_create(device ? queue : NULL, &options, &series, &err));
        EXPECT_OK(kn_autocorr_series_execute(series, &source, look, &seen, &err));
        ck_assert_uint_eq(seen.count, FRAMES);
        ck_assert_uint_eq(seen.last_good, FRAMES - 1);
        ck_assert_uint_eq(kn_autocorr_series_get_pipeline(series).failed, 1);
        ck_assert_uint_eq(kn_autocorr_series_get_pipeline(series).decoders, 5);
        kn_autocorr_series_free(series);
    }
    // The function that takes the frames may stop the work; the series then works with other frames.
    EXPECT_OK(kn_autocorr_series_create(NULL, &options, &series, &err));
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "returned KN_ERROR_INTERRUPTED at frame 3",
                   kn_autocorr_series_execute(series, &source, stop, &taken, &err));
    ck_assert_uint_eq(taken, 3);
    seen = (struct seen){0, 0};
    EXPECT_OK(kn_autocorr_series_execute(series, &source, look, &seen, &err));
    ck_assert_uint_eq(seen.count, FRAMES);
    kn_autocorr_series_free(series);
    frames_free(&film);
    for (size_t i = 0; i < FRAMES; i++)
        free(names[i]);
    test_remove(folder);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {methods, single_precision, spread, places, wrong_sums, greys, files};

    return test_run("autocorr series", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
