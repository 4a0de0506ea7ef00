// SPDX-License-Identifier: Apache-2.0
// Tests density compensation: Pipe and Menon's steps against the same steps in double precision, and their
// purpose: a flat convolution of the weights, and a phantom from its k-space; the ramp against its formula.
#include "bessel.h"
#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

#include "app/mri/density.h"
#include "app/mri/gridding/gridding.h"
#include "app/mri/phantom.h"
#include "app/mri/reference.h"
#include "app/mri/trajectory.h"

// A step's sums are of positive terms: they are right to the roundings of the weights and products of both
// ways (8 an axis, in eps = 2^-24, 8 besides) and of up to 256 additions of either sign (16). A step takes an
// error's mean over the neighbours away from it and so makes it no larger; ten steps add theirs up.
static const double ten_steps = 10 * (3 * 8 + 8 + 16) * 0x1p-24;

// ---- the steps ----

// kb / kb(0) of width 6 for oversampling 2.
static double window(double x)
{
    double beta = M_PI * sqrt(4.5 * 4.5 - 0.8), t = x / 3;

    return t * t < 1 ? test_bessel(beta * sqrt(1 - t * t)) / test_bessel(beta) : 0;
}

// The overlap of the windows of two samples at u and v on a grid of `cells` that wraps around.
static double overlap(double u, double v, double cells)
{
    double sum = 0;

    for (double g = 0; g < cells; g++)
        sum += window(remainder(g - u, cells)) * window(remainder(g - v, cells));
    return sum;
}

static void steps(const kn_recon_matrix *matrix, const size_t cells[MRI_AXES], const double *k,
                  size_t samples, double *weights)
{
    double *matrix_of = test_poisoned(samples * samples * sizeof *matrix_of),
           *found = test_poisoned(samples * sizeof *found);
    double scale = 1, integral = 0;

    for (double x = -3; x < 3; x += 1.0 / 1024)
        integral += window(x) / 1024;
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        scale *= matrix->size[axis] > 1 ? integral * integral / (double)cells[axis] : 1;
    for (size_t i = 0; i < samples; i++)
        for (size_t j = 0; j < samples; j++) {
            double product = 1;
            for (size_t axis = 0; axis < MRI_AXES; axis++) {
                double fine = (double)cells[axis] / (double)matrix->size[axis];
                if (matrix->size[axis] > 1)
                    product *= overlap(k[3 * i + axis] * fine, k[3 * j + axis] * fine, (double)cells[axis]);
            }
            matrix_of[i * samples + j] = product;
        }
    for (size_t i = 0; i < samples; i++)
        weights[i] = 1;
    for (int step = 0; step < 10; step++) {
        for (size_t i = 0; i < samples; i++) {
            found[i] = 0;
            for (size_t j = 0; j < samples; j++)
                found[i] += matrix_of[i * samples + j] * weights[j];
        }
        for (size_t i = 0; i < samples; i++)
            weights[i] /= found[i];
    }
    for (size_t i = 0; i < samples; i++)
        weights[i] *= scale;
    free(matrix_of);
    free(found);
}

START_TEST(pipe_steps)
{
    static const kn_recon_matrix matrices[] = {{2, {12, 9, 1}}, {3, {5, 6, 4}}, {3, {9, 1, 8}}};
    static const size_t counts[] = {0, 1, 2, 3, 120};
    uint64_t state = test_seed("pipe_steps");

    for (size_t i = 0; i < (test_is_slow() ? 1 : 3); i++)
        for (size_t c = 0; c < 5; c++) {
            size_t n = test_is_slow() ? 20 : counts[c], cells[MRI_AXES];
            double *k = test_poisoned(3 * n * sizeof *k), *weights = test_poisoned(n * sizeof *weights);
            double *wanted = test_poisoned(n * sizeof *wanted);
            struct mri_gridding *gridding = NULL;

            test_prepare_numbers();
            for (size_t j = 0; j < 3 * n; j++)
                k[j] = (test_uniform(&state) - 0.5) * (double)matrices[i].size[j % 3] *
                       (j % 3 < matrices[i].axes && matrices[i].size[j % 3] > 1);
            EXPECT_OK(ki_mri_gridding_create(queue, &matrices[i], k, n, NULL, &gridding, &err));
            ki_mri_gridding_grid(gridding, cells);
            ki_mri_gridding_free(gridding);
            steps(&matrices[i], cells, k, n, wanted);
            EXPECT_OK(ki_mri_density(queue, &matrices[i], k, n, KN_RECON_DENSITY_PIPE, weights, NULL, &err));
            ck_assert_double_le(test_relative_distance(weights, wanted, n), ten_steps);
            free(k);
            free(weights);
            free(wanted);
        }
}
END_TEST

// ---- a phantom ----

struct scan {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k, *weights;
    double complex *data;
    double *phantom; // what it is of
};

static struct scan make_scan(kn_recon_trajectory plan)
{
    struct scan scan;

    EXPECT_OK(ki_trajectory_plan(&plan, &err));
    scan.matrix = ki_trajectory_matrix(&plan);
    scan.samples = ki_trajectory_points(&plan);
    EXPECT_OK(ki_mri_matrix_count(&scan.matrix, &scan.voxels, &err));
    scan.k = test_poisoned(3 * scan.samples * sizeof *scan.k);
    scan.weights = test_poisoned(scan.samples * sizeof *scan.weights);
    scan.data = test_poisoned(scan.samples * sizeof *scan.data);
    scan.phantom = test_poisoned(scan.voxels * sizeof *scan.phantom);
    ki_trajectory_fill(&plan, scan.k);
    EXPECT_OK(ki_phantom_kspace(&scan.matrix, scan.k, scan.samples, scan.data, &err));
    EXPECT_OK(ki_phantom_raster(&scan.matrix, 4, scan.phantom, &err));
    return scan;
}

static void discard(struct scan *scan)
{
    free(scan->k);
    free(scan->weights);
    free(scan->data);
    free(scan->phantom);
}

// Outside of the disc (ball) whose diameter is the field of view there are gaps between diameters: content
// there is aliased.
static bool is_inside(const kn_recon_matrix *matrix, size_t n)
{
    double squares = 0;

    for (size_t axis = 0; axis < MRI_AXES; n /= matrix->size[axis], axis++)
        squares += pow(ki_mri_position(n % matrix->size[axis], matrix->size[axis]), 2);
    return sqrt(squares) < 0.48;
}

// The image by gridding compared with the phantom: its relative error inside the disc. With `scaled`, after
// scaling by the best factor.
static double image_error(const struct scan *scan, const double *weights, bool scaled)
{
    struct mri_gridding *gridding = NULL;
    kn_buffer *buffer = NULL;
    float *image = test_poisoned(scan->voxels * 2 * sizeof *image);
    double product = 0, energy = 0, error = 0, phantom = 0;

    EXPECT_OK(ki_mri_gridding_create(queue, &scan->matrix, scan->k, scan->samples, NULL, &gridding, &err));
    EXPECT_OK(kn_buffer_create(context, scan->voxels * 2 * sizeof *image, &buffer, &err));
    EXPECT_OK(ki_mri_gridding_adjoint(queue, gridding, scan->data, weights, buffer, &err));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, image, scan->voxels * 2 * sizeof *image, &err));
    for (size_t n = 0; n < scan->voxels; n++) {
        if (!is_inside(&scan->matrix, n))
            continue;
        product += (double)image[2 * n] * scan->phantom[n];
        energy += pow((double)image[2 * n], 2) + pow((double)image[2 * n + 1], 2);
        phantom += scan->phantom[n] * scan->phantom[n];
    }
    // ||f x - p||^2, with f = 1 or the factor that minimises it.
    error = scaled ? phantom - product * product / energy : energy - 2 * product + phantom;
    ki_mri_gridding_free(gridding);
    kn_buffer_free(buffer);
    free(image);
    return sqrt(error / phantom);
}

// C C^H of the weights: its mean over the samples, and its standard deviation relative to the mean.
static double evenness(const struct scan *scan, double *deviation)
{
    struct mri_gridding *gridding = NULL;
    kn_buffer *in = NULL, *out = NULL;
    size_t bytes = scan->samples * 2 * sizeof(float);
    const uint32_t *order = NULL;
    float *numbers = test_poisoned(bytes);
    double sum = 0, squares = 0, mean;

    EXPECT_OK(ki_mri_gridding_create(queue, &scan->matrix, scan->k, scan->samples, NULL, &gridding, &err));
    EXPECT_OK(ki_mri_gridding_order(queue, gridding, &order, &err));
    for (size_t i = 0; i < scan->samples; i++) {
        numbers[2 * i] = (float)(scan->weights[order[i]] / ki_mri_gridding_weight(gridding));
        numbers[2 * i + 1] = 0;
    }
    EXPECT_OK(kn_buffer_create(context, bytes, &in, &err));
    EXPECT_OK(kn_buffer_create(context, bytes, &out, &err));
    EXPECT_OK(kn_buffer_write(queue, in, 0, numbers, bytes, &err));
    EXPECT_OK(ki_mri_gridding_convolve(queue, gridding, in, out, &err));
    EXPECT_OK(kn_buffer_read(queue, out, 0, numbers, bytes, &err));
    for (size_t i = 0; i < scan->samples; i++) {
        sum += (double)numbers[2 * i];
        squares += pow((double)numbers[2 * i], 2);
    }
    ki_mri_gridding_free(gridding);
    kn_buffer_free(in);
    kn_buffer_free(out);
    free(numbers);
    mean = sum / (double)scan->samples;
    *deviation = sqrt(fmax(squares / (double)scan->samples - mean * mean, 0)) / mean;
    return mean;
}

// The error with the samples of a full grid in the same disc (ball): the phantom's edges ring, with any
// weights.
static double best_error(size_t extent, bool ball)
{
    struct scan scan = make_scan((kn_recon_trajectory){
        .kind = KN_RECON_TRAJECTORY_CARTESIAN, .extent = extent, .partitions = ball ? extent : 1});
    double error;

    for (size_t m = 0; m < scan.samples; m++) {
        const double *k = scan.k + 3 * m;
        double at = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
        scan.weights[m] = at > (double)extent / 2 ? 0 : 1 / (double)scan.voxels;
    }
    error = image_error(&scan, scan.weights, false);
    discard(&scan);
    return error;
}

// Weighted, an image is about as near to the phantom as its band allows, in its scale and all. How much
// further away it may be is the share of the band within half a cycle of its edge, where it is open how far a
// sample's area goes: 3 % of the disc of 64, 15 % of the ball of 20, and twice that for what rings there.
// Without weights no factor brings it near. Ten steps leave the ball further from flat than the discs, which
// have fewer neighbours.
START_TEST(phantoms)
{
    static const struct {
        kn_recon_trajectory plan;
        bool ball, diameters;
        double slack, flat;
    } tried[] = {
        {{.kind = KN_RECON_TRAJECTORY_RADIAL, .extent = 64}, false, true, 1.1, 0.01},
        {{.kind = KN_RECON_TRAJECTORY_SPIRAL, .extent = 64, .samples = 1600}, false, false, 1.1, 0.01},
        {{.kind = KN_RECON_TRAJECTORY_KOOSHBALL, .extent = 20}, true, true, 1.3, 0.03}};

    for (size_t i = 0; i < (test_is_slow() ? 0 : 3); i++) {
        struct scan scan = make_scan(tried[i].plan);
        double best = best_error(tried[i].plan.extent, tried[i].ball), pipe, ramp, none, mean, deviation,
               before;

        EXPECT_OK(ki_mri_density(queue, &scan.matrix, scan.k, scan.samples, KN_RECON_DENSITY_NONE,
                                 scan.weights, NULL, &err));
        none = image_error(&scan, scan.weights, true);
        evenness(&scan, &before);
        EXPECT_OK(ki_mri_density(queue, &scan.matrix, scan.k, scan.samples, KN_RECON_DENSITY_PIPE,
                                 scan.weights, NULL, &err));
        pipe = image_error(&scan, scan.weights, false);
        mean = evenness(&scan, &deviation);
        EXPECT_OK(ki_mri_density(queue, &scan.matrix, scan.k, scan.samples, KN_RECON_DENSITY_RAMP,
                                 scan.weights, NULL, &err));
        ramp = image_error(&scan, scan.weights, false);
        fprintf(stderr,
                "phantoms: %s: C C^H w %.4f +- %.4f (was +- %.2f); error by pipe %.3f, ramp %.3f, none %.3f, "
                "best "
                "%.3f\n",
                ki_trajectory_names[tried[i].plan.kind], mean, deviation, before, pipe, ramp, none, best);
        ck_assert_double_le(fabs(mean - 1), 0.01);
        ck_assert_double_le(deviation, tried[i].flat);
        ck_assert_double_le(deviation, before / 10);
        ck_assert_double_le(pipe, tried[i].slack * best);
        ck_assert_double_le(ramp, tried[i].diameters ? tried[i].slack * best : INFINITY);
        ck_assert_double_ge(none, 1.5 * best);
        discard(&scan);
    }
}
END_TEST

// ---- repeated samples, the ramp, refusals ----

// A scan that is repeated has half the weights; so has a repeated sample without close neighbours.
START_TEST(repeated)
{
    const kn_recon_matrix matrix = {2, {24, 20, 1}};
    enum { ONCE = 60 };
    uint64_t state = test_seed("repeated");
    double k[3 * (2 * ONCE + 2)] = {0}, once[ONCE + 1], twice[2 * ONCE + 2], halves[2 * ONCE];

    for (size_t m = 0; m < ONCE; m++) {
        k[3 * m] = 10 * test_uniform(&state) - 5;
        k[3 * m + 1] = 10 * test_uniform(&state) - 5;
    }
    EXPECT_OK(ki_mri_density(queue, &matrix, k, ONCE, KN_RECON_DENSITY_PIPE, once, NULL, &err));
    memcpy(k + 3 * ONCE, k, 3 * ONCE * sizeof *k);
    EXPECT_OK(ki_mri_density(queue, &matrix, k, 2 * ONCE, KN_RECON_DENSITY_PIPE, twice, NULL, &err));
    for (size_t m = 0; m < 2 * ONCE; m++)
        halves[m] = once[m % ONCE] / 2;
    ck_assert_double_le(test_relative_distance(twice, halves, 2 * ONCE), 2 * ten_steps);
    k[3 * ONCE] = k[3 * ONCE + 3] = -11.3;
    k[3 * ONCE + 1] = k[3 * ONCE + 4] = 9.1;
    EXPECT_OK(ki_mri_density(queue, &matrix, k, ONCE + 1, KN_RECON_DENSITY_PIPE, once, NULL, &err));
    EXPECT_OK(ki_mri_density(queue, &matrix, k, ONCE + 2, KN_RECON_DENSITY_PIPE, twice, NULL, &err));
    ck_assert_double_le(fabs(twice[ONCE] / once[ONCE] - 0.5), 2 * ten_steps);
    ck_assert_double_le(fabs(twice[ONCE + 1] / once[ONCE] - 0.5), 2 * ten_steps);
    ck_assert_double_le(test_relative_distance(twice, once, ONCE), 2 * ten_steps);
}
END_TEST

// The area of a sample of diameters at even angles is |k| dk pi / S in the plane, |k|^2 dk 2 pi / S in space;
// in the middle all share the disc or ball of half a sample's distance.
static void expect_ramp(kn_recon_trajectory_kind kind, size_t extent, size_t spokes)
{
    kn_recon_trajectory plan = {.kind = kind, .extent = extent, .spokes = spokes};
    bool ball = kind == KN_RECON_TRAJECTORY_KOOSHBALL;
    struct scan scan = make_scan(plan);
    double each = 1 / (double)spokes / (double)scan.voxels, sum = 0;

    EXPECT_OK(ki_mri_density(NULL, &scan.matrix, scan.k, scan.samples, KN_RECON_DENSITY_RAMP, scan.weights,
                             NULL, &err));
    for (size_t m = 0; m < scan.samples; m++) {
        const double *k = scan.k + 3 * m;
        double at = sqrt(k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
        double wanted = at < 0.5 ? (ball ? M_PI / 6 : M_PI / 4) : ball ? at * at * 2 * M_PI : at * M_PI;
        // The rule adds up to the ball's volume; the ends of a line of samples are not the ball's surface:
        // 1/extent^2.
        ck_assert_double_le(fabs(scan.weights[m] / (wanted * each) - 1), 4 / (double)(extent * extent));
        sum += scan.weights[m];
    }
    ck_assert_double_le(fabs(sum * (double)scan.voxels /
                                 ((ball ? 4 * M_PI / 3 : M_PI) * pow((double)extent / 2, ball ? 3 : 2)) -
                             1),
                        1e-12);
    discard(&scan);
}

START_TEST(ramps)
{
    const kn_recon_matrix line = {2, {8, 1, 1}}, plane = {2, {8, 8, 1}};
    const double k[] = {1, 5, 0, -2, 5, 0}, zeros[6] = {0};
    double weights[2];

    expect_ramp(KN_RECON_TRAJECTORY_RADIAL, 32, 50);
    expect_ramp(KN_RECON_TRAJECTORY_KOOSHBALL, 16, 100);
    // Along one axis, samples represent equal parts, and k across it has no effect.
    EXPECT_OK(ki_mri_density(NULL, &line, k, 2, KN_RECON_DENSITY_RAMP, weights, NULL, &err));
    ck_assert_double_eq_tol(weights[0], 4.0 / 2 / 8, 1e-15);
    ck_assert_double_eq_tol(weights[1], 4.0 / 2 / 8, 1e-15);
    // All samples at the centre: the area of one cycle.
    EXPECT_OK(ki_mri_density(NULL, &plane, zeros, 2, KN_RECON_DENSITY_RAMP, weights, NULL, &err));
    ck_assert_double_eq_tol(weights[0] + weights[1], 1.0 / 64, 1e-15);
    EXPECT_OK(ki_mri_density(NULL, &plane, NULL, 0, KN_RECON_DENSITY_RAMP, weights, NULL, &err));
    EXPECT_OK(ki_mri_density(NULL, &plane, k, 2, KN_RECON_DENSITY_NONE, weights, NULL, &err));
    ck_assert(weights[0] == 1 && weights[1] == 1);
}
END_TEST

START_TEST(refusals)
{
    const kn_recon_matrix plane = {2, {8, 8, 1}}, nothing = {2, {0, 8, 1}};
    const double k[] = {NAN, 5, 0};
    double weight;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kx of sample 0 is nan",
                   ki_mri_density(NULL, &plane, k, 1, KN_RECON_DENSITY_RAMP, &weight, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kx of sample 0 is nan",
                   ki_mri_density(queue, &plane, k, 1, KN_RECON_DENSITY_PIPE, &weight, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a matrix of 0 x 8 x 1",
                   ki_mri_density(NULL, &nothing, k, 1, KN_RECON_DENSITY_NONE, &weight, NULL, &err));
    for (size_t i = 0; i < MRI_DENSITIES; i++)
        ck_assert_ptr_nonnull(ki_mri_density_names[i]);
    ck_assert_ptr_null(ki_mri_density_names[MRI_DENSITIES]);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {pipe_steps, phantoms, repeated, ramps, refusals};

    return test_run("mri density", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
