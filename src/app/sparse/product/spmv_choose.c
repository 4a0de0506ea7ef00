// SPDX-License-Identifier: Apache-2.0
// KN_SPARSE_AUTO: measures the formats that are fast on some device with this matrix on this device, and
// takes the fastest. The result is stored in the cache on disk.
#include <koine/experimental/cost.h>

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/cost/contest.h"
#include "spmv_internal.h"

enum { EACH = 8 };
// The factor by which the time of a product may differ from the estimate by its bytes.
static const double estimate_error = 8;

static struct engine_choice geometry_choice_of(const struct spmv_task *task)
{
    const struct sparse_parallel *geometry = task->geometry;
    const uint64_t numbers[] = {geometry->angles,   geometry->detectors, geometry->size,    task->back,
                                task->tuning.group, task->tuning.items,  task->tuning.chunk};
    const struct ki_field fields[] = {{numbers, sizeof numbers}};

    return (struct engine_choice){"projector seconds", ki_hash_fields(fields, KI_COUNT(fields))};
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

    return (struct engine_choice){task->tuning.is_double ? "sparse seconds, double" : "sparse seconds",
                                  ki_hash_fields(fields, KI_COUNT(fields))};
}

// ---- the contest ----

struct measurement {
    const struct spmv_task *task;
    const kn_sparse_format *formats;
    kn_buffer *x, *y;
    struct spmv_product product; // in the measured format
};

static const char *name_of(const void *data, size_t way)
{
    const struct measurement *m = data;

    return ki_sparse_format_names[m->formats[way]];
}

// Estimated from the bytes that a product reads; there is no estimate for a geometry, which is computed.
static double estimate(const void *data, size_t way)
{
    const struct measurement *m = data;
    kn_work work = KN_INIT(kn_work, .launches = 1);
    kn_cost cost;
    size_t bytes = 0;

    if (!m->task->matrix)
        return 1;
    if (!ki_spmv_is_worth_trying(m->task, m->formats[way]) ||
        ki_spmv_estimate(m->task, m->formats[way], &bytes, NULL))
        return INFINITY;
    work.device.bytes = (double)bytes;
    return kn_cost_estimate(&work, m->task->info, &cost, NULL) ? INFINITY : cost.compute;
}

static kn_status open_measurement(struct measurement *m, kn_error *err)
{
    kn_context *context = kn_queue_get_context(m->task->queue);
    const double zero = 0; // has the bytes of a float's 0, too
    size_t size = spmv_number_bytes(m->task), columns = ki_spmv_task_columns(m->task) * size;
    kn_status status = kn_buffer_create(context, columns, &m->x, err);

    if (!status)
        status = kn_buffer_create(context, ki_spmv_task_rows(m->task) * size, &m->y, err);
    return status ? status : kn_buffer_fill(m->task->queue, m->x, &zero, size, 0, columns, NULL, err);
}

// Prepares a format; one that cannot store this matrix is left out.
static kn_status begin(void *data, size_t way, kn_error *err)
{
    struct measurement *m = data;
    kn_status status = m->x ? KN_OK : open_measurement(m, err);

    if (status)
        return status;
    status = ki_spmv_product_create(m->task, m->formats[way], &m->product, err);
    return status == KN_ERROR_LIMIT || status == KN_ERROR_MEMORY ? KN_ERROR_UNSUPPORTED : status;
}

static kn_status run(void *data, size_t way, kn_error *err)
{
    const struct measurement *m = data;

    (void)way;
    return ki_spmv_product_apply(m->task->queue, &m->product, m->x, m->y, err);
}

static void end(void *data, size_t way)
{
    struct measurement *m = data;

    (void)way;
    ki_spmv_product_free(&m->product);
}

kn_status ki_spmv_choose(const struct spmv_task *task, kn_sparse_format *format, struct ki_text *why,
                         kn_error *err)
{
    struct measurement m = {.task = task};
    struct engine_contest contest = {.choice = task->matrix ? choice_of(task) : geometry_choice_of(task),
                                     .error = estimate_error,
                                     .each = EACH,
                                     .data = &m,
                                     .name = name_of,
                                     .estimate = estimate,
                                     .begin = begin,
                                     .run = run,
                                     .end = end};
    double seconds[CONTEST_WAYS];
    size_t winner;
    kn_status status;

    m.formats = ki_spmv_candidates(task, &contest.count);
    if (contest.count == 1) {
        *format = m.formats[0];
        return KN_OK;
    }
    status = ki_engine_contest(task->queue, &contest, seconds, err);
    kn_buffer_free(m.x);
    kn_buffer_free(m.y);
    if (status)
        return status;
    winner = ki_engine_contest_winner(seconds, contest.count);
    if (winner == contest.count)
        return ki_fail(err, KN_ERROR_MEMORY, "a sparse matrix of %zu x %zu fits on %s in no format",
                       ki_spmv_task_rows(task), ki_spmv_task_columns(task), task->info->spec);
    ki_engine_contest_tell(&contest, seconds, why);
    *format = m.formats[winner];
    return KN_OK;
}
