// SPDX-License-Identifier: Apache-2.0
// Tests A x and A^T y in double precision in every format that supports it, against extended precision, for
// matrices of every size and skew; the same bits when repeated; refusals.
#include "format_support.h"
#include "operator_support.h"
#include "support/memory/memory.h"
#include "support/run.h"

#include <float.h>

static bool has_double(int format)
{
    return format_kernels[format][0] != NULL && format != KN_SPARSE_BACKPROJECTION;
}

// A double's sum of `terms` products in any order, and the reference's.
static double bound(size_t terms, double size)
{
    double roundings = (double)terms + 3;

    return roundings * 0x1p-53 / (1 - roundings * 0x1p-53) * size + roundings * DBL_MIN;
}

// y = M x; `size`: of the sums of absolute products.
static void multiply(const struct sparse_matrix *matrix, const double *x, double *y, double *size)
{
    for (size_t row = 0; row < matrix->rows; row++) {
        long double sum = 0, all = 0;

        for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            long double product = (long double)matrix->values[i] * x[matrix->indices[i]];
            sum += product;
            all += fabsl(product);
        }
        y[row] = (double)sum;
        size[row] = (double)all;
    }
}

static double *apply(const struct sparse_operator *a, bool transposed, const double *x, size_t columns,
                     size_t rows)
{
    kn_buffer *from = test_upload_with_room(x, columns * sizeof *x, 0);
    kn_buffer *to = test_upload_with_room(x, 0, rows * sizeof *x + 64);
    double *y = test_zeros(rows + 1, sizeof *y);

    EXPECT_OK(ki_sparse_operator_apply(queue, a, transposed, from, to, &err));
    EXPECT_OK(kn_buffer_read(queue, to, 0, y, rows * sizeof *y, &err));
    test_expect_poison(to, rows * sizeof *y);
    kn_buffer_free(from);
    kn_buffer_free(to);
    return y;
}

static void check_direction(const struct sparse_matrix *matrix, const struct sparse_operator *a,
                            bool transposed, const char *what, uint64_t *state)
{
    size_t rows = matrix->rows, columns = matrix->columns;
    double *x = test_zeros(columns + 1, sizeof *x), *wanted = test_zeros(rows + 1, sizeof *wanted);
    double *size = test_zeros(rows + 1, sizeof *size), *y, *again;
    kn_sparse_format format = ki_sparse_operator_format(a, transposed);

    for (size_t i = 0; i < columns; i++)
        x[i] = 2 * test_uniform(state) - 1;
    multiply(matrix, x, wanted, size);
    y = apply(a, transposed, x, columns, rows);
    for (size_t i = 0; i < rows; i++) {
        size_t terms = (size_t)(matrix->starts[i + 1] - matrix->starts[i]);
        ck_assert_msg(fabs(y[i] - wanted[i]) <= bound(terms, size[i]),
                      "%s, %s%s, %zu x %zu, row %zu of %zu nonzeros: %.17g, not %.17g", what,
                      ki_sparse_format_names[format], transposed ? ", transposed" : "", rows, columns, i,
                      terms, y[i], wanted[i]);
    }
    again = apply(a, transposed, x, columns, rows);
    ck_assert_mem_eq(y, again, rows * sizeof *y);
    free(x);
    free(y);
    free(again);
    free(wanted);
    free(size);
}

static void check_all(size_t rows, size_t columns, size_t mean, enum test_skew skew, uint64_t *state)
{
    const struct sparse_tuning tuning = {.is_double = true};
    struct sparse_matrix matrix = test_sparse(rows, columns, mean, skew, state), transposed;

    for (size_t i = 0; i < matrix.nonzeros; i++)
        matrix.values[i] += 1e-9 * test_uniform(state); // not representable as floats
    EXPECT_OK(ki_sparse_transpose(&matrix, &transposed, &err));
    for (int format = 0; format < SPARSE_FORMATS; format++) {
        struct sparse_operator *a = NULL;

        if (!has_double(format))
            continue;
        EXPECT_OK(ki_sparse_operator_create(queue, &matrix, (kn_sparse_format)format, &tuning, &a, &err));
        check_direction(&matrix, a, false, test_skew_names[skew], state);
        check_direction(&transposed, a, true, test_skew_names[skew], state);
        ki_sparse_operator_free(a);
    }
    ki_sparse_free(&matrix);
    ki_sparse_free(&transposed);
}

START_TEST(formats)
{
    static const size_t lengths[] = {1, 2, 31, 33, 129, 513};
    uint64_t state = test_seed("formats");
    bool slow = test_is_slow();

    if (!test_takes(KN_F64))
        return;
    for (size_t i = 0; i < (slow ? 2 : 6); i++)
        check_all(lengths[i], lengths[test_random(&state) % 6], 1 + test_random(&state) % 12, SKEW_NONE,
                  &state);
    for (int skew = 0; skew < SKEWS && !slow; skew++)
        check_all(700 + test_random(&state) % 900, 500 + test_random(&state) % 800, 7, (enum test_skew)skew,
                  &state);
}
END_TEST

// The estimate equals the memory in use.
START_TEST(memory)
{
    const struct sparse_tuning tuning = {.is_double = true};
    uint64_t state = test_seed("memory");
    struct sparse_matrix matrix = test_sparse(300, 200, 9, SKEW_POWER, &state), transposed;

    if (!test_takes(KN_F64))
        return;
    EXPECT_OK(ki_sparse_transpose(&matrix, &transposed, &err));
    for (int format = 0; format < SPARSE_FORMATS; format++) {
        struct sparse_operator *a = NULL;
        size_t bytes;

        if (!has_double(format))
            continue;
        EXPECT_OK(ki_sparse_operator_create(queue, &matrix, (kn_sparse_format)format, &tuning, &a, &err));
        EXPECT_OK(ki_sparse_operator_estimate(queue, &matrix, &transposed, NULL, (kn_sparse_format)format,
                                              &tuning, &bytes, &err));
        ck_assert_msg(ki_sparse_operator_memory(a) == bytes, "%s: %zu bytes, estimated %zu",
                      ki_sparse_format_names[format], ki_sparse_operator_memory(a), bytes);
        ki_sparse_operator_free(a);
    }
    ki_sparse_free(&matrix);
    ki_sparse_free(&transposed);
}
END_TEST

START_TEST(refused)
{
    const struct sparse_tuning tuning = {.is_double = true};
    uint64_t state = 1;
    struct sparse_matrix matrix = test_sparse(30, 20, 3, SKEW_NONE, &state);
    struct sparse_operator *a = NULL;

    if (kn_context_get_device(context)->fp64) {
        EXPECT_REFUSED(
            KN_ERROR_UNSUPPORTED, "backprojection is in single precision; in double take another",
            ki_sparse_operator_create(queue, &matrix, KN_SPARSE_BACKPROJECTION, &tuning, &a, &err));
        matrix.values[3] = 1e300; // which is representable as a double
        EXPECT_OK(ki_sparse_operator_create(queue, &matrix, KN_SPARSE_SELL, &tuning, &a, &err));
        ki_sparse_operator_free(a);
    } else {
        EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "has no double precision",
                       ki_sparse_operator_create(queue, &matrix, KN_SPARSE_SELL, &tuning, &a, &err));
    }
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {formats, memory, refused};

    return test_run("spmv in double", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
