// SPDX-License-Identifier: Apache-2.0
#include "operator/terms.h"

#include <math.h>

// Adds weight D^T D v. A row of D is (-1, 1) or (1, -2, 1).
static void add_differences(double weight, unsigned order, const double *v, size_t count, double *out)
{
    static const double rows[][3] = {{-1, 1, 0}, {1, -2, 1}};
    const double *row = rows[order == 2];
    size_t reach = order == 2 ? 2 : 1;

    for (size_t i = 0; i + reach < count; i++) {
        double difference = 0;

        for (size_t k = 0; k <= reach; k++)
            difference += row[k] * v[i + k];
        for (size_t k = 0; k <= reach; k++)
            out[i + k] += weight * row[k] * difference;
    }
}

static bool is_beyond(const struct solve_terms *terms, double x)
{
    return terms->penalty != 0 && (x < terms->low || x > terms->high);
}

static void along(const void *data, const double *x, const double *d, size_t count, double *out)
{
    const struct solve_terms *terms = data;

    for (size_t i = 0; i < count; i++)
        out[i] += (terms->lambda + (x[i] < 0 ? terms->nonnegative : 0) +
                   (is_beyond(terms, x[i]) ? terms->penalty : 0)) *
                  d[i];
    if (terms->smooth != 0)
        add_differences(terms->smooth, terms->order, d, count, out);
}

// All terms are linear along x itself, except for bounds other than 0.
static void gradient(const void *data, const double *x, size_t count, double *out)
{
    const struct solve_terms *terms = data;

    along(data, x, x, count, out);
    for (size_t i = 0; i < count; i++)
        if (is_beyond(terms, x[i]))
            out[i] -= terms->penalty * fmin(fmax(x[i], terms->low), terms->high);
}

struct solve_correction ki_solve_terms_correction(const struct solve_terms *terms)
{
    return (struct solve_correction){gradient, along, terms};
}
