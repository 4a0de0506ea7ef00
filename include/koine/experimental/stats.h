// SPDX-License-Identifier: Apache-2.0
// Plans (koine/stats.h) that hold columns, to compute them and their prefixes any number of times: a column
// is converted and copied to the device once, and the plan reports where the time went. koine stats uses
// this. Unstable (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_STATS_H
#define KOINE_EXPERIMENTAL_STATS_H

#include <koine/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

// Loads the n elements of an array of the plan's type: converts them, if necessary, and copies them to the
// device with KN_STATS_DEVICE. x is borrowed, and must live and not change as long as the column is computed.
// The plan holds the column until it is given another one, here or in a function of koine/stats.h. Waits.
// Errors: as kn_stats_compute.
KN_API kn_status kn_stats_plan_load(kn_stats_plan *plan, const void *x, size_t n, kn_error *err);

// Computes the first n elements of the loaded column, or growing prefixes of it, as kn_stats_compute and
// kn_stats_compute_prefixes do; these do not call the `progress` of the options. Results are written only on
// success. Waits. Errors: as there, and KN_ERROR_ARGUMENT if no column is loaded or it has fewer elements.
KN_API kn_status kn_stats_plan_compute(kn_stats_plan *plan, size_t n, kn_stats *result, kn_error *err);
KN_API kn_status kn_stats_plan_compute_prefixes(kn_stats_plan *plan, const size_t *ends, size_t count,
                                                kn_stats *results, kn_error *err);

// How many columns of n elements the plan's device holds and computes together; 0 if the plan does not do so
// (kn_stats_compute_columns).
KN_API size_t kn_stats_plan_get_columns_together(const kn_stats_plan *plan, size_t n);
// Loads `count` columns of n elements: converts them and copies them to the device, where the plan holds them
// until it is given others; the arrays are not needed afterwards. KN_ERROR_UNSUPPORTED for no columns, and
// for more than are held together.
KN_API kn_status kn_stats_plan_load_columns(kn_stats_plan *plan, const void *const *columns, size_t n,
                                            size_t count, kn_error *err);
// Computes the loaded columns, one result each. Waits. Errors: as kn_stats_compute, and KN_ERROR_ARGUMENT if
// none are loaded; the results are then undefined.
KN_API kn_status kn_stats_plan_compute_columns(kn_stats_plan *plan, kn_stats *results, kn_error *err);
// Whether column i of these is stored as bytes, to be counted. False if there is no such column.
KN_API bool kn_stats_plan_get_column_in_bytes(const kn_stats_plan *plan, size_t i);

// Whether the plan stores the elements of its column as bytes, to be counted. False for NULL.
KN_API bool kn_stats_plan_get_in_bytes(const kn_stats_plan *plan);

// Seconds that the plan has spent so far, by the host's clock, waiting for the device after each step.
typedef struct kn_stats_times {
    double build; // compiling kernels, or fetching them from the cache
    double upload;
    double compute;
    double download; // only for columns that a device holds in parts
} kn_stats_times;

// All 0 for NULL.
KN_API kn_stats_times kn_stats_plan_get_times(const kn_stats_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
