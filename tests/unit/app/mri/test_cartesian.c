// SPDX-License-Identifier: Apache-2.0
// Tests samples on the grid of integer cycles: which ones these are; both sums and the normal operator by
// their transforms, against the definitions, on the host and on a device; that such samples are recognised; a
// file of Q; refusals.
#include "recon_api_support.h"

#include <koine/experimental.h>

#include "app/mri/cartesian.h"
#include "support/files.h"

// Even, odd, prime, with one voxel along an axis, and in three dimensions.
static const kn_recon_matrix matrices[] = {{2, {12, 8, 1}}, {2, {7, 13, 1}}, {2, {1, 9, 1}}, {3, {6, 5, 7}}};
static const size_t counts[] = {150, 40, 5, 120};

// Rounds the samples of a random problem to integer cycles, of which many have several samples, and some
// none.
static struct problem on_grid(size_t i, uint64_t *state)
{
    struct problem p = random_problem(&matrices[i], counts[i], (unsigned)(i + 1) % API_KINDS, state);

    for (size_t j = 0; j < 3 * p.samples; j++)
        p.k[j] = trunc(p.k[j]);
    for (size_t axis = 0; axis < 3; axis++)
        p.k[3 * (p.samples - 1) + axis] = p.k[axis];
    api_fill(&p);
    return p;
}

static kn_recon_plan *make_plan(const struct problem *p, kn_queue *on, kn_recon_kernel kernel,
                                kn_recon_adjoint_method adjoint)
{
    const kn_recon_options options = KN_INIT(kn_recon_options, .kernel = kernel, .weights = p->weights,
                                             .basis = p->basis, .adjoint = adjoint);
    kn_recon_plan *plan = NULL;

    EXPECT_OK(kn_recon_plan_create(on, &p->matrix, p->k, p->samples, &options, &plan, &err));
    ck_assert_int_eq(kn_recon_plan_get_adjoint_method(plan), KN_RECON_ADJOINT_CARTESIAN);
    return plan;
}

static double length_of(const double *pairs, size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < 2 * count; i++)
        squares += pairs[i] * pairs[i];
    return sqrt(squares);
}

// A transform of n points is off by u log2 n of its norm times a small number, and by Bluestein's algorithm,
// which primes have, by twice that of lines four times as long; sums of repeated samples by their number.
static void expect_operations(const struct problem *p, kn_recon_plan *plan, double u)
{
    double *image = poisoned_pairs(p->voxels), *normal = poisoned_pairs(p->voxels),
           *data = poisoned_pairs(p->samples), weight = 0, error = 4 * u * (log2((double)p->voxels) + 12),
           all = sqrt((double)p->voxels * (double)p->samples);

    for (size_t m = 0; m < p->samples; m++)
        weight +=
            (p->weights ? p->weights[m] : 1) *
            (p->basis ? p->basis[2 * m] * p->basis[2 * m] + p->basis[2 * m + 1] * p->basis[2 * m + 1] : 1);
    EXPECT_OK(kn_recon_adjoint(plan, p->data, image, &err));
    EXPECT_OK(kn_recon_normal(plan, p->image, normal, &err));
    EXPECT_OK(kn_recon_forward(plan, p->image, data, &err));
    expect_array(image, p->adjoint, p->voxels, error, all * length_of(p->data, p->samples), "the adjoint");
    expect_array(normal, p->normal, p->voxels, 2 * error,
                 weight * (double)p->voxels * length_of(p->image, p->voxels), "the normal operator");
    expect_array(data, p->forward, p->samples, error, all * length_of(p->image, p->voxels),
                 "the forward sum");
    kn_recon_plan_free(plan);
}

START_TEST(operations)
{
    uint64_t state = test_seed("operations");

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct problem p = on_grid(i, &state);

        expect_operations(&p, make_plan(&p, NULL, KN_RECON_KERNEL_HOST_DOUBLE, KN_RECON_ADJOINT_CARTESIAN),
                          0x1p-53);
        expect_operations(&p, make_plan(&p, NULL, KN_RECON_KERNEL_HOST_SINGLE, KN_RECON_ADJOINT_CARTESIAN),
                          0x1p-24);
        expect_operations(&p, make_plan(&p, NULL, KN_RECON_KERNEL_AUTO, KN_RECON_ADJOINT_AUTO), 0x1p-53);
        if (i == 3) // the programs of this matrix are shared by all tests
            expect_operations(&p, make_plan(&p, queue, KN_RECON_KERNEL_AUTO, KN_RECON_ADJOINT_AUTO), 0x1p-24);
        free_problem(&p);
    }
}
END_TEST

// By both sums each time, in both places.
START_TEST(without_q)
{
    uint64_t state = test_seed("without_q");
    struct problem p = on_grid(3, &state);

    for (int place = 0; place < 2; place++) {
        const kn_recon_options options =
            KN_INIT(kn_recon_options, .normal = KN_RECON_NORMAL_FORWARD, .weights = p.weights,
                    .basis = p.basis, .adjoint = KN_RECON_ADJOINT_CARTESIAN);
        kn_recon_plan *plan = NULL;

        EXPECT_OK(
            kn_recon_plan_create(place ? queue : NULL, &p.matrix, p.k, p.samples, &options, &plan, &err));
        expect_operations(&p, plan, place ? 0x1p-24 : 0x1p-53);
    }
    free_problem(&p);
}
END_TEST

START_TEST(recognised)
{
    const kn_recon_matrix matrix = {3, {16, 1, 8}};
    const double rounding = 16 * 0x1p-24;
    double k[9] = {-8, 0.3, 4, 0, 7.7, -4, 3, -0.2, 1};
    size_t which = 99;

    ck_assert(ki_mri_off_grid(&matrix, k, 0, NULL) == 0);
    ck_assert(ki_mri_off_grid(&matrix, k, 3, NULL) == 0);
    k[3] += rounding;
    k[5] -= rounding / 4;
    ck_assert_double_eq_tol(ki_mri_off_grid(&matrix, k, 3, &which), acos(-1) * 1.25 * rounding, 1e-12);
    ck_assert_uint_eq(which, 99);
    k[5] -= rounding / 2; // the tolerance is smaller along a shorter axis
    ck_assert(isinf(ki_mri_off_grid(&matrix, k, 3, &which)));
    ck_assert_uint_eq(which, 1);
    k[5] = NAN;
    ck_assert(isinf(ki_mri_off_grid(&matrix, k, 3, NULL)));
}
END_TEST

// One sample off the grid: the methods of all other trajectories are used; and a request for the transform is
// refused.
START_TEST(one_off)
{
    uint64_t state = test_seed("one_off");
    struct problem p = on_grid(0, &state);
    kn_recon_options options = KN_INIT(kn_recon_options, .adjoint = KN_RECON_ADJOINT_CARTESIAN);
    const double positions[3 * 96] = {0};
    const kn_recon_extras elsewhere = KN_INIT(kn_recon_extras, .positions = positions);
    kn_recon_scan scan = KN_INIT(kn_recon_scan, .matrix = p.matrix, .samples = p.samples, .coils = 1,
                                 .k = p.k, .data = p.data);
    kn_recon_solve_options solve = KN_INIT(kn_recon_solve_options, .method = KN_RECON_METHOD_ADJOINT,
                                           .adjoint = KN_RECON_ADJOINT_CARTESIAN);
    kn_recon_plan *plan = NULL;
    kn_recon_solution *solution = NULL;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "give no positions",
                   kn_recon_solve_with(NULL, &scan, &solve, &elsewhere, &solution, &err));
    p.k[3 * 7 + 1] = 0.001;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sample 7 at ",
                   kn_recon_plan_create(NULL, &p.matrix, p.k, p.samples, &options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "sample 7 at ", kn_recon_solve(NULL, &scan, &solve, &solution, &err));
    options.kernel = KN_RECON_KERNEL_NAIVE;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not one of the kernel naive",
                   kn_recon_plan_create(queue, &p.matrix, p.k, p.samples, &options, &plan, &err));
    ck_assert_ptr_null(plan);
    ck_assert_ptr_null(solution);
    options = KN_INIT(kn_recon_options, .kernel = KN_RECON_KERNEL_AUTO);
    EXPECT_OK(kn_recon_plan_create(NULL, &p.matrix, p.k, p.samples, &options, &plan, &err));
    ck_assert_int_ne(kn_recon_plan_get_adjoint_method(plan), KN_RECON_ADJOINT_CARTESIAN);
    kn_recon_plan_free(plan);
    free_problem(&p);
}
END_TEST

// Least squares of two coils against the direct sums, on the host and on a device, where Q is kept in a file
// and read again.
START_TEST(solved)
{
    uint64_t state = test_seed("solved");
    struct problem p = on_grid(3, &state);
    double *data = random_pairs(2 * p.samples, &state), *difference = random_pairs(p.voxels, &state);
    const kn_recon_scan scan =
        KN_INIT(kn_recon_scan, .matrix = p.matrix, .samples = p.samples, .coils = 2, .k = p.k, .data = data);
    char *folder = test_folder(), path[4200];

    snprintf(path, sizeof path, "%s/q", folder);
    for (int round = 0; round < 3; round++) {
        bool on_host = round == 0;
        kn_recon_solve_options options =
            KN_INIT(kn_recon_solve_options, .iterations = 3, .lambda = 1,
                    .kernel = KN_RECON_KERNEL_HOST_DOUBLE, .sense = KN_RECON_SENSE_NONE);
        const kn_recon_extras extras = KN_INIT(kn_recon_extras, .save_q = round == 1 ? path : NULL,
                                               .load_q = round == 2 ? path : NULL, .force = true);
        kn_recon_solution *exact = NULL, *solution = NULL;
        const double *right, *found;

        EXPECT_OK(kn_recon_solve(NULL, &scan, &options, &exact, &err));
        ck_assert_int_eq(kn_recon_solution_get_adjoint_method(exact), KN_RECON_ADJOINT_DIRECT);
        options.kernel = KN_RECON_KERNEL_AUTO;
        EXPECT_OK(kn_recon_solve_with(on_host ? NULL : queue, &scan, &options, &extras, &solution, &err));
        ck_assert_int_eq(kn_recon_solution_get_adjoint_method(solution), KN_RECON_ADJOINT_CARTESIAN);
        ck_assert_str_eq(kn_recon_solution_get_adjoint_why(solution),
                         "cartesian: all samples lie on the grid");
        ck_assert_str_eq(kn_recon_solution_get_details(solution)->q_kernel,
                         on_host ? "host-double-cartesian" : "cartesian");
        ck_assert_int_eq(kn_recon_solution_get_details(solution)->q_loaded, round == 2);
        ck_assert_uint_eq(kn_recon_solution_get_details(solution)->nufft_voxels, 0);
        ck_assert_double_le(kn_recon_solution_get_details(solution)->check,
                            kn_recon_solution_get_details(solution)->check_bound);
        right = kn_recon_solution_get_image(exact);
        found = kn_recon_solution_get_image(solution);
        for (size_t n = 0; n < 2 * p.voxels; n++)
            difference[n] = found[n] - right[n];
        // The condition number of F^H F + 1 is at most its bound.
        ck_assert_double_le(length_of(difference, p.voxels),
                            (on_host ? 1e-12 : 1e-4) * length_of(right, p.voxels));
        kn_recon_solution_free(exact);
        kn_recon_solution_free(solution);
    }
    test_remove(folder);
    free(data);
    free(difference);
    free_problem(&p);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {operations, without_q, recognised, one_off, solved};

    return test_run("samples on the grid", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
