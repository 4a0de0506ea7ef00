// SPDX-License-Identifier: Apache-2.0
// Does on the device what the host would do with a column's robust statistics, for results that stay on the device
// (robust.clh explains the terms).
//
// robust_again finds both medians again in the whole column where a bracket missed: by digits, the highest first, each of
// the two ranks among the elements that share its digits. robust_deliver computes the results from sums and keys with the
// bits of the host.
//
// Launch, in dimension 1 a group a column: robust_again with one group, which is slow and seldom has anything to do;
// robust_deliver with one work-item. The numeric policy is strict. Cost of robust_again, if a bracket missed: a read a
// digit, that is 3 reads (6 for doubles) for the median and 6 for the deviations.
#include "window.clh"

#if !ACC_SOFT

// Counts the digit of `left - shift` bits above `shift` for the elements that share the bits from `left` on with one of two
// keys, in a table for each key.
static inline void count_digits(__global const real *x, ulong n, uint question, acc centre, ulong first, ulong second, uint left,
                                uint shift, __local uint *bins)
{
    ulong known = ~mask_of(left);

    for (ulong i = get_local_id(0); i < n; i += GROUP) {
        ulong key = key_of(x[i], question, centre);
        uint digit = (uint)((key & mask_of(left)) >> shift);
        if (((key ^ first) & known) == 0)
            count_digit(digit, 1, bins);
        if (((key ^ second) & known) == 0)
            count_digit(BINS + digit, 1, bins);
    }
}

// The elements are x[0..n); `padding` more were counted as NaN.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
robust_again(__global const real *x, ulong n, ulong padding, __global const column *columns, __global result *results)
{
    __local uint bins[2 * BINS], sum[SUMS], found[6];
    __global const column *own = columns + get_group_id(1);
    __global result *to = results + get_group_id(1);
    uint item = (uint)get_local_id(0), questions = to->missed && to->nans <= padding ? 2 : 0;
    acc median = ACC_ZERO;

    for (uint question = MEDIAN; question < questions; question++) {
        ulong rank[2] = {own->target[0], own->target[1]}, key[2] = {0, 0};
        for (uint left = question == MEDIAN ? REAL_BITS : 64; left > 0; left = shift_of(left)) {
            uint shift = shift_of(left);
            for (uint i = item; i < 2 * BINS; i += GROUP)
                bins[i] = 0;
            barrier(CLK_LOCAL_MEM_FENCE);
            count_digits(x, n, question, median, key[0], key[1], left, shift, bins);
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint k = 0; k < 2; k++) {
                find_bins(bins + k * BINS, sum, rank, found);
                key[k] |= (ulong)found[3 * k] << shift;
                rank[k] = found[3 * k + 1];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        if (question == MEDIAN)
            median = acc_middle(AS_REAL(decode_key((real_key)key[0])), AS_REAL(decode_key((real_key)key[1])));
        if (item == 0)
            for (uint k = 0; k < 2; k++)
                to->answer[question][k] = key[k];
    }
}

// The fields of kn_robust, its method, and whether the bracket missed.
typedef struct {
    ulong n, nan_count;
    double mean, variance, shift, sum, squares, median, mad;
    uint method, missed;
} statistics;

inline double middle_of(double lower, double upper)
{
    double sum = lower + upper;

    if (isinf(sum) && isfinite(lower) && isfinite(upper))
        return lower / 2 + upper / 2;
    return sum / 2 + 0.0; // adding +0 makes 0 of -0
}

inline double element_of(ulong key)
{
    return AS_REAL(decode_key((real_key)key));
}

static inline void fill_in(statistics *made, __global const result *from)
{
    double offset = from->sum / made->n; // the mean, relative to the shift
    double variance = fma(-offset, from->sum, from->squares) / made->n;

    made->shift = AS_REAL((real_key)from->shift);
    made->mean = made->shift + offset + 0.0;
    made->shift += 0.0;
    made->variance = variance < 0 ? 0 : variance + 0.0;
    made->sum = from->sum;
    made->squares = from->squares;
    made->median = middle_of(element_of(from->answer[MEDIAN][0]), element_of(from->answer[MEDIAN][1]));
    if (isfinite(made->median))
        made->mad = middle_of(as_double(from->answer[DEVIATION][0]), as_double(from->answer[DEVIATION][1]));
}

// For n elements; all results are 0 if n is 0. `method` is the method's number; if its bracket missed, the next one
// answered.
__kernel void robust_deliver(ulong n, ulong padding, __global const result *results, uint method, __global statistics *to)
{
    __global const result *from = results + get_group_id(1);
    statistics made = {n, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, method, 0};

    if (n > 0)
        made.nan_count = from->nans - padding;
    if (n > 0 && made.nan_count == 0) {
        fill_in(&made, from);
        made.missed = (from->missed & MISSED_MEDIAN) || ((from->missed & MISSED_DEVIATION) && isfinite(made.median));
        made.method += made.missed;
    }
    to[get_group_id(1)] = made;
}

#endif
