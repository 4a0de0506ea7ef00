// SPDX-License-Identifier: Apache-2.0
// Formats in segments of equal work: COO; HYB, which is ELLPACK followed by COO; and merge.
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "spmv_internal.h"

enum { CARRY_GROUP = 64 };

// The sums of rows that do not end within a group, and the launch that adds them.
static kn_status prepare_carry(const struct spmv_task *task, struct spmv_product *product, size_t groups,
                               kn_buffer **rows, kn_buffer **sums, kn_error *err)
{
    kn_status status = ki_spmv_upload(task, product, NULL, groups * sizeof(uint32_t), rows, err);

    return status ? status : ki_spmv_upload(task, product, NULL, groups * spmv_number_bytes(task), sums, err);
}

static kn_status add_carry(const struct spmv_task *task, struct spmv_product *product, size_t groups,
                           kn_buffer *rows, kn_buffer *sums, kn_error *err)
{
    const struct spmv_argument arguments[] = {spmv_memory(rows), spmv_memory(sums), spmv_y(),
                                              spmv_number(groups)};
    kn_kernel *kernel;
    kn_status status = ki_spmv_check_loops(task, product, groups, err);

    if (!status)
        status = ki_spmv_kernel(task, "app/sparse/sparse_segments.cl", "spmv_carry", 32, &kernel, err);
    if (!status)
        ki_spmv_add_launch(product, kernel, groups, CARRY_GROUP, arguments, KI_COUNT(arguments));
    return status;
}

// The nonzeros beyond the first `width` of each row.
static kn_status prepare_entries(const struct spmv_task *task, size_t width, struct spmv_product *product,
                                 kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t tile = (size_t)task->tuning.group * task->tuning.items, count = 0, groups;
    uint32_t *rows = NULL, *columns = NULL;
    double *numbers = NULL;
    kn_buffer *row, *column, *value, *carry_rows, *carry_sums;
    kn_kernel *kernel;
    kn_status status = ki_spmv_allocate(&rows, matrix->nonzeros * sizeof *rows, err);

    product->adds = true;
    if (!status)
        status = ki_spmv_allocate(&columns, matrix->nonzeros * sizeof *columns, err);
    if (!status)
        status = ki_spmv_allocate(&numbers, matrix->nonzeros * sizeof *numbers, err);
    for (size_t i = 0; i < matrix->rows && !status; i++)
        for (uint64_t at = matrix->starts[i] + width; at < matrix->starts[i + 1]; at++, count++) {
            rows[count] = (uint32_t)i;
            columns[count] = matrix->indices[at];
            numbers[count] = matrix->values[at];
        }
    groups = (count + tile - 1) / tile;
    if (!status)
        status = ki_spmv_upload(task, product, rows, count * sizeof *rows, &row, err);
    if (!status)
        status = ki_spmv_upload(task, product, columns, count * sizeof *columns, &column, err);
    if (!status)
        status = ki_spmv_upload_values(task, product, numbers, count, &value, err);
    if (!status)
        status = prepare_carry(task, product, groups, &carry_rows, &carry_sums, err);
    if (!status)
        status = ki_spmv_kernel(task, "app/sparse/sparse_segments.cl", "spmv_coo", 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {
            spmv_memory(row), spmv_memory(column), spmv_memory(value),      spmv_x(),
            spmv_y(),         spmv_number(count),  spmv_memory(carry_rows), spmv_memory(carry_sums)};
        ki_spmv_add_launch(product, kernel, groups * task->tuning.group, task->tuning.group, arguments,
                           KI_COUNT(arguments));
        status = add_carry(task, product, groups, carry_rows, carry_sums, err);
    }
    free(rows);
    free(columns);
    free(numbers);
    return status;
}

kn_status ki_spmv_prepare_coo(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    return prepare_entries(task, 0, product, err);
}

// The length that at least a third of the rows have: a nonzero in ELLPACK costs a third of one in COO, as
// Bell and Garland found.
kn_status ki_spmv_hybrid_width(const struct sparse_matrix *matrix, size_t *width, kn_error *err)
{
    size_t longest = ki_sparse_longest_row(matrix), rows = 0;
    size_t *counts = calloc(longest + 1, sizeof *counts);

    if (!counts)
        return ki_fail_memory(err, (longest + 1) * sizeof *counts, "a sparse matrix");
    for (size_t row = 0; row < matrix->rows; row++)
        counts[matrix->starts[row + 1] - matrix->starts[row]]++;
    for (*width = longest; *width > 0; --*width) {
        rows += counts[*width];
        if (3 * rows >= matrix->rows)
            break;
    }
    free(counts);
    return KN_OK;
}

// ELLPACK comes first and overwrites y; COO adds to it.
kn_status ki_spmv_prepare_hyb(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t width = 0;
    kn_status status = ki_spmv_hybrid_width(task->matrix, &width, err);

    if (!status)
        status = ki_spmv_check_loops(task, product, width, err);
    if (!status)
        status = ki_spmv_prepare_side_by_side(task, "spmv_ell", width, product, err);
    if (!status)
        status = prepare_entries(task, width, product, err);
    product->adds = false;
    return status;
}

// Checks that local memory holds a tile's products and row ends, and the sums of its work-items
// (cl/app/sparse/sparse_segments.cl).
static kn_status check_tile(const struct spmv_task *task, size_t group, size_t tile, kn_error *err)
{
    size_t bytes = (tile + group) * (sizeof(uint32_t) + spmv_number_bytes(task)) + 3 * sizeof(uint32_t);

    return bytes <= task->info->local_memory
               ? KN_OK
               : ki_fail(err, KN_ERROR_LIMIT,
                         "merge with groups of %zu and %u items takes %zu bytes of local memory; %s (%s) has "
                         "%llu",
                         group, task->tuning.items, bytes, task->info->spec, task->info->name,
                         (unsigned long long)task->info->local_memory);
}

kn_status ki_spmv_prepare_merge(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t group = task->tuning.group, tile = group * task->tuning.items;
    size_t groups = (matrix->rows + matrix->nonzeros + tile - 1) / tile;
    kn_buffer *starts, *indices, *values, *carry_rows, *carry_sums;
    kn_kernel *kernel;
    kn_status status = check_tile(task, group, tile, err);

    if (!status)
        status = ki_spmv_upload_starts(task, matrix, product, &starts, err);
    if (!status)
        status = ki_spmv_upload_nonzeros(task, matrix, product, &indices, &values, err);
    if (!status)
        status = prepare_carry(task, product, groups, &carry_rows, &carry_sums, err);
    if (!status)
        status = ki_spmv_kernel(task, "app/sparse/sparse_segments.cl", "spmv_merge", 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {spmv_memory(starts),
                                                  spmv_memory(indices),
                                                  spmv_memory(values),
                                                  spmv_x(),
                                                  spmv_y(),
                                                  spmv_number(matrix->rows),
                                                  spmv_number(matrix->nonzeros),
                                                  spmv_memory(carry_rows),
                                                  spmv_memory(carry_sums)};
        ki_spmv_add_launch(product, kernel, groups * group, group, arguments, KI_COUNT(arguments));
        status = add_carry(task, product, groups, carry_rows, carry_sums, err);
    }
    return status;
}
