// SPDX-License-Identifier: Apache-2.0
#include "host_wavelet.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "operator/host_products.h"
#include "operator/proximal/wavelet.h"

// Vectors, named as in cl/operator/wavelet.cl; only the values of x are numbers of the operator's type.
struct solver {
    struct host_products products;
    struct wavelet wavelet;
    const struct host_bounded_options *options;
    double *x, *before, *next; // x, x of the previous iteration, and x'
    double *gradient, *gradient_before;
    double *b, *residual;
    double *line;                // room for two lines of the longest axis
    double step, pace, momentum; // t; what momentum follows from
    double energy, details,
        next_details; // |A x - b|^2, with a normal operator less |b|^2; sums of |c| of x and x'
    double up;        // (y - x').(x' - x): above 0 if the step goes up
    void *memory;
};

// gradient = A^H (A x - b), or of a normal operator A x - b.
static void take_gradient(struct solver *s)
{
    const bool normal = s->options->normal;
    double *rest = normal ? s->gradient : s->residual;

    ki_host_products_multiply(&s->products, false, s->x, rest);
    s->energy = 0;
    for (size_t i = 0; i < s->products.rows; i++) {
        rest[i] -= s->b[i];
        s->energy += normal ? s->x[i] * (rest[i] - s->b[i]) : rest[i] * rest[i];
    }
    if (!normal)
        ki_host_products_multiply(&s->products, true, rest, s->gradient);
}

// Makes x' by a step from y = x + momentum (x - before). Returns |y - x'| / t.
static double take_next(struct solver *s)
{
    double squares = 0;

    for (size_t i = 0; i < s->products.columns; i++) {
        double gradient = s->gradient[i] + s->momentum * (s->gradient[i] - s->gradient_before[i]);

        s->next[i] = s->x[i] + s->momentum * (s->x[i] - s->before[i]) - s->step * gradient;
    }
    ki_wavelet_forward(&s->wavelet, s->next, s->line);
    s->next_details = ki_wavelet_shrink(&s->wavelet, s->next, s->step * s->options->lambda);
    ki_wavelet_backward(&s->wavelet, s->next, s->line);
    s->up = 0;
    for (size_t i = 0; i < s->products.columns; i++) {
        double change;

        s->next[i] = s->products.is_single ? (double)(float)s->next[i] : s->next[i];
        change = s->x[i] + s->momentum * (s->x[i] - s->before[i]) - s->next[i];
        squares += change * change;
        s->up += change * (s->next[i] - s->x[i]);
    }
    return s->step > 0 ? sqrt(squares) / s->step : 0;
}

// Moves on to x'. Momentum begins anew after a step that goes up.
static void move(struct solver *s)
{
    double pace = (1 + sqrt(1 + 4 * s->pace * s->pace)) / 2, *oldest = s->before, *spare = s->gradient_before;

    s->momentum = s->up > 0 ? 0 : (s->pace - 1) / pace;
    s->pace = s->up > 0 ? 1 : pace;
    s->before = s->x;
    s->x = s->next;
    s->next = oldest;
    s->gradient_before = s->gradient;
    s->gradient = spare;
    s->details = s->next_details;
}

static void measure(struct solver *s, struct host_bounded_result *result, size_t k)
{
    take_gradient(s);
    result->iterations = k;
    result->gradient = take_next(s);
    result->residual = s->options->normal ? 0 : sqrt(s->energy);
    if (!s->products.status && !(isfinite(s->energy) && isfinite(result->gradient) && isfinite(s->details)))
        s->products.status = ki_fail(s->products.err, KN_ERROR_ARGUMENT,
                                     "after %zu iterations the numbers are beyond %s precision; divide the "
                                     "right-hand side by its greatest value",
                                     k, s->products.is_single ? "single" : "double");
    if (s->products.status)
        return;
    if (result->gradients)
        result->gradients[k] = result->gradient;
    if (result->objectives)
        result->objectives[k] = s->energy / 2 + s->options->lambda * s->details;
    if (s->options->look)
        s->options->look(s->options->look_data, k, s->x, result->residual);
}

static void iterate(struct solver *s, struct host_bounded_result *result)
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
            move(s);
    }
}

static kn_status make_room(struct solver *s, kn_error *err)
{
    size_t n = s->products.columns, m = s->products.rows, longest = n > m ? n : m;
    double **columns[] = {&s->x, &s->before, &s->next, &s->gradient, &s->gradient_before};
    double **rows[] = {&s->b, &s->residual};
    size_t numbers =
        KI_COUNT(columns) * n + (KI_COUNT(rows) + 1) * m + 2 * n + (s->products.is_single ? longest : 0) + 1;
    double *at = ki_kept_take_zeros(s->options->kept, numbers, sizeof *at);

    s->memory = at;
    if (!at)
        return ki_fail_memory(err, numbers * sizeof *at, "the solver");
    for (size_t i = 0; i < KI_COUNT(columns); i++, at += n)
        *columns[i] = at;
    for (size_t i = 0; i < KI_COUNT(rows); i++, at += m)
        *rows[i] = at;
    s->line = at;
    at += 2 * n + m;
    s->products.from = (float *)(void *)at; // two of the longest vectors share its place
    s->products.to = s->products.from + longest;
    return KN_OK;
}

static void begin(struct solver *s, const void *b, const void *x, struct host_bounded_result *result)
{
    double unknown = -1, *squared = s->options->squared_norm ? s->options->squared_norm : &unknown,
           squares = 0;

    if (*squared < 0) {
        double found = ki_host_products_squared_norm(&s->products, NULL, s->x, s->next, s->before, s->line);

        if (!s->products.status)
            *squared = found;
    }
    s->step = *squared > 0 ? 1 / *squared : 0;
    s->pace = 1;
    ki_host_products_take(&s->products, b, s->b, s->products.rows);
    ki_host_products_take(&s->products, x, s->x, s->products.columns);
    memcpy(s->before, s->x, s->products.columns * sizeof *s->x);
    memcpy(s->next, s->x, s->products.columns * sizeof *s->x);
    ki_wavelet_forward(&s->wavelet, s->next, s->line);
    s->details = ki_wavelet_shrink(&s->wavelet, s->next, 0);
    for (size_t i = 0; i < s->products.rows; i++)
        squares += s->b[i] * s->b[i];
    result->right = sqrt(squares);
}

kn_status ki_host_wavelet(const kn_operator *a, const void *b, const struct host_bounded_options *options,
                          void *x, struct host_bounded_result *result, kn_error *err)
{
    kn_error own = KN_ERROR_INIT;
    struct solver s = {.products = {.a = a,
                                    .err = err ? err : &own,
                                    .rows = operator_row_numbers(a),
                                    .columns = operator_column_numbers(a),
                                    .is_single = a->functions.type == KN_F32,
                                    .is_normal = options->normal},
                       .wavelet = ki_wavelet(options->shape, a->functions.is_complex ? 2 : 1),
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
