// SPDX-License-Identifier: Apache-2.0
#include "host_tv.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "operator/host_products.h"
#include "operator/proximal/tv.h"
#include "shared/tv.h"

// Vectors, named as in cl/operator/tv.cl; only the values of x are numbers of the operator's type.
struct tv {
    struct host_products products;
    struct tv_grid grid;
    const struct host_bounded_options *options;
    double *x, *before;        // x', and x
    double *slant;             // A^H p + D^T y
    double *of_x, *of_b;       // A x', and A x; with a normal operator A^H A
    double *b, *p;             // with a normal operator A^H b and A^H p
    double *y;                 // the dual of D x times the step, one axis after another
    double step;               // the step of x
    double changes, variation; // of this iteration; `changes` is a square
    double energy;             // |A x' - b|^2, with a normal operator less |b|^2
    double moved;              // the part of the changes that is due to x
    void *memory;
};

static double within(const struct tv *s, double value)
{
    double bounded =
        value < s->options->low ? s->options->low : (value > s->options->high ? s->options->high : value);

    return s->products.is_single ? (double)(float)bounded : bounded;
}

// Updates p and A x from A x'. A change d of p is at least as long as A^H d / |A|.
static void step_rows(struct tv *s)
{
    const double length = (double)TV_ROW_STEP, relaxation = (double)TV_RELAXATION;
    const bool normal = s->options->normal;
    const double weight = normal ? 2 * s->step : 1 / length;

    s->energy = 0;
    ki_host_products_multiply(&s->products, false, s->x, s->of_x);
    for (size_t i = 0; i < s->products.rows; i++) {
        double rest = s->of_x[i] - s->b[i], further = s->of_x[i] - s->of_b[i];
        double change = (s->p[i] + length * (rest + further)) / (1 + length) - s->p[i];

        s->p[i] += relaxation * change;
        s->of_b[i] += relaxation * further;
        s->changes += weight * change * change;
        s->energy += normal ? s->x[i] * (rest - s->b[i]) : rest * rest;
    }
}

// Updates x and x' from A^H p and y.
static void step_columns(struct tv *s)
{
    s->moved = 0;
    if (s->options->normal)
        memcpy(s->slant, s->p, s->products.columns * sizeof *s->p);
    else
        ki_host_products_multiply(&s->products, true, s->p, s->slant);
    for (size_t i = 0; i < s->products.columns; i++)
        s->slant[i] *= s->step;
    ki_tv_adjoint(&s->grid, s->y, s->slant);
    for (size_t i = 0; i < s->products.columns; i++) {
        double own = s->before[i] + (double)TV_RELAXATION * (s->x[i] - s->before[i]), change;

        s->before[i] = own;
        s->x[i] = within(s, own - s->slant[i]);
        change = s->x[i] - own;
        s->moved += change * change / s->step;
    }
}

// Fills in the result for x' after iteration k.
static void measure(struct tv *s, struct host_bounded_result *result, size_t k)
{
    s->changes = s->moved;
    step_rows(s);
    s->changes += ki_tv_dual(&s->grid, s->x, s->before, s->step * s->options->lambda, s->y) / s->step;
    s->variation = ki_tv_value(&s->grid, s->x);
    result->iterations = k;
    result->residual = s->options->normal ? 0 : sqrt(s->energy);
    result->gradient = sqrt(s->changes);
    if (!s->products.status && !(isfinite(s->energy) && isfinite(s->changes) && isfinite(s->variation)))
        s->products.status = ki_fail(s->products.err, KN_ERROR_ARGUMENT,
                                     "after %zu iterations the numbers are beyond %s precision; divide the "
                                     "right-hand side by its greatest value",
                                     k, s->products.is_single ? "single" : "double");
    if (s->products.status)
        return;
    if (result->gradients)
        result->gradients[k] = result->gradient;
    if (result->objectives)
        result->objectives[k] = s->energy / 2 + s->options->lambda * s->variation;
    if (s->options->look)
        s->options->look(s->options->look_data, k, s->x, result->residual);
}

static void iterate(struct tv *s, struct host_bounded_result *result)
{
    const struct host_bounded_options *options = s->options;
    double first = 0;

    for (size_t k = 0; !s->products.status; k++) {
        measure(s, result, k);
        if (s->products.status)
            return;
        first = k ? first : result->gradient;
        result->stopped = ki_host_bounded_reason(options, result, first);
        if (result->stopped != KN_SOLVE_STOPPED_ITERATIONS || k == options->iterations)
            return;
        if (options->progress && !options->progress(options->progress_data, k))
            s->products.status =
                ki_fail(s->products.err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", k);
        else
            step_columns(s);
    }
}

static kn_status make_room(struct tv *s, kn_error *err)
{
    size_t n = s->products.columns, m = s->products.rows, longest = n > m ? n : m;
    double **columns[] = {&s->x, &s->before, &s->slant};
    double **rows[] = {&s->of_x, &s->of_b, &s->b, &s->p};
    size_t numbers = (KI_COUNT(columns) + s->grid.axes) * n + KI_COUNT(rows) * m +
                     (s->products.is_single ? longest : 0) + 1;
    double *at = ki_kept_take_zeros(s->options->kept, numbers, sizeof *at);

    s->memory = at;
    if (!at)
        return ki_fail_memory(err, numbers * sizeof *at, "the solver");
    for (size_t i = 0; i < KI_COUNT(columns); i++, at += n)
        *columns[i] = at;
    for (size_t i = 0; i < KI_COUNT(rows); i++, at += m)
        *rows[i] = at;
    s->y = at;
    at += s->grid.axes * n;
    s->products.from = (float *)(void *)at; // two of the longest vectors share its place
    s->products.to = s->products.from + longest;
    return KN_OK;
}

static void begin(struct tv *s, const void *b, const void *x, struct host_bounded_result *result)
{
    double unknown = -1, *squared = s->options->squared_norm ? s->options->squared_norm : &unknown;
    double squares = 0;

    if (*squared < 0) {
        double found = ki_host_products_squared_norm(&s->products, NULL, s->x, s->slant, s->before, s->of_x);

        if (!s->products.status)
            *squared = found;
    }
    s->step = ki_tv_step(*squared);
    ki_host_products_take(&s->products, b, s->b, s->products.rows);
    ki_host_products_take(&s->products, x, s->x, s->products.columns);
    for (size_t i = 0; i < s->products.columns; i++)
        s->before[i] = s->x[i] = within(s, s->x[i]);
    ki_host_products_multiply(&s->products, false, s->x, s->of_b);
    for (size_t i = 0; i < s->products.rows; i++)
        squares += s->b[i] * s->b[i];
    result->right = sqrt(squares);
}

kn_status ki_host_tv(const kn_operator *a, const void *b, const struct host_bounded_options *options, void *x,
                     struct host_bounded_result *result, kn_error *err)
{
    kn_error own = KN_ERROR_INIT;
    struct tv s = {.products = {.a = a,
                                .err = err ? err : &own,
                                .rows = operator_row_numbers(a),
                                .columns = operator_column_numbers(a),
                                .is_single = a->functions.type == KN_F32,
                                .is_normal = options->normal},
                   .grid = ki_tv_grid(options->shape, a->functions.is_complex ? 2 : 1),
                   .options = options};
    kn_status status = make_room(&s, err);

    if (status)
        return status;
    begin(&s, b, x, result);
    iterate(&s, result);
    if (!s.products.status)
        ki_host_products_give(&s.products, s.x, x, s.products.columns);
    ki_kept_give(options->kept, s.memory);
    return s.products.status;
}
