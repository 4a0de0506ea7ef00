// SPDX-License-Identifier: Apache-2.0
#include "tomography_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/volume.h"
#include "sinogram_files.h"

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), own = strlen(ending);

    return length >= own && strcmp(path + length - own, ending) == 0;
}

bool sparse_is_tomography(const char *path)
{
    return ends_in(path, ".h5") || ends_in(path, ".hdf5");
}

// ---- measured ----

// So many of the file's detectors as make one of the geometry's.
static kn_status read_binned(const char *path, size_t slice, const struct sparse_parallel *geometry,
                             struct sparse_sinogram *sinogram, kn_error *err)
{
    struct sparse_sinogram_options options = {.slice = slice, .bin = 1};
    size_t detectors;
    kn_status status = sparse_read_sinogram(path, &options, sinogram, err);

    if (status || !geometry)
        return status;
    detectors = sinogram->detectors;
    if (sinogram->angles != geometry->angles || detectors / geometry->detectors < 1 ||
        detectors % geometry->detectors != 0) {
        status = ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "has %zu projections of %zu detectors; the geometry's %zu of %zu are no whole part of them",
            sinogram->angles, detectors, geometry->angles, geometry->detectors);
        ki_sparse_sinogram_free(sinogram);
        return status;
    }
    options.bin = detectors / geometry->detectors;
    if (options.bin == 1)
        return KN_OK;
    ki_sparse_sinogram_free(sinogram);
    return sparse_read_sinogram(path, &options, sinogram, err);
}

kn_status sparse_read_measured(const char *path, size_t slice, struct sparse_parallel *geometry,
                               struct sparse_columns *b, kn_error *err)
{
    struct sparse_sinogram sinogram;
    kn_status status = read_binned(path, slice, geometry, &sinogram, err);

    *b = (struct sparse_columns){.values = NULL};
    if (status)
        return status;
    *b = (struct sparse_columns){sinogram.angles * sinogram.detectors, 1, sinogram.values};
    sinogram.values = NULL;
    if (geometry) {
        free(geometry->theta);
        geometry->theta = sinogram.theta;
        sinogram.theta = NULL;
    }
    ki_sparse_sinogram_free(&sinogram);
    return KN_OK;
}

// ---- solutions ----

// The edge of a square of so many; 0 if they are none.
static size_t edge_of(size_t count)
{
    size_t edge = (size_t)floor(sqrt((double)count) + 0.5);

    return edge * edge == count ? edge : 0;
}

kn_status sparse_try_solutions(const char *path, size_t columns, size_t count, kn_error *err)
{
    if (ends_in(path, ".npy") || ends_in(path, ".mtx") || strcmp(path, "-") == 0)
        return KN_OK;
    if (!ends_in(path, ".png"))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: expected a name that ends in .npy, .mtx or .png", path);
    if (count != 1 || !edge_of(columns))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: %zu solution%s of %zu numbers; a picture is one, of as many as a square has: .npy or .mtx",
            path, count, count == 1 ? "" : "s", columns);
    return KN_OK;
}

kn_status sparse_write_solutions(const char *path, const struct sparse_columns *x, bool force, kn_error *err)
{
    size_t edge = edge_of(x->rows);
    struct npy picture = {.type = KN_F64, .dims = 2, .shape = {edge, edge}, .count = x->rows};
    double *values;
    kn_status status;

    if (!ends_in(path, ".png"))
        return sparse_write_columns(path, x, force, err);
    values = malloc((x->rows + 1) * sizeof *values);
    if (!values)
        return ki_fail_memory(err, x->rows * sizeof *values, path);
    for (size_t i = 0; i < x->rows; i++)
        values[i] = fmax(x->values[i], 0);
    picture.data = values;
    status = volume_write(path, VOLUME_IMAGE, &picture, force, err);
    free(values);
    return status;
}
