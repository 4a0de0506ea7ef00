// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { EMPTY_MOST = 1 << 24, EMPTY_RATIO = 64 };

void ki_sparse_free(struct sparse_matrix *matrix)
{
    free(matrix->starts);
    free(matrix->indices);
    free(matrix->values);
    memset(matrix, 0, sizeof *matrix);
}

kn_status ki_sparse_create(size_t rows, size_t columns, size_t nonzeros, struct sparse_matrix *out,
                           kn_error *err)
{
    size_t bytes = nonzeros * (sizeof *out->indices + sizeof *out->values);
    size_t longest = rows > columns ? rows : columns;

    memset(out, 0, sizeof *out);
    if (rows > UINT32_MAX || columns > UINT32_MAX || nonzeros > SIZE_MAX / 16)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a matrix of %zu x %zu with %zu nonzeros; expected at most %lu rows and columns", rows,
                       columns, nonzeros, (unsigned long)UINT32_MAX);
    // Refuses a matrix whose starts, for its rows or for the transposed columns, are far more than its
    // nonzeros: sizes from a corrupt header could otherwise take all memory.
    if (longest > EMPTY_MOST && longest / EMPTY_RATIO > nonzeros)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a matrix of %zu x %zu with only %zu nonzeros; is its size right?", rows, columns,
                       nonzeros);
    *out = (struct sparse_matrix){.rows = rows,
                                  .columns = columns,
                                  .nonzeros = nonzeros,
                                  .starts = calloc(rows + 1, sizeof *out->starts),
                                  .indices = malloc((nonzeros + 1) * sizeof *out->indices),
                                  .values = malloc((nonzeros + 1) * sizeof *out->values)};
    if (out->starts && out->indices && out->values)
        return KN_OK;
    ki_sparse_free(out);
    return ki_fail_memory(err, bytes + (rows + 1) * sizeof *out->starts, "a sparse matrix");
}

// Turns the counts of rows, each stored one element further on, into the start of each row.
static void add_up(uint64_t *starts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        starts[i + 1] += starts[i];
}

// After all entries have been placed, every start is the next row's: moves them back.
static void step_back(uint64_t *starts, size_t count)
{
    memmove(starts + 1, starts, count * sizeof *starts);
    starts[0] = 0;
}

// Places entries in the rows of the transposed matrix, `out`, in their order.
static void place_transposed(const struct sparse_entries *entries, struct sparse_matrix *out)
{
    for (size_t i = 0; i < entries->count; i++)
        out->starts[(size_t)entries->column[i] + 1]++;
    add_up(out->starts, out->rows);
    for (size_t i = 0; i < entries->count; i++) {
        size_t at = out->starts[entries->column[i]]++;

        out->indices[at] = entries->row[i];
        out->values[at] = entries->values ? entries->values[i] : 1;
    }
    step_back(out->starts, out->rows);
}

// Sums all nonzeros with the same row and column into one.
static void sum_duplicates(struct sparse_matrix *matrix)
{
    size_t to = 0, from = 0;

    for (size_t row = 0; row < matrix->rows; row++) {
        size_t begin = to, end = matrix->starts[row + 1];

        for (; from < end; from++) {
            if (to > begin && matrix->indices[to - 1] == matrix->indices[from]) {
                matrix->values[to - 1] += matrix->values[from];
                continue;
            }
            matrix->indices[to] = matrix->indices[from];
            matrix->values[to++] = matrix->values[from];
        }
        matrix->starts[row + 1] = to;
    }
    matrix->nonzeros = to;
}

kn_status ki_sparse_transpose(const struct sparse_matrix *matrix, struct sparse_matrix *out, kn_error *err)
{
    kn_status status = ki_sparse_create(matrix->columns, matrix->rows, matrix->nonzeros, out, err);

    if (status)
        return status;
    for (size_t i = 0; i < matrix->nonzeros; i++)
        out->starts[(size_t)matrix->indices[i] + 1]++;
    add_up(out->starts, out->rows);
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            size_t at = out->starts[matrix->indices[i]]++;

            out->indices[at] = (uint32_t)row;
            out->values[at] = matrix->values[i];
        }
    step_back(out->starts, out->rows);
    return KN_OK;
}

kn_status ki_sparse_transpose_starts(const struct sparse_matrix *matrix, struct sparse_matrix *out,
                                     kn_error *err)
{
    *out = (struct sparse_matrix){.rows = matrix->columns,
                                  .columns = matrix->rows,
                                  .nonzeros = matrix->nonzeros,
                                  .starts = calloc(matrix->columns + 1, sizeof *out->starts)};
    if (!out->starts)
        return ki_fail_memory(err, (matrix->columns + 1) * sizeof *out->starts, "a sparse matrix");
    for (size_t i = 0; i < matrix->nonzeros; i++)
        out->starts[(size_t)matrix->indices[i] + 1]++;
    add_up(out->starts, out->rows);
    return KN_OK;
}

size_t ki_sparse_longest_row(const struct sparse_matrix *matrix)
{
    uint64_t longest = 0;

    for (size_t row = 0; row < matrix->rows; row++)
        if (matrix->starts[row + 1] - matrix->starts[row] > longest)
            longest = matrix->starts[row + 1] - matrix->starts[row];
    return (size_t)longest;
}

kn_status ki_sparse_sort_rows(const struct sparse_matrix *matrix, uint32_t *order, kn_error *err)
{
    size_t longest = ki_sparse_longest_row(matrix);
    uint64_t *first = calloc(longest + 2, sizeof *first); // the number of rows that are longer by one, then
                                                          // the first position of rows of each length

    if (!first)
        return ki_fail_memory(err, (longest + 2) * sizeof *first, "sorting the rows of a sparse matrix");
    for (size_t row = 0; row < matrix->rows; row++)
        first[longest - (matrix->starts[row + 1] - matrix->starts[row]) + 1]++;
    add_up(first, longest + 1);
    for (size_t row = 0; row < matrix->rows; row++)
        order[first[longest - (matrix->starts[row + 1] - matrix->starts[row])]++] = (uint32_t)row;
    free(first);
    return KN_OK;
}

// Whether entries are sorted by rows, and by columns within a row.
static bool ascend(const uint32_t *row, const uint32_t *column, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (row[i] < row[i - 1] || (row[i] == row[i - 1] && column[i] < column[i - 1]))
            return false;
    return true;
}

// For entries that are sorted by rows.
static kn_status take_ascending(const struct sparse_entries *entries, struct sparse_matrix *out,
                                kn_error *err)
{
    kn_status status = ki_sparse_create(entries->rows, entries->columns, entries->count, out, err);

    for (size_t i = 0; i < entries->count && !status; i++) {
        out->starts[(size_t)entries->row[i] + 1]++;
        out->indices[i] = entries->column[i];
        out->values[i] = entries->values ? entries->values[i] : 1;
    }
    if (!status)
        add_up(out->starts, out->rows);
    return status;
}

kn_status ki_sparse_from_entries(const struct sparse_entries *entries, struct sparse_matrix *out,
                                 kn_error *err)
{
    struct sparse_matrix transposed;
    kn_status status;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < entries->count; i++)
        if (entries->row[i] >= entries->rows || entries->column[i] >= entries->columns)
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "entry %zu is at row %lu, column %lu (from 0), outside of a matrix of %zu x %zu",
                           i, (unsigned long)entries->row[i], (unsigned long)entries->column[i],
                           entries->rows, entries->columns);
    if (ascend(entries->row, entries->column, entries->count)) {
        status = take_ascending(entries, out, err);
    } else {
        // Sorts by columns, then by rows. Both sorts are stable, so that the columns of a row ascend.
        status = ki_sparse_create(entries->columns, entries->rows, entries->count, &transposed, err);
        if (status)
            return status;
        place_transposed(entries, &transposed);
        status = ki_sparse_transpose(&transposed, out, err);
        ki_sparse_free(&transposed);
    }
    if (!status)
        sum_duplicates(out);
    return status;
}

kn_status ki_sparse_check(const struct sparse_matrix *matrix, const char *name, kn_error *err)
{
    if (matrix->starts[0] != 0 || matrix->starts[matrix->rows] != matrix->nonzeros)
        return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                          "its rows begin at %llu and end at %llu; expected 0 and its %zu nonzeros",
                          (unsigned long long)matrix->starts[0],
                          (unsigned long long)matrix->starts[matrix->rows], matrix->nonzeros);
    for (size_t row = 0; row < matrix->rows; row++)
        if (matrix->starts[row] > matrix->starts[row + 1])
            return ki_fail_at(err, KN_ERROR_INPUT, name, 0, "row %zu (from 0) begins behind its end", row);
    for (size_t row = 0; row < matrix->rows; row++)
        for (size_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++) {
            if (matrix->indices[i] >= matrix->columns)
                return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                                  "row %zu (from 0) has a nonzero in column %lu of %zu", row,
                                  (unsigned long)matrix->indices[i], matrix->columns);
            if (i > matrix->starts[row] && matrix->indices[i - 1] >= matrix->indices[i])
                return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                                  "the columns of row %zu (from 0) do not ascend", row);
            if (!isfinite(matrix->values[i]))
                return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                                  "row %zu, column %lu (from 0): %g; expected finite numbers", row,
                                  (unsigned long)matrix->indices[i], matrix->values[i]);
        }
    return KN_OK;
}

void ki_sparse_fill(float *x, size_t count)
{
    uint64_t state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (float)(state >> 40) * 0x1p-23F - 1;
    }
}
