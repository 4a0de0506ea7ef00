// SPDX-License-Identifier: Apache-2.0
// The robust statistics of a column of floats by radix select: the moments, the median, and the median of the
// distances from it, whose digits are counted as the column is read. On a CPU the distances are written out,
// and kn_median selects among them: that is faster there, and its few small kernels compile in half the time.
#include "robust.h"

#include <koine/reduce.h>
#include <koine/select.h>

#include <math.h>

#include "base/array.h"
#include "base/number.h"
#include "algo/elements.h"

// Slots of scratch memory.
enum { COLUMNS, COUNTERS, GATHERED, RESULTS, SLOTS };

enum { GATHERED_MOST = 1 << 18 };

struct selection {
    const struct robust_columns *of;
    struct robust_ranks ranks;
    struct engine_scratch scratch;
    double median;
};

// The digits counted by `levels` reads, the last of them for elements that one more read gathers; or with all
// digits counted.
static kn_status read_levels(const struct selection *s, uint32_t levels, kn_error *err)
{
    kn_status status = KN_OK;

    for (uint32_t level = 0; level <= levels && !status; level++) {
        struct element_piece piece = {.buffer = NULL};
        while (!status && ki_element_next_piece(s->of->x, s->of->type, s->of->n, &piece)) {
            const struct robust_piece part = {piece.buffer, kn_buffer_get_part(s->of->x, 0), piece.skip,
                                              piece.count, piece.first == 0};
            status = level < levels ? ki_robust_bins(&s->ranks, &part, ROBUST_DEVIATION, level, err)
                                    : ki_robust_narrow(&s->ranks, &part, ROBUST_DEVIATION, level, err);
        }
    }
    return status ? status : ki_robust_settle(&s->ranks, ROBUST_DEVIATION, levels, 0, NULL, err);
}

static kn_status get_memory(struct selection *s, kn_error *err)
{
    struct robust_ranks *r = &s->ranks;
    kn_status status =
        ki_engine_scratch_get(&s->scratch, COLUMNS, sizeof(struct robust_column), &r->columns, err);

    if (!status)
        status = ki_engine_scratch_get(
            &s->scratch, COUNTERS, (size_t)ki_robust_counter_cells(r) * sizeof(uint32_t), &r->counters, err);
    if (!status)
        status = ki_engine_scratch_get(&s->scratch, GATHERED, (size_t)r->gathered_room * sizeof(uint64_t),
                                       &r->gathered, err);
    return status ? status : ki_robust_ranks_results(r, &s->scratch, RESULTS, err);
}

// The distances of these ranks. *missed: there were too many to gather.
static kn_status find_distances(struct selection *s, const uint64_t target[2], uint32_t levels,
                                double distance[2], bool *missed, kn_error *err)
{
    struct robust_result result;
    struct robust_column column = {.target = {target[0], target[1]}, .median = s->median};
    const uint32_t nothing = 0;
    kn_status status;

    column.level[0].bits = 64;
    s->ranks.tables = levels + 1;
    status = get_memory(s, err);
    if (!status)
        status = kn_buffer_write(s->of->queue, s->ranks.columns, 0, &column, sizeof column, err);
    if (!status)
        status = kn_buffer_fill(s->of->queue, s->ranks.counters, &nothing, sizeof nothing, 0,
                                (size_t)ki_robust_counter_cells(&s->ranks) * sizeof nothing, NO_EVENT, err);
    if (!status)
        status = read_levels(s, levels, err);
    if (!status)
        status = ki_robust_ranks_read(&s->ranks, &result, err);
    if (status)
        return status;
    *missed = result.missed != 0;
    for (int k = 0; k < 2; k++)
        distance[k] = ki_element_value(result.answer[ROBUST_DEVIATION][k], KN_F64);
    return KN_OK;
}

static kn_status select_deviation(struct selection *s, double *mad, kn_error *err)
{
    const uint64_t middle[2] = {(s->of->n - 1) / 2, s->of->n / 2};
    uint64_t most = s->of->queue->context->device.info.max_alloc / sizeof(uint64_t);
    unsigned all;
    double distance[2];
    bool missed = false;
    kn_status status;

    s->ranks = (struct robust_ranks){.queue = s->of->queue,
                                     .type = s->of->type,
                                     .count = 1,
                                     .gathered_room = most < GATHERED_MOST ? most : GATHERED_MOST};
    status = ki_robust_ranks_open(&s->ranks, s->of->n, err);
    s->scratch = ki_engine_scratch_open(s->of->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, s->of->function);
    // Two digits leave few elements in a bin, except for the worst columns.
    if (!status)
        status = find_distances(s, middle, 16 / s->ranks.digit + 1, distance, &missed, err);
    // Each rank alone: a bin of the last digit is one value.
    all = (63 + s->ranks.digit) / s->ranks.digit;
    for (int k = 0; k < 2 && missed && !status; k++) {
        const uint64_t one[2] = {middle[k], middle[k]};
        double found[2];
        bool unused;
        status = find_distances(s, one, all, found, &unused, err);
        distance[k] = found[0];
    }
    ki_engine_scratch_close(&s->scratch);
    if (!status)
        *mad = ki_middle(distance[0], distance[1]);
    return status;
}

// ---- with the distances written ----

static bool writes_distances(const struct selection *s)
{
    const kn_device_info *info = &s->of->queue->context->device.info;

    return engine_is_cpu(info) && info->fp64 && s->of->n <= info->max_alloc / sizeof(double);
}

static kn_status write_distances(const struct selection *s, kn_buffer *distances, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_kernel *kernel = NULL;
    struct element_piece piece = {.buffer = NULL};
    kn_queue *queue = s->of->queue;
    kn_status status;

    ki_column_define_type(&defines, queue, s->of->type);
    status = ki_engine_builtin_kernel(queue->context, "algo/abs_diff.cl", defines.items, defines.count,
                                      KN_POLICY_STRICT, "distances", &kernel, err);
    while (!status && ki_element_next_piece(s->of->x, s->of->type, s->of->n, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer), KN_VALUE(piece.skip), KN_VALUE(piece.count),
                               KN_VALUE(s->median),     KN_BUFFER(distances), KN_VALUE(piece.first)};
        const kn_range range = {1, {(size_t)(piece.count + 63) / 64 * 64}, {0}, {0}};
        status = kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    return status;
}

static kn_status select_distance(struct selection *s, double *mad, kn_error *err)
{
    size_t n = (size_t)s->of->n;
    kn_buffer *distances = NULL;
    kn_status status;

    s->scratch = ki_engine_scratch_open(s->of->queue, ENGINE_SCRATCH_OPERATOR, 1, s->of->function);
    status = ki_engine_scratch_get(&s->scratch, 0, n * sizeof(double), &distances, err);
    if (!status)
        status = write_distances(s, distances, err);
    if (!status)
        status = kn_median(s->of->queue, distances, KN_F64, n, mad, NULL, err);
    ki_engine_scratch_close(&s->scratch);
    return status;
}

// Sums about a given shift tell whether there may be a NaN; only then is the column searched for one.
static kn_status find_moments(const struct robust_columns *columns, kn_moments *moments, kn_error *err)
{
    const double *shift = columns->options.shift;
    kn_sums sums = {.sum = NAN};
    kn_status status = KN_OK;

    if (shift && engine_is_cpu(&columns->queue->context->device.info)) {
        status =
            kn_reduce_sums(columns->queue, columns->x, columns->type, (size_t)columns->n, *shift, &sums, err);
        *moments = (kn_moments){.shift = columns->type == KN_F64 ? *shift : ki_as_float(*shift),
                                .sum = sums.sum,
                                .squares = sums.squares};
    }
    return status || isfinite(sums.sum) ? status
                                        : kn_reduce_moments(columns->queue, columns->x, columns->type,
                                                            (size_t)columns->n, shift, moments, err);
}

kn_status ki_robust_select(const struct robust_columns *columns, kn_robust *result, kn_error *err)
{
    struct selection s = {.of = columns};
    double mad = NAN;
    kn_moments moments;
    kn_status status = find_moments(columns, &moments, err);

    if (status)
        return status;
    *result = ki_robust_of_nothing((size_t)columns->n, moments.nan_count, KN_ROBUST_SELECT);
    if (moments.nan_count > 0)
        return KN_OK;
    status = kn_median(columns->queue, columns->x, columns->type, (size_t)columns->n, &s.median, NULL, err);
    if (!status && isfinite(s.median))
        status = writes_distances(&s) ? select_distance(&s, &mad, err) : select_deviation(&s, &mad, err);
    if (!status)
        ki_robust_finish(result, moments.shift, &(kn_sums){moments.sum, moments.squares}, s.median, mad);
    return status;
}
