// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of solutions within bounds, on the host and on devices: random dense operators, and
// reference solutions and optimality conditions in double precision.
#ifndef KN_TESTS_OPERATOR_BOUNDED_SUPPORT_H
#define KN_TESTS_OPERATOR_BOUNDED_SUPPORT_H

#include "support/elimination.h"
#include "support/memory/memory.h"
#include "support/random.h"
#include "support/support.h"

#include <math.h>
#include <string.h>

#include <koine/solve.h>

enum { MOST = 48, FEW = 5 };

// A dense operator of real numbers.
struct dense {
    size_t rows, columns;
    kn_type type;
    double a[MOST * MOST];
    bool turns_back; // its adjoint has the wrong sign
    size_t calls;
    kn_status fails;
};

static inline double get(kn_type type, const void *array, size_t i)
{
    return type == KN_F32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

static inline void put(kn_type type, void *array, size_t i, double value)
{
    if (type == KN_F32)
        ((float *)array)[i] = (float)value;
    else
        ((double *)array)[i] = value;
}

static inline double element(const struct dense *d, bool adjoint, size_t i, size_t j)
{
    return adjoint ? d->a[j * d->columns + i] : d->a[i * d->columns + j];
}

// A diagonal of 2 and noise of up to 0.1: singular values differ by a factor of about 3 at most.
static inline void fill(struct dense *d, uint64_t *state)
{
    for (size_t i = 0; i < d->rows; i++)
        for (size_t j = 0; j < d->columns; j++)
            d->a[i * d->columns + j] = (2 * test_uniform(state) - 1) * 0.1 + (i == j ? 2 : 0);
}

static inline struct dense *dense_of(size_t rows, size_t columns, kn_type type, uint64_t *state)
{
    struct dense *d = test_zeros(1, sizeof *d);

    d->rows = rows;
    d->columns = columns;
    d->type = type;
    fill(d, state);
    return d;
}

// A random right-hand side b and a random start x.
static inline void fill_vectors(const struct dense *d, void *b, void *x, uint64_t *state)
{
    for (size_t i = 0; i < d->rows; i++)
        put(d->type, b, i, 2 * test_uniform(state) - 1);
    for (size_t i = 0; i < d->columns; i++)
        put(d->type, x, i, 2 * test_uniform(state) - 1);
}

// ---- the system in double precision ----

// Element (i, j) of D^T D, where D takes differences of this order.
static inline double difference(size_t i, size_t j, size_t n, unsigned order)
{
    static const double stencils[][3] = {{-1, 1, 0}, {1, -2, 1}};
    double sum = 0;

    for (size_t row = 0; row + order < n; row++)
        if (i >= row && i <= row + order && j >= row && j <= row + order)
            sum += stencils[order - 1][i - row] * stencils[order - 1][j - row];
    return sum;
}

// H = A^T A + lambda + smooth D^T D, and A^T b.
static inline void take_normal(const struct dense *d, const kn_solve_options *options, const void *b,
                               double *h, double *right)
{
    size_t n = d->columns;

    for (size_t i = 0; i < n; i++) {
        right[i] = 0;
        for (size_t k = 0; k < d->rows; k++)
            right[i] += d->a[k * n + i] * get(d->type, b, k);
        for (size_t j = 0; j < n; j++) {
            h[i * n + j] = i == j ? options->lambda : 0;
            for (size_t k = 0; k < d->rows; k++)
                h[i * n + j] += d->a[k * n + i] * d->a[k * n + j];
            if (options->smooth > 0)
                h[i * n + j] += options->smooth * difference(i, j, n, options->order);
        }
    }
}

static inline double low_of(const kn_solve_options *options)
{
    return options->bounded ? options->low : -INFINITY;
}

static inline double high_of(const kn_solve_options *options)
{
    return options->bounded ? options->high : INFINITY;
}

// By how much x violates the conditions of Karush, Kuhn and Tucker: x lies within the bounds, and the
// gradient is 0, except that at a bound it may have the sign that keeps x there. held[i] is 1 if x[i] is at
// the lower bound, 2 if it is at the upper one, 0 if it is free; if `held` is NULL, x[i] is at a bound that
// it equals.
static inline double violation(size_t n, const double *h, const double *right,
                               const kn_solve_options *options, const double *x, const unsigned *held)
{
    double low = low_of(options), high = high_of(options), worst = 0;

    for (size_t i = 0; i < n; i++) {
        double g = -right[i];
        bool at_low = held ? held[i] == 1 : x[i] <= low, at_high = held ? held[i] == 2 : x[i] >= high;

        for (size_t j = 0; j < n; j++)
            g += h[i * n + j] * x[j];
        worst = fmax(worst, fmax(low - x[i], x[i] - high));
        if (!at_low)
            worst = fmax(worst, g);
        if (!at_high)
            worst = fmax(worst, -g);
    }
    return worst;
}

// The minimum with x[i] fixed at a bound if held[i] is not 0: one linear system.
static inline void solve_held(size_t n, const double *h, const double *right, const kn_solve_options *options,
                              const unsigned *held, double *x)
{
    static double complex m[FEW * FEW];
    double complex y[FEW];

    for (size_t i = 0; i < n; i++) {
        y[i] = held[i] == 1 ? options->low : held[i] == 2 ? options->high : right[i];
        for (size_t j = 0; j < n; j++)
            m[i * n + j] = held[i] ? (i == j) : h[i * n + j];
    }
    test_eliminate(n, m, y);
    for (size_t i = 0; i < n; i++)
        x[i] = creal(y[i]);
}

// Tries all 3^n active sets, in which each element is free, at the lower or at the upper bound, and takes the
// solution that violates the conditions least. H is positive definite, so that exactly one x fulfils them.
static inline void solve_exhaustively(size_t n, const double *h, const double *right,
                                      const kn_solve_options *options, double *x)
{
    size_t all = 1;
    double best = INFINITY;

    for (size_t i = 0; i < n; i++)
        all *= 3;
    for (size_t code = 0; code < all; code++) {
        unsigned held[FEW];
        double tried[FEW], off;
        bool exists = true;
        size_t rest = code;

        for (size_t i = 0; i < n; i++, rest /= 3) {
            held[i] = (unsigned)(rest % 3);
            exists = exists && !(held[i] == 1 && isinf(low_of(options))) &&
                     !(held[i] == 2 && isinf(high_of(options)));
        }
        if (!exists)
            continue;
        solve_held(n, h, right, options, held, tried);
        off = violation(n, h, right, options, tried, held);
        if (off < best) {
            best = off;
            memcpy(x, tried, n * sizeof *x);
        }
    }
    ck_assert_double_le(best, 1e-11);
}

// ---- fista and bb ----

static const struct {
    bool bounded;
    double low, high;
} bounds[] = {{true, 0, INFINITY}, {true, -INFINITY, 0},        {true, -0.125, 0.1875},
              {true, 0.25, 0.25},  {true, -INFINITY, INFINITY}, {false, 0, 0}};
static const struct {
    double lambda, smooth;
    unsigned order;
} terms[] = {{0, 0, 0}, {0.3, 0, 0}, {0.1, 0.4, 1}, {0, 0.2, 2}};
enum { BOUNDS = sizeof bounds / sizeof *bounds, TERMS = sizeof terms / sizeof *terms };

static inline kn_solve_options options_of(kn_solve_method method, size_t bound, size_t term)
{
    return KN_INIT(kn_solve_options, .method = method, .iterations = 2000, .lambda = terms[term].lambda,
                   .smooth = terms[term].smooth, .order = terms[term].order, .bounded = bounds[bound].bounded,
                   .low = bounds[bound].low, .high = bounds[bound].high);
}

// Multiplies A by a factor.
static inline void scale_elements(struct dense *d, double factor)
{
    for (size_t k = 0; k < d->rows * d->columns; k++)
        d->a[k] *= factor;
}

// |A x - b|.
static inline double residual_of(const struct dense *d, const void *b, const void *x)
{
    double squares = 0;

    for (size_t i = 0; i < d->rows; i++) {
        double rest = -get(d->type, b, i);

        for (size_t j = 0; j < d->columns; j++)
            rest += d->a[i * d->columns + j] * get(d->type, x, j);
        squares += rest * rest;
    }
    return sqrt(squares);
}

// The singular values are at least about 1, so that the error of x is at most about what is left of the
// gradient: its rounding errors, a few times 2^-24 or 2^-53 for each number, as x and b are at most 1, and
// the fraction of the first projected gradient at which iterations end.
static inline double tolerance_of(kn_type type, double first_gradient)
{
    return type == KN_F32 ? 2e-5 + 1e-7 * first_gradient : 1e-11 + 1e-12 * first_gradient;
}

static inline double clamp(double value, const kn_solve_options *options)
{
    return fmin(fmax(value, low_of(options)), high_of(options));
}

// One step of simultaneous reconstruction: x + C A^T R (b - A x), projected, with 0 for the inverse of a sum
// that is 0.
static inline void step_sirt(const struct dense *d, const kn_solve_options *options, const void *b, double *x)
{
    double r[MOST];

    for (size_t i = 0; i < d->rows; i++) {
        double sum = 0;

        r[i] = get(d->type, b, i);
        for (size_t j = 0; j < d->columns; j++) {
            sum += d->a[i * d->columns + j];
            r[i] -= d->a[i * d->columns + j] * x[j];
        }
        r[i] = sum > 0 ? r[i] / sum : 0;
    }
    for (size_t j = 0; j < d->columns; j++) {
        double sum = 0, change = 0;

        for (size_t i = 0; i < d->rows; i++) {
            sum += d->a[i * d->columns + j];
            change += d->a[i * d->columns + j] * r[i];
        }
        x[j] = clamp(sum > 0 ? x[j] + change / sum : x[j], options);
    }
}

// ---- why iterations end, on the host and on a device ----

static const kn_solve_method methods[] = {KN_SOLVE_FISTA, KN_SOLVE_BB, KN_SOLVE_SIRT};

// Makes an operator of the host or of a device.
typedef kn_operator *make_operator(struct dense *d);

// Iterations end for each reason: all are done, the tolerance or the noise is reached, or both are given and
// the tolerance is reached first.
static inline void expect_stops(kn_queue *in, kn_type type, make_operator *make, kn_solve_method method,
                                uint64_t *state)
{
    static const kn_solve_stopped reasons[] = {KN_SOLVE_STOPPED_ITERATIONS, KN_SOLVE_STOPPED_TOLERANCE,
                                               KN_SOLVE_STOPPED_NOISE, KN_SOLVE_STOPPED_TOLERANCE};
    struct dense *d = dense_of(30, 20, type, state);
    kn_solve_options options = options_of(method, 0, 0);
    kn_operator *a;
    kn_solve_plan *plan = NULL;
    kn_solve_result result, least;
    double b[MOST], x[MOST];

    for (size_t k = 0; k < d->rows * d->columns; k++)
        d->a[k] = fabs(type == KN_F32 ? (double)(float)d->a[k] : d->a[k]);
    a = make(d);
    fill_vectors(d, b, x, state);
    put(type, b, 0, 1); // so that the solution is not 0
    memset(x, 0, sizeof x);
    EXPECT_OK(kn_solve_plan_create(in, a, &options, &plan, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &least, &err));
    kn_solve_plan_free(plan);
    for (unsigned rule = 0; rule < 4; rule++) {
        double goal = 0.5 * (least.residual + least.right);

        options = options_of(method, 0, 0);
        if (rule == 0)
            options.iterations = 1;
        if (rule == 1 || rule == 3)
            options.tolerance = goal / least.right;
        if (rule == 2 || rule == 3)
            options.noise = rule == 3 ? 0.9 * goal : goal; // rule 3: the tolerance is reached first
        memset(x, 0, sizeof x);
        EXPECT_OK(kn_solve_plan_create(in, a, &options, &plan, &err));
        EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
        ck_assert_msg(result.stopped == reasons[rule], "%s, rule %u: %s", kn_solve_method_name(method), rule,
                      kn_solve_stopped_name(result.stopped));
        ck_assert_double_eq_tol(result.residual, residual_of(d, b, x), type == KN_F32 ? 1e-5 : 1e-12);
        if (rule > 0)
            ck_assert_double_le(result.residual, type == KN_F32 ? goal * (1 + 1e-6) : goal);
        if (rule == 0)
            ck_assert_uint_eq(result.iterations, 1);
        kn_solve_plan_free(plan);
    }
    kn_operator_free(a);
    free(d);
}

enum { TURNED_BACK, NOTHING, ZEROS, NO_ROWS, STEPLESS };

// Solves a system in which no step decreases the residual: with an adjoint of the wrong sign, a right-hand
// side of 0, an operator of zeros, or one without rows. Returns the number of iterations and, in `calls`,
// that of products.
static inline size_t end_without_step(kn_queue *in, kn_type type, make_operator *make, unsigned kind,
                                      kn_solve_method method, size_t *calls, uint64_t *state)
{
    struct dense *d = dense_of(kind == NO_ROWS ? 0 : 9, 6, type, state);
    kn_solve_options options = options_of(method, 4, 0);
    kn_operator *a = make(d);
    double b[MOST], x[MOST] = {0};
    kn_solve_plan *plan = NULL;
    kn_solve_result result;

    d->turns_back = kind == TURNED_BACK;
    fill_vectors(d, b, x, state);
    if (kind == NOTHING) {
        memset(b, 0, sizeof b);
        memset(x, 0, sizeof x);
    }
    if (kind != TURNED_BACK) // SIRT refuses negative elements
        for (size_t k = 0; k < MOST * MOST; k++)
            d->a[k] = kind == ZEROS ? 0 : fabs(d->a[k]);
    EXPECT_OK(kn_solve_plan_create(in, a, &options, &plan, &err));
    EXPECT_OK(kn_solve_execute(plan, b, x, &result, &err));
    ck_assert_int_eq((int)result.stopped, KN_SOLVE_STOPPED_FLOOR);
    *calls = d->calls;
    kn_solve_plan_free(plan);
    kn_operator_free(a);
    free(d);
    return result.iterations;
}

#endif
