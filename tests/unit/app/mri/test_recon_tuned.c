// SPDX-License-Identifier: Apache-2.0
// Tests koine/experimental/tuning.h: the tried values that plans of koine/recon.h use and report.
// tests/unit/tools/test_tune.c tests that kernels are built with them.
#include <koine/experimental.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "support/buffers.h"
#include "support/run.h"

enum { SAMPLES = 50 };

static double k[3 * SAMPLES], data[2 * SAMPLES];

static void set_up(void)
{
    uint64_t state;

    test_open();
    state = test_seed("recon_tuned");
    for (size_t i = 0; i < 3 * SAMPLES; i++)
        k[i] = 8 * (test_uniform(&state) - 0.5);
    for (size_t i = 0; i < 2 * SAMPLES; i++)
        data[i] = test_uniform(&state) - 0.5;
}

// Grids an image of 10 x 11 (x 9) voxels, and expects these values, or with NULL that none of the first
// `count` is 0.
static void expect_values(bool volume, const unsigned *expected, size_t count, double *image)
{
    const kn_recon_matrix matrix = {volume ? 3 : 2, {10, 11, volume ? 9 : 0}};
    unsigned found[KN_TUNABLES];
    kn_recon_plan *plan = NULL;

    for (size_t i = 0; i < SAMPLES && !volume; i++)
        k[3 * i + 2] = 0;
    EXPECT_OK(kn_recon_plan_create(queue, &matrix, k, SAMPLES, NULL, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "has not gridded yet",
                   kn_recon_plan_get_gridding_values(plan, found, &err));
    EXPECT_OK(kn_recon_gridding_adjoint(plan, data, image, &err));
    EXPECT_OK(kn_recon_plan_get_gridding_values(plan, found, &err));
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(expected ? found[i] == expected[i] : found[i] != 0, "value %zu is %u", i, found[i]);
    kn_recon_plan_free(plan);
}

START_TEST(gridding)
{
    static const unsigned values[KN_TUNABLES] = {16, 3, 8, 16, 8};
    static double own[2 * 10 * 11 * 9], tuned[2 * 10 * 11 * 9];
    char why[KN_TUNING_WORDS];

    for (int volume = 1; volume >= 0; volume--) {
        const kn_tunables *tunables = kn_recon_get_gridding_tunables(volume);
        size_t count = 0, numbers = 2 * 10 * 11 * (volume ? 9 : 1);
        double largest = 0;

        while (tunables->names[count])
            count++;
        ck_assert_uint_eq(count, volume ? 5 : 4);
        expect_values(volume, NULL, count, own);
        EXPECT_OK(kn_tuning_try(context, tunables, values, &err));
        expect_values(volume, values, count, tuned);
        ck_assert(!kn_tuning_get_refusal(context, tunables, why));
        EXPECT_OK(kn_tuning_end(context, tunables, &err));
        // The same additions in another order: for 50 numbers below 1, roundings of 2^-24 each.
        for (size_t i = 0; i < numbers; i++)
            largest = fmax(largest, fabs(own[i] - tuned[i]));
        ck_assert_double_le(largest, 50 * 50 * 0x1p-24);
        ck_assert_double_gt(fabs(own[0]), 0);
    }
}
END_TEST

START_TEST(sums)
{
    const kn_tunables *tunables = kn_recon_get_tunables();
    unsigned usual[KN_TUNABLES], impossible[KN_TUNABLES];
    const kn_recon_options options = KN_INIT(kn_recon_options, .kernel = KN_RECON_KERNEL_TUNED);
    const kn_recon_matrix matrix = {3, {9, 8, 7}};
    double image[2][2 * 9 * 8 * 7];
    kn_recon_plan *plan = NULL;
    char why[KN_TUNING_WORDS];

    ck_assert_str_eq(tunables->algorithm, "recon");
    EXPECT_OK(kn_recon_get_usual(queue, usual, &err));
    ck_assert_uint_gt(usual[0], 0);
    for (size_t i = 6; i < KN_TUNABLES; i++)
        ck_assert_uint_eq(usual[i], 0);
    EXPECT_OK(kn_recon_plan_create(queue, &matrix, k, SAMPLES, &options, &plan, &err));
    EXPECT_OK(kn_recon_adjoint(plan, data, image[0], &err));
    EXPECT_OK(kn_tuning_try(context, tunables, usual, &err));
    EXPECT_OK(kn_recon_adjoint(plan, data, image[1], &err));
    ck_assert(!kn_tuning_get_refusal(context, tunables, why));
    ck_assert_mem_eq(image[0], image[1], sizeof image[0]); // equal values, and equal bits
    memcpy(impossible, usual, sizeof impossible);
    impossible[2] = 3; // there are no vectors of three lanes
    EXPECT_OK(kn_tuning_try(context, tunables, impossible, &err));
    EXPECT_OK(kn_recon_adjoint(plan, data, image[1], &err));
    ck_assert(kn_tuning_get_refusal(context, tunables, why));
    ck_assert_str_ne(why, "");
    ck_assert_mem_eq(image[0], image[1], sizeof image[0]); // the default values are used instead
    kn_recon_plan_free(plan);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {gridding, sums};

    return test_run("recon tuned", tests, KI_COUNT(tests), set_up, test_close);
}
