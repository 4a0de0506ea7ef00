// SPDX-License-Identifier: Apache-2.0
#include "lags.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "app/autocorr/radial.h"

kn_status ki_autocorr_lags_begin(size_t frames, size_t max_lag, size_t max_offset, bool values,
                                 kn_autocorr_normalization normalization, struct autocorr_lags *lags,
                                 kn_error *err)
{
    const size_t count = max_lag + 1, rings = max_offset + 1, offsets = autocorr_offsets(max_offset);

    *lags = (struct autocorr_lags){
        .frames = frames, .count = count, .max_offset = max_offset, .normalization = normalization};
    lags->lags = calloc(count, sizeof *lags->lags);
    lags->rings = calloc(count, rings * sizeof *lags->rings);
    lags->rings_told = calloc(count, rings * sizeof *lags->rings_told);
    lags->correlations = calloc(count, frames * sizeof *lags->correlations);
    if (values)
        lags->values = calloc(count, offsets * sizeof *lags->values);
    if (!lags->lags || !lags->rings || !lags->rings_told || !lags->correlations || (values && !lags->values))
        return ki_fail_memory(err, count * (values ? offsets : frames) * sizeof(double),
                              "correlations of frames some lags apart");
    for (size_t i = 0; i < count * frames; i++)
        lags->correlations[i] = NAN;
    return KN_OK;
}

void ki_autocorr_lags_free(struct autocorr_lags *lags)
{
    free(lags->lags);
    free(lags->rings);
    free(lags->rings_told);
    free(lags->values);
    free(lags->correlations);
    *lags = (struct autocorr_lags){.count = 0};
}

// Adds a ring of a pair to those of the pairs before: until the end `radius` has the sum of weight times
// radius, `error` that of errors.
static void add_ring(struct autocorr_ring *sum, const struct autocorr_ring *ring)
{
    if (ring->weight == 0)
        return;
    sum->radius += ring->weight * ring->radius;
    autocorr_ring_join(sum, ring);
}

void ki_autocorr_lags_add(struct autocorr_lags *lags, size_t lag, size_t first,
                          const struct autocorr_frame *pair)
{
    const size_t rings = lags->max_offset + 1, offsets = autocorr_offsets(lags->max_offset);
    const double value = pair->rings[0].value; // ring 0 has only the offset (0, 0)

    lags->correlations[lag * lags->frames + first] = value;
    if (isnan(value))
        return;
    lags->lags[lag].pairs++;
    for (size_t k = 0; k < rings; k++)
        add_ring(&lags->rings[lag * rings + k], &pair->rings[k]);
    for (size_t i = 0; lags->values && i < offsets; i++)
        lags->values[lag * offsets + i] += pair->values[i];
}

// The mean ring, whose weight and count are those of one pair.
static void finish_ring(struct autocorr_ring *ring, size_t number, size_t pairs)
{
    double sum = 0;

    if (ring->weight == 0) {
        *ring = (struct autocorr_ring){.radius = (double)number, .value = NAN, .error = NAN};
        return;
    }
    for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
        sum += ring->sums[s];
        ring->sums[s] /= (double)pairs;
        ring->weights[s] /= (double)pairs;
    }
    ring->value = sum / ring->weight;
    ring->radius /= ring->weight;
    ring->error /= (double)pairs;
    ring->weight /= (double)pairs;
    ring->count /= pairs;
}

// The mean of the existing pairs, and their spread.
static void finish_value(const double *correlations, size_t frames, kn_autocorr_lag *lag)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < frames; i++)
        sum += isnan(correlations[i]) ? 0 : correlations[i];
    lag->value = sum / (double)lag->pairs;
    for (size_t i = 0; i < frames; i++)
        squares +=
            isnan(correlations[i]) ? 0 : (correlations[i] - lag->value) * (correlations[i] - lag->value);
    lag->deviation = lag->pairs > 1 ? sqrt(squares / (double)(lag->pairs - 1)) : NAN;
}

static void finish_lag(struct autocorr_lags *lags, size_t k)
{
    const size_t rings = lags->max_offset + 1, offsets = autocorr_offsets(lags->max_offset);
    struct autocorr_ring *ring = &lags->rings[k * rings];
    kn_autocorr_lag *lag = &lags->lags[k];

    finish_value(&lags->correlations[k * lags->frames], lags->frames, lag);
    for (size_t r = 0; r < rings; r++)
        finish_ring(&ring[r], r, lag->pairs);
    for (size_t i = 0; lags->values && i < offsets; i++)
        lags->values[k * offsets + i] /= (double)lag->pairs; // NaN if there are no pairs
    ki_autocorr_find_lengths(ring, lags->max_offset, AUTOCORR_PROMINENCE, &lag->lengths);
    for (size_t r = 0; r < rings; r++)
        lags->rings_told[k * rings + r] = autocorr_public_ring(&ring[r]);
}

void ki_autocorr_lags_finish(struct autocorr_lags *lags, double bound)
{
    for (size_t k = 0; k < lags->count; k++)
        finish_lag(lags, k);
    lags->told = (kn_autocorr_lags){
        .count = lags->count,
        .frames = lags->frames,
        .max_offset = lags->max_offset,
        .lags = lags->lags,
        .rings = lags->rings_told,
        .values = lags->values,
        .correlations = lags->correlations,
        .bound = bound,
        .decorrelation = kn_autocorr_find_decorrelation(lags->lags, lags->count, lags->normalization)};
}

double kn_autocorr_find_decorrelation(const kn_autocorr_lag *lags, size_t count,
                                      kn_autocorr_normalization normalization)
{
    const double end = normalization == KN_AUTOCORR_SYMAVG ? 1 : 0, level = exp(-1);
    double before = 1, at = 0; // of the last lag that has a value

    for (size_t k = 1; lags && k < count; k++) {
        const double left = (lags[k].value - end) / (lags[0].value - end);

        if (left <= level)
            return at + (before - level) / (before - left) * ((double)k - at);
        if (!isnan(left)) {
            before = left;
            at = (double)k;
        }
    }
    return NAN;
}
