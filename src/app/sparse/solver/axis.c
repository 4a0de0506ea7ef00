// SPDX-License-Identifier: Apache-2.0
#include "axis.h"

#include <math.h>
#include <stdlib.h>

#include <koine/solve.h>

#include "app/sparse/tomography/opposite.h"
#include "base/error.h"

enum {
    WIDEST = 128,    // the most detectors after binning: residuals are then cheap, and exact enough
    ITERATIONS = 12, // of conjugate gradients
    MOST_MOVES = 24,
    FEWEST_HALVES = 16 // projections from which halves of them have an axis of their own
};

// A binned sinogram, or every second projection of it.
struct search {
    kn_tomography_geometry geometry;
    double *theta, *sinogram, *picture;
    double residual; // |A x - b| / |b| at the axis that was found last
};

// ---- the residual of an axis ----

static kn_status solve(const struct search *s, kn_operator *a, double *square, kn_error *err)
{
    const kn_solve_options options = KN_INIT(kn_solve_options, .iterations = ITERATIONS);
    kn_solve_result result = {.right = 0};
    kn_solve_plan *plan = NULL;
    kn_status status = kn_solve_plan_create(NULL, a, &options, &plan, err);

    for (size_t i = 0; i < s->geometry.size * s->geometry.size; i++)
        s->picture[i] = 0;
    if (!status)
        status = kn_solve_execute(plan, s->sinogram, s->picture, &result, err);
    if (!status)
        *square = result.right > 0 ? pow(result.residual / result.right, 2) : 0;
    kn_solve_plan_free(plan);
    return status;
}

// (|A x - b| / |b|)^2; `axis` is in binned detectors from 0.
static kn_status square_at(const struct search *s, double axis, double *square, kn_error *err)
{
    const kn_sparse_operator_options stored = KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SELL);
    kn_tomography_geometry geometry = s->geometry;
    kn_operator *a = NULL;
    kn_status status;

    geometry.axis_offset = axis - ((double)geometry.detectors - 1) / 2;
    status = kn_tomography_operator_create(NULL, &geometry, &stored, &a, err);
    if (!status)
        status = solve(s, a, square, err);
    kn_operator_free(a);
    return status;
}

// ---- the axis of the least residual ----

// Three squares at neighbouring detectors, the middle one the least: moves *axis to it, then to the vertex of
// the parabola. How rays meet pixels, which changes the residual too, is the same a whole detector away.
static kn_status descend(struct search *s, double *axis, kn_error *err)
{
    double at[3]; // left, middle, right
    kn_status status = KN_OK;

    for (int i = 0; i < 3 && !status; i++)
        status = square_at(s, *axis + i - 1, &at[i], err);
    for (int moves = 0; !status && (at[0] < at[1] || at[2] < at[1]); moves++) {
        const bool right = at[2] < at[0];

        if (moves == MOST_MOVES)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "the residual decreases on and on, as far as %g: the sinogram shows no axis",
                           *axis);
        *axis += right ? 1 : -1;
        at[right ? 0 : 2] = at[1];
        at[1] = at[right ? 2 : 0];
        status = square_at(s, *axis + (right ? 1 : -1), &at[right ? 2 : 0], err);
    }
    if (status)
        return status;
    s->residual = sqrt(at[1]);
    if (at[0] + at[2] > 2 * at[1])
        *axis += (at[0] - at[2]) / (2 * (at[0] - 2 * at[1] + at[2]));
    return KN_OK;
}

// Keeps the projections from `first` on, `every`-th ones.
static void thin(const struct search *all, size_t first, size_t every, struct search *some)
{
    const size_t detectors = all->geometry.detectors;

    some->geometry.angles = 0;
    for (size_t t = first; t < all->geometry.angles; t += every) {
        const size_t to = some->geometry.angles++;

        some->theta[to] = all->theta[t];
        for (size_t k = 0; k < detectors; k++)
            some->sinogram[to * detectors + k] = all->sinogram[t * detectors + k];
    }
}

// Half of the difference between the axes of every second projection, beginning with the first and the
// second.
static kn_status estimate_error(const struct search *all, struct search *half, double axis, double *error,
                                kn_error *err)
{
    double axes[2] = {axis, axis};
    kn_status status = KN_OK;

    for (size_t first = 0; first < 2 && !status; first++) {
        thin(all, first, 2, half);
        status = descend(half, &axes[first], err);
    }
    *error = fabs(axes[0] - axes[1]) / 2;
    return status;
}

// ---- both ----

static kn_status allocate(struct search *s, size_t angles, size_t detectors, kn_error *err)
{
    const size_t count = angles * detectors;

    s->geometry =
        KN_INIT(kn_tomography_geometry, .angles = angles, .detectors = detectors, .size = detectors);
    s->theta = malloc(angles * sizeof *s->theta);
    s->sinogram = malloc(count * sizeof *s->sinogram);
    s->picture = malloc(detectors * detectors * sizeof *s->picture);
    s->geometry.theta = s->theta;
    if (s->theta && s->sinogram && s->picture)
        return KN_OK;
    return ki_fail_memory(err, (count + detectors * detectors) * sizeof *s->sinogram, "searching the axis");
}

static void release(struct search *s)
{
    free(s->theta);
    free(s->sinogram);
    free(s->picture);
}

static void fill(struct search *s, size_t bin, const struct sparse_parallel *geometry, const double *sinogram)
{
    const size_t binned = s->geometry.detectors, detectors = geometry->detectors;

    for (size_t t = 0; t < s->geometry.angles; t++) {
        s->theta[t] = ki_sparse_parallel_theta(geometry, t);
        for (size_t k = 0; k < binned; k++) {
            double sum = 0;

            for (size_t i = 0; i < bin; i++)
                sum += sinogram[t * detectors + k * bin + i];
            s->sinogram[t * binned + k] = sum / (double)bin;
        }
    }
}

static kn_status refine(struct search *all, struct search *half, double *axis, double *error, kn_error *err)
{
    kn_status status = descend(all, axis, err);

    if (!status)
        status = descend(all, axis, err);
    *error = NAN;
    if (!status && all->geometry.angles >= FEWEST_HALVES)
        status = estimate_error(all, half, *axis, error, err);
    return status;
}

static kn_status find(struct search *all, struct search *half, size_t detectors, const double *sinogram,
                      kn_tomography_axis *found, kn_error *err)
{
    const double bin = (double)(detectors / all->geometry.detectors),
                 shift = (bin - 1) / 2; // of the middle of the first binned detector
    double axis;
    kn_status status;

    found->pairs =
        ki_sparse_opposite_axis(all->geometry.angles, detectors, all->theta, sinogram, &found->opposite);
    if (!found->pairs)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "no axis can be found: the sinogram is 0, or no two projections are half a turn apart, within "
            "the step between two of them");
    axis = (found->opposite - shift) / bin;
    status = refine(all, half, &axis, &found->error, err);
    found->axis = axis * bin + shift;
    found->error *= bin;
    found->residual = all->residual;
    return status;
}

kn_status ki_sparse_find_axis(const struct sparse_parallel *geometry, const double *sinogram,
                              kn_tomography_axis *found, kn_error *err)
{
    const size_t bin = (geometry->detectors + WIDEST - 1) / WIDEST, binned = geometry->detectors / bin;
    struct search all = {.theta = NULL}, half = {.theta = NULL};
    kn_tomography_axis made = {.axis = 0};
    kn_status status = allocate(&all, geometry->angles, binned, err);

    if (!status)
        status = allocate(&half, geometry->angles, binned, err);
    if (!status) {
        fill(&all, bin, geometry, sinogram);
        status = find(&all, &half, geometry->detectors, sinogram, &made, err);
    }
    if (!status)
        *found = made;
    release(&all);
    release(&half);
    return status;
}
