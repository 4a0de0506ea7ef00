// SPDX-License-Identifier: Apache-2.0
#include "sinogram_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/hdf5_file.h"

#define HALF_TURN 3.14159265358979323846
#define DEGREE    (HALF_TURN / 180)

static const char data_name[] = "exchange/data", white_name[] = "exchange/data_white",
                  dark_name[] = "exchange/data_dark", theta_name[] = "exchange/theta";

enum { PROJECTIONS, SLICES, DETECTORS, DIMENSIONS };
enum { MOST_PROJECTIONS = 1 << 20, MOST_DETECTORS = 1 << 16 }; // of koine/tomography.h

struct reader {
    const char *path;
    struct hdf5_file *file;
    size_t slice, bin, sizes[DIMENSIONS];
    double *counts, *white, *dark; // of the slice; NULL: the file has none
    size_t white_frames, dark_frames;
    kn_error *err;
};

static kn_status check_sizes(const struct reader *reader)
{
    const size_t *sizes = reader->sizes;

    if (!sizes[PROJECTIONS] || sizes[PROJECTIONS] > MOST_PROJECTIONS || !sizes[DETECTORS] ||
        sizes[DETECTORS] > MOST_DETECTORS)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s' is %zu projections x %zu slices x %zu detectors; expected from 1 to %d "
                          "projections and from 1 to %d detectors",
                          data_name, sizes[PROJECTIONS], sizes[SLICES], sizes[DETECTORS], MOST_PROJECTIONS,
                          MOST_DETECTORS);
    if (reader->slice >= sizes[SLICES])
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "has no slice %zu; '%s' has %zu, counted from 0", reader->slice, data_name,
                          sizes[SLICES]);
    if (reader->bin > sizes[DETECTORS])
        return ki_fail(reader->err, KN_ERROR_ARGUMENT,
                       "%zu detectors to be binned into one, but %s has only %zu", reader->bin, reader->path,
                       sizes[DETECTORS]);
    return KN_OK;
}

// The slice of an array like exchange/data; `frames` come to be its projections.
static kn_status read_slice(const struct reader *reader, const char *name, size_t *frames, double **values)
{
    size_t sizes[DIMENSIONS] = {0};
    const size_t first[DIMENSIONS] = {0, reader->slice, 0};
    kn_status status = hdf5_sizes(reader->file, name, DIMENSIONS, sizes, reader->err);

    if (status)
        return status;
    if (!sizes[0] || sizes[SLICES] != reader->sizes[SLICES] || sizes[DETECTORS] != reader->sizes[DETECTORS])
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s' is %zu x %zu x %zu; expected 1 or more x %zu x %zu, as '%s' is", name,
                          sizes[0], sizes[1], sizes[2], reader->sizes[SLICES], reader->sizes[DETECTORS],
                          data_name);
    *frames = sizes[0];
    sizes[SLICES] = 1;
    status = hdf5_read(reader->file, name, DIMENSIONS, first, sizes, values, reader->err);
    for (size_t i = 0; !status && i < sizes[0] * sizes[DETECTORS]; i++)
        if (!isfinite((*values)[i]))
            status =
                ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                           "'%s' has %g in projection %zu, slice %zu, detector %zu; expected numbers", name,
                           (*values)[i], i / sizes[DETECTORS], reader->slice, i % sizes[DETECTORS]);
    return status;
}

// A field's frames; NULL if the file has no such field.
static kn_status read_field(const struct reader *reader, const char *name, size_t *frames, double **field)
{
    return hdf5_has(reader->file, name) ? read_slice(reader, name, frames, field) : KN_OK;
}

static kn_status read_theta(const struct reader *reader, struct sparse_sinogram *out)
{
    const size_t first = 0;
    size_t count = 0;
    kn_status status;

    if (!hdf5_has(reader->file, theta_name)) {
        out->theta = malloc(out->angles * sizeof *out->theta);
        for (size_t t = 0; t < out->angles && out->theta; t++)
            out->theta[t] = HALF_TURN * (double)t / (double)out->angles;
        return out->theta ? KN_OK
                          : ki_fail_memory(reader->err, out->angles * sizeof *out->theta, reader->path);
    }
    status = hdf5_sizes(reader->file, theta_name, 1, &count, reader->err);
    if (!status && count != out->angles)
        status = ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                            "'%s' has %zu angles, but '%s' has %zu projections", theta_name, count, data_name,
                            out->angles);
    if (!status)
        status = hdf5_read(reader->file, theta_name, 1, &first, &count, &out->theta, reader->err);
    for (size_t t = 0; t < count && !status; t++) {
        if (!isfinite(out->theta[t]))
            status =
                ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                           "'%s' has %g for projection %zu; expected degrees", theta_name, out->theta[t], t);
        out->theta[t] *= DEGREE;
    }
    return status;
}

static kn_status take_logs(const struct reader *reader, struct sparse_sinogram *out)
{
    const size_t detectors = reader->sizes[DETECTORS];
    const kn_tomography_counts counts =
        KN_INIT(kn_tomography_counts, .angles = reader->sizes[PROJECTIONS], .detectors = detectors,
                .counts = reader->counts, .white = reader->white, .dark = reader->dark,
                .white_frames = reader->white_frames, .dark_frames = reader->dark_frames, .bin = reader->bin);

    out->slices = reader->sizes[SLICES];
    out->angles = counts.angles;
    out->detectors = detectors / reader->bin;
    out->values = malloc(out->angles * out->detectors * sizeof *out->values);
    if (!out->values)
        return ki_fail_memory(reader->err, out->angles * out->detectors * sizeof *out->values, reader->path);
    return ki_error_unname(kn_tomography_sinogram_from_counts(&counts, out->values, reader->err),
                           reader->err);
}

static kn_status read_all(struct reader *reader, struct sparse_sinogram *out)
{
    size_t frames;
    kn_status status = hdf5_open(reader->path, "tomography", &reader->file, reader->err);

    if (!status)
        status = hdf5_sizes(reader->file, data_name, DIMENSIONS, reader->sizes, reader->err);
    if (!status)
        status = check_sizes(reader);
    if (!status)
        status = read_field(reader, white_name, &reader->white_frames, &reader->white);
    if (!status)
        status = read_field(reader, dark_name, &reader->dark_frames, &reader->dark);
    if (!status && reader->dark && !reader->white)
        status = ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                            "has '%s', but no '%s' to divide the projections by", dark_name, white_name);
    if (!status)
        status = read_slice(reader, data_name, &frames, &reader->counts);
    if (!status)
        status = take_logs(reader, out);
    return status ? status : read_theta(reader, out);
}

void sparse_sinogram_free(struct sparse_sinogram *sinogram)
{
    free(sinogram->values);
    free(sinogram->theta);
    memset(sinogram, 0, sizeof *sinogram);
}

kn_status sparse_read_sinogram(const char *path, const struct sparse_sinogram_options *options,
                               struct sparse_sinogram *out, kn_error *err)
{
    struct reader reader = {
        .path = path, .slice = options->slice, .bin = options->bin > 1 ? options->bin : 1, .err = err};
    kn_status status;

    memset(out, 0, sizeof *out);
    status = read_all(&reader, out);
    hdf5_close(reader.file);
    free(reader.counts);
    free(reader.white);
    free(reader.dark);
    if (status)
        sparse_sinogram_free(out);
    return status;
}
