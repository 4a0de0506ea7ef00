// SPDX-License-Identifier: Apache-2.0
// The memory of a product before it is created: the buffers that spmv_formats.c, spmv_slices.c,
// spmv_segments.c and spmv_parallel.c will upload; and the candidates of KN_SPARSE_AUTO.
#include "app/sparse/tomography/fan.h"
#include "base/array.h"
#include "shared/sparse.h"
#include "spmv_internal.h"

enum { INDEX = 4, NARROW_INDEX = 2, START = 4 };

// A nonzero and its index; the carried sum of a row has an index, too.
static size_t indexed(const struct spmv_task *task)
{
    return INDEX + spmv_number_bytes(task);
}

// The carried sums of rows that do not end within a group, with the rows' indices.
static size_t carried(const struct spmv_task *task, size_t steps)
{
    size_t tile = (size_t)task->tuning.group * task->tuning.items;

    return (steps + tile - 1) / tile * indexed(task);
}

static size_t by_rows(const struct spmv_task *task, const struct sparse_matrix *matrix)
{
    return (matrix->rows + 1) * START + matrix->nonzeros * indexed(task);
}

static kn_status estimate_hyb(const struct spmv_task *task, size_t *bytes, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t width = 0, beyond = 0, stride = (matrix->rows + SELL_SLICE - 1) / SELL_SLICE * SELL_SLICE;
    kn_status status = ki_spmv_hybrid_width(matrix, &width, err);

    for (size_t row = 0; row < matrix->rows && !status; row++) {
        size_t length = (size_t)(matrix->starts[row + 1] - matrix->starts[row]);
        beyond += length > width ? length - width : 0;
    }
    *bytes = stride * width * indexed(task) + beyond * (INDEX + indexed(task)) + carried(task, beyond);
    return status;
}

static kn_status estimate_sell(const struct spmv_task *task, size_t *bytes, kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;
    size_t slices = (matrix->rows + SELL_SLICE - 1) / SELL_SLICE, places;
    kn_status status = ki_spmv_sell_places(matrix, &places, err);

    *bytes =
        (slices + 1 + matrix->rows) * START +
        places * (matrix->columns < UINT16_MAX + 1 ? NARROW_INDEX + spmv_number_bytes(task) : indexed(task));
    return status;
}

// ---- KN_SPARSE_AUTO ----

// ELLPACK is not tried if it has more places per nonzero than this.
enum { MOST_PADDING = 8 };

static const kn_sparse_format stored[] = {
    KN_SPARSE_SIMPLE,     KN_SPARSE_MEMORY_LAYOUT, KN_SPARSE_MEMORY_LAYOUT_LOCAL,
    KN_SPARSE_CSR_VECTOR, KN_SPARSE_HYB,           KN_SPARSE_SELL,
    KN_SPARSE_MERGE};
static const kn_sparse_format computed[] = {KN_SPARSE_ON_THE_FLY, KN_SPARSE_ON_THE_FLY_LOCAL};

const kn_sparse_format *ki_spmv_candidates(const struct spmv_task *task, size_t *count)
{
    *count = task->matrix ? KI_COUNT(stored) : ki_sparse_is_fan(task->geometry) ? 1 : KI_COUNT(computed);
    return task->matrix ? stored : computed;
}

bool ki_spmv_is_worth_trying(const struct spmv_task *task, kn_sparse_format format)
{
    bool pads = format == KN_SPARSE_MEMORY_LAYOUT || format == KN_SPARSE_MEMORY_LAYOUT_LOCAL;

    return !pads || ki_spmv_padded(task->matrix) / MOST_PADDING <= task->matrix->nonzeros;
}

static kn_status estimate_auto(const struct spmv_task *task, size_t *bytes, kn_error *err)
{
    size_t count, one = 0;
    const kn_sparse_format *candidates = ki_spmv_candidates(task, &count);
    kn_status status = KN_OK;

    *bytes = 0;
    for (size_t i = 0; i < count && !status; i++) {
        if (!ki_spmv_is_worth_trying(task, candidates[i]))
            continue;
        status = ki_spmv_estimate(task, candidates[i], &one, err);
        *bytes = one > *bytes ? one : *bytes;
    }
    return status;
}

// ---- all formats ----

kn_status ki_spmv_estimate(const struct spmv_task *task, kn_sparse_format format, size_t *bytes,
                           kn_error *err)
{
    const struct sparse_matrix *matrix = task->matrix;

    switch (format) {
    case KN_SPARSE_AUTO:
        return estimate_auto(task, bytes, err);
    case KN_SPARSE_ON_THE_FLY:
    case KN_SPARSE_ON_THE_FLY_LOCAL:
        *bytes = ki_sparse_is_fan(task->geometry)
                     ? ki_spmv_estimate_fan(task)
                     : ki_spmv_estimate_parallel(task, format == KN_SPARSE_ON_THE_FLY_LOCAL);
        *bytes += ki_spmv_estimate_factors(task);
        return KN_OK;
    case KN_SPARSE_MEMORY_LAYOUT:
    case KN_SPARSE_MEMORY_LAYOUT_LOCAL:
        *bytes = ki_spmv_padded(matrix) * indexed(task) + matrix->rows * START;
        return KN_OK;
    case KN_SPARSE_ELL:
        *bytes = ki_spmv_padded(matrix) * indexed(task);
        return KN_OK;
    case KN_SPARSE_COO:
        *bytes = matrix->nonzeros * (INDEX + indexed(task)) + carried(task, matrix->nonzeros);
        return KN_OK;
    case KN_SPARSE_MERGE:
        *bytes = by_rows(task, matrix) + carried(task, matrix->rows + matrix->nonzeros);
        return KN_OK;
    case KN_SPARSE_HYB:
        return estimate_hyb(task, bytes, err);
    case KN_SPARSE_SELL:
        return estimate_sell(task, bytes, err);
    case KN_SPARSE_BACKPROJECTION:
        *bytes = by_rows(task, task->transposed);
        return KN_OK;
    case KN_SPARSE_SIMPLE:
    case KN_SPARSE_LOCAL_MEMORY:
    case KN_SPARSE_CSR_VECTOR:
        break;
    }
    *bytes = by_rows(task, matrix);
    return KN_OK;
}
