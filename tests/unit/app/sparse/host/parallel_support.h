// SPDX-License-Identifier: Apache-2.0
// Joseph's projector as a dense matrix, computed ray by ray, for tests; and geometries of every shape.
#ifndef KN_TESTS_UNIT_APP_SPARSE_HOST_PARALLEL_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_HOST_PARALLEL_SUPPORT_H

#include <math.h>

#include "support/expect.h"
#include "support/sparse_inputs.h"

#include "app/sparse/tomography/parallel.h"

#define HALF_TURN 3.14159265358979323846

static const char *const test_geometries[] = {
    "parallel:1,1,1",     "parallel:1,5,4",      "parallel:7,1,6",      "parallel:8,33,1",
    "parallel:4,9,9",     "parallel:12,31,32",   "parallel:5,33,31,3",  "parallel:6,20,33,-11.25",
    "parallel:9,20,7,40", "parallel:180,15,8,7", "parallel:3,4,5,-6.5", "parallel:31,17,13,9.125"};
enum { TEST_GEOMETRIES = sizeof test_geometries / sizeof *test_geometries };

// Fans with the source near and far, detectors in, before and behind the picture.
static const char *const test_fans[] = {
    "fan:1,1,1,2,0",       "fan:3,1,6,20,5",    "fan:7,33,1,1.5,30",       "fan:12,31,32,25,0",
    "fan:5,33,31,60,40,3", "fan:9,60,17,14,90", "fan:6,20,33,30,-20,11.5", "fan:4,25,16,1000000,10"};
enum { TEST_FANS = sizeof test_fans / sizeof *test_fans };

static inline struct sparse_parallel test_geometry(const char *text)
{
    struct sparse_parallel parallel;

    EXPECT_OK(sparse_parse(text, &parallel, &err));
    return parallel;
}

// Angles of any magnitude and sign, as a file may have them.
static inline void test_give_angles(struct sparse_parallel *parallel, uint64_t *state)
{
    parallel->theta = malloc(parallel->angles * sizeof *parallel->theta);
    ck_assert_ptr_nonnull(parallel->theta);
    for (size_t t = 0; t < parallel->angles; t++)
        parallel->theta[t] = 20 * test_uniform(state) - 10;
}

// The same of a fan, from the source and the detector of each ray: both are points, and the ray is followed
// from the source. The caller frees it.
static inline double *test_dense_fan(const struct sparse_parallel *fan)
{
    const size_t size = fan->size, pixels = size * size;
    const double middle = ((double)size - 1) / 2, length = fan->source + fan->detector;
    double *a = calloc(ki_sparse_parallel_rows(fan) * pixels + 1, sizeof *a);

    ck_assert_ptr_nonnull(a);
    for (size_t row = 0; row < ki_sparse_parallel_rows(fan); row++) {
        const size_t t = row / fan->detectors;
        const double theta = fan->theta ? fan->theta[t] : 2 * HALF_TURN * (double)t / (double)fan->angles,
                     u = (double)(row % fan->detectors) - fan->axis, gamma = u / length;
        const bool flat = fan->beam == KN_TOMOGRAPHY_FAN_FLAT;
        // From the source: so far along the ray through the axis, and so far beside it.
        const double ahead = flat ? length : length * cos(gamma), beside = flat ? u : length * sin(gamma);
        const double source[2] = {middle - fan->source * sin(theta), middle + fan->source * cos(theta)},
                     way[2] = {ahead * sin(theta) + beside * cos(theta),
                               beside * sin(theta) - ahead * cos(theta)};
        const int walk = fabs(way[1]) >= fabs(way[0]); // 1: from line to line
        const double step = hypot(way[0], way[1]) / fabs(way[walk]);

        for (size_t i = 0; i < size; i++) {
            const double other = source[1 - walk] + ((double)i - source[walk]) / way[walk] * way[1 - walk];

            for (size_t j = 0; j < size; j++) {
                const double weight = 1 - fabs((double)j - other);

                if (weight > 0)
                    a[row * pixels + (walk ? i * size + j : j * size + i)] += weight * step;
            }
        }
    }
    return a;
}

// The point of the ray nearest to the axis, its direction, and its intersections with every line (or column).
// The caller frees it.
static inline double *test_dense(const struct sparse_parallel *parallel)
{
    size_t size = parallel->size, pixels = size * size;
    double *a;

    if (parallel->beam != KN_TOMOGRAPHY_PARALLEL)
        return test_dense_fan(parallel);
    a = calloc(ki_sparse_parallel_rows(parallel) * pixels + 1, sizeof *a);

    ck_assert_ptr_nonnull(a);
    for (size_t t = 0; t < parallel->angles; t++) {
        double theta =
            parallel->theta ? parallel->theta[t] : HALF_TURN * (double)t / (double)parallel->angles;
        double across[2] = {cos(theta), sin(theta)}, along[2] = {-sin(theta), cos(theta)};
        int walk = fabs(along[1]) >= fabs(along[0]); // 1: from line to line
        for (size_t k = 0; k < parallel->detectors; k++)
            for (size_t i = 0; i < size; i++) {
                double distance = (double)k - parallel->axis, middle = ((double)size - 1) / 2;
                double step = ((double)i - middle - distance * across[walk]) / along[walk];
                double other = middle + distance * across[1 - walk] + step * along[1 - walk];
                double *row = a + (t * parallel->detectors + k) * pixels;
                for (size_t j = 0; j < size; j++) {
                    double weight = 1 - fabs((double)j - other);
                    if (weight > 0)
                        row[walk ? i * size + j : j * size + i] += weight / fabs(along[walk]);
                }
            }
    }
    return a;
}

#endif
