// SPDX-License-Identifier: Apache-2.0
// What a column holds, for the methods that compute on it and for the tests that check what ran.
#ifndef KN_APP_STATS_COLUMN_INTERNAL_H
#define KN_APP_STATS_COLUMN_INTERNAL_H

#include <koine/robust.h>

#include "host/host.h"
#include "column.h"
#include "app/stats/merge_sort.h"
#include "app/stats/moments.h"

// What the last computation ran.
struct stats_ran {
    kn_host_level level;       // of the host's code
    unsigned threads;          // that it could use
    struct merge_trace merges; // KN_STATS_SORT; on devices only for a column in parts
    kn_robust_method robust;   // KN_STATS_FUSED, and KN_STATS_SELECT on devices
    int missed;
    size_t sweep;    // prefixes that were computed together
    bool own_select; // KN_STATS_SELECT, serial: the quickselect of select_plain.h
};

struct stats_column {
    enum stats_variant variant;
    struct stats_options options; // the method is never KN_STATS_AUTO
    bool selects;       // KN_STATS_AUTO on a device where reals are selected: KN_STATS_FUSED for bytes only
    kn_type from;       // of the caller's elements
    size_t capacity;    // elements that there is room for
    size_t n, numbers;  // elements, and how many of them precede the first NaN; in a buffer, all of them
    const void *values; // the caller's, of type `from`; NULL: they are in a buffer
    const void *data;   // of `type`: the values, or `converted`; NULL with `values`
    kn_type type;
    void *converted;
    struct host_plan plan;   // how the host computes
    struct ki_kept kept;     // memory for its algorithms
    void *sorted, *scratch;  // memory on the host: `capacity` elements of the type; as many doubles
    kn_queue *queue;         // the device's
    const kn_buffer *given;  // the caller's, of type `from`; NULL: they are in `values`
    const kn_buffer *buffer; // of `type`: `given`, or `own`
    kn_buffer *own, *work;
    kn_stats_times times;
    struct stats_ran ran;
};

// Mean, std, CV, median and MAD (not scaled yet; NaN before) of the first n > 0 elements, all of which are
// numbers.
typedef kn_status stats_method_function(struct stats_column *column, size_t n, double shift, kn_stats *result,
                                        kn_error *err);
stats_method_function ki_stats_host_sort, ki_stats_host_select, ki_stats_host_fused, ki_stats_device_sort,
    ki_stats_device_robust;

// Copies a column's robust statistics, for floats with sums about `shift`; without scaling.
void ki_stats_take_robust(struct stats_column *column, const kn_robust *robust, double shift,
                          kn_stats *result);

// All prefixes of a column in bytes, in one read; scaled.
kn_status ki_stats_counted_sweep(struct stats_column *column, const size_t *ends, size_t count,
                                 kn_stats *results, kn_error *err);

// The elements of an array, converted as the method needs them: ki_stats_column_load without the device.
kn_status ki_stats_column_take(struct stats_column *column, const void *values, size_t n, kn_error *err);

// Makes *buffer at least `bytes` long.
kn_status ki_stats_take_buffer(kn_context *context, size_t bytes, kn_buffer **buffer, kn_error *err);

// Uploads the data, or converts the caller's buffer to what the method takes. ki_stats_column_close frees
// what it allocates.
kn_status ki_stats_device_load(struct stats_column *column, kn_error *err);
kn_status ki_stats_device_attach(struct stats_column *column, kn_error *err);

// The first n elements as floats, to `to`: for KN_I8, KN_U8, and KN_F64 if the device has double precision.
kn_status ki_stats_device_floats(kn_queue *queue, const kn_buffer *from, kn_type type, size_t n,
                                 kn_buffer *to, kn_error *err);

// Whether the method takes elements of 8 bits as they are, and counts them.
bool ki_stats_column_counts(const struct stats_column *column);
// Whether elements of `from` are computed without conversion.
bool ki_stats_column_as_it_is(const struct stats_column *column);
// The type of a column that is not kept in bytes: KN_F32 or KN_F64.
kn_type ki_stats_column_real(const struct stats_column *column);

// Allocates `converted`, if it is needed and not there yet.
kn_status ki_stats_column_take_converted(struct stats_column *column, kn_error *err);
// Allocates `sorted` and `scratch`, as far as the method needs them and they are not there yet.
kn_status ki_stats_column_take_room(struct stats_column *column, kn_error *err);

// Element i of an array of KN_F64, KN_F32, KN_I8 or KN_U8.
static inline double stats_element(const void *values, kn_type type, size_t i)
{
    switch (type) {
    case KN_F64:
        return ((const double *)values)[i];
    case KN_F32:
        return (double)((const float *)values)[i];
    case KN_I8:
        return ((const int8_t *)values)[i];
    default:
        return ((const uint8_t *)values)[i];
    }
}

// ki_stats_shift of the first n > 0 elements.
kn_status ki_stats_column_shift(const struct stats_column *column, size_t n, double *shift, kn_error *err);

// Both medians of the first n elements, in column->sorted.
void ki_stats_sorted_medians(struct stats_column *column, size_t n, kn_stats *result);

#endif
