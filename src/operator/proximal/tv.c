// SPDX-License-Identifier: Apache-2.0
#include "tv.h"

#include <math.h>

#include "shared/tv.h"

struct tv_grid ki_tv_grid(const size_t *shape, unsigned components)
{
    struct tv_grid grid = {.axes = shape[2] > 1 ? 3 : 2, .components = components, .pixels = 1};

    for (unsigned a = 0; a < TV_MOST_AXES; a++) {
        grid.lengths[a] = shape[a];
        grid.strides[a] = grid.pixels;
        grid.pixels *= shape[a];
        grid.norm += shape[a] > 1 ? 4 : 0;
    }
    grid.norm = grid.norm > 0 ? grid.norm : 1;
    return grid;
}

double ki_tv_step(double squared_norm)
{
    return (double)TV_RATIO / sqrt(2) / (squared_norm > 0 ? squared_norm : 1);
}

// The index of the next pixel's number along the axis; `at` itself at the end of a line.
static size_t next_of(const struct tv_grid *grid, unsigned axis, size_t pixel, size_t at)
{
    size_t place = pixel / grid->strides[axis] % grid->lengths[axis];

    return place + 1 < grid->lengths[axis] ? at + grid->strides[axis] * grid->components : at;
}

double ki_tv_value(const struct tv_grid *grid, const double *x)
{
    double sum = 0;

    for (size_t pixel = 0; pixel < grid->pixels; pixel++) {
        double squares = 0;

        for (unsigned axis = 0; axis < grid->axes; axis++)
            for (unsigned c = 0; c < grid->components; c++) {
                size_t at = pixel * grid->components + c;
                double difference = x[next_of(grid, axis, pixel, at)] - x[at];

                squares += difference * difference;
            }
        sum += sqrt(squares);
    }
    return sum;
}

double ki_tv_dual(const struct tv_grid *grid, const double *x, const double *before, double radius,
                  double *dual)
{
    size_t numbers = grid->pixels * grid->components;
    double length = 1 / (2 * grid->norm), changes = 0;

    for (size_t pixel = 0; pixel < grid->pixels; pixel++) {
        double moved[2 * TV_MOST_AXES] = {0}, squares = 0, factor;

        for (unsigned axis = 0; axis < grid->axes; axis++)
            for (unsigned c = 0; c < grid->components; c++) {
                size_t at = pixel * grid->components + c, next = next_of(grid, axis, pixel, at);
                double difference = 2 * (x[next] - x[at]) - (before[next] - before[at]);
                double own = dual[axis * numbers + at] + length * difference;

                squares += own * own;
                moved[axis * grid->components + c] = own;
            }
        factor = squares > radius * radius ? radius / sqrt(squares) : 1;
        for (unsigned k = 0; k < grid->axes * grid->components; k++) {
            double *own =
                &dual[k / grid->components * numbers + pixel * grid->components + k % grid->components];
            double change = factor * moved[k] - *own;

            *own += (double)TV_RELAXATION * change;
            changes += change * change / length;
        }
    }
    return changes;
}

void ki_tv_adjoint(const struct tv_grid *grid, const double *dual, double *out)
{
    size_t numbers = grid->pixels * grid->components;

    for (unsigned axis = 0; axis < grid->axes; axis++)
        for (size_t pixel = 0; pixel < grid->pixels; pixel++)
            for (unsigned c = 0; c < grid->components; c++) {
                size_t at = pixel * grid->components + c, next = next_of(grid, axis, pixel, at);

                out[at] -= dual[axis * numbers + at]; // 0 at the end of a line
                if (next != at)
                    out[next] += dual[axis * numbers + at];
            }
}
