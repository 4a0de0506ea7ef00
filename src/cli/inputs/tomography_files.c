// SPDX-License-Identifier: Apache-2.0
#include "tomography_files.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "io/array/volume.h"

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), own = strlen(ending);

    return length >= own && strcmp(path + length - own, ending) == 0;
}

// ---- geometries ----

static const char prefix[] = "parallel:";

bool geometry_is(const char *text)
{
    return strncmp(text, prefix, sizeof prefix - 1) == 0;
}

double geometry_axis(const kn_tomography_geometry *geometry)
{
    return ((double)geometry->detectors - 1) / 2 + geometry->axis_offset;
}

// A number of digits alone, and what follows it; far too large ones stay so.
static bool take_count(const char **at, size_t *count)
{
    char *end;
    unsigned long long value;

    if (**at < '0' || **at > '9')
        return false;
    errno = 0;
    value = strtoull(*at, &end, 10);
    *count = errno || value > SIZE_MAX ? SIZE_MAX : (size_t)value;
    *at = end;
    return true;
}

static bool take_axis(const char **at, kn_tomography_geometry *geometry)
{
    char *end;
    double axis = strtod(*at, &end);

    if (end == *at || !isfinite(axis))
        return false;
    geometry->axis_offset = axis - ((double)geometry->detectors - 1) / 2;
    *at = end;
    return true;
}

// What the library refuses; nothing is made for a geometry on the fly.
static kn_status check(const kn_tomography_geometry *geometry, kn_error *err)
{
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_ON_THE_FLY);
    kn_sparse_memory memory;

    return ki_error_unname(kn_tomography_estimate_memory(NULL, geometry, &memory, &options, err), err);
}

kn_status geometry_parse(const char *text, kn_tomography_geometry *geometry, kn_error *err)
{
    size_t *const counts[] = {&geometry->angles, &geometry->detectors, &geometry->size};
    const char *at = text + sizeof prefix - 1;
    bool is_right = geometry_is(text);
    kn_status status;

    *geometry = KN_INIT(kn_tomography_geometry, .angles = 0);
    for (size_t i = 0; i < KI_COUNT(counts) && is_right; i++)
        is_right = (i == 0 || *at++ == ',') && take_count(&at, counts[i]);
    if (is_right && *at == ',') {
        at++;
        is_right = take_axis(&at, geometry);
    }
    if (!is_right || *at)
        status = ki_fail(
            err, KN_ERROR_ARGUMENT,
            "'%s' is not a geometry of parallel rays: expected parallel:ANGLES,DETECTORS,SIZE[,AXIS], "
            "such as parallel:181,640,640 or parallel:181,160,160,73.5",
            text);
    else
        status = check(geometry, err);
    if (status)
        *geometry = KN_INIT(kn_tomography_geometry, .angles = 0);
    return status;
}

// ---- measured ----

bool sparse_is_tomography(const char *path)
{
    return ends_in(path, ".h5") || ends_in(path, ".hdf5");
}

// So many of the file's detectors as make one of the geometry's.
kn_status sparse_read_measured(const char *path, size_t slice, size_t angles, size_t detectors,
                               struct sparse_sinogram *sinogram, kn_error *err)
{
    struct sparse_sinogram_options options = {.slice = slice, .bin = 1};
    size_t found;
    kn_status status = sparse_read_sinogram(path, &options, sinogram, err);

    if (status || !detectors)
        return status;
    found = sinogram->detectors;
    if (sinogram->angles != angles || found / detectors < 1 || found % detectors != 0) {
        status = ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "has %zu projections of %zu detectors; the %zu of %zu in the geometry do not divide them",
            sinogram->angles, found, angles, detectors);
        sparse_sinogram_free(sinogram);
        return status;
    }
    options.bin = found / detectors;
    if (options.bin == 1)
        return KN_OK;
    sparse_sinogram_free(sinogram);
    return sparse_read_sinogram(path, &options, sinogram, err);
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

kn_status sparse_write_solutions(const char *path, size_t rows, size_t count, const double *x, bool force,
                                 kn_error *err)
{
    size_t edge = edge_of(rows);
    struct npy picture = {.type = KN_F64, .dims = 2, .shape = {edge, edge}, .count = rows};
    double *values;
    kn_status status;

    if (!ends_in(path, ".png"))
        return columns_write(path, rows, count, x, force, err);
    values = malloc((rows + 1) * sizeof *values);
    if (!values)
        return ki_fail_memory(err, rows * sizeof *values, path);
    for (size_t i = 0; i < rows; i++)
        values[i] = fmax(x[i], 0);
    picture.data = values;
    status = volume_write(path, VOLUME_IMAGE, &picture, force, err);
    free(values);
    return status;
}
