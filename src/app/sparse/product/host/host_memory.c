// SPDX-License-Identifier: Apache-2.0
// The memory that the host's sparse products hold, and will hold.
#include "base/error.h"
#include "host_internal.h"

static size_t lanes_of(enum sparse_host_format format)
{
    return format == SPARSE_HOST_SELL ? SPARSE_LANES : 1;
}

// For this many lines, with this many values, in this many tasks.
static size_t bytes_of_lines(size_t lines, size_t stored, size_t tasks, size_t size)
{
    return (lines + 1) * sizeof(uint64_t) + stored * (sizeof(uint32_t) + size) + (tasks + 1) * sizeof(size_t);
}

// The vectors in the host's order, and the order itself.
static size_t bytes_of_vectors(size_t elements, size_t size, enum sparse_host_format format)
{
    return elements * (size + (format == SPARSE_HOST_SELL ? sizeof(uint32_t) : 0));
}

size_t ki_sparse_host_memory(const struct sparse_host *host)
{
    const struct sparse_lines *const both[] = {&host->forward, &host->backward};
    size_t bytes = bytes_of_vectors(host->rows + host->columns, host->vectors.plan.size, host->format);

    for (unsigned i = 0; i < 2; i++)
        bytes += bytes_of_lines(both[i]->lines, both[i]->starts[both[i]->lines], both[i]->tasks,
                                host->vectors.plan.size);
    return bytes;
}

// The number of values stored for a matrix, including padding.
static kn_status count_stored(const struct sparse_matrix *matrix, enum sparse_host_format format,
                              size_t *stored, kn_error *err)
{
    uint32_t *order;
    kn_status status;

    *stored = matrix->nonzeros;
    if (format != SPARSE_HOST_SELL)
        return KN_OK;
    order = malloc((matrix->rows + 1) * sizeof *order);
    if (!order)
        return ki_fail_memory(err, (matrix->rows + 1) * sizeof *order, "ordering a matrix");
    status = ki_sparse_sort_rows(matrix, order, err);
    *stored = 0;
    for (size_t row = 0; row < matrix->rows && !status; row += SPARSE_LANES)
        *stored += SPARSE_LANES * (size_t)(matrix->starts[order[row] + 1] - matrix->starts[order[row]]);
    free(order);
    return status;
}

kn_status ki_sparse_host_estimate(const struct sparse_matrix *matrix, const struct sparse_matrix *transposed,
                                  kn_type type, enum sparse_host_format format, size_t *bytes, kn_error *err)
{
    const struct sparse_matrix *const both[] = {matrix, transposed};
    size_t size = kn_type_size(type), lanes = lanes_of(format);
    kn_status status = KN_OK;

    *bytes = bytes_of_vectors(matrix->rows + matrix->columns, size, format);
    for (unsigned i = 0; i < 2 && !status; i++) {
        size_t lines = (both[i]->rows + lanes - 1) / lanes, stored = 0;

        status = count_stored(both[i], format, &stored, err);
        *bytes += bytes_of_lines(lines, stored, (stored + lines) / SPARSE_TASK + 1, size);
    }
    return status;
}
