// SPDX-License-Identifier: Apache-2.0
#include "plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/error.h"
#include "base/text/text.h"
#include "io/array/npy.h"
#include "io/image/image.h"

static bool is_array(const char *path)
{
    size_t length = strlen(path);

    return strcmp(path, "-") == 0 || (length >= 4 && strcmp(path + length - 4, ".npy") == 0);
}

// `count` elements as doubles.
static kn_status take_numbers(const char *path, const void *elements, kn_type type, size_t count,
                              double **values, kn_error *err)
{
    size_t size = kn_type_size(type);

    *values = malloc(count * sizeof **values + 1);
    if (!*values)
        return ki_fail_memory(err, count * sizeof **values, path);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;

        memcpy(&bits, (const char *)elements + i * size, size);
        (*values)[i] = ki_element_value(bits, type);
        if (!isfinite((*values)[i])) {
            ki_fail_at(err, KN_ERROR_INPUT, path, 0, "element %zu is %g; expected numbers", i, (*values)[i]);
            free(*values);
            *values = NULL;
            return KN_ERROR_INPUT;
        }
    }
    return KN_OK;
}

// Of another shape than that.
static kn_status refuse_shape(const char *path, const struct npy *array, size_t height, size_t width,
                              kn_error *err)
{
    struct ki_text shape = KI_TEXT_INIT;

    for (size_t i = 0; i < array->dims; i++)
        ki_text_format(&shape, "%s%zu", i ? " x " : "", array->shape[i]);
    ki_fail_at(err, KN_ERROR_INPUT, path, 0, "an array of %s; the geometry expects %zu x %zu",
               array->dims ? ki_text_string(&shape) : "one number", height, width);
    ki_text_free(&shape);
    return KN_ERROR_INPUT;
}

static kn_status read_array(const char *path, size_t height, size_t width, double **values, kn_error *err)
{
    struct npy array;
    kn_status status = npy_read(path, &array, err);

    if (status)
        return status;
    if (array.is_complex)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "complex numbers; expected real ones");
    else if (array.count != height * width ||
             !(array.dims == 1 || (array.dims == 2 && array.shape[0] == height)))
        status = refuse_shape(path, &array, height, width, err);
    if (!status)
        status = take_numbers(path, array.data, array.type, array.count, values, err);
    npy_free(&array);
    return status;
}

static kn_status read_image(const char *path, size_t height, size_t width, double **values, kn_error *err)
{
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};
    kn_status status = image_open(path, 0, &file, err);

    if (!status)
        status = image_read(file, 0, &image, err);
    if (!status && image.channels != 1)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "%u channels per pixel; expected a grey picture",
                            image.channels);
    if (!status && (image.height != height || image.width != width))
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "%zu lines of %zu pixels; the geometry expects %zu of %zu", image.height,
                            image.width, height, width);
    if (!status)
        status = take_numbers(path, image.samples, image.type, height * width, values, err);
    free(image.samples);
    image_close(file);
    return status;
}

kn_status sparse_read_plane(const char *path, size_t height, size_t width, double **values, kn_error *err)
{
    *values = NULL;
    return is_array(path) ? read_array(path, height, width, values, err)
                          : read_image(path, height, width, values, err);
}
