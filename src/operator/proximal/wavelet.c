// SPDX-License-Identifier: Apache-2.0
#include "wavelet.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"

struct wavelet ki_wavelet(const size_t *shape, unsigned components)
{
    const double root = sqrt(3), scale = 1 / (4 * sqrt(2));
    struct wavelet made = {
        .components = components,
        .elements = 1,
        .taps = {(1 + root) * scale, (3 + root) * scale, (3 - root) * scale, (1 - root) * scale}};
    size_t lengths[WAVELET_AXES];

    for (unsigned a = 0; a < WAVELET_AXES; a++) {
        made.lengths[a] = lengths[a] = shape[a];
        made.strides[a] = made.elements;
        made.elements *= shape[a];
    }
    for (; made.levels < WAVELET_MOST_LEVELS; made.levels++) {
        struct wavelet_level *level = &made.level[made.levels];

        for (unsigned a = 0; a < WAVELET_AXES; a++) {
            bool halves = lengths[a] % 2 == 0 && lengths[a] >= WAVELET_SHORTEST;

            level->lengths[a] = lengths[a];
            level->halved |= (unsigned)halves << a;
            lengths[a] = halves ? lengths[a] / 2 : lengths[a];
        }
        if (!level->halved)
            break;
    }
    return made;
}

kn_status ki_wavelet_check(const size_t *shape, kn_error *err)
{
    if (ki_wavelet(shape, 1).levels)
        return KN_OK;
    return ki_fail(
        err, KN_ERROR_ARGUMENT,
        "a shape of %zu x %zu x %zu has no axis for wavelets, which halve those of an even number of at "
        "least %d elements",
        shape[0], shape[1], shape[2], (int)WAVELET_SHORTEST);
}

// ---- a line ----

// The tap k of the low or the high half.
static double tap(const struct wavelet *wavelet, bool high, size_t k)
{
    return !high ? wavelet->taps[k] : (k % 2 ? -1 : 1) * wavelet->taps[WAVELET_TAPS - 1 - k];
}

// to[i] and to[i + half]: the low and high half of from, whose numbers are both `step` apart.
static void split_line(const struct wavelet *wavelet, const double *from, size_t length, double *to)
{
    const size_t half = length / 2;

    for (size_t i = 0; i < half; i++) {
        double low = 0, high = 0;

        for (size_t k = 0; k < WAVELET_TAPS; k++) {
            double value = from[(2 * i + k) % length];

            low += tap(wavelet, false, k) * value;
            high += tap(wavelet, true, k) * value;
        }
        to[i] = low;
        to[i + half] = high;
    }
}

// The transpose of split_line.
static void join_line(const struct wavelet *wavelet, const double *from, size_t length, double *to)
{
    const size_t half = length / 2;

    for (size_t i = 0; i < half; i++) {
        size_t before = i ? i - 1 : half - 1;

        for (size_t e = 0; e < 2; e++)
            to[2 * i + e] = tap(wavelet, false, e) * from[i] + tap(wavelet, false, e + 2) * from[before] +
                            tap(wavelet, true, e) * from[i + half] +
                            tap(wavelet, true, e + 2) * from[before + half];
    }
}

// Splits or joins all lines of a box along an axis.
static void along_axis(const struct wavelet *wavelet, const struct wavelet_level *level, unsigned axis,
                       bool joins, double *x, double *line)
{
    const size_t length = level->lengths[axis], step = wavelet->strides[axis] * wavelet->components;
    const unsigned other = axis == 0 ? 1 : 0, third = axis == 2 ? 1 : 2;
    double *result = line + length;

    for (size_t k = 0; k < level->lengths[third]; k++)
        for (size_t j = 0; j < level->lengths[other] * wavelet->components; j++) {
            double *at = x +
                         (k * wavelet->strides[third] + j / wavelet->components * wavelet->strides[other]) *
                             wavelet->components +
                         j % wavelet->components;

            for (size_t i = 0; i < length; i++)
                line[i] = at[i * step];
            (joins ? join_line : split_line)(wavelet, line, length, result);
            for (size_t i = 0; i < length; i++)
                at[i * step] = result[i];
        }
}

// ---- the transform ----

void ki_wavelet_forward(const struct wavelet *wavelet, double *x, double *line)
{
    for (unsigned l = 0; l < wavelet->levels; l++)
        for (unsigned a = 0; a < WAVELET_AXES; a++)
            if (wavelet->level[l].halved >> a & 1)
                along_axis(wavelet, &wavelet->level[l], a, false, x, line);
}

void ki_wavelet_backward(const struct wavelet *wavelet, double *x, double *line)
{
    for (unsigned l = wavelet->levels; l-- > 0;)
        for (unsigned a = WAVELET_AXES; a-- > 0;)
            if (wavelet->level[l].halved >> a & 1)
                along_axis(wavelet, &wavelet->level[l], a, true, x, line);
}

// Whether an element is part of the coarse approximation.
static bool is_coarse(const struct wavelet *wavelet, size_t element)
{
    const struct wavelet_level *last = &wavelet->level[wavelet->levels ? wavelet->levels - 1 : 0];

    for (unsigned a = 0; a < WAVELET_AXES; a++) {
        size_t place = element / wavelet->strides[a] % wavelet->lengths[a];

        if (wavelet->levels && place >= last->lengths[a] >> (last->halved >> a & 1))
            return false;
    }
    return true;
}

double ki_wavelet_shrink(const struct wavelet *wavelet, double *coefficients, double threshold)
{
    double sum = 0;

    for (size_t i = 0; i < wavelet->elements; i++) {
        double *own = coefficients + i * wavelet->components, squares = 0, length, left;

        if (is_coarse(wavelet, i))
            continue;
        for (unsigned c = 0; c < wavelet->components; c++)
            squares += own[c] * own[c];
        length = sqrt(squares);
        left = length > threshold ? length - threshold : 0;
        for (unsigned c = 0; c < wavelet->components; c++)
            own[c] *= length > 0 ? left / length : 0;
        sum += left;
    }
    return sum;
}
