// SPDX-License-Identifier: Apache-2.0
// Tests trajectories: the formulas at positions with known answers, default values, ranges, units, refusals.
#include "support/support.h"

#include <math.h>

#include "app/mri/reference.h"
#include "app/mri/trajectory.h"
#include "support/run.h"

static double *fill(kn_recon_trajectory *plan)
{
    kn_error err = KN_ERROR_INIT;
    double *k;

    ck_assert_msg(ki_trajectory_plan(plan, &err) == KN_OK, "%s", err.text);
    k = malloc(3 * ki_trajectory_points(plan) * sizeof *k);
    ck_assert_ptr_nonnull(k);
    for (size_t i = 0; i < 3 * ki_trajectory_points(plan); i++)
        k[i] = NAN;
    ki_trajectory_fill(plan, k);
    return k;
}

static void expect_point(const double *k, double x, double y, double z)
{
    ck_assert_msg(hypot(hypot(k[0] - x, k[1] - y), k[2] - z) < 1e-12, "(%g, %g, %g), not (%g, %g, %g)", k[0],
                  k[1], k[2], x, y, z);
}

static double radius(const double *k)
{
    return hypot(hypot(k[0], k[1]), k[2]);
}

START_TEST(radial)
{
    kn_recon_trajectory plan = {.kind = KN_RECON_TRAJECTORY_RADIAL, .samples = 4, .spokes = 4};
    double *k = fill(&plan), half = sqrt(0.5);

    ck_assert_uint_eq(plan.extent, 4);
    ck_assert_uint_eq(ki_trajectory_points(&plan), 16);
    expect_point(k, -2, 0, 0);
    expect_point(k + 3 * 3, 1, 0, 0);
    expect_point(k + 3 * 4, -2 * half, -2 * half, 0); // 45 degrees
    expect_point(k + 3 * 8, 0, -2, 0);                // 90
    expect_point(k + 3 * 15, -half, half, 0);         // 135
    for (size_t s = 0; s < 4; s++)
        expect_point(k + 3 * (4 * s + 2), 0, 0, 0);
    free(k);
    // Twice as many samples as the matrix needs have half the distance; an odd number is symmetrical.
    plan = (kn_recon_trajectory){.kind = KN_RECON_TRAJECTORY_RADIAL, .samples = 9, .spokes = 1, .extent = 3};
    k = fill(&plan);
    expect_point(k, -4.0 / 3, 0, 0);
    expect_point(k + 3 * 4, 0, 0, 0);
    expect_point(k + 3 * 8, 4.0 / 3, 0, 0);
    free(k);
}
END_TEST

START_TEST(golden)
{
    kn_recon_trajectory plan = {.kind = KN_RECON_TRAJECTORY_GOLDEN, .samples = 2, .spokes = 1000};
    double *k = fill(&plan);

    // Sample 0 is at t = -1, so it points in the opposite direction.
    for (size_t s = 0; s < 1000; s++) {
        double angle = fmod(111.24611797498107 * (double)s, 360) * M_PI / 180;

        ck_assert_double_le(hypot(k[6 * s] + cos(angle), k[6 * s + 1] + sin(angle)), 1e-10);
        expect_point(k + 6 * s + 3, 0, 0, 0);
    }
    free(k);
}
END_TEST

START_TEST(spiral)
{
    kn_recon_trajectory plan = {
        .kind = KN_RECON_TRAJECTORY_SPIRAL, .samples = 1600, .spokes = 4, .extent = 32};
    double *k = fill(&plan);

    // 4 turns each; after j = D/16 u is 1/4: one turn, a quarter of the radius.
    expect_point(k, 0, 0, 0);
    expect_point(k + 3 * 100, 4, 0, 0);
    expect_point(k + 3 * 400, 8, 0, 0);
    expect_point(k + 3 * 900, 12, 0, 0);
    // The next arm is rotated by 90 degrees: where it crosses the first one's ray, the radius differs by 1.
    expect_point(k + 3 * (1600 + 400), 0, 8, 0);
    for (size_t m = 0; m < 6400; m++)
        ck_assert_double_lt(radius(k + 3 * m), 16);
    // Nearly uniform along the arm: 4 pi 16 / 2 cycles in 1600 steps. Outside the middle no step is twice as
    // long.
    for (size_t m = 100; m + 1 < 1600; m++) {
        double step = hypot(k[3 * m + 3] - k[3 * m], k[3 * m + 4] - k[3 * m + 1]);

        ck_assert_double_eq_tol(step, 4 * 16 * M_PI / 1600, 0.1 * 4 * 16 * M_PI / 1600);
    }
    free(k);
}
END_TEST

START_TEST(kooshball)
{
    kn_recon_trajectory plan = {.kind = KN_RECON_TRAJECTORY_KOOSHBALL, .samples = 8, .spokes = 500};
    double *k = fill(&plan), sums[3] = {0}, moments[3] = {0};

    for (size_t s = 0; s < 500; s++) {
        const double *first = k + 3 * 8 * s; // t = -4

        ck_assert_double_eq_tol(radius(first), 4, 1e-12);
        expect_point(first + 3 * 4, 0, 0, 0);
        expect_point(first + 3 * 6, -first[0] / 2, -first[1] / 2, -first[2] / 2);
        ck_assert_double_eq_tol(-first[2] / 4, fmod(0.465571231876768 * (double)s, 1), 1e-9);
        for (size_t axis = 0; axis < 3; axis++) {
            sums[axis] += -first[axis] / 4 / 500;
            moments[axis] += first[axis] * first[axis] / 16 / 500;
        }
    }
    // Distributed evenly over the half ball: means 0, 0, 1/2; means of squares 1/3.
    for (size_t axis = 0; axis < 3; axis++) {
        ck_assert_double_eq_tol(sums[axis], axis == 2 ? 0.5 : 0, 0.01);
        ck_assert_double_eq_tol(moments[axis], 1.0 / 3, 0.01);
    }
    free(k);
}
END_TEST

START_TEST(stack)
{
    kn_recon_trajectory plan = {
        .kind = KN_RECON_TRAJECTORY_STACK, .samples = 5, .spokes = 3, .partitions = 4};
    kn_recon_trajectory plane = {.kind = KN_RECON_TRAJECTORY_RADIAL, .samples = 5, .spokes = 3};
    double *k = fill(&plan), *flat = fill(&plane);

    ck_assert_uint_eq(ki_trajectory_points(&plan), 60);
    for (size_t m = 0; m < 60; m++)
        expect_point(k + 3 * m, flat[3 * (m % 15)], flat[3 * (m % 15) + 1], (double)(m / 15) - 2);
    free(flat);
    free(k);
}
END_TEST

// A full grid: its forward sum, divided by the square root of the number of voxels, keeps the energy of any
// image.
START_TEST(cartesian)
{
    kn_recon_trajectory plan = {
        .kind = KN_RECON_TRAJECTORY_CARTESIAN, .samples = 4, .spokes = 3, .partitions = 5};
    double *k = fill(&plan), energy[2] = {0, 0};
    kn_recon_matrix matrix = ki_trajectory_matrix(&plan);
    double complex image[60], data[60];
    uint64_t state = test_seed("cartesian");

    ck_assert_uint_eq(matrix.axes, 3);
    ck_assert_uint_eq(matrix.size[0], 4);
    ck_assert_uint_eq(matrix.size[1], 3);
    ck_assert_uint_eq(matrix.size[2], 5);
    expect_point(k, -2, -1, -2);
    expect_point(k + 3 * 59, 1, 1, 2);
    for (size_t n = 0; n < 60; n++)
        image[n] = test_uniform(&state);
    ck_assert_int_eq(ki_mri_reference_forward(&matrix, k, 60, image, KN_RECON_SCALE_UNITARY, data, NULL),
                     KN_OK);
    for (size_t n = 0; n < 60; n++) {
        energy[0] += creal(image[n] * conj(image[n]));
        energy[1] += creal(data[n] * conj(data[n]));
    }
    ck_assert_double_eq_tol(energy[1] / energy[0], 1, 1e-12);
    free(k);
}
END_TEST

START_TEST(filled_in)
{
    static const struct {
        kn_recon_trajectory given, wanted;
        kn_recon_matrix matrix;
    } rows[] = {
        {{0, KN_RECON_TRAJECTORY_RADIAL, 0, 0, 0, 0},
         {0, KN_RECON_TRAJECTORY_RADIAL, 128, 202, 1, 128},
         {2, {128, 128, 1}}},
        {{0, KN_RECON_TRAJECTORY_GOLDEN, 64, 0, 0, 0},
         {0, KN_RECON_TRAJECTORY_GOLDEN, 64, 101, 1, 64},
         {2, {64, 64, 1}}},
        {{0, KN_RECON_TRAJECTORY_RADIAL, 0, 7, 1, 32},
         {0, KN_RECON_TRAJECTORY_RADIAL, 32, 7, 1, 32},
         {2, {32, 32, 1}}},
        {{0, KN_RECON_TRAJECTORY_RADIAL, 1, 1, 0, 0},
         {0, KN_RECON_TRAJECTORY_RADIAL, 1, 1, 1, 1},
         {2, {1, 1, 1}}},
        {{0, KN_RECON_TRAJECTORY_SPIRAL, 0, 0, 0, 0},
         {0, KN_RECON_TRAJECTORY_SPIRAL, 805, 16, 1, 128},
         {2, {128, 128, 1}}},
        {{0, KN_RECON_TRAJECTORY_SPIRAL, 805, 16, 0, 0},
         {0, KN_RECON_TRAJECTORY_SPIRAL, 805, 16, 1, 128},
         {2, {128, 128, 1}}},
        {{0, KN_RECON_TRAJECTORY_KOOSHBALL, 16, 0, 0, 0},
         {0, KN_RECON_TRAJECTORY_KOOSHBALL, 16, 403, 1, 16},
         {3, {16, 16, 16}}},
        {{0, KN_RECON_TRAJECTORY_STACK, 16, 0, 0, 0},
         {0, KN_RECON_TRAJECTORY_STACK, 16, 26, 16, 16},
         {3, {16, 16, 16}}},
        {{0, KN_RECON_TRAJECTORY_CARTESIAN, 0, 0, 0, 0},
         {0, KN_RECON_TRAJECTORY_CARTESIAN, 128, 128, 1, 128},
         {2, {128, 128, 1}}},
        {{0, KN_RECON_TRAJECTORY_CARTESIAN, 6, 5, 3, 0},
         {0, KN_RECON_TRAJECTORY_CARTESIAN, 6, 5, 3, 6},
         {3, {6, 5, 3}}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kn_recon_trajectory plan = rows[i].given;
        kn_recon_matrix matrix;

        ck_assert_int_eq(ki_trajectory_plan(&plan, NULL), KN_OK);
        matrix = ki_trajectory_matrix(&plan);
        ck_assert_uint_eq(plan.samples, rows[i].wanted.samples);
        ck_assert_uint_eq(plan.spokes, rows[i].wanted.spokes);
        ck_assert_uint_eq(plan.partitions, rows[i].wanted.partitions);
        ck_assert_uint_eq(plan.extent, rows[i].wanted.extent);
        ck_assert_uint_eq(matrix.axes, rows[i].matrix.axes);
        for (size_t axis = 0; axis < 3; axis++)
            ck_assert_uint_eq(matrix.size[axis], rows[i].matrix.size[axis]);
    }
}
END_TEST

// Every kind stays in the band of its matrix, also for odd sizes.
START_TEST(in_band)
{
    for (int kind = 0; kind < TRAJECTORY_KINDS; kind++)
        for (size_t samples = 1; samples <= 33; samples += samples < 3 ? 1 : 14) {
            kn_recon_trajectory plan = {
                .kind = (kn_recon_trajectory_kind)kind, .samples = samples, .spokes = 5};
            double *k = fill(&plan);
            kn_recon_matrix matrix = ki_trajectory_matrix(&plan);
            kn_recon_range range = kn_recon_trajectory_get_range(k, ki_trajectory_points(&plan));
            kn_error err = KN_ERROR_INIT;

            ck_assert_msg(ki_trajectory_check("t.cfl", &matrix, k, ki_trajectory_points(&plan), &err) ==
                              KN_OK,
                          "%s", err.text);
            ck_assert_uint_gt(range.centre, 0);
            for (size_t axis = 0; axis < 3; axis++) {
                ck_assert_double_ge(range.low[axis], -(double)matrix.size[axis] / 2);
                ck_assert_double_le(range.high[axis], (double)matrix.size[axis] / 2);
            }
            free(k);
        }
}
END_TEST

static void expect_refused(kn_status status, kn_status wanted, const kn_error *err, const char *words)
{
    ck_assert_int_eq(status, wanted);
    ck_assert_msg(strstr(err->text, words) != NULL, "'%s' is not in: %s", words, err->text);
}

START_TEST(refused)
{
    static const kn_recon_matrix plane = {2, {64, 32, 1}}, volume = {3, {64, 32, 8}};
    kn_recon_trajectory plan = {.kind = KN_RECON_TRAJECTORY_SPIRAL, .partitions = 2};
    double k[6] = {32, 16, 0, 1, 17.5, 0};
    kn_error err = KN_ERROR_INIT;

    expect_refused(ki_trajectory_plan(&plan, &err), KN_ERROR_ARGUMENT, &err,
                   "spiral trajectory has no partitions");
    plan = (kn_recon_trajectory){.kind = KN_RECON_TRAJECTORY_RADIAL, .samples = SIZE_MAX / 8, .spokes = 2};
    expect_refused(ki_trajectory_plan(&plan, &err), KN_ERROR_ARGUMENT, &err, "more than fit in memory");
    plan = (kn_recon_trajectory){.kind = KN_RECON_TRAJECTORY_KOOSHBALL, .extent = SIZE_MAX / 2};
    expect_refused(ki_trajectory_plan(&plan, &err), KN_ERROR_ARGUMENT, &err, "more than fit in memory");
    expect_refused(ki_trajectory_check("t.cfl", &plane, k, 2, &err), KN_ERROR_INPUT, &err,
                   "t.cfl: sample 1: ky is 17.5 cycles per field of view, but a matrix of 32 resolves 16");
    ck_assert_int_eq(ki_trajectory_check("t.cfl", &plane, k, 1, &err), KN_OK);
    k[4] = NAN;
    expect_refused(ki_trajectory_check("t.cfl", &plane, k, 2, &err), KN_ERROR_INPUT, &err,
                   "sample 1: ky is nan");
    k[4] = 0;
    k[5] = 1;
    expect_refused(ki_trajectory_check("t.cfl", &plane, k, 2, &err), KN_ERROR_INPUT, &err,
                   "kz is 1, but the matrix has two sizes");
    ck_assert_int_eq(ki_trajectory_check("t.cfl", &volume, k, 2, &err), KN_OK);
    ck_assert_int_eq(ki_trajectory_check("t.cfl", &volume, NULL, 0, &err), KN_OK);
}
END_TEST

START_TEST(units)
{
    static const kn_recon_matrix matrix = {3, {64, 32, 8}};
    const double fov[6] = {-32, 16, -4, 8, -4, 1};
    const double radians[6] = {-M_PI, M_PI, -M_PI, M_PI / 4, -M_PI / 4, M_PI / 4};
    const double normalized[6] = {-0.5, 0.5, -0.5, 0.125, -0.125, 0.125};
    const double *const given[TRAJECTORY_UNITS] = {fov, radians, normalized};

    for (int unit = 0; unit < TRAJECTORY_UNITS; unit++) {
        kn_recon_range range = kn_recon_trajectory_get_range(given[unit], 2);
        double k[6];

        ck_assert_int_eq(kn_recon_trajectory_guess_unit(&matrix, &range), (kn_recon_unit)unit);
        memcpy(k, given[unit], sizeof k);
        ki_trajectory_convert((kn_recon_unit)unit, &matrix, k, 2);
        for (size_t i = 0; i < 6; i++)
            ck_assert_double_eq_tol(k[i], fov[i], 1e-12);
    }
    // From 4 voxels, or from a single sample at 0, nothing can be concluded.
    ck_assert_int_eq(
        kn_recon_trajectory_guess_unit(&(kn_recon_matrix){2, {4, 4, 1}},
                                       &(kn_recon_range){.low = {-0.5, -0.5, 0}, .high = {0.5, 0.5, 0}}),
        KN_RECON_UNIT_FOV);
    ck_assert_int_eq(kn_recon_trajectory_guess_unit(&matrix, &(kn_recon_range){.centre = 1}),
                     KN_RECON_UNIT_FOV);
}
END_TEST

// The public functions (koine/experimental/recon.h).
START_TEST(by_the_header)
{
    const kn_recon_matrix flat = {2, {64, 32, 0}}, none = {4, {1, 1, 1}};
    const kn_recon_range nothing = kn_recon_trajectory_get_range(NULL, 5);
    const double k[12] = {-2, 1, 0, 0, 0, 0, 3.5, -4, 0, 0, 0.5, 0}, outside[3] = {34, 0, 0};
    kn_recon_range range = kn_recon_trajectory_get_range(k, 4);
    kn_error err = KN_ERROR_INIT;

    for (size_t axis = 0; axis < 3; axis++) {
        ck_assert_double_eq(nothing.low[axis], 0);
        ck_assert_double_eq(nothing.high[axis], 0);
        ck_assert_double_eq(range.low[axis], axis == 0 ? -2 : axis == 1 ? -4 : 0);
        ck_assert_double_eq(range.high[axis], axis == 0 ? 3.5 : axis == 1 ? 1 : 0);
    }
    ck_assert_uint_eq(nothing.centre, 0);
    ck_assert_uint_eq(range.centre, 1);
    ck_assert_int_eq(kn_recon_trajectory_guess_unit(NULL, &range), KN_RECON_UNIT_FOV);
    ck_assert_int_eq(kn_recon_trajectory_guess_unit(&flat, NULL), KN_RECON_UNIT_FOV);

    ck_assert_int_eq(kn_recon_trajectory_check("t", &flat, k, 3, &err), KN_OK);
    ck_assert_int_eq(kn_recon_trajectory_check("t", &flat, NULL, 0, &err), KN_OK);
    expect_refused(kn_recon_trajectory_check("t", &flat, outside, 1, &err), KN_ERROR_INPUT, &err,
                   "t: sample 0: kx is 34 cycles per field of view");
    expect_refused(kn_recon_trajectory_check(NULL, &flat, outside, 1, &err), KN_ERROR_INPUT, &err,
                   "sample 0: kx is 34");
    expect_refused(kn_recon_trajectory_check("t", &flat, NULL, 3, &err), KN_ERROR_ARGUMENT, &err,
                   "kn_recon_trajectory_check: k is NULL");
    expect_refused(kn_recon_trajectory_check("t", NULL, k, 3, &err), KN_ERROR_ARGUMENT, &err,
                   "kn_recon_trajectory_check: matrix is NULL");
    expect_refused(kn_recon_trajectory_check("t", &none, k, 3, &err), KN_ERROR_ARGUMENT, &err,
                   "a matrix of 4 axes");
    ck_assert_int_eq(kn_recon_trajectory_check("t", NULL, k, 3, NULL), KN_ERROR_ARGUMENT);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {radial,    golden,  spiral,  kooshball, stack,        cartesian,
                                  filled_in, in_band, refused, units,     by_the_header};

    return TEST_RUN("trajectory", CK_FORK_GETENV, tests);
}
