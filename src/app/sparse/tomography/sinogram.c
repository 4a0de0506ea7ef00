// SPDX-License-Identifier: Apache-2.0
#include "sinogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/array/hdf5_file.h"

#define DEGREE (3.14159265358979323846 / 180)
#define LEAST  1e-6 // part of the beam

static const char data_name[] = "exchange/data", white_name[] = "exchange/data_white",
                  dark_name[] = "exchange/data_dark", theta_name[] = "exchange/theta";

enum { PROJECTIONS, SLICES, DETECTORS, DIMENSIONS };

struct reader {
    const char *path;
    struct hdf5_file *file;
    size_t slice, bin, sizes[DIMENSIONS];
    double *counts, *white, *dark; // of the slice; NULL: the file has none
    kn_error *err;
};

void sparse_sinogram_free(struct sparse_sinogram *sinogram)
{
    free(sinogram->values);
    free(sinogram->theta);
    memset(sinogram, 0, sizeof *sinogram);
}

static kn_status check_sizes(const struct reader *reader)
{
    const size_t *sizes = reader->sizes;

    if (!sizes[PROJECTIONS] || sizes[PROJECTIONS] > SPARSE_PARALLEL_ANGLES || !sizes[DETECTORS] ||
        sizes[DETECTORS] > SPARSE_PARALLEL_DETECTORS)
        return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s' is %zu projections x %zu slices x %zu detectors; expected from 1 to %d "
                          "projections and from 1 to %d detectors",
                          data_name, sizes[PROJECTIONS], sizes[SLICES], sizes[DETECTORS],
                          SPARSE_PARALLEL_ANGLES, SPARSE_PARALLEL_DETECTORS);
    if (reader->slice >= sizes[SLICES])
        return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "has no slice %zu; '%s' has %zu, counted from 0", reader->slice, data_name,
                          sizes[SLICES]);
    if (reader->bin > sizes[DETECTORS])
        return kn_fail(reader->err, KN_ERROR_ARGUMENT, "%zu detectors to be one, but %s has only %zu",
                       reader->bin, reader->path, sizes[DETECTORS]);
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
        return kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s' is %zu x %zu x %zu; expected 1 or more x %zu x %zu, as '%s' is", name,
                          sizes[0], sizes[1], sizes[2], reader->sizes[SLICES], reader->sizes[DETECTORS],
                          data_name);
    *frames = sizes[0];
    sizes[SLICES] = 1;
    status = hdf5_read(reader->file, name, DIMENSIONS, first, sizes, values, reader->err);
    for (size_t i = 0; !status && i < sizes[0] * sizes[DETECTORS]; i++)
        if (!isfinite((*values)[i]))
            status =
                kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                           "'%s' has %g in projection %zu, slice %zu, detector %zu; expected numbers", name,
                           (*values)[i], i / sizes[DETECTORS], reader->slice, i % sizes[DETECTORS]);
    return status;
}

// The mean of a field's frames, in the first frame's place; NULL if the file has no such field.
static kn_status read_field(const struct reader *reader, const char *name, double **field)
{
    size_t frames = 0, detectors = reader->sizes[DETECTORS];
    kn_status status;

    if (!hdf5_has(reader->file, name))
        return KN_OK;
    status = read_slice(reader, name, &frames, field);
    for (size_t k = 0; k < detectors && !status; k++) {
        double sum = 0;

        for (size_t i = 0; i < frames; i++)
            sum += (*field)[i * detectors + k];
        (*field)[k] = sum / (double)frames;
    }
    return status;
}

static kn_status read_theta(const struct reader *reader, struct sparse_sinogram *out)
{
    const size_t first = 0;
    size_t count = 0;
    kn_status status;

    if (!hdf5_has(reader->file, theta_name)) {
        const struct sparse_parallel even = {.angles = out->angles};

        out->theta = malloc(out->angles * sizeof *out->theta);
        for (size_t t = 0; t < out->angles && out->theta; t++)
            out->theta[t] = sparse_parallel_theta(&even, t);
        return out->theta ? KN_OK
                          : kn_fail_memory(reader->err, out->angles * sizeof *out->theta, reader->path);
    }
    status = hdf5_sizes(reader->file, theta_name, 1, &count, reader->err);
    if (!status && count != out->angles)
        status = kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                            "'%s' has %zu angles, but '%s' has %zu projections", theta_name, count, data_name,
                            out->angles);
    if (!status)
        status = hdf5_read(reader->file, theta_name, 1, &first, &count, &out->theta, reader->err);
    for (size_t t = 0; t < count && !status; t++) {
        if (!isfinite(out->theta[t]))
            status =
                kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                           "'%s' has %g for projection %zu; expected degrees", theta_name, out->theta[t], t);
        out->theta[t] *= DEGREE;
    }
    return status;
}

// -log of what is left of the beam at `bin` detectors of a projection.
static double take_log(const struct reader *reader, const double *counts, size_t first)
{
    double seen = 0, sent = 0, part;

    for (size_t k = first; k < first + reader->bin; k++) {
        double dark = reader->dark ? reader->dark[k] : 0;

        seen += counts[k] - dark;
        sent += reader->white ? reader->white[k] - dark : 0;
    }
    if (!reader->white)
        return seen / (double)reader->bin;
    part = sent > 0 ? seen / sent : 1;
    return -log(part > LEAST ? part : LEAST);
}

static kn_status take_logs(const struct reader *reader, struct sparse_sinogram *out)
{
    size_t detectors = reader->sizes[DETECTORS];

    out->slices = reader->sizes[SLICES];
    out->angles = reader->sizes[PROJECTIONS];
    out->detectors = detectors / reader->bin;
    out->values = malloc(out->angles * out->detectors * sizeof *out->values);
    if (!out->values)
        return kn_fail_memory(reader->err, out->angles * out->detectors * sizeof *out->values, reader->path);
    for (size_t t = 0; t < out->angles; t++)
        for (size_t k = 0; k < out->detectors; k++)
            out->values[t * out->detectors + k] =
                take_log(reader, reader->counts + t * detectors, k * reader->bin);
    return KN_OK;
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
        status = read_field(reader, white_name, &reader->white);
    if (!status)
        status = read_field(reader, dark_name, &reader->dark);
    if (!status && reader->dark && !reader->white)
        status = kn_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                            "has '%s', but no '%s' to divide the projections by", dark_name, white_name);
    if (!status)
        status = read_slice(reader, data_name, &frames, &reader->counts);
    if (!status)
        status = take_logs(reader, out);
    return status ? status : read_theta(reader, out);
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

kn_status sparse_sinogram_geometry(const struct sparse_sinogram *sinogram, double axis,
                                   struct sparse_parallel *out, kn_error *err)
{
    size_t bytes = sinogram->angles * sizeof *out->theta;
    kn_status status;

    *out = (struct sparse_parallel){.angles = sinogram->angles,
                                    .detectors = sinogram->detectors,
                                    .size = sinogram->detectors,
                                    .axis = isnan(axis) ? ((double)sinogram->detectors - 1) / 2 : axis,
                                    .theta = malloc(bytes + 1)};
    if (!out->theta)
        return kn_fail_memory(err, bytes, "the angles of a sinogram");
    memcpy(out->theta, sinogram->theta, bytes);
    status = sparse_parallel_check(out, err);
    if (status)
        sparse_parallel_free(out);
    return status;
}
