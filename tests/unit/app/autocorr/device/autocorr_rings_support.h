// SPDX-License-Identifier: Apache-2.0
// Compares rings from the device with the host's rings of the same sums.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_RINGS_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_DEVICE_AUTOCORR_RINGS_SUPPORT_H

#include "autocorr_frames_support.h"

#include <math.h>

#include "app/autocorr/normalize.h"
#include "app/autocorr/radial.h"

// For a number of magnitude `scale` at most. A value and its weight have some ten roundings each, four of
// them of 3 units (square roots, divisions), and up to 2 pi R / 12 terms of a sector are added in sequence if
// one lane has them all: at R = 300, 150 roundings of e, which is 2^-24 or 2^-53.
static inline void expect_near(double found, double wanted, double scale, const char *what, const char *name,
                               size_t ring)
{
    double e = kn_context_get_device(context)->fp64 ? 1e-13 : 1e-5;

    ck_assert_msg(isnan(wanted) ? isnan(found) : fabs(found - wanted) <= e * scale,
                  "%s, ring %zu, %s: %.17g instead of %.17g", name, ring, what, found, wanted);
}

// The error is the square root of a difference of squares of values.
static inline void expect_rings(const struct autocorr_ring *found, const struct autocorr_ring *wanted,
                                size_t max_offset, const char *name)
{
    double most = 1;

    for (size_t k = 0; k <= max_offset; k++)
        most = fmax(most, fabs(wanted[k].value));
    for (size_t k = 0; k <= max_offset; k++) {
        const struct autocorr_ring *a = &found[k], *b = &wanted[k];

        ck_assert_msg(a->count == b->count, "%s, ring %zu: %zu offsets instead of %zu", name, k,
                      (size_t)a->count, (size_t)b->count);
        expect_near(a->radius, b->radius, b->radius + 1, "radius", name, k);
        expect_near(a->value, b->value, most, "value", name, k);
        expect_near(a->weight, b->weight, b->weight + 1, "weight", name, k);
        if (!isnan(b->error))
            expect_near(a->error * a->error, b->error * b->error, 4 * most * most, "squared error", name, k);
        for (size_t s = 0; s < AUTOCORR_SECTORS; s++) {
            expect_near(a->sums[s], b->sums[s], most * (b->weight + 1), "sum", name, k);
            expect_near(a->weights[s], b->weights[s], b->weight + 1, "sector's weight", name, k);
        }
    }
}

// The host's rings, from exact sums.
static inline void host_rings(const struct autocorr_task *task, const uint64_t *products,
                              kn_autocorr_normalization normalization, struct autocorr_ring *rings)
{
    size_t offsets = autocorr_offsets(task->max_offset);
    struct autocorr_window *windows = malloc(offsets * sizeof *windows);
    double *values = malloc(offsets * sizeof *values);

    ck_assert(windows && values);
    EXPECT_OK(ki_autocorr_windows(task, windows, &err));
    ki_autocorr_normalize(normalization, task->max_offset, products, windows, values);
    ki_autocorr_radial(values, task->max_offset, AUTOCORR_LINEAR, rings);
    free(windows);
    free(values);
}

#endif
