// SPDX-License-Identifier: Apache-2.0
#include "host_cgnr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "operator/ncp.h"

// The state of a solution, in the host's order. z = A^T r with r = b - A x: the gradient is F(x) - z.
struct solve {
    const struct host_cgnr_operator *a;
    struct host_vectors *v; // owned
    const struct host_cgnr_options *options;
    kn_status status; // status of the last product
    kn_error *err;
    void *x, *d, *z, *z_before;       // `columns` numbers each
    void *h;                          // M^-1 (z - F(x)), and the preconditioner's workspace
    void *s, *f, *f_along;            // only with a correction: z - F(x), F(x), F(x, d)
    void *r, *w;                      // `rows` numbers each; w = A d
    double *wide_x, *wide_d, *wide_f; // `columns` numbers each, in the order of the caller's arrays
    double residual, gradient;        // squared: |r|^2, |F(x) - z|^2
    double step;                      // length of the last step
    void *memory;
    // The distance of the whitest residual so far from white noise; and, of the last iteration that is as
    // white, its number, squares, and x.
    double *wide_r, whiteness, best_residual, best_gradient;
    size_t best_k;
    void *best_x;
};

enum { ALONE_FIRST = 2, FIRST_PAUSE = 16, LONGEST_PAUSE = 128 };

// Chooses between all threads and one. If other processes use the cores, threads that wait for one another
// are slower than one alone; the numbers are the same.
struct pace {
    unsigned threads;
    double alone;        // the shortest time of an iteration by one thread, in seconds
    size_t until, pause; // one thread is used up to iteration `until`; the next time for `pause` iterations
};

// Returns the sum of y^2, or NaN if the operator fails, which ends the loop.
static double multiply(struct solve *s, bool adjoint, const void *x, void *y)
{
    double squares = 0;

    if (!s->status)
        s->status = s->a->product(s->a->data, adjoint, x, y, &squares, s->err);
    return s->status ? NAN : squares;
}

// ---- the correction ----

static void widen(const struct solve *s, const void *from, double *to)
{
    ki_host_vectors_widen(s->v, s->a->column_order, from, to, s->a->columns);
}

static void narrow(const struct solve *s, const double *from, void *to)
{
    ki_host_vectors_narrow(s->v, s->a->column_order, from, to, s->a->columns);
}

// z - F(x).
static const void *descent(const struct solve *s)
{
    return s->options->correction ? s->s : s->z;
}

// The descent, or M^-1 times it: the part of a new direction that does not depend on the last one.
static const void *preconditioned_descent(const struct solve *s)
{
    return s->options->preconditioner ? s->h : descent(s);
}

static void precondition(struct solve *s)
{
    if (!s->options->preconditioner)
        return;
    widen(s, descent(s), s->wide_d);
    s->options->precondition(s->options->preconditioner, s->wide_d, s->wide_f);
    narrow(s, s->wide_f, s->h);
}

// Computes the descent, its squared length in `gradient`, and the preconditioned descent.
static void take_descent(struct solve *s)
{
    const struct solve_correction *correction = s->options->correction;
    size_t n = s->a->columns;

    if (correction) {
        widen(s, s->x, s->wide_x);
        memset(s->wide_f, 0, n * sizeof *s->wide_f);
        correction->gradient(correction->data, s->wide_x, n, s->wide_f);
        narrow(s, s->wide_f, s->f);
        memcpy(s->s, s->z, n * s->v->plan.size);
        s->gradient = ki_host_vectors_add(s->v, s->s, s->f, -1, n);
    } else {
        s->gradient = ki_host_vectors_dot(s->v, s->z, s->z, n);
    }
    precondition(s);
}

// F(x, d); returns d . F.
static double take_along(struct solve *s)
{
    const struct solve_correction *correction = s->options->correction;
    size_t n = s->a->columns;

    if (!correction)
        return 0;
    widen(s, s->x, s->wide_x);
    widen(s, s->d, s->wide_d);
    memset(s->wide_f, 0, n * sizeof *s->wide_f);
    correction->along(correction->data, s->wide_x, s->wide_d, n, s->wide_f);
    narrow(s, s->wide_f, s->f_along);
    return ki_host_vectors_dot(s->v, s->d, s->f_along, n);
}

// ---- the loop ----

// (g . e) / f as in the paper, with the preconditioned descent for g: e = A^T A d + F(x, d), where A^T A d is
// the change of z divided by alpha.
static double turned(const struct solve *s, double alpha, double curvature)
{
    const void *g = preconditioned_descent(s);
    size_t n = s->a->columns;
    double after = g == s->z ? s->gradient : ki_host_vectors_dot(s->v, g, s->z, n);
    double along = s->options->correction ? ki_host_vectors_dot(s->v, g, s->f_along, n) : 0;

    return ((after - ki_host_vectors_dot(s->v, g, s->z_before, n)) / alpha - along) / curvature;
}

// The step along d; stores d . (A^T A d + F(x, d)) in `curvature`. Returns 0 if the step does not descend.
static double take_step(struct solve *s, double *curvature)
{
    double alpha;

    *curvature = multiply(s, false, s->d, s->w) + take_along(s);
    alpha = *curvature > 0 ? ki_host_vectors_dot(s->v, descent(s), s->d, s->a->columns) / *curvature : 0;
    return alpha > 0 && isfinite(alpha) ? alpha : 0;
}

// One iteration; false if no direction of descent is left. A correction that is not linear (a penalty is 0 on
// one side) may turn d until it ascends: then the iteration restarts with the gradient.
static bool iterate(struct solve *s)
{
    size_t n = s->a->columns;
    double curvature, alpha = take_step(s, &curvature);
    void *before = s->z;

    if (alpha == 0 && s->options->correction) {
        memcpy(s->d, preconditioned_descent(s), n * s->v->plan.size);
        alpha = take_step(s, &curvature);
    }
    if (alpha == 0)
        return false;
    s->step = alpha;
    ki_host_vectors_add(s->v, s->x, s->d, alpha, n);
    s->residual = ki_host_vectors_add(s->v, s->r, s->w, -alpha, s->a->rows);
    s->z = s->z_before;
    s->z_before = before;
    multiply(s, true, s->r, s->z);
    take_descent(s);
    ki_host_vectors_turn(s->v, s->d, preconditioned_descent(s), turned(s, alpha, curvature), n);
    return true;
}

// From x and b in the order of the caller's arrays.
static void begin(struct solve *s, const void *b, const void *x)
{
    const struct host_cgnr_operator *a = s->a;

    ki_host_vectors_arrange(s->v, a->column_order, x, s->x, a->columns);
    ki_host_vectors_arrange(s->v, a->row_order, b, s->r, a->rows);
    multiply(s, false, s->x, s->w);
    s->residual = ki_host_vectors_add(s->v, s->r, s->w, -1, s->a->rows);
    multiply(s, true, s->r, s->z);
    take_descent(s);
    memcpy(s->d, preconditioned_descent(s), s->a->columns * s->v->plan.size);
}

// The reason to stop before `iterations`, or HOST_CGNR_ITERATIONS. `right`, `first`: |b| and the first
// gradient.
static enum host_cgnr_stop look(const struct solve *s, double right, double first)
{
    double floor = s->v->plan.size == sizeof(float) ? 1e-7 : 1e-15;
    double part = s->options->tolerance * right, noise = s->options->noise;

    if (noise > 0 && noise >= part && sqrt(s->residual) <= noise)
        return HOST_CGNR_DISCREPANCY;
    if (s->options->tolerance > 0 && sqrt(s->residual) <= part)
        return HOST_CGNR_RESIDUAL;
    return sqrt(s->gradient) <= floor * first && !s->options->past_floor ? HOST_CGNR_FLOOR
                                                                         : HOST_CGNR_ITERATIONS;
}

// Runs iteration k and times it; false if no direction of descent is left.
static bool iterate_at_pace(struct solve *s, struct pace *pace, size_t k)
{
    double began = ki_clock_seconds(), seconds;
    bool goes_on;

    s->v->plan.threads = k < pace->until ? 1 : pace->threads;
    goes_on = iterate(s);
    seconds = ki_clock_seconds() - began;
    if (s->v->plan.threads == 1) {
        pace->alone = fmin(pace->alone, seconds);
    } else if (seconds > pace->alone) {
        pace->until = k + 1 + pace->pause;
        pace->pause = pace->pause < LONGEST_PAUSE ? 2 * pace->pause : LONGEST_PAUSE;
    }
    s->v->plan.threads = pace->threads;
    return goes_on;
}

// Whether iteration k is so far behind the last one whose residual was not distinguishable from the whitest
// that no whiter one is expected (ncp.h).
static bool is_past_whitest(struct solve *s, size_t k)
{
    double distance, noise = ki_ncp_of_noise(s->a->rows);

    ki_host_vectors_widen(s->v, s->a->row_order, s->r, s->wide_r, s->a->rows);
    distance = ki_ncp_distance(s->wide_r, s->a->rows);
    s->whiteness = k > 0 ? fmin(s->whiteness, distance) : distance;
    if (distance > s->whiteness + NCP_MARGIN * noise)
        return k >= (s->whiteness > NCP_WHITE * noise ? 3 : 1) * s->best_k + NCP_PATIENCE;
    s->best_k = k;
    s->best_residual = s->residual;
    s->best_gradient = s->gradient;
    memcpy(s->best_x, s->x, s->a->columns * s->v->plan.size);
    return false;
}

// Runs iterations; returns how many, and stores in `result` why they ended.
static size_t loop(struct solve *s, double right, struct host_cgnr_result *result)
{
    struct pace pace = {s->v->plan.threads, INFINITY, ALONE_FIRST, FIRST_PAUSE};
    double first = sqrt(s->gradient);

    for (size_t k = 0;; k++) {
        if (result->history)
            result->history[k] = sqrt(s->residual);
        if (result->gradients) {
            result->gradients[k] = sqrt(s->gradient);
            result->steps[k] = s->step;
        }
        result->stopped_by = look(s, right, first);
        if (result->stopped_by == HOST_CGNR_ITERATIONS && s->options->ncp && is_past_whitest(s, k))
            result->stopped_by = HOST_CGNR_NCP;
        if (k == s->options->iterations || result->stopped_by != HOST_CGNR_ITERATIONS)
            return k;
        if (s->options->progress && !s->options->progress(s->options->progress_data, k)) {
            s->status = ki_fail(s->err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", k);
            return k;
        }
        if (!iterate_at_pace(s, &pace, k)) {
            result->stopped_by = HOST_CGNR_FLOOR;
            return k;
        }
    }
}

// Fills in the result after k iterations.
static void finish(struct solve *s, size_t k, struct host_cgnr_result *result)
{
    if (result->stopped_by == HOST_CGNR_NCP) {
        k = s->best_k;
        s->residual = s->best_residual;
        s->gradient = s->best_gradient;
        memcpy(s->x, s->best_x, s->a->columns * s->v->plan.size);
    }
    result->iterations = k;
    for (size_t i = k + 1; result->history && i <= s->options->iterations; i++)
        result->history[i] = result->history[k];
    result->residual = sqrt(s->residual);
    result->normal_residual = sqrt(s->gradient);
}

static kn_status make_room(struct solve *s, kn_error *err)
{
    size_t n = s->a->columns, column = host_vectors_bytes(s->v, n),
           row = host_vectors_bytes(s->v, s->a->rows);
    size_t wide = (n + 1) * sizeof(double),
           bytes = 9 * column + 2 * row + 3 * wide + s->a->rows * sizeof(double);
    void **columns[] = {&s->x, &s->d, &s->z, &s->z_before, &s->h, &s->best_x, &s->s, &s->f, &s->f_along};
    char *at = ki_kept_take(s->a->kept, bytes);

    s->memory = at;
    if (!at)
        return ki_fail_memory(err, bytes, "the solver");
    memset(at, 0, bytes);
    for (size_t i = 0; i < KI_COUNT(columns); i++, at += column)
        *columns[i] = at;
    s->r = at;
    s->w = at + row;
    s->wide_x = (double *)(void *)(at + 2 * row);
    s->wide_d = s->wide_x + n + 1;
    s->wide_f = s->wide_d + n + 1;
    s->wide_r = s->wide_f + n + 1;
    return KN_OK;
}

kn_status ki_host_cgnr(const struct host_cgnr_operator *a, const void *b,
                       const struct host_cgnr_options *options, void *x, struct host_cgnr_result *result,
                       kn_error *err)
{
    struct solve s = {.a = a, .v = a->vectors, .options = options, .err = err};
    kn_status status = make_room(&s, err);
    double right;

    if (status)
        return status;
    right = sqrt(ki_host_vectors_dot(s.v, b, b, a->rows));
    begin(&s, b, x);
    finish(&s, loop(&s, right, result), result);
    if (!s.status)
        ki_host_vectors_restore(s.v, a->column_order, s.x, x, a->columns);
    ki_kept_give(a->kept, s.memory);
    return s.status;
}

// ---- operators of koine/operator.h ----

// The `data` of such an operator.
struct bound {
    struct host_vectors vectors;
    struct ki_kept kept;
    const kn_operator *a;
};

static kn_status product(void *data, bool adjoint, const void *x, void *y, double *squares, kn_error *err)
{
    const struct bound *bound = data;
    const kn_operator *a = bound->a;
    kn_error own = KN_ERROR_INIT;
    kn_status status = a->functions.apply_host(a->functions.data, adjoint, x, y, err ? err : &own);

    if (!status)
        *squares = ki_host_vectors_dot(&bound->vectors, y, y,
                                       adjoint ? operator_column_numbers(a) : operator_row_numbers(a));
    return status;
}

kn_status ki_host_cgnr_operator_begin(const kn_operator *a, const kn_host_options *options,
                                      struct host_cgnr_operator *made, kn_error *err)
{
    size_t rows = operator_row_numbers(a), columns = operator_column_numbers(a);
    struct bound *bound = calloc(1, sizeof *bound);
    kn_status status =
        bound ? ki_host_vectors_create("solving", a->functions.type, rows > columns ? rows : columns, options,
                                       &bound->vectors, err)
              : ki_fail_memory(err, sizeof *bound, "an operator");

    *made = (struct host_cgnr_operator){.rows = rows, .columns = columns};
    if (status) {
        free(bound);
        return status;
    }
    bound->a = a;
    ki_kept_init(&bound->kept);
    made->kept = &bound->kept;
    made->vectors = &bound->vectors;
    made->product = product;
    made->data = bound;
    return KN_OK;
}

void ki_host_cgnr_operator_end(struct host_cgnr_operator *made)
{
    if (made->data) {
        ki_host_vectors_free(made->vectors);
        ki_kept_free(made->kept);
    }
    free(made->data);
    made->data = NULL;
}
