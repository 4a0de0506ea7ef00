// SPDX-License-Identifier: Apache-2.0
#include "sinogram_files.h"

#include <math.h>
#include <stdint.h>
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

// Slices are read some at a time, because a file may have to unpack whole projections for each read.
enum { TOGETHER = 16 };

struct reader {
    const char *path;
    struct hdf5_file *file;
    size_t slice, count, bin, sizes[DIMENSIONS];
    kn_error *err;
};

// Frames of some slices: frames x count x detectors numbers.
struct frames {
    size_t frames, count;
    double *values; // NULL: the file has none
};

static kn_status check_sizes(struct reader *reader)
{
    const size_t *sizes = reader->sizes;

    if (!sizes[PROJECTIONS] || sizes[PROJECTIONS] > MOST_PROJECTIONS || !sizes[DETECTORS] ||
        sizes[DETECTORS] > MOST_DETECTORS)
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s' is %zu projections x %zu slices x %zu detectors; expected from 1 to %d "
                          "projections and from 1 to %d detectors",
                          data_name, sizes[PROJECTIONS], sizes[SLICES], sizes[DETECTORS], MOST_PROJECTIONS,
                          MOST_DETECTORS);
    if (reader->count == SPARSE_SINOGRAM_ALL && reader->slice < sizes[SLICES])
        reader->count = sizes[SLICES] - reader->slice;
    if (reader->slice >= sizes[SLICES] || reader->count > sizes[SLICES] - reader->slice)
        return ki_fail_at(
            reader->err, KN_ERROR_INPUT, reader->path, 0, "has no slice %zu; '%s' has %zu, counted from 0",
            reader->slice > sizes[SLICES] ? reader->slice : sizes[SLICES], data_name, sizes[SLICES]);
    if (reader->bin > sizes[DETECTORS])
        return ki_fail(reader->err, KN_ERROR_ARGUMENT,
                       "%zu detectors to be binned into one, but %s has only %zu", reader->bin, reader->path,
                       sizes[DETECTORS]);
    return KN_OK;
}

static kn_status check_finite(const struct reader *reader, const char *name, size_t slice,
                              const struct frames *frames)
{
    const size_t detectors = reader->sizes[DETECTORS], line = frames->count * detectors;

    for (size_t i = 0; i < frames->frames * line; i++)
        if (!isfinite(frames->values[i]))
            return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                              "'%s' has %g in projection %zu, slice %zu, detector %zu; expected numbers",
                              name, frames->values[i], i / line, slice + i % line / detectors, i % detectors);
    return KN_OK;
}

// Some slices, from `slice` on, of an array like exchange/data, if the file has it.
static kn_status read_frames(const struct reader *reader, const char *name, size_t slice,
                             struct frames *frames)
{
    size_t sizes[DIMENSIONS] = {0};
    const size_t first[DIMENSIONS] = {0, slice, 0};
    kn_status status;

    if (!hdf5_has(reader->file, name))
        return KN_OK;
    status = hdf5_sizes(reader->file, name, DIMENSIONS, sizes, reader->err);
    if (status)
        return status;
    if (!sizes[0] || sizes[SLICES] != reader->sizes[SLICES] || sizes[DETECTORS] != reader->sizes[DETECTORS])
        return ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                          "'%s' is %zu x %zu x %zu; expected 1 or more x %zu x %zu, as '%s' is", name,
                          sizes[0], sizes[1], sizes[2], reader->sizes[SLICES], reader->sizes[DETECTORS],
                          data_name);
    frames->frames = sizes[0];
    sizes[SLICES] = frames->count;
    status = hdf5_read(reader->file, name, DIMENSIONS, first, sizes, &frames->values, reader->err);
    return status ? status : check_finite(reader, name, slice, frames);
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

enum { COUNTS, WHITE, DARK, ARRAYS };

// The frames of one of these slices without gaps, in `line`, and where the next ones go.
static const double *take_slice(const struct frames *frames, size_t k, size_t detectors, double **line)
{
    double *slice = *line;

    if (!frames->values || frames->count == 1)
        return frames->values;
    for (size_t i = 0; i < frames->frames; i++)
        memcpy(slice + i * detectors, frames->values + (i * frames->count + k) * detectors,
               detectors * sizeof *slice);
    *line += frames->frames * detectors;
    return slice;
}

// The sinograms of the slices that were read.
static kn_status take_logs(const struct reader *reader, const struct frames arrays[ARRAYS], double *values)
{
    const size_t detectors = reader->sizes[DETECTORS], angles = reader->sizes[PROJECTIONS],
                 frames = angles + arrays[WHITE].frames + arrays[DARK].frames;
    double *lines = malloc(frames * detectors * sizeof *lines);
    kn_status status = KN_OK;

    if (!lines)
        return ki_fail_memory(reader->err, frames * detectors * sizeof *lines, reader->path);
    for (size_t k = 0; k < arrays->count && !status; k++) {
        double *line = lines;
        const double *const slices[ARRAYS] = {take_slice(&arrays[COUNTS], k, detectors, &line),
                                              take_slice(&arrays[WHITE], k, detectors, &line),
                                              take_slice(&arrays[DARK], k, detectors, &line)};
        const kn_tomography_counts counts =
            KN_INIT(kn_tomography_counts, .angles = angles, .detectors = detectors, .counts = slices[COUNTS],
                    .white = slices[WHITE], .dark = slices[DARK], .white_frames = arrays[WHITE].frames,
                    .dark_frames = arrays[DARK].frames, .bin = reader->bin);

        status = ki_error_unname(kn_tomography_sinogram_from_counts(
                                     &counts, values + k * angles * (detectors / reader->bin), reader->err),
                                 reader->err);
    }
    free(lines);
    return status;
}

// Once some of them were read: a file that is too short for what it declares has been refused then.
static kn_status allocate(const struct reader *reader, struct sparse_sinogram *out)
{
    size_t numbers;

    if (out->values)
        return KN_OK;
    out->slices = reader->sizes[SLICES];
    out->count = reader->count;
    out->angles = reader->sizes[PROJECTIONS];
    out->detectors = reader->sizes[DETECTORS] / reader->bin;
    numbers = out->angles * out->detectors;
    out->values = out->count <= SIZE_MAX / sizeof *out->values / numbers
                      ? malloc(out->count * numbers * sizeof *out->values)
                      : NULL;
    return out->values
               ? KN_OK
               : ki_fail_memory(reader->err, out->count * numbers * sizeof *out->values, reader->path);
}

// `count` of the slices, from number `first` of those that are read.
static kn_status read_some(const struct reader *reader, size_t first, size_t count,
                           struct sparse_sinogram *out)
{
    static const char *const names[ARRAYS] = {data_name, white_name, dark_name};
    struct frames arrays[ARRAYS] = {{.count = count}, {.count = count}, {.count = count}};
    kn_status status = KN_OK;

    for (int i = ARRAYS; i-- > 0 && !status;) // the fields first, which are small
        status = read_frames(reader, names[i], reader->slice + first, &arrays[i]);
    if (!status)
        status = allocate(reader, out);
    if (!status)
        status = take_logs(reader, arrays, out->values + first * out->angles * out->detectors);
    for (int i = 0; i < ARRAYS; i++)
        free(arrays[i].values);
    return status;
}

static kn_status read_all(struct reader *reader, struct sparse_sinogram *out)
{
    kn_status status = hdf5_open(reader->path, "tomography", &reader->file, reader->err);

    if (!status)
        status = hdf5_sizes(reader->file, data_name, DIMENSIONS, reader->sizes, reader->err);
    if (!status)
        status = check_sizes(reader);
    if (!status && hdf5_has(reader->file, dark_name) && !hdf5_has(reader->file, white_name))
        status = ki_fail_at(reader->err, KN_ERROR_INPUT, reader->path, 0,
                            "has '%s', but no '%s' to divide the projections by", dark_name, white_name);
    for (size_t i = 0; i < reader->count && !status; i += TOGETHER)
        status = read_some(reader, i, reader->count - i < TOGETHER ? reader->count - i : TOGETHER, out);
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
    struct reader reader = {.path = path,
                            .slice = options->slice,
                            .count = options->count ? options->count : 1,
                            .bin = options->bin > 1 ? options->bin : 1,
                            .err = err};
    kn_status status;

    memset(out, 0, sizeof *out);
    status = read_all(&reader, out);
    hdf5_close(reader.file);
    if (status)
        sparse_sinogram_free(out);
    return status;
}
