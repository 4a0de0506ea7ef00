// SPDX-License-Identifier: Apache-2.0
#include "filter.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "fan.h"
#include "host/fft/host_fft_lines.h"

#define PI 3.14159265358979323846

enum { SHORTEST = 64 };

size_t ki_sparse_filter_length(size_t detectors)
{
    size_t length = SHORTEST;

    while (length < 2 * detectors)
        length *= 2;
    return length;
}

size_t ki_sparse_filter_points(size_t detectors)
{
    return ki_sparse_filter_length(detectors) / 2 + 1;
}

// Samples of the ramp, periodic; none that are farther apart than detectors are.
static void sample_ramp(const struct sparse_parallel *geometry, size_t length, double *samples)
{
    const bool is_arc = geometry->beam == KN_TOMOGRAPHY_FAN_CURVED;
    const double arc = is_arc ? 1 / (geometry->source + geometry->detector) : 0;

    for (size_t i = 0; i < length; i++) {
        const size_t lag = i <= length / 2 ? i : length - i;
        const double n = (double)lag, distance = is_arc ? sin(n * arc) / arc : n;

        samples[i] = lag == 0 ? 0.25 : lag % 2 ? -1 / (PI * distance * PI * distance) : 0;
        if (is_arc && lag >= geometry->detectors)
            samples[i] = 0;
    }
}

// The window at a frequency from 0 to 1/2, in cycles per detector.
static double window(kn_tomography_filter filter, double frequency)
{
    switch (filter) {
    case KN_TOMOGRAPHY_SHEPP_LOGAN:
        return frequency > 0 ? sin(PI * frequency) / (PI * frequency) : 1;
    case KN_TOMOGRAPHY_COSINE:
        return cos(PI * frequency);
    case KN_TOMOGRAPHY_HAMMING:
        return 0.54 + 0.46 * cos(2 * PI * frequency);
    case KN_TOMOGRAPHY_HANN:
        return 0.5 + 0.5 * cos(2 * PI * frequency);
    default:
        return 1;
    }
}

kn_status ki_sparse_filter_fill(const struct sparse_parallel *geometry, kn_tomography_filter filter,
                                size_t length, double scale, double *factors, kn_error *err)
{
    const size_t half = length / 2 + 1;
    struct host_fft_line line = {.fft = NULL};
    double *numbers = malloc((length + 2 * half) * sizeof *numbers), *spectrum = numbers + length;
    void *room = NULL;
    kn_status status = numbers ? ki_host_fft_line_create(length, KN_F64, KN_HOST_SCALAR, &line, err)
                               : ki_fail_memory(err, (length + 2 * half) * sizeof *numbers, "a filter");

    if (!status && !(room = calloc(1, line.room)))
        status = ki_fail_memory(err, line.room, "a filter");
    if (!status) {
        const struct host_fft_lines lines = {
            .line = &line,
            .from = {.at = numbers, .points = HOST_FFT_REAL, .count = length, .step = 1},
            .to = {.at = spectrum, .points = HOST_FFT_HALF, .count = half, .step = 1},
            .count = {1, 1, 1},
            .scale = scale};

        sample_ramp(geometry, length, numbers);
        ki_host_fft_lines(&lines, 1, room);
        for (size_t k = 0; k < half; k++)
            factors[k] = spectrum[2 * k] * window(filter, (double)k / (double)length);
    }
    ki_host_fft_line_free(&line);
    free(room);
    free(numbers);
    return status;
}

// ---- weights of projections ----

struct place {
    double angle; // in [0, pi), of a fan [0, 2 pi)
    size_t projection;
};

static int by_angle(const void *a, const void *b)
{
    const struct place *first = a, *second = b;

    if (first->angle != second->angle)
        return first->angle < second->angle ? -1 : 1;
    return (first->projection > second->projection) - (first->projection < second->projection);
}

// Half of both gaps, without those that are wider than `most`.
static double weight_of(double before, double after, double most)
{
    if (before > most && after > most)
        return most;
    if (before > most)
        return after;
    return after > most ? before : (before + after) / 2;
}

static void sort_places(const struct sparse_parallel *geometry, double turn, struct place *places)
{
    for (size_t t = 0; t < geometry->angles; t++) {
        const double angle = fmod(ki_sparse_parallel_theta(geometry, t), turn);

        places[t] = (struct place){angle < 0 ? angle + turn : angle, t};
    }
    qsort(places, geometry->angles, sizeof *places, by_angle);
}

kn_status ki_sparse_filter_weights(const struct sparse_parallel *geometry, double *weights, kn_error *err)
{
    const size_t count = geometry->angles;
    const bool is_fan = ki_sparse_is_fan(geometry);
    const double turn = is_fan ? 2 * PI : PI, most = 4 * turn / (double)count;
    struct place *places = malloc(count * sizeof *places);
    kn_status status = KN_OK;

    if (!places)
        return ki_fail_memory(err, count * sizeof *places, "the projections' angles");
    sort_places(geometry, turn, places);
    for (size_t i = 0; i < count && !status; i++) {
        const double own = places[i].angle,
                     before = own - places[(i + count - 1) % count].angle + (i == 0 ? turn : 0),
                     after = places[(i + 1) % count].angle - own + (i == count - 1 ? turn : 0);

        weights[places[i].projection] = weight_of(before, after, most) / (is_fan ? 2 : 1);
        if (is_fan && after > most)
            status =
                ki_fail(err, KN_ERROR_ARGUMENT,
                        "filtered back-projection of a %s beam needs projections all around, but there "
                        "is none in the %g degrees after projection %zu (from 0)%s",
                        ki_sparse_is_cone(geometry) ? "cone" : "fan", after * 180 / PI, places[i].projection,
                        ki_sparse_is_cone(geometry) ? "" : "; other methods need not");
    }
    free(places);
    return status;
}
