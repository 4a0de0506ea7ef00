// SPDX-License-Identifier: Apache-2.0
#include "prepare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "filters.h"
#include "register.h"

const char *const ki_autocorr_step_names[AUTOCORR_STEPS] = {"1-grey",   "2-stabilised", "3-flattened",
                                                            "4-mended", "5-contrast",   "6-cropped"};

struct autocorr_preparation {
    struct autocorr_preparation_options options; // with the contrast's levels
    char *file;                                  // of the first frame
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

static kn_status to_floats(const struct autocorr_grey *grey, float **levels, kn_error *err)
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
static kn_status to_grey(const struct work *work, struct autocorr_grey *grey, kn_error *err)
{
    size_t count = work->width * work->height;

    *grey = (struct autocorr_grey){.width = work->width, .height = work->height, .type = work->type};
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

typedef kn_status step(const struct autocorr_preparation *preparation, struct work *work,
                       struct autocorr_prepared *prepared, kn_error *err);

static kn_status stabilise(const struct autocorr_preparation *preparation, struct work *work,
                           struct autocorr_prepared *prepared, kn_error *err)
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
    status =
        ki_autocorr_register(preparation->reference, work->levels, work->width, work->height, &shift, err);
    if (!status) {
        ki_autocorr_move(work->levels, work->width, work->height, shift, moved);
        memcpy(work->levels, moved, count * sizeof *moved);
        prepared->x = shift.x;
        prepared->y = shift.y;
    }
    free(moved);
    return status;
}

static kn_status flatten(const struct autocorr_preparation *preparation, struct work *work,
                         struct autocorr_prepared *prepared, kn_error *err)
{
    (void)prepared;
    return ki_autocorr_flatten(work->levels, work->width, work->height, preparation->options.flatten, err);
}

static kn_status mend(const struct autocorr_preparation *preparation, struct work *work,
                      struct autocorr_prepared *prepared, kn_error *err)
{
    const struct autocorr_grey *given = preparation->options.dust;
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

static kn_status stretch(const struct autocorr_preparation *preparation, struct work *work,
                         struct autocorr_prepared *prepared, kn_error *err)
{
    prepared->low = preparation->options.low;
    prepared->high = preparation->options.high;
    return ki_autocorr_stretch(work->levels, work->width * work->height, prepared->low, prepared->high,
                               white_of(work->type), err);
}

static bool has_region(const struct work *work, const struct autocorr_region *region)
{
    return region->x < work->width && region->y < work->height && region->width <= work->width - region->x &&
           region->height <= work->height - region->y;
}

static kn_status crop(const struct autocorr_preparation *preparation, struct work *work,
                      struct autocorr_prepared *prepared, kn_error *err)
{
    const struct autocorr_region *region = preparation->options.crop;

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

static bool has_step(const struct autocorr_preparation_options *options, enum autocorr_step which)
{
    const bool has[AUTOCORR_STEPS] = {
        [AUTOCORR_GREY] = true,
        [AUTOCORR_STABILISED] = options->stabilise,
        [AUTOCORR_FLATTENED] = options->flatten > 0,
        [AUTOCORR_MENDED] = options->find_dust || options->dust,
        [AUTOCORR_CONTRAST] = options->contrast,
        [AUTOCORR_CROPPED] = options->crop != NULL,
    };

    return has[which];
}

static step *const steps[AUTOCORR_STEPS] = {NULL, stabilise, flatten, mend, stretch, crop};

// All steps before `end`.
static kn_status run_steps(const struct autocorr_preparation *preparation, enum autocorr_step end,
                           struct work *work, struct autocorr_prepared *prepared, kn_error *err)
{
    kn_status status = KN_OK;

    for (enum autocorr_step which = AUTOCORR_GREY; which < end && !status; which++) {
        if (!has_step(&preparation->options, which))
            continue;
        if (steps[which])
            status = steps[which](preparation, work, prepared, err);
        if (!status && preparation->options.show)
            status = to_grey(work, &prepared->pictures[which], err);
    }
    return status;
}

void ki_autocorr_prepared_free(struct autocorr_prepared *prepared)
{
    for (size_t i = 0; i < AUTOCORR_STEPS; i++) {
        free(prepared->pictures[i].pixels);
        prepared->pictures[i].pixels = NULL;
    }
}

kn_status ki_autocorr_prepare(const struct autocorr_preparation *preparation, const char *file,
                              struct autocorr_grey *grey, struct autocorr_prepared *prepared, kn_error *err)
{
    struct work work = {file, grey->width, grey->height, grey->type, NULL};
    struct autocorr_grey made = {.pixels = NULL};
    kn_status status = to_floats(grey, &work.levels, err);

    *prepared = (struct autocorr_prepared){.dust = 0};
    if (!status)
        status = run_steps(preparation, AUTOCORR_STEPS, &work, prepared, err);
    if (!status)
        status = to_grey(&work, &made, err);
    free(work.levels);
    if (status) {
        ki_autocorr_prepared_free(prepared);
        return status;
    }
    free(grey->pixels);
    made.colour = grey->colour;
    made.stretched = grey->stretched;
    *grey = made;
    return KN_OK;
}

// ---- what the first frame tells ----

static kn_status fetch_first(const struct autocorr_film *frames, const char **file,
                             struct autocorr_grey *grey, kn_error *err)
{
    kn_status status = KN_ERROR_INPUT;

    for (size_t i = 0; i < frames->count && status; i++) {
        *file = frames->sources[i].file;
        status = ki_autocorr_fetch(frames, i, grey, err);
    }
    return status;
}

static kn_status find_levels(struct autocorr_preparation *preparation, struct work *work, kn_error *err)
{
    const struct autocorr_region *region = preparation->options.crop;
    struct autocorr_region all = {0, 0, work->width, work->height};
    struct autocorr_prepared prepared = {.dust = 0};
    bool show = preparation->options.show;
    kn_status status;

    preparation->options.show = false;
    status = run_steps(preparation, AUTOCORR_CONTRAST, work, &prepared, err);
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

kn_status ki_autocorr_preparation_open(const struct autocorr_film *frames,
                                       const struct autocorr_preparation_options *options,
                                       struct autocorr_preparation **preparation, kn_error *err)
{
    struct autocorr_preparation *opened = calloc(1, sizeof *opened);
    struct autocorr_grey first = {.pixels = NULL};
    struct work work = {.levels = NULL};
    const char *file = NULL;
    kn_status status = KN_OK;

    *preparation = NULL;
    if (!opened)
        return ki_fail_memory(err, sizeof *opened, "preparing frames");
    opened->options = *options;
    if (options->stabilise || (options->contrast && options->contrast_auto)) {
        status = fetch_first(frames, &file, &first, err);
        if (!status)
            status = to_floats(&first, &work.levels, err);
        work = (struct work){file, first.width, first.height, first.type, work.levels};
    }
    if (!status && options->stabilise) {
        opened->file = strdup(file);
        opened->width = first.width;
        opened->height = first.height;
        status = to_floats(&first, &opened->reference, err);
        if (!status && !opened->file)
            status = ki_fail_memory(err, 0, "preparing frames");
    }
    if (!status && options->contrast && options->contrast_auto)
        status = find_levels(opened, &work, err);
    free(first.pixels);
    free(work.levels);
    if (status)
        ki_autocorr_preparation_close(opened);
    else
        *preparation = opened;
    return status;
}

void ki_autocorr_preparation_close(struct autocorr_preparation *preparation)
{
    if (!preparation)
        return;
    free(preparation->file);
    free(preparation->reference);
    free(preparation);
}
