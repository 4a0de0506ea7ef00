// SPDX-License-Identifier: Apache-2.0
// Tests the host's transform against its definition, its normal operator against both sums, and its conjugate
// gradients against the equations that they solve, for odd, prime, unequal and single sizes.
#include "support/expect.h"

#include <float.h>
#include <math.h>

#include "app/mri/gridding/host_fft.h"
#include "app/mri/solver/host_solver.h"
#include "app/mri/reference.h"
#include "support/run.h"

static const kn_recon_matrix matrices[] = {
    {2, {1, 1, 1}}, {2, {2, 3, 1}}, {2, {7, 5, 1}},  {2, {13, 1, 1}}, {3, {4, 4, 4}},
    {3, {3, 5, 2}}, {3, {1, 1, 7}}, {2, {17, 6, 1}}, {3, {1, 4, 3}},
};
enum { MATRICES = sizeof matrices / sizeof *matrices, VOXELS_MAX = 128, SAMPLES = 60, POINTS_MAX = 1200 };

// ---- transforms ----

// The transform of the whole grid, by the definition; sign -1 is the forward transform's.
static void definition(const size_t length[3], int sign, const double complex *in, double complex *out)
{
    size_t points = length[0] * length[1] * length[2];

    for (size_t to = 0; to < points; to++) {
        out[to] = 0;
        for (size_t from = 0; from < points; from++) {
            double turns = 0;

            for (size_t axis = 0, a = to, b = from; axis < 3; a /= length[axis], b /= length[axis], axis++)
                turns +=
                    (double)(a % length[axis] * (b % length[axis]) % length[axis]) / (double)length[axis];
            out[to] += in[from] * cexp(mri_complex(0, sign * 2 * M_PI * turns));
        }
    }
}

static bool is_used(const struct mri_fft_shape *shape, size_t x, size_t y, size_t z)
{
    const size_t at[3] = {x, y, z};
    bool used = true;

    for (size_t axis = 0; axis < 3; axis++)
        used = used &&
               (at[axis] < shape->used[axis] || at[axis] >= shape->length[axis] - shape->used_below[axis]);
    return used;
}

START_TEST(transforms)
{
    static const size_t lengths[][3] = {{1, 1, 1}, {2, 1, 1},  {3, 4, 1},  {5, 6, 2},
                                        {8, 9, 1}, {1, 10, 3}, {30, 1, 4}, {1, 1, 25}};
    static const size_t uses[][3] = {{1, 1, 1}, {1, 1, 1}, {2, 3, 1},  {5, 4, 1},
                                     {3, 9, 1}, {1, 5, 2}, {17, 1, 3}, {1, 1, 25}};
    uint64_t state = test_seed("transforms");

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const size_t *length = lengths[i], *used = uses[i];
        const struct mri_fft_shape shape = {KN_F64,
                                            {length[0], length[1], length[2]},
                                            {used[0] - used[0] / 3, used[1], used[2] - used[2] / 3},
                                            {used[0] / 3, 0, used[2] / 3}};
        size_t points = length[0] * length[1] * length[2];
        double complex in[POINTS_MAX], whole[POINTS_MAX], grid[POINTS_MAX];
        struct mri_fft fft;
        double size;

        // Lines outside of the used part are zero before, and undefined afterwards.
        for (size_t at = 0; at < points; at++) {
            size_t x = at % length[0], y = at / length[0] % length[1], z = at / length[0] / length[1];

            in[at] = is_used(&shape, x, y, z) ? test_complex(&state) : 0;
            grid[at] = in[at];
        }
        EXPECT_OK(ki_mri_fft_create(&shape, NULL, NULL, &fft, &err));
        EXPECT_OK(ki_mri_fft_forward(&fft, grid, &err));
        definition(length, -1, in, whole);
        size = test_norm(whole, points) + 1;
        for (size_t at = 0; at < points; at++)
            ck_assert_double_lt(cabs(grid[at] - whole[at]), 100 * DBL_EPSILON * size);
        for (size_t at = 0; at < points; at++)
            grid[at] = in[at] = test_complex(&state);
        EXPECT_OK(ki_mri_fft_backward(&fft, grid, &err));
        definition(length, 1, in, whole);
        size = test_norm(whole, points) + 1;
        for (size_t at = 0; at < points; at++) {
            size_t x = at % length[0], y = at / length[0] % length[1], z = at / length[0] / length[1];

            if (is_used(&shape, x, y, z))
                ck_assert_double_lt(cabs(grid[at] - whole[at]), 100 * DBL_EPSILON * size);
        }
        ki_mri_fft_free(&fft);
    }
}
END_TEST

// Enough lines for several threads: the same bits as with one, and the inverse restores the input.
START_TEST(threads)
{
    static const struct mri_fft_shape shape = {KN_F64, {512, 256, 1}, {512, 256, 1}, {0}};
    static const size_t points = 512 * 256;
    double complex *grids[3];
    uint64_t state = test_seed("threads");

    for (size_t i = 0; i < 3; i++) {
        grids[i] = malloc(points * sizeof *grids[i]);
        ck_assert_ptr_nonnull(grids[i]);
    }
    for (size_t at = 0; at < points; at++)
        grids[0][at] = grids[1][at] = grids[2][at] = test_complex(&state);
    for (unsigned i = 1; i < 3; i++) {
        const kn_host_options options = KN_INIT(kn_host_options, .threads = i == 1 ? 1 : 3);
        struct mri_fft fft;

        EXPECT_OK(ki_mri_fft_create(&shape, &options, NULL, &fft, &err));
        EXPECT_OK(ki_mri_fft_forward(&fft, grids[i], &err));
        EXPECT_OK(ki_mri_fft_backward(&fft, grids[i], &err));
        ki_mri_fft_free(&fft);
    }
    ck_assert_mem_eq(grids[1], grids[2], points * sizeof *grids[1]);
    for (size_t at = 0; at < points; at++)
        ck_assert_double_lt(cabs(grids[2][at] / (double)points - grids[0][at]), 1e-13);
    for (size_t i = 0; i < 3; i++)
        free(grids[i]);
}
END_TEST

// ---- the operator ----

struct problem {
    kn_recon_matrix matrix;
    size_t voxels;
    double k[3 * SAMPLES], weights[SAMPLES];
    double complex x[VOXELS_MAX], rhs[VOXELS_MAX];
};

static void make(struct problem *problem, const kn_recon_matrix *matrix, uint64_t *state)
{
    problem->matrix = *matrix;
    EXPECT_OK(ki_mri_matrix_count(matrix, &problem->voxels, &err));
    for (size_t m = 0; m < SAMPLES; m++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double edge = matrix->size[axis] > 1 ? (double)matrix->size[axis] / 2 : 0;

            problem->k[3 * m + axis] = test_random(state) % 8   ? edge * (2 * test_uniform(state) - 1)
                                       : test_random(state) % 2 ? edge
                                                                : -edge;
        }
        problem->weights[m] = test_uniform(state);
    }
    for (size_t n = 0; n < problem->voxels; n++) {
        problem->x[n] = test_complex(state);
        problem->rhs[n] = test_complex(state);
    }
}

// F^H W F x by both sums.
static void normal_of(const struct problem *problem, const double *weights, const double complex *x,
                      double complex *y)
{
    double complex data[SAMPLES];

    EXPECT_OK(
        ki_mri_reference_forward(&problem->matrix, problem->k, SAMPLES, x, KN_RECON_SCALE_NONE, data, &err));
    EXPECT_OK(ki_mri_reference_adjoint(&problem->matrix, problem->k, SAMPLES, data, weights,
                                       KN_RECON_SCALE_NONE, y, &err));
}

START_TEST(operator_is_both_sums)
{
    uint64_t state = test_seed("operator_is_both_sums");

    for (size_t i = 0; i < 2 * MATRICES; i++) {
        struct mri_host_normal *normal;
        kn_recon_rate rate;
        struct problem problem;
        double complex found[VOXELS_MAX], expected[VOXELS_MAX];
        double size = 0;

        make(&problem, &matrices[i / 2], &state);
        EXPECT_OK(ki_mri_host_normal_create(&(struct mri_sum){.matrix = problem.matrix,
                                                              .k = problem.k,
                                                              .samples = SAMPLES,
                                                              .weights = i % 2 ? problem.weights : NULL},
                                            MRI_HOST_DOUBLE, &normal, &rate, &err));
        normal_of(&problem, i % 2 ? problem.weights : NULL, problem.x, expected);
        EXPECT_OK(ki_mri_host_normal_apply(normal, problem.x, found, &err));
        // Relative to a norm of the operator of at most its bound; phases have some tens of roundings.
        size = ki_mri_host_normal_bound(normal) * test_norm(problem.x, problem.voxels);
        for (size_t n = 0; n < problem.voxels; n++)
            ck_assert_double_lt(cabs(found[n] - expected[n]), 1000 * DBL_EPSILON * size);
        ck_assert_double_le(test_norm(expected, problem.voxels), size * (1 + 1e-12));
        ck_assert_double_gt(rate.pairs, 0);
        ki_mri_host_normal_free(normal);
    }
}
END_TEST

// Both sums directly: 1e-14 of each in double precision; in single precision the rounding of the phase as on
// devices (sum.h), relative to the sums without cancellation.
START_TEST(operator_by_both_sums)
{
    static const enum mri_kernel kernels[] = {MRI_HOST_DOUBLE, MRI_HOST_SINGLE};
    static const double errors[] = {1e-13, 1e-5};
    uint64_t state = test_seed("operator_by_both_sums");

    for (size_t i = 0; i < 2 * MATRICES; i++) {
        struct mri_host_normal *normal;
        struct problem problem;
        double complex found[VOXELS_MAX], expected[VOXELS_MAX];
        double magnitude = 0;

        make(&problem, &matrices[i / 2], &state);
        for (size_t n = 0; n < problem.voxels; n++)
            magnitude += cabs(problem.x[n]);
        normal_of(&problem, i % 3 ? problem.weights : NULL, problem.x, expected);
        EXPECT_OK(
            ki_mri_host_normal_create_forward(&(struct mri_sum){.matrix = problem.matrix,
                                                                .k = problem.k,
                                                                .samples = SAMPLES,
                                                                .weights = i % 3 ? problem.weights : NULL},
                                              kernels[i % 2], &normal, &err));
        ck_assert(isnan(ki_mri_host_normal_bound(normal)));
        EXPECT_OK(ki_mri_host_normal_apply(normal, problem.x, found, &err));
        for (size_t n = 0; n < problem.voxels; n++)
            ck_assert_double_le(cabs(found[n] - expected[n]), errors[i % 2] * magnitude * SAMPLES);
        // Works in place, and is counted.
        EXPECT_OK(ki_mri_host_normal_apply(normal, problem.x, problem.x, &err));
        ck_assert_mem_eq(problem.x, found, problem.voxels * sizeof *found);
        ck_assert_double_eq(ki_mri_host_normal_rate(normal).pairs, (double)(4 * SAMPLES * problem.voxels));
        ki_mri_host_normal_free(normal);
    }
}
END_TEST

// ---- the solver ----

// A x = F^H W F x + lambda R x, with R from the definition by squared differences.
static void equation(const struct problem *problem, const struct mri_solver_options *options, double lambda,
                     const double complex *x, double complex *y)
{
    const size_t *size = problem->matrix.size;

    normal_of(problem, problem->weights, x, y);
    for (size_t n = 0; n < problem->voxels; n++) {
        size_t at[3] = {n % size[0], n / size[0] % size[1], n / size[0] / size[1]};

        if (options->regularizer == KN_RECON_REGULARIZER_TIKHONOV)
            y[n] += lambda * x[n];
        for (size_t axis = 0, step = 1; options->regularizer == KN_RECON_REGULARIZER_DIFFERENCE && axis < 3;
             step *= size[axis], axis++) {
            size_t last = size[axis] - 1;

            if (!last)
                continue;
            // Neighbours on either side, each with a difference that involves this voxel.
            if (at[axis] > 0 || options->boundary == KN_RECON_BOUNDARY_PERIODIC)
                y[n] += lambda * (x[n] - x[at[axis] > 0 ? n - step : n + last * step]);
            if (at[axis] < last || options->boundary == KN_RECON_BOUNDARY_PERIODIC)
                y[n] += lambda * (x[n] - x[at[axis] < last ? n + step : n - last * step]);
        }
    }
}

static void expect_solved(const struct problem *problem, const struct mri_solver_options *options, bool warm)
{
    struct mri_solver_result result;
    struct mri_host_normal *normal;
    double complex image[VOXELS_MAX], left[VOXELS_MAX];
    double rhs = test_norm(problem->rhs, problem->voxels), residual;

    EXPECT_OK(ki_mri_host_normal_create(
        &(struct mri_sum){
            .matrix = problem->matrix, .k = problem->k, .samples = SAMPLES, .weights = problem->weights},
        MRI_HOST_DOUBLE, &normal, NULL, &err));
    EXPECT_OK(ki_mri_host_solve(ki_mri_host_normal_of(normal), problem->rhs, options,
                                warm ? problem->x : NULL, image, &result, &err));
    equation(problem, options, result.lambda, image, left);
    for (size_t n = 0; n < problem->voxels; n++)
        left[n] -= problem->rhs[n];
    residual = test_norm(left, problem->voxels) / rhs;
    ck_assert(result.converged);
    ck_assert_uint_lt(result.iterations, options->iterations);
    ck_assert_double_le(result.residuals[result.iterations], options->tolerance);
    ck_assert_double_lt(residual, 10 * options->tolerance);
    ck_assert_double_eq_tol(result.residual, residual, 1e-11);
    if (!warm)
        ck_assert_double_eq(result.residuals[0], 1);
    if (options->relative_lambda)
        ck_assert_double_eq(result.lambda, options->lambda * ki_mri_host_normal_bound(normal));
    free(result.residuals);
    ki_mri_host_normal_free(normal);
}

START_TEST(solves)
{
    uint64_t state = test_seed("solves");

    for (size_t i = 0; i < 12 * MATRICES; i++) {
        struct mri_solver_options options = {.iterations = 2000, .tolerance = 1e-9, .lambda = 3};
        struct problem problem;

        make(&problem, &matrices[i / 12], &state);
        options.regularizer = i % 3 == 0 ? KN_RECON_REGULARIZER_TIKHONOV : KN_RECON_REGULARIZER_DIFFERENCE;
        options.boundary = i % 3 == 1 ? KN_RECON_BOUNDARY_ZERO : KN_RECON_BOUNDARY_PERIODIC;
        options.relative_lambda = i / 3 % 2;
        options.lambda = options.relative_lambda ? 0.1 : 3;
        expect_solved(&problem, &options, i / 6 % 2);
    }
}
END_TEST

START_TEST(edges)
{
    struct mri_solver_options options = {.iterations = 5};
    struct mri_solver_result result;
    struct mri_host_normal *normal;
    struct problem problem;
    struct mri_sum of, none;
    double complex image[VOXELS_MAX];
    uint64_t state = test_seed("edges");

    make(&problem, &matrices[5], &state);
    of = (struct mri_sum){.matrix = problem.matrix, .k = problem.k, .samples = SAMPLES};
    none = of;
    none.matrix.size[0] = 0;
    EXPECT_OK(ki_mri_host_normal_create(&of, MRI_HOST_DOUBLE, &normal, NULL, &err));
    // Without measured samples the image is 0, whatever the start was.
    memset(problem.rhs, 0, sizeof problem.rhs);
    EXPECT_OK(ki_mri_host_solve(ki_mri_host_normal_of(normal), problem.rhs, &options, problem.x, image,
                                &result, &err));
    ck_assert_double_eq(test_norm(image, problem.voxels), 0);
    ck_assert_uint_eq(result.iterations, 0);
    free(result.residuals);
    // Without iterations the result is the start.
    options.iterations = 0;
    problem.rhs[0] = 1;
    EXPECT_OK(ki_mri_host_solve(ki_mri_host_normal_of(normal), problem.rhs, &options, problem.x, image,
                                &result, &err));
    ck_assert_mem_eq(image, problem.x, problem.voxels * sizeof *image);
    free(result.residuals);
    ki_mri_host_normal_free(normal);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "",
                   ki_mri_host_normal_create(&none, MRI_HOST_DOUBLE, &normal, NULL, &err));
    ck_assert_ptr_null(normal);
    // Without a spectrum, lambda has no unit.
    EXPECT_OK(ki_mri_host_normal_create_forward(&of, MRI_HOST_SINGLE, &normal, &err));
    options = (struct mri_solver_options){.iterations = 1, .lambda = 0.1, .relative_lambda = true};
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "units of a bound that this operator does not have",
        ki_mri_host_solve(ki_mri_host_normal_of(normal), problem.rhs, &options, NULL, image, &result, &err));
    ck_assert_ptr_null(result.residuals);
    ki_mri_host_normal_free(normal);
    ki_mri_host_normal_free(NULL);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {transforms, threads, operator_is_both_sums, operator_by_both_sums,
                                  solves,     edges};

    return TEST_RUN("mri host solver", CK_FORK_GETENV, tests);
}
