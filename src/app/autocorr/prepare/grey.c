// SPDX-License-Identifier: Apache-2.0
#include "grey.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

enum { RED = 299, GREEN = 587, BLUE = 114, WHOLE = 1000 };

static const double white = UINT16_MAX;

// The level of a pixel of `channels` samples.
static double level(const struct autocorr_picture *picture, size_t pixel)
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
static kn_status range_of(const char *file, const struct autocorr_picture *picture, double *least,
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

kn_status ki_autocorr_grey_of(const char *file, struct autocorr_picture *picture, struct autocorr_grey *grey,
                              kn_error *err)
{
    size_t count = picture->width * picture->height;
    double least = 0, greatest = 1;
    bool whole = true;
    kn_status status = KN_OK;

    *grey = (struct autocorr_grey){
        picture->width, picture->height,        picture->type == KN_U8 ? KN_U8 : KN_U16,
        NULL,           picture->channels >= 3, false};
    if (picture->type != KN_F32 && picture->channels == 1) {
        grey->pixels = picture->samples;
        picture->samples = NULL;
        return KN_OK;
    }
    if (picture->type == KN_F32)
        status = range_of(file, picture, &least, &greatest, &whole, err);
    grey->pixels = status ? NULL : malloc(count * kn_type_size(grey->type));
    if (!status && !grey->pixels)
        status = ki_fail_memory(err, count * kn_type_size(grey->type), file);
    grey->stretched = !whole;
    for (size_t i = 0; i < count && !status; i++) {
        double value = level(picture, i);

        if (!whole)
            value = greatest > least ? rint((value - least) / (greatest - least) * white) : 0;
        if (grey->type == KN_U8)
            ((uint8_t *)grey->pixels)[i] = (uint8_t)value;
        else
            ((uint16_t *)grey->pixels)[i] = (uint16_t)value;
    }
    free(picture->samples);
    picture->samples = NULL;
    return status;
}

kn_status ki_autocorr_fetch(const struct autocorr_film *film, size_t i, struct autocorr_grey *grey,
                            kn_error *err)
{
    void *kept = NULL;
    kn_status status = film->fetch(film, i, &kept, grey, err);

    film->release(kept);
    return status;
}
