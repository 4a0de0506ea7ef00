// SPDX-License-Identifier: Apache-2.0
// Tests koine/recon.h: the adjoint, Q, and on the host the forward sum, as products of matrices or by a
// NUFFT: against the definitions, on the host and on a device; which kernel ran; which method is chosen by
// default, and why; and refusals.
#include "recon_api_support.h"

#include <koine/experimental.h>

// Odd and even, one voxel along x, and a grid that is not a multiple of the tiles.
static const kn_recon_matrix matrices[] = {{2, {7, 5, 0}}, {3, {6, 3, 5}}, {2, {1, 9, 1}}, {2, {33, 20, 0}}};
static const size_t counts[] = {37, 61, 5, 300};

static kn_recon_plan *make_plan(const struct problem *p, kn_queue *on, kn_recon_kernel kernel,
                                kn_recon_adjoint_method adjoint)
{
    kn_recon_options options = KN_INIT(kn_recon_options, .kernel = kernel, .weights = p->weights,
                                       .basis = p->basis, .adjoint = adjoint);
    kn_recon_plan *plan = NULL;

    if (adjoint == KN_RECON_ADJOINT_NUFFT)
        options.nufft_tolerance = kernel == KN_RECON_KERNEL_HOST_DOUBLE ? 1e-11 : 1e-5;

    EXPECT_OK(kn_recon_plan_create(on, &p->matrix, p->k, p->samples, &options, &plan, &err));
    return plan;
}

static double norm_of(const double *pairs, size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < 2 * count; i++)
        squares += pairs[i] * pairs[i];
    return sqrt(squares);
}

// Errors are relative to the sum of all terms, because random numbers may cancel.
static void expect_sums(const struct problem *p, kn_queue *on, kn_recon_kernel kernel,
                        kn_recon_adjoint_method method, double error)
{
    kn_recon_plan *plan = make_plan(p, on, kernel, method);
    double *image = poisoned_pairs(p->voxels), *normal = poisoned_pairs(p->voxels),
           *data = poisoned_pairs(p->samples), scale = 0;

    ck_assert_int_eq(kn_recon_plan_get_adjoint_method(plan), method);
    ck_assert_ptr_nonnull(strstr(kn_recon_plan_get_adjoint_why(plan), ": asked for"));
    ck_assert_int_eq(kn_recon_plan_get_kernel(plan), kernel);
    EXPECT_OK(kn_recon_adjoint(plan, p->data, image, &err));
    EXPECT_OK(kn_recon_normal(plan, p->image, normal, &err));
    EXPECT_OK(kn_recon_forward(plan, p->image, data, &err));
    for (size_t m = 0; m < p->samples; m++)
        scale +=
            (p->weights ? p->weights[m] : 1) *
            (p->basis ? p->basis[2 * m] * p->basis[2 * m] + p->basis[2 * m + 1] * p->basis[2 * m + 1] : 1);
    expect_array(image, p->adjoint, p->voxels, error,
                 norm_of(p->data, p->samples) * sqrt((double)(p->voxels * p->samples)), "the adjoint");
    expect_array(normal, p->normal, p->voxels, 2 * error,
                 scale * (double)p->voxels * norm_of(p->image, p->voxels), "the normal operator");
    expect_array(data, p->forward, p->samples, error,
                 norm_of(p->image, p->voxels) * sqrt((double)(p->voxels * p->samples)), "the forward sum");
    kn_recon_plan_free(plan);
}

static void expect_products(const struct problem *p, kn_queue *on, kn_recon_kernel kernel, double error)
{
    expect_sums(p, on, kernel, KN_RECON_ADJOINT_SEPARABLE, error);
}

START_TEST(products)
{
    uint64_t state = test_seed("products");

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct problem p = random_problem(&matrices[i], counts[i], (unsigned)(i + 1) % API_KINDS, &state);

        expect_products(&p, NULL, KN_RECON_KERNEL_HOST_DOUBLE, 1e-14);
        expect_products(&p, NULL, KN_RECON_KERNEL_HOST_SINGLE, 1e-6);
        if (!test_is_slow() || i == 1 || i == 3) // in three and in two dimensions: separate programs
            expect_products(&p, queue, KN_RECON_KERNEL_TUNED, 1e-6);
        free_problem(&p);
    }
}
END_TEST

START_TEST(nuffts)
{
    uint64_t state = test_seed("nuffts");

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct problem p = random_problem(&matrices[i], counts[i], (unsigned)(i + 1) % API_KINDS, &state);

        expect_sums(&p, NULL, KN_RECON_KERNEL_HOST_DOUBLE, KN_RECON_ADJOINT_NUFFT, 1e-11);
        expect_sums(&p, NULL, KN_RECON_KERNEL_HOST_SINGLE, KN_RECON_ADJOINT_NUFFT, 1e-5);
        if (i == 3 || (i == 1 && !test_is_slow())) // in two and in three dimensions
            expect_sums(&p, queue, KN_RECON_KERNEL_TUNED, KN_RECON_ADJOINT_NUFFT, 1e-5);
        free_problem(&p);
    }
}
END_TEST

// Two coils by a NUFFT and exactly; on the host and on a device, with Q, and by both sums.
START_TEST(solved_by_nufft)
{
    static const kn_recon_matrix matrix = {2, {20, 15, 0}};
    enum { SAMPLES = 900, VOXELS = 300 };
    uint64_t state = test_seed("solved_by_nufft");
    double k[3 * SAMPLES] = {0}, data[4 * SAMPLES], difference[2 * VOXELS];
    const kn_recon_scan scan =
        KN_INIT(kn_recon_scan, .matrix = matrix, .samples = SAMPLES, .coils = 2, .k = k, .data = data);

    for (size_t m = 0; m < SAMPLES; m++) {
        k[3 * m] = 20 * (test_uniform(&state) - 0.5);
        k[3 * m + 1] = 15 * (test_uniform(&state) - 0.5);
    }
    for (size_t i = 0; i < 4 * SAMPLES; i++)
        data[i] = test_uniform(&state) - 0.5;
    for (int i = 0; i < (test_is_slow() ? 3 : 4); i++) {
        const int normal = i % 2 ? KN_RECON_NORMAL_FORWARD : KN_RECON_NORMAL_TOEPLITZ;
        bool on_host = i < 2;
        const double tolerance = on_host ? 1e-9 : 1e-5;
        kn_recon_solve_options options =
            KN_INIT(kn_recon_solve_options, .normal = (kn_recon_normal_method)normal, .iterations = 3,
                    .kernel = KN_RECON_KERNEL_HOST_DOUBLE);
        kn_recon_solution *exact = NULL, *solution = NULL;
        const kn_recon_details *details;
        const double *right;

        EXPECT_OK(kn_recon_solve(NULL, &scan, &options, &exact, &err));
        ck_assert_uint_eq(kn_recon_solution_get_details(exact)->nufft_voxels, 0);
        options.adjoint = KN_RECON_ADJOINT_NUFFT;
        options.nufft_tolerance = tolerance;
        options.kernel = on_host ? KN_RECON_KERNEL_HOST_DOUBLE : KN_RECON_KERNEL_AUTO;
        EXPECT_OK(kn_recon_solve(on_host ? NULL : queue, &scan, &options, &solution, &err));
        details = kn_recon_solution_get_details(solution);
        ck_assert_uint_eq(details->nufft_voxels, 64);
        ck_assert(details->nufft_error > 1e-14 && details->nufft_error <= tolerance);
        ck_assert(details->nufft_tolerance == tolerance);
        ck_assert_double_le(details->check, details->check_bound);
        right = kn_recon_solution_get_image(exact);
        for (size_t n = 0; n < 2 * VOXELS; n++)
            difference[n] = kn_recon_solution_get_image(solution)[n] - right[n];
        ck_assert_double_le(norm_of(difference, VOXELS), 100 * tolerance * norm_of(right, VOXELS));
        kn_recon_solution_free(exact);
        kn_recon_solution_free(solution);
    }
}
END_TEST

// Whether a kernel of that name ran for the adjoint.
static bool ran(kn_recon_plan *plan, const struct problem *p, const char *name)
{
    kn_profile_entry *entries;
    size_t count;
    double *image = poisoned_pairs(p->voxels);
    bool found = false;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_recon_adjoint(plan, p->data, image, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        found = found || strcmp(entries[i].kernel, name) == 0;
    kn_free(entries);
    free(image);
    return found;
}

START_TEST(what_ran)
{
    uint64_t state = test_seed("what_ran");
    struct problem p = random_problem(&matrices[0], 37, 0, &state);

    for (int method = KN_RECON_ADJOINT_AUTO; method <= KN_RECON_ADJOINT_SEPARABLE; method++) {
        kn_recon_plan *plan = make_plan(&p, queue, KN_RECON_KERNEL_AUTO, (kn_recon_adjoint_method)method);
        bool separable = kn_recon_plan_get_adjoint_method(plan) == KN_RECON_ADJOINT_SEPARABLE;

        if (method != KN_RECON_ADJOINT_AUTO)
            ck_assert_int_eq(separable, method == KN_RECON_ADJOINT_SEPARABLE);
        ck_assert_int_eq(ran(plan, &p, "mri_separable"), separable);
        ck_assert_int_eq(ran(plan, &p, "mri_tuned"), !separable);
        kn_recon_plan_free(plan);
    }
    free_problem(&p);
}
END_TEST

// On the host, chosen by an estimate: with one voxel along x, no factors are shared; a named kernel means
// direct sums.
START_TEST(chosen)
{
    static const struct {
        kn_recon_matrix matrix;
        kn_recon_kernel kernel;
        kn_recon_adjoint_method expected;
        const char *why;
    } rows[] = {
        {{2, {64, 64, 0}}, KN_RECON_KERNEL_AUTO, KN_RECON_ADJOINT_SEPARABLE, "separable: about "},
        {{2, {1, 64, 0}}, KN_RECON_KERNEL_AUTO, KN_RECON_ADJOINT_DIRECT, "direct: about "},
        {{2, {64, 64, 0}},
         KN_RECON_KERNEL_HOST_SINGLE,
         KN_RECON_ADJOINT_DIRECT,
         "direct: the sums of the kernel"},
    };
    const double k[3] = {0, 1.5, 0}, data[2] = {1, 0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const kn_recon_options options = KN_INIT(kn_recon_options, .kernel = rows[i].kernel);
        const kn_recon_solve_options solve =
            KN_INIT(kn_recon_solve_options, .method = KN_RECON_METHOD_ADJOINT, .kernel = rows[i].kernel);
        const kn_recon_scan scan =
            KN_INIT(kn_recon_scan, .matrix = rows[i].matrix, .samples = 1, .coils = 1, .k = k, .data = data);
        kn_recon_plan *plan;
        kn_recon_solution *solution;

        EXPECT_OK(kn_recon_plan_create(NULL, &rows[i].matrix, k, 1, &options, &plan, &err));
        ck_assert_int_eq(kn_recon_plan_get_adjoint_method(plan), rows[i].expected);
        ck_assert_ptr_eq(strstr(kn_recon_plan_get_adjoint_why(plan), rows[i].why),
                         kn_recon_plan_get_adjoint_why(plan));
        EXPECT_OK(kn_recon_solve(NULL, &scan, &solve, &solution, &err));
        ck_assert_int_eq(kn_recon_solution_get_adjoint_method(solution), rows[i].expected);
        ck_assert_str_eq(kn_recon_solution_get_adjoint_why(solution), kn_recon_plan_get_adjoint_why(plan));
        kn_recon_solution_free(solution);
        kn_recon_plan_free(plan);
    }
}
END_TEST

// koine recon chooses kernels by name and asks for this choice; arbitrary voxel positions use the direct sum.
START_TEST(asked)
{
    const double k[3] = {0, 1.5, 0}, data[2] = {1, 0};
    double positions[3 * 64] = {0};
    const kn_recon_scan scan =
        KN_INIT(kn_recon_scan, .matrix = {2, {8, 8, 0}}, .samples = 1, .coils = 1, .k = k, .data = data);
    kn_recon_solve_options options = KN_INIT(kn_recon_solve_options, .method = KN_RECON_METHOD_ADJOINT,
                                             .kernel = KN_RECON_KERNEL_HOST_SINGLE);
    const kn_recon_extras elsewhere = KN_INIT(kn_recon_extras, .positions = positions);
    kn_recon_adjoint_method method = KN_RECON_ADJOINT_AUTO;
    char why[KN_RECON_WHY];

    EXPECT_OK(kn_recon_choose_adjoint(NULL, &scan, &options, NULL, &method, why, &err));
    ck_assert_ptr_nonnull(strstr(why, " by estimate, "));
    ck_assert_int_ne(method, KN_RECON_ADJOINT_AUTO);
    EXPECT_OK(kn_recon_choose_adjoint(NULL, &scan, &options, &elsewhere, &method, why, &err));
    ck_assert_int_eq(method, KN_RECON_ADJOINT_DIRECT);
    ck_assert_str_eq(why, "direct: voxels are on no grid");
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "why is NULL",
                   kn_recon_choose_adjoint(NULL, &scan, &options, NULL, &method, NULL, &err));
    options.adjoint = KN_RECON_ADJOINT_SEPARABLE;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no positions of its own",
                   kn_recon_choose_adjoint(NULL, &scan, &options, &elsewhere, &method, why, &err));
    options.adjoint = KN_RECON_ADJOINT_NUFFT;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "give no positions",
                   kn_recon_choose_adjoint(NULL, &scan, &options, &elsewhere, &method, why, &err));
    // Among three methods with a tolerance: for a single sample the direct sum.
    options.nufft_tolerance = 1e-6;
    EXPECT_OK(kn_recon_choose_adjoint(NULL, &scan, &options, NULL, &method, why, &err));
    ck_assert_int_ne(method, KN_RECON_ADJOINT_NUFFT);
    ck_assert_ptr_nonnull(strstr(why, ", nufft "));
}
END_TEST

// A million samples for 256 x 256 voxels, of which no array is read: a NUFFT is chosen if a tolerance is
// given, and not otherwise.
START_TEST(chosen_by_tolerance)
{
    static const kn_recon_matrix matrix = {2, {256, 256, 0}};
    enum { SAMPLES = 1000000 };
    const kn_recon_scan scan = KN_INIT(kn_recon_scan, .matrix = matrix, .samples = SAMPLES, .coils = 1);
    const double tolerances[] = {0, 1e-4};

    for (int place = 0; place < 2; place++)
        for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
            const kn_recon_solve_options options = KN_INIT(
                kn_recon_solve_options, .method = KN_RECON_METHOD_ADJOINT, .nufft_tolerance = tolerances[i]);
            kn_recon_adjoint_method method = KN_RECON_ADJOINT_AUTO;
            char why[KN_RECON_WHY];

            EXPECT_OK(
                kn_recon_choose_adjoint(place ? queue : NULL, &scan, &options, NULL, &method, why, &err));
            ck_assert_int_eq(method == KN_RECON_ADJOINT_NUFFT, i == 1);
            ck_assert_int_eq(strstr(why, "nufft") == why, i == 1);
            ck_assert_int_eq(strstr(why, "nufft") != NULL, i == 1);
        }
}
END_TEST

START_TEST(refused)
{
    const double k[3] = {0, 1, 0}, data[2] = {1, 0}, tolerances[] = {9e-7, 0.2, -1, NAN, INFINITY};
    const kn_recon_matrix matrix = {2, {8, 8, 0}};
    const kn_recon_scan scan =
        KN_INIT(kn_recon_scan, .matrix = matrix, .samples = 1, .coils = 1, .k = k, .data = data);
    kn_recon_options options = KN_INIT(kn_recon_options, .adjoint = (kn_recon_adjoint_method)5);
    kn_recon_solve_options solve = KN_INIT(kn_recon_solve_options, .adjoint = (kn_recon_adjoint_method)5);
    kn_recon_plan *plan = NULL;
    kn_recon_solution *solution = NULL;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "there is no method 5 of the adjoint",
                   kn_recon_plan_create(NULL, &matrix, k, 1, &options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "there is no method of the adjoint 5",
                   kn_recon_solve(NULL, &scan, &solve, &solution, &err));
    options.adjoint = solve.adjoint = KN_RECON_ADJOINT_SEPARABLE;
    options.kernel = KN_RECON_KERNEL_NAIVE;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is not one of the kernel naive",
                   kn_recon_plan_create(queue, &matrix, k, 1, &options, &plan, &err));
    solve.method = KN_RECON_METHOD_GRIDDING;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the adjoint separable is only for sums",
                   kn_recon_solve(queue, &scan, &solve, &solution, &err));
    options = KN_INIT(kn_recon_options, .nufft_tolerance = 1e-5, .adjoint = KN_RECON_ADJOINT_SEPARABLE);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "for KN_RECON_ADJOINT_NUFFT and KN_RECON_ADJOINT_AUTO alone",
                   kn_recon_plan_create(NULL, &matrix, k, 1, &options, &plan, &err));
    options.adjoint = KN_RECON_ADJOINT_NUFFT;
    options.kernel = KN_RECON_KERNEL_NAIVE;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not one of the kernel naive",
                   kn_recon_plan_create(queue, &matrix, k, 1, &options, &plan, &err));
    options.kernel = KN_RECON_KERNEL_AUTO;
    options.nufft_tolerance = 9e-7;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected 1e-06 to 0.1 with the kernel tuned",
                   kn_recon_plan_create(queue, &matrix, k, 1, &options, &plan, &err));
    options.nufft_tolerance = 1e-13;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected 1e-12 to 0.1 with the kernel host-double",
                   kn_recon_plan_create(NULL, &matrix, k, 1, &options, &plan, &err));
    options.kernel = KN_RECON_KERNEL_HOST_SINGLE;
    for (size_t i = 0; i < 2 * sizeof tolerances / sizeof *tolerances; i++) {
        options.adjoint = i % 2 ? KN_RECON_ADJOINT_AUTO : KN_RECON_ADJOINT_NUFFT;
        options.nufft_tolerance = tolerances[i / 2];
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "expected 1e-06 to 0.1 with the kernel host-single",
                       kn_recon_plan_create(NULL, &matrix, k, 1, &options, &plan, &err));
    }
    ck_assert_ptr_null(plan);
    ck_assert_ptr_null(solution);
    ck_assert_int_eq(kn_recon_plan_get_adjoint_method(NULL), KN_RECON_ADJOINT_AUTO);
    ck_assert_ptr_null(kn_recon_plan_get_adjoint_why(NULL));
    ck_assert_int_eq(kn_recon_solution_get_adjoint_method(NULL), KN_RECON_ADJOINT_AUTO);
    ck_assert_ptr_null(kn_recon_solution_get_adjoint_why(NULL));
    ck_assert_str_eq(kn_recon_adjoint_method_name(KN_RECON_ADJOINT_SEPARABLE), "separable");
    ck_assert_str_eq(kn_recon_adjoint_method_name(KN_RECON_ADJOINT_NUFFT), "nufft");
    ck_assert_ptr_null(kn_recon_adjoint_method_name((kn_recon_adjoint_method)5));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {products, nuffts, solved_by_nufft,     what_ran,
                                  chosen,   asked,  chosen_by_tolerance, refused};

    return test_run("recon adjoint", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
