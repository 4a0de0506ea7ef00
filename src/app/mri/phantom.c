// SPDX-License-Identifier: Apache-2.0
#include "phantom.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// As published: on [-1, 1], y upwards, angles in degrees, counter-clockwise.
struct published {
    double tenths; // its value in tenths: sums of integers are exact
    double half_axes[MRI_AXES], centre[MRI_AXES], degrees;
};

static const struct published ellipses[] = {
    {10, {0.69, 0.92, 1}, {0, 0, 0}, 0},       {-8, {0.6624, 0.874, 1}, {0, -0.0184, 0}, 0},
    {-2, {0.11, 0.31, 1}, {0.22, 0, 0}, -18},  {-2, {0.16, 0.41, 1}, {-0.22, 0, 0}, 18},
    {1, {0.21, 0.25, 1}, {0, 0.35, 0}, 0},     {1, {0.046, 0.046, 1}, {0, 0.1, 0}, 0},
    {1, {0.046, 0.046, 1}, {0, -0.1, 0}, 0},   {1, {0.046, 0.023, 1}, {-0.08, -0.605, 0}, 0},
    {1, {0.023, 0.023, 1}, {0, -0.606, 0}, 0}, {1, {0.023, 0.046, 1}, {0.06, -0.605, 0}, 0},
};

// phantom3d turns about z twice, by phi and psi; this is their sum.
static const struct published ellipsoids[] = {
    {10, {0.69, 0.92, 0.81}, {0, 0, 0}, 0},        {-8, {0.6624, 0.874, 0.78}, {0, -0.0184, 0}, 0},
    {-2, {0.11, 0.31, 0.22}, {0.22, 0, 0}, -8},    {-2, {0.16, 0.41, 0.28}, {-0.22, 0, 0}, 28},
    {1, {0.21, 0.25, 0.41}, {0, 0.35, -0.15}, 0},  {1, {0.046, 0.046, 0.05}, {0, 0.1, 0.25}, 0},
    {1, {0.046, 0.046, 0.05}, {0, -0.1, 0.25}, 0}, {1, {0.046, 0.023, 0.05}, {-0.08, -0.605, 0}, 0},
    {1, {0.023, 0.023, 0.02}, {0, -0.606, 0}, 0},  {1, {0.023, 0.046, 0.02}, {0.06, -0.605, 0}, 0},
};

enum { SHAPES = KI_COUNT(ellipses) };
_Static_assert(KI_COUNT(ellipsoids) == SHAPES, "as many in three dimensions");

// The same in fields of view, y downwards.
struct shape {
    double tenths, half_axes[MRI_AXES], centre[MRI_AXES], cosine, sine;
};

static void place_shapes(const kn_recon_matrix *matrix, struct shape shapes[SHAPES])
{
    static const double direction[MRI_AXES] = {1, -1, 1};
    const struct published *given = matrix->axes == 2 ? ellipses : ellipsoids;

    for (size_t i = 0; i < SHAPES; i++) {
        double angle = -given[i].degrees * M_PI / 180;

        shapes[i] = (struct shape){.tenths = given[i].tenths, .cosine = cos(angle), .sine = sin(angle)};
        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            shapes[i].half_axes[axis] = given[i].half_axes[axis] / 2;
            shapes[i].centre[axis] = direction[axis] * given[i].centre[axis] / 2;
        }
    }
}

// A vector in the coordinates of the shape's axes.
static void turn(const struct shape *shape, const double vector[MRI_AXES], double turned[MRI_AXES])
{
    turned[0] = shape->cosine * vector[0] + shape->sine * vector[1];
    turned[1] = -shape->sine * vector[0] + shape->cosine * vector[1];
    turned[2] = vector[2];
}

// ---- the image ----

// The distance of a point from the centre, 1 on the edge. With two axes, z is ignored.
static double radius(const struct shape *shape, size_t axes, const double r[MRI_AXES])
{
    double moved[MRI_AXES], own[MRI_AXES], squares = 0;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        moved[axis] = r[axis] - shape->centre[axis];
    turn(shape, moved, own);
    for (size_t axis = 0; axis < axes; axis++)
        squares += own[axis] * own[axis] / (shape->half_axes[axis] * shape->half_axes[axis]);
    return sqrt(squares);
}

// The fraction of the voxel's points that are inside.
static double points_inside(const kn_recon_matrix *matrix, const struct shape *shape,
                            const double middle[MRI_AXES], size_t oversample)
{
    size_t points = 1, inside = 0;

    for (size_t axis = 0; axis < matrix->axes; axis++)
        points *= oversample;
    for (size_t point = 0; point < points; point++) {
        double r[MRI_AXES];
        size_t rest = point;

        memcpy(r, middle, sizeof r);
        for (size_t axis = 0; axis < matrix->axes; axis++, rest /= oversample)
            r[axis] +=
                (((double)(rest % oversample) + 0.5) / (double)oversample - 0.5) / (double)matrix->size[axis];
        inside += radius(shape, matrix->axes, r) <= 1;
    }
    return (double)inside / (double)points;
}

// The fraction of the voxel that the shape covers.
static double coverage(const kn_recon_matrix *matrix, const struct shape *shape,
                       const double middle[MRI_AXES], size_t oversample)
{
    double at = radius(shape, matrix->axes, middle), thinnest = INFINITY, reach = 0;

    if (oversample == 1)
        return at <= 1;
    // Within the voxel, the radius changes by at most half its diagonal divided by the shortest half axis.
    for (size_t axis = 0; axis < matrix->axes; axis++) {
        thinnest = fmin(thinnest, shape->half_axes[axis]);
        reach = hypot(reach, 0.5 / (double)matrix->size[axis]);
    }
    if (fabs(at - 1) > reach / thinnest)
        return at < 1;
    return points_inside(matrix, shape, middle, oversample);
}

kn_status ki_phantom_raster(const kn_recon_matrix *matrix, size_t oversample, double *image, kn_error *err)
{
    struct shape shapes[SHAPES];
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    if (oversample < 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "a phantom of 0 points a voxel; expected at least 1");
    place_shapes(matrix, shapes);
    for (size_t n = 0; n < voxels; n++) {
        double r[MRI_AXES], sum = 0;

        for (size_t axis = 0, rest = n; axis < MRI_AXES; rest /= matrix->size[axis], axis++)
            r[axis] = ki_mri_position(rest % matrix->size[axis], matrix->size[axis]);
        for (size_t i = 0; i < SHAPES; i++)
            sum += shapes[i].tenths * coverage(matrix, &shapes[i], r, oversample);
        image[n] = sum / 10;
    }
    return KN_OK;
}

// ---- k-space ----

// The Fourier transform of a disc of radius 1 at q cycles: J1(2 pi q) / q, pi at 0.
static double disc(double q)
{
    return q < 1e-8 ? M_PI : j1(2 * M_PI * q) / q;
}

// The Fourier transform of a ball: 4 pi (sin w - w cos w) / w^3 with w = 2 pi q. Near 0 the difference
// cancels, and the series 4/3 pi (1 - w^2/10 (1 - w^2/28 (1 - ...))) is used: its ninth term is below 2e-18.
static double ball(double q)
{
    double w = 2 * M_PI * q, s = w * w, series = 1;

    if (w >= 1)
        return 4 * M_PI * (sin(w) - w * cos(w)) / (w * s);
    for (int n = 8; n > 0; n--)
        series = 1 - s / (2 * n * (2 * n + 3)) * series;
    return 4 * M_PI / 3 * series;
}

static double complex shape_at(const struct shape *shape, size_t axes, const double k[MRI_AXES])
{
    double own[MRI_AXES], squares = 0, size = 1, turns = 0;

    turn(shape, k, own);
    for (size_t axis = 0; axis < axes; axis++) {
        squares += own[axis] * own[axis] * shape->half_axes[axis] * shape->half_axes[axis];
        size *= shape->half_axes[axis];
        turns += k[axis] * shape->centre[axis];
    }
    return shape->tenths / 10 * size * (axes == 2 ? disc(sqrt(squares)) : ball(sqrt(squares))) *
           mri_complex(cos(2 * M_PI * turns), -sin(2 * M_PI * turns));
}

kn_status ki_phantom_kspace(const kn_recon_matrix *matrix, const double *k, size_t samples,
                            double complex *data, kn_error *err)
{
    struct shape shapes[SHAPES];
    size_t voxels;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    place_shapes(matrix, shapes);
    for (size_t m = 0; m < samples; m++) {
        double complex sum = 0;

        for (size_t i = 0; i < SHAPES; i++)
            sum += shape_at(&shapes[i], matrix->axes, k + MRI_AXES * m);
        data[m] = (double)voxels * sum;
    }
    return KN_OK;
}
