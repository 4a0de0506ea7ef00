// SPDX-License-Identifier: Apache-2.0
// Tests A x and A^T y in every format against double precision, for matrices of every size and skew; which
// kernels ran; the same bits when repeated; refusals.
#include "format_support.h"
#include "operator_support.h"

#include <float.h>

static bool is_stored(int format)
{
    return format_kernels[format][0] != NULL;
}

// A float's sum of `terms` products in any order: each is rounded once, and so is every addition to its path,
// of which there are at most as many as terms; beside them additions of what was carried and of 0. Numbers
// below FLT_MIN may be flushed.
static double bound(size_t terms, double size)
{
    double roundings = (double)terms + 2;

    return roundings * 0x1p-24 / (1 - roundings * 0x1p-24) * size + roundings * (double)FLT_MIN;
}

static void check_direction(const struct sparse_matrix *matrix, const struct sparse_operator *a,
                            bool transposed, const char *what, uint64_t *state)
{
    size_t rows = matrix->rows, columns = matrix->columns; // of A or of A^T, whichever is applied
    float *x = malloc(columns * sizeof *x + 1), *y, *again;
    double *wanted = malloc(rows * sizeof *wanted + 1), *size = malloc(rows * sizeof *size + 1);
    kn_sparse_format format = ki_sparse_operator_format(a, transposed);

    ck_assert(x && wanted && size);
    for (size_t i = 0; i < columns; i++)
        x[i] = test_signed(state);
    test_multiply(matrix, x, wanted, size);
    y = test_apply(a, transposed, x, columns, rows);
    for (size_t i = 0; i < rows; i++) {
        size_t terms = (size_t)(matrix->starts[i + 1] - matrix->starts[i]);
        double error = fabs((double)y[i] - wanted[i]);
        ck_assert_msg(error <= bound(terms, size[i]),
                      "%s, %s%s, %zu x %zu, row %zu of %zu nonzeros: %g, not %g", what,
                      ki_sparse_format_names[format], transposed ? ", transposed" : "", rows, columns, i,
                      terms, (double)y[i], wanted[i]);
    }
    again = test_apply(a, transposed, x, columns, rows);
    if (format != KN_SPARSE_BACKPROJECTION)
        ck_assert_msg(memcmp(y, again, rows * sizeof *y) == 0, "%s, %s: not the same bits again", what,
                      ki_sparse_format_names[format]);
    free(x);
    free(y);
    free(again);
    free(wanted);
    free(size);
}

// In one format, or in those that the device's loop limits allow.
static void check_format(const struct sparse_matrix *matrix, kn_sparse_format format,
                         const struct sparse_tuning *tuning, const char *what, uint64_t *state)
{
    struct sparse_matrix transposed;
    struct sparse_operator *a = NULL;

    EXPECT_OK(ki_sparse_transpose(matrix, &transposed, &err));
    EXPECT_OK(ki_sparse_operator_create(queue, matrix, format, tuning, &a, &err));
    check_direction(matrix, a, false, what, state);
    check_direction(&transposed, a, true, what, state);
    ki_sparse_operator_free(a);
    ki_sparse_free(&transposed);
}

static void check_all(size_t rows, size_t columns, size_t mean, enum test_skew skew,
                      const struct sparse_tuning *tuning, uint64_t *state)
{
    struct sparse_matrix matrix = test_sparse(rows, columns, mean, skew, state);

    for (int format = 0; format < SPARSE_FORMATS; format++)
        if (is_stored(format))
            check_format(&matrix, (kn_sparse_format)format, tuning, test_skew_names[skew], state);
    ki_sparse_free(&matrix);
}

START_TEST(sizes)
{
    static const size_t lengths[] = {0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 511, 512, 513};
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    uint64_t state = test_seed("sizes");
    bool slow = test_is_slow();
    size_t most = slow ? 7 : LENGTHS;

    for (size_t i = 0; i < (slow ? 1 : most); i++) {
        size_t rows = lengths[slow ? test_random(&state) % most : i],
               columns = lengths[test_random(&state) % most];
        check_all(rows, columns, 1 + test_random(&state) % 12, SKEW_NONE, NULL, &state);
        check_all(columns, rows, 3, SKEW_EMPTY, NULL, &state);
    }
    check_all(1, 1, 1, SKEW_DENSE, NULL, &state);
    check_all(40, 30, 0, SKEW_NONE, NULL, &state); // no nonzeros
}
END_TEST

START_TEST(skews)
{
    uint64_t state = test_seed("skews");
    const bool slow = test_is_slow();
    size_t rows = slow ? 90 : 2000 + test_random(&state) % 3000;
    size_t columns = slow ? 70 : 1000 + test_random(&state) % 8000;
    int first = slow ? (int)(test_random(&state) % SKEWS) : 0;

    // Two of them on a slow device, different ones in each run.
    for (int i = 0; i < (slow ? 2 : SKEWS); i++)
        check_all(rows, columns, 7, (enum test_skew)((first + i) % SKEWS), NULL, &state);
}
END_TEST

// Columns in 16 bits, in 32, and at the limit: there 65,535 is an index.
START_TEST(wide)
{
    static const size_t columns[] = {65535, 65536, 65537, 100000};
    uint64_t state = test_seed("wide");

    for (size_t i = 0; i < (test_is_slow() ? 0 : 4); i++) {
        struct sparse_matrix matrix = test_sparse(50, columns[i], 20, SKEW_NONE, &state);
        matrix.indices[matrix.starts[26] - (matrix.starts[26] > 0)] =
            (uint32_t)columns[i] - 1; // the last column
        check_format(&matrix, KN_SPARSE_SELL, NULL, "wide", &state);
        check_format(&matrix, KN_SPARSE_MEMORY_LAYOUT_LOCAL, NULL, "wide", &state);
        check_format(&matrix, KN_SPARSE_LOCAL_MEMORY, NULL, "wide", &state);
        ki_sparse_free(&matrix);
    }
}
END_TEST

// Other shapes of the same kernels.
START_TEST(tunings)
{
    static const struct sparse_tuning tried[] = {
        {32, 1, 1, 32, false}, {64, 2, 3, 100, false}, {64, 64, 5, 1, false}, {128, 16, 16, 1000, false}};
    uint64_t state = test_seed("tunings");

    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof tried / sizeof *tried); i++) {
        check_all(300, 200, 9, SKEW_POWER, &tried[i], &state);
        check_all(300, 200, 9, SKEW_DENSE, &tried[i], &state);
    }
}
END_TEST

// Each format runs its own kernels.
START_TEST(ran)
{
    uint64_t state = test_seed("ran");
    struct sparse_matrix matrix = test_sparse(80, 60, 6, SKEW_POWER, &state);
    float *nothing = calloc(80, sizeof *nothing);
    kn_buffer *x = test_upload_with_room(nothing, 80 * sizeof *nothing, 0);
    kn_buffer *y = test_upload_with_room(nothing, 80 * sizeof *nothing, 0);

    for (int format = 0; format < SPARSE_FORMATS; format++)
        for (int transposed = 0; transposed < 2 && is_stored(format); transposed++) {
            struct sparse_operator *a = NULL;
            kn_profile_entry *entries = NULL;
            size_t count = 0, wanted = 0;

            EXPECT_OK(ki_sparse_operator_create(queue, &matrix, (kn_sparse_format)format, NULL, &a, &err));
            ck_assert_int_eq((int)ki_sparse_operator_format(a, transposed), format);
            EXPECT_OK(kn_profile_start(queue, &err));
            EXPECT_OK(ki_sparse_operator_apply(queue, a, transposed, x, y, &err));
            EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
            while (wanted < 3 && format_kernels[format][wanted])
                wanted++;
            ck_assert_uint_eq(count, wanted);
            for (size_t i = 0; i < count; i++)
                ck_assert_str_eq(entries[i].kernel, format_kernels[format][i]);
            kn_free(entries);
            ki_sparse_operator_free(a);
        }
    kn_buffer_free(x);
    kn_buffer_free(y);
    free(nothing);
    ki_sparse_free(&matrix);
}
END_TEST

// The number of bytes, which applications can query: of rows padded to the longest, memory-layout reads the
// lengths instead, ell and sell only the indices.
START_TEST(bytes)
{
    uint64_t state = test_seed("bytes");
    struct sparse_matrix matrix = test_sparse(200, 90, 4, SKEW_DENSE, &state); // a row of 90, 199 of about 4
    size_t padded = 224 * ki_sparse_longest_row(&matrix), nonzeros = matrix.nonzeros;
    size_t sliced = 0;
    uint32_t order[200];

    EXPECT_OK(ki_sparse_sort_rows(&matrix, order, &err));
    for (size_t i = 0; i < 200; i += 32)
        sliced += 32 * (size_t)(matrix.starts[order[i] + 1] - matrix.starts[order[i]]);
    const struct {
        kn_sparse_format format;
        size_t bytes;
    } wanted[] = {{KN_SPARSE_SIMPLE, 201 * 4 + 8 * nonzeros},
                  {KN_SPARSE_MEMORY_LAYOUT, 200 * 4 + 8 * nonzeros},
                  {KN_SPARSE_MEMORY_LAYOUT_LOCAL, 200 * 4 + 8 * nonzeros},
                  {KN_SPARSE_ELL, 4 * padded + 4 * nonzeros},
                  {KN_SPARSE_SELL, (8 + 200) * 4 + 2 * sliced + 4 * nonzeros}};

    ck_assert_uint_gt(padded, 4 * nonzeros);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct sparse_operator *a = NULL;

        EXPECT_OK(ki_sparse_operator_create(queue, &matrix, wanted[i].format, NULL, &a, &err));
        ck_assert_uint_eq(ki_sparse_operator_bytes(a, false), wanted[i].bytes + (200 + 90) * 4);
        ki_sparse_operator_free(a);
    }
    ki_sparse_free(&matrix);
}
END_TEST

// The fastest format is measured once, and remembered: the second time nothing is launched before the
// product.
START_TEST(automatic)
{
    uint64_t state = test_seed("automatic");
    struct sparse_matrix matrix = test_sparse(200, 150, 6, SKEW_POWER, &state);
    struct sparse_operator *first = NULL, *second = NULL;
    kn_profile_entry *entries = NULL;
    size_t count = 1;

    EXPECT_OK(ki_sparse_operator_create(queue, &matrix, KN_SPARSE_AUTO, NULL, &first, &err));
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(ki_sparse_operator_create(queue, &matrix, KN_SPARSE_AUTO, NULL, &second, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    kn_free(entries);
    ck_assert_uint_eq(count, 0);
    for (int transposed = 0; transposed < 2; transposed++) {
        kn_sparse_format format = ki_sparse_operator_format(first, transposed);
        ck_assert(is_stored((int)format));
        ck_assert_int_eq((int)ki_sparse_operator_format(second, transposed), (int)format);
        ck_assert_ptr_nonnull(
            strstr(ki_sparse_operator_why(first, transposed), ki_sparse_format_names[format]));
        ck_assert_str_eq(ki_sparse_operator_why(second, transposed),
                         ki_sparse_operator_why(first, transposed));
    }
    ki_sparse_operator_free(first);
    ki_sparse_operator_free(second);
    check_format(&matrix, KN_SPARSE_AUTO, NULL, "auto", &state);
    ki_sparse_free(&matrix);
}
END_TEST

START_TEST(refused)
{
    uint64_t state = 1;
    struct sparse_matrix matrix = test_sparse(20, 10, 3, SKEW_NONE, &state);
    struct sparse_operator *a = NULL;
    float nothing[20] = {0};
    kn_buffer *x = test_upload_with_room(nothing, 10 * sizeof *nothing, 0);
    kn_buffer *y = test_upload_with_room(nothing, 20 * sizeof *nothing, 0);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "geometry",
                   ki_sparse_operator_create(queue, &matrix, KN_SPARSE_ON_THE_FLY, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no sparse format 99",
                   ki_sparse_operator_create(queue, &matrix, (kn_sparse_format)99, NULL, &a, &err));
    EXPECT_OK(ki_sparse_operator_create(queue, &matrix, KN_SPARSE_MERGE, NULL, &a, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10", ki_sparse_operator_apply(queue, a, true, x, y, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "two buffers", ki_sparse_operator_apply(queue, a, false, y, y, &err));
    ki_sparse_operator_free(a);
    matrix.values[3] = 1e39;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "nonzero 3",
                   ki_sparse_operator_create(queue, &matrix, KN_SPARSE_SELL, NULL, &a, &err));
    kn_buffer_free(x);
    kn_buffer_free(y);
    ki_sparse_free(&matrix);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sizes, skews, wide, tunings, ran, bytes, automatic, refused};

    return test_run("spmv", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
