// SPDX-License-Identifier: Apache-2.0
// Least squares with sparse wavelets (KN_SOLVE_WAVELET of koine/solve.h): the transform and its inverse
// against the matrix of the definition, which must be orthogonal; the proximal operator (A = 1) against the
// same matrix; pictures and volumes, real and complex, on the host in both precisions and on a device,
// against plain proximal gradients with that matrix in double precision; the same bits twice; why iterations
// end; and what is refused.
#include "support/compare.h"
#include "support/device.h"
#include "support/memory/memory.h"
#include "support/random.h"
#include "support/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

#include "operator/proximal/wavelet.h"

enum { MOST = 16 * 18, NUMBERS = 2 * MOST };

// ---- the definition ----

// Applies the two filters of a level along an axis, within a box of the picture: first the low half, then the
// high half of the result.
static void filter(const size_t *shape, const size_t *box, size_t axis, double *x)
{
    static const double root = 1.7320508075688772,
                        scale = 0.17677669529663687; // sqrt(3) and 1 / (4 sqrt(2))
    const double low[] = {(1 + root) * scale, (3 + root) * scale, (3 - root) * scale, (1 - root) * scale};
    size_t step = 1, half = box[axis] / 2;
    double *made = test_zeros(shape[0] * shape[1] * shape[2], sizeof *made);

    for (size_t a = 0; a < axis; a++)
        step *= shape[a];
    for (size_t z = 0; z < box[2]; z++)
        for (size_t y = 0; y < box[1]; y++)
            for (size_t at = 0; at < box[0]; at++) {
                size_t place[] = {at, y, z}, n = at + shape[0] * (y + shape[1] * z), own = place[axis];

                // x[own] meets tap k of the filters that begin at own - k, which must be even.
                for (size_t k = 0; k < 4; k++) {
                    size_t first = (own + box[axis] - k) % box[axis], line = n - own * step;

                    if (first % 2)
                        continue;
                    made[line + first / 2 * step] += low[k] * x[n];
                    made[line + (first / 2 + half) * step] += (k % 2 ? -1 : 1) * low[3 - k] * x[n];
                }
            }
    for (size_t z = 0; z < box[2]; z++)
        for (size_t y = 0; y < box[1]; y++)
            for (size_t at = 0; at < box[0]; at++)
                x[at + shape[0] * (y + shape[1] * z)] = made[at + shape[0] * (y + shape[1] * z)];
    free(made);
}

struct transform {
    size_t n, shape[3];
    double *w;    // n x n, a row for each coefficient
    bool *coarse; // whether a coefficient belongs to the approximation
};

static struct transform define(const size_t *shape)
{
    struct transform t = {.n = shape[0] * shape[1] * shape[2], .shape = {shape[0], shape[1], shape[2]}};
    double *x = test_zeros(t.n, sizeof *x);
    size_t box[3];

    t.w = test_zeros(t.n * t.n, sizeof *t.w);
    t.coarse = test_zeros(t.n, sizeof *t.coarse);
    for (size_t j = 0; j < t.n; j++) {
        memset(x, 0, t.n * sizeof *x);
        x[j] = 1;
        memcpy(box, shape, sizeof box);
        for (unsigned level = 0; level < 5; level++) {
            bool halves[3];

            for (size_t a = 0; a < 3; a++) {
                halves[a] = box[a] % 2 == 0 && box[a] >= 16;
                if (halves[a])
                    filter(shape, box, a, x);
            }
            for (size_t a = 0; a < 3; a++)
                box[a] /= halves[a] ? 2 : 1;
        }
        for (size_t i = 0; i < t.n; i++)
            t.w[i * t.n + j] = x[i];
    }
    for (size_t i = 0; i < t.n; i++)
        t.coarse[i] =
            i % shape[0] < box[0] && i / shape[0] % shape[1] < box[1] && i / shape[0] / shape[1] < box[2];
    free(x);
    return t;
}

static void free_transform(struct transform *t)
{
    free(t->w);
    free(t->coarse);
}

// to = W from or, if `back`, W^T from, with `parts` numbers per element.
static void transform(const struct transform *t, bool back, size_t parts, const double *from, double *to)
{
    memset(to, 0, t->n * parts * sizeof *to);
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++)
            for (size_t c = 0; c < parts && t->w[i * t->n + j] != 0; c++)
                to[parts * (back ? j : i) + c] += t->w[i * t->n + j] * from[parts * (back ? i : j) + c];
}

// Shortens the modulus of each detail by `by`, or to 0. Returns the sum of the moduli that are left.
static double shorten(const struct transform *t, size_t parts, double by, double *coefficients)
{
    double sum = 0;

    for (size_t i = 0; i < t->n; i++) {
        double *own = coefficients + parts * i, size = hypot(own[0], parts > 1 ? own[1] : 0),
               left = fmax(size - by, 0);

        if (t->coarse[i])
            continue;
        for (size_t c = 0; c < parts; c++)
            own[c] = size > 0 ? own[c] * (left / size) : 0;
        sum += left;
    }
    return sum;
}

static const size_t shapes[][3] = {{16, 1, 1}, {16, 18, 1}, {36, 5, 1}, {3, 16, 6}, {7, 32, 1}};

START_TEST(orthogonal)
{
    uint64_t state = test_seed("orthogonal");

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned parts = 1; parts <= 2; parts++) {
            struct transform t = define(shapes[s]);
            const struct wavelet wavelet = ki_wavelet(shapes[s], parts);
            double x[NUMBERS], found[NUMBERS], wanted[NUMBERS], line[2 * NUMBERS], left;

            for (size_t i = 0; i < parts * t.n; i++)
                found[i] = x[i] = test_uniform(&state) - 0.5;
            transform(&t, false, parts, x, wanted);
            ki_wavelet_forward(&wavelet, found, line);
            for (size_t i = 0; i < parts * t.n; i++)
                ck_assert_double_eq_tol(found[i], wanted[i], 1e-14);
            transform(&t, true, parts, wanted, found);
            for (size_t i = 0; i < parts * t.n; i++)
                ck_assert_double_eq_tol(found[i], x[i], 1e-13); // W^T W = 1
            memcpy(found, wanted, sizeof found);
            left = shorten(&t, parts, 0.2, wanted);
            ck_assert_double_gt(left, 0);
            ck_assert_double_eq_tol(ki_wavelet_shrink(&wavelet, found, 0.2), left, 1e-12);
            for (size_t i = 0; i < parts * t.n; i++)
                ck_assert_double_eq_tol(found[i], wanted[i], 1e-14);
            transform(&t, true, parts, wanted, x);
            ki_wavelet_backward(&wavelet, found, line);
            for (size_t i = 0; i < parts * t.n; i++)
                ck_assert_double_eq_tol(found[i], x[i], 1e-13);
            free_transform(&t);
        }
}
END_TEST

// ---- operators ----

// An operator of real numbers: a diagonal and another element in each row. If `parts` is 2, it is applied to
// both parts of each element.
struct sparse {
    size_t n, rows, parts;
    kn_type type;
    double diagonal[MOST], other[MOST];
};

static double get(kn_type type, const void *array, size_t i)
{
    return type == KN_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static void put(kn_type type, void *array, size_t i, double value)
{
    if (type == KN_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

// Row i has elements in the columns i and (7 i + 1) mod n.
static void multiply(const struct sparse *a, bool adjoint, kn_type type, const void *from, void *to)
{
    double made[NUMBERS] = {0};

    for (size_t i = 0; i < a->rows; i++)
        for (size_t c = 0; c < a->parts; c++) {
            size_t row = a->parts * i + c, column = a->parts * ((7 * i + 1) % a->n) + c;

            made[row] += a->diagonal[i] * get(type, from, row);
            made[adjoint ? column : row] += a->other[i] * get(type, from, adjoint ? row : column);
        }
    for (size_t i = 0; i < a->parts * (adjoint ? a->n : a->rows); i++)
        put(type, to, i, made[i]);
}

static kn_status apply_host(void *data, bool adjoint, const void *from, void *to, kn_error *why)
{
    const struct sparse *a = data;

    (void)why;
    multiply(a, adjoint, a->type, from, to);
    return KN_OK;
}

static kn_status apply(void *data, kn_queue *on, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *why)
{
    const struct sparse *a = data;
    float x[NUMBERS], y[NUMBERS];
    kn_status status = kn_buffer_read(on, from, 0, x, a->parts * (adjoint ? a->rows : a->n) * sizeof *x, why);

    multiply(a, adjoint, KN_F32, x, y);
    return status ? status
                  : kn_buffer_write(on, to, 0, y, a->parts * (adjoint ? a->n : a->rows) * sizeof *y, why);
}

static kn_solve_plan *plan_of(struct sparse *a, bool on_device, const kn_solve_options *options)
{
    kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = a->rows, .columns = a->n,
                                              .type = a->type, .is_complex = a->parts > 1, .data = a);
    kn_operator *made = NULL;
    kn_solve_plan *plan = NULL;

    if (on_device)
        functions.apply = apply;
    else
        functions.apply_host = apply_host;
    EXPECT_OK(kn_operator_create(on_device ? context : NULL, &functions, &made, &err));
    EXPECT_OK(kn_solve_plan_create(on_device ? queue : NULL, made, options, &plan, &err));
    kn_operator_free(made);
    return plan;
}

// ---- pictures and volumes ----

struct problem {
    struct transform t;
    struct sparse a;
    kn_solve_options options;
    double b[NUMBERS]; // representable as floats
};

static struct problem problem_of(const size_t *shape, size_t parts, uint64_t *state)
{
    struct problem p = {.t = define(shape),
                        .options = KN_INIT(kn_solve_options, .method = KN_SOLVE_WAVELET, .lambda = 0.03)};

    memcpy(p.options.shape, shape, sizeof p.options.shape);
    p.a = (struct sparse){.n = p.t.n, .rows = p.t.n - p.t.n / 5, .parts = parts};
    for (size_t i = 0; i < p.a.rows; i++) {
        p.a.diagonal[i] = (double)(float)(0.7 + 0.3 * test_uniform(state));
        p.a.other[i] = (double)(float)(0.3 * test_uniform(state));
    }
    for (size_t i = 0; i < parts * p.a.rows; i++)
        p.b[i] = (double)(float)(0.1 * test_uniform(state) + (i / parts % shape[0] * 2 < shape[0] ? 0.2
                                                              : i % parts                         ? -1
                                                                                                  : 1));
    return p;
}

static double objective(const struct problem *p, const double *x)
{
    double product[NUMBERS], coefficients[NUMBERS], sum = 0;

    multiply(&p->a, false, KN_F64, x, product);
    for (size_t i = 0; i < p->a.parts * p->a.rows; i++)
        sum += pow(product[i] - p->b[i], 2) / 2;
    transform(&p->t, false, p->a.parts, x, coefficients);
    return sum + p->options.lambda * shorten(&p->t, p->a.parts, 0, coefficients);
}

// The solution by plain proximal gradients. The step is less than 1 / |A|^2, as |A| is at most 1.3. Where A^T
// A is not 0, its condition number is a few tens, so that 600 iterations are enough.
static void least(const struct problem *p, double *x)
{
    const double step = 0.59;
    size_t numbers = p->a.parts * p->t.n;
    double product[NUMBERS], slant[NUMBERS];

    memset(x, 0, numbers * sizeof *x);
    for (size_t k = 0; k < 600; k++) {
        multiply(&p->a, false, KN_F64, x, product);
        for (size_t i = 0; i < p->a.parts * p->a.rows; i++)
            product[i] -= p->b[i];
        multiply(&p->a, true, KN_F64, product, slant);
        for (size_t i = 0; i < numbers; i++)
            slant[i] = x[i] - step * slant[i];
        transform(&p->t, false, p->a.parts, slant, product);
        shorten(&p->t, p->a.parts, step * p->options.lambda, product);
        transform(&p->t, true, p->a.parts, product, x);
    }
}

static void check_place(struct problem *p, bool on_device, kn_type type, double wanted)
{
    double b[NUMBERS], x[NUMBERS] = {0}, again[NUMBERS] = {0}, found[NUMBERS], own,
                       part = type == KN_F32 ? 1e-5 : 1e-6;
    const double *objectives;
    kn_solve_result result;
    kn_solve_plan *plan;
    size_t count;

    p->a.type = type;
    p->options.iterations = 200;
    for (size_t i = 0; i < p->a.parts * p->a.rows; i++)
        put(type, b, i, p->b[i]);
    plan = plan_of(&p->a, on_device, &p->options);
    ck_assert_ptr_null(kn_solve_plan_get_objectives(plan, &count));
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    for (size_t i = 0; i < p->a.parts * p->t.n; i++)
        found[i] = get(type, x, i);
    own = objective(p, found);
    objectives = kn_solve_plan_get_objectives(plan, &count);
    ck_assert_uint_eq(count, result.iterations + 1);
    ck_assert_msg(own <= wanted * (1 + part),
                  "%zu x %zu x %zu, %zu parts, %s: the objective is %.9g, the least %.9g "
                  "(%zu iterations, %s)",
                  p->t.shape[0], p->t.shape[1], p->t.shape[2], p->a.parts, on_device ? "device" : "host", own,
                  wanted, result.iterations, kn_solve_stopped_name(result.stopped));
    ck_assert_double_eq_tol(objectives[result.iterations], own, part * own);
    ck_assert_double_gt(objectives[0], 2 * own); // the start is not the solution
    EXPECT_OK(kn_solve_execute(plan, b, again, &result, &err));
    ck_assert_mem_eq(x, again, p->a.parts * p->t.n * kn_type_size(type));
    // If it starts from the solution, the first objective is the last one.
    EXPECT_OK(kn_solve_execute(plan, b, again, &result, &err));
    ck_assert_double_eq_tol(kn_solve_plan_get_objectives(plan, NULL)[0], own, part * own);
    kn_solve_plan_free(plan);
}

START_TEST(pictures)
{
    uint64_t state = test_seed("pictures");

    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        struct problem p = problem_of(shapes[s], 1 + s % 2, &state);
        double x[NUMBERS], wanted;

        least(&p, x);
        wanted = objective(&p, x);
        check_place(&p, false, KN_F64, wanted);
        check_place(&p, false, KN_F32, wanted);
        if (s == 1 || s == 3)
            check_place(&p, true, KN_F32, wanted);
        free_transform(&p.t);
    }
}
END_TEST

// ---- the proximal operator, and why iterations end ----

// With A = 1, the solution is the proximal operator of b. The first step does not quite reach it, because its
// length is 1 / 1.02.
static void check_operator(bool on_device, uint64_t *state)
{
    struct problem p = problem_of(shapes[1], 1, state);
    float b[MOST], x[MOST] = {0};
    double wanted[MOST], coefficients[MOST];
    kn_solve_plan *plan;
    kn_solve_result result;

    p.a = (struct sparse){.n = p.t.n, .rows = p.t.n, .parts = 1, .type = KN_F32};
    for (size_t i = 0; i < p.t.n; i++) {
        p.a.diagonal[i] = 1;
        b[i] = (float)(test_uniform(state) - 0.5);
        wanted[i] = (double)b[i];
    }
    p.options.iterations = 60;
    p.options.lambda = 0.2;
    transform(&p.t, false, 1, wanted, coefficients);
    shorten(&p.t, 1, 0.2, coefficients);
    transform(&p.t, true, 1, coefficients, wanted);
    plan = plan_of(&p.a, on_device, &p.options);
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    for (size_t i = 0; i < p.t.n; i++)
        ck_assert_double_eq_tol((double)x[i], wanted[i], 2e-6);
    kn_solve_plan_free(plan);
    // A tolerance that is reached, a NaN in b, and b = 0.
    p.options.tolerance = 0.9;
    plan = plan_of(&p.a, on_device, &p.options);
    memset(x, 0, sizeof x);
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_TOLERANCE);
    ck_assert_double_le(result.residual, 0.9 * result.right);
    kn_solve_plan_free(plan);
    p.options.tolerance = 0;
    plan = plan_of(&p.a, on_device, &p.options);
    b[3] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the right-hand side", kn_solve_execute(plan, b, x, &result, &err));
    memset(b, 0, sizeof b);
    memset(x, 0, sizeof x);
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_FLOOR);
    ck_assert_uint_eq(result.iterations, 0);
    kn_solve_plan_free(plan);
    free_transform(&p.t);
}

START_TEST(proximal)
{
    uint64_t state = test_seed("proximal");

    check_operator(false, &state);
    check_operator(true, &state);
}
END_TEST

START_TEST(refused)
{
    struct sparse a = {.n = 48, .rows = 48, .parts = 1, .type = KN_F64};
    const kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = 48, .columns = 48,
                                                    .type = KN_F64, .apply_host = apply_host, .data = &a);
    const kn_solve_options good =
        KN_INIT(kn_solve_options, .method = KN_SOLVE_WAVELET, .iterations = 5, .lambda = 1, .shape = {16, 3});
    kn_solve_options options = good;
    kn_solve_plan *plan = NULL;
    kn_operator *made = NULL;

    EXPECT_OK(kn_operator_create(NULL, &functions, &made, &err));
    options.shape[0] = 12;
    options.shape[1] = 4;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "12 x 4 x 1 has no axis for wavelets",
                   kn_solve_plan_create(NULL, made, &options, &plan, &err));
    options.shape[1] = 5;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a shape of 12 x 5 x 1, and the operator has 48 columns",
                   kn_solve_plan_create(NULL, made, &options, &plan, &err));
    options = good;
    options.bounded = true;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "bounds are held by the methods fista, bb, sirt and tv",
                   kn_solve_plan_create(NULL, made, &options, &plan, &err));
    options = good;
    options.smooth = 1;
    options.order = 1;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "wavelet has no smooth",
                   kn_solve_plan_create(NULL, made, &options, &plan, &err));
    options = good;
    options.whiteness = true;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "wavelet has no whiteness",
                   kn_solve_plan_create(NULL, made, &options, &plan, &err));
    ck_assert_ptr_null(plan);
    ck_assert_str_eq(kn_solve_method_name(KN_SOLVE_WAVELET), "wavelet");
    kn_operator_free(made);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {orthogonal, pictures, proximal, refused};

    return test_run("solve with sparse wavelets", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
