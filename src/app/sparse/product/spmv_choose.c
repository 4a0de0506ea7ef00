// SPDX-License-Identifier: Apache-2.0
// KN_SPARSE_AUTO: of the formats that are fast on one device or another, the one that a measurement with this
// matrix on this device found to be the fastest. What it found stands in the cache on disk.
#include <stdlib.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "engine/device/choice.h"
#include "spmv_internal.h"

enum { WARM_UPS = 1, REPETITIONS = 3, EACH = 8 };
// Places of ELLPACK a nonzero from where it is not tried.
enum { MOST_PADDING = 8 };

static const kn_sparse_format stored[] = {
    KN_SPARSE_SIMPLE,     KN_SPARSE_MEMORY_LAYOUT, KN_SPARSE_MEMORY_LAYOUT_LOCAL,
    KN_SPARSE_CSR_VECTOR, KN_SPARSE_HYB,           KN_SPARSE_SELL,
    KN_SPARSE_MERGE};
static const kn_sparse_format computed[] = {KN_SPARSE_ON_THE_FLY, KN_SPARSE_ON_THE_FLY_LOCAL};

const kn_sparse_format *ki_spmv_candidates(const struct spmv_task *task, size_t *count)
{
    *count = task->matrix ? KI_COUNT(stored) : KI_COUNT(computed);
    return task->matrix ? stored : computed;
}

static struct engine_choice geometry_choice_of(const struct spmv_task *task)
{
    const struct sparse_parallel *geometry = task->geometry;
    const uint64_t numbers[] = {geometry->angles,   geometry->detectors, geometry->size,    task->back,
                                task->tuning.group, task->tuning.items,  task->tuning.chunk};
    const struct ki_field fields[] = {{numbers, sizeof numbers}};

    return (struct engine_choice){"projector choice", ki_hash_fields(fields, KI_COUNT(fields))};
}

static struct engine_choice choice_of(const struct spmv_task *task)
{
    const struct sparse_matrix *matrix = task->matrix;
    const uint64_t numbers[] = {matrix->rows,       matrix->columns,    matrix->nonzeros,  task->tuning.group,
                                task->tuning.lanes, task->tuning.items, task->tuning.chunk};
    const struct ki_field fields[] = {
        {numbers, sizeof numbers},
        {matrix->starts, (matrix->rows + 1) * sizeof *matrix->starts},
        {matrix->indices, matrix->nonzeros * sizeof *matrix->indices},
    };

    return (struct engine_choice){task->tuning.is_double ? "sparse choice, double" : "sparse choice",
                                  ki_hash_fields(fields, KI_COUNT(fields))};
}

// Seconds of one of several, back to back.
static kn_status time_product(kn_queue *queue, const struct spmv_product *product, kn_buffer *x, kn_buffer *y,
                              double *seconds, kn_error *err)
{
    kn_status status = KN_OK;

    for (int i = -WARM_UPS; i < REPETITIONS && !status; i++) {
        double start = ki_clock_seconds(), taken;
        for (int k = 0; k < EACH && !status; k++)
            status = ki_spmv_product_apply(queue, product, x, y, err);
        if (!status)
            status = kn_queue_finish(queue, err);
        taken = (ki_clock_seconds() - start) / EACH;
        if (i <= 0 || taken < *seconds)
            *seconds = taken;
    }
    return status;
}

bool ki_spmv_is_worth_trying(const struct spmv_task *task, kn_sparse_format format)
{
    bool pads = format == KN_SPARSE_MEMORY_LAYOUT || format == KN_SPARSE_MEMORY_LAYOUT_LOCAL;

    return !pads || ki_spmv_padded(task->matrix) / MOST_PADDING <= task->matrix->nonzeros;
}

// A candidate that is faster than the best so far takes its place.
static kn_status try_candidate(const struct spmv_task *task, size_t number, kn_buffer *x, kn_buffer *y,
                               size_t *winner, double *least, struct ki_text *summary, kn_error *err)
{
    size_t count;
    kn_sparse_format format = ki_spmv_candidates(task, &count)[number];
    struct spmv_product product;
    kn_error reason = KN_ERROR_INIT;
    double seconds = 0;
    kn_status status = ki_spmv_product_create(task, format, &product, &reason);

    if (status == KN_ERROR_LIMIT || status == KN_ERROR_MEMORY) // one of those that cannot serve this matrix
        return KN_OK;
    if (status) {
        if (err)
            *err = reason;
        return status;
    }
    status = time_product(task->queue, &product, x, y, &seconds, err);
    ki_spmv_product_free(&product);
    if (status)
        return status;
    ki_text_format(summary, "%s%s %.4g ms", summary->length ? ", " : "", ki_sparse_format_names[format],
                   seconds * 1e3);
    if (*least < 0 || seconds < *least) {
        *least = seconds;
        *winner = number;
    }
    return KN_OK;
}

static kn_status measure(const struct spmv_task *task, size_t *winner, struct ki_text *summary, kn_error *err)
{
    kn_context *context = kn_queue_get_context(task->queue);
    const double zero = 0; // whose bytes are those of a float's, too
    size_t size = spmv_number_bytes(task), columns = ki_spmv_task_columns(task) * size, count;
    const kn_sparse_format *candidates = ki_spmv_candidates(task, &count);
    kn_buffer *x = NULL, *y = NULL;
    double least = -1;
    kn_status status = kn_buffer_create(context, columns, &x, err);

    if (!status)
        status = kn_buffer_create(context, ki_spmv_task_rows(task) * size, &y, err);
    if (!status)
        status = kn_buffer_fill(task->queue, x, &zero, size, 0, columns, NULL, err);
    for (size_t i = 0; i < count && !status; i++)
        if (ki_spmv_is_worth_trying(task, candidates[i]))
            status = try_candidate(task, i, x, y, winner, &least, summary, err);
    if (!status && least < 0)
        status = ki_fail(err, KN_ERROR_MEMORY, "a sparse matrix of %zu x %zu fits on %s in no format",
                         ki_spmv_task_rows(task), ki_spmv_task_columns(task), task->info->spec);
    kn_buffer_free(x);
    kn_buffer_free(y);
    return status;
}

kn_status ki_spmv_choose(const struct spmv_task *task, kn_sparse_format *format, struct ki_text *why,
                         kn_error *err)
{
    kn_context *context = kn_queue_get_context(task->queue);
    const struct engine_choice choice = task->matrix ? choice_of(task) : geometry_choice_of(task);
    size_t winner = 0, count;
    const kn_sparse_format *candidates = ki_spmv_candidates(task, &count);
    kn_status status = KN_OK;

    if (!ki_engine_recall(context, &choice, count, &winner, why)) {
        status = measure(task, &winner, why, err);
        if (!status)
            ki_engine_remember(context, &choice, winner, why);
    }
    *format = candidates[winner];
    return status;
}
