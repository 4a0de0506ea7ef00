// SPDX-License-Identifier: Apache-2.0
#include "bounded.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "app/sparse/solver/reference.h"

enum { POWER_ITERATIONS = 30 };

struct bounded {
    const struct sparse_matrix *matrix;
    const double *b;
    const struct sparse_bounded_options *options;
    double *x, *before;                 // x, and x of the iteration before
    double *gradient, *gradient_before; // A^T (A x - b)
    double *residual;                   // A x - b
    double *y;                          // room for one more
    double *row_sums, *column_sums;
    double step, t, momentum; // FISTA's: 1 / |A^T A|, and how far beyond x it steps from
    size_t k;
};

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static double within(const struct bounded *s, double value)
{
    return fmin(fmax(value, s->options->low), s->options->high);
}

// residual = A v - b; returns the norm of its data's rows.
static double take_residual(struct bounded *s, const double *v)
{
    size_t rows = s->options->data_rows ? s->options->data_rows : s->matrix->rows;

    ki_sparse_reference_multiply(s->matrix, v, s->residual);
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] -= s->b[i];
    return sqrt(dot(s->residual, s->residual, rows));
}

// |x - P(x - gradient)|.
static double projected_gradient(const struct bounded *s)
{
    double sum = 0;

    for (size_t i = 0; i < s->matrix->columns; i++) {
        double change = s->x[i] - within(s, s->x[i] - s->gradient[i]);

        sum += change * change;
    }
    return sqrt(sum);
}

// ---- the methods: each takes x, its gradient and residual to the next x ----

// The greatest eigenvalue of A^T A, a little above what power iterations from ones give.
static double squared_norm(struct bounded *s)
{
    double value = 0, size = sqrt((double)s->matrix->columns);

    for (size_t i = 0; i < s->matrix->columns; i++)
        s->y[i] = 1 + 0.01 * (double)(i % 7); // not orthogonal to the eigenvector, whatever it is
    for (size_t k = 0; k < POWER_ITERATIONS && size > 0; k++) {
        for (size_t i = 0; i < s->matrix->columns; i++)
            s->y[i] /= size;
        ki_sparse_reference_multiply(s->matrix, s->y, s->residual);
        ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->y);
        value = size = sqrt(dot(s->y, s->y, s->matrix->columns));
    }
    return 1.02 * value;
}

// From y = x + momentum (x - before), whose gradient is the same of gradients.
static void step_fista(struct bounded *s)
{
    double momentum = s->momentum, next_t = (1 + sqrt(1 + 4 * s->t * s->t)) / 2, up = 0;

    for (size_t i = 0; i < s->matrix->columns; i++) {
        double y = s->x[i] + momentum * (s->x[i] - s->before[i]);
        double gradient = s->gradient[i] + momentum * (s->gradient[i] - s->gradient_before[i]);
        double next = within(s, y - s->step * gradient);

        up += (y - next) * (next - s->x[i]);
        s->before[i] = s->x[i];
        s->gradient_before[i] = s->gradient[i];
        s->x[i] = next;
    }
    // A step against the gradient: begin anew.
    s->momentum = up > 0 ? 0 : (s->t - 1) / next_t;
    s->t = up > 0 ? 1 : next_t;
}

// Twice the long step s.s / s.y, then the short one s.y / y.y, of the last change s of x and y of its
// gradient; before there is one, the best along the gradient. This order was the best of ten on a sinogram
// with noise, by little.
static double barzilai_borwein(struct bounded *s)
{
    size_t n = s->matrix->columns;
    double ss = 0, sy = 0, yy = 0;

    if (s->k == 0) {
        double squared = dot(s->gradient, s->gradient, n);

        ki_sparse_reference_multiply(s->matrix, s->gradient, s->row_sums);
        sy = dot(s->row_sums, s->row_sums, s->matrix->rows);
        return sy > 0 ? squared / sy : 0;
    }
    for (size_t i = 0; i < n; i++) {
        double change = s->x[i] - s->before[i], turn = s->gradient[i] - s->gradient_before[i];

        ss += change * change;
        sy += change * turn;
        yy += turn * turn;
    }
    if (!(sy > 0))
        return 0;
    return s->k % 3 ? ss / sy : sy / yy;
}

static void step_bb(struct bounded *s)
{
    size_t n = s->matrix->columns;
    double step = barzilai_borwein(s);

    memcpy(s->before, s->x, n * sizeof *s->x);
    memcpy(s->gradient_before, s->gradient, n * sizeof *s->gradient);
    for (size_t i = 0; i < n; i++)
        s->x[i] = within(s, s->x[i] - step * s->gradient[i]);
}

static void step_sirt(struct bounded *s)
{
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] = s->row_sums[i] > 0 ? s->residual[i] / s->row_sums[i] : 0;
    ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->gradient);
    for (size_t i = 0; i < s->matrix->columns; i++)
        if (s->column_sums[i] > 0)
            s->x[i] = within(s, s->x[i] - s->gradient[i] / s->column_sums[i]);
}

// ---- all of it ----

static void begin_fista(struct bounded *s)
{
    double squared = squared_norm(s);

    s->step = squared > 0 ? 1 / squared : 0;
    s->t = 1;
}

static void begin_bb(struct bounded *s)
{
    (void)s;
}

static void begin_sirt(struct bounded *s)
{
    for (size_t i = 0; i < s->matrix->columns; i++)
        s->y[i] = 1;
    ki_sparse_reference_multiply(s->matrix, s->y, s->row_sums);
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] = 1;
    ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->column_sums);
}

static const struct {
    void (*begin)(struct bounded *s);
    void (*step)(struct bounded *s);
} methods[] = {[SPARSE_FISTA] = {begin_fista, step_fista},
               [SPARSE_BB] = {begin_bb, step_bb},
               [SPARSE_SIRT] = {begin_sirt, step_sirt}};

static void iterate(struct bounded *s, struct sparse_bounded_result *result)
{
    double first = 0;

    for (s->k = 0;; s->k++) {
        result->residual = take_residual(s, s->x);
        ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->gradient);
        result->gradient = projected_gradient(s);
        first = s->k ? first : result->gradient;
        if (s->options->look)
            s->options->look(s->options->data, s->k, s->x, result->residual);
        if (s->options->noise > 0 && result->residual <= s->options->noise)
            result->stopped_by = SPARSE_BOUNDED_DISCREPANCY;
        else if (result->gradient <= 1e-12 * first)
            result->stopped_by = SPARSE_BOUNDED_GRADIENT;
        if (result->stopped_by != SPARSE_BOUNDED_ITERATIONS || s->k == s->options->iterations)
            break;
        methods[s->options->method].step(s);
    }
    result->iterations = s->k;
}

static kn_status check(const struct sparse_matrix *matrix, const struct sparse_bounded_options *options,
                       kn_error *err)
{
    if (!(options->low <= options->high))
        return ki_fail(err, KN_ERROR_ARGUMENT, "bounds from %g to %g; expected the lower one first",
                       options->low, options->high);
    if ((unsigned)options->method > SPARSE_SIRT)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no method %d; see sparse_bounded_method",
                       (int)options->method);
    for (size_t i = 0; i < matrix->nonzeros && options->method == SPARSE_SIRT; i++)
        if (matrix->values[i] < 0)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "SIRT divides by sums of rows and columns: an element of %g; take FISTA",
                           matrix->values[i]);
    return KN_OK;
}

kn_status ki_sparse_bounded_solve(const struct sparse_matrix *matrix, const double *b,
                                  const struct sparse_bounded_options *options, double *x,
                                  struct sparse_bounded_result *result, kn_error *err)
{
    size_t n = matrix->columns, m = matrix->rows;
    struct bounded s = {.matrix = matrix, .b = b, .options = options, .x = x};
    double *numbers;
    kn_status status = check(matrix, options, err);

    *result = (struct sparse_bounded_result){.iterations = 0};
    if (status)
        return status;
    numbers = calloc(5 * n + 2 * m + 1, sizeof *numbers);
    if (!numbers)
        return ki_fail_memory(err, (5 * n + 2 * m) * sizeof *numbers, "the solver");
    s.before = numbers;
    s.y = numbers + n;
    s.gradient = numbers + 2 * n;
    s.gradient_before = numbers + 3 * n;
    s.column_sums = numbers + 4 * n;
    s.residual = numbers + 5 * n;
    s.row_sums = s.residual + m;
    for (size_t i = 0; i < n; i++)
        x[i] = within(&s, x[i]);
    methods[options->method].begin(&s);
    iterate(&s, result);
    free(numbers);
    return KN_OK;
}
