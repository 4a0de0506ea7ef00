// SPDX-License-Identifier: Apache-2.0
#include "mri_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/volume.h"

enum { AXES = 3 }; // of k

static double number(const struct npy *array, size_t i)
{
    return array->type == KN_F64 ? ((const double *)array->data)[i] : (double)((const float *)array->data)[i];
}

static kn_status check_array(const char *path, const struct npy *array, kn_error *err)
{
    size_t axes = array->dims ? array->shape[array->dims - 1] : 0;

    if (array->type != KN_F32 && array->type != KN_F64)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "is of %s, but a trajectory is of real or complex floats", npy_type_name(array));
    if (array->dims < 2 || (axes != 2 && axes != AXES))
        return ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "is not a trajectory: expected [3, samples, spokes] (.cfl) or the shape (spokes, samples, 3) "
            "(.npy), but the first dimension (.cfl; .npy: the last one) of its %zu is %zu",
            array->dims, axes);
    for (size_t i = 0; array->is_complex && i < array->count; i++)
        if (number(array, 2 * i + 1) != 0)
            return ki_fail_at(
                err, KN_ERROR_INPUT, path, 0,
                "is not a trajectory: its number %zu has the imaginary part %g, expected 0; is it k-space?",
                i, number(array, 2 * i + 1));
    return KN_OK;
}

// The array's numbers, three a sample.
static kn_status place(const struct npy *array, struct mri_trajectory *trajectory, kn_error *err)
{
    size_t axes = array->shape[array->dims - 1], step = array->is_complex ? 2 : 1;

    trajectory->samples = array->count / axes;
    trajectory->dims = array->dims - 1;
    memcpy(trajectory->shape, array->shape, trajectory->dims * sizeof *array->shape);
    trajectory->k = calloc(trajectory->samples + 1, AXES * sizeof *trajectory->k);
    if (!trajectory->k)
        return ki_fail_memory(err, trajectory->samples * AXES * sizeof *trajectory->k, "a trajectory");
    for (size_t m = 0; m < trajectory->samples; m++)
        for (size_t axis = 0; axis < axes; axis++)
            trajectory->k[AXES * m + axis] = number(array, step * (axes * m + axis));
    return KN_OK;
}

kn_status mri_trajectory_read(const char *path, struct mri_trajectory *trajectory, kn_error *err)
{
    struct npy array;
    kn_status status = volume_read(path, &array, err);

    *trajectory = (struct mri_trajectory){.k = NULL};
    if (!status)
        status = check_array(path, &array, err);
    if (!status)
        status = place(&array, trajectory, err);
    npy_free(&array);
    return status;
}

kn_status mri_values_read(const char *path, bool complex_only, struct npy *shape, double complex **values,
                          kn_error *err)
{
    kn_status status = volume_read(path, shape, err);

    *values = NULL;
    if (!status && ((shape->type != KN_F32 && shape->type != KN_F64) || (complex_only && !shape->is_complex)))
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "is of %s, expected %scomplex floats%s",
                            npy_type_name(shape), complex_only ? "" : "real or ",
                            complex_only && !shape->is_complex ? "; is it an image instead of k-space?" : "");
    if (!status) {
        *values = malloc((shape->count + 1) * sizeof **values);
        if (!*values)
            status = ki_fail_memory(err, shape->count * sizeof **values, path);
    }
    for (size_t i = 0; !status && i < shape->count; i++) {
        double *parts = (double *)&(*values)[i];

        parts[0] = number(shape, shape->is_complex ? 2 * i : i);
        parts[1] = shape->is_complex ? number(shape, 2 * i + 1) : 0;
    }
    free(shape->data);
    shape->data = NULL;
    return status;
}

kn_status mri_image_array(const kn_recon_matrix *matrix, size_t voxels, const double complex *image,
                          bool is_complex, bool is_double, struct npy *array, kn_error *err)
{
    size_t parts = is_complex ? 2 : 1, bytes = is_double ? sizeof(double) : sizeof(float);

    *array = (struct npy){.type = is_double ? KN_F64 : KN_F32,
                          .is_complex = is_complex,
                          .dims = matrix->axes ? matrix->axes : 1,
                          .shape = {voxels},
                          .count = voxels,
                          .data = malloc(voxels * parts * bytes + 1)};
    if (!array->data)
        return ki_fail_memory(err, voxels * parts * bytes, "an image");
    for (size_t axis = 0; axis < matrix->axes; axis++)
        array->shape[matrix->axes - 1 - axis] = matrix->size[axis];
    for (size_t i = 0; i < parts * voxels; i++) {
        double value = i % parts ? cimag(image[i / parts]) : creal(image[i / parts]);

        if (is_double)
            ((double *)array->data)[i] = value;
        else
            ((float *)array->data)[i] = (float)value;
    }
    return KN_OK;
}

void mri_data_shape(const struct mri_trajectory *trajectory, struct npy *array)
{
    array->dims = trajectory->dims + 1;
    array->count = trajectory->samples;
    memcpy(array->shape, trajectory->shape, trajectory->dims * sizeof *array->shape);
    array->shape[trajectory->dims] = 1;
}
