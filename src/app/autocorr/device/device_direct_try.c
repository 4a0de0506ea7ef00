// SPDX-License-Identifier: Apache-2.0
// The direct correlation with a tuning of cl/app/autocorr/autocorr_direct.cl with which the device computes
// correctly: a small one is first compared with the result of plain loops.
#include "device_direct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/device/trial.h"
#include "app/autocorr/autocorr.h"

// Two planes of bytes, more than a word's pixels a row, more offsets than one tile has.
enum { WIDTH = 71, HEIGHT = 29, PIXELS = WIDTH * HEIGHT, REACH = 12, ACROSS = 2 * REACH + 1 };
enum { OFFSETS = ACROSS * (REACH + 1) };

struct images {
    uint16_t first[PIXELS], second[PIXELS];
    uint64_t expected[OFFSETS], found[OFFSETS];
};

static void make_images(struct images *images)
{
    uint32_t state = 1;

    for (size_t i = 0; i < PIXELS; i++) {
        state = state * 1664525 + 1013904223;
        images->first[i] = (uint16_t)(state >> 16);
        state = state * 1664525 + 1013904223;
        images->second[i] = (uint16_t)(state >> 16);
    }
}

static uint64_t sum_at(const struct images *images, int x0, int y0)
{
    uint64_t sum = 0;

    for (int y = 0; y + y0 < HEIGHT; y++)
        for (int x = x0 < 0 ? -x0 : 0; x < WIDTH && x + x0 < WIDTH; x++)
            sum += (uint64_t)images->first[y * WIDTH + x] * images->second[(y + y0) * WIDTH + x + x0];
    return sum;
}

static kn_status upload(kn_queue *queue, const uint16_t *pixels, kn_buffer **buffer, kn_error *err)
{
    const size_t bytes = PIXELS * sizeof *pixels;
    kn_status status = kn_buffer_create(queue->context, bytes, buffer, err);

    return status ? status : kn_buffer_write(queue, *buffer, 0, pixels, bytes, err);
}

static kn_status compute(kn_queue *queue, const struct autocorr_direct_tuning *tuning, struct images *images,
                         kn_error *err)
{
    struct autocorr_frames frames = {WIDTH, HEIGHT, 1, KN_U16, NULL, NULL, REACH};
    kn_buffer *first = NULL, *second = NULL, *products = NULL;
    kn_status status = upload(queue, images->first, &first, err);

    if (!status)
        status = upload(queue, images->second, &second, err);
    if (!status)
        status = kn_buffer_create(queue->context, sizeof images->found, &products, err);
    frames.first = first;
    frames.second = second;
    if (!status)
        status = ki_autocorr_direct_untried(queue, &frames, tuning, products, err);
    if (!status)
        status = kn_buffer_read(queue, products, 0, images->found, sizeof images->found, err);
    kn_buffer_free(first);
    kn_buffer_free(second);
    kn_buffer_free(products);
    return status;
}

static kn_status run(kn_queue *queue, const void *form, bool *right, kn_error *err)
{
    struct images *images = calloc(1, sizeof *images);
    kn_status status;

    if (!images)
        return ki_fail_memory(err, sizeof *images, "a small correlation");
    make_images(images);
    for (int i = 0; i < OFFSETS; i++)
        images->expected[i] = sum_at(images, i % ACROSS - REACH, i / ACROSS);
    status = compute(queue, form, images, err);
    *right = !status && memcmp(images->found, images->expected, sizeof images->found) == 0;
    free(images);
    return status;
}

kn_status ki_autocorr_direct_try(kn_context *context, const struct autocorr_direct_tuning *t, bool *serves,
                                 kn_error *err)
{
    char what[64];

    snprintf(what, sizeof what, "direct correlation, %s%s %ux%u %u %u %u", ki_autocorr_dot_names[t->dot],
             t->vectors ? " vectors" : "", t->tile_x, t->tile_y, t->chunk, t->items, t->rows);
    return ki_engine_trial(context, &(struct engine_trial){what, "app/autocorr/autocorr_direct.cl", t, run},
                           serves, err);
}

// ---- for callers ----

static kn_status refuse(const kn_queue *queue, const struct autocorr_direct_tuning *t, kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;

    return ki_fail(
        err, KN_ERROR_UNSUPPORTED,
        "autocorr_direct_tuned: %s (%s, driver %s) computes wrong numbers with product %s%s, tiles of %u x "
        "%u offsets, chunks of %u and groups of %u; take another tuning",
        info->spec, info->name, info->driver, ki_autocorr_dot_names[t->dot], t->vectors ? " in vectors" : "",
        t->tile_x, t->tile_y, t->chunk, t->items);
}

kn_status ki_autocorr_direct_tuned(kn_queue *queue, const struct autocorr_frames *frames,
                                   const struct autocorr_direct_tuning *tuning, kn_buffer *products,
                                   kn_error *err)
{
    bool serves = false;
    kn_status status = ki_autocorr_check_frames("autocorr_direct_device", queue, frames, products, err);

    if (!status)
        status = ki_autocorr_direct_check(queue, tuning, err);
    if (status || frames->count == 0)
        return status;
    status = ki_autocorr_direct_try(queue->context, tuning, &serves, err);
    if (!status && !serves)
        return refuse(queue, tuning, err);
    return status ? status : ki_autocorr_direct_untried(queue, frames, tuning, products, err);
}

// The default tuning; if the device computes wrong results with it, the plainest shape.
kn_status ki_autocorr_direct_device(kn_queue *queue, const struct autocorr_frames *frames,
                                    kn_buffer *products, kn_error *err)
{
    static const struct autocorr_direct_tuning plain = {AUTOCORR_DOT_INTEGER, false, 4, 1, 4, 8, 0};
    const struct autocorr_direct_tuning own = ki_autocorr_direct_tuning_for(queue);
    bool serves = false;
    kn_status status = ki_autocorr_check_frames("autocorr_direct_device", queue, frames, products, err);

    if (status || frames->count == 0)
        return status;
    status = ki_autocorr_direct_try(queue->context, &own, &serves, err);
    return status ? status : ki_autocorr_direct_tuned(queue, frames, serves ? &own : &plain, products, err);
}
