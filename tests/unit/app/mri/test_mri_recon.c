// SPDX-License-Identifier: Apache-2.0
// The pipeline from scan to image: each solver and kernel against double precision, coils, weights, basis,
// scale, a start and a kept Q, Parboil's voxels; what does not go together.
#include "recon_support.h"

START_TEST(adjoints)
{
    struct mri_scan scan = make_scan(1);
    double complex expected[VOXELS];

    adjoint_of(&scan, 0, NULL, NULL, expected);
    for (int kernel = 0; kernel < MRI_KERNELS; kernel++) {
        const struct mri_recon_options options = make_options(MRI_ADJOINT, (enum mri_kernel)kernel);
        struct mri_recon_result result = run(&scan, &options);

        ck_assert_double_lt(distance(result.image, expected, VOXELS),
                            kernel == MRI_HOST_DOUBLE ? 1e-13 : sum_error);
        ck_assert_int_eq(result.is_double, kernel == MRI_HOST_DOUBLE);
        ck_assert_uint_gt(result.checked, 0);
        ck_assert_double_le(result.check, result.check_bound);
        ck_assert_double_ge(result.fhd.seconds, 0);
        ck_assert_double_lt(result.q.seconds, 0);
        ck_assert_double_eq(result.fhd.rate.pairs, VOXELS * SAMPLES);
        ck_assert_double_gt(ki_mri_stage_gflops(&result.fhd), 0);
        ck_assert_ptr_null(result.coils);
        ki_mri_recon_free(&result);
    }
    ki_mri_scan_free(&scan);
}
END_TEST

START_TEST(coils_weights_basis_scale)
{
    struct mri_scan scan = make_scan(COILS);
    double weights[SAMPLES];
    double complex basis[SAMPLES], coil_image[VOXELS], expected[VOXELS];
    uint64_t state = 5;

    for (size_t m = 0; m < SAMPLES; m++) {
        weights[m] = test_uniform(&state);
        basis[m] = mri_complex(test_uniform(&state), test_uniform(&state));
    }
    for (size_t n = 0; n < VOXELS; n++)
        expected[n] = 0;
    for (size_t coil = 0; coil < COILS; coil++) {
        adjoint_of(&scan, coil, weights, basis, coil_image);
        for (size_t n = 0; n < VOXELS; n++)
            expected[n] += cabs(coil_image[n]) * cabs(coil_image[n]) / VOXELS;
    }
    for (size_t n = 0; n < VOXELS; n++)
        expected[n] = sqrt(creal(expected[n]));
    for (int kernel = MRI_TUNED; kernel <= MRI_HOST_DOUBLE; kernel++) {
        struct mri_recon_options options = make_options(MRI_ADJOINT, (enum mri_kernel)kernel);
        struct mri_recon_result result;

        options.weights = weights;
        options.basis = basis;
        options.scale = MRI_SCALE_UNITARY;
        result = run(&scan, &options);
        ck_assert_double_lt(distance(result.image, expected, VOXELS),
                            kernel == MRI_HOST_DOUBLE ? 1e-13 : sum_error);
        ck_assert_double_le(result.check, result.check_bound);
        ki_mri_recon_free(&result);
    }
    ki_mri_scan_free(&scan);
}
END_TEST

START_TEST(least_squares)
{
    struct mri_scan scan = make_scan(2);
    double weights[SAMPLES];
    uint64_t state = 9;

    for (size_t m = 0; m < SAMPLES; m++)
        weights[m] = 0.1 + test_uniform(&state);
    for (int i = 0; i < 6; i++) {
        struct mri_recon_options options = make_options(MRI_LS, i % 2 ? MRI_TUNED : MRI_HOST_SINGLE);
        struct mri_recon_result result, expected;

        options.weights = i % 3 ? weights : NULL;
        options.scale = i % 3 == 2 ? MRI_SCALE_UNITARY : MRI_SCALE_NONE;
        options.ls.relative_lambda = i % 3 == 1;
        options.ls.lambda = i % 3 == 1 ? 0.2 : i % 3 == 2 ? 0.3 : 40;
        options.ls.regularizer = i == 5 ? MRI_DIFFERENCE : MRI_TIKHONOV;
        result = run(&scan, &options);
        expected = double_precision(&scan, &options);
        ck_assert_double_lt(distance(result.image, expected.image, VOXELS), least_squares_error(&expected));
        ck_assert_double_eq_tol(result.lambda, expected.lambda, 1e-5 * expected.lambda);
        ck_assert_uint_eq(result.coil_count, 2);
        ck_assert_uint_eq(result.coils[1].iterations, 30);
        ck_assert_str_eq(result.q_kernel, ki_mri_kernel_names[options.kernel]);
        ki_mri_recon_free(&result);
        ki_mri_recon_free(&expected);
    }
    ki_mri_scan_free(&scan);
}
END_TEST

// How much is done is told, of least squares in each iteration, and does not shrink.
struct told {
    size_t count;
    double last;
};

static void tell(void *given, double done)
{
    struct told *told = given;

    ck_assert(done >= told->last && done < 1);
    told->last = done;
    told->count++;
}

START_TEST(progress)
{
    static const enum mri_kernel kernels[] = {MRI_TUNED, MRI_HOST_SINGLE};
    struct mri_scan scan = make_scan(2);

    for (size_t i = 0; i < 4; i++) {
        struct mri_recon_options options = make_options(MRI_LS, kernels[i % 2]);
        struct told told = {0};
        struct mri_recon_result result;

        options.normal = i < 2 ? KN_RECON_NORMAL_TOEPLITZ : KN_RECON_NORMAL_FORWARD;
        options.progress = tell;
        options.context = &told;
        result = run(&scan, &options);
        ck_assert_uint_eq(told.count, 2 * (1 + 30));
        ck_assert_double_eq_tol(told.last, (1 + 29.0 / 30) / 2, 1e-12);
        ki_mri_recon_free(&result);
    }
    ki_mri_scan_free(&scan);
}
END_TEST

// What is left to do for a coil's image when the iterations end, of its norm at most: ||r|| / lambda, where
// ||F^H d|| is at most (bound + lambda) times the solution's norm.
static double unfinished(const struct mri_recon_result *result, double bound)
{
    double most = 0;

    for (size_t coil = 0; coil < result->coil_count; coil++)
        most = fmax(most, result->coils[coil].residual);
    return most * (bound + result->lambda) / result->lambda;
}

// By both sums instead of Q, with every kernel: the image of least squares again; and what ran. In double
// precision nothing but 1e-14 of each sum is between them, times the condition.
START_TEST(forward_normal)
{
    struct mri_scan scan = make_scan(2);
    struct mri_recon_options options = make_options(MRI_LS, MRI_HOST_DOUBLE);
    struct mri_recon_result expected, result;

    options.ls.iterations = 60;
    expected = run(&scan, &options);
    options.normal = KN_RECON_NORMAL_FORWARD;
    for (int kernel = 0; kernel < MRI_KERNELS; kernel++) {
        bool on_host = ki_mri_kernel_is_host((enum mri_kernel)kernel);
        size_t iterations = on_host ? 60 : 30, forwards;
        double most = kernel == MRI_HOST_DOUBLE ? 1e-11 : 2 * least_squares_error(&expected);

        options.kernel = (enum mri_kernel)kernel;
        options.ls.iterations = iterations;
        forwards = launches_of("mri_forward", &scan, &options, &result);
        most += unfinished(&expected, expected.bound) + unfinished(&result, expected.bound);
        ck_assert_double_lt(most, 1e-3);
        ck_assert_double_lt(distance(result.image, expected.image, VOXELS), most);
        ck_assert_uint_eq(result.coils[1].iterations, iterations);
        // An iteration each, the residual at the end (on the host at the start too), and one for the check.
        ck_assert_uint_eq(forwards, on_host ? 0 : 2 * (iterations + 1) + 1);
        ck_assert_double_eq(result.normal.rate.pairs,
                            (double)(2 * 2 * (iterations + 1 + on_host)) * VOXELS * SAMPLES);
        ck_assert_double_gt(ki_mri_stage_gflops(&result.normal), 0);
        ck_assert_double_lt(result.q.seconds, 0);
        ck_assert_ptr_null(result.q_kernel);
        ck_assert(isnan(result.bound));
        ki_mri_recon_free(&result);
    }
    ck_assert_double_lt(expected.normal.seconds, 0);
    ki_mri_recon_free(&expected);
    ki_mri_scan_free(&scan);
}
END_TEST

// With unitary scale x solves (F_u^H F_u + lambda) x = F_u^H d, F_u = F / sqrt(voxels).
START_TEST(unitary_equation)
{
    struct mri_scan scan = make_scan(1);
    struct mri_recon_options options = make_options(MRI_LS, MRI_HOST_DOUBLE);
    double complex data[SAMPLES], left[VOXELS], right[VOXELS];
    struct mri_recon_result result;

    options.scale = MRI_SCALE_UNITARY;
    options.ls = (struct mri_solver_options){.iterations = 500, .tolerance = 1e-12, .lambda = 0.7};
    result = run(&scan, &options);
    EXPECT_OK(
        ki_mri_reference_forward(&scan.matrix, scan.k, SAMPLES, result.image, MRI_SCALE_UNITARY, data, &err));
    EXPECT_OK(
        ki_mri_reference_adjoint(&scan.matrix, scan.k, SAMPLES, data, NULL, MRI_SCALE_UNITARY, left, &err));
    EXPECT_OK(ki_mri_reference_adjoint(&scan.matrix, scan.k, SAMPLES, scan.data, NULL, MRI_SCALE_UNITARY,
                                       right, &err));
    for (size_t n = 0; n < VOXELS; n++)
        left[n] += 0.7 * result.image[n];
    ck_assert_double_lt(distance(left, right, VOXELS), 1e-11);
    ck_assert_double_eq_tol(result.lambda, 0.7, 1e-12);
    ki_mri_recon_free(&result);
    ki_mri_scan_free(&scan);
}
END_TEST

START_TEST(start_and_kept_q)
{
    struct mri_scan scan = make_scan(1);
    struct mri_recon_options options = make_options(MRI_LS, MRI_NAIVE);
    struct mri_recon_result first, second;
    char *folder = test_folder(), path[4200];

    snprintf(path, sizeof path, "%s/q", folder);
    options.save_q = path;
    first = run(&scan, &options);
    ck_assert(!first.q_loaded);
    EXPECT_REFUSED(KN_ERROR_OUTPUT, "already there", ki_mri_recon(queue, &scan, &options, &second, &err));
    ki_mri_recon_free(&second);
    // Q says which kernel it came from; the adjoint is by the one that is asked for.
    options.save_q = NULL;
    options.load_q = path;
    options.kernel = MRI_REGISTER;
    second = run(&scan, &options);
    ck_assert(second.q_loaded);
    ck_assert_str_eq(second.q_kernel, "naive");
    ck_assert_double_lt(distance(second.image, first.image, VOXELS), least_squares_error(&first));
    ki_mri_recon_free(&second);
    scan.k[0] += 0.25;
    EXPECT_REFUSED(KN_ERROR_INPUT, "other places in k-space",
                   ki_mri_recon(queue, &scan, &options, &second, &err));
    ki_mri_recon_free(&second);
    scan.k[0] -= 0.25;
    // From the solution one needs no iterations, on the device and on the host.
    options.load_q = NULL;
    options.start = first.image;
    options.ls.tolerance = 1e-3;
    for (int i = 0; i < 2; i++) {
        options.kernel = i ? MRI_HOST_DOUBLE : MRI_NAIVE;
        second = run(&scan, &options);
        ck_assert(second.coils[0].converged);
        ck_assert_uint_eq(second.coils[0].iterations, 0);
        ck_assert_double_lt(distance(second.image, first.image, VOXELS), 1e-6);
        ki_mri_recon_free(&second);
    }
    ki_mri_recon_free(&first);
    ki_mri_scan_free(&scan);
    test_remove(folder);
}
END_TEST

// A full Cartesian grid: the unitary adjoint inverts the unitary forward sum, and so does everything else.
START_TEST(cartesian)
{
    kn_recon_matrix matrix = {2, {12, 8, 1}};
    struct mri_scan scan = {.matrix = matrix, .samples = 96, .coils = 1, .voxels = 96};
    double complex image[96];
    uint64_t state = test_seed("cartesian");

    scan.k = calloc(96, 3 * sizeof *scan.k);
    scan.data = calloc(96, sizeof *scan.data);
    ck_assert(scan.k && scan.data);
    for (size_t m = 0; m < 96; m++) {
        scan.k[3 * m] = (double)(m % 12) - 6;
        scan.k[3 * m + 1] = (double)(m / 12) - 4;
        image[m] = mri_complex(test_uniform(&state), test_uniform(&state));
    }
    scan.range = kn_recon_trajectory_get_range(scan.k, 96);
    EXPECT_OK(ki_mri_reference_forward(&matrix, scan.k, 96, image, MRI_SCALE_UNITARY, scan.data, &err));
    for (int solver = 0; solver < MRI_RECON_SOLVERS; solver++) {
        struct mri_recon_options options = make_options((enum mri_recon_solver)solver, MRI_TUNED);
        struct mri_recon_result result;

        options.scale = MRI_SCALE_UNITARY;
        options.ls = (struct mri_solver_options){.iterations = 10};
        result = run(&scan, &options);
        // Gridding's own error is that of width 6 and oversampling 2 (gridding.h), of data with all their
        // energy as likely at the edge of the band as elsewhere.
        ck_assert_double_lt(distance(result.image, image, 96), solver == MRI_GRIDDING ? 1e-4 : 2 * sum_error);
        ck_assert_double_le(result.check, result.check_bound);
        ki_mri_recon_free(&result);
    }
    ki_mri_scan_free(&scan);
}
END_TEST

START_TEST(voxels_anywhere)
{
    struct mri_scan scan = make_scan(1);
    struct mri_recon_options options = make_options(MRI_ADJOINT, MRI_HOST_DOUBLE);
    double positions[3 * VOXELS], weights[SAMPLES];
    double complex ones[SAMPLES], expected[VOXELS];
    uint64_t state = test_seed("positions");

    for (size_t i = 0; i < 3 * VOXELS; i++)
        positions[i] = test_uniform(&state) - 0.5;
    for (size_t m = 0; m < SAMPLES; m++) {
        weights[m] = test_uniform(&state);
        ones[m] = 1;
    }
    free(scan.data);
    scan.data = NULL;
    scan.format = MRI_SCAN_PARBOIL;
    scan.matrix = (kn_recon_matrix){3, {VOXELS, 1, 1}};
    scan.positions = positions;
    scan.weights = weights;
    ki_mri_reference_adjoint_at(scan.k, SAMPLES, ones, weights, positions, VOXELS, expected);
    for (int kernel = 0; kernel < MRI_KERNELS; kernel++) {
        struct mri_recon_result result;

        options.kernel = (enum mri_kernel)kernel;
        options.slab = 50;
        result = run(&scan, &options);
        ck_assert_double_lt(distance(result.image, expected, VOXELS),
                            kernel == MRI_HOST_DOUBLE ? 1e-13 : sum_error);
        ck_assert_uint_eq(result.checked, 0);
        ki_mri_recon_free(&result);
    }
    scan.positions = scan.weights = NULL;
    ki_mri_scan_free(&scan);
}
END_TEST

START_TEST(variants)
{
    struct mri_scan scan = make_scan(2);
    struct mri_recon_options options = make_options(MRI_LS, MRI_TUNED);
    struct mri_variants all;

    EXPECT_OK(ki_mri_variants_run(queue, &scan, &options, NULL, &all, &err));
    ck_assert_uint_eq(all.count, MRI_VARIANTS);
    ck_assert_str_eq(all.items[0].name, "host-double");
    ck_assert_double_eq(all.items[0].quality.error_percent, 0);
    ck_assert_double_eq(all.items[0].ratio, 1);
    for (size_t i = 1; i < MRI_KERNELS; i++) {
        ck_assert_double_lt(all.items[i].quality.error_percent,
                            100 * least_squares_error(&all.items[0].result));
        ck_assert_ptr_eq(ki_mri_variant_of(&all, all.items[i].options.kernel), &all.items[i]);
        ck_assert_double_gt(all.items[i].seconds, 0);
    }
    ck_assert_int_eq(all.items[MRI_KERNELS].options.density, KN_RECON_DENSITY_PIPE);
    ck_assert_double_ge(all.items[MRI_KERNELS].result.gridding.seconds, 0);
    ki_mri_variants_free(&all);
    options.normal = KN_RECON_NORMAL_FORWARD;
    EXPECT_OK(ki_mri_variants_run(NULL, &scan, &options, NULL, &all, &err));
    ck_assert_uint_eq(all.count, 2);
    ck_assert_double_gt(all.items[1].result.normal.seconds, 0);
    ck_assert_double_le(all.items[1].result.normal.seconds, all.items[1].result.solver.seconds);
    ki_mri_variants_free(&all);
    ki_mri_scan_free(&scan);
}
END_TEST

static void refuse(const struct mri_scan *scan, const struct mri_recon_options *options, kn_queue *on,
                   kn_status status, const char *words)
{
    struct mri_recon_result result;

    EXPECT_REFUSED(status, words, ki_mri_recon(on, scan, options, &result, &err));
    ki_mri_recon_free(&result);
}

START_TEST(refused)
{
    struct mri_scan scan = make_scan(1);
    struct mri_recon_options options = make_options(MRI_ADJOINT, MRI_TUNED);

    refuse(&scan, &options, NULL, KN_ERROR_UNSUPPORTED, "--kernel tuned runs on a device");
    options.solver = MRI_GRIDDING;
    refuse(&scan, &options, NULL, KN_ERROR_UNSUPPORTED, "--solver gridding runs on a device");
    options = make_options(MRI_ADJOINT, MRI_HOST_DOUBLE);
    options.density = KN_RECON_DENSITY_PIPE;
    refuse(&scan, &options, NULL, KN_ERROR_UNSUPPORTED, "--density pipe runs on a device");
    options.density = KN_RECON_DENSITY_NONE;
    options.start = scan.data;
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "--warm-start goes with --solver ls");
    options.start = NULL;
    options.load_q = "q";
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "--load-q: only --solver ls has a Q");
    options.solver = MRI_LS;
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "the kernel host-double has none");
    options.kernel = MRI_TUNED;
    options.normal = KN_RECON_NORMAL_FORWARD;
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "--load-q: --normal forward has no Q");
    options.load_q = NULL;
    options.ls.relative_lambda = true;
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "--normal forward has no Q; give --lambda alone");
    options.solver = MRI_GRIDDING;
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "--normal forward goes with --solver ls");
    options = make_options(MRI_LS, MRI_HOST_DOUBLE);
    scan.format = MRI_SCAN_PARBOIL;
    refuse(&scan, &options, queue, KN_ERROR_ARGUMENT, "its Q is --solver adjoint");
    scan.format = MRI_SCAN_ARRAY;
    // More than there is: seen before any memory is taken.
    scan.matrix = (kn_recon_matrix){3, {100000, 100000, 100000}};
    scan.voxels = (size_t)1000000000000000;
    refuse(&scan, &options, NULL, KN_ERROR_MEMORY, "take a smaller --matrix");
    options = make_options(MRI_LS, MRI_TUNED);
    refuse(&scan, &options, queue, KN_ERROR_MEMORY, "");
    ki_mri_scan_free(&scan);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        adjoints,  coils_weights_basis_scale, least_squares,    forward_normal, progress, unitary_equation,
        cartesian, voxels_anywhere,           start_and_kept_q, variants,       refused};

    return test_run("mri recon", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
