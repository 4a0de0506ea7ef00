// SPDX-License-Identifier: Apache-2.0
#include "sparse_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/element.h"
#include "base/error.h"
#include "io/array/matrix_market.h"
#include "io/array/npz.h"

#define MADE_UP ((size_t)1 << 27) // elements, from which on a sparse file must have some

const char *const sparse_format_names[] = {"auto",
                                           "simple",
                                           "memory-layout",
                                           "local-memory",
                                           "memory-layout+local-memory",
                                           "on-the-fly",
                                           "on-the-fly+local-memory",
                                           "backprojection",
                                           "ell",
                                           "csr-vector",
                                           "coo",
                                           "hyb",
                                           "sell",
                                           "merge",
                                           NULL};

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), own = strlen(ending);

    return length >= own && strcmp(path + length - own, ending) == 0;
}

// Entries that own their memory, on the way to a matrix.
struct owned {
    size_t rows, columns, count;
    uint32_t *row, *column;
    double *values;
};

static kn_status make_room(struct owned *owned, size_t rows, size_t columns, size_t count, kn_error *err)
{
    owned->row = malloc((count + 1) * sizeof *owned->row);
    owned->column = malloc((count + 1) * sizeof *owned->column);
    owned->values = malloc((count + 1) * sizeof *owned->values);
    owned->rows = rows;
    owned->columns = columns;
    owned->count = 0;
    if (owned->row && owned->column && owned->values)
        return KN_OK;
    return ki_fail_memory(err, count * (sizeof *owned->values + 2 * sizeof *owned->row), "a sparse matrix");
}

static void add(struct owned *owned, uint32_t row, uint32_t column, double value)
{
    size_t at = owned->count++;

    owned->row[at] = row;
    owned->column[at] = column;
    owned->values[at] = value;
}

static kn_status make_matrix(const struct owned *owned, kn_sparse **matrix, kn_error *err)
{
    return ki_error_unname(kn_sparse_create_coo(owned->rows, owned->columns, owned->count, owned->row,
                                                owned->column, owned->values, matrix, err),
                           err);
}

static void free_owned(struct owned *owned)
{
    free(owned->row);
    free(owned->column);
    free(owned->values);
}

// ---- Matrix Market ----

static kn_status read_real(const char *path, struct matrix_market *file, kn_error *err)
{
    kn_status status = matrix_market_read(path, NULL, file, err);

    if (status || file->field != MATRIX_MARKET_COMPLEX)
        return status;
    matrix_market_free(file);
    return ki_fail_at(err, KN_ERROR_INPUT, path, 1,
                      "complex numbers; sparse systems are solved in real ones");
}

// The elements of an array but for its zeros.
static kn_status take_array(const struct matrix_market *file, kn_sparse **matrix, kn_error *err)
{
    struct owned owned = {.row = NULL};
    size_t count = 0;
    kn_status status;

    for (size_t i = 0; i < file->count; i++)
        count += file->values[i] != 0;
    status = make_room(&owned, file->rows, file->columns, count, err);
    for (size_t i = 0; i < file->count && !status; i++)
        if (file->values[i] != 0)
            add(&owned, (uint32_t)(i % file->rows), (uint32_t)(i / file->rows), file->values[i]);
    if (!status)
        status = make_matrix(&owned, matrix, err);
    free_owned(&owned);
    return status;
}

static kn_status read_matrix_market(const char *path, kn_sparse **matrix, kn_error *err)
{
    struct matrix_market file;
    kn_status status = read_real(path, &file, err);

    if (status)
        return status;
    if (file.format == MATRIX_MARKET_ARRAY) {
        status = take_array(&file, matrix, err);
    } else {
        status = ki_error_unname(kn_sparse_create_coo(file.rows, file.columns, file.count, file.row,
                                                      file.column, file.values, matrix, err),
                                 err);
    }
    matrix_market_free(&file);
    return status;
}

// ---- SciPy ----

// Arrays of a .npz: the matrix by rows, or by columns.
struct scipy {
    struct npy shape, starts, indices, values;
    bool by_columns;
};

static double value_at(const struct npy *array, size_t i)
{
    size_t size = kn_type_size(array->type);
    uint64_t bits = 0;

    memcpy(&bits, (const char *)array->data + i * size, size);
    return ki_element_value(bits, array->type);
}

// A whole number from 0 to `most`; false if it is none.
static bool whole_at(const struct npy *array, size_t i, double most, size_t *value)
{
    double found = value_at(array, i);

    if (!(found >= 0 && found <= most && found == floor(found)))
        return false;
    *value = (size_t)found;
    return true;
}

static kn_status read_scipy(const char *path, struct scipy *scipy, kn_error *err)
{
    struct npz npz;
    char format[8];
    kn_status status = npz_open(path, &npz, err);

    if (status)
        return status;
    status = npz_text(&npz, "format", format, sizeof format, err);
    if (!status && strcmp(format, "csr") != 0 && strcmp(format, "csc") != 0)
        status =
            ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                       "a matrix in the format '%s'; csr and csc are read (in SciPy: A.tocsr())", format);
    scipy->by_columns = !status && format[2] == 'c';
    if (!status)
        status = npz_array(&npz, "shape", &scipy->shape, err);
    if (!status)
        status = npz_array(&npz, "indptr", &scipy->starts, err);
    if (!status)
        status = npz_array(&npz, "indices", &scipy->indices, err);
    if (!status)
        status = npz_array(&npz, "data", &scipy->values, err);
    npz_close(&npz);
    if (!status && (scipy->values.is_complex || scipy->starts.is_complex || scipy->indices.is_complex))
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "complex numbers; sparse systems are solved in real ones");
    return status;
}

// Row i's nonzeros (by columns: column i's); `lines` rows of indices below `size`.
static kn_status take_line(const char *path, const struct scipy *scipy, size_t line, size_t size,
                           struct owned *owned, kn_error *err)
{
    const char *kind = scipy->by_columns ? "column" : "row";
    size_t begin, end, index;

    if (!whole_at(&scipy->starts, line, (double)scipy->values.count, &begin) ||
        !whole_at(&scipy->starts, line + 1, (double)scipy->values.count, &end) || begin > end ||
        begin != owned->count)
        return ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "indptr: %s %zu (from 0) is from %g to %g; expected ascending numbers from 0 to %zu", kind, line,
            value_at(&scipy->starts, line), value_at(&scipy->starts, line + 1), scipy->values.count);
    for (size_t i = begin; i < end; i++) {
        double value = value_at(&scipy->values, i);

        if (!whole_at(&scipy->indices, i, (double)size - 1, &index))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                              "indices: %g in %s %zu (from 0); expected 0 to %zu",
                              value_at(&scipy->indices, i), kind, line, size - (size > 0));
        if (!isfinite(value))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                              "data: %g in %s %zu (from 0); expected finite numbers", value, kind, line);
        if (scipy->by_columns)
            add(owned, (uint32_t)index, (uint32_t)line, value);
        else
            add(owned, (uint32_t)line, (uint32_t)index, value);
    }
    return KN_OK;
}

static kn_status take_scipy(const char *path, const struct scipy *scipy, kn_sparse **matrix, kn_error *err)
{
    struct owned owned = {.row = NULL};
    size_t rows, columns, lines, size;
    kn_status status;

    if (scipy->shape.count != 2 || !whole_at(&scipy->shape, 0, UINT32_MAX, &rows) ||
        !whole_at(&scipy->shape, 1, UINT32_MAX, &columns))
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "shape: expected two numbers from 0 to 2^32 - 1");
    lines = scipy->by_columns ? columns : rows;
    size = scipy->by_columns ? rows : columns;
    if (scipy->starts.count != lines + 1 || scipy->indices.count != scipy->values.count)
        return ki_fail_at(
            err, KN_ERROR_INPUT, path, 0,
            "%zu numbers in indptr, %zu in indices and %zu in data; a matrix of %zu x %zu has %zu in the "
            "first, and as many in the others",
            scipy->starts.count, scipy->indices.count, scipy->values.count, rows, columns, lines + 1);
    status = make_room(&owned, rows, columns, scipy->values.count, err);
    for (size_t line = 0; line < lines && !status; line++)
        status = take_line(path, scipy, line, size, &owned, err);
    if (!status)
        status = make_matrix(&owned, matrix, err);
    free_owned(&owned);
    return status;
}

static kn_status read_npz(const char *path, kn_sparse **matrix, kn_error *err)
{
    struct scipy scipy = {.by_columns = false};
    kn_status status = read_scipy(path, &scipy, err);

    if (!status)
        status = take_scipy(path, &scipy, matrix, err);
    npy_free(&scipy.shape);
    npy_free(&scipy.starts);
    npy_free(&scipy.indices);
    npy_free(&scipy.values);
    return status;
}

kn_status sparse_read_matrix(const char *path, kn_sparse **matrix, kn_error *err)
{
    *matrix = NULL;
    return ends_in(path, ".npz") ? read_npz(path, matrix, err) : read_matrix_market(path, matrix, err);
}

// ---- columns ----

struct columns {
    size_t rows, count;
    double *values;
};

static kn_status make_columns(struct columns *columns, const char *path, kn_error *err)
{
    size_t count = columns->rows * columns->count;

    columns->values = count < SIZE_MAX / 16 ? calloc(count + 1, sizeof *columns->values) : NULL;
    return columns->values ? KN_OK : ki_fail_memory(err, count * sizeof *columns->values, path);
}

static kn_status read_npy_columns(const char *path, struct columns *columns, kn_error *err)
{
    struct npy array;
    kn_status status = npy_read(path, &array, err);

    if (status)
        return status;
    if (array.is_complex || array.dims < 1 || array.dims > 2)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "%s of %zu dimensions; expected real numbers, (rows) or (rows, columns)",
                            npy_type_name(&array), array.dims);
    columns->rows = array.shape[0];
    columns->count = array.dims == 2 ? array.shape[1] : 1;
    if (!status)
        status = make_columns(columns, path, err);
    for (size_t i = 0; i < array.count && !status; i++)
        columns->values[i % columns->count * columns->rows + i / columns->count] = value_at(&array, i);
    npy_free(&array);
    return status;
}

static kn_status check_finite(const char *path, const struct columns *columns, kn_error *err)
{
    for (size_t i = 0; i < columns->rows * columns->count; i++) { // in the order of a .npy
        double value = columns->values[i % columns->count * columns->rows + i / columns->count];

        if (!isfinite(value))
            return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "element %zu is %g; expected finite numbers", i,
                              value);
    }
    return KN_OK;
}

static kn_status read_mtx_columns(const char *path, struct columns *columns, kn_error *err)
{
    struct matrix_market file;
    kn_status status = read_real(path, &file, err);

    if (status)
        return status;
    columns->rows = file.rows;
    columns->count = file.columns;
    // A sparse file may say a size that it has not.
    if (file.rows > MADE_UP / (file.columns + 1) && file.columns * file.rows / 64 > file.count)
        status = ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                            "%zu x %zu with only %zu entries; is it a right-hand side?", file.rows,
                            file.columns, file.count);
    else
        status = make_columns(columns, path, err);
    for (size_t i = 0; i < file.count && !status; i++) {
        size_t at = file.row ? file.column[i] * file.rows + file.row[i] : i;

        columns->values[at] += file.values ? file.values[i] : 1;
    }
    matrix_market_free(&file);
    return status;
}

static kn_status read_columns(const char *path, bool finite, size_t *rows, size_t *count, double **values,
                              kn_error *err)
{
    struct columns columns = {.values = NULL};
    kn_status status =
        ends_in(path, ".npy") ? read_npy_columns(path, &columns, err) : read_mtx_columns(path, &columns, err);

    if (!status && finite)
        status = check_finite(path, &columns, err);
    if (status) {
        free(columns.values);
        columns = (struct columns){.values = NULL};
    }
    *rows = columns.rows;
    *count = columns.count;
    *values = columns.values;
    return status;
}

kn_status columns_read(const char *path, size_t *rows, size_t *count, double **values, kn_error *err)
{
    return read_columns(path, true, rows, count, values, err);
}

kn_status columns_read_measured(const char *path, size_t *rows, size_t *count, double **values, kn_error *err)
{
    return read_columns(path, false, rows, count, values, err);
}

static kn_status write_npy_columns(const char *path, size_t rows, size_t count, const double *columns,
                                   bool force, kn_error *err)
{
    struct npy array = {
        .type = KN_F64, .dims = count == 1 ? 1 : 2, .shape = {rows, count}, .count = rows * count};
    double *values = malloc((array.count + 1) * sizeof *values);
    kn_status status;

    if (!values)
        return ki_fail_memory(err, array.count * sizeof *values, path);
    for (size_t i = 0; i < array.count; i++)
        values[i] = columns[i % count * rows + i / count];
    array.data = values;
    status = npy_write(path, &array, force, err);
    free(values);
    return status;
}

kn_status columns_write(const char *path, size_t rows, size_t count, const double *values, bool force,
                        kn_error *err)
{
    struct matrix_market file = {.format = MATRIX_MARKET_ARRAY,
                                 .rows = rows,
                                 .columns = count,
                                 .count = rows * count,
                                 .values = (double *)values}; // which is only read

    if (ends_in(path, ".npy") || strcmp(path, "-") == 0)
        return write_npy_columns(path, rows, count, values, force, err);
    if (ends_in(path, ".mtx"))
        return matrix_market_write(path, &file, force, err);
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s: expected a name that ends in .npy or .mtx", path);
}
