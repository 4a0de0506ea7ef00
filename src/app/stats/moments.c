// SPDX-License-Identifier: Apache-2.0
#include "moments.h"

#include <math.h>

#include "base/number.h"

bool ki_stats_holds_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

size_t ki_stats_shift_positions(size_t n, size_t positions[STATS_SHIFT_SAMPLES])
{
    size_t wanted = n < STATS_SHIFT_SAMPLES ? n : STATS_SHIFT_SAMPLES, gaps = wanted > 1 ? wanted - 1 : 1;

    // The position is k * (n - 1) / (wanted - 1), computed in two parts, so that it cannot overflow.
    for (size_t k = 0; k < wanted; k++)
        positions[k] = k * ((n - 1) / gaps) + k * ((n - 1) % gaps) / gaps;
    return wanted;
}

double ki_stats_shift_of(const double *elements, size_t count)
{
    double sample[STATS_SHIFT_SAMPLES];
    size_t finite = 0;

    // Inserts into a sorted sample.
    for (size_t k = 0; k < count; k++) {
        size_t position = finite;

        if (!isfinite(elements[k]))
            continue;
        for (; position > 0 && sample[position - 1] > elements[k]; position--)
            sample[position] = sample[position - 1];
        sample[position] = elements[k];
        finite++;
    }
    return finite ? sample[(finite - 1) / 2] : 0;
}

double ki_stats_shift(const double *x, size_t n, bool single)
{
    double elements[STATS_SHIFT_SAMPLES];
    size_t positions[STATS_SHIFT_SAMPLES], count = ki_stats_shift_positions(n, positions);

    for (size_t k = 0; k < count; k++)
        elements[k] = single ? ki_as_float(x[positions[k]]) : x[positions[k]];
    return ki_stats_shift_of(elements, count);
}

struct stats_sums ki_stats_fold_leaves(struct stats_sums *leaves, size_t count)
{
    if (count == 0)
        return (struct stats_sums){0, 0};
    while (count > 1) {
        size_t pairs = count / 2;

        for (size_t i = 0; i < pairs; i++) {
            leaves[i].sum = leaves[2 * i].sum + leaves[2 * i + 1].sum;
            leaves[i].squares = leaves[2 * i].squares + leaves[2 * i + 1].squares;
        }
        // A missing partner is +0, and adding it changes nothing: no sum here is -0, because each began with
        // +0.
        if (count % 2)
            leaves[pairs] = leaves[count - 1];
        count = pairs + count % 2;
    }
    return leaves[0];
}

void ki_stats_moments(struct stats_sums sums, double shift, size_t n, kn_stats *result)
{
    double count = (double)n;
    double offset = sums.sum / count; // the mean, relative to the shift
    double variance = fma(-offset, sums.sum, sums.squares) / count;

    // Adding +0 turns -0 into 0.
    result->n = n;
    result->mean = shift + offset + 0.0;
    result->std = sqrt(variance < 0 ? 0 : variance) + 0.0;
    result->cv = result->std / result->mean + 0.0;
}
