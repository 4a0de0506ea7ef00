// SPDX-License-Identifier: Apache-2.0
#include "host_products.h"

#include <math.h>
#include <string.h>

enum { POWER_ITERATIONS = 30 };

static void narrow(const double *from, float *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)from[i];
}

static void widen(const float *from, double *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

void ki_host_products_multiply(struct host_products *products, bool adjoint, const double *from, double *to)
{
    const kn_operator_functions *functions = &products->a->functions;
    size_t in = adjoint ? products->rows : products->columns,
           out = adjoint ? products->columns : products->rows;

    if (products->status)
        return;
    if (!products->is_single) {
        products->status = functions->apply_host(functions->data, adjoint, from, to, products->err);
        return;
    }
    narrow(from, products->from, in);
    products->status =
        functions->apply_host(functions->data, adjoint, products->from, products->to, products->err);
    if (!products->status)
        widen(products->to, to, out);
}

void ki_host_products_take(const struct host_products *products, const void *from, double *to, size_t count)
{
    if (products->is_single)
        widen(from, to, count);
    else
        memcpy(to, from, count * sizeof *to);
}

void ki_host_products_give(const struct host_products *products, const double *from, void *to, size_t count)
{
    if (products->is_single)
        narrow(from, to, count);
    else
        memcpy(to, from, count * sizeof *from);
}

static double length_of(const double *x, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

double ki_host_products_squared_norm(struct host_products *products,
                                     const struct solve_correction *correction, const double *x, double *y,
                                     double *before, double *of_rows)
{
    size_t columns = products->columns;
    double value = 0, size = sqrt((double)columns);

    for (size_t i = 0; i < columns; i++)
        y[i] = 1 + 0.01 * (double)(i % 7); // not orthogonal to the leading eigenvector
    for (size_t k = 0; k < POWER_ITERATIONS && size > 0 && !products->status; k++) {
        for (size_t i = 0; i < columns; i++)
            y[i] /= size;
        ki_host_products_multiply(products, false, y, of_rows);
        memcpy(before, y, columns * sizeof *y);
        if (products->is_normal)
            memcpy(y, of_rows, columns * sizeof *y);
        else
            ki_host_products_multiply(products, true, of_rows, y);
        if (correction)
            correction->along(correction->data, x, before, columns, y);
        value = size = length_of(y, columns);
    }
    return 1.02 * value;
}
