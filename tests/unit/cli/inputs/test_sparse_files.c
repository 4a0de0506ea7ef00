// SPDX-License-Identifier: Apache-2.0
// Sparse systems in files: SciPy's archives of every type, Matrix Market of every kind, right-hand sides; and
// illc1033 and well1033 with theirs, solved.
#include "unit/io/npz_support.h"

#include <math.h>

#include "support/sparse_inputs.h"
#include "support/sparse_reference.h"
#include "io/array/npy.h"
#include "support/run.h"

// 0 1.5 0 / 0 0 0 / -2 0 4, the last row out of order and with the -2 in two parts.
static const double csr_values[] = {1.5, 4, -1, -1};
static const float csr_floats[] = {1.5F, 4, -1, -1};
static const int64_t csr_starts[] = {0, 1, 1, 4}, csr_indices[] = {1, 2, 0, 0}, csr_shape[] = {3, 3};
static const int32_t short_starts[] = {0, 1, 1, 4}, short_indices[] = {1, 2, 0, 0};

static void expect_matrix(const struct sparse_matrix *matrix, bool is_transposed)
{
    const double found[] = {-2, 1.5, 4};

    ck_assert_uint_eq(matrix->rows, 3);
    ck_assert_uint_eq(matrix->columns, 3);
    ck_assert_uint_eq(matrix->nonzeros, 3);
    ck_assert_uint_eq(matrix->starts[1], 1);
    ck_assert_uint_eq(matrix->starts[2], is_transposed ? 2 : 1);
    ck_assert_uint_eq(matrix->indices[2], 2);
    ck_assert_double_eq(matrix->values[0], found[!is_transposed]);
    ck_assert_double_eq(matrix->values[1], found[is_transposed]);
    ck_assert_double_eq(matrix->values[2], 4);
}

struct parts {
    const char *format, *starts_type, *indices_type, *values_type, *shape_shape;
    const void *starts, *indices, *values, *shape;
};

static void write_parts(const char *name, const struct parts *p, bool deflated)
{
    struct zip zip = {.count = 0};
    char format[32];

    snprintf(format, sizeof format, "|S%zu", strlen(p->format));
    zip_add_array(&zip, "indices.npy", p->indices_type, "(4,)", p->indices,
                  (size_t)(p->indices_type[2] - '0') * 4, deflated);
    zip_add_array(&zip, "indptr.npy", p->starts_type, "(4,)", p->starts,
                  (size_t)(p->starts_type[2] - '0') * 4, deflated);
    zip_add_array(&zip, "format.npy", format, "()", p->format, strlen(p->format), deflated);
    zip_add_array(&zip, "shape.npy", "<i8", p->shape_shape, p->shape, 16, deflated);
    zip_add_array(&zip, "data.npy", p->values_type, "(4,)", p->values, (size_t)(p->values_type[2] - '0') * 4,
                  deflated);
    zip_write(&zip, name);
}

static const struct parts plain = {"csr",      "<i8",       "<i8",      "<f8",    "(2,)",
                                   csr_starts, csr_indices, csr_values, csr_shape};

START_TEST(scipy_archives)
{
    for (unsigned i = 0; i < 16; i++) {
        struct parts parts = plain;
        struct sparse_matrix matrix;

        if (i & 1) {
            parts.starts_type = parts.indices_type = "<i4";
            parts.starts = short_starts;
            parts.indices = short_indices;
        }
        if (i & 2) {
            parts.values_type = "<f4";
            parts.values = csr_floats;
        }
        parts.format = i & 4 ? "csc" : "csr";
        write_parts("a.npz", &parts, i & 8);
        IO_OK(sparse_read(io_path("a.npz"), &matrix, err));
        expect_matrix(&matrix, i & 4);
        ki_sparse_free(&matrix);
    }
}
END_TEST

START_TEST(bad_archives_are_refused)
{
    static const int64_t behind[] = {0, 2, 1, 4}, late[] = {1, 1, 1, 4}, far[] = {0, 1, 1, 5},
                         negative[] = {0, 1, 1, -4};
    static const int64_t outside[] = {1, 3, 0, 0}, below[] = {1, -1, 0, 0}, huge[] = {INT64_MAX, 3},
                         tall[] = {4, 3};
    static const double not_finite[] = {1, NAN, 0, 0};
    static const struct {
        size_t offset;
        const void *value;
        const char *words;
    } bad[] = {
        {offsetof(struct parts, format), "coo", "the format 'coo'; csr and csc"},
        {offsetof(struct parts, format), "x", "the format 'x'"},
        {offsetof(struct parts, starts), behind, "indptr: row 1 (from 0) is from 2 to 1"},
        {offsetof(struct parts, starts), late, "indptr: row 0 (from 0) is from 1 to 1"},
        {offsetof(struct parts, starts), far, "expected ascending numbers from 0 to 4"},
        {offsetof(struct parts, starts), negative, "indptr: row 2"},
        {offsetof(struct parts, indices), outside, "indices: 3 in row 2 (from 0); expected 0 to 2"},
        {offsetof(struct parts, indices), below, "indices: -1"},
        {offsetof(struct parts, values), not_finite, "data: nan in row 2"},
        {offsetof(struct parts, shape), huge, "shape: expected two numbers"},
        {offsetof(struct parts, shape), tall, "4 numbers in indptr"},
        {offsetof(struct parts, values_type), "<c8", "complex"},
        {offsetof(struct parts, shape_shape), "(2,1,1)", NULL},
    };
    struct sparse_matrix matrix;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct parts parts = plain;

        memcpy((char *)&parts + bad[i].offset, &bad[i].value, sizeof bad[i].value);
        write_parts("b.npz", &parts, false);
        if (!bad[i].words) {
            IO_OK(sparse_read(io_path("b.npz"), &matrix, err));
            ki_sparse_free(&matrix);
            continue;
        }
        IO_REFUSED(sparse_read(io_path("b.npz"), &matrix, err), KN_ERROR_INPUT, bad[i].words);
        ck_assert_ptr_null(matrix.starts);
    }
    io_write("b.npz", "not a zip", 9);
    IO_REFUSED(sparse_read(io_path("b.npz"), &matrix, err), KN_ERROR_INPUT, "expected a NumPy archive");
}
END_TEST

static kn_status read_text(const char *text, struct sparse_matrix *matrix, kn_error *err)
{
    io_write("m.mtx", text, strlen(text));
    return sparse_read(io_path("m.mtx"), matrix, err);
}

START_TEST(matrix_market_matrices)
{
    struct sparse_matrix matrix;

    IO_OK(read_text("%%MatrixMarket matrix coordinate real general\n3 3 4\n3 3 4\n3 1 -1\n1 2 1.5\n3 1 -1\n",
                    &matrix, err));
    expect_matrix(&matrix, false);
    ki_sparse_free(&matrix);
    IO_OK(read_text("%%MatrixMarket matrix array real general\n3 3\n0\n0\n-2\n1.5\n0\n0\n0\n0\n4\n", &matrix,
                    err));
    expect_matrix(&matrix, false);
    ki_sparse_free(&matrix);
    IO_OK(read_text("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n", &matrix, err));
    ck_assert_uint_eq(matrix.nonzeros, 3);
    ck_assert_double_eq(matrix.values[0] + matrix.values[1] + matrix.values[2], 3);
    ki_sparse_free(&matrix);
    IO_OK(read_text("%%MatrixMarket matrix coordinate real general\n0 0 0\n", &matrix, err));
    ck_assert_uint_eq(matrix.nonzeros, 0);
    ki_sparse_free(&matrix);
    IO_REFUSED(read_text("%%MatrixMarket matrix coordinate complex general\n1 1 0\n", &matrix, err),
               KN_ERROR_INPUT, "complex");
    IO_REFUSED(
        read_text("%%MatrixMarket matrix coordinate real general\n4294967295 2 1\n1 1 1\n", &matrix, err),
        KN_ERROR_ARGUMENT, "with only 1 nonzeros");
    IO_REFUSED(
        read_text("%%MatrixMarket matrix coordinate real general\n2 4294967295 1\n1 1 1\n", &matrix, err),
        KN_ERROR_ARGUMENT, "with only 1 nonzeros");
}
END_TEST

START_TEST(right_hand_sides)
{
    const double values[] = {1, 2, 3, -4, -5, 0.1};
    static const char *const names[] = {"c.npy", "c.mtx"};
    struct sparse_columns columns = {3, 2, (double *)(uintptr_t)values}, back;
    struct npy array;

    for (size_t i = 0; i < 4; i++) {
        columns.count = 2 - i / 2;
        IO_OK(columns_write(io_path(names[i % 2]), columns.rows, columns.count, columns.values, true, err));
        IO_OK(sparse_read_columns(io_path(names[i % 2]), &back, err));
        ck_assert_uint_eq(back.rows, 3);
        ck_assert_uint_eq(back.count, columns.count);
        ck_assert_mem_eq(back.values, values, 3 * columns.count * sizeof *values);
        free(back.values);
        if (i == 0) { // numpy's order is by rows
            IO_OK(npy_read(io_path("c.npy"), &array, err));
            ck_assert_double_eq(((double *)array.data)[1], -4);
            npy_free(&array);
        }
    }
    IO_REFUSED(columns_write(io_path("c.txt"), 3, 2, values, true, err), KN_ERROR_ARGUMENT, ".npy or .mtx");
    io_write("s.mtx", "%%MatrixMarket vector coordinate real general\n3 2\n3 7\n1 -1\n", 59);
    IO_OK(sparse_read_columns(io_path("s.mtx"), &back, err));
    ck_assert_double_eq(back.values[0] + 10 * back.values[1] + 100 * back.values[2], 699);
    free(back.values);
    io_write("s.mtx", "%%MatrixMarket vector coordinate real general\n4294967295 1\n3 7\n", 63);
    IO_REFUSED(sparse_read_columns(io_path("s.mtx"), &back, err), KN_ERROR_INPUT, "with only 1 entries");
    ck_assert_ptr_null(back.values);
}
END_TEST

START_TEST(least_squares_of_real_files)
{
    static const char *const files[][2] = {{"sparse/well1033.mtx.gz", "sparse/well1033_rhs1.mtx.gz"},
                                           {"sparse/illc1033.mtx.gz", "sparse/illc1033_rhs1.mtx.gz"}};

    for (size_t f = 0; f < 2; f++) {
        char path[4096], right[4096];
        struct sparse_matrix matrix;
        struct sparse_columns b;
        double x[320], y[320] = {0}, r = 0, history[6001], *residual;
        struct sparse_reference_options options = {.iterations = 6000};

        if (!test_data_path(files[f][0], path, sizeof path) ||
            !test_data_path(files[f][1], right, sizeof right))
            continue;
        IO_OK(sparse_read(path, &matrix, err));
        IO_OK(sparse_read_columns(right, &b, err));
        ck_assert_uint_eq(b.rows, matrix.rows);
        IO_OK(sparse_reference_least_squares(&matrix, b.values, x, err));
        residual = malloc(matrix.rows * sizeof *residual);
        ki_sparse_reference_multiply(&matrix, x, residual);
        for (size_t i = 0; i < matrix.rows; i++)
            r += (residual[i] - b.values[i]) * (residual[i] - b.values[i]);
        IO_OK(sparse_reference_solve(&matrix, b.values, &options, y, history, err));
        // The least possible residual, which conjugate gradients approach from above.
        ck_assert_double_ge(history[6000], sqrt(r) * (1 - 1e-12));
        ck_assert_double_le(history[6000], sqrt(r) * (1 + 1e-9));
        free(residual);
        free(b.values);
        ki_sparse_free(&matrix);
    }
}
END_TEST

// The command's list for --format equals the library's.
START_TEST(names_of_formats)
{
    size_t i = 0;

    for (; sparse_format_names[i]; i++)
        ck_assert_pstr_eq(sparse_format_names[i], kn_sparse_format_name((kn_sparse_format)i));
    ck_assert_ptr_null(kn_sparse_format_name((kn_sparse_format)i));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {names_of_formats,       scipy_archives,   bad_archives_are_refused,
                                  matrix_market_matrices, right_hand_sides, least_squares_of_real_files};

    return TEST_RUN_WITH("sparse_files", CK_FORK, io_set_up, io_tear_down, tests);
}
