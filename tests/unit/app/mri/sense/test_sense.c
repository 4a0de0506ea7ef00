// SPDX-License-Identifier: Apache-2.0
// Tests several coils with known sensitivities: the operators against the definitions, the images of an
// undersampled radial scan of the phantom against their equations in double precision and against the
// phantom, and refusals.
#include "sense_support.h"

#include <koine/experimental/recon.h>

enum { SIDE = 16, SPOKES = 8, MOST = 8 };

// ---- operators ----

static void expect_applied(const kn_operator *a, bool on_device, bool adjoint, const double *from,
                           const double *wanted)
{
    size_t columns = adjoint ? kn_operator_get_rows(a) : kn_operator_get_columns(a),
           rows = adjoint ? kn_operator_get_columns(a) : kn_operator_get_rows(a);

    if (on_device) {
        kn_buffer *in = upload_pairs(from, columns), *out = upload_pairs(NULL, rows);

        EXPECT_OK(kn_operator_apply(queue, a, adjoint, in, out, &err));
        expect_buffer(out, wanted, rows, 1e-5, 0, "an operator of coils");
        expect_buffer(in, from, columns, 0, 1, "what it was applied to");
    } else {
        double *out = poisoned_pairs(rows);

        EXPECT_OK(kn_operator_apply_host(a, adjoint, from, out, &err));
        expect_array(out, wanted, rows, 1e-11, 0, "an operator of coils");
    }
}

// Operators outlive the plan that made them.
static void expect_operators(const struct problem *p, kn_queue *on, size_t coils, uint64_t *state)
{
    const kn_recon_options options = KN_INIT(kn_recon_options, .weights = p->weights);
    double *maps = random_pairs(coils * p->voxels, state), *data = random_pairs(coils * p->samples, state),
           *measured = test_allocate(2 * coils * p->samples * sizeof *measured),
           *back = test_allocate(2 * p->voxels * sizeof *back),
           *normal = test_allocate(2 * p->voxels * sizeof *normal), difference;
    kn_operator *single[2] = {NULL, NULL}, *made[2] = {NULL, NULL};
    kn_recon_plan *plan = NULL;

    EXPECT_OK(kn_recon_plan_create(on, &p->matrix, p->k, p->samples, &options, &plan, &err));
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_OK(kn_recon_operator_create(plan, i ? KN_RECON_OPERATOR_NORMAL : KN_RECON_OPERATOR_ENCODING,
                                           &single[i], &err));
        EXPECT_OK(kn_recon_sense_create(on, single[i], !i, maps, coils, &made[i], &err));
        kn_operator_free(single[i]);
        ck_assert_uint_eq(kn_operator_get_columns(made[i]), p->voxels);
        ck_assert_uint_eq(kn_operator_get_rows(made[i]), i ? p->voxels : coils * p->samples);
        EXPECT_OK(kn_operator_check_adjoint(on, made[i], *state, &difference, &err));
        ck_assert_msg(difference < (on ? 1e-5 : 1e-13), "%zu coils: <A x, y> is off by %g", coils,
                      difference);
    }
    kn_recon_plan_free(plan);
    encode(p, maps, coils, false, false, p->image, measured);
    encode(p, maps, coils, true, false, data, back);
    encode(p, maps, coils, true, true, measured, normal);
    free(memset(maps, 0xff, 2 * coils * p->voxels * sizeof *maps));
    expect_applied(made[0], on, false, p->image, measured);
    expect_applied(made[0], on, true, data, back);
    expect_applied(made[1], on, false, p->image, normal);
    expect_applied(made[1], on, true, p->image, normal);
    kn_operator_free(made[0]);
    kn_operator_free(made[1]);
    free(data);
    free(measured);
    free(back);
    free(normal);
}

START_TEST(operators)
{
    static const kn_recon_matrix shapes[] = {{2, {9, 7, 0}}, {3, {4, 5, 3}}};
    uint64_t state = test_seed("operators");

    for (size_t s = 0; s < 2; s++) {
        struct problem p = random_problem(&shapes[s], 30, API_WEIGHTS, &state);

        for (size_t coils = 1; coils <= MOST; coils += s ? 3 : 1) {
            expect_operators(&p, NULL, coils, &state);
            expect_operators(&p, queue, coils, &state);
        }
        free_problem(&p);
    }
}
END_TEST

// ---- images ----

// |(sum S^H F^H F S + lambda) x - sum S^H F^H d| / |sum S^H F^H d| by the definitions.
static double remaining(const struct measured *m, double lambda, const double *image)
{
    size_t voxels = m->p.voxels;
    double *data = test_allocate(2 * m->coils * m->p.samples * sizeof *data),
           *left = test_allocate(2 * voxels * sizeof *left),
           *right = test_allocate(2 * voxels * sizeof *right), off = 0, norm = 0;

    encode(&m->p, m->maps, m->coils, false, false, image, data);
    encode(&m->p, m->maps, m->coils, true, false, data, left);
    encode(&m->p, m->maps, m->coils, true, false, m->data, right);
    for (size_t i = 0; i < 2 * voxels; i++) {
        off += pow(left[i] + lambda * image[i] - right[i], 2);
        norm += right[i] * right[i];
    }
    free(data);
    free(left);
    free(right);
    return sqrt(off / norm);
}

static void expect_at_most(double found, double most, const char *what, size_t coils)
{
    ck_assert_msg(found <= most, "%zu coils: %s is %g, at most %g was expected", coils, what, found, most);
}

static double distance(const double *found, const double *wanted, size_t voxels)
{
    kn_recon_quality quality;

    EXPECT_OK(kn_recon_compare(found, wanted, voxels, false, false, &quality, &err));
    return quality.error_percent / 100;
}

// For 256 voxels, 128 samples in each coil: two coils have just as many numbers as voxels, eight have four
// times as many. No spoke reaches the corners of the band, which contain a fourth of the content of edges.
static void expect_images(size_t coils)
{
    struct measured m = measure(coils, SIDE, SPOKES);
    kn_recon_solve_options options = KN_INIT(
        kn_recon_solve_options, .kernel = KN_RECON_KERNEL_HOST_DOUBLE, .iterations = 300, .tolerance = 1e-10,
        .lambda = 1e-4, .relative_lambda = true, .sense = KN_RECON_SENSE_MAPS, .maps = m.maps);
    kn_recon_solution *exact = NULL, *single = NULL, *forward = NULL, *apart = NULL;
    const double *image;
    double error;

    EXPECT_OK(kn_recon_solve(NULL, &m.scan, &options, &exact, &err));
    image = kn_recon_solution_get_image(exact);
    error = distance(image, m.p.image, m.p.voxels);
    ck_assert_uint_eq(kn_recon_solution_get_coils(exact), 1);
    ck_assert_int_eq(kn_recon_solution_get_coil(exact, 0).stopped, KN_SOLVE_STOPPED_TOLERANCE);
    expect_at_most(remaining(&m, kn_recon_solution_get_lambda(exact), image), 2e-10, "the residual", coils);
    expect_at_most(error, coils < 4 ? 0.45 : 0.29, "the image's error", coils);
    // On a device, within the limits of single precision and of the condition number, ten thousand; and by
    // both sums.
    options.kernel = KN_RECON_KERNEL_AUTO;
    options.tolerance = 1e-6;
    EXPECT_OK(kn_recon_solve(queue, &m.scan, &options, &single, &err));
    expect_at_most(distance(kn_recon_solution_get_image(single), image, m.p.voxels), 1e-3, "a device", coils);
    options.normal = KN_RECON_NORMAL_FORWARD;
    options.relative_lambda = false;
    options.lambda = kn_recon_solution_get_lambda(exact);
    EXPECT_OK(kn_recon_solve(queue, &m.scan, &options, &forward, &err));
    expect_at_most(distance(kn_recon_solution_get_image(forward), image, m.p.voxels), 1e-3, "both sums",
                   coils);
    // Work that the coils do not share.
    options.sense = KN_RECON_SENSE_NONE;
    options.maps = NULL;
    EXPECT_OK(kn_recon_solve(NULL, &m.scan, &options, &apart, &err));
    ck_assert_uint_eq(kn_recon_solution_get_coils(apart), coils);
    ck_assert_double_gt(distance(kn_recon_solution_get_image(apart), m.p.image, m.p.voxels), 1.3 * error);
    kn_recon_solution_free(apart);
    kn_recon_solution_free(forward);
    kn_recon_solution_free(single);
    kn_recon_solution_free(exact);
    free_measured(&m);
}

START_TEST(images)
{
    for (size_t coils = 2; coils <= MOST; coils++)
        expect_images(coils);
}
END_TEST

// From a starting image for all coils; with no iterations it is the result.
START_TEST(starts)
{
    struct measured m = measure(3, SIDE, SPOKES);
    kn_recon_solve_options options =
        KN_INIT(kn_recon_solve_options, .sense = KN_RECON_SENSE_MAPS, .maps = m.maps, .start = m.p.image);
    kn_recon_solution *solution = NULL;

    for (unsigned place = 0; place < 2; place++) {
        options.kernel = place ? KN_RECON_KERNEL_AUTO : KN_RECON_KERNEL_HOST_DOUBLE;
        EXPECT_OK(kn_recon_solve(queue, &m.scan, &options, &solution, &err));
        expect_at_most(distance(kn_recon_solution_get_image(solution), m.p.image, m.p.voxels), 1e-7,
                       "a start", 3);
        expect_at_most(kn_recon_solution_get_coil(solution, 0).residual, 1e-5, "the truth's residual", 3);
        kn_recon_solution_free(solution);
    }
    free_measured(&m);
}
END_TEST

// ---- refusals ----

START_TEST(refused)
{
    struct measured m = measure(2, SIDE, SPOKES);
    kn_recon_solve_options options =
        KN_INIT(kn_recon_solve_options, .kernel = KN_RECON_KERNEL_HOST_DOUBLE, .sense = KN_RECON_SENSE_MAPS);
    kn_recon_solution *const untouched = (kn_recon_solution *)&m, *solution = untouched;
    size_t numbers = 2 * m.coils * m.p.voxels;

#define REFUSED(words)                                                                                       \
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, words, kn_recon_solve(NULL, &m.scan, &options, &solution, &err))
    REFUSED("maps are NULL; the coils' sensitivities are what maps combines them by");
    options.maps = m.maps;
    options.method = KN_RECON_METHOD_ADJOINT;
    REFUSED("sensitivities of coils go with least squares, not with adjoint");
    options.method = KN_RECON_METHOD_LEAST_SQUARES;
    options.sense = KN_RECON_SENSE_NONE;
    REFUSED("maps go with KN_RECON_SENSE_MAPS, not with none");
    options.sense = (kn_recon_sense)99;
    REFUSED("there is no combination of coils 99; see kn_recon_sense");
    options.sense = KN_RECON_SENSE_MAPS;
    m.maps[numbers - 1] = NAN;
    REFUSED("the map of coil 1 is ");
    memset(m.maps, 0, numbers * sizeof *m.maps);
    REFUSED("the maps of the coils are all 0");
#undef REFUSED
    ck_assert_ptr_eq(solution, untouched);
    free_measured(&m);
}
END_TEST

static kn_status nothing(void *data, bool adjoint, const void *from, void *to, kn_error *error)
{
    (void)data;
    (void)adjoint;
    (void)from;
    (void)to;
    (void)error;
    return KN_OK;
}

START_TEST(refused_operators)
{
    kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = 3, .columns = 2, .type = KN_F64,
                                              .is_complex = true, .apply_host = nothing);
    const double maps[] = {0, 0, 1, 0}, zeros[4] = {0};
    kn_operator *a = NULL, *real = NULL, *const untouched = (kn_operator *)&functions, *made = untouched;

    EXPECT_OK(kn_operator_create(NULL, &functions, &a, &err));
    functions.is_complex = false;
    EXPECT_OK(kn_operator_create(NULL, &functions, &real, &err));
#define REFUSED(words, ...) EXPECT_REFUSED(KN_ERROR_ARGUMENT, words, kn_recon_sense_create(__VA_ARGS__, &err))
    REFUSED("the operator is NULL", NULL, NULL, true, maps, 1, &made);
    REFUSED("maps is NULL", NULL, a, true, NULL, 1, &made);
    REFUSED("made is NULL", NULL, a, true, maps, 1, NULL);
    REFUSED("there are no coils", NULL, a, true, maps, 0, &made);
    REFUSED("one of complex numbers", NULL, real, true, maps, 1, &made);
    REFUSED("not one of the queue's context", queue, a, true, maps, 1, &made);
    REFUSED("3 rows and 2 columns has no sum of S^H A S", NULL, a, false, maps, 1, &made);
    REFUSED("the maps of the coils are all 0", NULL, a, true, zeros, 1, &made);
#undef REFUSED
    EXPECT_REFUSED(KN_ERROR_LIMIT, "more than memory has addresses for",
                   kn_recon_sense_create(NULL, a, true, maps, SIZE_MAX / 32, &made, &err));
    ck_assert_ptr_eq(made, untouched);
    kn_operator_free(real);
    kn_operator_free(a);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {operators, images, starts, refused, refused_operators};

    return test_run("coils", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
