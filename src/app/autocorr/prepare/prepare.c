// SPDX-License-Identifier: Apache-2.0
// koine/autocorr.h: photographs made ready.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "filters.h"
#include "grey.h"
#include "register.h"

struct kn_autocorr_preparation {
    kn_autocorr_preparation_options options; // with the contrast's levels
    kn_autocorr_region crop;                 // and these, to which the options point
    kn_autocorr_grey dust;
    char *file; // of the first frame
    size_t width, height;
    float *reference; // the first frame; NULL where nothing is stabilised
};

// A frame on its way.
struct work {
    const char *file;
    size_t width, height;
    kn_type type;
    float *levels;
};

static double white_of(kn_type type)
{
    return type == KN_U8 ? UINT8_MAX : UINT16_MAX;
}

static kn_status to_floats(const kn_autocorr_grey *grey, float **levels, kn_error *err)
{
    size_t count = grey->width * grey->height;

    *levels = malloc(count * sizeof **levels);
    if (!*levels)
        return ki_fail_memory(err, count * sizeof **levels, "preparing a frame");
    for (size_t i = 0; i < count; i++)
        (*levels)[i] =
            grey->type == KN_U8 ? (float)((uint8_t *)grey->pixels)[i] : (float)((uint16_t *)grey->pixels)[i];
    return KN_OK;
}

// Rounded to whole levels, within black and white. `pixels` of `grey` are made.
static kn_status to_grey(const struct work *work, kn_autocorr_grey *grey, kn_error *err)
{
    size_t count = work->width * work->height;

    *grey = (kn_autocorr_grey){.width = work->width, .height = work->height, .type = work->type};
    grey->pixels = malloc(count * kn_type_size(work->type));
    if (!grey->pixels)
        return ki_fail_memory(err, count * kn_type_size(work->type), "preparing a frame");
    for (size_t i = 0; i < count; i++) {
        double level = rint(fmin(white_of(work->type), fmax(0, (double)work->levels[i])));

        if (work->type == KN_U8)
            ((uint8_t *)grey->pixels)[i] = (uint8_t)level;
        else
            ((uint16_t *)grey->pixels)[i] = (uint16_t)level;
    }
    return KN_OK;
}

// ---- the steps; each is there or not ----

typedef kn_status step(const kn_autocorr_preparation *preparation, struct work *work,
                       kn_autocorr_prepared *prepared, kn_error *err);

static kn_status fail_uncertain(const kn_autocorr_preparation *preparation, const char *file,
                                double certainty, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                      "cannot be stabilised against %s: the peak of their correlation stands %.1f standard "
                      "deviations above the rest, expected %d at least, as unrelated pictures come up to 9; "
                      "leave the frame out, or do not stabilise",
                      preparation->file, certainty, AUTOCORR_LEAST_CERTAINTY);
}

static kn_status stabilise(const kn_autocorr_preparation *preparation, struct work *work,
                           kn_autocorr_prepared *prepared, kn_error *err)
{
    size_t count = work->width * work->height;
    struct autocorr_shift shift;
    float *moved;
    kn_status status;

    if (work->width != preparation->width || work->height != preparation->height)
        return ki_fail_at(err, KN_ERROR_INPUT, work->file, 0,
                          "is of %zu x %zu pixels, but %s, against which it is stabilised, of %zu x %zu",
                          work->width, work->height, preparation->file, preparation->width,
                          preparation->height);
    moved = malloc(count * sizeof *moved);
    if (!moved)
        return ki_fail_memory(err, count * sizeof *moved, "preparing a frame");
    status = ki_autocorr_register(preparation->reference, work->levels, work->width, work->height, &shift,
                                  &prepared->certainty, err);
    if (!status && !(prepared->certainty >= AUTOCORR_LEAST_CERTAINTY))
        status = fail_uncertain(preparation, work->file, prepared->certainty, err);
    if (!status) {
        ki_autocorr_move(work->levels, work->width, work->height, shift, moved);
        memcpy(work->levels, moved, count * sizeof *moved);
        prepared->x = shift.x;
        prepared->y = shift.y;
    }
    free(moved);
    return status;
}

static kn_status flatten(const kn_autocorr_preparation *preparation, struct work *work,
                         kn_autocorr_prepared *prepared, kn_error *err)
{
    (void)prepared;
    return ki_autocorr_flatten(work->levels, work->width, work->height, preparation->options.flatten, err);
}

static kn_status mend(const kn_autocorr_preparation *preparation, struct work *work,
                      kn_autocorr_prepared *prepared, kn_error *err)
{
    const kn_autocorr_grey *given = preparation->options.dust;
    size_t count = work->width * work->height;
    uint8_t *dust;
    kn_status status = KN_OK;

    if (given && (given->width != work->width || given->height != work->height))
        return ki_fail_at(err, KN_ERROR_INPUT, work->file, 0,
                          "is of %zu x %zu pixels, but the dust's mask is of %zu x %zu; expected the same",
                          work->width, work->height, given->width, given->height);
    dust = malloc(count);
    if (!dust)
        return ki_fail_memory(err, count, "mending dust");
    if (given)
        for (size_t i = 0; i < count; i++)
            dust[i] = given->type == KN_U8 ? ((uint8_t *)given->pixels)[i] != 0
                                           : ((uint16_t *)given->pixels)[i] != 0;
    else
        status = ki_autocorr_find_dust(work->levels, work->width, work->height, dust, err);
    if (!status)
        status = ki_autocorr_mend(work->levels, work->width, work->height, dust, &prepared->dust, err);
    free(dust);
    return status;
}

static kn_status stretch(const kn_autocorr_preparation *preparation, struct work *work,
                         kn_autocorr_prepared *prepared, kn_error *err)
{
    prepared->low = preparation->options.low;
    prepared->high = preparation->options.high;
    return ki_autocorr_stretch(work->levels, work->width * work->height, prepared->low, prepared->high,
                               white_of(work->type), err);
}

static bool has_region(const struct work *work, const kn_autocorr_region *region)
{
    return region->x < work->width && region->y < work->height && region->width <= work->width - region->x &&
           region->height <= work->height - region->y;
}

static kn_status crop(const kn_autocorr_preparation *preparation, struct work *work,
                      kn_autocorr_prepared *prepared, kn_error *err)
{
    const kn_autocorr_region *region = preparation->options.crop;

    (void)prepared;
    if (!has_region(work, region))
        return ki_fail_at(err, KN_ERROR_ARGUMENT, work->file, 0,
                          "cannot be cropped to %zu x %zu pixels at (%zu, %zu): it is of %zu x %zu",
                          region->width, region->height, region->x, region->y, work->width, work->height);
    for (size_t y = 0; y < region->height; y++) // upwards and to the left: nothing is overwritten too early
        memmove(work->levels + y * region->width, work->levels + (region->y + y) * work->width + region->x,
                region->width * sizeof *work->levels);
    work->width = region->width;
    work->height = region->height;
    return KN_OK;
}

static bool has_step(const kn_autocorr_preparation_options *options, kn_autocorr_step which)
{
    const bool has[KN_AUTOCORR_STEPS] = {
        [KN_AUTOCORR_STEP_GREY] = true,
        [KN_AUTOCORR_STEP_STABILISED] = options->stabilise,
        [KN_AUTOCORR_STEP_FLATTENED] = options->flatten > 0,
        [KN_AUTOCORR_STEP_MENDED] = options->find_dust || options->dust,
        [KN_AUTOCORR_STEP_CONTRAST] = options->contrast,
        [KN_AUTOCORR_STEP_CROPPED] = options->crop != NULL,
    };

    return has[which];
}

static step *const steps[KN_AUTOCORR_STEPS] = {NULL, stabilise, flatten, mend, stretch, crop};

// All steps before `end`.
static kn_status run_steps(const kn_autocorr_preparation *preparation, kn_autocorr_step end,
                           struct work *work, kn_autocorr_prepared *prepared, kn_error *err)
{
    kn_status status = KN_OK;

    for (kn_autocorr_step which = KN_AUTOCORR_STEP_GREY; which < end && !status; which++) {
        if (!has_step(&preparation->options, which))
            continue;
        if (steps[which])
            status = steps[which](preparation, work, prepared, err);
        if (!status && preparation->options.show)
            status = to_grey(work, &prepared->pictures[which], err);
    }
    return status;
}

void kn_autocorr_prepared_free(kn_autocorr_prepared *prepared)
{
    for (size_t i = 0; prepared && i < KN_AUTOCORR_STEPS; i++) {
        free(prepared->pictures[i].pixels);
        prepared->pictures[i].pixels = NULL;
    }
}

static kn_status prepare(const kn_autocorr_preparation *preparation, const char *name, kn_autocorr_grey *grey,
                         kn_autocorr_prepared *prepared, kn_error *err)
{
    struct work work = {name, grey->width, grey->height, grey->type, NULL};
    kn_autocorr_prepared found = {.dust = 0};
    kn_autocorr_grey made = {.pixels = NULL};
    kn_status status = to_floats(grey, &work.levels, err);

    if (!status)
        status = run_steps(preparation, KN_AUTOCORR_STEPS, &work, &found, err);
    if (!status)
        status = to_grey(&work, &made, err);
    free(work.levels);
    if (status) {
        kn_autocorr_prepared_free(&found);
        return status;
    }
    free(grey->pixels);
    made.colour = grey->colour;
    made.stretched = grey->stretched;
    *grey = made;
    *prepared = found;
    return KN_OK;
}

kn_status kn_autocorr_prepare(const kn_autocorr_preparation *preparation, const char *name,
                              kn_autocorr_grey *grey, kn_autocorr_prepared *prepared, kn_error *err)
{
    kn_status status;

    if (!preparation || !grey || !prepared)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__,
                       !preparation ? "preparation"
                       : !grey      ? "grey"
                                    : "prepared");
    name = name ? name : "the frame";
    status = ki_error_name(__func__, ki_autocorr_check_grey(name, grey, err), err);
    return status ? status : prepare(preparation, name, grey, prepared, err);
}

// ---- what the first frame tells ----

// The first frame that can be decoded; `room` is for its name.
static kn_status fetch_first(const kn_autocorr_source *source, char *room, const char **name,
                             kn_autocorr_grey *grey, kn_error *err)
{
    void *kept = NULL;
    kn_status status = source->count ? KN_ERROR_INPUT : ki_fail(err, KN_ERROR_INPUT, "there are no frames");

    for (size_t i = 0; i < source->count && status; i++) {
        *name = ki_autocorr_frame_name(source, i, room);
        status = ki_autocorr_fetch(source, i, &kept, grey, err);
    }
    ki_autocorr_release(source, kept);
    return status;
}

static kn_status find_levels(kn_autocorr_preparation *preparation, struct work *work, kn_error *err)
{
    const kn_autocorr_region *region = preparation->options.crop;
    kn_autocorr_region all = {0, 0, work->width, work->height};
    kn_autocorr_prepared prepared = {.dust = 0};
    bool show = preparation->options.show;
    kn_status status;

    preparation->options.show = false;
    status = run_steps(preparation, KN_AUTOCORR_STEP_CONTRAST, work, &prepared, err);
    preparation->options.show = show;
    if (!region || !has_region(work, region))
        region = &all;
    if (!status)
        status = ki_autocorr_levels(work->levels + region->y * work->width + region->x, region->width,
                                    region->height, work->width, &preparation->options.low,
                                    &preparation->options.high, err);
    if (!status && preparation->options.high <= preparation->options.low) // one level: it stays as it is
        preparation->options.contrast = false;
    return status;
}

static bool wants_first(const kn_autocorr_preparation_options *options)
{
    return options->stabilise || (options->contrast && options->contrast_auto);
}

// What is taken from the first frame.
static kn_status look_at_first(kn_autocorr_preparation *preparation, const kn_autocorr_source *source,
                               kn_error *err)
{
    const kn_autocorr_preparation_options *options = &preparation->options;
    char room[AUTOCORR_NAME_ROOM];
    kn_autocorr_grey first = {.pixels = NULL};
    struct work work = {.levels = NULL};
    const char *name = NULL;
    kn_status status = fetch_first(source, room, &name, &first, err);

    if (!status)
        status = to_floats(&first, &work.levels, err);
    if (!status && options->stabilise) {
        preparation->file = strdup(name);
        preparation->width = first.width;
        preparation->height = first.height;
        status = to_floats(&first, &preparation->reference, err);
        if (!status && !preparation->file)
            status = ki_fail_memory(err, 0, "preparing frames");
    }
    if (!status && options->contrast && options->contrast_auto) {
        work = (struct work){name, first.width, first.height, first.type, work.levels};
        status = find_levels(preparation, &work, err);
    }
    free(first.pixels);
    free(work.levels);
    return status;
}

static kn_status check_options(const kn_autocorr_preparation_options *options, kn_error *err)
{
    const kn_autocorr_region *crop = options->crop;

    if (!isfinite(options->flatten) || options->flatten < 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "`flatten` is %g; expected a radius in pixels, or 0",
                       options->flatten);
    if (options->find_dust && options->dust)
        return ki_fail(err, KN_ERROR_ARGUMENT, "dust is either found, or where `dust` says");
    if (options->contrast && !options->contrast_auto &&
        (!isfinite(options->low) || !isfinite(options->high) || options->low >= options->high))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a contrast from %g to %g; expected two levels, the first less than the second",
                       options->low, options->high);
    if (crop && (!crop->width || !crop->height))
        return ki_fail(err, KN_ERROR_ARGUMENT, "`crop` keeps %zu x %zu pixels; expected at least 1",
                       crop->width, crop->height);
    return options->dust ? ki_autocorr_check_grey("`dust`", options->dust, err) : KN_OK;
}

// `source` is that of the caller, who need not have given one.
static kn_status create(const char *function, const kn_autocorr_source *source,
                        const kn_autocorr_preparation_options *options, kn_autocorr_source *frames,
                        kn_autocorr_preparation **preparation, kn_error *err)
{
    kn_autocorr_preparation_options read;
    kn_autocorr_preparation *made;
    kn_status status;

    if (!preparation)
        return ki_fail(err, KN_ERROR_ARGUMENT, "preparation is NULL");
    status = KI_SIZED_READ(function, kn_autocorr_preparation_options, options, &read, err);
    if (!status)
        status = check_options(&read, err);
    if (!status && wants_first(&read))
        status = ki_autocorr_read_source(function, source, frames, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing frames");
    made->options = read;
    if (read.crop) {
        made->crop = *read.crop;
        made->options.crop = &made->crop;
    }
    if (read.dust) {
        made->dust = *read.dust;
        made->options.dust = &made->dust;
    }
    *preparation = made;
    return KN_OK;
}

kn_status kn_autocorr_preparation_create(const kn_autocorr_source *source,
                                         const kn_autocorr_preparation_options *options,
                                         kn_autocorr_preparation **preparation, kn_error *err)
{
    kn_autocorr_source frames;
    kn_autocorr_preparation *made = NULL;
    kn_status status = create(__func__, source, options, &frames, preparation ? &made : NULL, err);

    if (status)
        return ki_error_name(__func__, status, err);
    // What is said of a frame stays as it is.
    if (wants_first(&made->options))
        status = look_at_first(made, &frames, err);
    if (status)
        kn_autocorr_preparation_free(made);
    else
        *preparation = made;
    return status;
}

void kn_autocorr_preparation_free(kn_autocorr_preparation *preparation)
{
    if (!preparation)
        return;
    free(preparation->file);
    free(preparation->reference);
    free(preparation);
}
