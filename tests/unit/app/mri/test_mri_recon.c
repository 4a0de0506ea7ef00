// SPDX-License-Identifier: Apache-2.0
// Tests the pipeline from scan to image: each solver and kernel against double precision, coils, weights,
// basis, scale, a start and a stored Q, Parboil's voxels; and incompatible options.
#include "recon_support.h"

START_TEST(adjoints)
{
    struct recon_scan scan = make_scan(1);
    double complex expected[VOXELS];

    adjoint_of(&scan, 0, NULL, NULL, expected);
    for (int kernel = KN_RECON_KERNEL_NAIVE; kernel <= KN_RECON_KERNEL_HOST_SINGLE; kernel++) {
        const kn_recon_solve_options options = make_options(KN_RECON_METHOD_ADJOINT, (kn_recon_kernel)kernel);
        kn_recon_solution *result = run(&scan, &options);

        ck_assert_double_lt(distance(result->image, expected, VOXELS),
                            kernel == KN_RECON_KERNEL_HOST_DOUBLE ? 1e-13 : sum_error);
        ck_assert_int_eq(result->is_double, kernel == KN_RECON_KERNEL_HOST_DOUBLE);
        ck_assert_uint_gt(result->details.checked, 0);
        ck_assert_double_le(result->details.check, result->details.check_bound);
        ck_assert_double_ge(result->details.fhd.seconds, 0);
        ck_assert_double_lt(result->details.q.seconds, 0);
        ck_assert_double_eq(result->details.fhd.rate.pairs, VOXELS * SAMPLES);
        ck_assert_double_gt(result->details.fhd.rate.flops, 0);
        ck_assert_ptr_null(result->coils);
        kn_recon_solution_free(result);
    }
    free_scan(&scan);
}
END_TEST

START_TEST(coils_weights_basis_scale)
{
    struct recon_scan scan = make_scan(COILS);
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
    for (int kernel = KN_RECON_KERNEL_TUNED; kernel <= KN_RECON_KERNEL_HOST_DOUBLE; kernel++) {
        kn_recon_solve_options options = make_options(KN_RECON_METHOD_ADJOINT, (kn_recon_kernel)kernel);
        kn_recon_solution *result;

        scan.given.weights = weights;
        scan.given.basis = (double *)basis;
        options.scale = KN_RECON_SCALE_UNITARY;
        result = run(&scan, &options);
        ck_assert_double_lt(distance(result->image, expected, VOXELS),
                            kernel == KN_RECON_KERNEL_HOST_DOUBLE ? 1e-13 : sum_error);
        ck_assert_double_le(result->details.check, result->details.check_bound);
        kn_recon_solution_free(result);
    }
    free_scan(&scan);
}
END_TEST

START_TEST(least_squares)
{
    struct recon_scan scan = make_scan(2);
    double weights[SAMPLES];
    uint64_t state = 9;

    for (size_t m = 0; m < SAMPLES; m++)
        weights[m] = 0.1 + test_uniform(&state);
    for (int i = 0; i < 6; i++) {
        kn_recon_solve_options options = make_options(
            KN_RECON_METHOD_LEAST_SQUARES, i % 2 ? KN_RECON_KERNEL_TUNED : KN_RECON_KERNEL_HOST_SINGLE);
        kn_recon_solution *result, *expected;

        scan.given.weights = i % 3 ? weights : NULL;
        options.scale = i % 3 == 2 ? KN_RECON_SCALE_UNITARY : KN_RECON_SCALE_NONE;
        options.relative_lambda = i % 3 == 1;
        options.lambda = i % 3 == 1 ? 0.2 : i % 3 == 2 ? 0.3 : 40;
        options.regularizer = i == 5 ? KN_RECON_REGULARIZER_DIFFERENCE : KN_RECON_REGULARIZER_TIKHONOV;
        result = run(&scan, &options);
        expected = double_precision(&scan, &options);
        ck_assert_double_lt(distance(result->image, expected->image, VOXELS), least_squares_error(expected));
        ck_assert_double_eq_tol(result->lambda, expected->lambda, 1e-5 * expected->lambda);
        ck_assert_uint_eq(result->coil_count, 2);
        ck_assert_uint_eq(result->coils[1].iterations, 30);
        ck_assert_str_eq(result->details.q_kernel, kn_recon_kernel_name(options.kernel));
        kn_recon_solution_free(result);
        kn_recon_solution_free(expected);
    }
    free_scan(&scan);
}
END_TEST

// Progress is reported, for least squares in each iteration, and does not decrease; and the work can be
// stopped.
struct told {
    size_t count, most, steps; // steps: numbers above the first
    double last;
};

static bool tell(void *given, double done)
{
    struct told *told = given;

    ck_assert(done >= told->last && done < 1);
    told->steps += done > told->last;
    told->last = done;
    return ++told->count < told->most;
}

START_TEST(progress)
{
    static const kn_recon_kernel kernels[] = {KN_RECON_KERNEL_TUNED, KN_RECON_KERNEL_HOST_SINGLE};
    struct recon_scan scan = make_scan(2);

    for (size_t i = 0; i < 4; i++) {
        kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, kernels[i % 2]);
        struct told told = {.most = SIZE_MAX};
        kn_recon_solution *result;

        options.normal = i < 2 ? KN_RECON_NORMAL_TOEPLITZ : KN_RECON_NORMAL_FORWARD;
        options.progress = tell;
        options.progress_data = &told;
        result = run(&scan, &options);
        ck_assert_uint_ge(told.count, 2 * (1 + 30));
        ck_assert_uint_eq(told.steps, 2 * 30 - 1);
        ck_assert_double_eq_tol(told.last, (1 + 29.0 / 30) / 2, 1e-12);
        kn_recon_solution_free(result);
    }
    free_scan(&scan);
}
END_TEST

START_TEST(interrupted)
{
    struct recon_scan scan = make_scan(2);
    kn_recon_solution *result = NULL;

    for (kn_recon_method method = KN_RECON_METHOD_LEAST_SQUARES; method <= KN_RECON_METHOD_GRIDDING; method++)
        for (size_t most = 1; most <= 2; most++) { // stop at the first call, and at the second
            kn_recon_solve_options options = make_options(method, KN_RECON_KERNEL_AUTO);
            struct told told = {.most = most};

            options.progress = tell;
            options.progress_data = &told;
            EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "stopped",
                           kn_recon_solve(queue, &scan.given, &options, &result, &err));
            ck_assert_ptr_null(result);
            ck_assert_uint_eq(told.count, most);
        }
    free_scan(&scan);
}
END_TEST

// A bound on the error of a coil's image when the iterations end, relative to its norm: ||r|| / lambda, where
// ||F^H d|| is at most (bound + lambda) times the solution's norm.
static double unfinished(const kn_recon_solution *solution, double bound)
{
    double most = 0;

    for (size_t coil = 0; coil < solution->coil_count; coil++)
        most = fmax(most, solution->coils[coil].residual);
    return most * (bound + solution->lambda) / solution->lambda;
}

// By both sums instead of Q, with every kernel: least squares give the same image; and which kernels ran. In
// double precision the difference is only 1e-14 of each sum, times the condition number.
START_TEST(forward_normal)
{
    struct recon_scan scan = make_scan(2);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE);
    kn_recon_solution *expected, *result;

    options.iterations = 60;
    expected = run(&scan, &options);
    options.normal = KN_RECON_NORMAL_FORWARD;
    for (int kernel = KN_RECON_KERNEL_NAIVE; kernel <= KN_RECON_KERNEL_HOST_SINGLE; kernel++) {
        bool on_host = kernel >= KN_RECON_KERNEL_HOST_DOUBLE;
        size_t iterations = on_host ? 60 : 30, forwards;
        double most = kernel == KN_RECON_KERNEL_HOST_DOUBLE ? 1e-11 : 2 * least_squares_error(expected);

        options.kernel = (kn_recon_kernel)kernel;
        options.iterations = iterations;
        forwards = launches_of("mri_forward", &scan, &options, NULL, &result);
        most += unfinished(expected, expected->details.bound) + unfinished(result, expected->details.bound);
        ck_assert_double_lt(most, 1e-3);
        ck_assert_double_lt(distance(result->image, expected->image, VOXELS), most);
        ck_assert_uint_eq(result->coils[1].iterations, iterations);
        // One for each iteration, one for the residual at the end (on the host at the start too), and one for
        // the check.
        ck_assert_uint_eq(forwards, on_host ? 0 : 2 * (iterations + 1) + 1);
        ck_assert_double_eq(result->details.normal.rate.pairs,
                            (double)(2 * 2 * (iterations + 1 + on_host)) * VOXELS * SAMPLES);
        ck_assert_double_gt(result->details.normal.rate.flops, 0);
        ck_assert_double_lt(result->details.q.seconds, 0);
        ck_assert_ptr_null(result->details.q_kernel);
        ck_assert(isnan(result->details.bound));
        kn_recon_solution_free(result);
    }
    ck_assert_double_lt(expected->details.normal.seconds, 0);
    kn_recon_solution_free(expected);
    free_scan(&scan);
}
END_TEST

// With unitary scale x solves (F_u^H F_u + lambda) x = F_u^H d, F_u = F / sqrt(voxels).
START_TEST(unitary_equation)
{
    struct recon_scan scan = make_scan(1);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_HOST_DOUBLE);
    double complex data[SAMPLES], left[VOXELS], right[VOXELS];
    kn_recon_solution *result;

    options.scale = KN_RECON_SCALE_UNITARY;
    options.iterations = 500;
    options.tolerance = 1e-12;
    options.lambda = 0.7;
    result = run(&scan, &options);
    EXPECT_OK(ki_mri_reference_forward(&scan.given.matrix, scan.k, SAMPLES, result->image,
                                       KN_RECON_SCALE_UNITARY, data, &err));
    EXPECT_OK(ki_mri_reference_adjoint(&scan.given.matrix, scan.k, SAMPLES, data, NULL,
                                       KN_RECON_SCALE_UNITARY, left, &err));
    EXPECT_OK(ki_mri_reference_adjoint(&scan.given.matrix, scan.k, SAMPLES, scan.data, NULL,
                                       KN_RECON_SCALE_UNITARY, right, &err));
    for (size_t n = 0; n < VOXELS; n++)
        left[n] += 0.7 * result->image[n];
    ck_assert_double_lt(distance(left, right, VOXELS), 1e-11);
    ck_assert_double_eq_tol(result->lambda, 0.7, 1e-12);
    kn_recon_solution_free(result);
    free_scan(&scan);
}
END_TEST

START_TEST(start_and_kept_q)
{
    struct recon_scan scan = make_scan(1);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_NAIVE);
    kn_recon_extras extras = KN_INIT(kn_recon_extras);
    kn_recon_solution *first, *second = NULL;
    char *folder = test_folder(), path[4200];

    snprintf(path, sizeof path, "%s/q", folder);
    extras.save_q = path;
    first = run_with(&scan, &options, &extras);
    ck_assert(!first->details.q_loaded);
    EXPECT_REFUSED(KN_ERROR_OUTPUT, "already exists",
                   kn_recon_solve_with(queue, &scan.given, &options, &extras, &second, &err));
    // Q records the kernel that made it; the adjoint is computed by the requested one.
    extras.save_q = NULL;
    extras.load_q = path;
    options.kernel = KN_RECON_KERNEL_REGISTER;
    second = run_with(&scan, &options, &extras);
    ck_assert(second->details.q_loaded);
    ck_assert_str_eq(second->details.q_kernel, "naive");
    ck_assert_double_lt(distance(second->image, first->image, VOXELS), least_squares_error(first));
    kn_recon_solution_free(second);
    scan.k[0] += 0.25;
    EXPECT_REFUSED(KN_ERROR_INPUT, "other places in k-space",
                   kn_recon_solve_with(queue, &scan.given, &options, &extras, &second, &err));
    scan.k[0] -= 0.25;
    // From its own solution a run needs no iterations, on the device and on the host.
    options.start = kn_recon_solution_get_image(first);
    options.tolerance = 1e-3;
    for (int i = 0; i < 2; i++) {
        options.kernel = i ? KN_RECON_KERNEL_HOST_DOUBLE : KN_RECON_KERNEL_NAIVE;
        second = run(&scan, &options);
        ck_assert_int_eq(kn_recon_solution_get_coil(second, 0).stopped, KN_SOLVE_STOPPED_TOLERANCE);
        ck_assert_uint_eq(kn_recon_solution_get_coil(second, 0).iterations, 0);
        ck_assert_double_lt(distance(second->image, first->image, VOXELS), 1e-6);
        kn_recon_solution_free(second);
    }
    kn_recon_solution_free(first);
    free_scan(&scan);
    test_remove(folder);
}
END_TEST

// A full Cartesian grid: the unitary adjoint inverts the unitary forward sum, and so do all other methods.
START_TEST(cartesian)
{
    const kn_recon_matrix matrix = {2, {12, 8, 1}};
    double k[3 * 96] = {0};
    double complex image[96], data[96];
    const struct recon_scan scan = {.given = KN_INIT(kn_recon_scan, .matrix = matrix, .samples = 96,
                                                     .coils = 1, .k = k, .data = (double *)data)};
    uint64_t state = test_seed("cartesian");

    for (size_t m = 0; m < 96; m++) {
        k[3 * m] = (double)(m % 12) - 6;
        k[3 * m + 1] = (double)(m / 12) - 4;
        image[m] = mri_complex(test_uniform(&state), test_uniform(&state));
    }
    EXPECT_OK(ki_mri_reference_forward(&matrix, k, 96, image, KN_RECON_SCALE_UNITARY, data, &err));
    for (int method = 0; method <= KN_RECON_METHOD_GRIDDING; method++) {
        kn_recon_solve_options options = make_options((kn_recon_method)method, KN_RECON_KERNEL_TUNED);
        kn_recon_solution *result;

        options.scale = KN_RECON_SCALE_UNITARY;
        options.iterations = 10;
        options.lambda = 0;
        result = run(&scan, &options);
        // Gridding's own error is that of width 6 and oversampling 2 (gridding.h), for data whose energy is
        // spread evenly over the band.
        ck_assert_double_lt(distance(result->image, image, 96),
                            method == KN_RECON_METHOD_GRIDDING ? 1e-4 : 2 * sum_error);
        ck_assert_double_le(result->details.check, result->details.check_bound);
        kn_recon_solution_free(result);
    }
}
END_TEST

START_TEST(voxels_anywhere)
{
    struct recon_scan scan = make_scan(1);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_HOST_DOUBLE);
    double positions[3 * VOXELS], weights[SAMPLES];
    const kn_recon_extras extras =
        KN_INIT(kn_recon_extras, .positions = positions, .beyond = true, .slab = 50);
    double complex ones[SAMPLES], expected[VOXELS];
    uint64_t state = test_seed("positions");

    for (size_t i = 0; i < 3 * VOXELS; i++)
        positions[i] = test_uniform(&state) - 0.5;
    for (size_t m = 0; m < SAMPLES; m++) {
        weights[m] = test_uniform(&state);
        ones[m] = 1;
    }
    scan.given.data = NULL;
    scan.given.weights = weights;
    scan.given.matrix = (kn_recon_matrix){3, {VOXELS, 1, 1}};
    ki_mri_reference_adjoint_at(scan.k, SAMPLES, ones, weights, positions, VOXELS, expected);
    for (int kernel = KN_RECON_KERNEL_NAIVE; kernel <= KN_RECON_KERNEL_HOST_SINGLE; kernel++) {
        kn_recon_solution *result;

        options.kernel = (kn_recon_kernel)kernel;
        result = run_with(&scan, &options, &extras);
        ck_assert_double_lt(distance(result->image, expected, VOXELS),
                            kernel == KN_RECON_KERNEL_HOST_DOUBLE ? 1e-13 : sum_error);
        ck_assert_uint_eq(result->details.checked, 0);
        kn_recon_solution_free(result);
    }
    free_scan(&scan);
}
END_TEST

// Least squares with every kernel, and gridding, compared with host-double's image, and the information about
// each.
START_TEST(every_kernel)
{
    struct recon_scan scan = make_scan(2);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_AUTO);
    kn_recon_solution *wanted = double_precision(&scan, &options), *result;
    kn_recon_quality quality = {0};

    for (int kernel = KN_RECON_KERNEL_AUTO; kernel <= KN_RECON_KERNEL_HOST_SINGLE; kernel++) {
        options.kernel = (kn_recon_kernel)kernel;
        result = run(&scan, &options);
        EXPECT_OK(kn_recon_compare(kn_recon_solution_get_image(result), kn_recon_solution_get_image(wanted),
                                   VOXELS, true, false, &quality, &err));
        ck_assert_double_le(quality.error_percent,
                            kernel == KN_RECON_KERNEL_HOST_DOUBLE ? 0 : 100 * least_squares_error(wanted));
        ck_assert_int_eq(kn_recon_solution_get_kernel(result),
                         kernel == KN_RECON_KERNEL_AUTO ? KN_RECON_KERNEL_TUNED : kernel);
        ck_assert_uint_eq(kn_recon_solution_get_voxels(result), VOXELS);
        ck_assert_uint_eq(kn_recon_solution_get_coils(result), 2);
        ck_assert_uint_eq(kn_recon_solution_get_coil(result, 2).iterations, 0);
        ck_assert_double_gt(kn_recon_solution_get_seconds(result), 0);
        kn_recon_solution_free(result);
    }
    options.method = KN_RECON_METHOD_GRIDDING;
    options.density = KN_RECON_DENSITY_PIPE;
    result = run(&scan, &options);
    ck_assert_double_ge(kn_recon_solution_get_details(result)->gridding.seconds, 0);
    ck_assert_double_ge(kn_recon_solution_get_details(result)->density.seconds, 0);
    ck_assert_uint_eq(kn_recon_solution_get_coils(result), 0);
    kn_recon_solution_free(result);
    kn_recon_solution_free(wanted);
    free_scan(&scan);
}
END_TEST

// ---- in parts ----

// The solution of one coil with Q from these differences, converted to bytes and back.
static kn_recon_solution *solve_coil(const struct recon_scan *scan, size_t coil, const float *differences)
{
    const kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_AUTO);
    const kn_recon_extras extras = KN_INIT(kn_recon_extras, .differences = differences);
    struct recon_scan one = *scan;
    kn_recon_solution *solution, *again = NULL;
    size_t size = 0;
    char *bytes;

    one.given.coils = 1;
    one.given.data += 2 * coil * SAMPLES;
    solution = run_with(&one, &options, &extras);
    EXPECT_OK(kn_recon_solution_pack(solution, NULL, 0, &size, &err));
    bytes = malloc(size);
    ck_assert_ptr_nonnull(bytes);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "room for",
                   kn_recon_solution_pack(solution, bytes, size - 1, &size, &err));
    EXPECT_OK(kn_recon_solution_pack(solution, bytes, size, &size, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "are no solution",
                   kn_recon_solution_unpack(bytes, size - 1, &again, &err));
    EXPECT_OK(kn_recon_solution_unpack(bytes, size, &again, &err));
    ck_assert_mem_eq(again->image, solution->image, VOXELS * sizeof *again->image);
    ck_assert_mem_eq(again->coils->residuals, solution->coils->residuals,
                     (solution->coils->iterations + 1) * sizeof(double));
    ck_assert_str_eq(again->details.q_kernel, solution->details.q_kernel);
    free(bytes);
    kn_recon_solution_free(solution);
    return again;
}

// Q in two parts, and each coil separately, give the same solution as all at once.
START_TEST(in_parts)
{
    struct recon_scan scan = make_scan(2);
    const kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_AUTO);
    kn_recon_solution *whole = run(&scan, &options), *coils[2], *joined = NULL;
    kn_recon_stage stage, q = {.seconds = 1, .rate.pairs = 5};
    size_t count = 0, plane = 0, first;
    float *values;

    EXPECT_OK(kn_recon_measure_differences(&scan.given.matrix, &count, &plane, &err));
    ck_assert_uint_eq(plane, 2 * 13);
    first = count / plane / 2 * plane;
    values = malloc(2 * count * sizeof *values);
    ck_assert_ptr_nonnull(values);
    EXPECT_OK(kn_recon_compute_differences(queue, &scan.given, &options, NULL, first, count - first,
                                           values + 2 * first, &stage, &err));
    ck_assert_double_eq(stage.rate.pairs, (double)SAMPLES * (double)(count - first));
    EXPECT_OK(kn_recon_compute_differences(queue, &scan.given, &options, NULL, 0, first, values, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "there are",
        kn_recon_compute_differences(queue, &scan.given, &options, NULL, first, count, values, NULL, &err));
    for (size_t coil = 0; coil < 2; coil++)
        coils[coil] = solve_coil(&scan, coil, values);
    EXPECT_OK(kn_recon_solution_join((const kn_recon_solution *const *)coils, 2, &q, &joined, &err));
    ck_assert_double_lt(distance(joined->image, whole->image, VOXELS), least_squares_error(whole));
    ck_assert_uint_eq(joined->coil_count, 2);
    ck_assert_double_eq(joined->details.fhd.rate.pairs, whole->details.fhd.rate.pairs);
    ck_assert_double_eq(joined->details.q.rate.pairs, 5);
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "coil 0 is not of one coil",
        kn_recon_solution_join((const kn_recon_solution *const *)&joined, 1, NULL, &coils[0], &err));
    for (size_t coil = 0; coil < 2; coil++)
        kn_recon_solution_free(coils[coil]);
    kn_recon_solution_free(joined);
    kn_recon_solution_free(whole);
    free(values);
    free_scan(&scan);
}
END_TEST

// ---- what is refused ----

static void refuse(const kn_recon_scan *scan, const kn_recon_solve_options *options,
                   const kn_recon_extras *extras, kn_queue *on, kn_status status, const char *words)
{
    kn_recon_solution *result = NULL;

    EXPECT_REFUSED(status, words, kn_recon_solve_with(on, scan, options, extras, &result, &err));
    ck_assert_ptr_null(result);
    if (extras)
        return;
    EXPECT_REFUSED(status, words, kn_recon_solve(on, scan, options, &result, &err));
    EXPECT_REFUSED(status, "kn_recon_solve", kn_recon_solve(on, scan, options, &result, &err));
    ck_assert_ptr_null(result);
}

START_TEST(refused_together)
{
    struct recon_scan scan = make_scan(1);
    const kn_recon_solve_options ls = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED),
                                 adjoint = make_options(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_TUNED);
    const kn_recon_extras q = KN_INIT(kn_recon_extras, .load_q = "q"),
                          anywhere = KN_INIT(kn_recon_extras, .positions = scan.k);
    kn_recon_solve_options options = adjoint;
    kn_recon_scan given = scan.given;

    refuse(&given, &options, NULL, NULL, KN_ERROR_UNSUPPORTED, "the kernel runs on a device; give a queue");
    options.method = KN_RECON_METHOD_GRIDDING;
    refuse(&given, &options, NULL, NULL, KN_ERROR_UNSUPPORTED, "gridding runs on a device");
    options.start = scan.k;
    refuse(&given, &options, NULL, queue, KN_ERROR_ARGUMENT,
           "a start is only for least squares, not with gri");
    options.start = NULL;
    given.basis = scan.k;
    refuse(&given, &options, NULL, queue, KN_ERROR_UNSUPPORTED, "gridding has no basis");
    given.basis = NULL;
    options = adjoint;
    options.kernel = KN_RECON_KERNEL_HOST_DOUBLE;
    options.density = KN_RECON_DENSITY_PIPE;
    refuse(&given, &options, NULL, NULL, KN_ERROR_UNSUPPORTED, "density compensation by pipe runs on a dev");
    refuse(&given, &adjoint, &q, queue, KN_ERROR_ARGUMENT,
           "a file of Q, or its differences, is only for least squares on a device");
    refuse(&given, &ls, &anywhere, queue, KN_ERROR_ARGUMENT,
           "positions are only for the adjoint, not with ls");
    options = ls;
    options.kernel = KN_RECON_KERNEL_HOST_DOUBLE;
    refuse(&given, &options, &q, queue, KN_ERROR_ARGUMENT, "a file of Q, or its differences, is only for");
    options = ls;
    options.normal = KN_RECON_NORMAL_FORWARD;
    refuse(&given, &options, &q, queue, KN_ERROR_ARGUMENT, "a file of Q, or its differences, is only for");
    options.relative_lambda = true;
    refuse(&given, &options, NULL, queue, KN_ERROR_ARGUMENT, "give lambda in absolute terms");
    given.data = NULL;
    refuse(&given, &ls, NULL, queue, KN_ERROR_ARGUMENT, "data is NULL; without data there is the adjoint");
    free_scan(&scan);
}
END_TEST

START_TEST(refused_options)
{
    struct recon_scan scan = make_scan(1);
    kn_recon_solve_memory memory = {0};
    kn_recon_solution *result = NULL;

#define REFUSED(words, field, value, method)                                                                 \
    do {                                                                                                     \
        kn_recon_solve_options options = make_options(method, KN_RECON_KERNEL_AUTO);                         \
        options.field = value;                                                                               \
        refuse(&scan.given, &options, NULL, queue, KN_ERROR_ARGUMENT, words);                                \
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, words,                                                             \
                       kn_recon_solve_measure(queue, &scan.given, &options, &memory, &err));                 \
    } while (0)
    REFUSED("make it with KN_INIT", struct_size, 0, KN_RECON_METHOD_ADJOINT);
    REFUSED("there is no method 3", method, (kn_recon_method)3, KN_RECON_METHOD_ADJOINT);
    REFUSED("there is no scale 2", scale, (kn_recon_scale)2, KN_RECON_METHOD_ADJOINT);
    REFUSED("there is no density compensation 3", density, (kn_recon_density)3, KN_RECON_METHOD_ADJOINT);
    REFUSED("there is no kernel 10", kernel, (kn_recon_kernel)10, KN_RECON_METHOD_ADJOINT);
    REFUSED("there is no method of the normal operator 2", normal, (kn_recon_normal_method)2,
            KN_RECON_METHOD_LEAST_SQUARES);
    REFUSED("there is no regularizer 9", regularizer, (kn_recon_regularizer)9, KN_RECON_METHOD_LEAST_SQUARES);
    REFUSED("there is no boundary 2", boundary, (kn_recon_boundary)2, KN_RECON_METHOD_LEAST_SQUARES);
    REFUSED("a tolerance of 1", tolerance, 1, KN_RECON_METHOD_LEAST_SQUARES);
    REFUSED("a tolerance of nan", tolerance, NAN, KN_RECON_METHOD_LEAST_SQUARES);
    REFUSED("lambda is -1", lambda, -1, KN_RECON_METHOD_LEAST_SQUARES);
    REFUSED("an oversampling of 1.2", oversampling, 1.2, KN_RECON_METHOD_GRIDDING);
    REFUSED("a window 9 cells wide", width, 9, KN_RECON_METHOD_GRIDDING);
#undef REFUSED
    const kn_recon_solve_options options = make_options(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_AUTO);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "options is NULL",
                   kn_recon_solve(queue, &scan.given, NULL, &result, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "solution is NULL",
                   kn_recon_solve(queue, &scan.given, &options, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "memory is NULL",
                   kn_recon_solve_measure(queue, &scan.given, &options, NULL, &err));
    free_scan(&scan);
}
END_TEST

START_TEST(refused_scans)
{
    struct recon_scan scan = make_scan(1);
    const kn_recon_solve_options options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_AUTO);
    double numbers[2 * SAMPLES] = {[7] = -1};
    kn_recon_quality quality = {0};

#define REFUSED(status, words, field, ...)                                                                   \
    do {                                                                                                     \
        kn_recon_scan given = scan.given;                                                                    \
        given.field = __VA_ARGS__;                                                                           \
        refuse(&given, &options, NULL, queue, status, words);                                                \
    } while (0)
    refuse(NULL, &options, NULL, queue, KN_ERROR_ARGUMENT, "scan is NULL");
    REFUSED(KN_ERROR_ARGUMENT, "make it with KN_INIT", struct_size, 0);
    REFUSED(KN_ERROR_ARGUMENT, "a matrix of 1 axes", matrix.axes, 1);
    REFUSED(KN_ERROR_ARGUMENT, "there are no samples", samples, 0);
    REFUSED(KN_ERROR_ARGUMENT, "there are no coils", coils, 0);
    REFUSED(KN_ERROR_LIMIT, "address space holds", coils, SIZE_MAX / 100);
    REFUSED(KN_ERROR_ARGUMENT, "k is NULL", k, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "sample 7: a weight of -1", weights, numbers);
    numbers[7] = NAN;
    REFUSED(KN_ERROR_ARGUMENT, "sample 3: a basis of nan", basis, numbers);
    scan.k[3] = 8;
    refuse(&scan.given, &options, NULL, queue, KN_ERROR_ARGUMENT, "but a matrix of 13 resolves 6.5");
    scan.k[3] = NAN;
    refuse(&scan.given, &options, &KN_INIT(kn_recon_extras, .beyond = true), queue, KN_ERROR_ARGUMENT,
           "sample 1: kx is nan");
    scan.k[3] = 0;
    scan.data[5] = NAN;
    refuse(&scan.given, &options, NULL, queue, KN_ERROR_ARGUMENT, "");
    // More memory than there is: refused before any is allocated.
    REFUSED(KN_ERROR_MEMORY, "need about ", matrix, (kn_recon_matrix){3, {100000, 100000, 100000}});
#undef REFUSED
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no voxels",
                   kn_recon_compare(numbers, numbers, 0, false, false, &quality, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_recon_compare",
                   kn_recon_compare(NULL, numbers, 5, false, false, &quality, &err));
    free_scan(&scan);
}
END_TEST

// Without a solution there is no information.
START_TEST(nothing)
{
    kn_recon_solution_free(NULL);
    ck_assert_ptr_null(kn_recon_solution_get_image(NULL));
    ck_assert_ptr_null(kn_recon_solution_get_details(NULL));
    ck_assert_uint_eq(kn_recon_solution_get_voxels(NULL), 0);
    ck_assert_uint_eq(kn_recon_solution_get_coils(NULL), 0);
    ck_assert_uint_eq(kn_recon_solution_get_coil(NULL, 0).iterations, 0);
    ck_assert_int_eq(kn_recon_solution_get_kernel(NULL), KN_RECON_KERNEL_AUTO);
    ck_assert(!kn_recon_solution_get_is_double(NULL));
    ck_assert_double_eq(kn_recon_solution_get_seconds(NULL), 0);
    ck_assert_double_eq(kn_recon_solution_get_lambda(NULL), 0);
    ck_assert_double_eq(kn_recon_solve_get_terms(NULL, NULL).q, 0);
    ck_assert(!kn_recon_trajectory_guess_matrix(NULL, NULL));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {adjoints,         coils_weights_basis_scale,
                                  least_squares,    forward_normal,
                                  progress,         interrupted,
                                  unitary_equation, cartesian,
                                  voxels_anywhere,  start_and_kept_q,
                                  every_kernel,     in_parts,
                                  refused_together, refused_options,
                                  refused_scans,    nothing};

    return test_run("mri recon", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
