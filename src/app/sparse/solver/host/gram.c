// SPDX-License-Identifier: Apache-2.0
#include "gram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/cholesky/host_cholesky.h"
#include "base/array.h"
#include "base/error.h"

enum { MOST_COLUMNS = 1 << 24, LANES = 16, FEW = 2, BLOCK = 256 };

struct sparse_gram {
    size_t rows, columns;
    struct sparse_matrix transposed;
    struct host_cholesky *factors;
};

static kn_status check_terms(const struct solve_terms *terms, kn_error *err)
{
    const struct {
        const char *name;
        double value;
    } parts[] = {{"lambda", terms->lambda}, {"the weight of smoothness", terms->smooth}};

    for (size_t i = 0; i < KI_COUNT(parts); i++)
        if (!(parts[i].value >= 0) || !isfinite(parts[i].value))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s is %g; expected a number from 0 on", parts[i].name,
                           parts[i].value);
    if (terms->smooth > 0 && terms->order != 1 && terms->order != 2)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of order %u; there are 1 and 2", terms->order);
    if (terms->nonnegative != 0)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "a penalty for negative numbers depends on where they are, which the Gram matrix cannot "
            "have; use fista, bb or cgnr");
    return KN_OK;
}

// Adds row j of A^T A up to the diagonal: for each nonzero of column j, in row i of A, the multiple of that
// row.
static void add_products(const struct sparse_matrix *matrix, const struct sparse_matrix *transposed, size_t j,
                         double *row)
{
    for (size_t k = transposed->starts[j]; k < transposed->starts[j + 1]; k++) {
        size_t i = transposed->indices[k];

        for (size_t l = matrix->starts[i]; l < matrix->starts[i + 1] && matrix->indices[l] <= j; l++)
            row[matrix->indices[l]] += transposed->values[k] * matrix->values[l];
    }
}

// Row j of lambda I + smooth D^T D up to the diagonal: rows of D are (-1, 1) or (1, -2, 1).
static void add_terms(const struct solve_terms *terms, size_t j, size_t columns, double *row)
{
    static const double differences[][3] = {{-1, 1, 0}, {1, -2, 1}};
    const double *of = differences[terms->order == 2];
    size_t reach = terms->order == 2 ? 2 : 1;

    row[j] += terms->lambda;
    if (terms->smooth == 0)
        return;
    for (size_t own = 0; own <= reach; own++) // D's row j - own, where column j is the own-th
        for (size_t other = 0; other <= own; other++)
            if (j >= own && j - own + reach < columns)
                row[j - own + other] += terms->smooth * of[own] * of[other];
}

struct filling {
    struct sparse_gram *gram;
    const struct sparse_matrix *matrix;
    const struct solve_terms *terms;
};

static void fill_row(void *context, size_t j)
{
    const struct filling *f = context;
    double *row = ki_host_cholesky_row(f->gram->factors, j);

    add_products(f->matrix, &f->gram->transposed, j, row);
    add_terms(f->terms, j, f->gram->columns, row);
}

static kn_status fill_and_factor(struct sparse_gram *g, const struct sparse_matrix *matrix,
                                 const struct solve_terms *terms, kn_error *err)
{
    size_t column = 0, columns = g->columns;

    ki_parallel(ki_threads(0), columns, KI_DYNAMIC, fill_row, &(struct filling){g, matrix, terms});
    if (ki_host_cholesky_factor(g->factors, &column))
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "the Gram matrix is not positive definite at column %zu (from 0) of %zu: it %s; give a "
                   "lambda greater than %g, or use cgnr",
                   column, columns,
                   g->transposed.starts[column] == g->transposed.starts[column + 1]
                       ? "has no nonzeros"
                       : "depends on the columns before it, within rounding",
                   terms->lambda);
}

kn_status ki_sparse_gram_create(const struct sparse_matrix *matrix, const struct solve_terms *terms,
                                struct sparse_gram **gram, kn_error *err)
{
    const struct solve_terms none = {.lambda = 0};
    struct sparse_gram *g = calloc(1, sizeof *g);
    kn_status status =
        g ? check_terms(terms ? terms : &none, err) : ki_fail_memory(err, sizeof *g, "a Gram matrix");

    if (!status && matrix->columns > MOST_COLUMNS)
        status = ki_fail(err, KN_ERROR_LIMIT, "a Gram matrix of %zu columns; at most %d can be had; use cgnr",
                         matrix->columns, MOST_COLUMNS);
    if (!status) {
        g->rows = matrix->rows;
        g->columns = matrix->columns;
        status = ki_sparse_transpose(matrix, &g->transposed, err);
    }
    if (!status)
        status = ki_host_cholesky_create(g->columns, NULL, &g->factors, err);
    if (!status)
        status = fill_and_factor(g, matrix, terms ? terms : &none, err);
    if (status)
        ki_sparse_gram_free(g);
    else
        *gram = g;
    return status;
}

void ki_sparse_gram_free(struct sparse_gram *gram)
{
    if (!gram)
        return;
    ki_host_cholesky_free(gram->factors);
    ki_sparse_free(&gram->transposed);
    free(gram);
}

// Up to 16 right-hand sides b, and x = A^T b.
struct sides {
    const struct sparse_gram *gram;
    const double *b;
    size_t lanes;
    double *together; // b side by side, with 0 for those that are missing
    double *x;
};

// Copies the block's rows of b.
static void put_together(void *context, size_t block)
{
    const struct sides *s = context;
    const size_t rows = s->gram->rows, lanes = s->lanes;
    const double *b = s->b;
    double *together = s->together;

    for (size_t i = block * BLOCK; i < rows && i < (block + 1) * BLOCK; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            together[i * LANES + lane] = lane < lanes ? b[lane * rows + i] : 0;
}

// Computes the block's rows of x.
static void multiply_together(void *context, size_t block)
{
    const struct sides *s = context;
    const struct sparse_matrix *a = &s->gram->transposed;
    const double *together = s->together;

    for (size_t j = block * BLOCK; j < a->rows && j < (block + 1) * BLOCK; j++) {
        double sums[LANES] = {0};

        for (size_t k = a->starts[j]; k < a->starts[j + 1]; k++)
            for (size_t lane = 0; lane < LANES; lane++)
                sums[lane] += a->values[k] * together[(size_t)a->indices[k] * LANES + lane];
        for (size_t lane = 0; lane < s->lanes; lane++)
            s->x[lane * a->rows + j] = sums[lane];
    }
}

// For a few right-hand sides, for which putting them together would take longer: the same sums in the same
// order.
static void multiply_few(void *context, size_t block)
{
    const struct sides *s = context;
    const struct sparse_matrix *a = &s->gram->transposed;
    const double *b = s->b;

    for (size_t j = block * BLOCK; j < a->rows && j < (block + 1) * BLOCK; j++)
        for (size_t lane = 0; lane < s->lanes; lane++) {
            double sum = 0;

            for (size_t k = a->starts[j]; k < a->starts[j + 1]; k++)
                sum += a->values[k] * b[lane * s->gram->rows + a->indices[k]];
            s->x[lane * a->rows + j] = sum;
        }
}

kn_status ki_sparse_gram_solve(const struct sparse_gram *gram, const double *b, size_t count, double *x,
                               kn_error *err)
{
    double *together = count > FEW ? malloc((gram->rows * LANES + 1) * sizeof *together) : NULL;
    size_t row_blocks = (gram->rows + BLOCK - 1) / BLOCK, column_blocks = (gram->columns + BLOCK - 1) / BLOCK;
    unsigned threads = ki_threads(0);

    if (count > FEW && !together)
        return ki_fail_memory(err, gram->rows * LANES * sizeof *together,
                              "solving for many right-hand sides");
    for (size_t first = 0; first < count; first += LANES) {
        size_t lanes = count - first < LANES ? count - first : LANES;
        struct sides sides = {gram, b + first * gram->rows, lanes, together, x + first * gram->columns};

        if (lanes > FEW) {
            ki_parallel(threads, row_blocks, KI_STATIC, put_together, &sides);
            ki_parallel(threads, column_blocks, KI_DYNAMIC, multiply_together, &sides);
        } else {
            ki_parallel(threads, column_blocks, KI_DYNAMIC, multiply_few, &sides);
        }
    }
    free(together);
    return ki_host_cholesky_solve(gram->factors, x, count, err);
}

kn_status ki_sparse_gram_inverse(const struct sparse_gram *gram, size_t first, size_t count, double *columns,
                                 kn_error *err)
{
    memset(columns, 0, count * gram->columns * sizeof *columns);
    for (size_t i = 0; i < count; i++)
        columns[i * gram->columns + first + i] = 1;
    return ki_host_cholesky_solve(gram->factors, columns, count, err);
}
