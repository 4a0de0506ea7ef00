// SPDX-License-Identifier: Apache-2.0
// Least squares with total variation (KN_SOLVE_TV of koine/solve.h), on the host in both precisions and on a
// device: lines that are denoised (A = 1), against the best of all patterns of rising, falling and equal
// neighbours; pictures and volumes, real and complex, against a long run of another method (Condat and Vu's,
// in plain code) in double precision; the same bits twice; why iterations end; and what is refused.
#include "support/compare.h"
#include "support/device.h"
#include "support/elimination.h"
#include "support/memory/memory.h"
#include "support/random.h"
#include "support/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

enum { LINE = 6, MOST = 60, MOST_NUMBERS = 2 * MOST };

// A dense operator of real numbers; if `is_complex`, it is applied to both parts of each element.
struct dense {
    size_t rows, columns;
    bool is_complex;
    kn_type type;
    double a[MOST * MOST];
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

static void multiply(const struct dense *d, bool adjoint, kn_type type, const void *from, void *to)
{
    size_t out = adjoint ? d->columns : d->rows, in = adjoint ? d->rows : d->columns,
           parts = d->is_complex ? 2 : 1;

    for (size_t i = 0; i < out; i++)
        for (size_t c = 0; c < parts; c++) {
            double sum = 0;

            for (size_t j = 0; j < in; j++)
                sum +=
                    d->a[adjoint ? j * d->columns + i : i * d->columns + j] * get(type, from, parts * j + c);
            put(type, to, parts * i + c, sum);
        }
}

static kn_status apply_host(void *data, bool adjoint, const void *from, void *to, kn_error *why)
{
    struct dense *d = data;

    (void)why;
    multiply(d, adjoint, d->type, from, to);
    return KN_OK;
}

static kn_status apply(void *data, kn_queue *on, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *why)
{
    struct dense *d = data;
    size_t parts = d->is_complex ? 2 : 1, in = parts * (adjoint ? d->rows : d->columns),
           out = parts * (adjoint ? d->columns : d->rows);
    float x[MOST_NUMBERS], y[MOST_NUMBERS];
    kn_status status = kn_buffer_read(on, from, 0, x, in * sizeof *x, why);

    multiply(d, adjoint, KN_F32, x, y);
    return status ? status : kn_buffer_write(on, to, 0, y, out * sizeof *y, why);
}

static kn_operator *operator_of(struct dense *d, bool on_device)
{
    kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = d->rows, .columns = d->columns,
                                              .type = d->type, .is_complex = d->is_complex, .data = d);
    kn_operator *a = NULL;

    if (on_device)
        functions.apply = apply;
    else
        functions.apply_host = apply_host;
    EXPECT_OK(kn_operator_create(on_device ? context : NULL, &functions, &a, &err));
    return a;
}

// Solves, starting from `x`; returns the objectives, which the caller frees.
static double *solve(struct dense *d, bool on_device, const kn_solve_options *options, const void *b, void *x,
                     kn_solve_result *result)
{
    kn_operator *a = operator_of(d, on_device);
    kn_solve_plan *plan = NULL;
    const double *objectives;
    double *kept;
    size_t count;

    EXPECT_OK(kn_solve_plan_create(on_device ? queue : NULL, a, options, &plan, &err));
    kn_operator_free(a);
    EXPECT_OK(kn_solve_execute(plan, b, x, result, &err));
    objectives = kn_solve_plan_get_objectives(plan, &count);
    ck_assert_uint_eq(count, result->iterations + 1);
    kept = test_zeros(count, sizeof *kept);
    memcpy(kept, objectives, count * sizeof *kept);
    kn_solve_plan_free(plan);
    return kept;
}

// ---- lines ----

// The minimum for a pattern of differences: signs[i] is -1, 0 or 1 if x[i + 1] is less than, equal to or
// greater than x[i]. In a run of equal elements, x is the sum of b, plus or minus lambda for each end at
// which the line rises or falls, divided by the length of the run.
static void solve_pattern(size_t count, const int *signs, double lambda, const double *b, double *x)
{
    for (size_t first = 0, last; first < count; first = last + 1) {
        double sum = 0;

        for (last = first; last + 1 < count && signs[last] == 0; last++)
            sum += b[last];
        sum += b[last];
        // minus the derivatives of lambda |x[last + 1] - x[last]| and of lambda |x[first] - x[first - 1]|
        sum += lambda * ((last + 1 < count ? signs[last] : 0) - (first > 0 ? signs[first - 1] : 0));
        for (size_t i = first; i <= last; i++)
            x[i] = sum / (double)(last + 1 - first);
    }
}

static double objective_of_line(size_t count, double lambda, const double *b, const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (x[i] - b[i]) * (x[i] - b[i]) / 2 + (i > 0 ? lambda * fabs(x[i] - x[i - 1]) : 0);
    return sum;
}

// Of the minima for all 3^(n - 1) patterns, the one with the least objective: that of the right pattern is
// among them.
static void solve_line(size_t count, double lambda, const double *b, double *x)
{
    size_t all = 1;
    double best = INFINITY;

    for (size_t i = 1; i < count; i++)
        all *= 3;
    for (size_t code = 0; code < all; code++) {
        int signs[LINE];
        double tried[LINE], objective;
        size_t rest = code;

        for (size_t i = 0; i + 1 < count; i++, rest /= 3)
            signs[i] = (int)(rest % 3) - 1;
        solve_pattern(count, signs, lambda, b, tried);
        objective = objective_of_line(count, lambda, b, tried);
        if (objective < best) {
            best = objective;
            memcpy(x, tried, count * sizeof *x);
        }
    }
}

// The objective is strongly convex, so that |x - x*|^2 / 2 is at most the difference between the objective
// and its least value. Iterations end at 1e-12 (KN_F32: 1e-7) of the first change, or when only the rounding
// errors of numbers that are at most 1 are left.
static void check_lines(bool on_device, kn_type type, uint64_t *state)
{
    for (unsigned axis = 0; axis < (on_device ? 1 : 3); axis++)
        for (unsigned weight = on_device; weight < (on_device ? 2 : 3); weight++) {
            const double lambda = weight == 0 ? 0 : weight == 1 ? 0.15 : 5;
            struct dense *d = test_zeros(1, sizeof *d);
            kn_solve_options options = KN_INIT(kn_solve_options, .method = KN_SOLVE_TV,
                                               .iterations = on_device ? 10000 : 100000, .lambda = lambda);
            double b[LINE], x[LINE] = {0}, exact[LINE], wanted[LINE];
            kn_solve_result result;

            d->rows = d->columns = LINE;
            d->type = type;
            options.shape[axis] = LINE;
            for (size_t i = 0; i < LINE; i++) {
                d->a[i * LINE + i] = 1;
                put(type, b, i, test_uniform(state));
                exact[i] = get(type, b, i);
            }
            free(solve(d, on_device, &options, b, x, &result));
            solve_line(LINE, lambda, exact, wanted);
            for (size_t i = 0; i < LINE; i++)
                ck_assert_msg(fabs(get(type, x, i) - wanted[i]) < (type == KN_F32 ? 1e-5 : 1e-9),
                              "axis %u, lambda %g: x[%zu] is %.9g, expected %.9g (%zu iterations)", axis,
                              lambda, i, get(type, x, i), wanted[i], result.iterations);
            free(d);
        }
}

START_TEST(line)
{
    uint64_t state = test_seed("line");

    check_lines(false, KN_F64, &state);
    check_lines(false, KN_F32, &state);
    check_lines(true, KN_F32, &state);
}
END_TEST

// ---- pictures and volumes ----

struct problem {
    struct dense *d;
    kn_solve_options options;
    double b[MOST_NUMBERS]; // representable as floats
};

static size_t numbers_of(const struct problem *p)
{
    return p->d->columns * (p->d->is_complex ? 2 : 1);
}

// The difference between number i and the next one along an axis; 0 at the end of a line.
static double difference(const struct problem *p, const double *x, unsigned axis, size_t i)
{
    size_t parts = p->d->is_complex ? 2 : 1, stride = parts;

    for (unsigned a = 0; a < axis; a++)
        stride *= p->options.shape[a];
    return i / stride % p->options.shape[axis] + 1 < p->options.shape[axis] ? x[i + stride] - x[i] : 0;
}

static double objective(const struct problem *p, const double *x)
{
    size_t parts = p->d->is_complex ? 2 : 1;
    double product[MOST_NUMBERS], sum = 0;

    multiply(p->d, false, KN_F64, x, product);
    for (size_t i = 0; i < p->d->rows * parts; i++)
        sum += (product[i] - p->b[i]) * (product[i] - p->b[i]) / 2;
    for (size_t i = 0; i < p->d->columns; i++) {
        double squares = 0;

        for (unsigned axis = 0; axis < 3; axis++)
            for (size_t c = 0; c < parts; c++)
                squares += pow(difference(p, x, axis, parts * i + c), 2);
        sum += p->options.lambda * sqrt(squares);
    }
    return sum;
}

// y += length D z; then the vector of each element is shortened to a length of lambda, if it is longer.
static void step_dual(const struct problem *p, const double *z, double length, double y[3][MOST_NUMBERS])
{
    size_t parts = p->d->is_complex ? 2 : 1;

    for (size_t i = 0; i < p->d->columns; i++) {
        double squares = 0, factor;

        for (unsigned axis = 0; axis < 3; axis++)
            for (size_t k = parts * i; k < parts * (i + 1); k++) {
                y[axis][k] += length * difference(p, z, axis, k);
                squares += y[axis][k] * y[axis][k];
            }
        factor = sqrt(squares) > p->options.lambda ? p->options.lambda / sqrt(squares) : 1;
        for (unsigned axis = 0; axis < 3; axis++)
            for (size_t k = parts * i; k < parts * (i + 1); k++)
                y[axis][k] *= factor;
    }
}

// slant += D^T y: each difference adds to both of its elements, with opposite signs.
static void add_adjoint(const struct problem *p, double y[3][MOST_NUMBERS], double *slant)
{
    size_t parts = p->d->is_complex ? 2 : 1, stride = parts;

    for (unsigned axis = 0; axis < 3; stride *= p->options.shape[axis], axis++)
        for (size_t i = 0; i < numbers_of(p); i++)
            if (i / stride % p->options.shape[axis] + 1 < p->options.shape[axis]) {
                slant[i] -= y[axis][i];
                slant[i + stride] += y[axis][i];
            }
}

// The least objective, by the method of Condat and Vu, which takes gradient steps for the least squares term.
static double least_objective(const struct problem *p, double norm, double *x)
{
    double y[3][MOST_NUMBERS] = {{0}}, product[MOST_NUMBERS], slant[MOST_NUMBERS], z[MOST_NUMBERS];
    double sigma = norm / 24, tau = 0.99 / (norm / 2 + 12 * sigma), best = INFINITY;
    size_t n = numbers_of(p), parts = p->d->is_complex ? 2 : 1;

    memset(x, 0, n * sizeof *x);
    for (size_t k = 0; k < 40000; k++) {
        multiply(p->d, false, KN_F64, x, product);
        for (size_t i = 0; i < p->d->rows * parts; i++)
            product[i] -= p->b[i];
        multiply(p->d, true, KN_F64, product, slant);
        add_adjoint(p, y, slant);
        for (size_t i = 0; i < n; i++) {
            double next = x[i] - tau * slant[i];

            next = p->options.bounded ? fmin(fmax(next, p->options.low), p->options.high) : next;
            z[i] = 2 * next - x[i];
            x[i] = next;
        }
        step_dual(p, z, sigma, y);
        best = fmin(best, k % 1000 == 999 ? objective(p, x) : INFINITY);
    }
    return best;
}

// The square of the Frobenius norm of the operator: an upper bound for that of its norm.
static double frobenius(const struct dense *d)
{
    double sum = 0;

    for (size_t i = 0; i < d->rows * d->columns; i++)
        sum += d->a[i] * d->a[i];
    return sum;
}

// A picture of two levels, seen through a random matrix with fewer rows than columns, and noise: total
// variation decides what the rows leave open.
static struct problem problem_of(const size_t *shape, bool is_complex, bool bounded, uint64_t *state)
{
    struct problem p = {.d = test_zeros(1, sizeof *p.d),
                        .options = KN_INIT(kn_solve_options, .method = KN_SOLVE_TV, .lambda = 0.05,
                                           .bounded = bounded, .high = bounded ? 0.75 : 0)};
    double x[MOST_NUMBERS];
    size_t parts = is_complex ? 2 : 1;

    memcpy(p.options.shape, shape, sizeof p.options.shape);
    p.d->columns = shape[0] * shape[1] * shape[2];
    p.d->rows = p.d->columns * 2 / 3;
    p.d->is_complex = is_complex;
    for (size_t i = 0; i < p.d->rows * p.d->columns; i++)
        p.d->a[i] = (double)(float)(test_uniform(state) - 0.25);
    for (size_t i = 0; i < numbers_of(&p); i++)
        x[i] = i / parts % shape[0] * 2 < shape[0] ? 0.25 : i % parts ? -1 : 1;
    multiply(p.d, false, KN_F64, x, p.b);
    for (size_t i = 0; i < p.d->rows * parts; i++)
        p.b[i] = (double)(float)(p.b[i] + 0.02 * (test_uniform(state) - 0.5));
    return p;
}

// Solves twice, with the same bits. x lies within the bounds; its objective is the one that is reported, and
// equals the least one up to a fraction of 1e-6 (in single precision 2e-5: a few times 2^-24 for each of the
// 60 terms of a row).
static void check_place(struct problem *p, bool on_device, kn_type type, double least)
{
    double b[MOST_NUMBERS], x[MOST_NUMBERS] = {0}, again[MOST_NUMBERS] = {0}, found[MOST_NUMBERS], own;
    double part = type == KN_F32 ? 2e-5 : 1e-6, *objectives, *same;
    size_t parts = p->d->is_complex ? 2 : 1;
    kn_solve_result result, other;

    p->d->type = type;
    p->options.iterations = type == KN_F32 ? 2000 : 40000;
    for (size_t i = 0; i < p->d->rows * parts; i++)
        put(type, b, i, p->b[i]);
    objectives = solve(p->d, on_device, &p->options, b, x, &result);
    for (size_t i = 0; i < numbers_of(p); i++) {
        found[i] = get(type, x, i);
        ck_assert(!p->options.bounded || (found[i] >= p->options.low && found[i] <= p->options.high));
    }
    own = objective(p, found);
    ck_assert_msg(own <= least * (1 + part) && own >= least * (1 - part),
                  "%zu x %zu x %zu%s, %s: the objective is %.9g, the least %.9g (%zu iterations, %s)",
                  p->options.shape[0], p->options.shape[1], p->options.shape[2],
                  p->d->is_complex ? ", complex" : "", on_device ? "device" : "host", own, least,
                  result.iterations, kn_solve_stopped_name(result.stopped));
    ck_assert_double_eq_tol(objectives[result.iterations], own, part * own);
    ck_assert_double_gt(objectives[0], 2 * own); // the start is not the solution
    same = solve(p->d, on_device, &p->options, b, again, &other);
    ck_assert_mem_eq(x, again, numbers_of(p) * kn_type_size(type));
    ck_assert_mem_eq(objectives, same, (result.iterations + 1) * sizeof *same);
    free(objectives);
    free(same);
}

START_TEST(pictures)
{
    static const struct {
        size_t shape[3];
        bool is_complex, bounded;
    } cases[] = {{{7, 5, 1}, false, false}, {{5, 9, 1}, false, true}, {{3, 4, 5}, false, false},
                 {{4, 3, 3}, false, true},  {{6, 4, 1}, true, false}, {{2, 3, 4}, true, false}};
    uint64_t state = test_seed("pictures");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct problem p = problem_of(cases[i].shape, cases[i].is_complex, cases[i].bounded, &state);
        double x[MOST_NUMBERS], least = least_objective(&p, frobenius(p.d), x);

        check_place(&p, false, KN_F64, least);
        check_place(&p, false, KN_F32, least);
        if (!test_is_slow() || i < 2)
            check_place(&p, true, KN_F32, least);
        free(p.d);
    }
}
END_TEST

// On the device, rays are computed on the fly, and iterations are recorded. The objective is that of the host
// up to rounding (some 2^-24 for each of the terms of a ray), and buffers without a result get the same bits
// as arrays.
START_TEST(rays)
{
    const kn_tomography_geometry geometry =
        KN_INIT(kn_tomography_geometry, .angles = 9, .detectors = 23, .size = 17);
    kn_solve_options options = KN_INIT(kn_solve_options, .method = KN_SOLVE_TV, .iterations = 300,
                                       .lambda = 0.05, .bounded = true, .high = INFINITY, .shape = {17, 17});
    double picture[17 * 17], sinogram[9 * 23], there;
    float b[9 * 23], x[2][17 * 17] = {{0}}, same[17 * 17] = {0};
    kn_buffer *right = NULL, *solution = NULL;
    kn_solve_result result;
    size_t count;

    EXPECT_OK(kn_tomography_phantom(17, 2, picture, &err));
    EXPECT_OK(kn_tomography_project(NULL, &geometry, false, picture, sinogram, KN_SPARSE_AUTO, &err));
    for (size_t i = 0; i < 9 * 23; i++)
        b[i] = (float)sinogram[i];
    for (unsigned place = 0; place < 2; place++) {
        kn_sparse_operator_options storage = KN_INIT(kn_sparse_operator_options, .type = KN_F32);
        kn_operator *a = NULL;
        kn_solve_plan *plan = NULL;
        double last;

        storage.format = place ? KN_SPARSE_ON_THE_FLY : KN_SPARSE_AUTO;
        EXPECT_OK(kn_tomography_operator_create(place ? queue : NULL, &geometry, &storage, &a, &err));
        EXPECT_OK(kn_solve_plan_create(place ? queue : NULL, a, &options, &plan, &err));
        ck_assert_ptr_null(kn_solve_plan_get_objectives(plan, &count));
        ck_assert_uint_eq(count, 0);
        EXPECT_OK(kn_solve_execute(plan, b, x[place], &result, &err));
        last = kn_solve_plan_get_objectives(plan, NULL)[result.iterations];
        if (place == 0)
            there = last;
        else
            ck_assert_double_eq_tol(last, there, 1e-4 * there);
        if (place == 1) {
            EXPECT_OK(kn_buffer_create(context, sizeof b, &right, &err));
            EXPECT_OK(kn_buffer_create(context, sizeof same, &solution, &err));
            EXPECT_OK(kn_buffer_write(queue, right, 0, b, sizeof b, &err));
            EXPECT_OK(kn_buffer_write(queue, solution, 0, same, sizeof same, &err));
            EXPECT_OK(kn_solve_execute_buffers(plan, right, solution, NULL, &err));
            EXPECT_OK(kn_buffer_read(queue, solution, 0, same, sizeof same, &err));
            ck_assert_mem_eq(same, x[1], sizeof same);
            kn_buffer_free(right);
            kn_buffer_free(solution);
        }
        kn_solve_plan_free(plan);
        kn_operator_free(a);
    }
}
END_TEST

// ---- why iterations end ----

static bool stop_at_2(void *data, size_t iteration)
{
    (void)data;
    return iteration < 2;
}

// Iterations end at a tolerance, and at once with b = 0, which x = 0 solves. If the caller stops them, x is
// unchanged. A NaN in b is refused.
static void check_ends(bool on_device, uint64_t *state)
{
    struct problem p = problem_of((size_t[]){5, 4, 1}, false, false, state);
    float b[MOST_NUMBERS], x[MOST_NUMBERS] = {0};
    kn_operator *a;
    kn_solve_plan *plan = NULL;
    kn_solve_result result;

    p.d->type = KN_F32;
    for (size_t i = 0; i < p.d->rows; i++)
        b[i] = (float)p.b[i];
    p.options.iterations = 200;
    p.options.tolerance = 0.5;
    free(solve(p.d, on_device, &p.options, b, x, &result));
    ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_TOLERANCE);
    ck_assert_double_le(result.residual, 0.5 * result.right);
    ck_assert_uint_lt(result.iterations, 100);
    p.options.tolerance = 0;
    p.options.progress = stop_at_2;
    a = operator_of(p.d, on_device);
    x[0] = 77;
    EXPECT_OK(kn_solve_plan_create(on_device ? queue : NULL, a, &p.options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "before iteration 2", kn_solve_execute(plan, b, x, &result, &err));
    ck_assert(x[0] == 77);
    b[1] = NAN;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "the right-hand side", kn_solve_execute(plan, b, x, &result, &err));
    kn_solve_plan_free(plan);
    kn_operator_free(a);
    p.options.progress = NULL;
    memset(b, 0, sizeof b);
    memset(x, 0, sizeof x);
    free(solve(p.d, on_device, &p.options, b, x, &result));
    ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_FLOOR);
    ck_assert_uint_eq(result.iterations, 0);
    free(p.d);
}

START_TEST(ends)
{
    uint64_t state = test_seed("ends");

    check_ends(false, &state);
    check_ends(true, &state);
}
END_TEST

START_TEST(refused)
{
    struct dense *d = test_zeros(1, sizeof *d);
    const kn_solve_options good =
        KN_INIT(kn_solve_options, .method = KN_SOLVE_TV, .iterations = 5, .lambda = 1, .shape = {4, 3});
    kn_solve_options options = good;
    kn_solve_plan *plan = NULL;
    kn_operator *a;

    d->rows = d->columns = 12;
    d->type = KN_F64;
    a = operator_of(d, false);
    options.shape[1] = 4;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "a shape of 4 x 4 x 1, and the operator has 12 columns",
                   kn_solve_plan_create(NULL, a, &options, &plan, &err));
    options.shape[1] = SIZE_MAX / 2;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "12 columns", kn_solve_plan_create(NULL, a, &options, &plan, &err));
    options = good;
    options.lambda = -1;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "lambda", kn_solve_plan_create(NULL, a, &options, &plan, &err));
    options = good;
    options.smooth = 1;
    options.order = 1;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "tv has no smooth",
                   kn_solve_plan_create(NULL, a, &options, &plan, &err));
    options = good;
    options.whiteness = true;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "tv has no whiteness",
                   kn_solve_plan_create(NULL, a, &options, &plan, &err));
    kn_operator_free(a);
    d->is_complex = true;
    a = operator_of(d, false);
    options = good;
    options.bounded = true;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "bounds for operators of real numbers",
                   kn_solve_plan_create(NULL, a, &options, &plan, &err));
    kn_operator_free(a);
    ck_assert_ptr_null(plan);
    ck_assert_ptr_null(kn_solve_plan_get_objectives(NULL, NULL));
    ck_assert_str_eq(kn_solve_method_name(KN_SOLVE_TV), "tv");
    free(d);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {line, pictures, rays, ends, refused};

    return test_run("solve with total variation", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
