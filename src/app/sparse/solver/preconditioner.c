// SPDX-License-Identifier: Apache-2.0
#include "preconditioner.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_SHIFT 1e-3
#define MOST_SHIFT  1.0

struct sparse_preconditioner {
    size_t count;
    double *inverse;              // of the diagonal for Jacobi, of the pivots for ILU
    struct sparse_matrix factors; // ILU: L without its unit diagonal, and U; empty for Jacobi
    size_t *diagonal;             // the position of each row's diagonal element
    double shift;
};

// ---- A^T A ----

// One row of A^T A as a dense line, and the list of columns that it has.
struct line {
    double *values;
    uint32_t *columns;
    char *is_there;
    size_t count;
};

static void add_to_line(struct line *line, uint32_t column, double value)
{
    if (!line->is_there[column]) {
        line->is_there[column] = 1;
        line->columns[line->count++] = column;
    }
    line->values[column] += value;
}

static void make_row(const struct sparse_matrix *matrix, const struct sparse_matrix *transposed, size_t row,
                     double lambda, struct line *line)
{
    line->count = 0;
    add_to_line(line, (uint32_t)row, lambda);
    for (size_t i = transposed->starts[row]; i < transposed->starts[row + 1]; i++) {
        size_t of = transposed->indices[i];

        for (size_t k = matrix->starts[of]; k < matrix->starts[of + 1]; k++)
            add_to_line(line, matrix->indices[k], transposed->values[i] * matrix->values[k]);
    }
}

// Empties the line again.
static void clear_line(struct line *line)
{
    for (size_t i = 0; i < line->count; i++) {
        line->is_there[line->columns[i]] = 0;
        line->values[line->columns[i]] = 0;
    }
}

static int by_column(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void store_row(const struct line *line, struct sparse_matrix *gram, size_t row)
{
    size_t at = gram->starts[row];

    qsort(line->columns, line->count, sizeof *line->columns, by_column);
    for (size_t i = 0; i < line->count; i++) {
        gram->indices[at + i] = line->columns[i];
        gram->values[at + i] = line->values[line->columns[i]];
    }
}

// Two rounds: the first one counts nonzeros.
static kn_status fill_gram(const struct sparse_matrix *matrix, const struct sparse_matrix *transposed,
                           double lambda, struct line *line, struct sparse_matrix *gram, kn_error *err)
{
    size_t n = matrix->columns, count = 0;
    uint64_t *starts = calloc(n + 1, sizeof *starts);
    kn_status status;

    if (!starts)
        return ki_fail_memory(err, n * sizeof *starts, "a Gram matrix");
    for (size_t row = 0; row < n; row++) {
        make_row(matrix, transposed, row, lambda, line);
        clear_line(line);
        starts[row + 1] = count += line->count;
    }
    status = ki_sparse_create(n, n, count, gram, err);
    if (!status)
        memcpy(gram->starts, starts, (n + 1) * sizeof *starts);
    for (size_t row = 0; row < n && !status; row++) {
        make_row(matrix, transposed, row, lambda, line);
        store_row(line, gram, row);
        clear_line(line);
    }
    free(starts);
    return status;
}

kn_status ki_sparse_gram(const struct sparse_matrix *matrix, double lambda, struct sparse_matrix *gram,
                         kn_error *err)
{
    size_t n = matrix->columns;
    struct sparse_matrix transposed;
    struct line line = {.values = calloc(n + 1, sizeof *line.values),
                        .columns = malloc((n + 1) * sizeof *line.columns),
                        .is_there = calloc(n + 1, 1)};
    kn_status status = ki_sparse_transpose(matrix, &transposed, err);

    memset(gram, 0, sizeof *gram);
    if (!status)
        status = line.values && line.columns && line.is_there
                     ? fill_gram(matrix, &transposed, lambda, &line, gram, err)
                     : ki_fail_memory(err, n * (sizeof *line.values + sizeof *line.columns), "a Gram matrix");
    ki_sparse_free(&transposed);
    free(line.values);
    free(line.columns);
    free(line.is_there);
    return status;
}

// ---- incomplete factors ----

static void find_diagonal(struct sparse_preconditioner *p)
{
    for (size_t row = 0; row < p->count; row++) {
        size_t at = p->factors.starts[row];

        while (p->factors.indices[at] != row)
            at++;
        p->diagonal[row] = at;
    }
}

// Subtracts multiples of the rows above from row `row`, and keeps only the elements of its pattern; `at`: the
// position of each column's element plus 1, or 0.
static void eliminate(struct sparse_preconditioner *p, size_t row, size_t *at)
{
    struct sparse_matrix *m = &p->factors;

    for (size_t i = m->starts[row]; i < m->starts[row + 1]; i++)
        at[m->indices[i]] = i + 1;
    for (size_t i = m->starts[row]; i < p->diagonal[row]; i++) {
        size_t above = m->indices[i];
        double factor = m->values[i] *= p->inverse[above];

        for (size_t k = p->diagonal[above] + 1; k < m->starts[above + 1]; k++)
            if (at[m->indices[k]])
                m->values[at[m->indices[k]] - 1] -= factor * m->values[k];
    }
    for (size_t i = m->starts[row]; i < m->starts[row + 1]; i++)
        at[m->indices[i]] = 0;
}

// Returns the row with a pivot that is not positive, or `count` if all are positive.
static size_t factor(struct sparse_preconditioner *p, size_t *at)
{
    for (size_t row = 0; row < p->count; row++) {
        double pivot;

        eliminate(p, row, at);
        pivot = p->factors.values[p->diagonal[row]];
        if (!(pivot > 0))
            return row;
        p->inverse[row] = 1 / pivot;
    }
    return p->count;
}

// Factors `values` with its diagonal times 1 + shift, for the first shift that makes all pivots positive.
static kn_status factor_shifted(struct sparse_preconditioner *p, const double *values, size_t *at,
                                kn_error *err)
{
    size_t row;

    for (double shift = 0;; shift = shift > 0 ? 2 * shift : FIRST_SHIFT) {
        memcpy(p->factors.values, values, p->factors.nonzeros * sizeof *values);
        for (size_t i = 0; i < p->count; i++)
            p->factors.values[p->diagonal[i]] *= 1 + shift;
        row = factor(p, at);
        p->shift = shift;
        if (row == p->count)
            return KN_OK;
        if (shift > MOST_SHIFT)
            return ki_fail(
                err, KN_ERROR_ARGUMENT,
                "ILU: pivot %zu is %g, expected one above 0; is the column empty? Take a greater lambda, or "
                "Jacobi",
                row, p->factors.values[p->diagonal[row]]);
    }
}

static kn_status make_ilu(const struct sparse_matrix *matrix, double lambda, struct sparse_preconditioner *p,
                          kn_error *err)
{
    kn_status status = ki_sparse_gram(matrix, lambda, &p->factors, err);
    size_t *at = calloc(p->count + 1, sizeof *at);
    double *values = malloc((p->factors.nonzeros + 1) * sizeof *values);

    p->diagonal = malloc((p->count + 1) * sizeof *p->diagonal);
    if (!status && !(at && values && p->diagonal))
        status = ki_fail_memory(err, p->factors.nonzeros * sizeof *values, "incomplete factors");
    if (!status) {
        memcpy(values, p->factors.values, p->factors.nonzeros * sizeof *values);
        find_diagonal(p);
        status = factor_shifted(p, values, at, err);
    }
    free(at);
    free(values);
    return status;
}

// Empty columns stay unchanged.
static kn_status make_jacobi(const struct sparse_matrix *matrix, double lambda,
                             struct sparse_preconditioner *p, kn_error *err)
{
    (void)err;
    for (size_t i = 0; i < matrix->nonzeros; i++)
        p->inverse[matrix->indices[i]] += matrix->values[i] * matrix->values[i];
    for (size_t i = 0; i < p->count; i++)
        p->inverse[i] = p->inverse[i] + lambda > 0 ? 1 / (p->inverse[i] + lambda) : 1;
    return KN_OK;
}

kn_status ki_sparse_preconditioner_create(const struct sparse_matrix *matrix,
                                          enum sparse_preconditioner_kind kind, double lambda,
                                          struct sparse_preconditioner **preconditioner, kn_error *err)
{
    struct sparse_preconditioner *p;
    kn_status status;

    *preconditioner = NULL;
    if ((kind != SPARSE_JACOBI && kind != SPARSE_ILU) || !(lambda >= 0))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "preconditioner %d with lambda %g; expected one of sparse_preconditioner_kind, and 0 or more",
            (int)kind, lambda);
    p = calloc(1, sizeof *p);
    if (p)
        p->inverse = calloc(matrix->columns + 1, sizeof *p->inverse);
    if (!p || !p->inverse) {
        free(p);
        return ki_fail_memory(err, matrix->columns * sizeof *p->inverse, "a preconditioner");
    }
    p->count = matrix->columns;
    status = kind == SPARSE_ILU ? make_ilu(matrix, lambda, p, err) : make_jacobi(matrix, lambda, p, err);
    if (status)
        ki_sparse_preconditioner_free(p);
    else
        *preconditioner = p;
    return status;
}

void ki_sparse_preconditioner_apply(const void *preconditioner, const double *v, double *out)
{
    const struct sparse_preconditioner *p = preconditioner;
    const struct sparse_matrix *m = &p->factors;

    if (!p->diagonal) {
        for (size_t i = 0; i < p->count; i++)
            out[i] = p->inverse[i] * v[i];
        return;
    }
    for (size_t row = 0; row < p->count; row++) {
        out[row] = v[row];
        for (size_t i = m->starts[row]; i < p->diagonal[row]; i++)
            out[row] -= m->values[i] * out[m->indices[i]];
    }
    for (size_t row = p->count; row-- > 0;) {
        for (size_t i = p->diagonal[row] + 1; i < m->starts[row + 1]; i++)
            out[row] -= m->values[i] * out[m->indices[i]];
        out[row] *= p->inverse[row];
    }
}

double ki_sparse_preconditioner_shift(const struct sparse_preconditioner *preconditioner)
{
    return preconditioner->shift;
}

void ki_sparse_preconditioner_free(struct sparse_preconditioner *preconditioner)
{
    if (!preconditioner)
        return;
    free(preconditioner->inverse);
    free(preconditioner->diagonal);
    ki_sparse_free(&preconditioner->factors);
    free(preconditioner);
}
