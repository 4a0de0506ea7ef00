// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients as printed in their source.
#include "host_solve.h"

#include <math.h>
#include <stdlib.h>

#include "app/sparse/product/reference.h"
#include "base/error.h"

struct loop {
    const struct sparse_matrix *matrix;
    const double *b;
    const struct solve_correction *correction; // F; NULL: none
    double *gradient, *d, *e;   // `columns` each: A^T (A x - b) + F, the direction, A^T A d + F
    double *residual, *product; // `rows` each: A x - b, A d
};

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void take_gradient(struct loop *s, const double *x)
{
    ki_sparse_reference_multiply(s->matrix, x, s->residual);
    for (size_t i = 0; i < s->matrix->rows; i++)
        s->residual[i] -= s->b[i];
    ki_sparse_reference_multiply_transposed(s->matrix, s->residual, s->gradient);
    if (s->correction)
        s->correction->gradient(s->correction->data, x, s->matrix->columns, s->gradient);
}

static void take_curvature(struct loop *s, const double *x)
{
    ki_sparse_reference_multiply(s->matrix, s->d, s->product);
    ki_sparse_reference_multiply_transposed(s->matrix, s->product, s->e);
    if (s->correction)
        s->correction->along(s->correction->data, x, s->d, s->matrix->columns, s->e);
}

// One iteration; false if no direction of descent is left.
static bool iterate(struct loop *s, double *x)
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
    take_gradient(s, x);
    beta = dot(s->gradient, s->e, n) / curvature;
    for (size_t i = 0; i < n; i++)
        s->d[i] = beta * s->d[i] - s->gradient[i];
    return true;
}

kn_status ki_sparse_host_printed(const struct sparse_matrix *matrix, const double *b,
                                 const struct solve_correction *correction, size_t iterations, double *x,
                                 double *history, kn_error *err)
{
    size_t n = matrix->columns, room = 3 * n + 2 * matrix->rows;
    double *numbers = malloc((room + 1) * sizeof *numbers);
    struct loop s = {.matrix = matrix, .b = b, .correction = correction};
    bool goes_on = true;

    if (!numbers)
        return ki_fail_memory(err, room * sizeof *numbers, "the solver");
    s.gradient = numbers;
    s.d = numbers + n;
    s.e = numbers + 2 * n;
    s.residual = numbers + 3 * n;
    s.product = s.residual + matrix->rows;
    take_gradient(&s, x);
    for (size_t i = 0; i < n; i++)
        s.d[i] = -s.gradient[i];
    for (size_t k = 0; k <= iterations; k++) {
        if (history)
            history[k] = sqrt(dot(s.residual, s.residual, matrix->rows));
        if (k < iterations && goes_on)
            goes_on = iterate(&s, x);
    }
    free(numbers);
    return KN_OK;
}
