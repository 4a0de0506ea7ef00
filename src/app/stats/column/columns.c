// SPDX-License-Identifier: Apache-2.0
// Columns of one length on a device, which every launch of koine/robust.h serves together: those of real
// numbers in one buffer, those of integers of 8 bits in two others.
#include "columns.h"

#include <math.h>
#include <stdlib.h>

#include "algo/robust/robust.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "column_internal.h"

enum { ALIGNMENT = 64 }; // of a column in its buffer, in elements

enum kind { REAL, SIGNED_BYTES, UNSIGNED_BYTES, KINDS };

// A column: its kind, its place among those of the kind, and its shift. A column with a NaN is in no buffer.
struct member {
    enum kind kind;
    bool is_computed;
    size_t row;
    double shift;
};

struct stats_columns {
    struct stats_column *like; // how they are computed
    size_t n, stride, count, capacity;
    struct member *members;
    size_t rows[KINDS];
    kn_buffer *buffers[KINDS];
};

static kn_type type_of(const struct stats_columns *all, enum kind kind)
{
    return kind == SIGNED_BYTES ? KN_I8 : kind == UNSIGNED_BYTES ? KN_U8 : ki_stats_column_real(all->like);
}

static size_t stride_of(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

size_t ki_stats_columns_most(const struct stats_column *like, size_t n)
{
    const kn_device_info *device;
    size_t bytes = stride_of(n) * kn_type_size(ki_stats_column_real(like));

    if (like->variant != STATS_GPU || like->options.method != KN_STATS_FUSED || like->selects || n == 0)
        return 0;
    device = kn_context_get_device(kn_queue_get_context(like->queue));
    return (size_t)(device->max_alloc < device->global_memory / 4 ? device->max_alloc
                                                                  : device->global_memory / 4) /
           bytes;
}

void ki_stats_columns_free(struct stats_columns *all)
{
    if (!all)
        return;
    for (int kind = 0; kind < KINDS; kind++)
        kn_buffer_free(all->buffers[kind]);
    free(all->members);
    free(all);
}

size_t ki_stats_columns_hold(const struct stats_columns *all)
{
    size_t bytes = 0;

    for (int kind = 0; all && kind < KINDS; kind++)
        bytes += all->buffers[kind] ? kn_buffer_get_size(all->buffers[kind]) : 0;
    return bytes;
}

bool ki_stats_columns_in_bytes(const struct stats_columns *all, size_t i)
{
    return all && i < all->count && all->members[i].kind != REAL;
}

// ---- to the device ----

static kn_status prepare(struct stats_columns *all, size_t n, size_t count, kn_error *err)
{
    if (all->capacity < count) {
        free(all->members);
        all->members = calloc(count, sizeof *all->members);
        all->capacity = all->members ? count : 0;
    }
    all->n = n;
    all->stride = stride_of(n);
    all->count = all->capacity < count ? 0 : count;
    for (int kind = 0; kind < KINDS; kind++)
        all->rows[kind] = 0;
    return all->count == count ? KN_OK : ki_fail_memory(err, count * sizeof *all->members, "columns");
}

// Appends the column in `like` to those of its kind.
static kn_status upload(struct stats_columns *all, enum kind kind, kn_error *err)
{
    struct stats_column *like = all->like;
    size_t size = kn_type_size(like->type);
    double start = ki_clock_seconds();
    kn_status status = ki_stats_take_buffer(kn_queue_get_context(like->queue),
                                            all->count * all->stride * size, &all->buffers[kind], err);

    if (!status)
        status = kn_buffer_write(like->queue, all->buffers[kind], all->rows[kind] * all->stride * size,
                                 like->data, all->n * size, err);
    like->times.upload += ki_clock_seconds() - start;
    return status;
}

static kn_status load(struct stats_columns *all, const void *values, struct member *member, kn_error *err)
{
    struct stats_column *like = all->like;
    kn_status status = ki_stats_column_take(like, values, all->n, err);

    if (status)
        return status;
    member->kind = like->type == KN_I8 ? SIGNED_BYTES : like->type == KN_U8 ? UNSIGNED_BYTES : REAL;
    member->is_computed = like->numbers == all->n;
    if (!member->is_computed)
        return KN_OK;
    status = ki_stats_column_shift(like, all->n, &member->shift, err);
    if (!status)
        status = upload(all, member->kind, err);
    member->row = all->rows[member->kind]++;
    return status;
}

kn_status ki_stats_columns_load(struct stats_column *like, const void *const *values, size_t n, size_t count,
                                struct stats_columns **columns, kn_error *err)
{
    struct stats_columns *all = *columns ? *columns : calloc(1, sizeof *all);
    kn_status status;

    if (!all)
        return ki_fail_memory(err, sizeof *all, "columns");
    *columns = all;
    all->like = like;
    status = prepare(all, n, count, err);
    for (size_t i = 0; i < count && !status; i++)
        status = load(all, values[i], &all->members[i], err);
    if (status)
        all->count = 0;
    return status;
}

// ---- results ----

// Computes all of a kind, into the results of their places. `robust` and `shifts` have room.
static kn_status compute_kind(struct stats_columns *all, enum kind kind, kn_robust *robust, double *shifts,
                              kn_stats *results, kn_error *err)
{
    const kn_robust_options how =
        KN_INIT(kn_robust_options, .method = kind == REAL ? KN_ROBUST_FUSED : KN_ROBUST_COUNTED);
    struct stats_column *like = all->like;
    kn_status status;

    if (all->rows[kind] == 0)
        return KN_OK;
    for (size_t i = 0; i < all->count; i++)
        if (all->members[i].kind == kind && all->members[i].is_computed)
            shifts[all->members[i].row] = all->members[i].shift;
    status = ki_robust_columns("koine/stats.h", like->queue, all->buffers[kind], type_of(all, kind), all->n,
                               all->stride, all->rows[kind], kind == REAL ? shifts : NULL, robust, &how, err);
    for (size_t i = 0; i < all->count && !status; i++) {
        const struct member *member = &all->members[i];

        if (member->kind != kind || !member->is_computed)
            continue;
        ki_stats_take_robust(like, &robust[member->row], member->shift, &results[i]);
        results[i].mad = results[i].mad / like->options.mad_scale;
    }
    return status;
}

kn_status ki_stats_columns_compute(struct stats_columns *all, kn_stats *results, kn_error *err)
{
    struct stats_column *like = all->like;
    const kn_context *context = kn_queue_get_context(like->queue);
    kn_robust *robust = ki_kept_take_array(&like->kept, all->count, sizeof *robust);
    double *shifts = ki_kept_take_array(&like->kept, all->count, sizeof *shifts);
    double start = ki_clock_seconds(), built = -kn_context_get_build_seconds(context);
    kn_status status =
        robust && shifts ? KN_OK : ki_fail_memory(err, all->count * sizeof *robust, "columns' statistics");

    for (size_t i = 0; i < all->count; i++)
        results[i] = (kn_stats){all->n, NAN, NAN, NAN, NAN, NAN};
    for (int kind = 0; kind < KINDS && !status; kind++)
        status = compute_kind(all, (enum kind)kind, robust, shifts, results, err);
    built += kn_context_get_build_seconds(context);
    like->times.build += built;
    like->times.compute += fmax(ki_clock_seconds() - start - built, 0);
    ki_kept_give(&like->kept, robust);
    ki_kept_give(&like->kept, shifts);
    return status;
}
