// SPDX-License-Identifier: Apache-2.0
// Tests the phantom: its image point by point, its k-space against an independent quadrature of each ellipse,
// and the two against each other.
#include "support/support.h"

#include <math.h>

#include "app/mri/phantom.h"
#include "app/mri/reference.h"
#include "support/run.h"

// Toft's table as published: value, half axes, centre, degrees; on [-1, 1], y upwards.
static const double toft[10][6] = {
    {1, .69, .92, 0, 0, 0},          {-.8, .6624, .874, 0, -.0184, 0}, {-.2, .11, .31, .22, 0, -18},
    {-.2, .16, .41, -.22, 0, 18},    {.1, .21, .25, 0, .35, 0},        {.1, .046, .046, 0, .1, 0},
    {.1, .046, .046, 0, -.1, 0},     {.1, .046, .023, -.08, -.605, 0}, {.1, .023, .023, 0, -.606, 0},
    {.1, .023, .046, .06, -.605, 0},
};

// Additional columns for three dimensions: the third half axis and centre, and further angles.
static const double schabel[10][3] = {
    {.81, 0, 0},   {.78, 0, 0},   {.22, 0, -8}, {.28, 0, 28}, {.41, -.15, 0},
    {.05, .25, 0}, {.05, .25, 0}, {.05, 0, 0},  {.02, 0, 0},  {.02, 0, 0},
};

static double degrees(size_t shape, size_t axes)
{
    return axes == 2 ? toft[shape][5] : schabel[shape][2];
}

// The phantom at a point in the published coordinates.
static double value_at(double x, double y, double z, size_t axes)
{
    double sum = 0;

    for (size_t i = 0; i < 10; i++) {
        double angle = degrees(i, axes) * M_PI / 180, dx = x - toft[i][3], dy = y - toft[i][4];
        double u = (dx * cos(angle) + dy * sin(angle)) / toft[i][1];
        double v = (dy * cos(angle) - dx * sin(angle)) / toft[i][2];
        double w = axes == 2 ? 0 : (z - schabel[i][1]) / schabel[i][0];

        sum += u * u + v * v + w * w <= 1 ? toft[i][0] : 0;
    }
    return sum;
}

START_TEST(image_points)
{
    static const kn_recon_matrix matrices[] = {
        {2, {64, 81, 1}}, {3, {31, 32, 33}}, {3, {20, 20, 1}}, {2, {1, 1, 1}}};

    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const kn_recon_matrix *matrix = &matrices[i];
        const size_t *size = matrix->size;
        double *image = malloc(size[0] * size[1] * size[2] * sizeof *image);

        ck_assert_ptr_nonnull(image);
        ck_assert_int_eq(ki_phantom_raster(matrix, 1, image, NULL), KN_OK);
        for (size_t z = 0, n = 0; z < size[2]; z++)
            for (size_t y = 0; y < size[1]; y++)
                for (size_t x = 0; x < size[0]; x++, n++) {
                    // y decreases with the rows.
                    double wanted =
                        value_at(2 * ki_mri_position(x, size[0]), -2 * ki_mri_position(y, size[1]),
                                 2 * ki_mri_position(z, size[2]), matrix->axes);

                    ck_assert_msg(fabs(image[n] - wanted) < 1e-12, "%zu,%zu,%zu: %g, not %g", x, y, z,
                                  image[n], wanted);
                }
        free(image);
    }
}
END_TEST

// The mean over 4 x 4 points of each voxel, as in the definition, for voxels with and without edges.
START_TEST(image_means)
{
    static const kn_recon_matrix coarse = {2, {24, 24, 1}};
    double mean[24 * 24], middle[24 * 24];
    size_t edges = 0;

    ck_assert_int_eq(ki_phantom_raster(&coarse, 4, mean, NULL), KN_OK);
    ck_assert_int_eq(ki_phantom_raster(&coarse, 1, middle, NULL), KN_OK);
    for (size_t y = 0; y < 24; y++)
        for (size_t x = 0; x < 24; x++) {
            double sum = 0;

            for (size_t sy = 0; sy < 4; sy++)
                for (size_t sx = 0; sx < 4; sx++)
                    sum += value_at(2 * (ki_mri_position(x, 24) + ((double)sx - 1.5) / 96),
                                    -2 * (ki_mri_position(y, 24) + ((double)sy - 1.5) / 96), 0, 2);
            ck_assert_double_eq_tol(mean[24 * y + x], sum / 16, 1e-12);
            edges += fabs(sum / 16 - middle[24 * y + x]) > 1e-12;
        }
    ck_assert_uint_gt(edges, 50);
    ck_assert_int_eq(ki_phantom_raster(&coarse, 0, mean, NULL), KN_ERROR_ARGUMENT);
    ck_assert_int_eq(ki_phantom_raster(&(kn_recon_matrix){2, {24, 0, 1}}, 1, mean, NULL), KN_ERROR_ARGUMENT);
    ck_assert_int_eq(ki_phantom_kspace(&(kn_recon_matrix){2, {0, 3, 1}}, NULL, 0, NULL, NULL),
                     KN_ERROR_ARGUMENT);
}
END_TEST

// The transform of the unit disc at q: its projection 2 sqrt(1 - t^2) times cos(2 pi q t), by Gauss's
// quadrature with Chebyshev's polynomials of the second kind, exact for polynomials up to degree 1,199: what
// is left of the cosine's series with q under 60 is nothing.
static double disc_at(double q)
{
    enum { N = 600 };
    double sum = 0;

    for (int i = 1; i <= N; i++) {
        double angle = M_PI * i / (N + 1);

        sum += 2 * M_PI / (N + 1) * sin(angle) * sin(angle) * cos(2 * M_PI * q * cos(angle));
    }
    return sum;
}

// That of the unit ball: its projection pi (1 - t^2) times the same cosine, by Simpson's rule in steps of
// 1/6000.
static double ball_at(double q)
{
    enum { N = 12000 };
    long double sum = 0;

    for (int i = 0; i <= N; i++) {
        double t = 2.0 * i / N - 1, weight = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;

        sum += weight * 2 / N / 3 * M_PI * (1 - t * t) * cos(2 * M_PI * q * t);
    }
    return (double)sum;
}

static double complex wanted_kspace(const double k[3], size_t axes)
{
    double complex sum = 0;

    // In the published frame: half the unit, and ky with the opposite sign.
    double kx = k[0] / 2, ky = -k[1] / 2, kz = axes == 2 ? 0 : k[2] / 2;

    for (size_t i = 0; i < 10; i++) {
        double angle = degrees(i, axes) * M_PI / 180, depth = axes == 2 ? 1 : schabel[i][0];
        double u = (kx * cos(angle) + ky * sin(angle)) * toft[i][1];
        double v = (ky * cos(angle) - kx * sin(angle)) * toft[i][2], w = kz * depth;
        double turns = kx * toft[i][3] + ky * toft[i][4] + kz * schabel[i][1];

        double q = sqrt(u * u + v * v + w * w);

        sum += toft[i][0] * toft[i][1] * toft[i][2] * depth * (axes == 2 ? disc_at(q) : ball_at(q)) *
               cexp(mri_complex(0, -2 * M_PI * turns));
    }
    return sum / (axes == 2 ? 4 : 8);
}

START_TEST(kspace_by_quadrature)
{
    static const kn_recon_matrix matrices[] = {{2, {64, 48, 1}}, {3, {16, 24, 20}}};
    uint64_t state = test_seed("kspace_by_quadrature");

    for (size_t i = 0; i < 2; i++) {
        size_t axes = matrices[i].axes;
        double k[3 * 40], voxels = (double)(matrices[i].size[0] * matrices[i].size[1] * matrices[i].size[2]);
        double complex data[40];

        for (size_t m = 0; m < 40; m++)
            for (size_t axis = 0; axis < 3; axis++)
                k[3 * m + axis] = m == 0 ? 0 : (2 * test_uniform(&state) - 1) * (m < 10 ? 0.05 : 40);
        ck_assert_int_eq(ki_phantom_kspace(&matrices[i], k, 40, data, NULL), KN_OK);
        for (size_t m = 0; m < 40; m++) {
            double complex wanted = wanted_kspace(k + 3 * m, axes);

            // Simpson's error is 2/180 h^4 max|f|, with h = 1/6000 and f under pi (w^4 + 8 w^3 + 12 w^2):
            // 5e-8 where w = 2 pi q is 2 pi 32, the most for |k| under 70, times half axes and values that
            // come to 0.12 in all; 1e-17 where |k| is under 0.1. All else is right to rounding.
            ck_assert_msg(cabs(data[m] / voxels - wanted) < (axes == 2 || m < 10 ? 1e-14 : 1e-8),
                          "k %g %g %g: %.15g%+.15gi, not %.15g%+.15gi", k[3 * m], k[3 * m + 1], k[3 * m + 2],
                          creal(data[m]) / voxels, cimag(data[m]) / voxels, creal(wanted), cimag(wanted));
        }
    }
}
END_TEST

// The forward sum over a fine raster of M x M points. A square of side h = 1/M around a point transforms to
// h^2 sinc(kx h) sinc(ky h) times the point's phase: what is left is each ellipse's edge. It meets at most 2
// (W + H)/h + 4 squares, W and H being its width and height (a closed convex curve crosses a line twice at
// most), and in each it is wrong by its value times h^2 at most.
START_TEST(kspace_and_image)
{
    enum { M = 384, SAMPLES = 25 };
    static const kn_recon_matrix matrix = {2, {M, M, 1}};
    double *raster = malloc(M * M * sizeof *raster), k[3 * SAMPLES], bound = 0, worst = 0;
    double complex *image = malloc(M * M * sizeof *image), data[SAMPLES], analytic[SAMPLES];
    uint64_t state = test_seed("kspace_and_image");

    ck_assert(raster && image);
    for (size_t i = 0; i < 10; i++) {
        double angle = toft[i][5] * M_PI / 180;
        double w = hypot(toft[i][1] * cos(angle), toft[i][2] * sin(angle));
        double h = hypot(toft[i][1] * sin(angle), toft[i][2] * cos(angle));

        bound += fabs(toft[i][0]) * (2 * (w + h) * M + 4) / M / M;
    }
    ck_assert_int_eq(ki_phantom_raster(&matrix, 1, raster, NULL), KN_OK);
    for (size_t n = 0; n < M * M; n++)
        image[n] = raster[n];
    for (size_t m = 0; m < SAMPLES; m++) {
        k[3 * m] = m ? 6 * (2 * test_uniform(&state) - 1) : 0;
        k[3 * m + 1] = m ? 6 * (2 * test_uniform(&state) - 1) : 0;
        k[3 * m + 2] = 0;
    }
    ck_assert_int_eq(ki_mri_reference_forward(&matrix, k, SAMPLES, image, KN_RECON_SCALE_NONE, data, NULL),
                     KN_OK);
    ck_assert_int_eq(ki_phantom_kspace(&matrix, k, SAMPLES, analytic, NULL), KN_OK);
    for (size_t m = 0; m < SAMPLES; m++) {
        double x = M_PI * k[3 * m] / M, y = M_PI * k[3 * m + 1] / M;
        double square = (x == 0 ? 1 : sin(x) / x) * (y == 0 ? 1 : sin(y) / y);

        worst = fmax(worst, cabs(data[m] * square - analytic[m]) / M / M);
    }
    fprintf(stderr, "kspace_and_image: %.3g, bound %.3g, at k = 0: %.3g\n", worst, bound,
            cabs(analytic[0]) / M / M);
    ck_assert_double_le(worst, bound);
    ck_assert_double_le(bound, 0.2 * cabs(analytic[0]) / M / M);
    free(raster);
    free(image);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {image_points, image_means, kspace_by_quadrature, kspace_and_image};

    return TEST_RUN("phantom", CK_FORK_GETENV, tests);
}
