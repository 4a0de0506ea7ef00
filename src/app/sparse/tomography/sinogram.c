// SPDX-License-Identifier: Apache-2.0
#include "sinogram.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

#define LEAST 1e-6 // the least fraction of the beam that counts

// The mean of a field's frames, stored in `means`; NULL if the field has no frames.
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

// -log of the transmitted fraction of the beam at `bin` detectors of a projection.
static double take_log(const kn_tomography_counts *fields, const double *counts, size_t first, size_t bin)
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

kn_status ki_sparse_take_logs(const kn_tomography_counts *counts, double *sinogram, kn_error *err)
{
    kn_tomography_counts fields = *counts; // with one frame per field
    size_t detectors = counts->detectors, binned = detectors / counts->bin;
    double *means = malloc(2 * detectors * sizeof *means);

    if (!means)
        return ki_fail_memory(err, 2 * detectors * sizeof *means, "the fields of a sinogram");
    fields.white = take_mean(counts->white, counts->white_frames, detectors, means);
    fields.dark = take_mean(counts->dark, counts->dark_frames, detectors, means + detectors);
    for (size_t t = 0; t < counts->angles; t++)
        for (size_t k = 0; k < binned; k++)
            sinogram[t * binned + k] =
                take_log(&fields, counts->counts + t * detectors, k * counts->bin, counts->bin);
    free(means);
    return KN_OK;
}
