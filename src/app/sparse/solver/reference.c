// SPDX-License-Identifier: Apache-2.0
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void ki_sparse_reference_multiply(const struct sparse_matrix *matrix, const double *x, double *y)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        y[row] = 0;
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            y[row] += matrix->values[i] * x[matrix->indices[i]];
    }
}

void ki_sparse_reference_multiply_transposed(const struct sparse_matrix *matrix, const double *y, double *x)
{
    for (size_t column = 0; column < matrix->columns; column++)
        x[column] = 0;
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            x[matrix->indices[i]] += matrix->values[i] * y[row];
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// ---- dense least squares ----

// a -= 2 v (v.a) / (v.v), which mirrors `a` at the plane across `v`.
static void reflect(const double *v, double length, double *a, size_t count)
{
    double factor = 2 * dot(v, a, count) / length;

    for (size_t i = 0; i < count; i++)
        a[i] -= factor * v[i];
}

// A, by columns, becomes R, and `b` the same reflections of it; returns whether R has no zero on its
// diagonal.
static bool triangulate(double *a, size_t rows, size_t columns, double *b)
{
    double greatest = 0, least = INFINITY;

    for (size_t k = 0; k < columns; k++) {
        size_t rest = rows - k;
        double *v = a + k * rows + k, norm = sqrt(dot(v, v, rest)), diagonal = *v > 0 ? -norm : norm, length;

        greatest = fmax(greatest, norm);
        least = fmin(least, norm);
        *v -= diagonal;
        length = dot(v, v, rest);
        for (size_t j = k + 1; j < columns && length > 0; j++)
            reflect(v, length, a + j * rows + k, rest);
        if (length > 0)
            reflect(v, length, b + k, rest);
        *v = diagonal;
    }
    return least > greatest * (double)rows * 0x1p-52;
}

kn_status ki_sparse_reference_least_squares(const struct sparse_matrix *matrix, const double *b, double *x,
                                            kn_error *err)
{
    size_t rows = matrix->rows, columns = matrix->columns;
    double *a, *right;
    bool is_full;

    if (rows < columns)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%zu rows and %zu columns: least squares want as many rows at least", rows, columns);
    a = calloc(rows * (columns + 1) + 1, sizeof *a);
    if (!a)
        return ki_fail_memory(err, rows * (columns + 1) * sizeof *a, "a dense matrix");
    right = a + rows * columns;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            a[matrix->indices[i] * rows + row] = matrix->values[i];
    memcpy(right, b, rows * sizeof *b);
    is_full = triangulate(a, rows, columns, right);
    for (size_t k = columns; is_full && k-- > 0;) {
        x[k] = right[k];
        for (size_t j = k + 1; j < columns; j++)
            x[k] -= a[j * rows + k] * x[j];
        x[k] /= a[k * rows + k];
    }
    free(a);
    return is_full ? KN_OK
                   : ki_fail(err, KN_ERROR_ARGUMENT,
                             "the matrix' %zu columns depend on one another: no single solution", columns);
}

// ---- conjugate gradients ----

struct solve {
    const struct sparse_matrix *matrix;
    const double *b;
    const struct solve_correction *correction;
    // `columns` each: A^T (A x - b), that and F, the direction, A^T A d, that and F
    double *data_gradient, *gradient, *d, *normal, *e;
    double *residual, *product; // `rows` each: A x - b, A d
};

static void take_residual(struct solve *s, const double *x)
{
    ki_sparse_reference_multiply(s->matrix, x, s->residual);
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] -= s->b[i];
    ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->data_gradient);
}

static void take_gradient(struct solve *s, const double *x)
{
    size_t n = s->matrix->columns;

    memcpy(s->gradient, s->data_gradient, n * sizeof *s->gradient);
    if (s->correction)
        s->correction->gradient(s->correction->data, x, n, s->gradient);
}

static void take_curvature(struct solve *s, const double *x)
{
    size_t n = s->matrix->columns;

    ki_sparse_reference_multiply(s->matrix, s->d, s->product);
    ki_sparse_reference_multiply_transposed(s->matrix, s->product, s->normal);
    memcpy(s->e, s->normal, n * sizeof *s->e);
    if (s->correction)
        s->correction->along(s->correction->data, x, s->d, n, s->e);
}

// One iteration; false if no direction of descent is left.
static bool iterate(struct solve *s, bool printed, double *x)
{
    size_t n = s->matrix->columns;
    double curvature, alpha, beta;

    take_curvature(s, x);
    curvature = dot(s->d, s->e, n);
    if (!(curvature > 0))
        return false;
    alpha = -dot(s->gradient, s->d, n) / curvature;
    for (size_t i = 0; i < n; i++)
        x[i] += alpha * s->d[i];
    if (printed) {
        take_residual(s, x);
    } else {
        for (size_t i = 0; i < s->matrix->rows; i++)
            s->residual[i] += alpha * s->product[i];
        for (size_t i = 0; i < n; i++)
            s->data_gradient[i] += alpha * s->normal[i];
    }
    take_gradient(s, x);
    beta = dot(s->gradient, s->e, n) / curvature;
    for (size_t i = 0; i < n; i++)
        s->d[i] = beta * s->d[i] - s->gradient[i];
    return true;
}

kn_status ki_sparse_reference_solve(const struct sparse_matrix *matrix, const double *b,
                                    const struct sparse_reference_options *options, double *x,
                                    double *history, kn_error *err)
{
    size_t n = matrix->columns, room = 5 * n + 2 * matrix->rows;
    double *numbers = malloc((room + 1) * sizeof *numbers);
    struct solve s = {.matrix = matrix, .b = b, .correction = options->correction};
    bool goes_on = true;

    if (!numbers)
        return ki_fail_memory(err, room * sizeof *numbers, "the solver");
    s.data_gradient = numbers;
    s.gradient = numbers + n;
    s.d = numbers + 2 * n;
    s.normal = numbers + 3 * n;
    s.e = numbers + 4 * n;
    s.residual = numbers + 5 * n;
    s.product = s.residual + matrix->rows;
    take_residual(&s, x);
    take_gradient(&s, x);
    for (size_t i = 0; i < n; i++)
        s.d[i] = -s.gradient[i];
    for (size_t k = 0; k <= options->iterations; k++) {
        if (history)
            history[k] = sqrt(dot(s.residual, s.residual, matrix->rows));
        if (k < options->iterations && goes_on)
            goes_on = iterate(&s, options->printed, x);
    }
    free(numbers);
    return KN_OK;
}
