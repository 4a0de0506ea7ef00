// SPDX-License-Identifier: Apache-2.0
// Sparse least squares written as plainly as possible: double precision, one thread, obvious loops. All
// solvers are measured against this.
#ifndef KN_TESTS_SUPPORT_SPARSE_REFERENCE_H
#define KN_TESTS_SUPPORT_SPARSE_REFERENCE_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "app/sparse/matrix.h"
#include "app/sparse/product/reference.h"
#include "base/error.h"
#include "operator/terms.h"

static inline double reference_dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

// ---- dense least squares ----

// a -= 2 v (v.a) / (v.v), which mirrors `a` at the plane across `v`.
static inline void reference_reflect(const double *v, double length, double *a, size_t count)
{
    double factor = 2 * reference_dot(v, a, count) / length;

    for (size_t i = 0; i < count; i++)
        a[i] -= factor * v[i];
}

// A, by columns, becomes R, and `b` undergoes the same reflections; returns whether R has no zero on its
// diagonal.
static inline bool reference_triangulate(double *a, size_t rows, size_t columns, double *b)
{
    double greatest = 0, least = INFINITY;

    for (size_t k = 0; k < columns; k++) {
        size_t rest = rows - k;
        double *v = a + k * rows + k, norm = sqrt(reference_dot(v, v, rest)),
               diagonal = *v > 0 ? -norm : norm, length;

        greatest = fmax(greatest, norm);
        least = fmin(least, norm);
        *v -= diagonal;
        length = reference_dot(v, v, rest);
        for (size_t j = k + 1; j < columns && length > 0; j++)
            reference_reflect(v, length, a + j * rows + k, rest);
        if (length > 0)
            reference_reflect(v, length, b + k, rest);
        *v = diagonal;
    }
    return least > greatest * (double)rows * 0x1p-52;
}

// The x of least |A x - b|, by Householder reflections of the dense matrix: rows * columns doubles, and 2
// rows columns^2 operations. KN_ERROR_ARGUMENT: fewer rows than columns, or linearly dependent columns (a
// diagonal element of R below rows * 2^-52 of the greatest); KN_ERROR_MEMORY.
static inline kn_status sparse_reference_least_squares(const struct sparse_matrix *matrix, const double *b,
                                                       double *x, kn_error *why)
{
    size_t rows = matrix->rows, columns = matrix->columns;
    double *a, *right;
    bool is_full;

    if (rows < columns)
        return ki_fail(why, KN_ERROR_ARGUMENT,
                       "%zu rows and %zu columns: least squares want as many rows at least", rows, columns);
    a = calloc(rows * (columns + 1) + 1, sizeof *a);
    if (!a)
        return ki_fail_memory(why, rows * (columns + 1) * sizeof *a, "a dense matrix");
    right = a + rows * columns;
    for (size_t row = 0; row < rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++)
            a[matrix->indices[i] * rows + row] = matrix->values[i];
    memcpy(right, b, rows * sizeof *b);
    is_full = reference_triangulate(a, rows, columns, right);
    for (size_t k = columns; is_full && k-- > 0;) {
        x[k] = right[k];
        for (size_t j = k + 1; j < columns; j++)
            x[k] -= a[j * rows + k] * x[j];
        x[k] /= a[k * rows + k];
    }
    free(a);
    return is_full ? KN_OK
                   : ki_fail(why, KN_ERROR_ARGUMENT,
                             "the matrix' %zu columns depend on one another: no single solution", columns);
}

// ---- conjugate gradients ----

struct sparse_reference {
    const struct sparse_matrix *matrix;
    const double *b;
    const struct solve_correction *correction;
    // `columns` each: A^T (A x - b), that and F, the direction, A^T A d, that and F
    double *data_gradient, *gradient, *d, *normal, *e;
    double *residual, *product; // `rows` each: A x - b, A d
};

static inline void reference_take_residual(struct sparse_reference *s, const double *x)
{
    ki_sparse_reference_multiply(s->matrix, x, s->residual);
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] -= s->b[i];
    ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->data_gradient);
}

static inline void reference_take_gradient(struct sparse_reference *s, const double *x)
{
    size_t n = s->matrix->columns;

    memcpy(s->gradient, s->data_gradient, n * sizeof *s->gradient);
    if (s->correction)
        s->correction->gradient(s->correction->data, x, n, s->gradient);
}

static inline void reference_take_curvature(struct sparse_reference *s, const double *x)
{
    size_t n = s->matrix->columns;

    ki_sparse_reference_multiply(s->matrix, s->d, s->product);
    ki_sparse_reference_multiply_transposed(s->matrix, s->product, s->normal);
    memcpy(s->e, s->normal, n * sizeof *s->e);
    if (s->correction)
        s->correction->along(s->correction->data, x, s->d, n, s->e);
}

// One iteration; false if there is no direction of descent left.
static inline bool reference_iterate(struct sparse_reference *s, double *x)
{
    size_t n = s->matrix->columns;
    double curvature, alpha, beta;

    reference_take_curvature(s, x);
    curvature = reference_dot(s->d, s->e, n);
    if (!(curvature > 0))
        return false;
    alpha = -reference_dot(s->gradient, s->d, n) / curvature;
    for (size_t i = 0; i < n; i++)
        x[i] += alpha * s->d[i];
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] += alpha * s->product[i];
    for (size_t i = 0; i < n; i++)
        s->data_gradient[i] += alpha * s->normal[i];
    reference_take_gradient(s, x);
    beta = reference_dot(s->gradient, s->e, n) / curvature;
    for (size_t i = 0; i < n; i++)
        s->d[i] = beta * s->d[i] - s->gradient[i];
    return true;
}

struct sparse_reference_options {
    size_t iterations;
    const struct solve_correction *correction; // NULL: none
};

// Conjugate gradients on A^T A with the correction term: from x = x, `columns` numbers in and out. `history`
// (or NULL) has iterations + 1 places for |A x - b|. It stops early if the gradient, or the curvature along
// d, is 0; the rest of `history` then repeats the last value. KN_ERROR_MEMORY.
static inline kn_status sparse_reference_solve(const struct sparse_matrix *matrix, const double *b,
                                               const struct sparse_reference_options *options, double *x,
                                               double *history, kn_error *why)
{
    size_t n = matrix->columns, room = 5 * n + 2 * matrix->rows;
    double *numbers = malloc((room + 1) * sizeof *numbers);
    struct sparse_reference s = {.matrix = matrix, .b = b, .correction = options->correction};
    bool goes_on = true;

    if (!numbers)
        return ki_fail_memory(why, room * sizeof *numbers, "the solver");
    s.data_gradient = numbers;
    s.gradient = numbers + n;
    s.d = numbers + 2 * n;
    s.normal = numbers + 3 * n;
    s.e = numbers + 4 * n;
    s.residual = numbers + 5 * n;
    s.product = s.residual + matrix->rows;
    reference_take_residual(&s, x);
    reference_take_gradient(&s, x);
    for (size_t i = 0; i < n; i++)
        s.d[i] = -s.gradient[i];
    for (size_t k = 0; k <= options->iterations; k++) {
        if (history)
            history[k] = sqrt(reference_dot(s.residual, s.residual, matrix->rows));
        if (k < options->iterations && goes_on)
            goes_on = reference_iterate(&s, x);
    }
    free(numbers);
    return KN_OK;
}

#endif
