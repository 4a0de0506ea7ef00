// SPDX-License-Identifier: Apache-2.0
// A plan (koine/stats.h) that holds one column, to compute it and its prefixes any number of times: it is
// converted and copied to the device once, and the plan tells where the time went. koine stats is made of it.
// Not promised (koine/experimental.h).
#ifndef KOINE_EXPERIMENTAL_STATS_H
#define KOINE_EXPERIMENTAL_STATS_H

#include <koine/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

// Takes the n elements of an array of the plan's type: converts them, if need be, and copies them to the
// device of KN_STATS_DEVICE. x stays the caller's, and must live and not change as long as the column is
// computed. The plan holds it until it is given another one, here or in a function of koine/stats.h. Waits.
// Errors: as kn_stats_compute.
KN_API kn_status kn_stats_plan_load(kn_stats_plan *plan, const void *x, size_t n, kn_error *err);

// The first n elements of the column that was loaded, and of growing prefixes of it, as kn_stats_compute and
// kn_stats_compute_prefixes have them; these do not call the options' `progress`. Results are written only on
// success. Waits. Errors: as there, and KN_ERROR_ARGUMENT if no column is loaded or it has fewer elements.
KN_API kn_status kn_stats_plan_compute(kn_stats_plan *plan, size_t n, kn_stats *result, kn_error *err);
KN_API kn_status kn_stats_plan_compute_prefixes(kn_stats_plan *plan, const size_t *ends, size_t count,
                                                kn_stats *results, kn_error *err);

// How many columns of n elements the plan's device holds and computes together; 0 where the plan does not do
// so (kn_stats_compute_columns).
KN_API size_t kn_stats_plan_get_columns_together(const kn_stats_plan *plan, size_t n);
// `count` columns of n elements, converted and copied to the device, where the plan holds them until it is
// given others; the arrays may go then. KN_ERROR_UNSUPPORTED for none, and for more than are held together.
KN_API kn_status kn_stats_plan_load_columns(kn_stats_plan *plan, const void *const *columns, size_t n,
                                            size_t count, kn_error *err);
// The results of the columns that were loaded, one each. Waits. Errors: as kn_stats_compute, and
// KN_ERROR_ARGUMENT if none are loaded; results are undefined then.
KN_API kn_status kn_stats_plan_compute_columns(kn_stats_plan *plan, kn_stats *results, kn_error *err);
// Whether column i of those is kept as bytes, to be counted. False where there is none.
KN_API bool kn_stats_plan_get_column_in_bytes(const kn_stats_plan *plan, size_t i);

// Whether the plan keeps the elements of its column as bytes, to be counted. False for NULL.
KN_API bool kn_stats_plan_get_in_bytes(const kn_stats_plan *plan);

// Seconds that the plan has spent so far, by the host's clock, with the device waited for after each step.
typedef struct kn_stats_times {
    double build; // compiling kernels, or fetching them from the cache
    double upload;
    double compute;
    double download; // only of columns that a device holds in parts
} kn_stats_times;

// All 0 for NULL.
KN_API kn_stats_times kn_stats_plan_get_times(const kn_stats_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
