// SPDX-License-Identifier: Apache-2.0
#include "trajectory.h"

#include <math.h>
#include <stdint.h>

#include "base/error.h"

enum { EXTENT = 128, PARTITIONS = 16, ARMS = 16 }; // defaults

// The two-dimensional golden means: the real root of x^3 + x = 1, and its square.
static const double golden_root = 0.6823278038280193, golden_square = 0.4655712318767680;

// The indices of a sample in the plan: sample j of spoke s in partition p.
struct reading {
    size_t j, s, p;
};

// j - floor(count / 2).
static double centred(size_t j, size_t count)
{
    return (double)j - (double)(count / 2);
}

// The position of sample j along a diameter or a line.
static double along(const kn_recon_trajectory *plan, size_t j)
{
    return centred(j, plan->samples) * (double)plan->extent / (double)plan->samples;
}

static void diameter(double t, double angle, double k[MRI_AXES])
{
    k[0] = t * cos(angle);
    k[1] = t * sin(angle);
    k[2] = 0;
}

static void radial(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES])
{
    diameter(along(plan, at.j), M_PI * (double)at.s / (double)plan->spokes, k);
}

static void golden(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES])
{
    // In half turns, reduced: after one half turn a diameter is the same, except for its direction.
    double halves = fmod((double)at.s * (sqrt(5) - 1) / 2, 2);

    diameter(along(plan, at.j), M_PI * halves, k);
}

static void spiral(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES])
{
    double u = sqrt((double)at.j / (double)plan->samples), arms = (double)plan->spokes;
    double turns = (double)plan->extent / (2 * arms) * u + (double)at.s / arms;

    diameter((double)plan->extent / 2 * u, 2 * M_PI * turns, k);
}

static void kooshball(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES])
{
    double t = along(plan, at.j), height = fmod((double)at.s * golden_square, 1);

    diameter(t * sqrt(1 - height * height), 2 * M_PI * fmod((double)at.s * golden_root, 1), k);
    k[2] = t * height;
}

static void stack(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES])
{
    radial(plan, at, k);
    k[2] = centred(at.p, plan->partitions);
}

static void cartesian(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES])
{
    k[0] = along(plan, at.j);
    k[1] = centred(at.s, plan->spokes);
    k[2] = centred(at.p, plan->partitions);
}

static double radial_spokes(double extent)
{
    return ceil(M_PI / 2 * extent);
}

static double kooshball_spokes(double extent)
{
    return ceil(M_PI / 2 * extent * extent);
}

static double cartesian_spokes(double extent)
{
    return extent;
}

const char *const ki_trajectory_names[TRAJECTORY_KINDS + 1] = {"radial",    "golden", "spiral",
                                                               "kooshball", "stack",  "cartesian"};

static const struct kind {
    void (*reading)(const kn_recon_trajectory *plan, struct reading at, double k[MRI_AXES]);
    double (*spokes)(
        double extent); // dense up to the edge; NULL: a spiral, whose arms are as long as they must be
    size_t partitions;  // the default; 0: the kind has none
} kinds[TRAJECTORY_KINDS] = {
    [KN_RECON_TRAJECTORY_RADIAL] = {radial, radial_spokes, 0},
    [KN_RECON_TRAJECTORY_GOLDEN] = {golden, radial_spokes, 0},
    [KN_RECON_TRAJECTORY_SPIRAL] = {spiral, NULL, 0},
    [KN_RECON_TRAJECTORY_KOOSHBALL] = {kooshball, kooshball_spokes, 0},
    [KN_RECON_TRAJECTORY_STACK] = {stack, radial_spokes, PARTITIONS},
    [KN_RECON_TRAJECTORY_CARTESIAN] = {cartesian, cartesian_spokes, 1},
};

// The integer part, at least 1.
static size_t whole(double number)
{
    return number < 1 ? 1 : number < 0x1p63 ? (size_t)number : SIZE_MAX;
}

static void fill_spiral(kn_recon_trajectory *plan)
{
    double arms;

    if (!plan->spokes)
        plan->spokes = ARMS;
    arms = (double)plan->spokes;
    if (!plan->extent)
        plan->extent = plan->samples ? whole(sqrt(4 * arms * (double)plan->samples / M_PI)) : EXTENT;
    if (!plan->samples)
        plan->samples = whole(ceil(M_PI * (double)plan->extent * (double)plan->extent / (4 * arms)));
}

kn_status ki_trajectory_plan(kn_recon_trajectory *plan, kn_error *err)
{
    const struct kind *kind = &kinds[plan->kind];

    if (plan->partitions > 1 && !kind->partitions)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a %s trajectory has no partitions; those of kind stack and cartesian have",
                       ki_trajectory_names[plan->kind]);
    if (!plan->partitions)
        plan->partitions = kind->partitions ? kind->partitions : 1;
    if (!kind->spokes) {
        fill_spiral(plan);
    } else {
        if (!plan->extent)
            plan->extent = plan->samples ? plan->samples : EXTENT;
        if (!plan->samples)
            plan->samples = plan->extent;
        if (!plan->spokes)
            plan->spokes = whole(kind->spokes((double)plan->extent));
    }
    if (plan->spokes > SIZE_MAX / (MRI_AXES * sizeof(double)) / plan->samples / plan->partitions)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%zu partitions of %zu spokes of %zu samples are more than fit in memory",
                       plan->partitions, plan->spokes, plan->samples);
    return KN_OK;
}

size_t ki_trajectory_points(const kn_recon_trajectory *plan)
{
    return plan->partitions * plan->spokes * plan->samples;
}

kn_recon_matrix ki_trajectory_matrix(const kn_recon_trajectory *plan)
{
    kn_recon_matrix matrix = {2, {plan->extent, plan->extent, 1}};

    if (plan->kind == KN_RECON_TRAJECTORY_KOOSHBALL)
        matrix.size[2] = plan->extent;
    else
        matrix.size[2] = plan->partitions;
    if (plan->kind == KN_RECON_TRAJECTORY_CARTESIAN)
        matrix.size[1] = plan->spokes;
    if (matrix.size[2] > 1)
        matrix.axes = 3;
    return matrix;
}

void ki_trajectory_fill(const kn_recon_trajectory *plan, double *k)
{
    for (size_t p = 0; p < plan->partitions; p++)
        for (size_t s = 0; s < plan->spokes; s++)
            for (size_t j = 0; j < plan->samples; j++, k += MRI_AXES)
                kinds[plan->kind].reading(plan, (struct reading){j, s, p}, k);
}

// ---- any trajectory ----

const char *const ki_trajectory_unit_names[TRAJECTORY_UNITS + 1] = {"fov", "radians", "normalized"};

void ki_trajectory_convert(kn_recon_unit unit, const kn_recon_matrix *matrix, double *k, size_t samples)
{
    if (unit == KN_RECON_UNIT_FOV)
        return;
    for (size_t m = 0; m < samples; m++)
        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            k[MRI_AXES * m + axis] *= (double)matrix->size[axis];
            if (unit == KN_RECON_UNIT_RADIANS)
                k[MRI_AXES * m + axis] /= 2 * M_PI;
        }
}

kn_recon_range kn_recon_trajectory_get_range(const double *k, size_t samples)
{
    kn_recon_range range = {.centre = 0};

    for (size_t m = 0; k && m < samples; m++, k += MRI_AXES) {
        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            range.low[axis] = m ? fmin(range.low[axis], k[axis]) : k[axis];
            range.high[axis] = m ? fmax(range.high[axis], k[axis]) : k[axis];
        }
        range.centre += k[0] == 0 && k[1] == 0 && k[2] == 0;
    }
    return range;
}

kn_status ki_trajectory_check(const char *file, const kn_recon_matrix *matrix, const double *k,
                              size_t samples, kn_error *err)
{
    double most[MRI_AXES];

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        most[axis] = axis < matrix->axes ? (double)matrix->size[axis] / 2 + 1 : 0;
    if (ki_mri_is_within(k, samples, most))
        return KN_OK;
    for (size_t m = 0; m < samples; m++)
        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            double value = k[MRI_AXES * m + axis], edge = (double)matrix->size[axis] / 2;
            char name = "xyz"[axis];

            if (!isfinite(value))
                return ki_fail_at(err, KN_ERROR_INPUT, file, 0, "sample %zu: k%c is %g, expected a number", m,
                                  name, value);
            if (axis >= matrix->axes && value != 0)
                return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                                  "sample %zu: kz is %g, but the matrix has two sizes; give it three", m,
                                  value);
            if (fabs(value) > edge + 1)
                return ki_fail_at(err, KN_ERROR_INPUT, file, 0,
                                  "sample %zu: k%c is %g cycles per field of view, but a matrix of %zu "
                                  "resolves %g; is the trajectory for a larger matrix, or in another unit?",
                                  m, name, value, matrix->size[axis], edge);
        }
    return KN_OK;
}

kn_recon_unit kn_recon_trajectory_guess_unit(const kn_recon_matrix *matrix, const kn_recon_range *range)
{
    double furthest = 0, rounding = 1 + 1e-6;
    size_t widest = 0;

    if (!matrix || !range)
        return KN_RECON_UNIT_FOV;
    for (size_t axis = 0; axis < matrix->axes; axis++) {
        furthest = fmax(furthest, fmax(-range->low[axis], range->high[axis]));
        widest = matrix->size[axis] > widest ? matrix->size[axis] : widest;
    }
    if (widest < 8 || furthest == 0 || furthest > M_PI * rounding)
        return KN_RECON_UNIT_FOV;
    return furthest > 0.5 * rounding ? KN_RECON_UNIT_RADIANS : KN_RECON_UNIT_NORMALIZED;
}

bool kn_recon_trajectory_guess_matrix(const kn_recon_range *range, kn_recon_matrix *matrix)
{
    double furthest[MRI_AXES], most = 0, rounding = 1e-6;

    if (!range || !matrix)
        return false;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        furthest[axis] = fmax(-range->low[axis], range->high[axis]);
        most = fmax(most, furthest[axis]);
    }
    if (most <= M_PI * (1 + rounding) || most > 0x1p20)
        return false;
    *matrix = (kn_recon_matrix){.axes = furthest[2] > 0 ? 3 : 2};
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        // The rounding of a float must not add a voxel.
        double half = ceil(furthest[axis] * (1 - rounding));

        matrix->size[axis] = half < 1 ? 1 : 2 * (size_t)half;
    }
    return true;
}
