// SPDX-License-Identifier: Apache-2.0
// Tests normal equations with Cholesky factors against dense Householder solutions, with and without terms;
// many right-hand sides; real matrices; and refusals.
#include "sparse_support.h"

#include <float.h>
#include <string.h>

#include "support/sparse_inputs.h"
#include "support/sparse_reference.h"
#include "app/sparse/solver/host/gram.h"
#include "support/run.h"

// A's nonzeros, and below them the roots of terms: lambda I, smooth D^T D. Its plain least squares are what
// the terms ask for.
static struct sparse_matrix augment(const struct sparse_matrix *a, const struct solve_terms *terms)
{
    static const double rows[][3] = {{-1, 1, 0}, {1, -2, 1}};
    size_t most = a->nonzeros + 4 * a->columns + 1, count = 0, row = a->rows,
           reach = terms->order == 2 ? 2 : 1;
    uint32_t *at = malloc(most * sizeof *at), *column = malloc(most * sizeof *column);
    double *values = malloc(most * sizeof *values);
    struct sparse_matrix made;

    ck_assert(at && column && values);
    for (size_t i = 0; i < a->rows; i++)
        for (size_t k = a->starts[i]; k < a->starts[i + 1]; k++, count++) {
            at[count] = (uint32_t)i;
            column[count] = a->indices[k];
            values[count] = a->values[k];
        }
    for (size_t j = 0; j < a->columns; j++, count++, row++) {
        at[count] = (uint32_t)row;
        column[count] = (uint32_t)j;
        values[count] = sqrt(terms->lambda);
    }
    for (size_t j = 0; j + reach < a->columns; j++, row++)
        for (size_t k = 0; k <= reach; k++, count++) {
            at[count] = (uint32_t)row;
            column[count] = (uint32_t)(j + k);
            values[count] = sqrt(terms->smooth) * rows[reach - 1][k];
        }
    EXPECT_OK(ki_sparse_from_entries(&(struct sparse_entries){row, a->columns, count, at, column, values},
                                     &made, &err));
    free(at);
    free(column);
    free(values);
    return made;
}

// The gradient A^T (A x - b) + L x is the backward error of the factors, n roundings of |G| |x| or so, and
// those of G and of A^T b, which have no more terms than rows.
static void check_gradient(const struct sparse_matrix *augmented, const double *b, const double *x)
{
    double *right = calloc(augmented->rows + 1, sizeof *right),
           *g = calloc(augmented->columns + 1, sizeof *g);
    double norm = 0, xs = 0, bs = 0, bound;

    ck_assert(right && g);
    ki_sparse_reference_multiply(augmented, x, right);
    for (size_t i = 0; i < augmented->rows; i++) {
        right[i] -= b[i];
        bs += b[i] * b[i];
    }
    ki_sparse_reference_multiply_transposed(augmented, right, g);
    for (size_t k = 0; k < augmented->nonzeros; k++)
        norm += augmented->values[k] * augmented->values[k];
    for (size_t j = 0; j < augmented->columns; j++)
        xs += x[j] * x[j];
    bound = (double)(3 * augmented->columns + 2 * augmented->rows + 8) * DBL_EPSILON / 2 *
            (norm * sqrt(xs) + sqrt(norm * bs));
    for (size_t j = 0; j < augmented->columns; j++)
        ck_assert_msg(fabs(g[j]) <= bound, "column %zu: the gradient is %g, not below %g", j, g[j], bound);
    free(right);
    free(g);
}

static const struct solve_terms tried[] = {{.lambda = 0},
                                           {.lambda = 0.7},
                                           {.lambda = 0.01, .smooth = 2, .order = 1},
                                           {.lambda = 0.01, .smooth = 0.5, .order = 2}};
enum { TERMS = sizeof tried / sizeof *tried, MOST = 33 };

// A random matrix with a large nonzero in every column.
static struct sparse_matrix make(size_t rows, size_t columns)
{
    size_t count = 4 * rows + columns;
    uint32_t *row = malloc(count * sizeof *row), *column = malloc(count * sizeof *column);
    double *values = sparse_numbers(count);
    struct sparse_matrix made;

    ck_assert(row && column);
    for (size_t i = 0; i < count; i++) {
        bool own = i < columns;
        row[i] = (uint32_t)(own ? i * rows / columns : test_random(&sparse_seed) % rows);
        column[i] = (uint32_t)(own ? i : test_random(&sparse_seed) % columns);
        values[i] += own ? 6 : 0;
    }
    EXPECT_OK(ki_sparse_from_entries(&(struct sparse_entries){rows, columns, count, row, column, values},
                                     &made, &err));
    free(row);
    free(column);
    free(values);
    return made;
}

START_TEST(dense)
{
    static const size_t shapes[][2] = {{1, 1},   {3, 2},   {9, 3},     {40, 31},
                                       {64, 32}, {90, 33}, {150, 127}, {200, 129}};
    double worst = 0;

    sparse_seed = test_seed("dense");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t t = 0; t < TERMS; t++) {
            size_t rows = shapes[s][0], columns = shapes[s][1];
            struct sparse_matrix a = make(rows, columns), augmented = augment(&a, &tried[t]);
            double *b = sparse_numbers(augmented.rows), *x = sparse_numbers(columns + 1), off = 0, size = 0;
            double *wanted = sparse_numbers(columns);
            struct sparse_gram *gram = NULL;

            memset(b + rows, 0, (augmented.rows - rows) * sizeof *b);
            EXPECT_OK(ki_sparse_gram_create(&a, t ? &tried[t] : NULL, &gram, &err));
            x[columns] = 1234;
            EXPECT_OK(ki_sparse_gram_solve(gram, b, 1, x, &err));
            ck_assert(x[columns] == 1234);
            check_gradient(&augmented, b, x);
            EXPECT_OK(sparse_reference_least_squares(&augmented, b, wanted, &err));
            for (size_t j = 0; j < columns; j++) {
                off += (x[j] - wanted[j]) * (x[j] - wanted[j]);
                size += wanted[j] * wanted[j];
            }
            worst = fmax(worst, sqrt(off / size));
            ki_sparse_gram_free(gram);
            ki_sparse_free(&a);
            ki_sparse_free(&augmented);
            free(b);
            free(x);
            free(wanted);
        }
    // cond(G) is below 1e4, as the strong nonzeros make it, and its rows have 129 terms.
    fprintf(stderr, "dense: off by at most %.2g\n", worst);
    ck_assert_double_le(worst, 1e4 * 129 * DBL_EPSILON);
}
END_TEST

// Each of many has the same bits as alone, and they are reported in order.
START_TEST(many)
{
    static const size_t counts[] = {0, 1, 2, 3, 5, 16, 17, MOST};
    enum { ROWS = 300, COLUMNS = 70 };
    struct sparse_matrix a;
    struct sparse_gram *gram = NULL;
    double *b, *x, *alone;

    sparse_seed = test_seed("many");
    a = make(ROWS, COLUMNS);
    b = sparse_numbers(MOST * ROWS);
    x = sparse_numbers(MOST * COLUMNS + 1);
    alone = sparse_numbers(MOST * COLUMNS);
    EXPECT_OK(ki_sparse_gram_create(&a, &tried[3], &gram, &err));
    for (size_t i = 0; i < MOST; i++)
        EXPECT_OK(ki_sparse_gram_solve(gram, b + i * ROWS, 1, alone + i * COLUMNS, &err));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        x[counts[k] * COLUMNS] = 1234;
        EXPECT_OK(ki_sparse_gram_solve(gram, b, counts[k], x, &err));
        ck_assert_int_eq(memcmp(x, alone, counts[k] * COLUMNS * sizeof *x), 0);
        ck_assert(x[counts[k] * COLUMNS] == 1234);
    }
    ki_sparse_gram_free(gram);
    ki_sparse_free(&a);
    free(b);
    free(x);
    free(alone);
}
END_TEST

// Real matrices: the error is the square of the condition number, times a rounding for each column.
START_TEST(real)
{
    static const struct {
        const char *matrix, *right;
        double condition;
    } files[] = {{"sparse/well1033.mtx.gz", "sparse/well1033_rhs1.mtx.gz", 167},
                 {"sparse/illc1033.mtx.gz", "sparse/illc1033_rhs1.mtx.gz", 1.89e4}};

    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[4096], right[4096];
        struct sparse_matrix a;
        struct sparse_columns b;
        struct sparse_gram *gram = NULL;
        double x[320], wanted[320], off = 0, size = 0, bound;

        if (!test_data_path(files[k].matrix, path, sizeof path) ||
            !test_data_path(files[k].right, right, sizeof right))
            return;
        EXPECT_OK(sparse_read(path, &a, &err));
        EXPECT_OK(sparse_read_columns(right, &b, &err));
        ck_assert_uint_eq(a.columns, 320);
        EXPECT_OK(sparse_reference_least_squares(&a, b.values, wanted, &err));
        EXPECT_OK(ki_sparse_gram_create(&a, NULL, &gram, &err));
        EXPECT_OK(ki_sparse_gram_solve(gram, b.values, 1, x, &err));
        for (size_t j = 0; j < 320; j++) {
            off += (x[j] - wanted[j]) * (x[j] - wanted[j]);
            size += wanted[j] * wanted[j];
        }
        bound = files[k].condition * files[k].condition * 320 * DBL_EPSILON;
        fprintf(stderr, "%s: off by %.2g of %.2g\n", files[k].matrix, sqrt(off / size), bound);
        ck_assert_double_le(sqrt(off / size), bound);
        ki_sparse_gram_free(gram);
        ki_sparse_free(&a);
        free(b.values);
    }
}
END_TEST

START_TEST(refused)
{
    struct sparse_gram *gram = NULL;
    struct sparse_matrix a;
    const struct {
        struct solve_terms terms;
        const char *words;
    } bad[] = {{{.lambda = -1}, "lambda is -1"},
               {{.lambda = NAN}, "lambda is nan"},
               {{.smooth = 1, .order = 3}, "order 3"},
               {{.nonnegative = 1}, "use fista"}};

    sparse_seed = test_seed("refused");
    a = make(40, 20);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, bad[i].words,
                       ki_sparse_gram_create(&a, &bad[i].terms, &gram, &err));
    // Column 7 empty; then equal to column 6.
    for (size_t k = 0; k < a.nonzeros; k++)
        a.indices[k] -= a.indices[k] == 7;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "column 7 (from 0) of 20: it has no nonzeros",
                   ki_sparse_gram_create(&a, NULL, &gram, &err));
    ki_sparse_free(&a);
    a = make(20, 40);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "depends on the columns before it",
                   ki_sparse_gram_create(&a, &tried[0], &gram, &err));
    EXPECT_OK(ki_sparse_gram_create(&a, &tried[1], &gram, &err));
    ki_sparse_gram_free(gram);
    ki_sparse_free(&a);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {dense, many, real, refused};

    return TEST_RUN("sparse_gram", CK_FORK, tests);
}
