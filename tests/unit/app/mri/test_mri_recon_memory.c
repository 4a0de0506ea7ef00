// SPDX-License-Identifier: Apache-2.0
// Reconstructions in parts: slabs of voxels and chunks of samples against the whole, and what does not fit.
#include "recon_support.h"

// Slabs of any size make the same voxels as the whole at once, to what a different split of a sum rounds.
START_TEST(slabs)
{
    static const size_t sizes[] = {1, 2, 7, 31, 64, VOXELS - 1, VOXELS, VOXELS + 1};
    struct mri_scan scan = make_scan(COILS);
    struct mri_recon_options options = make_options(MRI_ADJOINT, MRI_REGISTER);
    struct mri_recon_result whole = run(&scan, &options);

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct mri_recon_result result;

        if (test_is_slow() && sizes[i] < 7)
            continue;
        options.slab = sizes[i];
        result = run(&scan, &options);
        ck_assert_double_lt(distance(result.image, whole.image, VOXELS), sum_error);
        ck_assert_double_eq(result.fhd.rate.pairs, COILS * VOXELS * SAMPLES);
        ki_mri_recon_free(&result);
    }
    ki_mri_recon_free(&whole);
    ki_mri_scan_free(&scan);
}
END_TEST

// What gridding of all samples at once makes is made by chunks of any size. Single precision leaves 3e-7 of
// each chunk's image (gridding.h), and of C chunks of such samples together sqrt(C) times that of the whole.
START_TEST(chunks)
{
    static const size_t sizes[] = {31, SAMPLES - 1, SAMPLES + 1};
    struct mri_scan scan = make_scan(2);
    struct mri_recon_options options = make_options(MRI_GRIDDING, MRI_TUNED);
    struct mri_recon_result whole = run(&scan, &options);
    double weights[SAMPLES];

    for (size_t m = 0; m < SAMPLES; m++)
        weights[m] = 1;
    options.weights = weights;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct mri_recon_result result;
        size_t wanted = (SAMPLES + sizes[i] - 1) / sizes[i];

        options.chunk = sizes[i];
        ck_assert_uint_eq(launches_of("mri_spread", &scan, &options, &result),
                          2 * wanted + 1); // and the check
        ck_assert_double_lt(distance(result.image, whole.image, VOXELS), 3e-7 * (1 + sqrt((double)wanted)));
        ki_mri_recon_free(&result);
    }
    ki_mri_recon_free(&whole);
    ki_mri_scan_free(&scan);
}
END_TEST

// A device that pretends to have little memory: samples go in chunks, and the answer is the same.
START_TEST(little_memory)
{
    struct mri_scan scan = make_scan(2);
    struct mri_recon_options options = make_options(MRI_GRIDDING, MRI_TUNED);
    struct mri_recon_result whole = run(&scan, &options), result;
    uint64_t *has = &context->device.info.global_memory;
    struct mri_recon_memory memory;
    kn_error why = KN_ERROR_INIT;

    *has = 32768;
    ck_assert_uint_gt(launches_of("mri_spread", &scan, &options, &result), 2 + 1);
    ck_assert_uint_le(result.memory.device, *has);
    ck_assert_double_lt(distance(result.image, whole.image, VOXELS), 1e-6);
    ki_mri_recon_free(&result);
    ki_mri_recon_free(&whole);

    // Too little for the grid: what would fit is said.
    *has = 8192;
    ck_assert_int_eq(ki_mri_recon(queue, &scan, &options, &result, &why), KN_ERROR_MEMORY);
    ck_assert_msg(strstr(why.text, "--oversampling 1.25") || strstr(why.text, "--solver adjoint"), "%s",
                  why.text);
    ki_mri_recon_free(&result);

    // Where gridding cannot serve: least squares without a grid, which then fits.
    options = make_options(MRI_LS, MRI_TUNED);
    options.basis = scan.data;
    for (*has = 1 << 16; ki_mri_recon_measure(queue, &scan, &options, &memory, &why) == KN_OK; *has -= 256)
        ;
    ck_assert_msg(strstr(why.text, "--normal forward, which takes long and no grid, fits with"), "%s",
                  why.text);
    options.normal = KN_RECON_NORMAL_FORWARD;
    EXPECT_OK(ki_mri_recon_measure(queue, &scan, &options, &memory, &err));
    ck_assert_uint_le(memory.device, *has);

    *has = 1 << 16;
    options = make_options(MRI_LS, MRI_TUNED);
    result = run(&scan, &options);
    whole = double_precision(&scan, &options);
    ck_assert_uint_le(result.memory.device, *has);
    ck_assert_double_lt(distance(result.image, whole.image, VOXELS), least_squares_error(&whole));
    ki_mri_recon_free(&result);
    ki_mri_recon_free(&whole);
    ki_mri_scan_free(&scan);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {slabs, chunks, little_memory};

    return test_run("mri recon in parts", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
