// SPDX-License-Identifier: Apache-2.0
// From a kn_autocorr_frames to tasks.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "app/autocorr/prepare/grey.h"
#include "plan_internal.h"

// One of the arrays of a kn_autocorr_frames, with strides that are set.
struct series {
    const char *name;
    const void *pixels;
    size_t size; // bytes of an element
    size_t stride, frame_stride;
};

static const void *frame_of(const struct series *series, size_t frame)
{
    return series->pixels
               ? (const unsigned char *)series->pixels + frame * series->frame_stride * series->size
               : NULL;
}

// A stride of 0 is the width.
static kn_status set_stride(const kn_autocorr_plan *plan, struct series *series, kn_error *err)
{
    if (!series->stride)
        series->stride = plan->width;
    if (series->stride < plan->width && series->pixels)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the rows of `%s` are %zu elements apart, and %zu long; a stride is at least the width",
            series->name, series->stride, plan->width);
    return KN_OK;
}

static kn_status read_series(const kn_autocorr_plan *plan, const kn_autocorr_frames *given,
                             struct series *first, struct series *second, struct series *mask, kn_error *err)
{
    size_t size = kn_type_size(plan->type);
    kn_status status;

    if (!given->first)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there are no frames: `first` is NULL");
    *first = (struct series){"first", given->first, size, given->stride, given->frame_stride};
    *second =
        (struct series){"second", given->second, size, given->second_stride, given->second_frame_stride};
    *mask = (struct series){"mask", given->mask, 1, given->mask_stride, given->mask_frame_stride};
    status = set_stride(plan, first, err);
    if (!status)
        status = set_stride(plan, second, err);
    if (!status)
        status = set_stride(plan, mask, err);
    if (!first->frame_stride)
        first->frame_stride = plan->height * first->stride;
    return status;
}

// ---- real numbers ----

// The levels of one image of real numbers; `to` has room for them.
static kn_status make_levels(const kn_autocorr_plan *plan, const struct series *series, size_t frame,
                             uint16_t *to, kn_error *err)
{
    size_t row = plan->width * sizeof(float), bytes = row * plan->height;
    kn_autocorr_picture picture = {plan->width, plan->height, 1, KN_F32, malloc(bytes)};
    const unsigned char *from = frame_of(series, frame);
    kn_autocorr_grey grey;
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (!picture.samples)
        return ki_fail_memory(err, bytes, "scaling a frame");
    for (size_t y = 0; y < plan->height; y++)
        memcpy((unsigned char *)picture.samples + y * row, from + y * series->stride * sizeof(float), row);
    status = kn_autocorr_make_grey(series->name, &picture, &grey, &why);
    if (status)
        return ki_fail(err, status == KN_ERROR_INPUT ? KN_ERROR_ARGUMENT : status, "frame %zu of %s", frame,
                       why.text);
    memcpy(to, grey.pixels, plan->width * plan->height * sizeof *to);
    free(grey.pixels);
    return KN_OK;
}

// All images of a series, which is of their levels then. `to` moves on.
static kn_status make_all_levels(const kn_autocorr_plan *plan, struct series *series, size_t count,
                                 uint16_t **to, kn_error *err)
{
    uint16_t *levels = *to;
    size_t pixels = plan->width * plan->height;
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = make_levels(plan, series, i, levels + i * pixels, err);
    *to += count * pixels;
    series->pixels = levels;
    series->size = sizeof *levels;
    series->stride = plan->width;
    series->frame_stride = series->frame_stride ? pixels : 0;
    return status;
}

static kn_status scale(kn_autocorr_plan *plan, struct series *first, struct series *second, size_t count,
                       struct plan_frames *frames, kn_error *err)
{
    size_t bytes = plan->width * plan->height * sizeof *frames->levels;
    size_t seconds = second->pixels ? (second->frame_stride ? count : 1) : 0;
    uint16_t *to = frames->levels = ki_kept_take_array(&plan->kept, count + seconds, bytes);
    kn_status status = to ? make_all_levels(plan, first, count, &to, err)
                          : ki_fail_memory(err, (count + seconds) * bytes, "scaling the frames");

    return status || !seconds ? status : make_all_levels(plan, second, seconds, &to, err);
}

// ---- all of them ----

kn_status ki_autocorr_plan_frames(kn_autocorr_plan *plan, const kn_autocorr_frames *given, size_t count,
                                  struct plan_frames *frames, kn_error *err)
{
    struct series first = {.pixels = NULL}, second = first, mask = first;
    kn_status status = read_series(plan, given, &first, &second, &mask, err);

    *frames = (struct plan_frames){.count = count};
    if (!status && plan->type == KN_F32)
        status = scale(plan, &first, &second, count, frames, err);
    if (status)
        return status;
    frames->tasks = ki_kept_take_zeros(&plan->kept, count, sizeof *frames->tasks);
    if (!frames->tasks)
        return ki_fail_memory(err, count * sizeof *frames->tasks, "the frames");
    for (size_t i = 0; i < count; i++) {
        const struct autocorr_image image = {plan->width, plan->height, 0, plan_level_type(plan), NULL};
        struct autocorr_task *task = &frames->tasks[i];

        task->first = task->second = image;
        task->first.stride = first.stride;
        task->first.pixels = frame_of(&first, i);
        task->second.stride = second.stride;
        task->second.pixels = frame_of(&second, i);
        task->mask = frame_of(&mask, i);
        task->mask_stride = mask.stride;
        task->max_offset = plan->max_offset;
        task->periodic = plan->engine.periodic;
        task->kept = &plan->kept;
    }
    return KN_OK;
}

void ki_autocorr_plan_frames_free(kn_autocorr_plan *plan, struct plan_frames *frames)
{
    ki_kept_give(&plan->kept, frames->tasks);
    ki_kept_give(&plan->kept, frames->levels);
}
