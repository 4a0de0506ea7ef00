// SPDX-License-Identifier: Apache-2.0
#include "sinogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define LEAST 1e-6 // part of the beam

void ki_sparse_sinogram_free(struct sparse_sinogram *sinogram)
{
    free(sinogram->values);
    free(sinogram->theta);
    memset(sinogram, 0, sizeof *sinogram);
}

// The mean of a field's frames, of `means`; without frames there is no field, and NULL.
static const double *take_mean(const double *frames, size_t count, size_t detectors, double *means)
{
    for (size_t k = 0; frames && k < detectors; k++) {
        double sum = 0;

        for (size_t i = 0; i < count; i++)
            sum += frames[i * detectors + k];
        means[k] = sum / (double)count;
    }
    return frames ? means : NULL;
}

// -log of what is left of the beam at `bin` detectors of a projection.
static double take_log(const struct sparse_counts *fields, const double *counts, size_t first, size_t bin)
{
    double seen = 0, sent = 0, part;

    for (size_t k = first; k < first + bin; k++) {
        double dark = fields->dark ? fields->dark[k] : 0;

        seen += counts[k] - dark;
        sent += fields->white ? fields->white[k] - dark : 0;
    }
    if (!fields->white)
        return seen / (double)bin;
    part = sent > 0 ? seen / sent : 1;
    return -log(part > LEAST ? part : LEAST);
}

kn_status ki_sparse_sinogram_from_counts(const struct sparse_counts *counts, struct sparse_sinogram *out,
                                         kn_error *err)
{
    struct sparse_counts fields = *counts; // with one frame a field
    size_t detectors = counts->detectors, bin = counts->bin > 1 ? counts->bin : 1;
    double *means = malloc((2 * detectors + 1) * sizeof *means);

    out->angles = counts->angles;
    out->detectors = detectors / bin;
    out->values = malloc((out->angles * out->detectors + 1) * sizeof *out->values);
    if (!means || !out->values) {
        free(means);
        return ki_fail_memory(err, out->angles * out->detectors * sizeof *out->values, counts->name);
    }
    fields.white = take_mean(counts->white, counts->white_frames, detectors, means);
    fields.dark = take_mean(counts->dark, counts->dark_frames, detectors, means + detectors);
    for (size_t t = 0; t < out->angles; t++)
        for (size_t k = 0; k < out->detectors; k++)
            out->values[t * out->detectors + k] =
                take_log(&fields, counts->counts + t * detectors, k * bin, bin);
    free(means);
    return KN_OK;
}

kn_status ki_sparse_sinogram_geometry(const struct sparse_sinogram *sinogram, double axis,
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
        return ki_fail_memory(err, bytes, "the angles of a sinogram");
    memcpy(out->theta, sinogram->theta, bytes);
    status = ki_sparse_parallel_check(out, err);
    if (status)
        ki_sparse_parallel_free(out);
    return status;
}
