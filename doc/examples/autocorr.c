// SPDX-License-Identifier: Apache-2.0
// Finds the length in a picture: waves of 12 pixels in two directions, of which an azimuthal average makes J0(2 pi r / 12),
// with its first maximum at r = 13.40. Then how it grows in a film, whose frames come one by one: waves of 8 pixels, 9, and so
// on, so that the maximum moves by 1.12 pixels a frame. On the best device there is, or the one that KOINE_DEVICE names; else
// on the host.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <koine/koine.h>

enum { WIDTH = 320, HEIGHT = 240, R = 40, FRAMES = 8 };

static unsigned char picture[HEIGHT * WIDTH];

static void draw(double period, unsigned char *pixels)
{
    const double k = 2 * 3.14159265358979 / period;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            pixels[y * WIDTH + x] =
                (unsigned char)(128 + 60 * cos(k * (0.8 * x + 0.6 * y)) + 60 * cos(k * (0.8 * y - 0.6 * x)));
}

// One picture, from an array.
static kn_status find_length(kn_queue *q, kn_error *err)
{
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = WIDTH, .height = HEIGHT, .type = KN_U8, .max_offset = R);
    const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = picture);
    kn_autocorr_lengths lengths;
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = &lengths);
    kn_autocorr_plan *plan = NULL;
    kn_status status = kn_autocorr_plan_create(q, &shape, NULL, &plan, err);

    draw(12, picture);
    if (!status)
        status = kn_autocorr_execute(plan, &frames, 1, &results, err);
    if (!status)
        printf("R_max = %.1f +- %.1f pixels, by %s on %s\n", lengths.r_max, lengths.r_max_error,
               kn_autocorr_method_name(kn_autocorr_plan_get_method(plan)),
               q ? kn_context_get_device(kn_queue_get_context(q))->name : "the host");
    kn_autocorr_plan_free(plan);
    return status;
}

// ---- a film ----

// Frame i, by any of several threads.
static kn_status fetch(void *data, size_t i, void **kept, kn_autocorr_grey *grey, kn_error *err)
{
    (void)data, (void)kept, (void)err;
    grey->width = WIDTH;
    grey->height = HEIGHT;
    grey->type = KN_U8;
    grey->pixels = malloc(WIDTH * HEIGHT); // the library frees it
    if (!grey->pixels)
        return KN_ERROR_MEMORY;
    draw(8 + (double)i, grey->pixels);
    return KN_OK;
}

// What came of a frame.
static kn_status take(void *data, const kn_autocorr_analysis *analysis, kn_error *err)
{
    double *lengths = data;

    if (analysis->error) {
        *err = *analysis->error;
        return err->code;
    }
    lengths[analysis->index] = analysis->lengths.r_max;
    return KN_OK;
}

static kn_status find_growth(kn_queue *q, kn_error *err)
{
    const kn_autocorr_source film = KN_INIT(kn_autocorr_source, .count = FRAMES, .fetch = fetch);
    const kn_autocorr_series_options options = KN_INIT(kn_autocorr_series_options, .max_offset = R);
    double times[FRAMES], lengths[FRAMES];
    kn_autocorr_growth growth;
    kn_autocorr_series *series = NULL;
    kn_status status = kn_autocorr_series_create(q, &options, &series, err);

    for (int i = 0; i < FRAMES; i++)
        times[i] = i;
    if (!status)
        status = kn_autocorr_series_execute(series, &film, take, lengths, err);
    if (!status)
        status = kn_autocorr_fit_growth(times, lengths, FRAMES, &growth, err);
    if (!status)
        printf("R_max grows by %.2f +- %.2f pixels a frame\n", growth.line.slope, growth.line.slope_error);
    kn_autocorr_series_free(series);
    return status;
}

int main(void)
{
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL; // NULL is the host

    if (kn_context_open(NULL, NULL, &ctx, &err)) { // without a device there is the host
        fprintf(stderr, "autocorr: %s\n", err.text);
        err.code = KN_OK;
    }
    if ((ctx && kn_queue_open(ctx, &q, &err)) || find_length(q, &err) || find_growth(q, &err))
        fprintf(stderr, "autocorr: %s\n", err.text);

    kn_queue_close(q);
    kn_context_close(ctx);
    return (int)err.code;
}
