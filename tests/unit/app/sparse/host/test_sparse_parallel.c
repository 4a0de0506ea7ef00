// SPDX-License-Identifier: Apache-2.0
// Tests tomography with parallel rays and fans on the host: geometries in words, the matrix and the products
// computed without it against Joseph's projector ray by ray, the transpose, orientation, threads.
#include "sparse_support.h"

#include <float.h>
#include <math.h>

#include "support/run.h"
#include "parallel_support.h"

// The error of a position is a few roundings of numbers up to the greatest distance, and so is that of a
// weight.
static double bound(const struct sparse_parallel *parallel)
{
    return 32 * DBL_EPSILON * ((double)(parallel->size + 3 * parallel->detectors) + parallel->source);
}

static void check_matrix(const struct sparse_parallel *parallel, const double *wanted)
{
    struct sparse_matrix matrix;
    size_t pixels = ki_sparse_parallel_columns(parallel);

    EXPECT_OK(ki_sparse_parallel_matrix(parallel, &matrix, &err));
    EXPECT_OK(ki_sparse_check(&matrix, "the matrix", &err));
    ck_assert_uint_eq(matrix.rows, ki_sparse_parallel_rows(parallel));
    ck_assert_uint_eq(matrix.columns, pixels);
    for (size_t row = 0; row < matrix.rows; row++) {
        uint64_t at = matrix.starts[row];
        for (size_t pixel = 0; pixel < pixels; pixel++) {
            bool is_there = at < matrix.starts[row + 1] && matrix.indices[at] == pixel;
            double value = is_there ? matrix.values[at++] : 0;
            ck_assert_msg(fabs(value - wanted[row * pixels + pixel]) <= bound(parallel),
                          "row %zu, pixel %zu: %.17g, not %.17g", row, pixel, value,
                          wanted[row * pixels + pixel]);
        }
    }
    ki_sparse_free(&matrix);
}

static void check_product(const struct sparse_parallel *parallel, const double *wanted, bool transposed)
{
    size_t rows = ki_sparse_parallel_rows(parallel), pixels = ki_sparse_parallel_columns(parallel);
    size_t from = transposed ? rows : pixels, to = transposed ? pixels : rows;
    double *x = sparse_numbers(from), *y = sparse_numbers(to), *again = sparse_numbers(to);

    EXPECT_OK(ki_sparse_parallel_multiply(parallel, transposed, x, y, 1, &err));
    EXPECT_OK(ki_sparse_parallel_multiply(parallel, transposed, x, again, 3, &err));
    ck_assert_int_eq(memcmp(y, again, to * sizeof *y), 0);
    for (size_t i = 0; i < to; i++) {
        double sum = 0;
        for (size_t j = 0; j < from; j++)
            sum += wanted[transposed ? j * pixels + i : i * pixels + j] * x[j];
        ck_assert_double_eq_tol(
            y[i], sum,
            bound(parallel) *
                (2 * (double)parallel->size + ki_sparse_parallel_seen(parallel) * (double)parallel->angles));
    }
    free(x);
    free(y);
    free(again);
}

// <A x, y> = <x, A^T y>, up to the rounding of a weight.
static void check_transpose(const struct sparse_parallel *parallel)
{
    size_t rows = ki_sparse_parallel_rows(parallel), pixels = ki_sparse_parallel_columns(parallel);
    double *x = sparse_numbers(pixels), *y = sparse_numbers(rows), *ax = sparse_numbers(rows),
           *aty = sparse_numbers(pixels), left = 0, right = 0, size = 0;

    EXPECT_OK(ki_sparse_parallel_multiply(parallel, false, x, ax, 0, &err));
    EXPECT_OK(ki_sparse_parallel_multiply(parallel, true, y, aty, 0, &err));
    for (size_t i = 0; i < rows; i++) {
        left += ax[i] * y[i];
        size += fabs(ax[i] * y[i]);
    }
    for (size_t i = 0; i < pixels; i++)
        right += x[i] * aty[i];
    ck_assert_double_le(fabs(left - right), 1e-12 * size);
    free(x);
    free(y);
    free(ax);
    free(aty);
}

START_TEST(ray_by_ray)
{
    sparse_seed = test_seed("ray_by_ray");
    for (int i = 0; i < 2 * TEST_GEOMETRIES; i++) {
        struct sparse_parallel parallel = test_geometry(test_geometries[i / 2]);
        double *wanted;

        if (i % 2)
            test_give_angles(&parallel, &sparse_seed);
        wanted = test_dense(&parallel);
        check_matrix(&parallel, wanted);
        check_product(&parallel, wanted, false);
        check_product(&parallel, wanted, true);
        check_transpose(&parallel);
        free(wanted);
        ki_sparse_parallel_free(&parallel);
    }
}
END_TEST

// Flat and curved, at even angles and at others: with the rays of the definition, and with the bits of a
// matrix whatever the threads.
START_TEST(fans)
{
    sparse_seed = test_seed("fans");
    for (int i = 0; i < 4 * TEST_FANS; i++) {
        struct sparse_parallel fan = test_geometry(test_fans[i / 4]);
        double *wanted;

        if (i % 2)
            fan.beam = KN_TOMOGRAPHY_FAN_CURVED;
        if (i % 4 >= 2)
            test_give_angles(&fan, &sparse_seed);
        wanted = test_dense(&fan);
        check_matrix(&fan, wanted);
        check_product(&fan, wanted, false);
        check_product(&fan, wanted, true);
        check_transpose(&fan);
        free(wanted);
        ki_sparse_parallel_free(&fan);
    }
}
END_TEST

// At 0 degrees the source is below the picture and detectors go from left to right; at 90 degrees it is at
// the left: the ray through the axis meets the middle column, then the middle line. Beside it, rays of a
// source above the picture would lean the other way.
START_TEST(orientation_of_fans)
{
    struct sparse_parallel fan = test_geometry("fan:4,3,3,3,0");
    static const double picture[9] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    double found[12];

    EXPECT_OK(ki_sparse_parallel_multiply(&fan, false, picture, found, 1, &err));
    ck_assert_double_eq_tol(found[1], 146, 1e-12);
    ck_assert_double_eq_tol(found[4], 56, 1e-12);
    ck_assert_double_eq_tol(found[7], 146, 1e-12);
    // Detector 0: from (1, 4) to (0, 1), lines 0, 1 and 2 at -1/3, 0 and 1/3.
    ck_assert_double_eq_tol(found[0], (1 * 2. / 3 + 8 + (64 * 2. + 128) / 3) * sqrt(10) / 3, 1e-12);
}
END_TEST

// Far from the source, a fan is a parallel beam; both have the same half turn.
START_TEST(far_fans)
{
    struct sparse_parallel parallel = test_geometry("parallel:7,24,16,11.75"),
                           fan = test_geometry("fan:14,24,16,16000000,0,11.75");
    enum { PIXELS = 16 * 16, RAYS = 7 * 24 };
    double *x, wanted[RAYS], found[2 * RAYS];

    sparse_seed = test_seed("far_fans");
    x = sparse_numbers(PIXELS);
    EXPECT_OK(ki_sparse_parallel_multiply(&parallel, false, x, wanted, 1, &err));
    for (int curved = 0; curved < 2; curved++) {
        fan.beam = curved ? KN_TOMOGRAPHY_FAN_CURVED : KN_TOMOGRAPHY_FAN_FLAT;
        EXPECT_OK(ki_sparse_parallel_multiply(&fan, false, x, found, 1, &err));
        // An angle of up to 13 / 16e6 moves a ray by up to 12 times that, and weights of 16 pixels, two at a
        // step, by as much.
        for (size_t i = 0; i < RAYS; i++)
            ck_assert_double_eq_tol(found[i], wanted[i], 2 * 16 * 1.5 * 12 * 13 / 16e6);
    }
    free(x);
}
END_TEST

// Projection 0 has the sums of columns from left to right, the one at a right angle those of lines from top
// to bottom.
START_TEST(orientation)
{
    struct sparse_parallel parallel = test_geometry("parallel:2,3,3");
    static const double picture[9] = {1, 2, 4, 8, 16, 32, 64, 128, 256};
    static const double sums[6] = {73, 146, 292, 7, 56, 448};
    double found[6];

    EXPECT_OK(ki_sparse_parallel_multiply(&parallel, false, picture, found, 1, &err));
    for (size_t i = 0; i < 6; i++)
        ck_assert_double_eq_tol(found[i], sums[i], 1e-12);
    parallel.axis = 0; // the axis, in the picture's middle, is seen by the first detector
    EXPECT_OK(ki_sparse_parallel_multiply(&parallel, false, picture, found, 1, &err));
    ck_assert_double_eq_tol(found[0], 146, 1e-12);
    ck_assert_double_eq_tol(found[1], 292, 1e-12);
    ck_assert_double_eq_tol(found[2], 0, 1e-12);
}
END_TEST

START_TEST(words)
{
    struct sparse_parallel parallel = test_geometry("parallel:181,640,321");

    ck_assert_uint_eq(parallel.angles, 181);
    ck_assert_uint_eq(parallel.detectors, 640);
    ck_assert_uint_eq(parallel.size, 321);
    ck_assert_double_eq(parallel.axis, 319.5);
    ck_assert_double_eq(ki_sparse_parallel_theta(&parallel, 0), 0);
    ck_assert_double_eq_tol(ki_sparse_parallel_theta(&parallel, 90), HALF_TURN * 90 / 181, 1e-15);
    parallel = test_geometry("parallel:2,3,4,-1.5");
    ck_assert_double_eq(parallel.axis, -1.5);
    parallel = test_geometry("fan:360,512,256,800,-40.5");
    ck_assert_uint_eq(parallel.size, 256);
    ck_assert_double_eq(parallel.axis, 255.5);
    ck_assert_double_eq(parallel.source, 800);
    ck_assert_double_eq(parallel.detector, -40.5);
    ck_assert_double_eq_tol(ki_sparse_parallel_theta(&parallel, 90), HALF_TURN / 2, 1e-15);
    parallel = test_geometry("fan:2,3,4,5,6,6.5");
    ck_assert_double_eq(parallel.axis, 6.5);
    ck_assert(geometry_is("parallel:"));
    ck_assert(geometry_is("fan:"));
    ck_assert(!geometry_is("system.mtx"));
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *text, *words;
    } tried[] = {{"helix:1,2,3", "parallel:ANGLES"},
                 {"cone:1,2,3", "cone:ANGLES"},
                 {"cone:1,2,3,9,5", "cone:ANGLES"},
                 {"cone:1,2x,3,9,5", "cone:ANGLES"},
                 {"cone:1,2x2,3x3,9,5", "cone:ANGLES"},
                 {"cone:1,2x2,3x4x3,9,5", "cone:ANGLES"},
                 {"cone:1,2x2,3x3x0,9,5", "cone:ANGLES"},
                 {"cone:1,2x2,3,9", "cone:ANGLES"},
                 {"cone:1,2x2,3,9,5,auto", "cone:ANGLES"},
                 {"cone:1,0x2,3,9,5", "0 lines of detectors"},
                 {"cone:1,2x2,3x3x40000,9,5", "40000 slices"},
                 {"cone:1,2x2,3,2,5", "the source is inside the object"},
                 {"cone:1,2x2,3,9,5", "no projector"},
                 {"fan:1,2,3", "fan:ANGLES"},
                 {"fan:1,2,3,4", "fan:ANGLES"},
                 {"fan:1,2,3,4,", "fan:ANGLES"},
                 {"fan:1,2,3,4,5,", "fan:ANGLES"},
                 {"fan:1,2,3,4,5,0.5,7", "fan:ANGLES"},
                 {"fan:1,2,3,nan,5", "fan:ANGLES"},
                 {"fan:1,2,3,2.8,5", "the source is inside the object: 2.8 pixels"},
                 {"fan:1,2,3,-9,50", "the source is inside the object: -9 pixels"},
                 {"fan:1,2,3,4,-3.5", "behind the source"},
                 {"fan:1,2,3,1e9,0", "at most 16777216"},
                 {"fan:1,2,3,4,5,9", "within 4"},
                 {"parallel:", "parallel:ANGLES"},
                 {"parallel:1,2", "parallel:ANGLES"},
                 {"parallel:1,2,", "parallel:ANGLES"},
                 {"parallel:1,2,3,", "parallel:ANGLES"},
                 {"parallel:1,2,3,4,5", "parallel:ANGLES"},
                 {"parallel:1,2,3x", "parallel:ANGLES"},
                 {"parallel:-1,2,3", "parallel:ANGLES"},
                 {"parallel:1, 2,3", "parallel:ANGLES"},
                 {"parallel:1,2,3,nan", "parallel:ANGLES"},
                 {"parallel:1,2,3,inf", "parallel:ANGLES"},
                 {"parallel:0,2,3", "0 projections"},
                 {"parallel:1,0,3", "0 detectors"},
                 {"parallel:1,2,0", "0 pixels"},
                 {"parallel:1,2,32769", "to 32768"},
                 {"parallel:1,70000,3", "to 65536"},
                 {"parallel:99999999999999999999999,2,3", "to 1048576"},
                 {"parallel:1000000,65536,3", "rays"},
                 {"parallel:1,2,3,6", "within 4"},
                 {"parallel:1,2,3,-1e300", "within 4"}};
    struct sparse_parallel parallel;

    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++) {
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, tried[i].words, sparse_parse(tried[i].text, &parallel, &err));
        ck_assert_uint_eq(parallel.size, 0);
    }
    parallel = test_geometry("fan:1,40,3,5,5");
    parallel.beam = KN_TOMOGRAPHY_FAN_CURVED;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "curved detectors from -111.",
                   ki_sparse_parallel_check(&parallel, &err));
    parallel.beam = (kn_tomography_beam)4;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no beam 4", ki_sparse_parallel_check(&parallel, &err));
    parallel.beam = KN_TOMOGRAPHY_PARALLEL;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "have no distances", ki_sparse_parallel_check(&parallel, &err));
    parallel = test_geometry("parallel:2,3,4");
    test_give_angles(&parallel, &sparse_seed);
    parallel.theta[1] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "projection 1", ki_sparse_parallel_check(&parallel, &err));
    ki_sparse_parallel_free(&parallel);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ray_by_ray, orientation, fans,   orientation_of_fans,
                                  far_fans,   words,       refused};

    return TEST_RUN("sparse_parallel", CK_FORK, tests);
}
