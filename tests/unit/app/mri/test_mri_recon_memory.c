// SPDX-License-Identifier: Apache-2.0
// Tests reconstructions in parts: slabs of voxels and chunks of samples against the whole, and what does not
// fit.
#include "recon_support.h"

// Slabs of any size give the same voxels as the whole image at once, up to the rounding of differently split
// sums.
START_TEST(slabs)
{
    static const size_t sizes[] = {1, 2, 7, 31, 64, VOXELS - 1, VOXELS, VOXELS + 1};
    struct recon_scan scan = make_scan(COILS);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_ADJOINT, KN_RECON_KERNEL_REGISTER);
    kn_recon_extras extras = KN_INIT(kn_recon_extras);
    kn_recon_solution *whole = run(&scan, &options);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kn_recon_solution *result;

        if (test_is_slow() && sizes[i] < 7)
            continue;
        extras.slab = sizes[i];
        result = run_with(&scan, &options, &extras);
        ck_assert_double_lt(distance(result->image, whole->image, VOXELS), sum_error);
        ck_assert_double_eq(result->details.fhd.rate.pairs, COILS * VOXELS * SAMPLES);
        kn_recon_solution_free(result);
    }
    kn_recon_solution_free(whole);
    free_scan(&scan);
}
END_TEST

// Chunks of any size give the same result as gridding all samples at once. The error of single precision is
// 3e-7 of each chunk's image (gridding.h), and for C chunks of such samples together sqrt(C) times that of
// the whole.
START_TEST(chunks)
{
    static const size_t sizes[] = {31, SAMPLES - 1, SAMPLES + 1};
    struct recon_scan scan = make_scan(2);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_GRIDDING, KN_RECON_KERNEL_TUNED);
    kn_recon_extras extras = KN_INIT(kn_recon_extras);
    kn_recon_solution *whole = run(&scan, &options);
    double weights[SAMPLES];

    for (size_t m = 0; m < SAMPLES; m++)
        weights[m] = 1;
    scan.given.weights = weights;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        kn_recon_solution *result;
        size_t wanted = (SAMPLES + sizes[i] - 1) / sizes[i];

        extras.chunk = sizes[i];
        ck_assert_uint_eq(launches_of("mri_spread", &scan, &options, &extras, &result),
                          2 * wanted + 1); // and one for the check
        ck_assert_double_lt(distance(result->image, whole->image, VOXELS), 3e-7 * (1 + sqrt((double)wanted)));
        kn_recon_solution_free(result);
    }
    kn_recon_solution_free(whole);
    free_scan(&scan);
}
END_TEST

// A device that reports little memory: samples are processed in chunks, and the answer is the same.
START_TEST(little_memory)
{
    struct recon_scan scan = make_scan(2);
    kn_recon_solve_options options = make_options(KN_RECON_METHOD_GRIDDING, KN_RECON_KERNEL_TUNED);
    kn_recon_solution *whole = run(&scan, &options), *result = NULL;
    uint64_t *has = &context->device.info.global_memory;
    kn_recon_solve_memory memory = {0};

    *has = 32768;
    ck_assert_uint_gt(launches_of("mri_spread", &scan, &options, NULL, &result), 2 + 1);
    ck_assert_uint_le(result->details.memory.device, *has);
    ck_assert_double_lt(distance(result->image, whole->image, VOXELS), 1e-6);
    kn_recon_solution_free(result);
    kn_recon_solution_free(whole);

    // Too little for the grid.
    *has = 8192;
    EXPECT_REFUSED(KN_ERROR_MEMORY, "of the device's memory, which is 0; take another method",
                   kn_recon_solve(queue, &scan.given, &options, &result, &err));

    // For least squares, one byte too little.
    options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED);
    EXPECT_OK(kn_recon_solve_measure(queue, &scan.given, &options, &memory, &err));
    ck_assert_uint_gt(memory.host, 2 * sizeof(double) * (VOXELS + 2 * SAMPLES));
    *has = memory.device - 1;
    EXPECT_OK(kn_recon_solve_measure(queue, &scan.given, &options, &memory, &err));
    ck_assert_uint_eq(memory.device_has, *has);
    ck_assert_uint_gt(memory.device, memory.device_has);
    EXPECT_REFUSED(KN_ERROR_MEMORY, "take another method",
                   kn_recon_solve(queue, &scan.given, &options, &result, &err));

    *has = 1 << 16;
    options = make_options(KN_RECON_METHOD_LEAST_SQUARES, KN_RECON_KERNEL_TUNED);
    result = run(&scan, &options);
    whole = double_precision(&scan, &options);
    ck_assert_uint_le(result->details.memory.device, *has);
    ck_assert_double_lt(distance(result->image, whole->image, VOXELS), least_squares_error(whole));
    kn_recon_solution_free(result);
    kn_recon_solution_free(whole);
    free_scan(&scan);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {slabs, chunks, little_memory};

    return test_run("mri recon in parts", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
