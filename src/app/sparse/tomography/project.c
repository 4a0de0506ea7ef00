// SPDX-License-Identifier: Apache-2.0
#include "project.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/elements.h"
#include "base/error.h"
#include "io/image/image.h"
#include "io/array/npy.h"

// ---- files ----

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
        return kn_fail_memory(err, count * sizeof **values, path);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;

        memcpy(&bits, (const char *)elements + i * size, size);
        (*values)[i] = element_value(bits, type);
        if (!isfinite((*values)[i])) {
            kn_fail_at(err, KN_ERROR_INPUT, path, 0, "element %zu is %g; expected numbers", i, (*values)[i]);
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
    struct kn_text shape = KN_TEXT_INIT;

    for (size_t i = 0; i < array->dims; i++)
        kn_text_format(&shape, "%s%zu", i ? " x " : "", array->shape[i]);
    kn_fail_at(err, KN_ERROR_INPUT, path, 0, "an array of %s; the geometry expects %zu x %zu",
               array->dims ? kn_text_string(&shape) : "one number", height, width);
    kn_text_free(&shape);
    return KN_ERROR_INPUT;
}

static kn_status read_array(const char *path, size_t height, size_t width, double **values, kn_error *err)
{
    struct npy array;
    kn_status status = npy_read(path, &array, err);

    if (status)
        return status;
    if (array.is_complex)
        status = kn_fail_at(err, KN_ERROR_INPUT, path, 0, "complex numbers; expected real ones");
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
        status = kn_fail_at(err, KN_ERROR_INPUT, path, 0, "%u channels a pixel; expected a grey picture",
                            image.channels);
    if (!status && (image.height != height || image.width != width))
        status = kn_fail_at(err, KN_ERROR_INPUT, path, 0,
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

// ---- products ----

static kn_status narrow(const double *from, size_t count, float *to, kn_error *err)
{
    for (size_t i = 0; i < count; i++) {
        to[i] = (float)from[i];
        if (!isfinite(to[i]))
            return kn_fail(err, KN_ERROR_ARGUMENT,
                           "element %zu is %g, which single precision has not; use --device host", i,
                           from[i]);
    }
    return KN_OK;
}

static kn_status apply(kn_queue *queue, struct sparse_projection *projection, const struct sparse_operator *a,
                       float *from, size_t columns, float *to, size_t rows, kn_error *err)
{
    kn_context *context = kn_queue_context(queue);
    bool transposed = projection->transposed;
    kn_buffer *x = NULL, *y = NULL;
    kn_status status = kn_buffer_create(context, columns * sizeof *from, &x, err);

    if (!status)
        status = kn_buffer_create(context, rows * sizeof *to, &y, err);
    if (!status)
        status = kn_buffer_write(queue, x, 0, from, columns * sizeof *from, err);
    if (!status)
        status = sparse_operator_apply(queue, a, transposed, x, y, err);
    if (!status)
        status = kn_buffer_read(queue, y, 0, to, rows * sizeof *to, err);
    projection->format = sparse_operator_format(a, transposed);
    kn_text_add(&projection->why, sparse_operator_why(a, transposed));
    kn_buffer_free(x);
    kn_buffer_free(y);
    return status;
}

kn_status sparse_project(kn_queue *queue, struct sparse_projection *projection, const double *from,
                         double *to, kn_error *err)
{
    const struct sparse_parallel *geometry = projection->geometry;
    size_t rays = sparse_parallel_rows(geometry), pixels = sparse_parallel_columns(geometry);
    size_t rows = projection->transposed ? pixels : rays, columns = projection->transposed ? rays : pixels;
    struct sparse_operator *a = NULL;
    float *singles;
    kn_status status;

    if (!queue) {
        projection->format = SPARSE_ON_THE_FLY;
        return sparse_parallel_multiply(geometry, projection->transposed, from, to, 0, err);
    }
    singles = malloc((rows + columns) * sizeof *singles);
    status = singles ? narrow(from, columns, singles, err)
                     : kn_fail_memory(err, (rows + columns) * sizeof *singles, "a projection");
    if (!status)
        status = sparse_operator_create_parallel(queue, geometry, projection->format, NULL, &a, err);
    if (!status)
        status = apply(queue, projection, a, singles, columns, singles + columns, rows, err);
    for (size_t i = 0; i < rows && !status; i++)
        to[i] = (double)singles[columns + i];
    sparse_operator_free(a);
    free(singles);
    return status;
}
