// SPDX-License-Identifier: Apache-2.0
// Tests reconstructions with total variation: against the objective by its definition, against KN_SOLVE_TV
// with the encoding of all coils as a matrix-free operator of its own, on the host and on a device, with
// every way to apply F^H W F, scales, starts and tolerances; and refusals.
#include "sense_support.h"

#include <koine/experimental/recon.h>

enum { COILS = 2, ITERATIONS = 60 };

// A scan of a random matrix of few samples, with weights, whose image is two levels and a phase.
struct scan {
    struct problem p;
    double *maps, *data; // of COILS coils
    kn_recon_scan given;
};

static struct scan make_scan(const kn_recon_matrix *matrix, size_t samples, uint64_t *state)
{
    struct scan s = {.p = random_problem(matrix, samples, API_WEIGHTS, state)};
    double *noise = random_pairs(COILS * samples, state);

    for (size_t n = 0; n < s.p.voxels; n++) {
        s.p.image[2 * n] = n % matrix->size[0] * 2 < matrix->size[0] ? 0.25 : 1;
        s.p.image[2 * n + 1] = n * 2 < s.p.voxels ? -0.5 : 0.5;
    }
    s.maps = make_maps(matrix, COILS, s.p.voxels);
    s.data = test_allocate(2 * COILS * samples * sizeof *s.data);
    encode(&s.p, s.maps, COILS, false, false, s.p.image, s.data);
    for (size_t i = 0; i < 2 * COILS * samples; i++)
        s.data[i] += 0.05 * noise[i];
    s.given = KN_INIT(kn_recon_scan, .matrix = *matrix, .samples = samples, .coils = COILS, .k = s.p.k,
                      .data = s.data, .weights = s.p.weights);
    free(noise);
    return s;
}

static void free_scan(struct scan *s)
{
    free_problem(&s->p);
    free(s->maps);
    free(s->data);
}

// ---- the definitions ----

// The sum of the length of the differences to the next voxel along each axis.
static double variation(const kn_recon_matrix *matrix, const double *x)
{
    size_t voxels = 1, step = 1;
    double sum = 0;

    for (size_t axis = 0; axis < 3; axis++)
        voxels *= matrix->size[axis] ? matrix->size[axis] : 1;
    for (size_t n = 0; n < voxels; n++) {
        double squares = 0;

        step = 1;
        for (size_t axis = 0; axis < 3; axis++) {
            size_t size = matrix->size[axis] ? matrix->size[axis] : 1;

            if (n / step % size + 1 < size)
                squares +=
                    pow(x[2 * (n + step)] - x[2 * n], 2) + pow(x[2 * (n + step) + 1] - x[2 * n + 1], 2);
            step *= size;
        }
        sum += sqrt(squares);
    }
    return sum;
}

// |W^(1/2) (E x - d)|^2 / 2 + lambda TV(x), with E x scaled.
static double objective(const struct scan *s, const double *maps, const double *data, size_t coils,
                        double scale, double lambda, const double *x)
{
    double *seen = test_allocate(2 * coils * s->p.samples * sizeof *seen), sum = 0;

    encode(&s->p, maps, coils, false, false, x, seen);
    for (size_t i = 0; i < 2 * coils * s->p.samples; i++)
        sum += s->p.weights[i / 2 % s->p.samples] * pow(scale * seen[i] - data[i], 2);
    free(seen);
    return sum / 2 + lambda * variation(&s->p.matrix, x);
}

// The operator W^(1/2) E of KN_F64 on the host, in plain loops.
static kn_status apply_encoding(void *data, bool adjoint, const void *from, void *to, kn_error *error)
{
    const struct scan *s = data;
    size_t numbers = 2 * COILS * s->p.samples;
    double *rows = test_allocate(numbers * sizeof *rows);

    (void)error;
    if (adjoint) {
        for (size_t i = 0; i < numbers; i++)
            rows[i] = sqrt(s->p.weights[i / 2 % s->p.samples]) * ((const double *)from)[i];
        encode(&s->p, s->maps, COILS, true, false, rows, to);
    } else {
        encode(&s->p, s->maps, COILS, false, false, from, rows);
        for (size_t i = 0; i < numbers; i++)
            ((double *)to)[i] = sqrt(s->p.weights[i / 2 % s->p.samples]) * rows[i];
    }
    free(rows);
    return KN_OK;
}

// The image by a method with that operator; `least`, which may be NULL, receives its objective.
static double *solve_encoding(struct scan *s, kn_solve_method method, double lambda, size_t iterations,
                              double *least)
{
    const kn_operator_functions functions =
        KN_INIT(kn_operator_functions, .rows = COILS * s->p.samples, .columns = s->p.voxels, .type = KN_F64,
                .is_complex = true, .apply_host = apply_encoding, .data = s);
    const kn_solve_options options =
        KN_INIT(kn_solve_options, .method = method, .iterations = iterations, .lambda = lambda,
                .shape = {s->p.matrix.size[0], s->p.matrix.size[1], s->p.matrix.size[2]});
    size_t numbers = 2 * COILS * s->p.samples;
    double *x = test_zeros(2 * s->p.voxels, sizeof *x), *b = test_allocate(numbers * sizeof *b);
    kn_operator *a = NULL;
    kn_solve_plan *plan = NULL;
    kn_solve_result result;

    for (size_t i = 0; i < numbers; i++)
        b[i] = sqrt(s->p.weights[i / 2 % s->p.samples]) * s->data[i];
    EXPECT_OK(kn_operator_create(NULL, &functions, &a, &err));
    EXPECT_OK(kn_solve_plan_create(NULL, a, &options, &plan, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    if (least)
        *least = kn_solve_plan_get_objectives(plan, NULL)[result.iterations];
    kn_solve_plan_free(plan);
    kn_operator_free(a);
    free(b);
    return x;
}

static kn_recon_solve_options options_of(const struct scan *s)
{
    return KN_INIT(kn_recon_solve_options, .kernel = KN_RECON_KERNEL_HOST_DOUBLE, .iterations = ITERATIONS,
                   .lambda = 0.5, .regularizer = KN_RECON_REGULARIZER_TV, .sense = KN_RECON_SENSE_MAPS,
                   .maps = s->maps);
}

static kn_recon_solution *solve(const struct scan *s, const kn_recon_solve_options *options)
{
    kn_recon_solution *solution = NULL;

    EXPECT_OK(kn_recon_solve(queue, &s->given, options, &solution, &err));
    return solution;
}

static double distance(const kn_recon_solution *solution, const double *wanted)
{
    kn_recon_quality quality;

    EXPECT_OK(kn_recon_compare(kn_recon_solution_get_image(solution), wanted,
                               kn_recon_solution_get_voxels(solution), false, false, &quality, &err));
    return quality.error_percent / 100;
}

// The image is as near to `wanted` as it is said, and its objective is that of the definition.
static void expect_image(const struct scan *s, const kn_recon_solve_options *options, const double *wanted,
                         double most, const char *what)
{
    kn_recon_solution *found = solve(s, options);
    const kn_recon_coil coil = kn_recon_solution_get_coil(found, 0);
    const double *objectives = kn_recon_solution_get_objectives(found, 0);
    double scale = options->scale == KN_RECON_SCALE_UNITARY ? 1 / sqrt((double)s->p.voxels) : 1;
    double own = objective(s, s->maps, s->data, COILS, scale, kn_recon_solution_get_lambda(found),
                           kn_recon_solution_get_image(found));
    double *scaled = test_allocate(2 * s->p.voxels * sizeof *scaled);

    for (size_t i = 0; i < 2 * s->p.voxels; i++)
        scaled[i] = wanted[i] / scale;
    ck_assert_msg(distance(found, scaled) <= most, "%s: the image is off by %g, at most %g was expected",
                  what, distance(found, scaled), most);
    ck_assert_ptr_nonnull(objectives);
    ck_assert_double_eq_tol(objectives[coil.iterations], own, most * objectives[0]);
    ck_assert_double_le(own, 0.5 * objectives[0]);
    ck_assert_double_eq(coil.residuals[0], 1);
    ck_assert_double_eq(coil.residual, coil.residuals[coil.iterations]);
    free(scaled);
    kn_recon_solution_free(found);
}

// 60 iterations of the primal-dual method on a device amplify rounding of 2^-24 in N x and of the sums by far
// less than their number times the ratio of its steps, 10.
static const double single = 60 * 10 * 0x1p-24;

START_TEST(same_iterates)
{
    static const kn_recon_matrix shapes[] = {{2, {9, 7, 1}}, {3, {5, 4, 3}}};
    uint64_t state = test_seed("same_iterates");

    for (size_t i = 0; i < 2; i++) {
        struct scan s = make_scan(&shapes[i], 40, &state);
        kn_recon_solve_options options = options_of(&s);
        double *wanted = solve_encoding(&s, KN_SOLVE_TV, options.lambda, ITERATIONS, NULL);

        expect_image(&s, &options, wanted, 1e-9, "host");
        options.normal = KN_RECON_NORMAL_FORWARD;
        expect_image(&s, &options, wanted, 1e-9, "host, both sums");
        options.normal = KN_RECON_NORMAL_TOEPLITZ;
        options.scale = KN_RECON_SCALE_UNITARY;
        options.lambda /= sqrt((double)s.p.voxels);
        expect_image(&s, &options, wanted, 1e-9, "host, unitary");
        options = options_of(&s);
        options.adjoint = KN_RECON_ADJOINT_NUFFT;
        options.nufft_tolerance = 1e-10;
        expect_image(&s, &options, wanted, 1e-7, "host, nufft");
        options.kernel = KN_RECON_KERNEL_AUTO;
        options.adjoint = KN_RECON_ADJOINT_DIRECT;
        options.nufft_tolerance = 0;
        expect_image(&s, &options, wanted, single, "device");
        if (i == 0) {
            options.normal = KN_RECON_NORMAL_FORWARD;
            expect_image(&s, &options, wanted, single, "device, both sums");
        }
        free(wanted);
        free_scan(&s);
    }
}
END_TEST

// Wavelets likewise, in both scales, on the host and on a device.
START_TEST(wavelets)
{
    const kn_recon_matrix matrix = {2, {16, 7, 1}};
    uint64_t state = test_seed("wavelets");
    struct scan s = make_scan(&matrix, 60, &state);
    double least, *wanted = solve_encoding(&s, KN_SOLVE_WAVELET, 0.5, ITERATIONS, &least);

    for (unsigned i = 0; i < 4; i++) {
        kn_recon_solve_options options = options_of(&s);
        double scale = i == 1 ? 1 / sqrt((double)s.p.voxels) : 1, most = i == 3 ? single : 1e-9;
        kn_recon_solution *found;
        const double *objectives;

        options.regularizer = KN_RECON_REGULARIZER_WAVELET;
        options.scale = i == 1 ? KN_RECON_SCALE_UNITARY : KN_RECON_SCALE_NONE;
        options.lambda *= scale;
        options.normal = i == 2 ? KN_RECON_NORMAL_FORWARD : KN_RECON_NORMAL_TOEPLITZ;
        options.kernel = i == 3 ? KN_RECON_KERNEL_AUTO : KN_RECON_KERNEL_HOST_DOUBLE;
        found = solve(&s, &options);
        objectives = kn_recon_solution_get_objectives(found, 0);
        for (size_t n = 0; n < 2 * s.p.voxels && i == 1; n++)
            wanted[n] /= scale;
        ck_assert_msg(distance(found, wanted) <= most, "%u: the image is off by %g", i,
                      distance(found, wanted));
        for (size_t n = 0; n < 2 * s.p.voxels && i == 1; n++)
            wanted[n] *= scale;
        ck_assert_double_eq_tol(objectives[ITERATIONS], least, most * objectives[0]);
        ck_assert_double_le(least, 0.5 * objectives[0]);
        kn_recon_solution_free(found);
    }
    free(wanted);
    free_scan(&s);
}
END_TEST

// Coils apart have an objective each; a relative lambda is one of the bound, also with the unitary scale.
START_TEST(coils_apart)
{
    const kn_recon_matrix matrix = {2, {8, 6, 1}};
    uint64_t state = test_seed("coils_apart");
    struct scan s = make_scan(&matrix, 40, &state);
    double *ones = test_zeros(2 * s.p.voxels, sizeof *ones);

    for (size_t n = 0; n < s.p.voxels; n++)
        ones[2 * n] = 1;
    for (unsigned unitary = 0; unitary < 2; unitary++) {
        kn_recon_solve_options options = options_of(&s);
        kn_recon_solution *both, *single_one = NULL;
        double scale = unitary ? 1 / sqrt((double)s.p.voxels) : 1, lambda;

        options.sense = KN_RECON_SENSE_NONE;
        options.maps = NULL;
        options.relative_lambda = true;
        options.lambda = 0.01;
        options.scale = unitary ? KN_RECON_SCALE_UNITARY : KN_RECON_SCALE_NONE;
        both = solve(&s, &options);
        lambda = kn_recon_solution_get_lambda(both);
        ck_assert_double_eq_tol(lambda, 0.01 * kn_recon_solution_get_details(both)->bound, 1e-12 * lambda);
        ck_assert_uint_eq(kn_recon_solution_get_coils(both), COILS);
        ck_assert_ptr_null(kn_recon_solution_get_objectives(both, COILS));
        for (size_t c = 0; c < COILS; c++) {
            struct scan one = s;
            const double *data = s.data + 2 * c * s.p.samples;
            const double *objectives = kn_recon_solution_get_objectives(both, c);

            one.given.coils = 1;
            one.given.data = data;
            single_one = solve(&one, &options);
            ck_assert_double_eq_tol(
                objectives[ITERATIONS],
                objective(&s, ones, data, 1, scale, lambda, kn_recon_solution_get_image(single_one)),
                1e-10 * objectives[0]);
            kn_recon_solution_free(single_one);
        }
        kn_recon_solution_free(both);
    }
    free(ones);
    free_scan(&s);
}
END_TEST

// It stops where an iteration changes little; from its image it goes on with as little; an image of no signal
// is 0, whatever it starts from.
static void expect_ends(struct scan *s, kn_recon_kernel kernel, double tolerance)
{
    kn_recon_solve_options options = options_of(s);
    double *nothing = test_zeros(2 * COILS * s->p.samples, sizeof *nothing);
    kn_recon_solution *found, *zero;
    kn_recon_coil coil;
    const double *image;

    options.kernel = kernel;
    options.iterations = 5000;
    options.tolerance = tolerance;
    found = solve(s, &options);
    coil = kn_recon_solution_get_coil(found, 0);
    ck_assert_msg(coil.stopped == KN_SOLVE_STOPPED_TOLERANCE, "%zu iterations, residual %g", coil.iterations,
                  coil.residual);
    ck_assert_double_le(coil.residual, tolerance * 1.0001);
    ck_assert_double_gt(coil.residuals[coil.iterations - 1], tolerance * 0.9999);
    options.start = kn_recon_solution_get_image(found);
    options.iterations = 0;
    zero = solve(s, &options);
    ck_assert_double_le(distance(zero, options.start), 1e-7);
    kn_recon_solution_free(zero);
    s->given.data = nothing;
    options.iterations = 10;
    zero = solve(s, &options);
    image = kn_recon_solution_get_image(zero);
    for (size_t i = 0; i < 2 * s->p.voxels; i++)
        ck_assert(image[i] == 0);
    ck_assert_int_eq((int)kn_recon_solution_get_coil(zero, 0).stopped, KN_SOLVE_STOPPED_TOLERANCE);
    ck_assert(kn_recon_solution_get_objectives(zero, 0)[0] == 0);
    s->given.data = s->data;
    kn_recon_solution_free(zero);
    kn_recon_solution_free(found);
    free(nothing);
}

START_TEST(ends)
{
    const kn_recon_matrix matrix = {2, {8, 6, 1}};
    uint64_t state = test_seed("ends");
    struct scan s = make_scan(&matrix, 60, &state);

    expect_ends(&s, KN_RECON_KERNEL_HOST_DOUBLE, 1e-3);
    expect_ends(&s, KN_RECON_KERNEL_AUTO, 1e-2);
    free_scan(&s);
}
END_TEST

static bool stop_late(void *data, double done)
{
    (void)data;
    return done < 0.5;
}

START_TEST(refused)
{
    const kn_recon_matrix matrix = {2, {8, 6, 1}};
    uint64_t state = test_seed("refused");
    struct scan s = make_scan(&matrix, 20, &state);
    kn_recon_solve_options options = options_of(&s);
    kn_recon_solution *solution = NULL;

    options.boundary = KN_RECON_BOUNDARY_PERIODIC;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "tv has no periodic boundary",
                   kn_recon_solve(queue, &s.given, &options, &solution, &err));
    options.regularizer = KN_RECON_REGULARIZER_WAVELET;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "8 x 6 x 1 has no axis for wavelets",
                   kn_recon_solve(queue, &s.given, &options, &solution, &err));
    options = options_of(&s);
    for (unsigned i = 0; i < 2; i++) {
        options.kernel = i ? KN_RECON_KERNEL_AUTO : KN_RECON_KERNEL_HOST_DOUBLE;
        options.progress = stop_late;
        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "", kn_recon_solve(queue, &s.given, &options, &solution, &err));
        options.progress = NULL;
    }
    ck_assert_ptr_null(solution);
    options.regularizer = KN_RECON_REGULARIZER_TIKHONOV;
    solution = solve(&s, &options);
    ck_assert_ptr_null(kn_recon_solution_get_objectives(solution, 0));
    ck_assert_ptr_null(kn_recon_solution_get_objectives(NULL, 0));
    ck_assert_str_eq(kn_recon_regularizer_name(KN_RECON_REGULARIZER_TV), "tv");
    ck_assert_str_eq(kn_recon_regularizer_name(KN_RECON_REGULARIZER_WAVELET), "wavelet");
    kn_recon_solution_free(solution);
    free_scan(&s);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {same_iterates, wavelets, coils_apart, ends, refused};

    return test_run("reconstructions with sparsity", tests, sizeof tests / sizeof *tests, test_open,
                    test_close);
}
