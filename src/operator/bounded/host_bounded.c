// SPDX-License-Identifier: Apache-2.0
#include "host_bounded.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "operator/host_products.h"
#include "sirt.h"

// Vectors in double precision; the values of x and `before` are numbers of the operator's type.
struct bounded {
    struct host_products products;
    const struct host_bounded_options *options;
    size_t rows, columns;
    double *x, *before;                 // x, and x of the previous iteration
    double *gradient, *gradient_before; // A^T (A x - b) plus the gradient of the correction
    double *y;                          // room for one more vector
    double *column_sums;
    double *b, *residual; // residual = A x - b
    double *row_sums;     // for SIRT; otherwise room for a vector with a number per row
    void *memory;
    double step, t, momentum; // for FISTA: 1 / |A^T A|, and how far it extrapolates beyond x
    size_t k;
};

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// The nearest number of the type within the bounds, which are numbers of the type; NaN stays NaN.
static double within(const struct bounded *s, double value)
{
    double bounded =
        value < s->options->low ? s->options->low : (value > s->options->high ? s->options->high : value);

    return s->products.is_single ? (double)(float)bounded : bounded;
}

// ---- products ----

static void multiply(struct bounded *s, bool adjoint, const double *from, double *to)
{
    ki_host_products_multiply(&s->products, adjoint, from, to);
}

// residual = A x - b; returns its norm.
static double take_residual(struct bounded *s)
{
    multiply(s, false, s->x, s->residual);
    for (size_t i = 0; i < s->rows; i++)
        s->residual[i] -= s->b[i];
    return sqrt(dot(s->residual, s->residual, s->rows));
}

// Computes the gradient from that residual; returns the length of the projected gradient.
static double take_gradient(struct bounded *s)
{
    const struct solve_correction *correction = s->options->correction;
    double sum = 0;

    multiply(s, true, s->residual, s->gradient);
    if (correction)
        correction->gradient(correction->data, s->x, s->columns, s->gradient);
    for (size_t i = 0; i < s->columns; i++) {
        double slant = s->gradient[i];
        bool is_held = slant < 0 ? s->x[i] >= s->options->high : slant > 0 && s->x[i] <= s->options->low;

        sum += is_held ? 0 : slant * slant;
    }
    return sqrt(sum);
}

// ---- FISTA ----

static void begin_fista(struct bounded *s)
{
    double unknown = -1, *squared = s->options->squared_norm ? s->options->squared_norm : &unknown;

    if (*squared < 0) {
        double found = ki_host_products_squared_norm(&s->products, s->options->correction, s->x, s->y,
                                                     s->before, s->row_sums);

        if (!s->products.status)
            *squared = found;
    }
    s->step = *squared > 0 ? 1 / *squared : 0;
    s->t = 1;
    memcpy(s->before, s->x, s->columns * sizeof *s->x);
}

// A step from y = x + momentum (x - before), whose gradient is the same combination of gradients. False: x is
// a fixed point.
static bool step_fista(struct bounded *s)
{
    double momentum = s->momentum, next_t = (1 + sqrt(1 + 4 * s->t * s->t)) / 2, up = 0;
    bool moves = false;

    for (size_t i = 0; i < s->columns; i++) {
        double y = s->x[i] + momentum * (s->x[i] - s->before[i]);
        double gradient = s->gradient[i] + momentum * (s->gradient[i] - s->gradient_before[i]);
        double next = within(s, y - s->step * gradient);

        up += (y - next) * (next - s->x[i]);
        moves = moves || next != s->x[i] || y != s->x[i];
        s->before[i] = s->x[i];
        s->gradient_before[i] = s->gradient[i];
        s->x[i] = next;
    }
    // The step goes against the gradient: restarts the momentum.
    s->momentum = up > 0 ? 0 : (s->t - 1) / next_t;
    s->t = up > 0 ? 1 : next_t;
    return moves;
}

// ---- Barzilai and Borwein ----

static void begin_bb(struct bounded *s)
{
    (void)s;
}

// The best step along the gradient, without bounds. The gradient is normalized, so that A times it is in the
// range of single precision however large A and b are.
static double steepest(struct bounded *s)
{
    const struct solve_correction *correction = s->options->correction;
    size_t n = s->columns;
    double *along = s->before, length = sqrt(dot(s->gradient, s->gradient, n)), curvature;

    for (size_t i = 0; i < n; i++)
        along[i] = length > 0 ? s->gradient[i] / length : 0;
    multiply(s, false, along, s->row_sums);
    curvature = dot(s->row_sums, s->row_sums, s->rows);
    if (correction) {
        memset(s->y, 0, n * sizeof *s->y);
        correction->along(correction->data, s->x, along, n, s->y);
        curvature += dot(along, s->y, n);
    }
    return curvature > 0 ? dot(along, along, n) / curvature : 0;
}

// Twice the long step s.s / s.y, then once the short one s.y / y.y, from the last change s of x and y of its
// gradient; before the first change, the best step along the gradient. This order was slightly the best of
// ten on a noisy sinogram. Returns 0 if s.y is not positive, because the changes are then only rounding.
static double barzilai_borwein(struct bounded *s)
{
    double ss = 0, sy = 0, yy = 0;

    if (s->k == 0)
        return steepest(s);
    for (size_t i = 0; i < s->columns; i++) {
        double change = s->x[i] - s->before[i], turn = s->gradient[i] - s->gradient_before[i];

        ss += change * change;
        sy += change * turn;
        yy += turn * turn;
    }
    if (!(sy > 0))
        return 0;
    return s->k % 3 ? ss / sy : sy / yy;
}

static bool step_bb(struct bounded *s)
{
    size_t n = s->columns;
    double step = barzilai_borwein(s);

    memcpy(s->before, s->x, n * sizeof *s->x);
    memcpy(s->gradient_before, s->gradient, n * sizeof *s->gradient);
    for (size_t i = 0; i < n; i++)
        s->x[i] = within(s, s->x[i] - step * s->gradient[i]);
    return step > 0;
}

// ---- SIRT ----

static void begin_sirt(struct bounded *s)
{
    for (size_t i = 0; i < s->columns; i++)
        s->y[i] = 1;
    multiply(s, false, s->y, s->row_sums);
    for (size_t i = 0; i < s->rows; i++)
        s->residual[i] = 1;
    multiply(s, true, s->residual, s->column_sums);
    for (size_t i = 0; i < s->columns; i++)
        s->y[i] = ki_sirt_pattern(i);
    multiply(s, false, s->y, s->residual);
    if (!s->products.status)
        s->products.status = ki_sirt_check(s->products.a->functions.type,
                                           &(struct sirt_sums){.rows = s->rows,
                                                               .columns = s->columns,
                                                               .of_rows = s->row_sums,
                                                               .of_columns = s->column_sums,
                                                               .of_some = s->residual},
                                           s->products.err);
}

// False: x is a fixed point.
static bool step_sirt(struct bounded *s)
{
    bool moves = false;

    for (size_t i = 0; i < s->rows; i++)
        s->residual[i] = s->row_sums[i] > 0 ? s->residual[i] / s->row_sums[i] : 0;
    multiply(s, true, s->residual, s->gradient);
    for (size_t i = 0; i < s->columns; i++)
        if (s->column_sums[i] > 0) {
            double next = within(s, s->x[i] - s->gradient[i] / s->column_sums[i]);

            moves = moves || next != s->x[i];
            s->x[i] = next;
        }
    return moves;
}

// ---- the solver ----

static const struct {
    void (*begin)(struct bounded *s);
    bool (*step)(struct bounded *s); // moves x, its gradient and residual on; false: there is no next x
} methods[] = {[KN_SOLVE_FISTA - KN_SOLVE_FISTA] = {begin_fista, step_fista},
               [KN_SOLVE_BB - KN_SOLVE_FISTA] = {begin_bb, step_bb},
               [KN_SOLVE_SIRT - KN_SOLVE_FISTA] = {begin_sirt, step_sirt}};

kn_solve_stopped ki_host_bounded_reason(const struct host_bounded_options *options,
                                        const struct host_bounded_result *result, double first)
{
    double part = options->tolerance * result->right;

    if (options->normal && options->tolerance > options->floor &&
        result->gradient <= options->tolerance * first)
        return KN_SOLVE_STOPPED_TOLERANCE;
    if (options->noise > 0 && options->noise >= part && result->residual <= options->noise)
        return KN_SOLVE_STOPPED_NOISE;
    if (!options->normal && options->tolerance > 0 && result->residual <= part)
        return KN_SOLVE_STOPPED_TOLERANCE;
    return result->gradient <= options->floor * first ? KN_SOLVE_STOPPED_FLOOR : KN_SOLVE_STOPPED_ITERATIONS;
}

// Fills in the result for x after iteration k.
static void measure(struct bounded *s, struct host_bounded_result *result)
{
    result->iterations = s->k;
    result->residual = take_residual(s);
    result->gradient = take_gradient(s);
    if (!s->products.status && !(isfinite(result->residual) && isfinite(result->gradient)))
        s->products.status =
            ki_fail(s->products.err, KN_ERROR_ARGUMENT,
                    "after %zu iterations the numbers are beyond %s precision; divide the right-hand "
                    "side by its greatest value",
                    s->k, s->products.is_single ? "single" : "double");
    if (s->products.status)
        return;
    if (result->gradients)
        result->gradients[s->k] = result->gradient;
    if (s->options->look)
        s->options->look(s->options->look_data, s->k, s->x, result->residual);
}

static void iterate(struct bounded *s, struct host_bounded_result *result)
{
    const struct host_bounded_options *options = s->options;
    double first = 0;

    for (s->k = 0; !s->products.status; s->k++) {
        measure(s, result);
        if (s->products.status)
            return;
        first = s->k ? first : result->gradient;
        result->stopped = ki_host_bounded_reason(options, result, first);
        if (result->stopped != KN_SOLVE_STOPPED_ITERATIONS || s->k == options->iterations)
            return;
        if (options->progress && !options->progress(options->progress_data, s->k)) {
            s->products.status =
                ki_fail(s->products.err, KN_ERROR_INTERRUPTED, "stopped before iteration %zu", s->k);
        } else if (!methods[options->method - KN_SOLVE_FISTA].step(s)) {
            result->stopped = KN_SOLVE_STOPPED_FLOOR;
            return;
        }
    }
}

static kn_status make_room(struct bounded *s, kn_error *err)
{
    size_t n = s->columns, m = s->rows, longest = n > m ? n : m;
    double **columns[] = {&s->x, &s->before, &s->gradient, &s->gradient_before, &s->y, &s->column_sums};
    double **rows[] = {&s->b, &s->residual, &s->row_sums};
    size_t numbers = KI_COUNT(columns) * n + KI_COUNT(rows) * m + (s->products.is_single ? longest : 0) + 1;
    double *at = ki_kept_take_zeros(s->options->kept, numbers, sizeof *at);

    s->memory = at;
    if (!at)
        return ki_fail_memory(err, numbers * sizeof *at, "the solver");
    for (size_t i = 0; i < KI_COUNT(columns); i++, at += n)
        *columns[i] = at;
    for (size_t i = 0; i < KI_COUNT(rows); i++, at += m)
        *rows[i] = at;
    s->products.from = (float *)(void *)at; // two of the longest vectors share its place
    s->products.to = s->products.from + longest;
    return KN_OK;
}

static void take_vectors(struct bounded *s, const void *b, const void *x)
{
    ki_host_products_take(&s->products, b, s->b, s->rows);
    ki_host_products_take(&s->products, x, s->x, s->columns);
    for (size_t i = 0; i < s->columns; i++)
        s->x[i] = within(s, s->x[i]);
}

kn_status ki_host_bounded(const kn_operator *a, const void *b, const struct host_bounded_options *options,
                          void *x, struct host_bounded_result *result, kn_error *err)
{
    kn_error own = KN_ERROR_INIT;
    struct bounded s = {.products = {.a = a,
                                     .err = err ? err : &own,
                                     .rows = a->functions.rows,
                                     .columns = a->functions.columns,
                                     .is_single = a->functions.type == KN_F32},
                        .options = options,
                        .rows = a->functions.rows,
                        .columns = a->functions.columns};
    kn_status status = make_room(&s, err);

    if (status)
        return status;
    take_vectors(&s, b, x);
    result->right = sqrt(dot(s.b, s.b, s.rows));
    methods[options->method - KN_SOLVE_FISTA].begin(&s);
    iterate(&s, result);
    if (!s.products.status)
        ki_host_products_give(&s.products, s.x, x, s.columns);
    ki_kept_give(s.options->kept, s.memory);
    return s.products.status;
}
