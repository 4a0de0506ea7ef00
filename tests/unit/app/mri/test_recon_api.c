// SPDX-License-Identifier: Apache-2.0
// Tests koine/recon.h: every operation with every kernel, on the host and on a device, in arrays and in
// buffers, against the definitions; operators; plans and operators freed in any order; and refusals.
#include "recon_api_support.h"

#include <koine/koine.h>

#include "support/failing_backend.h"

static const kn_recon_matrix matrices[] = {
    {2, {7, 5, 0}}, {2, {1, 9, 1}}, {3, {5, 4, 3}}, {3, {6, 1, 5}}, {2, {16, 13, 0}}, {3, {1, 1, 2}},
};
static const size_t counts[] = {37, 1, 61, 20, 130, 3};
enum { MATRICES = sizeof matrices / sizeof *matrices };

static kn_recon_plan *make_plan(const struct problem *p, kn_queue *on, kn_recon_kernel kernel,
                                kn_recon_normal_method normal)
{
    const kn_recon_options options = KN_INIT(kn_recon_options, .kernel = kernel, .normal = normal,
                                             .weights = p->weights, .basis = p->basis);
    kn_recon_plan *plan = NULL;

    EXPECT_OK(kn_recon_plan_create(on, &p->matrix, p->k, p->samples, &options, &plan, &err));
    ck_assert_uint_eq(kn_recon_plan_get_voxels(plan), p->voxels);
    ck_assert_uint_eq(kn_recon_plan_get_samples(plan), p->samples);
    ck_assert_double_eq(kn_recon_plan_get_bound(plan), 0);
    return plan;
}

// As the header promises for |k| <= 32.
static double error_of(kn_recon_kernel kernel, bool forward)
{
    if (kernel == KN_RECON_KERNEL_HOST_DOUBLE)
        return 1e-14;
    if (kernel == KN_RECON_KERNEL_HOST_SINGLE)
        return forward ? 3e-6 : 1e-6;
    return forward || kernel == KN_RECON_KERNEL_TUNED ? 5e-7 : 3e-6;
}

static double norm_of(const double *pairs, size_t count)
{
    double squares = 0;

    for (size_t i = 0; i < 2 * count; i++)
        squares += pairs[i] * pairs[i];
    return sqrt(squares);
}

// The scale of the normal operator's error: a bound on its norm, times the image's.
static double normal_scale(const struct problem *p)
{
    double sum = 0;

    for (size_t m = 0; m < p->samples; m++)
        sum += (p->weights ? p->weights[m] : 1) *
               (p->basis ? p->basis[2 * m] * p->basis[2 * m] + p->basis[2 * m + 1] * p->basis[2 * m + 1] : 1);
    return sum * (double)p->voxels * norm_of(p->image, p->voxels);
}

static void expect_bound(const struct problem *p, const kn_recon_plan *plan, kn_recon_normal_method normal)
{
    double bound = kn_recon_plan_get_bound(plan), scale = norm_of(p->image, p->voxels);

    if (normal == KN_RECON_NORMAL_FORWARD)
        ck_assert_double_eq(bound, 0);
    else
        ck_assert_msg(bound * scale * (1 + 1e-5) >= norm_of(p->normal, p->voxels) &&
                          bound * scale <= 16 * normal_scale(p),
                      "bound %g, but an image of norm %g has one of %g", bound, scale,
                      norm_of(p->normal, p->voxels));
}

// ---- with arrays ----

static void expect_arrays(const struct problem *p, kn_queue *on, kn_recon_kernel kernel,
                          kn_recon_normal_method normal)
{
    kn_recon_plan *plan = make_plan(p, on, kernel, normal);
    kn_recon_kernel ran = kn_recon_plan_get_kernel(plan);
    const char *name = kn_recon_kernel_name(ran);

    ck_assert_int_eq(ran, kernel != KN_RECON_KERNEL_AUTO ? kernel
                          : on                           ? KN_RECON_KERNEL_TUNED
                                                         : KN_RECON_KERNEL_HOST_DOUBLE);
    for (int turn = 0; turn < 2; turn++) { // the second time everything is prepared
        double *data = poisoned_pairs(p->samples), *image = poisoned_pairs(p->voxels),
               *again = poisoned_pairs(p->voxels);

        EXPECT_OK(kn_recon_forward(plan, p->image, data, &err));
        EXPECT_OK(kn_recon_adjoint(plan, p->data, image, &err));
        EXPECT_OK(kn_recon_normal(plan, p->image, again, &err));
        // Relative to the sum of all terms: sums of random numbers may cancel.
        expect_array(data, p->forward, p->samples, error_of(ran, true),
                     norm_of(p->image, p->voxels) * sqrt((double)(p->voxels * p->samples)), name);
        expect_array(image, p->adjoint, p->voxels, error_of(ran, false),
                     norm_of(p->data, p->samples) * sqrt((double)(p->voxels * p->samples)), name);
        expect_array(again, p->normal, p->voxels, 2 * error_of(ran, false), normal_scale(p), name);
        expect_bound(p, plan, normal);
    }
    kn_recon_plan_free(plan);
}

START_TEST(arrays)
{
    uint64_t state = test_seed("arrays");

    for (size_t s = 0; s < MATRICES; s++)
        for (unsigned kind = 0; kind < API_KINDS; kind++) {
            struct problem p = random_problem(&matrices[s], counts[s], kind, &state);

            for (unsigned kernel = 0; kernel <= KN_RECON_KERNEL_HOST_SINGLE; kernel++)
                for (unsigned normal = 0; normal < 2; normal++) {
                    if (kernel < KN_RECON_KERNEL_HOST_DOUBLE)
                        expect_arrays(&p, queue, (kn_recon_kernel)kernel, (kn_recon_normal_method)normal);
                    if (kernel == 0 || kernel >= KN_RECON_KERNEL_HOST_DOUBLE)
                        expect_arrays(&p, NULL, (kn_recon_kernel)kernel, (kn_recon_normal_method)normal);
                }
            free_problem(&p);
        }
}
END_TEST

// ---- with buffers ----

static void expect_buffers(const struct problem *p, kn_recon_kernel kernel, kn_recon_normal_method normal)
{
    kn_recon_plan *plan = make_plan(p, queue, kernel, normal);
    const char *name = kn_recon_kernel_name(kernel);
    kn_buffer *image = upload_pairs(p->image, p->voxels), *data = upload_pairs(p->data, p->samples);

    for (int turn = 0; turn < 2; turn++) {
        kn_buffer *forward = upload_pairs(NULL, p->samples), *adjoint = upload_pairs(NULL, p->voxels),
                  *squared = upload_pairs(NULL, p->voxels);

        EXPECT_OK(kn_recon_forward_buffers(plan, image, forward, &err));
        EXPECT_OK(kn_recon_adjoint_buffers(plan, data, adjoint, &err));
        EXPECT_OK(kn_recon_normal_buffers(plan, image, squared, &err));
        expect_buffer(forward, p->forward, p->samples, 5e-7,
                      norm_of(p->image, p->voxels) * sqrt((double)(p->voxels * p->samples)), name);
        expect_buffer(adjoint, p->adjoint, p->voxels, error_of(kernel, false),
                      norm_of(p->data, p->samples) * sqrt((double)(p->voxels * p->samples)), name);
        expect_buffer(squared, p->normal, p->voxels, 2 * error_of(kernel, false), normal_scale(p), name);
        expect_bound(p, plan, normal);
    }
    expect_buffer(image, p->image, p->voxels, 0, 1, "the image that was given");
    expect_buffer(data, p->data, p->samples, 0, 1, "the data that were given");
    kn_recon_plan_free(plan);
}

START_TEST(buffers)
{
    uint64_t state = test_seed("buffers");

    for (size_t s = 0; s < MATRICES; s++)
        for (unsigned kind = 0; kind < API_KINDS; kind++) {
            struct problem p = random_problem(&matrices[s], counts[s], kind, &state);

            expect_buffers(&p, KN_RECON_KERNEL_TUNED, KN_RECON_NORMAL_TOEPLITZ);
            expect_buffers(&p, KN_RECON_KERNEL_REGISTER, KN_RECON_NORMAL_FORWARD);
            free_problem(&p);
        }
}
END_TEST

// ---- gridding ----

// By the header's table: `columns` of it are tested, with twice the error because the samples are not a
// spiral's.
START_TEST(gridding)
{
    static const struct {
        double oversampling;
        unsigned width;
        double error;
    } rows[] = {{1.25, 3, 2.4e-2}, {1.25, 6, 3e-4}, {1.5, 4, 1.1e-3}, {0, 0, 2.7e-6},
                {2, 6, 2.7e-6},    {2, 8, 3e-7},    {2, 4, 2.4e-4}};
    static const kn_recon_matrix shapes[] = {{2, {24, 31, 0}}, {3, {12, 9, 11}}, {2, {33, 1, 1}}};
    uint64_t state = test_seed("gridding");

    for (size_t s = 0; s < 3; s++)
        for (unsigned kind = 0; kind < 2; kind++) {
            struct problem p = random_problem(&shapes[s], 300, kind, &state);

            for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
                const kn_recon_options options =
                    KN_INIT(kn_recon_options, .weights = p.weights, .oversampling = rows[i].oversampling,
                            .width = rows[i].width);
                double *data = poisoned_pairs(p.samples), *image = poisoned_pairs(p.voxels);
                kn_buffer *from = upload_pairs(p.image, p.voxels), *given = upload_pairs(p.data, p.samples),
                          *to = upload_pairs(NULL, p.samples), *made = upload_pairs(NULL, p.voxels);
                kn_recon_plan *plan = NULL;

                EXPECT_OK(kn_recon_plan_create(queue, &p.matrix, p.k, p.samples, &options, &plan, &err));
                EXPECT_OK(kn_recon_gridding_forward(plan, p.image, data, &err));
                EXPECT_OK(kn_recon_gridding_adjoint(plan, p.data, image, &err));
                EXPECT_OK(kn_recon_gridding_forward_buffers(plan, from, to, &err));
                EXPECT_OK(kn_recon_gridding_adjoint_buffers(plan, given, made, &err));
                expect_buffer(to, p.forward, p.samples, 5 * rows[i].error + 3e-7, 0, "gridding, data");
                expect_buffer(made, p.adjoint, p.voxels, 5 * rows[i].error + 3e-7, 0, "gridding, image");
                expect_array(data, p.forward, p.samples, 5 * rows[i].error + 3e-7, 0, "gridded data");
                expect_array(image, p.adjoint, p.voxels, 5 * rows[i].error + 3e-7, 0, "gridded image");
                expect_buffer(from, p.image, p.voxels, 0, 1, "the image that was given");
                expect_buffer(given, p.data, p.samples, 0, 1, "the data that were given");
                kn_recon_plan_free(plan);
            }
            free_problem(&p);
        }
}
END_TEST

// ---- operators ----

static kn_operator *make_operator(kn_recon_plan *plan, kn_recon_operator_kind kind, const struct problem *p,
                                  kn_queue *on)
{
    kn_operator *a = NULL;

    EXPECT_OK(kn_recon_operator_create(plan, kind, &a, &err));
    ck_assert_uint_eq(kn_operator_get_columns(a), p->voxels);
    ck_assert_uint_eq(kn_operator_get_rows(a), kind == KN_RECON_OPERATOR_NORMAL ? p->voxels : p->samples);
    ck_assert_int_eq(kn_operator_get_type(a), on ? KN_F32 : KN_F64);
    ck_assert(kn_operator_get_is_complex(a));
    ck_assert_ptr_eq(kn_operator_get_context(a), on ? context : NULL);
    return a;
}

static void expect_applied(const kn_operator *a, bool on_device, bool adjoint, const double *from,
                           size_t columns, const double *wanted, size_t rows, double error)
{
    if (on_device) {
        kn_buffer *in = upload_pairs(from, columns), *out = upload_pairs(NULL, rows);

        EXPECT_OK(kn_operator_apply(queue, a, adjoint, in, out, &err));
        expect_buffer(out, wanted, rows, error, 0, "an operator");
        kn_buffer_free(in);
    } else {
        double *out = poisoned_pairs(rows);

        EXPECT_OK(kn_operator_apply_host(a, adjoint, from, out, &err));
        expect_array(out, wanted, rows, error, 0, "an operator");
    }
}

static void expect_operators(const struct problem *p, kn_queue *on, kn_recon_normal_method normal,
                             uint64_t seed)
{
    kn_recon_plan *plan = make_plan(p, on, KN_RECON_KERNEL_AUTO, normal);
    double error = on ? 1e-5 : 1e-11, difference;

    for (unsigned kind = 0; kind <= KN_RECON_OPERATOR_GRIDDING; kind++) {
        bool squared = kind == KN_RECON_OPERATOR_NORMAL;
        kn_operator *a;

        if (kind == KN_RECON_OPERATOR_GRIDDING && (!on || p->basis))
            continue;
        a = make_operator(plan, (kn_recon_operator_kind)kind, p, on);
        for (unsigned turn = 0; turn < 2; turn++) {
            EXPECT_OK(kn_operator_check_adjoint(on, a, seed + turn, &difference, &err));
            ck_assert_msg(difference < (on ? 1e-5 : 1e-13), "operator %u of %zu x %zu: <A x, y> is off by %g",
                          kind, p->samples, p->voxels, difference);
        }
        expect_applied(a, on, false, p->image, p->voxels, squared ? p->normal : p->forward,
                       squared ? p->voxels : p->samples, 3 * error);
        if (squared)
            expect_applied(a, on, true, p->image, p->voxels, p->normal, p->voxels, 3 * error);
        else
            expect_applied(a, on, true, p->data, p->samples, p->bare, p->voxels, 3 * error);
        kn_operator_free(a);
    }
    kn_recon_plan_free(plan);
}

START_TEST(operators)
{
    static const kn_recon_matrix shapes[] = {{2, {13, 10, 0}}, {3, {5, 7, 6}}};
    uint64_t state = test_seed("operators");

    for (size_t s = 0; s < 2; s++)
        for (unsigned kind = 0; kind < API_KINDS; kind++) {
            struct problem p = random_problem(&shapes[s], 150, kind, &state);

            for (unsigned normal = 0; normal < 2; normal++) {
                expect_operators(&p, NULL, (kn_recon_normal_method)normal, state);
                expect_operators(&p, queue, (kn_recon_normal_method)normal, state);
            }
            free_problem(&p);
        }
}
END_TEST

// ---- lifetimes ----

// Plan, operators, queue and context are freed in every order; what is left continues to work, operators also
// in another queue.
START_TEST(freed_in_any_order)
{
    uint64_t state = test_seed("freed_in_any_order");
    struct problem p = random_problem(&matrices[0], counts[0], API_WEIGHTS, &state);

    for (unsigned order = 0; order < 24; order++) {
        kn_context *own = NULL;
        kn_queue *first = NULL, *second = NULL;
        kn_operator *made[3] = {NULL, NULL, NULL};
        kn_buffer *from = NULL, *to = NULL;
        kn_recon_plan *plan;
        unsigned left[4] = {0, 1, 2, 3};

        EXPECT_OK(kn_context_open(NULL, NULL, &own, &err));
        EXPECT_OK(kn_queue_open(own, &first, &err));
        EXPECT_OK(kn_queue_open(own, &second, &err));
        plan = make_plan(&p, first, KN_RECON_KERNEL_AUTO, KN_RECON_NORMAL_TOEPLITZ);
        for (unsigned kind = 0; kind < 3; kind++)
            EXPECT_OK(kn_recon_operator_create(plan, (kn_recon_operator_kind)kind, &made[kind], &err));
        EXPECT_OK(kn_buffer_create(own, 8 * p.voxels, &from, &err));
        EXPECT_OK(kn_buffer_create(own, 8 * (p.voxels + p.samples), &to, &err));
        EXPECT_OK(kn_buffer_fill(second, from, "\0\0\0", 4, 0, 8 * p.voxels, NULL, &err));
        for (unsigned step = 4, rest = order; step > 0; rest /= step, step--) {
            unsigned chosen = rest % step, what = left[chosen];

            memmove(left + chosen, left + chosen + 1, (4 - chosen - 1) * sizeof *left);
            if (what == 0)
                kn_recon_plan_free(plan);
            else if (what == 1)
                kn_queue_close(first);
            else if (what == 2)
                kn_context_close(own);
            for (unsigned kind = 0; kind < 3; kind++) {
                if (made[kind])
                    EXPECT_OK(kn_operator_apply(second, made[kind], false, from, to, &err));
                if (what == 3) {
                    kn_operator_free(made[kind]);
                    made[kind] = NULL;
                }
            }
        }
        EXPECT_OK(kn_queue_finish(second, &err));
        kn_buffer_free(from);
        kn_buffer_free(to);
        kn_queue_close(second);
    }
    free_problem(&p);
}
END_TEST

// On the host an operator also outlives its plan.
START_TEST(host_operator_alone)
{
    uint64_t state = test_seed("host_operator_alone");
    struct problem p = random_problem(&matrices[2], counts[2], API_WEIGHTS | API_BASIS, &state);

    for (unsigned normal = 0; normal < 2; normal++) {
        kn_recon_plan *plan = make_plan(&p, NULL, KN_RECON_KERNEL_AUTO, (kn_recon_normal_method)normal);
        kn_operator *encoding = make_operator(plan, KN_RECON_OPERATOR_ENCODING, &p, NULL),
                    *squared = make_operator(plan, KN_RECON_OPERATOR_NORMAL, &p, NULL);

        kn_recon_plan_free(plan);
        expect_applied(encoding, false, false, p.image, p.voxels, p.forward, p.samples, 1e-11);
        kn_operator_free(encoding);
        expect_applied(squared, false, false, p.image, p.voxels, p.normal, p.voxels, 1e-11);
        kn_operator_free(squared);
    }
    free_problem(&p);
}
END_TEST

// ---- failures ----

// Each call of the driver fails in turn: the caller gets the error, and the plan works afterwards.
static void expect_failures(const struct problem *p, kn_recon_normal_method normal,
                            kn_status (*call)(kn_recon_plan *, const double *, double *, kn_error *),
                            const double *from, size_t count, const double *wanted)
{
    kn_status status = KN_ERROR_DEVICE;

    for (long calls = 0; status; calls++) {
        kn_recon_plan *plan = make_plan(p, queue, KN_RECON_KERNEL_AUTO, normal);
        double *to = poisoned_pairs(count);

        err = (kn_error)KN_ERROR_INIT;
        failing_begin(calls);
        status = call(plan, from, to, &err);
        failing_end(status);
        ck_assert_msg(calls < 400, "the call fails for good: %s", err.text);
        EXPECT_OK(call(plan, from, to, &err));
        expect_array(to, wanted, count, 1e-4, 0, "after a failure");
        kn_recon_plan_free(plan);
    }
}

START_TEST(failures)
{
    uint64_t state = test_seed("failures");
    struct problem p = random_problem(&matrices[4], counts[4], API_WEIGHTS, &state);

    expect_failures(&p, KN_RECON_NORMAL_TOEPLITZ, kn_recon_forward, p.image, p.samples, p.forward);
    expect_failures(&p, KN_RECON_NORMAL_TOEPLITZ, kn_recon_adjoint, p.data, p.voxels, p.adjoint);
    expect_failures(&p, KN_RECON_NORMAL_TOEPLITZ, kn_recon_normal, p.image, p.voxels, p.normal);
    expect_failures(&p, KN_RECON_NORMAL_FORWARD, kn_recon_normal, p.image, p.voxels, p.normal);
    expect_failures(&p, KN_RECON_NORMAL_TOEPLITZ, kn_recon_gridding_forward, p.image, p.samples, p.forward);
    expect_failures(&p, KN_RECON_NORMAL_TOEPLITZ, kn_recon_gridding_adjoint, p.data, p.voxels, p.adjoint);
    free_problem(&p);
}
END_TEST

// ---- what is refused ----

START_TEST(refused_plans)
{
    uint64_t state = test_seed("refused_plans");
    struct problem p = random_problem(&matrices[0], counts[0], API_WEIGHTS | API_BASIS, &state);
    kn_recon_plan *const untouched = (kn_recon_plan *)&state, *plan = untouched;
    kn_recon_options options = KN_INIT(kn_recon_options), unsized = {.struct_size = 0};
    kn_recon_matrix bad = p.matrix;
    kn_recon_memory memory = {1, 2, 3, 4};

#define REFUSED(status, words, ...)                                                                          \
    EXPECT_REFUSED(status, "kn_recon_plan_create: " words, kn_recon_plan_create(__VA_ARGS__, &err));         \
    ck_assert_ptr_eq(plan, untouched)
#define REFUSED_MATRIX(words)                                                                                \
    REFUSED(KN_ERROR_ARGUMENT, words, NULL, &bad, p.k, p.samples, NULL, &plan);                              \
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_recon_measure: " words,                                            \
                   kn_recon_measure(NULL, &bad, 5, NULL, &memory, &err));                                    \
    bad = p.matrix
#define REFUSED_OPTIONS(status, words, on)                                                                   \
    REFUSED(status, words, on, &p.matrix, p.k, p.samples, &options, &plan);                                  \
    EXPECT_REFUSED(status, "kn_recon_measure: " words,                                                       \
                   kn_recon_measure(on, &p.matrix, 5, &options, &memory, &err));                             \
    options = KN_INIT(kn_recon_options)
    REFUSED(KN_ERROR_ARGUMENT, "matrix is NULL", NULL, NULL, p.k, p.samples, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "k is NULL", NULL, &p.matrix, NULL, p.samples, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", NULL, &p.matrix, p.k, p.samples, NULL, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "there are no samples", NULL, &p.matrix, p.k, 0, NULL, &plan);
    REFUSED(KN_ERROR_LIMIT, "18446744073709551615 samples", NULL, &p.matrix, p.k, SIZE_MAX, NULL, &plan);
    REFUSED(KN_ERROR_ARGUMENT, "the kn_recon_options has a struct_size of 0", NULL, &p.matrix, p.k, p.samples,
            &unsized, &plan);
    bad.axes = 1;
    REFUSED_MATRIX("a matrix of 1 axes");
    bad.axes = 4;
    REFUSED_MATRIX("a matrix of 4 axes");
    bad.size[2] = 2;
    REFUSED_MATRIX("a matrix of two axes with 2 voxels along a third");
    bad.size[1] = 0;
    REFUSED_MATRIX("a matrix of 7 x 0 x 1 voxels");
    bad.axes = 3; // its third size is 0
    REFUSED_MATRIX("a matrix of 7 x 5 x 0 voxels");
    bad.size[0] = (size_t)1 << 29;
    REFUSED_MATRIX("a matrix of 536870912 voxels along x");
    bad = (kn_recon_matrix){3, {((size_t)1 << 29) - 1, ((size_t)1 << 29) - 1, 5}};
    REFUSED_MATRIX("a matrix of 536870911 x 536870911 x 5 voxels");
    options.kernel = (kn_recon_kernel)10;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "there is no kernel 10", queue);
    options.kernel = KN_RECON_KERNEL_HOST_SINGLE;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "the kernel host-single runs on the host", queue);
    options.kernel = KN_RECON_KERNEL_NAIVE;
    REFUSED_OPTIONS(KN_ERROR_UNSUPPORTED, "the kernel naive runs on a device", NULL);
    options.normal = (kn_recon_normal_method)2;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "there is no method 2", queue);
    options.oversampling = 1.2;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "an oversampling of 1.2", queue);
    options.oversampling = NAN;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "an oversampling of ", queue);
    options.width = 9;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "a window 9 cells wide", queue);
    options.width = 1;
    REFUSED_OPTIONS(KN_ERROR_ARGUMENT, "a window 1 cells wide", queue);
    ck_assert_uint_eq(memory.plan + 10 * memory.sums + 100 * memory.normal + 1000 * memory.gridding, 4321);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_recon_measure: memory is NULL",
                   kn_recon_measure(NULL, &p.matrix, 5, NULL, NULL, &err));
    ck_assert_int_eq(kn_recon_plan_create(NULL, NULL, NULL, 0, NULL, &plan, NULL), KN_ERROR_ARGUMENT);
    free_problem(&p);
}
END_TEST

START_TEST(refused_samples)
{
    uint64_t state = test_seed("refused_samples");
    struct problem p = random_problem(&matrices[0], counts[0], API_WEIGHTS | API_BASIS, &state);
    kn_recon_plan *const untouched = (kn_recon_plan *)&state, *plan = untouched;
    kn_recon_options options = KN_INIT(kn_recon_options);
    double kept = p.k[6];

    p.k[6] = NAN;
    REFUSED(KN_ERROR_ARGUMENT, "sample 2: kx is ", NULL, &p.matrix, p.k, p.samples, NULL, &plan);
    p.k[6] = -4.6;
    REFUSED(KN_ERROR_ARGUMENT, "sample 2: kx is -4.6", NULL, &p.matrix, p.k, p.samples, NULL, &plan);
    p.k[6] = kept;
    p.k[3 * p.samples - 1] = 1;
    REFUSED(KN_ERROR_ARGUMENT, "sample 36: kz is 1", NULL, &p.matrix, p.k, p.samples, NULL, &plan);
    p.k[3 * p.samples - 1] = 0;
    options.weights = p.weights;
    p.weights[36] = -1;
    REFUSED(KN_ERROR_ARGUMENT, "sample 36: a weight of -1", NULL, &p.matrix, p.k, p.samples, &options, &plan);
    p.weights[36] = INFINITY;
    REFUSED(KN_ERROR_ARGUMENT, "sample 36: a weight of inf", NULL, &p.matrix, p.k, p.samples, &options,
            &plan);
    p.weights[36] = 1;
    options.basis = p.basis;
    p.basis[5] = NAN;
    REFUSED(KN_ERROR_ARGUMENT, "sample 2: a basis of ", queue, &p.matrix, p.k, p.samples, &options, &plan);
#undef REFUSED
    free_problem(&p);
}
END_TEST

START_TEST(refused_calls)
{
    uint64_t state = test_seed("refused_calls");
    struct problem p = random_problem(&matrices[0], counts[0], API_BASIS, &state);
    kn_recon_plan *host = make_plan(&p, NULL, KN_RECON_KERNEL_AUTO, KN_RECON_NORMAL_TOEPLITZ),
                  *device = make_plan(&p, queue, KN_RECON_KERNEL_AUTO, KN_RECON_NORMAL_TOEPLITZ);
    double *to = poisoned_pairs(0);
    kn_buffer *image = upload_pairs(p.image, p.voxels), *data = upload_pairs(p.data, p.samples),
              *small = NULL, *foreign = NULL;
    kn_context *stranger = NULL;
    kn_operator *const untouched = (kn_operator *)&state, *a = untouched;

    EXPECT_OK(kn_buffer_create(context, 8 * p.voxels - 1, &small, &err));
    EXPECT_OK(kn_context_open(NULL, NULL, &stranger, &err));
    EXPECT_OK(kn_buffer_create(stranger, 8 * (p.voxels + p.samples), &foreign, &err));
#define REFUSED(status, words, name, ...) EXPECT_REFUSED(status, #name ": " words, name(__VA_ARGS__, &err))
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", kn_recon_forward, NULL, p.image, to);
    REFUSED(KN_ERROR_ARGUMENT, "image is NULL", kn_recon_forward, host, NULL, to);
    REFUSED(KN_ERROR_ARGUMENT, "data is NULL", kn_recon_forward, device, p.image, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "data is NULL", kn_recon_adjoint, host, NULL, to);
    REFUSED(KN_ERROR_ARGUMENT, "image is NULL", kn_recon_adjoint, device, p.data, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "from is NULL", kn_recon_normal, host, NULL, to);
    REFUSED(KN_ERROR_ARGUMENT, "to is NULL", kn_recon_normal, device, p.image, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "both arrays are the same", kn_recon_normal, host, to, to);
    REFUSED(KN_ERROR_ARGUMENT, "image is NULL", kn_recon_gridding_forward, device, NULL, to);
    REFUSED(KN_ERROR_ARGUMENT, "data is NULL", kn_recon_gridding_adjoint, device, NULL, to);
    REFUSED(KN_ERROR_UNSUPPORTED, "gridding runs on a device", kn_recon_gridding_forward, host, p.image, to);
    REFUSED(KN_ERROR_UNSUPPORTED, "gridding runs on a device", kn_recon_gridding_adjoint, host, p.data, to);
    REFUSED(KN_ERROR_UNSUPPORTED, "gridding takes voxels as points", kn_recon_gridding_forward, device,
            p.image, to);
    REFUSED(KN_ERROR_UNSUPPORTED, "gridding takes voxels as points", kn_recon_gridding_adjoint, device,
            p.data, to);
    REFUSED(KN_ERROR_ARGUMENT, "this plan is of the host", kn_recon_adjoint_buffers, host, data, image);
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", kn_recon_forward_buffers, NULL, image, data);
    REFUSED(KN_ERROR_ARGUMENT, "data is NULL", kn_recon_forward_buffers, device, image, NULL);
    REFUSED(KN_ERROR_ARGUMENT, "both buffers are the same", kn_recon_normal_buffers, device, image, image);
    REFUSED(KN_ERROR_ARGUMENT, "an image: ", kn_recon_adjoint_buffers, device, data, small);
    REFUSED(KN_ERROR_ARGUMENT, "an image: ", kn_recon_normal_buffers, device, small, image);
    REFUSED(KN_ERROR_ARGUMENT, "data: the buffer belongs to another context", kn_recon_forward_buffers,
            device, image, foreign);
    REFUSED(KN_ERROR_ARGUMENT, "an image: the buffer belongs to another context", kn_recon_normal_buffers,
            device, foreign, image);
    REFUSED(KN_ERROR_ARGUMENT, "data: ", kn_recon_gridding_forward_buffers, device, image, small);
    REFUSED(KN_ERROR_ARGUMENT, "plan is NULL", kn_recon_operator_create, NULL, KN_RECON_OPERATOR_NORMAL, &a);
    REFUSED(KN_ERROR_ARGUMENT, "made is NULL", kn_recon_operator_create, host, KN_RECON_OPERATOR_NORMAL,
            NULL);
    REFUSED(KN_ERROR_ARGUMENT, "there is no operator 3", kn_recon_operator_create, host,
            (kn_recon_operator_kind)3, &a);
    REFUSED(KN_ERROR_UNSUPPORTED, "gridding runs on a device", kn_recon_operator_create, host,
            KN_RECON_OPERATOR_GRIDDING, &a);
    REFUSED(KN_ERROR_UNSUPPORTED, "gridding takes voxels as points", kn_recon_operator_create, device,
            KN_RECON_OPERATOR_GRIDDING, &a);
#undef REFUSED
    ck_assert_ptr_eq(a, untouched);
    ck_assert_int_eq(kn_recon_forward(NULL, NULL, NULL, NULL), KN_ERROR_ARGUMENT);
    expect_buffer(image, p.image, p.voxels, 0, 1, "an image after refusals");
    expect_buffer(data, p.data, p.samples, 0, 1, "data after refusals");
    expect_array(to, NULL, 0, 0, 1, "an array after refusals");
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_context_close(stranger);
    kn_recon_plan_free(host);
    kn_recon_plan_free(device);
    kn_recon_plan_free(NULL);
    free_problem(&p);
}
END_TEST

START_TEST(nothing)
{
    ck_assert_uint_eq(kn_recon_plan_get_voxels(NULL) + kn_recon_plan_get_samples(NULL), 0);
    ck_assert_double_eq(kn_recon_plan_get_bound(NULL), 0);
    ck_assert_int_eq(kn_recon_plan_get_kernel(NULL), KN_RECON_KERNEL_AUTO);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        arrays,        buffers,         gridding,      operators, freed_in_any_order, failures,
        refused_plans, refused_samples, refused_calls, nothing,   host_operator_alone};

    return test_run("recon api", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
