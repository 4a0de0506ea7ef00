// SPDX-License-Identifier: Apache-2.0
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "jobs.h"

static const uint32_t poison = 0xffffffff; // not a number, as a float

// ---- for jobs ----

kn_status job_column(struct compare_problem *problem, enum compare_role role, size_t bytes, kn_error *err)
{
    struct compare_column *column = &problem->columns[problem->column_count++];

    *column = (struct compare_column){role, bytes, NULL};
    return role == COMPARE_RESULT ? KN_OK : job_memory(bytes, &column->data, err);
}

kn_status job_read_part(const struct compare_work *work, size_t column, size_t offset, size_t bytes, void *to,
                        kn_error *err)
{
    const struct compare_held *held = &work->held[column];

    if (work->queue)
        return kn_buffer_read(work->queue, held->buffer, offset, to, bytes, err);
    memcpy(to, (const char *)held->memory + offset, bytes);
    return KN_OK;
}

kn_status job_read(const struct compare_work *work, size_t column, void *pointer_address, kn_error *err)
{
    size_t bytes = work->problem->columns[column].bytes;
    void *memory = NULL;
    kn_status status = job_memory(bytes, &memory, err);

    memcpy(pointer_address, &memory, sizeof memory);
    return status ? status : job_read_part(work, column, 0, bytes, memory, err);
}

// ---- columns of the problem ----

void columns_free(struct compare_problem *problem)
{
    for (size_t i = 0; i < problem->column_count; i++)
        free(problem->columns[i].data);
}

// ---- columns of a place ----

static kn_status hold(struct compare_work *work, const struct compare_column *column,
                      struct compare_held *held, kn_error *err)
{
    kn_status status;

    if (column->role == COMPARE_REFERENCE)
        return KN_OK;
    if (!work->queue && column->role == COMPARE_GIVEN) {
        held->memory = column->data;
        return KN_OK;
    }
    if (!work->queue)
        return job_memory(column->bytes, &held->memory, err);
    status = job_buffer(work->queue, column->data, column->bytes, &held->buffer, err);
    return status || column->role != COMPARE_WORKED
               ? status
               : job_buffer(work->queue, column->data, column->bytes, &held->pristine, err);
}

kn_status columns_enter(struct compare_work *work, kn_error *err)
{
    const struct compare_problem *problem = work->problem;
    kn_status status = KN_OK;

    for (size_t i = 0; i < problem->column_count && !status; i++)
        status = hold(work, &problem->columns[i], &work->held[i], err);
    return status;
}

void columns_leave(struct compare_work *work)
{
    for (size_t i = 0; i < work->problem->column_count; i++) {
        kn_buffer_free(work->held[i].buffer);
        kn_buffer_free(work->held[i].pristine);
        if (work->held[i].memory != work->problem->columns[i].data)
            free(work->held[i].memory);
    }
}

static kn_status reset_buffer(kn_queue *queue, const struct compare_column *column,
                              const struct compare_held *held, kn_error *err)
{
    return column->role == COMPARE_WORKED
               ? kn_buffer_copy(queue, held->pristine, 0, held->buffer, 0, column->bytes, NULL, err)
               : kn_buffer_fill(queue, held->buffer, &poison, sizeof poison, 0, column->bytes, NULL, err);
}

kn_status columns_reset(struct compare_work *work, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < work->problem->column_count && !status; i++) {
        const struct compare_column *column = &work->problem->columns[i];
        const struct compare_held *held = &work->held[i];

        if (column->role != COMPARE_WORKED && column->role != COMPARE_RESULT)
            continue;
        if (work->queue)
            status = reset_buffer(work->queue, column, held, err);
        else if (column->role == COMPARE_WORKED)
            memcpy(held->memory, column->data, column->bytes);
        else
            memset(held->memory, (int)poison, column->bytes);
    }
    return status;
}
