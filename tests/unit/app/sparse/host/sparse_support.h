// SPDX-License-Identifier: Apache-2.0
// What tests of sparse systems share: random matrices of every shape, and the corresponding dense ones.
#ifndef KN_TESTS_UNIT_APP_SPARSE_HOST_SPARSE_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_HOST_SPARSE_SUPPORT_H

#include <math.h>

#include "support/expect.h"

#include "app/sparse/matrix.h"
#include "app/sparse/product/reference.h"

static uint64_t sparse_seed;

static inline double *sparse_numbers(size_t count)
{
    double *numbers = malloc((count + 1) * sizeof *numbers);

    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = 2 * test_uniform(&sparse_seed) - 1;
    return numbers;
}

// `count` random entries of a rows x columns matrix, some at the same place, some 0; `dense` (rows * columns,
// by rows) becomes their sum. If there are few, some rows and columns are likely to be empty.
static inline struct sparse_matrix sparse_random(size_t rows, size_t columns, size_t count, double *dense)
{
    uint32_t *row = malloc((count + 1) * sizeof *row), *column = malloc((count + 1) * sizeof *column);
    double *values = sparse_numbers(count);
    struct sparse_matrix matrix;
    struct sparse_entries entries = {rows, columns, count, row, column, values};

    ck_assert(row && column);
    for (size_t i = 0; dense && i < rows * columns; i++)
        dense[i] = 0;
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && test_random(&sparse_seed) % 8 == 0;

        row[i] = again ? row[i - 1] : (uint32_t)(test_random(&sparse_seed) % rows);
        column[i] = again ? column[i - 1] : (uint32_t)(test_random(&sparse_seed) % columns);
        if (test_random(&sparse_seed) % 16 == 0)
            values[i] = 0;
        if (dense)
            dense[row[i] * columns + column[i]] += values[i];
    }
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    EXPECT_OK(ki_sparse_check(&matrix, "random", &err));
    free(row);
    free(column);
    free(values);
    return matrix;
}

// ---- parallel rays through an image ----

enum {
    BEAM_WIDTH = 64,
    BEAM_HEIGHT = 48,
    BEAM_PIXELS = BEAM_WIDTH * BEAM_HEIGHT,
    BEAM_ANGLES = 180,
    BEAM_DETECTORS = 90
};
enum { BEAM_RAYS = BEAM_ANGLES * BEAM_DETECTORS, BEAM_CROSSINGS = BEAM_WIDTH + BEAM_HEIGHT + 4 };

// The positions, from 0 to 1, where the ray from `from` along `along` crosses the grid's lines, sorted.
static inline size_t sparse_crossings(const double from[2], const double along[2], double *at)
{
    const int sizes[2] = {BEAM_WIDTH, BEAM_HEIGHT};
    size_t count = 0;

    for (int axis = 0; axis < 2; axis++)
        for (int line = 0; line <= sizes[axis] && fabs(along[axis]) > 1e-12; line++) {
            double t = (line - from[axis]) / along[axis];

            if (t > 0 && t < 1)
                at[count++] = t;
        }
    qsort(at, count, sizeof *at, test_by_value);
    return count;
}

// The lengths of rays in an image's pixels (Siddon 1985): 16,200 x 3,072, an ill-posed system.
static inline struct sparse_matrix sparse_parallel_beam(void)
{
    size_t room = (size_t)BEAM_RAYS * BEAM_CROSSINGS, count = 0;
    uint32_t *row = malloc(room * sizeof *row), *column = malloc(room * sizeof *column);
    double *values = malloc(room * sizeof *values), at[BEAM_CROSSINGS];
    struct sparse_matrix matrix;

    ck_assert(row && column && values);
    for (size_t ray = 0; ray < BEAM_RAYS; ray++) {
        const double reach = 60, angle = acos(-1) * (double)(ray / BEAM_DETECTORS) / BEAM_ANGLES;
        const double offset =
            ((double)(ray % BEAM_DETECTORS) - (BEAM_DETECTORS - 1) / 2.0) * 80 / BEAM_DETECTORS;
        const double along[2] = {2 * reach * cos(angle), 2 * reach * sin(angle)};
        const double from[2] = {BEAM_WIDTH / 2.0 - offset * sin(angle) - along[0] / 2,
                                BEAM_HEIGHT / 2.0 + offset * cos(angle) - along[1] / 2};
        size_t crossings = sparse_crossings(from, along, at);

        for (size_t i = 0; i + 1 < crossings; i++) {
            double middle = (at[i] + at[i + 1]) / 2, length = 2 * reach * (at[i + 1] - at[i]);
            double x = floor(from[0] + middle * along[0]), y = floor(from[1] + middle * along[1]);

            if (length < 1e-9 || x < 0 || x >= BEAM_WIDTH || y < 0 || y >= BEAM_HEIGHT)
                continue;
            row[count] = (uint32_t)ray;
            column[count] = (uint32_t)(y * BEAM_WIDTH + x);
            values[count++] = length;
        }
    }
    EXPECT_OK(ki_sparse_from_entries(
        &(struct sparse_entries){BEAM_RAYS, BEAM_PIXELS, count, row, column, values}, &matrix, &err));
    free(row);
    free(column);
    free(values);
    return matrix;
}

// Ellipses on a background of 0, of different brightness, one inside another; nothing is negative.
static inline void sparse_phantom(double image[BEAM_PIXELS])
{
    static const double ellipses[][5] = {
        {32, 24, 24, 18, 0.6}, {26, 22, 8, 9, 0.4}, {40, 28, 6, 5, -0.6}, {44, 18, 3, 3, 0.9}};

    for (int i = 0; i < BEAM_PIXELS; i++) {
        image[i] = 0;
        for (size_t e = 0; e < sizeof ellipses / sizeof *ellipses; e++) {
            double x = (i % BEAM_WIDTH + 0.5 - ellipses[e][0]) / ellipses[e][2];
            double y = (i / BEAM_WIDTH + 0.5 - ellipses[e][1]) / ellipses[e][3];

            image[i] += x * x + y * y < 1 ? ellipses[e][4] : 0;
        }
    }
}

// b = A image plus noise of `part` of its norm; the norm of the noise is returned.
static inline double sparse_measure(const struct sparse_matrix *matrix, const double *image, double part,
                                    double *b)
{
    double size = 0, noise = 0, *random = sparse_numbers(matrix->rows);

    ki_sparse_reference_multiply(matrix, image, b);
    for (size_t i = 0; i < matrix->rows; i++) {
        for (unsigned k = 0; k < 5; k++) // six uniform numbers: nearly normal
            random[i] += 2 * test_uniform(&sparse_seed) - 1;
        size += b[i] * b[i];
        noise += random[i] * random[i];
    }
    for (size_t i = 0; i < matrix->rows; i++)
        b[i] += part * sqrt(size / noise) * random[i];
    free(random);
    return part * sqrt(size);
}

// A penalty for values below 0, with a double as its weight: its contribution to a gradient, and along a
// direction.
static inline void sparse_hinge(const void *data, const double *x, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] += x[i] < 0 ? *(const double *)data * x[i] : 0;
}

static inline void sparse_hinge_along(const void *data, const double *x, const double *d, size_t count,
                                      double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] += x[i] < 0 ? *(const double *)data * d[i] : 0;
}

#endif
