// SPDX-License-Identifier: Apache-2.0
#include "fan.h"

#include <math.h>

#include "base/error.h"

#define PI 3.14159265358979323846

// Beyond, single precision would have only whole pixels.
static const double farthest = 1 << 24;

bool ki_sparse_is_fan(const struct sparse_parallel *geometry)
{
    return geometry->beam != KN_TOMOGRAPHY_PARALLEL;
}

bool ki_sparse_is_cone(const struct sparse_parallel *geometry)
{
    return geometry->beam == KN_TOMOGRAPHY_CONE;
}

// ---- what is refused ----

// All pixels, and one more on each side, are on this side of the source in every projection.
static double nearest_source(const struct sparse_parallel *geometry)
{
    return ((double)geometry->size + 1) * sqrt(0.5);
}

static kn_status check_distances(const struct sparse_parallel *geometry, kn_error *err)
{
    const double source = geometry->source, detector = geometry->detector;

    if (!(fabs(source) <= farthest) || !(fabs(detector) <= farthest))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a source %g and detectors %g pixels from the axis; expected at most %.0f", source,
                       detector, farthest);
    if (!(source > nearest_source(geometry)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the source is inside the object: %g pixels from the axis, but the corners of %zu x "
                       "%zu pixels pass at up to %.6g",
                       source, geometry->size, geometry->size, nearest_source(geometry));
    if (!(source + detector >= 1))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "detectors %g pixels from the axis are behind the source, which is %g pixels from it; "
                       "expected a sum of at least 1",
                       detector, source);
    return KN_OK;
}

kn_status ki_sparse_fan_check(const struct sparse_parallel *geometry, kn_error *err)
{
    double first, last;
    kn_status status;

    if ((unsigned)geometry->beam > KN_TOMOGRAPHY_CONE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no beam %d; see kn_tomography_beam",
                       (int)geometry->beam);
    if (!ki_sparse_is_fan(geometry))
        return geometry->source != 0 || geometry->detector != 0
                   ? ki_fail(err, KN_ERROR_ARGUMENT,
                             "parallel rays have no distances of a source (%g) and detectors (%g)",
                             geometry->source, geometry->detector)
                   : KN_OK;
    status = check_distances(geometry, err);
    if (status)
        return status;
    first = ki_sparse_fan_angle(geometry, 0);
    last = ki_sparse_fan_angle(geometry, geometry->detectors - 1);
    if (fmax(fabs(first), fabs(last)) >= PI / 2)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "curved detectors from %g to %g degrees of the axis; expected fewer than 90",
                       first * 180 / PI, last * 180 / PI);
    return KN_OK;
}

// ---- rays ----

double ki_sparse_fan_angle(const struct sparse_parallel *geometry, size_t k)
{
    const double length = geometry->source + geometry->detector, u = (double)k - geometry->axis;

    switch (geometry->beam) {
    case KN_TOMOGRAPHY_FAN_FLAT:
    case KN_TOMOGRAPHY_CONE:
        return atan(u / length);
    case KN_TOMOGRAPHY_FAN_CURVED:
        return u / length;
    default:
        return 0;
    }
}

double ki_sparse_fan_distance(const struct sparse_parallel *geometry, size_t k)
{
    return ki_sparse_is_fan(geometry) ? geometry->source * sin(ki_sparse_fan_angle(geometry, k))
                                      : (double)k - geometry->axis;
}

void ki_sparse_fan_rays(const struct sparse_parallel *geometry, double theta, struct sparse_ray *rays)
{
    const double half = ((double)geometry->size - 1) / 2;

    for (size_t k = 0; k < geometry->detectors; k++) {
        const double phi = theta + ki_sparse_fan_angle(geometry, k), c = cos(phi), s = sin(phi);
        const bool steep = fabs(c) >= fabs(s);

        rays[k] = (struct sparse_ray){.start = ki_sparse_fan_distance(geometry, k) + half * (c + s),
                                      .drift = steep ? s : c,
                                      .over = steep ? c : s,
                                      .greatest = fmax(fabs(c), fabs(s)),
                                      .steep = steep};
    }
}

// ---- from pixels ----

// A ray with a weight for a pixel crosses the pixel's line, or its column, less than 1 from it: it is between
// those through the four neighbours, as all of them are before the source.
void ki_sparse_fan_seen(const struct sparse_parallel *geometry, const struct sparse_view *view, size_t x,
                        size_t y, size_t *first, size_t *end)
{
    static const double neighbours[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    const double half = ((double)geometry->size - 1) / 2, length = geometry->source + geometry->detector,
                 last = (double)geometry->detectors - 1;
    double least = INFINITY, most = -INFINITY;

    for (int i = 0; i < 4; i++) {
        const double right = (double)x - half + neighbours[i][0], down = (double)y - half + neighbours[i][1];
        const double across = right * view->cosine + down * view->sine,
                     along = geometry->source + right * view->sine - down * view->cosine;
        const double u = geometry->beam == KN_TOMOGRAPHY_FAN_FLAT ? length * across / along
                                                                  : length * atan2(across, along);
        const double rounding = 0x1p-40 * (fabs(u) + (double)geometry->detectors);

        least = fmin(least, geometry->axis + u - rounding);
        most = fmax(most, geometry->axis + u + rounding);
    }
    *first = least > 0 ? (size_t)fmin(ceil(least), last + 1) : 0;
    *end = most >= 0 ? (size_t)fmin(floor(most), last) + 1 : 0;
    if (*end < *first)
        *end = *first;
}

// Neighbours that are 2 apart, nearest to the source, where detectors are seen most obliquely.
double ki_sparse_fan_seen_most(const struct sparse_parallel *geometry)
{
    const double length = geometry->source + geometry->detector,
                 near = geometry->source - nearest_source(geometry) + 1 - sqrt(0.5),
                 oblique =
                     fmax(fabs(geometry->axis), fabs((double)geometry->detectors - 1 - geometry->axis)) /
                     length;

    return fmin((double)geometry->detectors, 2 * length / near * (1 + oblique * oblique) + 2);
}
