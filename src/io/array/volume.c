// SPDX-License-Identifier: Apache-2.0
#include "volume.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "cfl.h"
#include "nifti.h"
#include "tiff_stack.h"
#include "io/image/png.h"

// ---- images ----

static double number(const struct npy *array, size_t i)
{
    return array->type == KN_F64 ? ((const double *)array->data)[i] : (double)((const float *)array->data)[i];
}

// `count` elements from `first` on as real numbers: the magnitudes of complex ones. The caller frees them.
static kn_status real_values(const struct npy *array, size_t first, size_t count, double **values,
                             kn_error *err)
{
    double *real = malloc(count * sizeof *real + 1);

    if (!real)
        return ki_fail_memory(err, count * sizeof *real, "an image");
    for (size_t i = 0; i < count; i++)
        real[i] = array->is_complex
                      ? hypot(number(array, 2 * (first + i)), number(array, 2 * (first + i) + 1))
                      : number(array, first + i);
    *values = real;
    return KN_OK;
}

// The number of its voxels; KN_ERROR_ARGUMENT for an array that is not an image.
static kn_status count_voxels(const struct npy *array, size_t *count, kn_error *err)
{
    *count = 1;
    if (array->type != KN_F32 && array->type != KN_F64)
        return ki_fail(err, KN_ERROR_ARGUMENT, "an image is of real or complex floats, not of %s",
                       npy_type_name(array));
    if (array->dims < 1 || array->dims > 3)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "an image has 1 to 3 dimensions, but this array has %zu; write it as .cfl or .npy",
                       array->dims);
    for (size_t i = 0; i < array->dims; i++)
        *count *= array->shape[i];
    return *count ? KN_OK : ki_fail(err, KN_ERROR_ARGUMENT, "an image without voxels");
}

static kn_status write_nifti(const char *path, const struct npy *array, bool force, kn_error *err)
{
    struct npy image = *array;
    double *values = NULL;
    size_t count;
    kn_status status = count_voxels(array, &count, err);

    if (!status)
        status = real_values(array, 0, count, &values, err);
    if (status)
        return status;
    image.type = KN_F64;
    image.is_complex = false;
    image.data = values;
    status = nifti_write(path, &image, NULL, force, err);
    free(values);
    return status;
}

// Its pages are the slices.
static struct tiff_stack stack_of(const struct npy *array)
{
    const size_t width = cfl_dim(array, 0), height = cfl_dim(array, 1), pages = cfl_dim(array, 2);

    return (struct tiff_stack){width, height, pages, tiff_stack_needs_big(width, height, pages)};
}

static kn_status write_page(FILE *stream, const struct tiff_stack *stack, const struct npy *array,
                            size_t page, float *floats, kn_error *err)
{
    const size_t pixels = stack->width * stack->height;
    double *values = NULL;
    kn_status status = real_values(array, page * pixels, pixels, &values, err);

    for (size_t i = 0; i < pixels && !status; i++)
        floats[i] = (float)values[i];
    if (!status)
        tiff_stack_page(stream, stack, page, floats);
    free(values);
    return status;
}

static kn_status write_tiff(const char *path, const struct npy *array, bool force, kn_error *err)
{
    struct tiff_stack stack;
    struct ki_output *out = NULL;
    float *floats = NULL;
    size_t count;
    kn_status status = count_voxels(array, &count, err);

    if (status)
        return status;
    stack = stack_of(array);
    floats = malloc(stack.width * stack.height * sizeof *floats);
    status = floats ? ki_output_open(path, force, &out, err)
                    : ki_fail_memory(err, stack.width * stack.height * sizeof *floats, path);
    if (!status)
        tiff_stack_begin(ki_output_stream(out), &stack);
    for (size_t page = 0; page < stack.pages && !status; page++)
        status = write_page(ki_output_stream(out), &stack, array, page, floats, err);
    free(floats);
    if (!status)
        return ki_output_close(out, err);
    ki_output_discard(out);
    return status;
}

static kn_status write_png(const char *path, const struct npy *array, bool force, kn_error *err)
{
    struct ki_picture picture = {.pixels = NULL};
    double *values = NULL, high = 0;
    size_t count, width = cfl_dim(array, 0), height = cfl_dim(array, 1), slice = cfl_dim(array, 2) / 2;
    kn_status status = count_voxels(array, &count, err);

    if (!status)
        status = real_values(array, slice * width * height, width * height, &values, err);
    if (status)
        return status;
    for (size_t i = 0; i < width * height; i++) {
        values[i] = fabs(values[i]);
        high = isfinite(values[i]) ? fmax(high, values[i]) : high;
    }
    status = ki_picture_of(values, width, height, 8, 0, high, &picture, err);
    if (!status)
        status = ki_png_write(path, &picture, force, err);
    free(picture.pixels);
    free(values);
    return status;
}

// ---- formats ----

static const struct format {
    const char *ending;
    enum volume_kind kind; // the least that it can hold
    kn_status (*write)(const char *path, const struct npy *array, bool force, kn_error *err);
    kn_status (*read)(const char *path, struct npy *array, kn_error *err);
} formats[] = {
    {".cfl", VOLUME_ARRAY, cfl_write, cfl_read}, {".hdr", VOLUME_ARRAY, cfl_write, cfl_read},
    {".npy", VOLUME_ARRAY, npy_write, npy_read}, {".nii", VOLUME_IMAGE, write_nifti, NULL},
    {".png", VOLUME_IMAGE, write_png, NULL},     {".tif", VOLUME_IMAGE, write_tiff, NULL},
    {".tiff", VOLUME_IMAGE, write_tiff, NULL},
};

// The format for a name; a name without an ending is a pair's. NULL for an unknown ending.
static const struct format *format_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *ending = strrchr(name, '.');

    if (strcmp(path, "-") == 0)
        ending = ".npy";
    if (!ending || ending == name)
        return *name ? &formats[0] : NULL;
    for (size_t i = 0; i < KI_COUNT(formats); i++)
        if (strcmp(ending, formats[i].ending) == 0)
            return &formats[i];
    return NULL;
}

// The format of a file to be written.
static kn_status choose(const char *path, enum volume_kind kind, const struct format **format, kn_error *err)
{
    *format = format_of(path);
    if (*format && (kind == VOLUME_IMAGE || (*format)->kind == VOLUME_ARRAY))
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_ARGUMENT, path, 0, "expected a name that ends in %s",
                      kind == VOLUME_IMAGE ? ".cfl, .npy, .nii, .tif or .png, which tells the format"
                                           : ".cfl or .npy, which tells the format");
}

kn_status volume_try(const char *path, enum volume_kind kind, bool force, kn_error *err)
{
    static const char *const pair[] = {".cfl", ".hdr"};
    const struct format *format;
    kn_status status = choose(path, kind, &format, err);

    if (status || format->write != cfl_write)
        return status ? status : ki_output_try(path, force, err);
    for (size_t i = 0; i < KI_COUNT(pair) && !status; i++) {
        char *name = cfl_path(path, pair[i]);

        status = name ? ki_output_try(name, force, err) : ki_fail_memory(err, 0, path);
        free(name);
    }
    return status;
}

kn_status volume_write(const char *path, enum volume_kind kind, const struct npy *array, bool force,
                       kn_error *err)
{
    const struct format *format;
    kn_status status = choose(path, kind, &format, err);

    return status ? status : format->write(path, array, force, err);
}

bool volume_files(const char *path, const struct npy *array,
                  void (*each)(void *data, const char *name, double bytes), void *data)
{
    enum { COMPLEX64 = 8, NIFTI_HEAD = 352, NIFTI_VOXEL = 4 };
    const struct format *format = format_of(path);
    char *cfl, *hdr;
    double count = 1;
    struct tiff_stack stack;
    bool named;

    for (size_t i = 0; i < array->dims; i++)
        count *= (double)array->shape[i];
    stack = stack_of(array);
    if (!format || format->write != cfl_write) {
        each(data, path,
             format && format->write == npy_write     ? (double)npy_file_size(array)
             : format && format->write == write_nifti ? NIFTI_HEAD + NIFTI_VOXEL * count
             : format && format->write == write_tiff  ? (double)tiff_stack_bytes(&stack)
                                                      : NAN);
        return true;
    }
    cfl = cfl_path(path, ".cfl");
    hdr = cfl_path(path, ".hdr");
    named = cfl && hdr;
    if (named) {
        each(data, cfl, COMPLEX64 * count);
        each(data, hdr, NAN);
    }
    free(cfl);
    free(hdr);
    return named;
}

kn_status volume_read(const char *path, struct npy *array, kn_error *err)
{
    const struct format *format = format_of(path);

    *array = (struct npy){.data = NULL};
    if (format && format->read)
        return format->read(path, array, err);
    return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                      "expected a .npy file or a .cfl/.hdr pair, by its ending");
}
