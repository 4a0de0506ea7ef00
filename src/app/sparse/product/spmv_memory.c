// SPDX-License-Identifier: Apache-2.0
// The parts that formats share: memory on the device, and launches.
#include <stdlib.h>
#include <string.h>

#include "algo/rung.h"
#include "base/array.h"
#include "base/error.h"
#include "spmv_internal.h"

// ---- memory ----

// Creates the product's next buffer; `data` is on the host.
kn_status ki_spmv_upload(const struct spmv_task *task, struct spmv_product *product, const void *data,
                         size_t bytes, kn_buffer **buffer, kn_error *err)
{
    kn_status status = KN_OK;

    if (bytes > task->info->max_alloc)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "%s takes %zu bytes in one piece for a matrix of %zu x %zu, more than one allocation of %s holds "
            "(%llu bytes); csr-vector, merge and sell take the least",
            ki_sparse_format_names[product->format], bytes, product->rows, product->columns, task->info->spec,
            (unsigned long long)task->info->max_alloc);
    status = kn_buffer_create(kn_queue_get_context(task->queue), bytes, buffer, err);
    if (status)
        return status;
    product->buffers[product->buffer_count++] = *buffer;
    product->bytes += bytes;
    return data && bytes ? kn_buffer_write(task->queue, *buffer, 0, data, bytes, err) : KN_OK;
}

kn_status ki_spmv_allocate(void *address, size_t bytes, kn_error *err)
{
    void **memory = address;

    *memory = malloc(bytes + 1);
    return *memory ? KN_OK : ki_fail_memory(err, bytes, "a sparse matrix");
}

kn_status ki_spmv_upload_values(const struct spmv_task *task, struct spmv_product *product,
                                const double *values, size_t count, kn_buffer **buffer, kn_error *err)
{
    float *singles = NULL;
    kn_status status;

    if (task->tuning.is_double)
        return ki_spmv_upload(task, product, values, count * sizeof *values, buffer, err);
    status = ki_spmv_allocate(&singles, count * sizeof *singles, err);
    for (size_t i = 0; i < count && !status; i++)
        singles[i] = (float)values[i];
    if (!status)
        status = ki_spmv_upload(task, product, singles, count * sizeof *singles, buffer, err);
    free(singles);
    return status;
}

kn_status ki_spmv_upload_starts(const struct spmv_task *task, const struct sparse_matrix *matrix,
                                struct spmv_product *product, kn_buffer **buffer, kn_error *err)
{
    uint32_t *starts = NULL;
    kn_status status = ki_spmv_allocate(&starts, (matrix->rows + 1) * sizeof *starts, err);

    for (size_t row = 0; row <= matrix->rows && !status; row++)
        starts[row] = (uint32_t)matrix->starts[row];
    if (!status)
        status = ki_spmv_upload(task, product, starts, (matrix->rows + 1) * sizeof *starts, buffer, err);
    free(starts);
    return status;
}

// Uploads indices and values, beginning with nonzero `first`.
kn_status ki_spmv_upload_nonzeros(const struct spmv_task *task, const struct sparse_matrix *matrix,
                                  struct spmv_product *product, kn_buffer **indices, kn_buffer **values,
                                  kn_error *err)
{
    kn_status status = ki_spmv_upload(task, product, matrix->indices,
                                      matrix->nonzeros * sizeof *matrix->indices, indices, err);

    return status ? status
                  : ki_spmv_upload_values(task, product, matrix->values, matrix->nonzeros, values, err);
}

// ---- launches ----

kn_status ki_spmv_kernel(const struct spmv_task *task, const char *file, const char *name,
                         unsigned index_bits, kn_kernel **kernel, kn_error *err)
{
    kn_context *context = kn_queue_get_context(task->queue);
    struct engine_defines defines = {.count = 0};
    kn_status status;

    ki_engine_define(&defines, "GROUP", task->tuning.group);
    ki_engine_define(&defines, "LANES", task->tuning.lanes);
    ki_engine_define(&defines, "ITEMS", task->tuning.items);
    ki_engine_define(&defines, "CHUNK", task->tuning.chunk);
    ki_engine_define(&defines, "INDEX_BITS", index_bits);
    ki_engine_define(&defines, "REAL_BITS", (unsigned)(8 * spmv_number_bytes(task)));
    status = ki_rung_define_subgroups(&defines, context, err);
    if (!status)
        status = ki_rung_define_atomics(&defines, context, err);
    return status ? status
                  : ki_engine_builtin_kernel(context, file, defines.items, defines.count, KN_POLICY_DEFAULT,
                                             name, kernel, err);
}

// Adds a launch of at least `items` work-items; none if `items` is 0.
void ki_spmv_add_launch(struct spmv_product *product, kn_kernel *kernel, size_t items, size_t group,
                        const struct spmv_argument *arguments, size_t count)
{
    struct spmv_launch *launch = &product->launches[product->launch_count];

    if (items == 0)
        return;
    *launch = (struct spmv_launch){.kernel = kernel, .groups = (items + group - 1) / group, .group = group};
    memcpy(launch->arguments, arguments, count * sizeof *arguments);
    launch->count = count;
    product->launch_count++;
}

// Some devices silently stop long loops of a work-item.
kn_status ki_spmv_check_loops(const struct spmv_task *task, const struct spmv_product *product, size_t loops,
                              kn_error *err)
{
    if (task->info->loop_limit && loops >= task->info->loop_limit)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "%s: %zu passes of a loop for one row, but %s (%s) stops loops after %u; use coo or merge",
            ki_sparse_format_names[product->format], loops, task->info->spec, task->info->name,
            task->info->loop_limit);
    return KN_OK;
}

// The passes over the vector through local memory.
size_t ki_spmv_chunk_loops(const struct spmv_task *task)
{
    size_t columns = task->matrix->columns;

    return columns / task->tuning.chunk + 1 + columns / task->tuning.group + 1;
}
