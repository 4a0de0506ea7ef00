// SPDX-License-Identifier: Apache-2.0
// Finds the length in a picture: waves of 12 pixels in two directions, of which an azimuthal average makes J0(2 pi r / 12),
// with its first maximum at r = 13.40. On the best device there is, or the one that KOINE_DEVICE names; else on the host.
#include <math.h>
#include <stdio.h>

#include <koine/koine.h>

enum { WIDTH = 320, HEIGHT = 240 };

static unsigned char pixels[HEIGHT][WIDTH];

static void draw(void)
{
    const double k = 2 * 3.14159265358979 / 12;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            pixels[y][x] = (unsigned char)(128 + 60 * cos(k * (0.8 * x + 0.6 * y)) + 60 * cos(k * (0.8 * y - 0.6 * x)));
}

int main(void)
{
    const kn_autocorr_shape shape =
        KN_INIT(kn_autocorr_shape, .width = WIDTH, .height = HEIGHT, .type = KN_U8, .max_offset = 40);
    const kn_autocorr_frames frames = KN_INIT(kn_autocorr_frames, .first = pixels);
    kn_autocorr_lengths lengths;
    const kn_autocorr_results results = KN_INIT(kn_autocorr_results, .lengths = &lengths);
    kn_error err = KN_ERROR_INIT;
    kn_context *ctx = NULL;
    kn_queue *q = NULL; // NULL is the host
    kn_autocorr_plan *plan = NULL;

    draw();
    if (kn_context_open(NULL, NULL, &ctx, &err)) { // without a device there is the host
        fprintf(stderr, "autocorr: %s\n", err.text);
        err.code = KN_OK;
    }
    if ((ctx && kn_queue_open(ctx, &q, &err)) ||
        kn_autocorr_plan_create(q, &shape, NULL, &plan, &err) ||
        kn_autocorr_execute(plan, &frames, 1, &results, &err))
        fprintf(stderr, "autocorr: %s\n", err.text);

    if (!err.code)
        printf("R_max = %.1f +- %.1f pixels, by %s on %s\n", lengths.r_max, lengths.r_max_error,
               kn_autocorr_method_name(kn_autocorr_plan_get_method(plan)), q ? kn_context_get_device(ctx)->name : "the host");

    kn_autocorr_plan_free(plan);
    kn_queue_close(q);
    kn_context_close(ctx);
    return (int)err.code;
}
