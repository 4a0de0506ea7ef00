// SPDX-License-Identifier: Apache-2.0
// Tests conjugate gradients against a dense solution in double precision, the guarantees of the history, the
// stopping test and the start, and against an image that others computed from a real scan.
#include "solver_support.h"

// ---- the solution ----

START_TEST(dense)
{
    uint64_t state = test_seed("dense");
    double worst = 0;

    for (size_t i = 0; i < (test_is_slow() ? 3 : MATRICES); i++)
        for (int r = 0; r < 3; r++) {
            const struct mri_solver_options options = {
                .iterations = 60,
                .tolerance = 1e-6,
                .lambda = 0.05,
                .relative_lambda = true,
                .regularizer = r == 0 ? KN_RECON_REGULARIZER_TIKHONOV : KN_RECON_REGULARIZER_DIFFERENCE,
                .boundary = r == 2 ? KN_RECON_BOUNDARY_PERIODIC : KN_RECON_BOUNDARY_ZERO};
            // Differences do not affect a constant image: the samples have to determine it.
            struct system s = system_make(&matrices[i], 3 * matrices[i].size[0] * 35, &options, &state);
            struct mri_solver_result result;
            double complex *x = solve(&s, NULL, &result);
            double right = test_norm(s.right, s.n), residual = residual_of(&s, x);
            double limit = options.tolerance * right + drift(&s, result.iterations), error;

            ck_assert(result.converged && !result.stopped);
            ck_assert_uint_le(result.iterations, options.iterations);
            ck_assert_double_eq_tol(result.lambda, s.lambda, s.lambda * 2 * eps);
            ck_assert_double_le(residual, limit);
            ck_assert_double_le(fabs(result.residual * right - residual), drift(&s, 1));
            ck_assert_double_eq_tol(result.residuals[0], 1, 1e-6);
            // The remaining residual, divided by at most the least eigenvalue.
            error = test_distance(x, s.solution, s.n);
            if (r == 0)
                ck_assert_double_le(error, limit / s.lambda);
            error /= test_norm(s.solution, s.n);
            ck_assert_double_le(error, 1e-3);
            worst = error > worst ? error : worst;
            free(result.residuals);
            free(x);
            system_free(&s);
        }
    fprintf(stderr, "dense: greatest relative error of an image %.2g\n", worst);
}
END_TEST

// The error in the norm of A decreases with every iteration, as conjugate gradients guarantee; the history
// has the true residuals, and that of a run with fewer iterations is the beginning of a longer one's.
START_TEST(history)
{
    enum { ITERATIONS = 12 };
    uint64_t state = test_seed("history");
    const struct mri_solver_options options = {
        .iterations = ITERATIONS, .lambda = 0.02, .relative_lambda = true};
    static const kn_recon_matrix matrix = {2, {7, 5, 1}};
    struct system s = system_make(&matrix, 50, &options, &state);
    struct mri_solver_result whole, part;
    double complex *last = solve(&s, NULL, &whole), *error = test_allocate(s.n * sizeof *error);
    double complex *image = test_allocate(s.n * sizeof *image);
    double before = INFINITY, right = test_norm(s.right, s.n);

    ck_assert_uint_eq(whole.iterations, ITERATIONS);
    ck_assert(!whole.converged && !whole.stopped);
    for (size_t i = 0; i <= ITERATIONS; i++) {
        double complex *x;
        double now, floor = drift(&s, i) / sqrt(s.lambda);

        s.options.iterations = i;
        x = solve(&s, NULL, &part);
        ck_assert_uint_eq(part.iterations, i);
        for (size_t j = 0; j <= i; j++)
            ck_assert(test_same(part.residuals[j], whole.residuals[j]));
        ck_assert_double_le(fabs(residual_of(&s, x) - whole.residuals[i] * right),
                            drift(&s, i) + 1e-6 * right);
        for (size_t j = 0; j < s.n; j++)
            error[j] = s.solution[j] - x[j];
        multiply(s.matrix, error, s.n, image);
        now = sqrt(creal(test_product(image, error, s.n)));
        ck_assert_double_le(now, before + floor);
        if (i > 0 && before > 10 * floor)
            ck_assert_double_lt(now, before);
        before = now;
        if (i == ITERATIONS)
            ck_assert_int_eq(memcmp(x, last, s.n * sizeof *x), 0);
        free(part.residuals);
        free(x);
    }
    free(whole.residuals);
    free(last);
    free(error);
    free(image);
    system_free(&s);
}
END_TEST

// Stops at the first residual within the tolerance, wherever the host checks: image and history equal those
// of a run with that number of iterations.
START_TEST(tolerance)
{
    uint64_t state = test_seed("tolerance");
    struct mri_solver_options options = {.iterations = 50, .lambda = 0.01, .relative_lambda = true};
    static const kn_recon_matrix matrix = {3, {4, 4, 4}};
    static const double tolerances[] = {0.9, 0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5};
    struct system s = system_make(&matrix, 90, &options, &state);
    size_t seen = 0;

    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        struct mri_solver_result result, fixed;
        double complex *x, *wanted;

        s.options.iterations = 50;
        s.options.tolerance = tolerances[i];
        x = solve(&s, NULL, &result);
        ck_assert(result.converged && !result.stopped);
        ck_assert_uint_lt(result.iterations, 50);
        ck_assert_double_le(result.residuals[result.iterations], tolerances[i] * (1 + 1e-6));
        for (size_t j = 0; j < result.iterations; j++)
            ck_assert_double_gt(result.residuals[j], tolerances[i] * (1 - 1e-6));
        seen |= (size_t)1 << result.iterations % 8;
        s.options.iterations = result.iterations;
        s.options.tolerance = 0;
        wanted = solve(&s, NULL, &fixed);
        ck_assert_int_eq(memcmp(x, wanted, s.n * sizeof *x), 0);
        ck_assert_int_eq(memcmp(result.residuals, fixed.residuals, (result.iterations + 1) * sizeof(double)),
                         0);
        free(result.residuals);
        free(fixed.residuals);
        free(x);
        free(wanted);
    }
    ck_assert_uint_gt(seen & (seen - 1), 0); // not only where the host checks
    system_free(&s);
}
END_TEST

START_TEST(starts)
{
    uint64_t state = test_seed("starts");
    struct mri_solver_options options = {
        .iterations = 40, .tolerance = 1e-4, .lambda = 0.05, .relative_lambda = true};
    static const kn_recon_matrix matrix = {3, {3, 5, 2}};

    for (int r = 0; r < 2; r++) {
        struct mri_solver_result result, cold;
        double complex *x, *again, *nothing, *elsewhere;
        struct system s;

        options.regularizer = r ? KN_RECON_REGULARIZER_DIFFERENCE : KN_RECON_REGULARIZER_TIKHONOV;
        s = system_make(&matrix, 200, &options, &state);
        // From the solution: stops at once, and changes nothing.
        s.options.tolerance = 1e-6;
        x = solve(&s, NULL, &cold);
        ck_assert(cold.converged);
        s.options.tolerance = 1e-4;
        again = solve(&s, x, &result);
        ck_assert_uint_eq(result.iterations, 0);
        ck_assert(result.converged);
        ck_assert_double_le(result.residuals[0], 1e-4);
        ck_assert_int_eq(memcmp(x, again, s.n * sizeof *x), 0);
        free(result.residuals);
        free(again);
        // From another start: the same solution, up to what the residual leaves.
        elsewhere = test_image(s.n, &state);
        s.options.tolerance = 1e-5;
        again = solve(&s, elsewhere, &result);
        ck_assert(result.converged && result.iterations > 0);
        ck_assert_double_le(residual_of(&s, again),
                            1e-5 * test_norm(s.right, s.n) + 2 * drift(&s, result.iterations) +
                                drift(&s, result.iterations) / test_norm(s.solution, s.n) *
                                    test_norm(elsewhere, s.n));
        free(result.residuals);
        free(again);
        // Without iterations: the start, or 0.
        s.options.iterations = 0;
        again = solve(&s, elsewhere, &result);
        ck_assert_uint_eq(result.iterations, 0);
        ck_assert(!result.converged && !result.stopped);
        ck_assert_int_eq(memcmp(elsewhere, again, s.n * sizeof *again), 0);
        ck_assert_double_le(fabs(result.residuals[0] * test_norm(s.right, s.n) - residual_of(&s, again)),
                            drift(&s, 1) / test_norm(s.solution, s.n) * test_norm(elsewhere, s.n) +
                                1e-6 * test_norm(s.right, s.n));
        free(result.residuals);
        nothing = solve(&s, NULL, &result);
        for (size_t i = 0; i < s.n; i++)
            ck_assert_double_eq(cabs(nothing[i]), 0);
        free(result.residuals);
        free(cold.residuals);
        free(x);
        free(again);
        free(nothing);
        free(elsewhere);
        system_free(&s);
    }
}
END_TEST

// The image's own buffer as the start; a lambda in units of the bound equals lambda times the bound.
START_TEST(in_place_and_relative)
{
    uint64_t state = test_seed("in_place_and_relative");
    struct mri_solver_options options = {.iterations = 3, .lambda = 0.25, .relative_lambda = true};
    static const kn_recon_matrix matrix = {2, {7, 5, 1}};
    struct system s = system_make(&matrix, 60, &options, &state);
    struct mri_solver_result relative, absolute, third;
    double complex *begun = test_image(s.n, &state), *x = solve(&s, begun, &relative), *y;
    kn_buffer *image = test_upload_image(begun, s.n, 0), *right = test_upload_image(s.right, s.n, 0);

    s.options.relative_lambda = false;
    s.options.lambda = 0.25 * ki_mri_toeplitz_bound(s.toeplitz);
    y = solve(&s, begun, &absolute);
    ck_assert_int_eq(memcmp(x, y, s.n * sizeof *x), 0);
    ck_assert(test_same(relative.lambda, absolute.lambda));
    ck_assert_double_eq(relative.lambda, s.options.lambda);
    free(absolute.residuals);
    free(y);

    EXPECT_OK(test_solve(s.toeplitz, right, &s.options, image, image, &third));
    y = test_download_image(image, s.n);
    ck_assert_int_eq(memcmp(x, y, s.n * sizeof *x), 0);
    free(y);
    // Another lambda gives another image.
    s.options.lambda *= 2;
    y = solve(&s, begun, &absolute);
    ck_assert_double_gt(test_distance(x, y, s.n), 1e-3 * test_norm(x, s.n));
    kn_buffer_free(image);
    kn_buffer_free(right);
    free(relative.residuals);
    free(absolute.residuals);
    free(third.residuals);
    free(begun);
    free(x);
    free(y);
    system_free(&s);
}
END_TEST

// Sums of squares are accurate to double precision, also for many numbers: with F^H W F = 0 and lambda = 1
// the residual of small integers is exact, and its norm relative to the right-hand side's only has the
// rounding of the sums.
START_TEST(sums)
{
    if (test_is_slow())
        return;
    static const kn_recon_matrix matrix = {2, {129, 127, 1}};
    struct mri_solver_options options = {.lambda = 1};
    uint64_t state = test_seed("sums");
    struct scan scan = scan_make(&matrix, 1, &state);
    size_t n = scan.voxels;
    double complex *right = test_image(n, &state), *start = test_image(n, &state);
    double rest = 0, goal = 0, bound = 1e-12;
    struct mri_toeplitz *toeplitz;
    struct mri_solver_result result;
    kn_buffer *b, *x;

    scan.weights[0] = 0;
    EXPECT_OK(ki_mri_toeplitz_compute(queue, &matrix, scan.k, 1, scan.weights, MRI_HOST_DOUBLE, &toeplitz,
                                      NULL, &err));
    ck_assert_double_eq(ki_mri_toeplitz_bound(toeplitz), 0);
    for (size_t i = 0; i < n; i++) {
        right[i] = mri_complex((double)(test_random(&state) % 2000), (double)(test_random(&state) % 2000));
        start[i] = mri_complex((double)(test_random(&state) % 2000), (double)(test_random(&state) % 2000));
        goal += creal(right[i] * conj(right[i]));
        rest += creal((right[i] - start[i]) * conj(right[i] - start[i]));
    }
    b = test_upload_image(right, n, 0);
    x = test_upload_image(start, n, 0);
    EXPECT_OK(test_solve(toeplitz, b, &options, x, x, &result));
    ck_assert_double_eq_tol(result.residuals[0], sqrt(rest / goal), bound);
    ck_assert_double_eq_tol(result.residual, sqrt(rest / goal), bound);
    ki_mri_toeplitz_free(toeplitz);
    scan_free(&scan);
    kn_buffer_free(b);
    kn_buffer_free(x);
    free(result.residuals);
    free(right);
    free(start);
}
END_TEST

// A right-hand side times a power of two: the same history, and the image times that power, although squares
// would exceed the range of a float.
START_TEST(scaled)
{
    uint64_t state = test_seed("scaled");
    struct mri_solver_options options = {.iterations = 6, .lambda = 0.1, .relative_lambda = true};
    static const kn_recon_matrix matrix = {2, {2, 3, 1}};
    static const int powers[] = {-80, 80};
    struct system s = system_make(&matrix, 20, &options, &state);
    struct mri_solver_result result, other;
    double complex *x = solve(&s, NULL, &result), *y;

    for (size_t i = 0; i < 2; i++) {
        double factor = ldexp(1, powers[i]), back = ldexp(1, i == 0 ? -powers[0] : -powers[1]);

        for (size_t n = 0; n < s.n; n++)
            s.right[n] *= factor;
        y = solve(&s, NULL, &other);
        ck_assert_uint_eq(other.iterations, result.iterations);
        for (size_t j = 0; j <= result.iterations; j++)
            ck_assert_double_eq_tol(other.residuals[j], result.residuals[j], 1e-6);
        for (size_t n = 0; n < s.n; n++) {
            ck_assert_double_le(cabs(y[n] * back - x[n]), 1e-6 * test_norm(x, s.n));
            s.right[n] *= back;
        }
        free(other.residuals);
        free(y);
    }
    free(result.residuals);
    free(x);
    system_free(&s);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = test_seed("refused");
    const struct mri_solver_options fine = {.iterations = 3, .lambda = 0.1};
    static const kn_recon_matrix matrix = {2, {7, 5, 1}};
    struct system s = system_make(&matrix, 20, &fine, &state);
    kn_buffer *right = test_upload_image(s.right, s.n, 0), *image = test_upload_image(NULL, s.n, 0);
    kn_buffer *small = test_upload_image(NULL, s.n - 1, 0), *spare = test_upload_image(NULL, s.n, 0),
              *nothing;
    struct mri_solver_result result = {.iterations = 77};
    struct mri_solver_options options;
    double complex *x;

#define REFUSED(words, right, start, image, ...)                                                             \
    options = (struct mri_solver_options){__VA_ARGS__};                                                      \
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, words,                                                                 \
                   test_solve(s.toeplitz, right, &options, start, image, &result));                          \
    ck_assert_uint_eq(result.iterations, 77)

    REFUSED("2097152 iterations", right, NULL, image, .iterations = 2 << 20);
    REFUSED("tolerance of -1", right, NULL, image, .tolerance = -1);
    REFUSED("tolerance of nan", right, NULL, image, .tolerance = NAN);
    REFUSED("tolerance of 1", right, NULL, image, .tolerance = 1);
    REFUSED("lambda is -0.5", right, NULL, image, .lambda = -0.5);
    REFUSED("lambda is inf", right, NULL, image, .lambda = INFINITY);
    REFUSED("lambda is 1e+39", right, NULL, image, .lambda = 1e39);
    REFUSED("regularizer 7", right, NULL, image, .regularizer = (kn_recon_regularizer)7);
    REFUSED("boundary 2", right, NULL, image, .boundary = (kn_recon_boundary)2);
    REFUSED("is the right hand side's", right, NULL, right, .iterations = 1);
    REFUSED("the right hand side: 70 elements", small, NULL, image, .iterations = 1);
    REFUSED("the solution: 70 elements", right, NULL, small, .iterations = 1);
    REFUSED("the start: 70 elements", right, small, image, .iterations = 1);
    REFUSED("start is not finite", right, image, image, .iterations = 1);
    REFUSED("right hand side is not finite", image, NULL, spare, .iterations = 1);

    // A right-hand side of 0 gives 0, whatever the start.
    x = calloc(s.n, sizeof *x);
    nothing = test_upload_image(x, s.n, 0);
    options = (struct mri_solver_options){.iterations = 5};
    EXPECT_OK(test_solve(s.toeplitz, nothing, &options, right, image, &result));
    free(x);
    x = test_download_image(image, s.n);
    ck_assert_double_eq(test_norm(x, s.n), 0);
    ck_assert_uint_eq(result.iterations, 0);
    ck_assert(result.converged);
    ck_assert_double_eq(result.residuals[0], 0);
    free(result.residuals);
    free(x);

    // Without samples and lambda, the matrix is 0, and there is no search direction.
    memset(s.scan.weights, 0, 20 * sizeof *s.scan.weights);
    ki_mri_toeplitz_free(s.toeplitz);
    EXPECT_OK(ki_mri_toeplitz_compute(queue, &matrix, s.scan.k, 20, s.scan.weights, MRI_HOST_DOUBLE,
                                      &s.toeplitz, NULL, &err));
    options = (struct mri_solver_options){.iterations = 5};
    EXPECT_OK(test_solve(s.toeplitz, right, &options, NULL, image, &result));
    ck_assert_uint_eq(result.iterations, 0);
    ck_assert(result.stopped && !result.converged);
    free(result.residuals);
    kn_buffer_free(right);
    kn_buffer_free(image);
    kn_buffer_free(small);
    kn_buffer_free(spare);
    kn_buffer_free(nothing);
    system_free(&s);
}
END_TEST

// ---- a real scan ----

// A brain, one spiral of 3,770 samples for 4,096 voxels: 60 iterations from 0 with lambda = 1e-3 of the
// bound, compared with what others computed in double precision from their right-hand side; with the
// differences in double precision, and from the device.
START_TEST(real_image)
{
    enum { VOXELS = 64 * 64 };
    static const kn_recon_matrix matrix = {2, {64, 64, 1}};
    static const enum mri_kernel kernels[] = {MRI_HOST_DOUBLE, MRI_TUNED};
    const struct mri_solver_options options = {.iterations = 60, .lambda = 1e-3, .relative_lambda = true};
    double complex *wanted = test_is_slow() ? NULL : test_real_array("ref_cg", VOXELS), *right, *x;
    struct mri_toeplitz *toeplitz;
    struct mri_solver_result result;
    size_t samples = 0;
    double *k, error;
    kn_buffer *b, *image;

    if (!wanted)
        return;
    right = test_real_array("ref_fhd", VOXELS);
    k = test_real_trajectory(&samples);
    ck_assert(right && k);
    b = test_upload_image(right, VOXELS, 0);
    image = test_upload_image(NULL, VOXELS, 0);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        EXPECT_OK(
            ki_mri_toeplitz_compute(queue, &matrix, k, samples, NULL, kernels[i], &toeplitz, NULL, &err));
        ck_assert_double_eq_tol(1e-3 * ki_mri_toeplitz_bound(toeplitz), 187.307, 1e-3);
        EXPECT_OK(test_solve(toeplitz, b, &options, NULL, image, &result));
        ck_assert_uint_eq(result.iterations, 60);
        x = test_download_image(image, VOXELS);
        error = test_distance(x, wanted, VOXELS) / test_norm(wanted, VOXELS);
        fprintf(stderr, "real_image: %s: relative error %.2g; residual %.3g carried along, %.3g true\n",
                ki_mri_kernel_names[kernels[i]], error, result.residuals[60], result.residual);
        ck_assert_double_le(error, 1e-3);
        ck_assert_double_lt(result.residual, 1e-5);
        ki_mri_toeplitz_free(toeplitz);
        free(result.residuals);
        free(x);
    }
    kn_buffer_free(b);
    kn_buffer_free(image);
    free(right);
    free(wanted);
    free(k);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {dense, history, tolerance, starts,    in_place_and_relative,
                                  sums,  scaled,  refused,   real_image};

    return test_run("mri solver", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
