// SPDX-License-Identifier: Apache-2.0
// Absolute deviations and medians with cl/algo/abs_diff.cl.
#include <koine/robust.h>
#include <koine/experimental.h>

#include <math.h>

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "algo/columns.h"

static kn_status get_kernel(kn_queue *queue, kn_type type, const char *name, kn_kernel **kernel,
                            kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_column_define_type(&defines, queue, type);
    return ki_engine_builtin_kernel(queue->context, "algo/abs_diff.cl", defines.items, defines.count,
                                    KN_POLICY_STRICT, name, kernel, err);
}

kn_status kn_abs_diff(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, double centre,
                      kn_buffer *out, kn_error *err)
{
    kn_kernel *kernel = NULL;
    kn_status status = ki_column_check("kn_abs_diff", queue, x, type, n, err);

    if (!status)
        status = ki_column_check("kn_abs_diff (out)", queue, out, type, n, err);
    if (status || n == 0)
        return status;
    if (kn_buffer_get_part_count(x) != kn_buffer_get_part_count(out))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_abs_diff: x and out are held in different numbers of parts");
    status = get_kernel(queue, type, "absolute_deviations", &kernel, err);
    for (size_t i = 0; i < kn_buffer_get_part_count(x) && n > 0 && !status; i++) {
        kn_buffer *from = kn_buffer_get_part(x, i), *to = kn_buffer_get_part(out, i);
        uint64_t count = kn_buffer_get_size(from) / kn_type_size(type);
        if (count > n)
            count = n;
        const kn_arg args[] = {KN_BUFFER(from), KN_VALUE(count), KN_VALUE(centre), KN_BUFFER(to)};
        const kn_range range = {1, {(size_t)(count + 63) / 64 * 64}, {0}, {0}};
        status = kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
        n -= count;
    }
    return status;
}

// At most two elements, as doubles.
static kn_status read_few(kn_queue *queue, const kn_buffer *buffer, kn_type type, size_t first, size_t count,
                          double *values, kn_error *err)
{
    size_t size = kn_type_size(type);
    float singles[2] = {0, 0};
    void *raw = type == KN_F64 ? (void *)values : (void *)singles;
    kn_status status = kn_buffer_read(queue, buffer, first * size, raw, count * size, err);

    for (size_t i = 0; i < count && type == KN_F32 && !status; i++)
        values[i] = (double)singles[i];
    return status;
}

kn_status kn_median_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n, double *median,
                           kn_error *err)
{
    double pair[2];
    kn_status status = ki_column_check("kn_median_sorted", queue, sorted, type, n, err);

    if (!status && (!median || n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_median_sorted: no elements, or median is NULL");
    if (!status)
        status = read_few(queue, sorted, type, (n - 1) / 2, n % 2 ? 1 : 2, pair, err);
    if (!status)
        *median = n % 2 ? pair[0] + 0.0 : ki_middle(pair[0], pair[1]);
    return status;
}

// Sorted data, cut so that deviations from the median grow from the cut to both sides: n - split of them to
// the right.
struct halves {
    kn_queue *queue;
    const kn_buffer *sorted;
    kn_type type;
    size_t n, split;
    double median;
    size_t first_rank, ranks; // ranks whose deviations are wanted
};

// One work-item a rank.
static kn_status find_on_device(const struct halves *halves, double deviation[2], kn_error *err)
{
    uint64_t n = halves->n, split = halves->split, first_rank = halves->first_rank;
    kn_kernel *kernel = NULL;
    kn_buffer *chosen = NULL;
    struct engine_scratch scratch =
        ki_engine_scratch_open(halves->queue, ENGINE_SCRATCH_ALGORITHM, 1, "kn_mad_sorted");
    kn_status status = get_kernel(halves->queue, halves->type, "median_of_halves", &kernel, err);

    if (!status)
        status = ki_engine_scratch_get(&scratch, 0, 2 * kn_type_size(halves->type), &chosen, err);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(halves->sorted), KN_VALUE(n),          KN_VALUE(split),
                               KN_VALUE(halves->median),  KN_VALUE(first_rank), KN_BUFFER(chosen)};
        const kn_range range = {1, {halves->ranks}, {0}, {0}};
        status = kn_launch(halves->queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    if (!status)
        status = read_few(halves->queue, chosen, halves->type, 0, halves->ranks, deviation, err);
    ki_engine_scratch_close(&scratch);
    for (size_t i = 0; i < halves->ranks && !status; i++)
        deviation[i] = fabs(deviation[i] - halves->median);
    return status;
}

// The deviation `left` steps to the left of the cut (from 1), or `right` to the right of it; infinity past
// the end.
static kn_status deviation_left(const struct halves *halves, size_t left, double *deviation, kn_error *err)
{
    double element = -INFINITY;
    kn_status status = left > halves->split ? KN_OK
                                            : read_few(halves->queue, halves->sorted, halves->type,
                                                       halves->split - left, 1, &element, err);

    *deviation = fabs(element - halves->median);
    return status;
}

static kn_status deviation_right(const struct halves *halves, size_t right, double *deviation, kn_error *err)
{
    double element = INFINITY;
    kn_status status = right > halves->n - halves->split
                           ? KN_OK
                           : read_few(halves->queue, halves->sorted, halves->type, halves->split + right - 1,
                                      1, &element, err);

    *deviation = fabs(element - halves->median);
    return status;
}

// The same bisection on the host, an element a read: for columns that no kernel can see as a whole.
static kn_status find_on_host(const struct halves *halves, size_t rank, double *deviation, kn_error *err)
{
    size_t right = halves->n - halves->split;
    size_t low = rank > right ? rank - right : 0; // how many of the `rank` smallest come from the left
    size_t high = rank < halves->split ? rank : halves->split;
    double from_left = 0, from_right = 0;
    kn_status status = KN_OK;

    while (low < high && !status) {
        size_t taken = low + (high - low) / 2;
        status = deviation_left(halves, taken + 1, &from_left, err);
        if (!status)
            status = deviation_right(halves, rank - taken, &from_right, err);
        if (from_left <= from_right)
            low = taken + 1;
        else
            high = taken;
    }
    if (!status)
        status = deviation_left(halves, low + 1, &from_left, err);
    if (!status)
        status = deviation_right(halves, rank - low + 1, &from_right, err);
    *deviation = from_left < from_right ? from_left : from_right;
    return status;
}

kn_status kn_mad_sorted(kn_queue *queue, const kn_buffer *sorted, kn_type type, size_t n, double median,
                        double *mad, kn_error *err)
{
    struct halves halves = {queue, sorted, type, n, n / 2, median, n ? (n - 1) / 2 : 0, n % 2 ? 1 : 2};
    double deviation[2] = {NAN, NAN};
    kn_status status = ki_column_check("kn_mad_sorted", queue, sorted, type, n, err);

    if (!status && (!mad || n == 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_mad_sorted: no elements, or mad is NULL");
    if (status)
        return status;
    if (isfinite(median) && kn_buffer_get_part_count(sorted) == 1)
        status = find_on_device(&halves, deviation, err);
    else
        for (size_t i = 0; i < halves.ranks && isfinite(median) && !status; i++)
            status = find_on_host(&halves, halves.first_rank + i, &deviation[i], err);
    if (!status)
        *mad = halves.ranks == 1 ? deviation[0] + 0.0 : ki_middle(deviation[0], deviation[1]);
    return status;
}
