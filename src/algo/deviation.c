// SPDX-License-Identifier: Apache-2.0
// Absolute deviations and medians with cl/abs_diff.cl.
#include <koine/deviation.h>

#include <math.h>

#include "../base/array.h"
#include "../base/error.h"
#include "columns.h"

#define NO_EVENT NULL

static kn_status get_kernel(kn_queue *queue, kn_type type, const char *name, kn_kernel **kernel, kn_error *err)
{
    struct column_defines defines = {.count = 0};

    column_define_type(&defines, queue, type);
    return engine_builtin_kernel(queue->context, "abs_diff.cl", defines.items, defines.count, KN_POLICY_STRICT, name, kernel,
                                 err);
}

kn_status kn_abs_diff(kn_queue *queue, kn_buffer *x, kn_type type, size_t n, double centre, kn_buffer *out,
                      kn_error *err)
{
    kn_kernel *kernel = NULL;
    kn_status status = column_check("kn_abs_diff", queue, x, type, n, err);

    if (!status)
        status = column_check("kn_abs_diff (out)", queue, out, type, n, err);
    if (status || n == 0)
        return status;
    if (kn_buffer_part_count(x) != kn_buffer_part_count(out))
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_abs_diff: x and out are held in different numbers of parts");
    status = get_kernel(queue, type, "absolute_deviations", &kernel, err);
    for (size_t i = 0; i < kn_buffer_part_count(x) && n > 0 && !status; i++) {
        kn_buffer *from = kn_buffer_part(x, i), *to = kn_buffer_part(out, i);
        uint64_t count = kn_buffer_size(from) / kn_type_size(type);
        union column_scalar scalar;
        if (count > n)
            count = n;
        const kn_arg args[] = {KN_BUFFER(from), KN_VALUE(count), column_accumulator(&scalar, queue, centre), KN_BUFFER(to)};
        const kn_range range = {1, {(size_t)(count + 63) / 64 * 64}, {0}, {0}};
        status = kn_launch(queue, kernel, &range, args, KN_COUNT(args), NO_EVENT, err);
        n -= count;
    }
    return status;
}

// Two elements at most, as doubles.
static kn_status read_pair(kn_queue *queue, kn_buffer *buffer, kn_type type, size_t first, size_t count, double pair[2],
                           kn_error *err)
{
    size_t size = kn_type_size(type);
    float singles[2] = {0, 0};
    kn_status status = kn_buffer_read(queue, buffer, first * size, type == KN_F64 ? (void *)pair : (void *)singles, count * size, err);

    for (size_t i = 0; i < count && type == KN_F32; i++)
        pair[i] = (double)singles[i];
    return status;
}

// The mean of two numbers without overflow; -0 becomes 0.
static double middle(double low, double high)
{
    double sum = low + high;

    return (isinf(sum) && !isinf(low) && !isinf(high) ? low / 2 + high / 2 : sum / 2) + 0.0;
}

kn_status kn_median_sorted(kn_queue *queue, kn_buffer *sorted, kn_type type, size_t n, double *median, kn_error *err)
{
    double pair[2];
    kn_status status = column_check("kn_median_sorted", queue, sorted, type, n, err);

    if (!status && (!median || n == 0))
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_median_sorted: no elements, or median is NULL");
    if (!status)
        status = read_pair(queue, sorted, type, (n - 1) / 2, n % 2 ? 1 : 2, pair, err);
    if (!status)
        *median = n % 2 ? pair[0] + 0.0 : middle(pair[0], pair[1]);
    return status;
}

kn_status kn_mad_sorted(kn_queue *queue, kn_buffer *sorted, kn_type type, size_t n, double median, double *mad,
                        kn_error *err)
{
    size_t ranks = n % 2 ? 1 : 2;
    uint64_t count = n, split = n / 2, first_rank = (n - 1) / 2;
    union column_scalar scalar;
    kn_kernel *kernel = NULL;
    kn_buffer *chosen = NULL;
    double pair[2];
    kn_status status = column_check("kn_mad_sorted", queue, sorted, type, n, err);

    if (!status && (!mad || n == 0))
        return kn_fail(err, KN_ERROR_ARGUMENT, "kn_mad_sorted: no elements, or mad is NULL");
    if (!status)
        status = get_kernel(queue, type, "median_of_halves", &kernel, err);
    if (!status)
        status = engine_scratch(queue, 0, 2 * kn_type_size(type), &chosen, err);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(sorted),     KN_VALUE(count),     KN_VALUE(split), column_accumulator(&scalar, queue, median),
                               KN_VALUE(first_rank), KN_BUFFER(chosen)};
        const kn_range range = {1, {ranks}, {0}, {0}};
        status = kn_launch(queue, kernel, &range, args, KN_COUNT(args), NO_EVENT, err);
    }
    if (!status)
        status = read_pair(queue, chosen, type, 0, ranks, pair, err);
    if (!status) {
        double low = fabs(pair[0] - median);
        *mad = ranks == 1 ? low + 0.0 : middle(low, fabs(pair[1] - median));
    }
    return status;
}
