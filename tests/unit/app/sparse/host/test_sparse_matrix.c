// SPDX-License-Identifier: Apache-2.0
// Tests sparse matrices from entries and transposed, and the reference for everything sparse: products, least
// squares and conjugate gradients, against dense matrices and each other.
#include "support/sparse_reference.h"
#include "sparse_support.h"

#include <float.h>
#include <math.h>

#include "app/sparse/solver/host/host_solve.h"
#include "support/run.h"

static const struct {
    size_t rows, columns, count;
} shapes[] = {{1, 1, 0},     {1, 1, 1},       {1, 1, 5},    {2, 3, 0},    {3, 2, 4},
              {1, 33, 20},   {33, 1, 20},     {31, 32, 90}, {32, 33, 90}, {33, 31, 90},
              {64, 63, 500}, {129, 127, 100}, {127, 129, 9}};

START_TEST(entries_become_rows)
{
    sparse_seed = test_seed("entries_become_rows");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t rows = shapes[s].rows, columns = shapes[s].columns, found = 0;
        double *dense = malloc(rows * columns * sizeof *dense);
        struct sparse_matrix matrix = sparse_random(rows, columns, shapes[s].count, dense), transposed;

        EXPECT_OK(ki_sparse_transpose(&matrix, &transposed, &err));
        EXPECT_OK(ki_sparse_check(&transposed, "transposed", &err));
        ck_assert_uint_eq(transposed.rows, columns);
        ck_assert_uint_eq(transposed.columns, rows);
        ck_assert_uint_eq(transposed.nonzeros, matrix.nonzeros);
        for (size_t row = 0; row < rows; row++)
            for (size_t i = matrix.starts[row]; i < matrix.starts[row + 1]; i++) {
                double *entry = &dense[row * columns + matrix.indices[i]];
                const uint32_t *begin = transposed.indices + transposed.starts[matrix.indices[i]];
                uint64_t at = transposed.starts[matrix.indices[i]];

                ck_assert_msg(test_same(*entry, matrix.values[i]), "%zu x %zu: %.17g for %.17g", rows,
                              columns, matrix.values[i], *entry);
                while (*begin != row)
                    begin++, at++;
                ck_assert_uint_lt(at, transposed.starts[matrix.indices[i] + 1]);
                ck_assert(test_same(transposed.values[at], matrix.values[i]));
                *entry = 0;
                found++;
            }
        ck_assert_uint_eq(found, matrix.nonzeros);
        for (size_t i = 0; i < rows * columns; i++)
            ck_assert_double_eq(dense[i], 0);
        ki_sparse_free(&matrix);
        ki_sparse_free(&transposed);
        free(dense);
    }
}
END_TEST

// Sorted entries, two of them duplicates, are accepted as they are.
START_TEST(sorted_entries)
{
    const uint32_t row[] = {0, 0, 0, 2, 2, 2}, column[] = {1, 1, 3, 0, 2, 2};
    const double values[] = {1, 2, 4, 8, 16, 32}, expected[] = {3, 4, 8, 48};
    const uint64_t starts[] = {0, 2, 2, 4, 4};
    struct sparse_entries entries = {4, 5, 6, row, column, values};
    struct sparse_matrix matrix;

    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    EXPECT_OK(ki_sparse_check(&matrix, "sorted", &err));
    ck_assert_uint_eq(matrix.nonzeros, 4);
    ck_assert_mem_eq(matrix.starts, starts, sizeof starts);
    ck_assert_mem_eq(matrix.values, expected, sizeof expected);
    ki_sparse_free(&matrix);
}
END_TEST

// The longest first, equal ones in their original order.
START_TEST(rows_by_length)
{
    static const uint64_t starts[] = {0, 1, 1, 4, 5, 5, 8};
    static const uint32_t wanted[] = {2, 5, 0, 3, 1, 4};
    const struct sparse_matrix matrix = {
        .rows = 6, .columns = 3, .nonzeros = 8, .starts = (uint64_t *)(uintptr_t)starts};
    const struct sparse_matrix none = {.rows = 0, .starts = (uint64_t *)(uintptr_t)starts};
    uint32_t order[6];

    ck_assert_uint_eq(ki_sparse_longest_row(&matrix), 3);
    EXPECT_OK(ki_sparse_sort_rows(&matrix, order, &err));
    ck_assert_int_eq(memcmp(order, wanted, sizeof wanted), 0);
    ck_assert_uint_eq(ki_sparse_longest_row(&none), 0);
    EXPECT_OK(ki_sparse_sort_rows(&none, order, &err));
}
END_TEST

START_TEST(explicit_zeros_stay)
{
    const uint32_t row[] = {1, 0, 1, 1}, column[] = {2, 0, 2, 0};
    const double values[] = {0, 0, 0, 3};
    struct sparse_entries entries = {2, 3, 4, row, column, values};
    struct sparse_matrix matrix;

    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    ck_assert_uint_eq(matrix.nonzeros, 3);
    ck_assert_uint_eq(matrix.starts[1], 1);
    ck_assert_uint_eq(matrix.indices[1], 0);
    ck_assert_uint_eq(matrix.indices[2], 2);
    ck_assert_double_eq(matrix.values[1], 3);
    ck_assert_double_eq(matrix.values[2], 0);
    ki_sparse_free(&matrix);
    entries.values = NULL; // a pattern
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    ck_assert_double_eq(matrix.values[2], 2);
    ki_sparse_free(&matrix);
}
END_TEST

START_TEST(bad_matrices_are_refused)
{
    uint32_t row[] = {0, 2}, column[] = {0, 1};
    struct sparse_entries entries = {2, 2, 2, row, column, NULL};
    struct sparse_matrix matrix;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "row 2", ki_sparse_from_entries(&entries, &matrix, &err));
    ck_assert_ptr_null(matrix.starts);
    row[1] = 1;
    column[1] = 2;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "column 2", ki_sparse_from_entries(&entries, &matrix, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "at most 4294967295",
                   ki_sparse_create((size_t)1 << 32, 1, 0, &matrix, &err));
    column[1] = 1;
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    EXPECT_OK(ki_sparse_check(&matrix, "m.npz", &err));
    matrix.values[1] = NAN;
    EXPECT_REFUSED(KN_ERROR_INPUT, "m.npz: row 1", ki_sparse_check(&matrix, "m.npz", &err));
    matrix.indices[1] = 2;
    EXPECT_REFUSED(KN_ERROR_INPUT, "column 2 of 2", ki_sparse_check(&matrix, "m.npz", &err));
    matrix.starts[1] = 3;
    EXPECT_REFUSED(KN_ERROR_INPUT, "behind its end", ki_sparse_check(&matrix, "m.npz", &err));
    matrix.starts[0] = 1;
    EXPECT_REFUSED(KN_ERROR_INPUT, "begin at 1", ki_sparse_check(&matrix, "m.npz", &err));
    ki_sparse_free(&matrix);
}
END_TEST

START_TEST(products_are_the_dense_ones)
{
    sparse_seed = test_seed("products_are_the_dense_ones");
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t rows = shapes[s].rows, columns = shapes[s].columns;
        double *dense = malloc(rows * columns * sizeof *dense), *x = sparse_numbers(columns),
               *y = sparse_numbers(rows);
        struct sparse_matrix matrix = sparse_random(rows, columns, shapes[s].count, dense);
        double *ax = sparse_numbers(rows), *aty = sparse_numbers(columns), left = 0, right = 0, scale = 0;

        ki_sparse_reference_multiply(&matrix, x, ax);
        ki_sparse_reference_multiply_transposed(&matrix, y, aty);
        for (size_t row = 0; row < rows; row++) {
            double sum = 0, size = 0;

            for (size_t column = 0; column < columns; column++) {
                sum += dense[row * columns + column] * x[column];
                size += fabs(dense[row * columns + column] * x[column]);
            }
            // The error of both sums is at most an epsilon for each term and half of one for each product.
            ck_assert_double_le(fabs(sum - ax[row]), 2 * (double)columns * DBL_EPSILON * size);
            left += ax[row] * y[row];
            scale += size * fabs(y[row]);
        }
        for (size_t column = 0; column < columns; column++)
            right += aty[column] * x[column];
        ck_assert_double_le(fabs(left - right), 2 * (double)(rows + columns) * DBL_EPSILON * scale);
        ki_sparse_free(&matrix);
        free(dense);
        free(x);
        free(y);
        free(ax);
        free(aty);
    }
}
END_TEST

// The gradient A^T (A x - b), relative to |A| |b|, Frobenius' norm.
static double normal_residual(const struct sparse_matrix *matrix, const double *b, const double *x)
{
    double *r = sparse_numbers(matrix->rows), *g = sparse_numbers(matrix->columns), sum = 0, a = 0, size = 0;

    ki_sparse_reference_multiply(matrix, x, r);
    for (size_t i = 0; i < matrix->rows; i++) {
        r[i] -= b[i];
        size += b[i] * b[i];
    }
    ki_sparse_reference_multiply_transposed(matrix, r, g);
    for (size_t i = 0; i < matrix->columns; i++)
        sum += g[i] * g[i];
    for (size_t i = 0; i < matrix->nonzeros; i++)
        a += matrix->values[i] * matrix->values[i];
    free(r);
    free(g);
    return sqrt(sum / (a * size));
}

static void ridge(const void *data, const double *x, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] += *(const double *)data * x[i];
}

static void ridge_along(const void *data, const double *x, const double *d, size_t count, double *out)
{
    (void)x;
    ridge(data, d, count, out);
}

START_TEST(two_methods_of_least_squares)
{
    enum { ROWS = 61, COLUMNS = 17 };
    const size_t wanted[] = {1, 2, COLUMNS};

    sparse_seed = test_seed("two_methods_of_least_squares");
    for (size_t w = 0; w < 3; w++) {
        size_t columns = wanted[w];
        struct sparse_matrix matrix = sparse_random(ROWS, columns, 20 * ROWS, NULL);
        double *b = sparse_numbers(ROWS), *x = sparse_numbers(columns), *y = calloc(columns + 1, sizeof *y);
        struct sparse_reference_options options = {.iterations = 4 * columns};
        // Householder's QR is off by a perturbation of A by about rows * columns epsilons (Higham, 19.3).
        double size = 0, history[4 * COLUMNS + 1], bound = ROWS * (double)columns * DBL_EPSILON;

        EXPECT_OK(sparse_reference_least_squares(&matrix, b, x, &err));
        ck_assert_double_le(normal_residual(&matrix, b, x), bound);
        EXPECT_OK(sparse_reference_solve(&matrix, b, &options, y, history, &err));
        ck_assert_double_le(normal_residual(&matrix, b, y), bound);
        for (size_t i = 0; i < columns; i++)
            size = fmax(size, fabs(x[i]));
        for (size_t i = 0; i < columns; i++)
            ck_assert_double_le(fabs(x[i] - y[i]), 1e-10 * size);
        for (size_t k = 0; k < options.iterations; k++) // |A x - b| never increases
            ck_assert_double_le(history[k + 1], history[k] * (1 + 1e-12));
        ki_sparse_free(&matrix);
        free(b);
        free(x);
        free(y);
    }
}
END_TEST

START_TEST(printed_loop_gives_the_same)
{
    enum { ROWS = 80, COLUMNS = 40, ITERATIONS = 8 }; // with more, rounding errors grow
    const double weight = 50, lambda = 0.5;
    const struct solve_correction corrections[] = {{sparse_hinge, sparse_hinge_along, &weight},
                                                   {ridge, ridge_along, &lambda}};

    sparse_seed = test_seed("printed_loop_gives_the_same");
    for (size_t c = 0; c < 3; c++) {
        struct sparse_matrix matrix = sparse_random(ROWS, COLUMNS, 5 * ROWS, NULL);
        double *b = sparse_numbers(ROWS), x[COLUMNS] = {0}, y[COLUMNS] = {0}, size = 0;
        struct sparse_reference_options options = {.iterations = ITERATIONS,
                                                   .correction = c < 2 ? &corrections[c] : NULL};

        EXPECT_OK(sparse_reference_solve(&matrix, b, &options, x, NULL, &err));
        EXPECT_OK(ki_sparse_host_printed(&matrix, b, options.correction, ITERATIONS, y, NULL, &err));
        for (size_t i = 0; i < COLUMNS; i++)
            size = fmax(size, fabs(x[i]));
        for (size_t i = 0; i < COLUMNS; i++)
            ck_assert_double_le(fabs(x[i] - y[i]), 1e-8 * size);
        ki_sparse_free(&matrix);
        free(b);
    }
}
END_TEST

// Adding lambda |x|^2 / 2 is the same as appending sqrt(lambda) times the identity to A, and zeros to b.
START_TEST(ridge_is_rows_more)
{
    enum { ROWS = 30, COLUMNS = 12 };
    const double lambda = 0.25;
    const struct solve_correction correction = {ridge, ridge_along, &lambda};
    struct sparse_reference_options options = {.iterations = 3 * COLUMNS, .correction = &correction};
    uint32_t row[4 * ROWS + COLUMNS], column[4 * ROWS + COLUMNS];
    double values[4 * ROWS + COLUMNS], b[ROWS + COLUMNS] = {0}, x[COLUMNS], y[COLUMNS] = {0};
    struct sparse_entries entries = {ROWS, COLUMNS, 4 * ROWS, row, column, values};
    struct sparse_matrix matrix, more;

    sparse_seed = test_seed("ridge_is_rows_more");
    for (size_t i = 0; i < 4 * ROWS + COLUMNS; i++) {
        row[i] = (uint32_t)(i / 4 < ROWS ? i / 4 : i - 3 * ROWS);
        column[i] = (uint32_t)(i / 4 < ROWS ? test_random(&sparse_seed) % COLUMNS : i - 4 * ROWS);
        values[i] = i / 4 < ROWS ? test_uniform(&sparse_seed) : sqrt(lambda);
    }
    for (size_t i = 0; i < ROWS; i++)
        b[i] = test_uniform(&sparse_seed);
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    entries.rows += COLUMNS;
    entries.count += COLUMNS;
    EXPECT_OK(ki_sparse_from_entries(&entries, &more, &err));
    EXPECT_OK(sparse_reference_least_squares(&more, b, x, &err));
    EXPECT_OK(sparse_reference_solve(&matrix, b, &options, y, NULL, &err));
    for (size_t i = 0; i < COLUMNS; i++)
        ck_assert_double_le(fabs(x[i] - y[i]), 1e-10);
    ki_sparse_free(&matrix);
    ki_sparse_free(&more);
}
END_TEST

START_TEST(no_single_solution_is_refused)
{
    const uint32_t row[] = {0, 1, 1}, column[] = {0, 0, 1};
    const double b[3] = {1, 1, 1};
    struct sparse_entries entries = {2, 3, 3, row, column, NULL};
    struct sparse_matrix matrix;
    double x[3];

    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "2 rows and 3 columns",
                   sparse_reference_least_squares(&matrix, b, x, &err));
    ki_sparse_free(&matrix);
    entries.rows = 3; // an empty column
    EXPECT_OK(ki_sparse_from_entries(&entries, &matrix, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "depend", sparse_reference_least_squares(&matrix, b, x, &err));
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {entries_become_rows,
                                  sorted_entries,
                                  rows_by_length,
                                  explicit_zeros_stay,
                                  bad_matrices_are_refused,
                                  products_are_the_dense_ones,
                                  two_methods_of_least_squares,
                                  printed_loop_gives_the_same,
                                  ridge_is_rows_more,
                                  no_single_solution_is_refused};

    return TEST_RUN("sparse_matrix", CK_FORK, tests);
}
