// SPDX-License-Identifier: Apache-2.0
// Tests preconditioners: A^T A against the dense product, factors that are exact if nothing is dropped, and
// the host's solver with them: the same solution in fewer iterations.
#include "sparse_support.h"

#include <float.h>

#include "support/sparse_inputs.h"
#include "app/sparse/solver/preconditioner.h"
#include "support/sparse_reference.h"
#include "app/sparse/solver/host/host_solve.h"
#include "operator/terms.h"
#include "support/run.h"

START_TEST(gram)
{
    static const size_t shapes[][3] = {{1, 1, 0},    {1, 1, 1},     {3, 2, 4},  {2, 3, 3},
                                       {33, 31, 90}, {64, 33, 300}, {5, 20, 30}};

    sparse_seed = test_seed("gram");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t rows = shapes[s][0], columns = shapes[s][1], found = 0, wanted = 0;
        double *dense = malloc(rows * columns * sizeof *dense);
        struct sparse_matrix matrix = sparse_random(rows, columns, shapes[s][2], dense), product;

        EXPECT_OK(ki_sparse_gram(&matrix, 0.25, &product, &err));
        EXPECT_OK(ki_sparse_check(&product, "gram", &err));
        for (size_t i = 0; i < columns; i++) {
            size_t at = product.starts[i];

            for (size_t j = 0; j < columns; j++) {
                double sum = i == j ? 0.25 : 0, value = 0;

                for (size_t k = 0; k < rows; k++)
                    sum += dense[k * columns + i] * dense[k * columns + j];
                wanted += sum != 0;
                if (at < product.starts[i + 1] && product.indices[at] == j)
                    value = product.values[at++];
                found += value != 0;
                ck_assert_double_le(fabs(value - sum), (double)rows * DBL_EPSILON * 4);
            }
            ck_assert_uint_eq(at, product.starts[i + 1]);
        }
        ck_assert_uint_ge(found, wanted - wanted / 8);
        ki_sparse_free(&product);
        ki_sparse_free(&matrix);
        free(dense);
    }
}
END_TEST

// The error of (A^T A + lambda) M^-1 v = v, relative to the greatest v.
static double how_wrong(const struct sparse_matrix *matrix, double lambda,
                        const struct sparse_preconditioner *p)
{
    double *v = sparse_numbers(matrix->columns), *u = sparse_numbers(matrix->columns),
           *w = sparse_numbers(matrix->rows);
    double *back = sparse_numbers(matrix->columns), most = 0;

    ki_sparse_preconditioner_apply(p, v, u);
    ki_sparse_reference_multiply(matrix, u, w);
    ki_sparse_reference_multiply_transposed(matrix, w, back);
    for (size_t i = 0; i < matrix->columns; i++)
        most = fmax(most, fabs(back[i] + lambda * u[i] - v[i]));
    free(v);
    free(u);
    free(w);
    free(back);
    return most;
}

// Two adjacent elements in each row: A^T A has three diagonals, and its factors have no more.
static struct sparse_matrix two_diagonals(size_t n)
{
    uint32_t *row = malloc(2 * n * sizeof *row), *column = malloc(2 * n * sizeof *column);
    double *values = sparse_numbers(2 * n);
    struct sparse_matrix matrix;

    for (size_t i = 0; i < 2 * n; i++) {
        row[i] = (uint32_t)(i / 2 + i % 2);
        column[i] = (uint32_t)(i / 2);
        values[i] += i % 2 ? 0 : 3;
    }
    EXPECT_OK(ki_sparse_from_entries(&(struct sparse_entries){n + 1, n, 2 * n, row, column, values}, &matrix,
                                     &err));
    free(row);
    free(column);
    free(values);
    return matrix;
}

START_TEST(factors_without_loss)
{
    sparse_seed = test_seed("factors_without_loss");
    for (size_t n = 1; n < 70; n += n < 3 ? 1 : 16)
        for (unsigned full = 0; full < 2; full++) {
            struct sparse_matrix matrix =
                full ? sparse_random(3 * n + 5, n, 3 * n * (3 * n + 5), NULL) : two_diagonals(n);
            struct sparse_preconditioner *p;

            EXPECT_OK(ki_sparse_preconditioner_create(&matrix, SPARSE_ILU, 0.5, &p, &err));
            // Elimination of a well-conditioned matrix: n epsilons times the condition number, below 1000.
            ck_assert_double_le(how_wrong(&matrix, 0.5, p), 1000 * (double)n * DBL_EPSILON);
            ck_assert_double_eq(ki_sparse_preconditioner_shift(p), 0);
            ki_sparse_preconditioner_free(p);
            ki_sparse_free(&matrix);
        }
}
END_TEST

START_TEST(jacobi)
{
    const uint32_t row[] = {0, 1, 1}, column[] = {0, 0, 2};
    const double values[] = {3, 4, 0.5}, v[] = {5, 6, 7};
    struct sparse_matrix matrix;
    struct sparse_preconditioner *p;
    double out[3];

    EXPECT_OK(ki_sparse_from_entries(&(struct sparse_entries){2, 3, 3, row, column, values}, &matrix, &err));
    EXPECT_OK(ki_sparse_preconditioner_create(&matrix, SPARSE_JACOBI, 0, &p, &err));
    ki_sparse_preconditioner_apply(p, v, out);
    ck_assert_double_le(fabs(out[0] - 5.0 / 25), 1e-15);
    ck_assert_double_eq(out[1], 6); // an empty column
    ck_assert_double_eq(out[2], 28);
    ki_sparse_preconditioner_free(p);
    EXPECT_OK(ki_sparse_preconditioner_create(&matrix, SPARSE_JACOBI, 2, &p, &err));
    ki_sparse_preconditioner_apply(p, v, out);
    ck_assert_double_eq(out[1], 3);
    ki_sparse_preconditioner_free(p);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "ILU: pivot 1 is 0",
                   ki_sparse_preconditioner_create(&matrix, SPARSE_ILU, 0, &p, &err));
    ck_assert_ptr_null(p);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "lambda -1",
                   ki_sparse_preconditioner_create(&matrix, SPARSE_ILU, -1, &p, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "preconditioner 7",
                   ki_sparse_preconditioner_create(&matrix, (enum sparse_preconditioner_kind)7, 0, &p, &err));
    ki_sparse_free(&matrix);
    ki_sparse_preconditioner_free(NULL);
}
END_TEST

// ---- the solver with them ----

// Columns of very different lengths, also with penalties: the solution is the same as without a
// preconditioner, up to the rounding of floats.
START_TEST(the_same_solution)
{
    enum { ROWS = 200, COLUMNS = 40 };
    static const struct solve_terms terms = {.lambda = 0.1, .order = 1, .smooth = 0.2, .nonnegative = 4};
    const struct solve_correction correction = ki_solve_terms_correction(&terms);
    struct sparse_matrix matrix;
    double *b, plain[COLUMNS] = {0};
    struct sparse_reference_options reference = {.iterations = 5000, .correction = &correction};

    sparse_seed = test_seed("the_same_solution");
    matrix = sparse_random(ROWS, COLUMNS, 10 * ROWS, NULL);
    b = sparse_numbers(ROWS);
    for (size_t i = 0; i < matrix.nonzeros; i++)
        matrix.values[i] *= pow(2, (int)(matrix.indices[i] % 6));
    EXPECT_OK(sparse_reference_solve(&matrix, b, &reference, plain, NULL, &err));
    for (unsigned kind = 0; kind < 3; kind++) {
        struct host_cgnr_options options = {.iterations = 5000, .correction = &correction};
        struct host_cgnr_result result = {.history = NULL};
        struct sparse_preconditioner *p = NULL;
        struct sparse_host *host;
        double x[COLUMNS] = {0}, size = 0;

        if (kind)
            EXPECT_OK(ki_sparse_preconditioner_create(&matrix, kind == 2 ? SPARSE_ILU : SPARSE_JACOBI,
                                                      terms.lambda, &p, &err));
        options.precondition = ki_sparse_preconditioner_apply;
        options.preconditioner = p;
        EXPECT_OK(ki_sparse_host_create(&matrix, KN_F64, SPARSE_HOST_SELL, NULL, &host, &err));
        EXPECT_OK(ki_sparse_host_solve(host, b, &options, x, &result, &err));
        for (size_t i = 0; i < COLUMNS; i++)
            size = fmax(size, fabs(plain[i]));
        for (size_t i = 0; i < COLUMNS; i++)
            ck_assert_double_le(fabs(x[i] - plain[i]), 1e-8 * size);
        ki_sparse_host_free(host);
        ki_sparse_preconditioner_free(p);
    }
    free(b);
    ki_sparse_free(&matrix);
}
END_TEST

// The number of iterations until |A x - b| is within 1e-6 of its minimum.
static size_t iterations_of(const struct sparse_matrix *matrix, const double *b,
                            const struct sparse_preconditioner *p, double least)
{
    enum { MOST = 6000 };
    static double history[MOST + 1], x[4096];
    struct host_cgnr_options options = {
        .iterations = MOST, .precondition = ki_sparse_preconditioner_apply, .preconditioner = p};
    struct host_cgnr_result result = {.history = history};
    struct sparse_host *host;
    size_t k = 0;

    ck_assert_uint_le(matrix->columns, 4096);
    memset(x, 0, sizeof x);
    EXPECT_OK(ki_sparse_host_create(matrix, KN_F64, SPARSE_HOST_SELL, NULL, &host, &err));
    EXPECT_OK(ki_sparse_host_solve(host, b, &options, x, &result, &err));
    ki_sparse_host_free(host);
    while (k < MOST && history[k] > least * (1 + 1e-6))
        k++;
    ck_assert_uint_lt(k, MOST);
    return k;
}

START_TEST(fewer_iterations)
{
    char path[4096], right[4096];
    struct sparse_matrix matrix;
    struct sparse_columns b;
    double x[320], r[1033], least = 0;
    size_t iterations[3];

    if (!test_data_path("sparse/illc1033.mtx.gz", path, sizeof path) ||
        !test_data_path("sparse/illc1033_rhs1.mtx.gz", right, sizeof right))
        return;
    EXPECT_OK(sparse_read(path, &matrix, &err));
    EXPECT_OK(sparse_read_columns(right, &b, &err));
    EXPECT_OK(sparse_reference_least_squares(&matrix, b.values, x, &err));
    ki_sparse_reference_multiply(&matrix, x, r);
    for (size_t i = 0; i < matrix.rows; i++)
        least += (r[i] - b.values[i]) * (r[i] - b.values[i]);
    for (unsigned kind = 0; kind < 3; kind++) {
        struct sparse_preconditioner *p = NULL;

        if (kind)
            EXPECT_OK(ki_sparse_preconditioner_create(&matrix, kind == 2 ? SPARSE_ILU : SPARSE_JACOBI, 0, &p,
                                                      &err));
        if (kind == 2)
            fprintf(stderr, "ILU of illc1033: diagonal greater by %g\n", ki_sparse_preconditioner_shift(p));
        iterations[kind] = iterations_of(&matrix, b.values, p, sqrt(least));
        ki_sparse_preconditioner_free(p);
    }
    fprintf(stderr, "illc1033: %zu iterations, with Jacobi %zu, with ILU %zu\n", iterations[0], iterations[1],
            iterations[2]);
    ck_assert_uint_lt(iterations[2], iterations[0] / 2);
    free(b.values);
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {gram, factors_without_loss, jacobi, the_same_solution, fewer_iterations};

    return TEST_RUN("sparse_preconditioner", CK_FORK, tests);
}
