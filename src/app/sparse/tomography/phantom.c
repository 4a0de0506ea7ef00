// SPDX-License-Identifier: Apache-2.0
#include "phantom.h"

#include <math.h>

#include "base/array.h"
#include "fan.h"

#define PI 3.14159265358979323846

// As published: on [-1, 1], y upwards, angles in degrees, counter-clockwise.
static const struct published {
    double tenths; // its value in tenths: sums of integers are exact
    double half_width, half_height, x, y, degrees;
} ellipses[] = {
    {10, 0.69, 0.92, 0, 0, 0},          {-8, 0.6624, 0.874, 0, -0.0184, 0},  {-2, 0.11, 0.31, 0.22, 0, -18},
    {-2, 0.16, 0.41, -0.22, 0, 18},     {1, 0.21, 0.25, 0, 0.35, 0},         {1, 0.046, 0.046, 0, 0.1, 0},
    {1, 0.046, 0.046, 0, -0.1, 0},      {1, 0.046, 0.023, -0.08, -0.605, 0}, {1, 0.023, 0.023, 0, -0.606, 0},
    {1, 0.023, 0.046, 0.06, -0.605, 0},
};

enum { ELLIPSES = KI_COUNT(ellipses) };

// The same in pixels from the middle of the picture, y downwards.
struct ellipse {
    double tenths, half_width, half_height, x, y, angle;
};

static void place(size_t size, struct ellipse placed[ELLIPSES])
{
    double unit = (double)size / 2;

    for (size_t i = 0; i < ELLIPSES; i++)
        placed[i] = (struct ellipse){.tenths = ellipses[i].tenths,
                                     .half_width = unit * ellipses[i].half_width,
                                     .half_height = unit * ellipses[i].half_height,
                                     .x = unit * ellipses[i].x,
                                     .y = -unit * ellipses[i].y,
                                     .angle = -ellipses[i].degrees * PI / 180};
}

// ---- the picture ----

struct turned {
    double cosine, sine;
};

static double value_at(const struct ellipse placed[ELLIPSES], const struct turned turned[ELLIPSES], double x,
                       double y)
{
    double tenths = 0;

    for (size_t i = 0; i < ELLIPSES; i++) {
        double right = x - placed[i].x, down = y - placed[i].y;
        double along = (turned[i].cosine * right + turned[i].sine * down) / placed[i].half_width;
        double across = (turned[i].cosine * down - turned[i].sine * right) / placed[i].half_height;

        if (along * along + across * across <= 1)
            tenths += placed[i].tenths;
    }
    return tenths;
}

void ki_sparse_phantom(size_t size, size_t oversample, double *picture)
{
    struct ellipse placed[ELLIPSES];
    struct turned turned[ELLIPSES];
    double step = 1 / (double)oversample, half = (double)size / 2;

    place(size, placed);
    for (size_t i = 0; i < ELLIPSES; i++)
        turned[i] = (struct turned){cos(placed[i].angle), sin(placed[i].angle)};
    for (size_t pixel = 0; pixel < size * size; pixel++) {
        double left = (double)(pixel % size) - half, top = (double)(pixel / size) - half, sum = 0;

        for (size_t point = 0; point < oversample * oversample; point++)
            sum += value_at(placed, turned, left + ((double)(point % oversample) + 0.5) * step,
                            top + ((double)(point / oversample) + 0.5) * step);
        picture[pixel] = sum / (10 * (double)(oversample * oversample));
    }
}

// ---- the sinogram ----

// The length of the part of a ray inside the ellipse; the ray is at x cos theta + y sin theta = distance.
static double chord(const struct ellipse *ellipse, double theta, double distance)
{
    double along = ellipse->half_width * cos(theta - ellipse->angle);
    double across = ellipse->half_height * sin(theta - ellipse->angle);
    double squared = along * along + across * across; // half the width of the ellipse's shadow, squared
    double from = distance - ellipse->x * cos(theta) - ellipse->y * sin(theta);

    return squared > from * from
               ? 2 * ellipse->half_width * ellipse->half_height * sqrt(squared - from * from) / squared
               : 0;
}

void ki_sparse_phantom_sinogram(const struct sparse_parallel *geometry, double *sinogram)
{
    struct ellipse placed[ELLIPSES];

    place(geometry->size, placed);
    for (size_t t = 0; t < geometry->angles; t++)
        for (size_t k = 0; k < geometry->detectors; k++) {
            double theta = ki_sparse_parallel_theta(geometry, t) + ki_sparse_fan_angle(geometry, k), sum = 0;

            for (size_t i = 0; i < ELLIPSES; i++)
                sum += placed[i].tenths * chord(&placed[i], theta, ki_sparse_fan_distance(geometry, k));
            sinogram[t * geometry->detectors + k] = sum / 10;
        }
}
