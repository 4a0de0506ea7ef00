// SPDX-License-Identifier: Apache-2.0
#include "segments.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

static const double pi = 3.14159265358979323846;
static const double least_length = 1e-9;

enum { HALF_TURN = 360, TURN = 7 }; // steps of the angle in half a turn, and from one row to the next

// A number from 0 to 1 from splitmix64 (Steele, Lea and Flood).
static double draw(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// The parameters, from 0 to 1, at which the segment crosses lines of the grid, including both ends, in
// ascending order.
static size_t find_crossings(const double from[2], const double along[2], double *at)
{
    size_t count = 0;

    at[count++] = 0;
    for (unsigned axis = 0; axis < 2; axis++) {
        double to = from[axis] + along[axis];

        for (double line = ceil(fmin(from[axis], to));
             along[axis] != 0 && line <= floor(fmax(from[axis], to)); line++)
            at[count++] = fmin(fmax((line - from[axis]) / along[axis], 0), 1);
    }
    at[count++] = 1;
    qsort(at, count, sizeof *at, compare);
    return count;
}

// Adds the pixels of a segment and its lengths in them, from `count` on; returns the new count.
static size_t add_piece(const struct solve_segments *segments, const double from[2], const double along[2],
                        double *at, uint32_t *column, double *values, size_t count)
{
    size_t crossings = find_crossings(from, along, at);

    for (size_t i = 0; i + 1 < crossings; i++) {
        double middle = (at[i] + at[i + 1]) / 2, length = (at[i + 1] - at[i]) * segments->length;
        double x = floor(from[0] + middle * along[0]), y = floor(from[1] + middle * along[1]);

        if (length <= least_length || x < 0 || x >= (double)segments->width || y < 0 ||
            y >= (double)segments->height)
            continue;
        column[count] = (uint32_t)y * (uint32_t)segments->width + (uint32_t)x;
        values[count++] = length;
    }
    return count;
}

// Adds all segments; every centre is inside the image, so each segment has a pixel.
static size_t add_pieces(const struct solve_segments *segments, double *at, uint32_t *row, uint32_t *column,
                         double *values)
{
    uint64_t state = segments->seed;
    size_t count = 0;

    for (size_t i = 0; i < segments->rows; i++) {
        double angle = pi * (double)(i * TURN % HALF_TURN) / HALF_TURN;
        const double along[2] = {segments->length * cos(angle), segments->length * sin(angle)};
        double x = draw(&state) * (double)segments->width, y = draw(&state) * (double)segments->height;
        const double from[2] = {x - along[0] / 2, y - along[1] / 2};
        size_t end = add_piece(segments, from, along, at, column, values, count);

        for (; count < end; count++)
            row[count] = (uint32_t)i;
    }
    return count;
}

kn_status solve_segments_create(const struct solve_segments *segments, kn_sparse **made, kn_error *err)
{
    size_t longest, most, count;
    uint32_t *row, *column;
    double *values, *at;
    kn_status status;

    *made = NULL;
    if (segments->width < 1 || segments->height < 1 || segments->width > UINT32_MAX / segments->height)
        return ki_fail(err, KN_ERROR_ARGUMENT, "an image of %zu x %zu pixels; expected 1 to 2^32 - 1",
                       segments->width, segments->height);
    if (!(segments->length > 0 && segments->length <= 0x1p20))
        return ki_fail(err, KN_ERROR_ARGUMENT, "pieces of %g pixels; expected above 0, at most 2^20",
                       segments->length);
    longest = 2 * (size_t)ceil(segments->length) + 6; // number of crossings
    most = segments->rows * longest + 1;
    row = malloc(most * sizeof *row);
    column = malloc(most * sizeof *column);
    values = malloc(most * sizeof *values);
    at = malloc(longest * sizeof *at);
    status = row && column && values && at ? KN_OK : ki_fail_memory(err, most * 16, "a system of rays");
    if (!status) {
        count = add_pieces(segments, at, row, column, values);
        status = kn_sparse_create_coo(segments->rows, segments->width * segments->height, count, row, column,
                                      values, made, err);
    }
    free(row);
    free(column);
    free(values);
    free(at);
    return status;
}
