// SPDX-License-Identifier: Apache-2.0
// Tests tomography with parallel rays on the host: geometries in words, the matrix and the products computed
// without it against Joseph's projector ray by ray, the transpose, orientation, threads.
#include "sparse_support.h"

#include <float.h>
#include <math.h>

#include "support/run.h"
#include "parallel_support.h"

// The error of a position is a few roundings of numbers up to the greatest distance, and so is that of a
// weight.
static double bound(const struct sparse_parallel *parallel)
{
    return 32 * DBL_EPSILON * (double)(parallel->size + 3 * parallel->detectors);
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
        ck_assert_double_eq_tol(y[i], sum, 2 * bound(parallel) * (double)(parallel->size + parallel->angles));
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
    ck_assert(geometry_is("parallel:"));
    ck_assert(!geometry_is("system.mtx"));
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *text, *words;
    } tried[] = {{"fan:1,2,3", "parallel:ANGLES"},
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
    parallel = test_geometry("parallel:2,3,4");
    test_give_angles(&parallel, &sparse_seed);
    parallel.theta[1] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "projection 1", ki_sparse_parallel_check(&parallel, &err));
    ki_sparse_parallel_free(&parallel);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ray_by_ray, orientation, words, refused};

    return TEST_RUN("sparse_parallel", CK_FORK, tests);
}
