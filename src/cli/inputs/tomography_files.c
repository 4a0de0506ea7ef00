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
#include "io/csv/csv.h"

#define AUTOMATIC ",auto" // AXIS at the end of a geometry
#define DEGREE    (3.14159265358979323846 / 180)

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), own = strlen(ending);

    return length >= own && strcmp(path + length - own, ending) == 0;
}

// ---- geometries ----

const char *const geometry_detectors[] = {"flat", "curved", NULL};

static const struct kind {
    const char *prefix;
    kn_tomography_beam beam;
    size_t distances; // between SIZE and AXIS
    const char *expected;
} kinds[] = {{"parallel:", KN_TOMOGRAPHY_PARALLEL, 0,
              "a geometry of parallel rays: expected parallel:ANGLES,DETECTORS,SIZE[,AXIS], such as "
              "parallel:181,640,640, parallel:181,160,160,73.5, or with AXIS auto"},
             {"fan:", KN_TOMOGRAPHY_FAN_FLAT, 2,
              "a fan's geometry: expected fan:ANGLES,DETECTORS,SIZE,SOURCE,DETECTOR[,AXIS], such as "
              "fan:360,512,256,800,400, with the distances of source and detectors from the axis in pixels"},
             {"cone:", KN_TOMOGRAPHY_CONE, 2,
              "a cone's geometry: expected cone:ANGLES,ROWSxCOLUMNS,N[xNxSLICES],SOURCE,DETECTOR"
              "[,AXIS], such as cone:360,256x512,200,800,400, with the distances of source and panel from "
              "the axis in pixels"}};

// NULL: a text that is no geometry.
static const struct kind *kind_of(const char *text)
{
    for (size_t i = 0; i < KI_COUNT(kinds); i++)
        if (strncmp(text, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return &kinds[i];
    return NULL;
}

bool geometry_is(const char *text)
{
    return kind_of(text);
}

bool geometry_is_cone(const char *text)
{
    return kind_of(text) && kind_of(text)->beam == KN_TOMOGRAPHY_CONE;
}

bool geometry_finds_axis(const char *text)
{
    return geometry_is(text) && ends_in(text, AUTOMATIC);
}

double geometry_axis(const kn_tomography_geometry *geometry)
{
    return ((double)geometry->detectors - 1) / 2 + geometry->axis_offset;
}

const char *geometry_shape(const kn_tomography_geometry *geometry)
{
    return geometry_detectors[geometry->beam == KN_TOMOGRAPHY_FAN_CURVED];
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

static bool take_number(const char **at, double *number)
{
    char *end;

    *number = strtod(*at, &end);
    if (end == *at || !isfinite(*number))
        return false;
    *at = end;
    return true;
}

// What the library refuses; nothing is made for a geometry on the fly.
static kn_status check(const kn_tomography_geometry *geometry, kn_error *err)
{
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_ON_THE_FLY);
    kn_sparse_memory memory;

    if (geometry->beam == KN_TOMOGRAPHY_CONE)
        return ki_error_unname(kn_tomography_fbp_estimate_memory(NULL, geometry, NULL, &memory, err), err);
    return ki_error_unname(kn_tomography_estimate_memory(NULL, geometry, &memory, &options, err), err);
}

// ANGLES,DETECTORS,SIZE.
static bool take_plane(const char **at, kn_tomography_geometry *geometry)
{
    size_t *const counts[] = {&geometry->angles, &geometry->detectors, &geometry->size};
    bool is_right = true;

    for (size_t i = 0; i < KI_COUNT(counts) && is_right; i++)
        is_right = (i == 0 || *(*at)++ == ',') && take_count(at, counts[i]);
    return is_right;
}

// ANGLES,ROWSxCOLUMNS,N[xNxSLICES].
static bool take_panel(const char **at, kn_tomography_geometry *geometry)
{
    size_t again;

    if (!take_count(at, &geometry->angles) || *(*at)++ != ',' || !take_count(at, &geometry->lines) ||
        *(*at)++ != 'x' || !take_count(at, &geometry->detectors) || *(*at)++ != ',' ||
        !take_count(at, &geometry->size))
        return false;
    geometry->slices = geometry->size;
    if (**at != 'x')
        return true;
    ++*at;
    return take_count(at, &again) && again == geometry->size && *(*at)++ == 'x' &&
           take_count(at, &geometry->slices) && geometry->slices > 0;
}

// Whether all of the text is one.
static bool take_geometry(const char *at, const struct kind *kind, kn_tomography_geometry *geometry)
{
    double *const distances[] = {&geometry->source_distance, &geometry->detector_distance};
    double axis;
    bool is_right = kind->beam == KN_TOMOGRAPHY_CONE ? take_panel(&at, geometry) : take_plane(&at, geometry);

    for (size_t i = 0; i < kind->distances && is_right; i++)
        is_right = *at++ == ',' && take_number(&at, distances[i]);
    if (is_right && !kind->distances && strcmp(at, AUTOMATIC) == 0)
        return true;
    if (is_right && *at == ',') {
        at++;
        is_right = take_number(&at, &axis);
        if (is_right)
            geometry->axis_offset = axis - ((double)geometry->detectors - 1) / 2;
    }
    return is_right && !*at;
}

static kn_status parse(const char *text, kn_tomography_geometry *geometry, kn_error *err)
{
    const struct kind *kind = kind_of(text) ? kind_of(text) : kinds;
    kn_status status;

    *geometry = KN_INIT(kn_tomography_geometry, .beam = kind->beam);
    if (!kind_of(text) || !take_geometry(text + strlen(kind->prefix), kind, geometry))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "'%s' is not %s", text, kind->expected);
    else
        status = check(geometry, err);
    if (status)
        *geometry = KN_INIT(kn_tomography_geometry, .angles = 0);
    return status;
}

// ---- what options add ----

// AXIS is the number after all others.
static bool has_axis(const char *text)
{
    const struct kind *kind = kind_of(text);
    size_t commas = 0;

    for (; *text; text++)
        commas += *text == ',';
    return commas == 3 + kind->distances;
}

// The line of detectors goes towards greater numbers, and the axis towards smaller ones.
static kn_status take_offset(const char *text, const char *option, kn_tomography_geometry *geometry,
                             kn_error *err)
{
    char *end;
    const double offset = strtod(option, &end);

    if (end == option || *end || !isfinite(offset))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--offset: '%s' is not a number of detectors", option);
    if (has_axis(text))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--offset and AXIS both say where the axis of rotation is seen; leave out '%s' of %s",
                       strrchr(text, ','), text);
    geometry->axis_offset = -offset;
    return check(geometry, err);
}

static kn_status take_detector(const char *text, const char *option, kn_tomography_geometry *geometry,
                               kn_error *err)
{
    if (geometry->beam == KN_TOMOGRAPHY_PARALLEL)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--detector %s is for fan:..., where rays meet a line or an arc; %s has parallel rays",
                       option, text);
    if (geometry->beam == KN_TOMOGRAPHY_CONE)
        return strcmp(option, geometry_detectors[0]) == 0
                   ? KN_OK
                   : ki_fail(err, KN_ERROR_ARGUMENT, "--detector %s is for fan:...; the panel of %s is flat",
                             option, text);
    for (int i = 0; geometry_detectors[i]; i++)
        if (strcmp(option, geometry_detectors[i]) == 0) {
            geometry->beam = (kn_tomography_beam)(KN_TOMOGRAPHY_FAN_FLAT + i);
            return check(geometry, err);
        }
    return ki_fail(err, KN_ERROR_ARGUMENT, "--detector: '%s' is not one of %s, %s", option,
                   geometry_detectors[0], geometry_detectors[1]);
}

// One column of text, or an array.
static kn_status read_numbers(const char *path, size_t *count, double **values, kn_error *err)
{
    struct csv_table table;
    size_t columns = 1;
    kn_status status;

    if (ends_in(path, ".npy") || ends_in(path, ".mtx")) {
        status = columns_read(path, count, &columns, values, err);
    } else {
        status = csv_read(path, NULL, &table, err);
        if (status)
            return status;
        columns = table.column_count;
        *count = columns ? table.columns[0].count : 0;
        if (columns == 1) {
            *values = table.columns[0].values;
            table.columns[0].values = NULL;
        }
        csv_free(&table);
    }
    if (!status && columns != 1) {
        free(*values);
        *values = NULL;
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "has %zu columns; expected one, of angles in degrees", columns);
    }
    return status;
}

static kn_status read_angles(const char *path, kn_tomography_geometry *geometry, double **theta,
                             kn_error *err)
{
    size_t count = 0;
    kn_status status = read_numbers(path, &count, theta, err);

    if (!status && count != geometry->angles)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0, "has %zu angles, but the geometry %zu projections",
                            count, geometry->angles);
    for (size_t t = 0; t < count && !status; t++) {
        if (!isfinite((*theta)[t]))
            status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                                "has %g for projection %zu (from 0); expected degrees", (*theta)[t], t);
        (*theta)[t] *= DEGREE;
    }
    if (!status)
        geometry->theta = *theta;
    return status;
}

kn_status geometry_read(const char *text, const struct geometry_options *options,
                        kn_tomography_geometry *geometry, double **theta, kn_error *err)
{
    kn_status status = parse(text, geometry, err);

    *theta = NULL;
    if (!status && geometry_finds_axis(text) && !options->finds_axis)
        status = ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: koine solve finds the axis, from a sinogram; here, AXIS is the detector that sees it", text);
    if (!status && geometry_is_cone(text) && !options->takes_cones)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT,
                    "%s: there is no projector for cone beams; koine solve has --method fbp for them", text);
    if (!status && options->detector)
        status = take_detector(text, options->detector, geometry, err);
    if (!status && options->offset)
        status = take_offset(text, options->offset, geometry, err);
    if (!status && options->angles)
        status = read_angles(options->angles, geometry, theta, err);
    if (status) {
        free(*theta);
        *theta = NULL;
        *geometry = KN_INIT(kn_tomography_geometry, .angles = 0);
    }
    return status;
}

kn_status geometry_parse(const char *text, kn_tomography_geometry *geometry, kn_error *err)
{
    double *theta;

    return geometry_read(text, &(struct geometry_options){.angles = NULL}, geometry, &theta, err);
}

// ---- measured ----

bool sparse_is_tomography(const char *path)
{
    return ends_in(path, ".h5") || ends_in(path, ".hdf5");
}

// So many of the file's detectors as make one of the geometry's.
kn_status sparse_read_measured(const char *path, size_t slice, size_t count, size_t angles, size_t detectors,
                               struct sparse_sinogram *sinogram, kn_error *err)
{
    struct sparse_sinogram_options options = {.slice = slice, .count = detectors ? 1 : count, .bin = 1};
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
    options.count = count;
    options.bin = found / detectors;
    if (count == 1 && options.bin == 1)
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
