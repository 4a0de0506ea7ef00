// SPDX-License-Identifier: Apache-2.0
// The filters of filtered back-projection as convolutions in space, for its tests.
#ifndef KN_TESTS_UNIT_APP_SPARSE_FBP_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_FBP_SUPPORT_H

#include "support/assertions.h"
#include "support/memory/memory.h"

#include <math.h>
#include <stdlib.h>

#include <koine/tomography.h>

#define PI 3.14159265358979323846

// The levels of the host's code, of which a processor has the first ones.
static const kn_host_level fbp_levels[] = {KN_HOST_AUTO, KN_HOST_SCALAR, KN_HOST_AVX2, KN_HOST_AVX512};

// How many of them this processor has.
static inline unsigned count_levels(void)
{
    const kn_tomography_geometry small =
        KN_INIT(kn_tomography_geometry, .angles = 1, .detectors = 1, .size = 1);
    unsigned count = 0;

    for (; count < 4; count++) {
        const kn_tomography_fbp_options options =
            KN_INIT(kn_tomography_fbp_options, .level = fbp_levels[count]);
        kn_tomography_fbp_plan *plan = NULL;
        kn_error err = KN_ERROR_INIT;
        kn_status status = kn_tomography_fbp_plan_create(NULL, &small, &options, &plan, &err);

        kn_tomography_fbp_plan_free(plan);
        if (status == KN_ERROR_UNSUPPORTED)
            break;
        ck_assert_msg(!status, "%s", err.text);
    }
    return count;
}

static inline double window_of(kn_tomography_filter filter, double f)
{
    const double windows[] = {1, f > 0 ? sin(PI * f) / (PI * f) : 1, cos(PI * f),
                              0.54 + 0.46 * cos(2 * PI * f), 0.5 + 0.5 * cos(2 * PI * f)};

    return windows[filter];
}

// The weight of a detector in another one, 0 to length - 1 detectors away: the ramp's samples, convolved with
// the window as a sum of cosines.
static inline double *convolution(kn_tomography_filter filter, size_t length)
{
    double *response = test_allocate(length * sizeof *response), *h = test_allocate(length * sizeof *h);

    for (size_t k = 0; k < length; k++) {
        double f = (double)(k <= length / 2 ? k : length - k) / (double)length;

        response[k] = 0.25;
        for (size_t n = 1; n < length; n += 2) {
            double distance = (double)(n < length / 2 ? n : length - n);

            response[k] -= cos(2 * PI * (double)(k * n % length) / (double)length) / pow(PI * distance, 2);
        }
        response[k] *= window_of(filter, f);
    }
    for (size_t n = 0; n < length; n++) {
        h[n] = 0;
        for (size_t k = 0; k < length; k++)
            h[n] += response[k] * cos(2 * PI * (double)(k * n % length) / (double)length) / (double)length;
    }
    free(response);
    return h;
}

static inline double at_detector(const double *row, size_t detectors, double k)
{
    return k >= 0 && k < (double)detectors ? row[(size_t)k] : 0;
}

#endif
