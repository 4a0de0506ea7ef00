// SPDX-License-Identifier: Apache-2.0
// Formats with the nonzeros of neighbouring rows side by side: those of all rows (ELLPACK), or of slices
// (SELL).
#include <stdlib.h>
#include <string.h>

#include "shared/sparse.h"
#include "base/array.h"
#include "base/error.h"
#include "spmv_internal.h"

// ---- side by side ----

static size_t stride_of(const struct sparse_matrix *matrix)
{
    return (matrix->rows + SELL_SLICE - 1) / SELL_SLICE * SELL_SLICE;
}

size_t ki_spmv_padded(const struct sparse_matrix *matrix)
{
    return stride_of(matrix) * ki_sparse_longest_row(matrix);
}

// The first `width` nonzeros of every row.
static kn_status upload_side_by_side(const struct spmv_task *task, size_t width, struct spmv_product *product,
                                     kn_buffer **indices, kn_buffer **values, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t stride = stride_of(matrix), padded = stride * width, kept = 0;
    uint32_t *columns = NULL;
    double *numbers = NULL;
    kn_status status = KN_OK;

    // Checked before the host allocates it.
    if (padded > task->info->max_alloc / spmv_number_bytes(task))
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "%s pads %zu rows to the longest one's %zu nonzeros, more than one allocation of %s holds (%llu "
            "bytes); sell, hyb and merge do not",
            ki_sparse_format_names[product->format], matrix->rows, width, task->info->spec,
            (unsigned long long)task->info->max_alloc);
    status = ki_spmv_allocate(&columns, padded * sizeof *columns, err);
    if (!status)
        status = ki_spmv_allocate(&numbers, padded * sizeof *numbers, err);
    for (size_t i = 0; i < padded && !status; i++) {
        columns[i] = ELL_PAD;
        numbers[i] = 0;
    }
    for (size_t row = 0; row < matrix->rows && !status; row++)
        for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1] && i - matrix->starts[row] < width;
             i++, kept++) {
            size_t at = (size_t)(i - matrix->starts[row]) * stride + row;
            columns[at] = matrix->indices[i];
            numbers[at] = matrix->values[i];
        }
    if (!status)
        status = ki_spmv_upload(task, product, columns, padded * sizeof *columns, indices, err);
    if (!status)
        status = ki_spmv_upload_values(task, product, numbers, padded, values, err);
    if (!status)
        product->bytes -= (padded - kept) * spmv_number_bytes(task);
    free(columns);
    free(numbers);
    return status;
}

static kn_status upload_lengths(const struct spmv_task *task, struct spmv_product *product,
                                kn_buffer **buffer, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    uint32_t *lengths = NULL;
    kn_status status = ki_spmv_allocate(&lengths, matrix->rows * sizeof *lengths, err);

    for (size_t row = 0; row < matrix->rows && !status; row++)
        lengths[row] = (uint32_t)(matrix->starts[row + 1] - matrix->starts[row]);
    if (!status)
        status = ki_spmv_upload(task, product, lengths, matrix->rows * sizeof *lengths, buffer, err);
    free(lengths);
    return status;
}

kn_status ki_spmv_prepare_side_by_side(const struct spmv_task *task, const char *name, size_t width,
                                       struct spmv_product *product, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    bool ell = strcmp(name, "spmv_ell") == 0;
    kn_buffer *lengths = NULL, *indices, *values;
    kn_kernel *kernel;
    kn_status status = upload_side_by_side(task, width, product, &indices, &values, err);

    if (!status && !ell)
        status = upload_lengths(task, product, &lengths, err);
    if (!status && !ell)
        product->bytes -= (ki_spmv_padded(matrix) - matrix->nonzeros) * sizeof(uint32_t);
    if (!status)
        status = ki_spmv_kernel(task, "app/sparse/sparse_ell.cl", name, 32, &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {spmv_memory(ell ? indices : lengths),
                                                  spmv_memory(indices),
                                                  spmv_memory(values),
                                                  spmv_x(),
                                                  spmv_y(),
                                                  spmv_number(matrix->rows),
                                                  spmv_number(matrix->columns),
                                                  spmv_number(stride_of(matrix)),
                                                  spmv_number(width)};
        ki_spmv_add_launch(product, kernel, matrix->rows, task->tuning.group, arguments, KI_COUNT(arguments));
    }
    return status;
}

kn_status ki_spmv_prepare_layout(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t longest = ki_sparse_longest_row(task->matrix);
    kn_status status = ki_spmv_check_loops(task, product, longest, err);

    return status ? status : ki_spmv_prepare_side_by_side(task, "spmv_layout", longest, product, err);
}

kn_status ki_spmv_prepare_layout_local(const struct spmv_task *task, struct spmv_product *product,
                                       kn_error *err)
{
    size_t longest = ki_sparse_longest_row(task->matrix);
    kn_status status = ki_spmv_check_loops(task, product, longest + ki_spmv_chunk_loops(task), err);

    return status ? status : ki_spmv_prepare_side_by_side(task, "spmv_layout_local", longest, product, err);
}

kn_status ki_spmv_prepare_ell(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    size_t longest = ki_sparse_longest_row(task->matrix);
    kn_status status = ki_spmv_check_loops(task, product, longest, err);

    return status ? status : ki_spmv_prepare_side_by_side(task, "spmv_ell", longest, product, err);
}

// ---- slices of rows of similar length ----

static size_t length_of(const struct sparse_matrix *matrix, uint32_t row)
{
    return (size_t)(matrix->starts[row + 1] - matrix->starts[row]);
}

struct slices {
    size_t count;
    uint32_t *starts, *order;
    void *indices; // 16-bit indices if `narrow`
    double *values;
    bool narrow;
};

static void fill_slices(const struct sparse_matrix *matrix, struct slices *slices)
{
    uint16_t *narrow = slices->indices;
    uint32_t *wide = slices->indices;

    for (size_t at = 0; at < slices->starts[slices->count]; at++) {
        slices->values[at] = 0;
        if (slices->narrow)
            narrow[at] = UINT16_MAX;
        else
            wide[at] = ELL_PAD;
    }
    for (size_t position = 0; position < matrix->rows; position++) {
        uint32_t row = slices->order[position];
        size_t at = slices->starts[position / SELL_SLICE] + position % SELL_SLICE;
        for (uint64_t i = matrix->starts[row]; i < matrix->starts[row + 1]; i++, at += SELL_SLICE) {
            slices->values[at] = matrix->values[i];
            if (slices->narrow)
                narrow[at] = (uint16_t)matrix->indices[i];
            else
                wide[at] = matrix->indices[i];
        }
    }
}

static kn_status make_slices(const struct sparse_matrix *matrix, struct slices *slices, kn_error *err)
{
    uint64_t total = 0;
    kn_status status;

    slices->count = (matrix->rows + SELL_SLICE - 1) / SELL_SLICE;
    slices->narrow = matrix->columns < UINT16_MAX + 1;
    status = ki_spmv_allocate(&slices->starts, (slices->count + 1) * sizeof *slices->starts, err);
    if (!status)
        status = ki_spmv_allocate(&slices->order, matrix->rows * sizeof *slices->order, err);
    if (!status)
        status = ki_sparse_sort_rows(matrix, slices->order, err);
    if (status)
        return status;
    for (size_t slice = 0; slice <= slices->count; slice++) {
        slices->starts[slice] = (uint32_t)total;
        if (slice < slices->count)
            total += SELL_SLICE * length_of(matrix, slices->order[slice * SELL_SLICE]);
        if (total > UINT32_MAX)
            return ki_fail(err, KN_ERROR_LIMIT,
                           "sell pads rows to %llu places and more, which 32 bits do not count; "
                           "use merge",
                           (unsigned long long)total);
    }
    status = ki_spmv_allocate(&slices->indices, total * (slices->narrow ? 2 : 4), err);
    if (!status)
        status = ki_spmv_allocate(&slices->values, total * sizeof *slices->values, err);
    if (!status)
        fill_slices(matrix, slices);
    return status;
}

kn_status ki_spmv_prepare_sell(const struct spmv_task *task, struct spmv_product *product, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    struct slices slices = {.count = 0};
    kn_buffer *starts, *order, *indices, *values;
    kn_kernel *kernel;
    kn_status status = ki_spmv_check_loops(task, product, ki_sparse_longest_row(matrix), err);

    if (!status)
        status = make_slices(matrix, &slices, err);
    if (!status) {
        size_t total = slices.starts[slices.count];
        status = ki_spmv_upload(task, product, slices.starts, (slices.count + 1) * sizeof *slices.starts,
                                &starts, err);
        if (!status)
            status =
                ki_spmv_upload(task, product, slices.order, matrix->rows * sizeof *slices.order, &order, err);
        if (!status)
            status =
                ki_spmv_upload(task, product, slices.indices, total * (slices.narrow ? 2 : 4), &indices, err);
        if (!status)
            status = ki_spmv_upload_values(task, product, slices.values, total, &values, err);
        if (!status)
            product->bytes -= (total - matrix->nonzeros) * spmv_number_bytes(task);
    }
    if (!status)
        status = ki_spmv_kernel(task, "app/sparse/sparse_ell.cl", "spmv_sell", slices.narrow ? 16 : 32,
                                &kernel, err);
    if (!status) {
        const struct spmv_argument arguments[] = {
            spmv_memory(starts),      spmv_memory(order), spmv_memory(indices),
            spmv_memory(values),      spmv_x(),           spmv_y(),
            spmv_number(matrix->rows)};
        ki_spmv_add_launch(product, kernel, matrix->rows, task->tuning.group, arguments, KI_COUNT(arguments));
    }
    free(slices.starts);
    free(slices.order);
    free(slices.indices);
    free(slices.values);
    return status;
}

kn_status ki_spmv_sell_places(const struct sparse_matrix *matrix, size_t *places, kn_error *err)
{
    uint32_t *order = NULL;
    kn_status status = ki_spmv_allocate(&order, matrix->rows * sizeof *order, err);

    if (!status)
        status = ki_sparse_sort_rows(matrix, order, err);
    *places = 0;
    for (size_t row = 0; row < matrix->rows && !status; row += SELL_SLICE)
        *places += SELL_SLICE * length_of(matrix, order[row]);
    free(order);
    return status;
}
