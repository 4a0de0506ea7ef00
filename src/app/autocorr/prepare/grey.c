// SPDX-License-Identifier: Apache-2.0
#include "grey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { RED = 299, GREEN = 587, BLUE = 114, WHOLE = 1000 };

static const double white = UINT16_MAX;

// The level of a pixel of `channels` samples.
static double level(const struct image *image, size_t pixel)
{
    const size_t at = pixel * image->channels;
    const float *floats = image->samples;
    const uint16_t *wide = image->samples;
    const uint8_t *bytes = image->samples;

    if (image->type == KN_F32)
        return image->channels < 3 ? (double)floats[at]
                                   : (RED * (double)floats[at] + GREEN * (double)floats[at + 1] +
                                      BLUE * (double)floats[at + 2]) /
                                         WHOLE;
    if (image->channels < 3)
        return image->type == KN_U8 ? bytes[at] : wide[at];
    if (image->type == KN_U8)
        return (RED * bytes[at] + GREEN * bytes[at + 1] + BLUE * bytes[at + 2] + WHOLE / 2) / WHOLE;
    return (RED * wide[at] + GREEN * wide[at + 1] + BLUE * wide[at + 2] + WHOLE / 2) / WHOLE;
}

// The least and the greatest level, and whether all are whole numbers of 16 bits.
static kn_status range_of(const char *file, const struct image *image, double *least, double *greatest,
                          bool *whole, kn_error *err)
{
    *least = INFINITY;
    *greatest = -INFINITY;
    *whole = true;
    for (size_t i = 0; i < image->width * image->height; i++) {
        double value = level(image, i);

        if (!isfinite(value))
            return kn_fail_at(err, KN_ERROR_INPUT, file, 0, "pixel (%zu, %zu) is %g, expected finite numbers",
                              i % image->width, i / image->width, value);
        *least = fmin(*least, value);
        *greatest = fmax(*greatest, value);
        *whole = *whole && value >= 0 && value <= white && value == rint(value);
    }
    return KN_OK;
}

kn_status autocorr_grey_of(const char *file, struct image *image, struct autocorr_grey *grey, kn_error *err)
{
    size_t count = image->width * image->height;
    double least = 0, greatest = 1;
    bool whole = true;
    kn_status status = KN_OK;

    *grey = (struct autocorr_grey){image->width, image->height,        image->type == KN_U8 ? KN_U8 : KN_U16,
                                   NULL,         image->channels >= 3, false};
    if (image->type != KN_F32 && image->channels == 1) {
        grey->pixels = image->samples;
        image->samples = NULL;
        return KN_OK;
    }
    if (image->type == KN_F32)
        status = range_of(file, image, &least, &greatest, &whole, err);
    grey->pixels = status ? NULL : malloc(count * kn_type_size(grey->type));
    if (!status && !grey->pixels)
        status = kn_fail_memory(err, count * kn_type_size(grey->type), file);
    grey->stretched = !whole;
    for (size_t i = 0; i < count && !status; i++) {
        double value = level(image, i);

        if (!whole)
            value = greatest > least ? rint((value - least) / (greatest - least) * white) : 0;
        if (grey->type == KN_U8)
            ((uint8_t *)grey->pixels)[i] = (uint8_t)value;
        else
            ((uint16_t *)grey->pixels)[i] = (uint16_t)value;
    }
    free(image->samples);
    image->samples = NULL;
    return status;
}

kn_status autocorr_source_open(const struct autocorr_source *source, struct image_file **file, kn_error *err)
{
    return source->bytes ? image_open_bytes(source->bytes, 0, file, err)
                         : image_open(source->file, 0, file, err);
}

kn_status autocorr_source_read(const struct autocorr_source *source, struct autocorr_grey *grey,
                               kn_error *err)
{
    struct image_file *opened = NULL;
    struct image image = {.samples = NULL};
    kn_status status = autocorr_source_open(source, &opened, err);

    if (!status)
        status = image_read(opened, source->page, &image, err);
    image_close(opened);
    return status ? status : autocorr_grey_of(source->file, &image, grey, err);
}

kn_status autocorr_grey_read(const char *file, struct autocorr_grey *grey, kn_error *err)
{
    bool is_input = strcmp(file, "-") == 0;
    struct image_bytes input = {.data = NULL};
    const struct autocorr_source source = {file, 0, 1, is_input ? &input : NULL};
    struct image_file *opened = NULL;
    kn_status status = is_input ? image_read_input(&input, err) : KN_OK;

    if (!status)
        status = autocorr_source_open(&source, &opened, err);
    if (!status && image_pages(opened) != 1)
        status = kn_fail_at(err, KN_ERROR_INPUT, file, 0, "has %zu pages, expected one", image_pages(opened));
    image_close(opened);
    if (!status)
        status = autocorr_source_read(&source, grey, err);
    free(input.data);
    return status;
}
