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

// The point of the ray nearest to the axis, its direction, and its intersections with every line (or column).
// The caller frees it.
static inline double *test_dense(const struct sparse_parallel *parallel)
{
    size_t size = parallel->size, pixels = size * size;
    double *a = calloc(ki_sparse_parallel_rows(parallel) * pixels + 1, sizeof *a);

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
