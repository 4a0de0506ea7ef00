// SPDX-License-Identifier: Apache-2.0
// The input of a format: the matrix or the geometry, and the tuning, with open sizes filled in.
#include "spmv_internal.h"

const char *const ki_sparse_format_names[] = {"auto",
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

// Work-items per row: about as many as it has nonzeros, at most `most`.
static unsigned lanes_for(const struct sparse_matrix *matrix, unsigned most)
{
    double mean = matrix->rows ? (double)matrix->nonzeros / (double)matrix->rows : 0;
    unsigned lanes = 1;

    while (lanes < most && 1.5 * lanes < mean)
        lanes *= 2;
    return lanes;
}

struct spmv_task ki_spmv_task_of(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_matrix *transposed, const struct sparse_tuning *tuning)
{
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(queue));
    struct spmv_task task = {.queue = queue, .info = info, .matrix = matrix, .transposed = transposed};
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_SPARSE_MEMORY);
    struct sparse_tuning *to = &task.tuning;

    if (tuning)
        *to = *tuning;
    if (!to->group)
        to->group = sizes->group;
    while (to->group > info->max_work_group)
        to->group /= 2;
    if (!to->lanes)
        to->lanes = lanes_for(matrix, sizes->lanes);
    if (!to->items)
        to->items = to->is_double && sizes->items > 1 ? sizes->items / 2 : sizes->items; // in local memory
    if (!to->chunk)
        to->chunk = sizes->chunk;
    return task;
}

size_t ki_spmv_task_rows(const struct spmv_task *task)
{
    return task->matrix ? task->matrix->rows
           : task->back ? ki_sparse_parallel_columns(task->geometry)
                        : ki_sparse_parallel_rows(task->geometry);
}

size_t ki_spmv_task_columns(const struct spmv_task *task)
{
    return task->matrix ? task->matrix->columns
           : task->back ? ki_sparse_parallel_rows(task->geometry)
                        : ki_sparse_parallel_columns(task->geometry);
}
