// SPDX-License-Identifier: Apache-2.0
// Tests kn_tomography_find_axis: phantoms whose axis is known, with and without noise, over half and whole
// turns; opposite projections alone; refusals.
#include <koine/koine.h>

#include <math.h>
#include <string.h>

#include "support/expect.h"
#include "support/run.h"
#include "support/support.h"

#define PI 3.14159265358979323846

enum { MOST_ANGLES = 36, MOST_DETECTORS = 140, FINER = 8 };

static double theta[MOST_ANGLES], sinogram[MOST_ANGLES * MOST_DETECTORS],
    rays[MOST_ANGLES * MOST_DETECTORS * FINER];

static double random_between(double low, double high, uint64_t *state)
{
    return low + (high - low) * (double)(test_random(state) % 1000003) / 1000003;
}

// Ellipses' exact line integrals, averaged over the width of a detector, whose axis is seen at `axis`.
static kn_tomography_geometry make(size_t angles, size_t detectors, double span, double axis)
{
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = angles, .detectors = detectors, .size = detectors * 3 / 4,
                .theta = theta);
    kn_tomography_geometry fine = geometry;

    for (size_t t = 0; t < angles; t++)
        theta[t] = span * (double)t / (double)angles;
    fine.detectors *= FINER;
    fine.size *= FINER;
    fine.axis_offset = (axis - ((double)detectors - 1) / 2) * FINER;
    EXPECT_OK(kn_tomography_phantom_sinogram(&fine, rays, &err));
    for (size_t i = 0; i < angles * detectors; i++) {
        sinogram[i] = 0;
        for (size_t k = 0; k < FINER; k++)
            sinogram[i] += rays[i * FINER + k] / FINER;
    }
    return geometry;
}

static kn_tomography_axis find(kn_tomography_geometry geometry)
{
    kn_tomography_axis found;

    geometry.axis_offset = 1; // it is not looked at
    memset(&found, 0x5a, sizeof found);
    EXPECT_OK(kn_tomography_find_axis(&geometry, sinogram, &found, &err));
    return found;
}

// Within a fifth of a binned detector: 0.08 was the most in 72 searches.
START_TEST(phantoms)
{
    static const struct {
        size_t angles, detectors;
        double span;
        bool noisy;
    } cases[] = {{36, 51, PI, false}, {30, 64, 2 * PI, true}, {31, 140, PI, true}};
    uint64_t state = test_seed("axis");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t count = cases[i].angles * cases[i].detectors, bin = (cases[i].detectors + 127) / 128;
        const double axis = ((double)cases[i].detectors - 1) / 2 + random_between(-6, 6, &state),
                     most = 0.2 * (double)bin;
        kn_tomography_axis found;
        kn_tomography_geometry geometry = make(cases[i].angles, cases[i].detectors, cases[i].span, axis);
        double greatest = 0;

        for (size_t k = 0; k < count; k++)
            greatest = fmax(greatest, sinogram[k]);
        for (size_t k = 0; k < count && cases[i].noisy; k++)
            sinogram[k] += greatest * random_between(-0.02, 0.02, &state);
        found = find(geometry);
        ck_assert_msg(fabs(found.axis - axis) <= most,
                      "case %zu%s: found %g, not %g (opposite: %g, error %g)", i,
                      cases[i].noisy ? ", noisy" : "", found.axis, axis, found.opposite, found.error);
        ck_assert_msg(found.error >= 0 && found.error <= most, "case %zu: an error of %g", i, found.error);
        ck_assert_uint_eq(found.pairs, cases[i].span > 4 ? cases[i].angles / 2 : 1);
        ck_assert(found.residual > 0 && found.residual < 0.2);
    }
}
END_TEST

// A projection and its mirror image, and no others between: the axis is exact without a residual's help.
START_TEST(opposite_projections)
{
    uint64_t state = test_seed("opposite");

    for (int i = 0; i < 5; i++) {
        const size_t detectors = 40 + test_random(&state) % 30,
                     twice = detectors - 1 + test_random(&state) % 7;
        const double given[] = {0.3, 0.3 + PI};
        const kn_tomography_geometry geometry = KN_INIT(
            kn_tomography_geometry, .angles = 2, .detectors = detectors, .size = detectors, .theta = given);
        kn_tomography_axis found;

        memset(sinogram, 0, sizeof sinogram);
        for (size_t k = 12; k < detectors - 12; k++) {
            sinogram[k] = random_between(1, 2, &state);
            sinogram[detectors + twice - k] = sinogram[k];
        }
        EXPECT_OK(kn_tomography_find_axis(&geometry, sinogram, &found, &err));
        ck_assert_uint_eq(found.pairs, 1);
        ck_assert_msg(fabs(found.opposite - (double)twice / 2) < 0.25, "opposite: %g, not %g", found.opposite,
                      (double)twice / 2);
        ck_assert(isnan(found.error));
    }
}
END_TEST

START_TEST(refused)
{
    kn_tomography_geometry geometry = make(20, 30, PI, 14.5), few;
    kn_tomography_axis found, before;

    memset(&found, 0x5a, sizeof found);
    before = found;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "geometry is NULL",
                   kn_tomography_find_axis(NULL, sinogram, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sinogram is NULL",
                   kn_tomography_find_axis(&geometry, NULL, &found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "found is NULL",
                   kn_tomography_find_axis(&geometry, sinogram, NULL, &err));
    sinogram[33] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "detector 3 of frame 1",
                   kn_tomography_find_axis(&geometry, sinogram, &found, &err));
    few = geometry;
    few.beam = KN_TOMOGRAPHY_FAN_FLAT;
    few.source_distance = 100;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a fan", kn_tomography_find_axis(&few, sinogram, &found, &err));
    few = make(20, 30, PI / 2, 14.5);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "half a turn apart",
                   kn_tomography_find_axis(&few, sinogram, &found, &err));
    geometry = make(20, 30, PI, 14.5);
    memset(sinogram, 0, sizeof sinogram);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is 0", kn_tomography_find_axis(&geometry, sinogram, &found, &err));
    ck_assert_mem_eq(&found, &before, sizeof found);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {phantoms, opposite_projections, refused};

    return TEST_RUN_WITH("axis", CK_FORK_GETENV, NULL, NULL, tests);
}
