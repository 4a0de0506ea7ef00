// SPDX-License-Identifier: Apache-2.0
#include "grey.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sized.h"

#define PIXELS_MAX (SIZE_MAX / 32) // of whose bytes there is a number, whatever they become

enum { RED = 299, GREEN = 587, BLUE = 114, WHOLE = 1000 };

static const double white = UINT16_MAX;

// The level of a pixel of `channels` samples.
static double level(const kn_autocorr_picture *picture, size_t pixel)
{
    const size_t at = pixel * picture->channels;
    const float *floats = picture->samples;
    const uint16_t *wide = picture->samples;
    const uint8_t *bytes = picture->samples;

    if (picture->type == KN_F32)
        return picture->channels < 3 ? (double)floats[at]
                                     : (RED * (double)floats[at] + GREEN * (double)floats[at + 1] +
                                        BLUE * (double)floats[at + 2]) /
                                           WHOLE;
    if (picture->channels < 3)
        return picture->type == KN_U8 ? bytes[at] : wide[at];
    if (picture->type == KN_U8)
        return (RED * bytes[at] + GREEN * bytes[at + 1] + BLUE * bytes[at + 2] + WHOLE / 2) / WHOLE;
    return (RED * wide[at] + GREEN * wide[at + 1] + BLUE * wide[at + 2] + WHOLE / 2) / WHOLE;
}

// The least and the greatest level, and whether all are whole numbers of 16 bits.
static kn_status range_of(const char *file, const kn_autocorr_picture *picture, double *least,
                          double *greatest, bool *whole, kn_error *err)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    *whole = true;
    for (size_t i = 0; i < picture->width * picture->height; i++) {
        double value = level(picture, i);

        if (!isfinite(value))
            return ki_fail_at(err, KN_ERROR_INPUT, file, 0, "pixel (%zu, %zu) is %g, expected finite numbers",
                              i % picture->width, i / picture->width, value);
        *least = fmin(*least, value);
        *greatest = fmax(*greatest, value);
        *whole = *whole && value >= 0 && value <= white && value == rint(value);
    }
    return KN_OK;
}

static kn_status check_size(const char *what, size_t width, size_t height, kn_error *err)
{
    if (width && height && width <= PIXELS_MAX / height)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "%s is of %zu x %zu pixels; expected at least 1, and room in memory", what, width, height);
}

static kn_status check_picture(const char *name, const kn_autocorr_picture *picture, kn_error *err)
{
    if (!picture->samples)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has no samples", name);
    if (picture->channels < 1 || picture->channels > 4)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has %u channels; expected 1 to 4", name,
                       picture->channels);
    if (picture->type != KN_U8 && picture->type != KN_U16 && picture->type != KN_F32)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s has samples of the type %s; expected KN_U8, KN_U16 or KN_F32", name,
                       kn_type_name(picture->type));
    return check_size(name, picture->width, picture->height, err);
}

// `grey` has what the picture tells, and its pixels are made.
static kn_status make_grey(const char *name, const kn_autocorr_picture *picture, kn_autocorr_grey *grey,
                           kn_error *err)
{
    size_t count = picture->width * picture->height;
    double least = 0, greatest = 1;
    bool whole = true;
    kn_status status = KN_OK;

    if (picture->type == KN_F32)
        status = range_of(name, picture, &least, &greatest, &whole, err);
    if (status)
        return status;
    grey->pixels = malloc(count * kn_type_size(grey->type));
    if (!grey->pixels)
        return ki_fail_memory(err, count * kn_type_size(grey->type), name);
    grey->stretched = !whole;
    for (size_t i = 0; i < count; i++) {
        double value = level(picture, i);

        if (!whole)
            value = greatest > least ? rint((value - least) / (greatest - least) * white) : 0;
        if (grey->type == KN_U8)
            ((uint8_t *)grey->pixels)[i] = (uint8_t)value;
        else
            ((uint16_t *)grey->pixels)[i] = (uint16_t)value;
    }
    return KN_OK;
}

kn_status kn_autocorr_make_grey(const char *name, kn_autocorr_picture *picture, kn_autocorr_grey *grey,
                                kn_error *err)
{
    kn_status status;

    if (!picture || !grey)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, picture ? "grey" : "picture");
    name = name ? name : "the picture";
    status = check_picture(name, picture, err);
    if (status)
        return ki_error_name(__func__, status, err);
    *grey = (kn_autocorr_grey){.width = picture->width,
                               .height = picture->height,
                               .type = picture->type == KN_U8 ? KN_U8 : KN_U16,
                               .colour = picture->channels >= 3};
    if (picture->type != KN_F32 && picture->channels == 1) {
        grey->pixels = picture->samples;
    } else {
        status = make_grey(name, picture, grey, err);
        free(picture->samples);
    }
    picture->samples = NULL;
    return status;
}

// ---- frames of a source ----

const char *ki_autocorr_frame_name(const kn_autocorr_source *source, size_t i, char *room)
{
    if (source->names && source->names[i])
        return source->names[i];
    snprintf(room, AUTOCORR_NAME_ROOM, "frame %zu", i);
    return room;
}

kn_status ki_autocorr_read_source(const char *function, const kn_autocorr_source *given,
                                  kn_autocorr_source *source, kn_error *err)
{
    kn_status status;

    if (!given)
        return ki_fail(err, KN_ERROR_ARGUMENT, "source is NULL");
    status = KI_SIZED_READ(function, kn_autocorr_source, given, source, err);
    if (!status && source->count && !source->fetch)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "the source has %zu frames, and its fetch is NULL",
                         source->count);
    return status;
}

kn_status ki_autocorr_check_grey(const char *what, const kn_autocorr_grey *grey, kn_error *err)
{
    if (!grey->pixels)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has no pixels", what);
    if (grey->type != KN_U8 && grey->type != KN_U16)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has pixels of the type %s; expected KN_U8 or KN_U16", what,
                       kn_type_name(grey->type));
    return check_size(what, grey->width, grey->height, err);
}

kn_status ki_autocorr_fetch(const kn_autocorr_source *source, size_t i, void **kept, kn_autocorr_grey *grey,
                            kn_error *err)
{
    char room[AUTOCORR_NAME_ROOM];
    const char *name = ki_autocorr_frame_name(source, i, room);
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    *grey = (kn_autocorr_grey){.pixels = NULL};
    status = source->fetch(source->data, i, kept, grey, &why);
    if (!status) {
        status = ki_autocorr_check_grey(name, grey, &why);
        if (status)
            free(grey->pixels);
    } else if (why.code != status) {
        ki_fail(&why, status, "%s: the source's fetch returned %s", name, kn_status_name(status));
    }
    if (status) {
        grey->pixels = NULL;
        if (err)
            *err = why;
    }
    return status;
}

void ki_autocorr_release(const kn_autocorr_source *source, void *kept)
{
    if (source->release)
        source->release(source->data, kept);
}
